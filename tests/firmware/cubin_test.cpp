// SPDX-License-Identifier: Apache-2.0
// Fat binaries and cubins: encodings against what the disassembler printed of them (the suite's
// listings hold both), every architecture's code of one program, executed.
#include "firmware/cubin/cubin.h"
#include "firmware/cubin/decode.h"
#include "firmware/cubin/fatbin.h"
#include "tests/support/exec_program.h"
#include "tests/support/suite_text.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace smrf_test
{
namespace
{

struct printed {
    uint64_t offset;
    smrf_encoding code;
    std::string text;
};

// "/*0010*/ text ; /* 0x.. */" with the upper word on the next line.
std::vector<printed> lines_of(const std::string &text)
{
    std::vector<printed> all;
    for (size_t at = 0; at < text.size();) {
        const size_t stop = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, stop - at);
        at = stop + 1;
        uint64_t offset, word;
        int length = 0;
        const size_t end = line.find(';');
        if (end != std::string::npos &&
            std::sscanf(line.c_str(), " /*%" SCNx64 "*/ %n", &offset, &length) == 1 &&
            std::sscanf(line.c_str() + end, "; /* 0x%" SCNx64, &word) == 1) {
            std::string what = line.substr(size_t(length), end - size_t(length));
            what = what.substr(0, what.find("(*"));
            what.erase(what.find_last_not_of(' ') + 1);
            all.push_back({offset, {word, 0}, what});
        } else if (!all.empty() && all.back().code.high == 0 &&
                   std::sscanf(line.c_str(), " /* 0x%" SCNx64, &word) == 1) {
            all.back().code.high = word;
        }
    }
    return all;
}

// What a relocation or a label put into the text, the encoding does not have.
bool equal(const std::string &ours, const std::string &theirs)
{
    const size_t until = std::min(theirs.find('`'), theirs.find("32@"));
    return until == std::string::npos ? ours == theirs
                                      : ours.compare(0, until, theirs, 0, until) == 0;
}

TEST(Decode, GivesTheTextOfTheSuitesListings)
{
    size_t count = 0, differ = 0;
    for (const smrf_sass_text *listing = smrf_sass_texts; listing->stem; listing++) {
        const std::string text = embedded_text(*listing);
        const size_t target = text.find("EF_CUDA_SM");
        ASSERT_NE(target, std::string::npos) << listing->stem;
        const auto arch = static_cast<unsigned>(std::stoul(text.substr(target + 10)));
        for (const printed &p : lines_of(text)) {
            char ours[SMRF_DECODE_TEXT_BYTES];
            smrf_decode(arch, p.code, p.offset, nullptr, ours, sizeof ours);
            count += p.code.high != 0;
            if (p.code.high != 0 && !equal(ours, p.text) && differ++ < 20) {
                ADD_FAILURE() << listing->stem << ": " << p.text << "\n  decoded " << ours;
            }
        }
    }
    EXPECT_EQ(differ, 0u);
    EXPECT_GT(count, 40000u);
}

// Encodings that the suite's listings have not, each as the disassembler prints it.
TEST(Decode, GivesTheTextOfOthers)
{
    const struct {
        unsigned arch;
        smrf_encoding code;
        const char *text;
    } others[] = {
        {75,
         {0x008f008f00007434, 0x000fda000470e820},
         "HSETP2.GEU.OR P0, PT, R0.H0_H0, "
         "8.523464202880859375e-06, 8.523464202880859375e-06, !P0"},
        {75,
         {0x008f008f00007433, 0x000fda000470e820},
         "HSET2.GEU.OR R0, R0.H0_H0, "
         "8.523464202880859375e-06, 8.523464202880859375e-06, !P0"},
        {86, {0x00c0000004067abb, 0x000fc60008000a00}, "ULDC.64 UR6, c[0x3][UR4]"},
        {90,
         {0x0000000b060079a6, 0x000fe8000c10f384},
         "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU [R6.64], R11"},
        {90, {0x0000000002ff7f8c, 0x0003e8000d80003f}, "ATOMS.POPC.INC.32 RZ, [R2+URZ]"},
        {90, {0x00000000020612ca, 0x010fe40000000000}, "@P1 R2UR P0, UR6, R2"},
        {75, {0x0000000109027824, 0x002fe200078e00ff}, "IMAD.MOV.U32 R2, R9, 0x1, RZ"},
        {75,
         {0x30005c0004057b60, 0x000f4200019e08ff},
         "TEX.SCR.LL RZ, R5, R4, R0, 0x0, 0x5c, 2D, 0x8"},
        {75, {0x380000080e097361, 0x044fc600019e01ff}, "TEX.SCR.B.LL RZ, R9, R14, R8, 2D, 0x1"},
        {86,
         {0xe0005e0804057b60, 0x000f4200019e01ff},
         "TEX.LL RZ, R5, R4, R8, 0x0, 0x5e, ARRAY_CUBE, 0x1"},
        {90, {0x2000040604047f60, 0x000f6200099e0f06}, "TEX.LL R6, R4, R4, R6, UR4, 0x0, 2D"},
        {80, {0x10005cff04047b66, 0x000f4200009e03ff}, "TLD.SCR.LZ RZ, R4, R4, 0x0, 0x5c, 1D, 0x3"},
        {75,
         {0xb0005e0502027b66, 0x000f4200009e0f04},
         "TLD.SCR.LZ R4, R2, R2, R5, 0x0, 0x5e, ARRAY_2D"},
        {80, {0x3800000204047364, 0x004f4200009e0f06}, "TLD4.SCR.G.B R6, R4, R4, R2, 2D"},
        {90, {0x200004ff0c047f63, 0x000f6200081e0f06}, "TLD4.R R6, R4, R12, UR4, 0x0, 2D"},
        {75, {0x2000600402007b6c, 0x000f4200001e01ff}, "TXD RZ, R0, R2, R4, 0x0, 0x60, 2D, 0x1"},
        {75,
         {0x00005a0007077b6f, 0x040f4200000001ff},
         "TXQ RZ, R7, R7, TEX_HEADER_DIMENSION, 0x0, 0x5a, 0x1"},
        {75,
         {0x70005c0004057b99, 0x000f6200001f0900},
         "SULD.D.BA.2D.STRONG.CTA.TRAP R5, [R4], 0x0, 0x5c"},
        {80,
         {0x68005c0006007b99, 0x000f6200001ea100},
         "SULD.D.BA.2D.U8.STRONG.SM R0, [R6], 0x0, 0x5c"},
        {86,
         {0xb00000000c00799e, 0x004fe2000010a90b},
         "SUST.D.BA.3D.STRONG.SM.TRAP [R12], R0, R11"},
        {90,
         {0x6000060c06007f9d, 0x004fe2000810ad00},
         "SUST.D.BA.2D.128.STRONG.SM.IGN [R6], R12, UR6, 0x0"},
        {75, {0x000000000082734e, 0x008fe40000000000}, "LEPC R130"},
        {70, {0x0000000500007348, 0x000fe40003c00000}, "WARPSYNC R5"},
        {75, {0x0000000500007348, 0x000fe40003c00000}, "WARPSYNC R5"},
        {80, {0x0000000500007348, 0x000fe40003800000}, "WARPSYNC R5"},
        {80, {0x0000000500007348, 0x000fe40003c00000}, "WARPSYNC.EXCLUSIVE R5"},
        {90, {0x0000000007007348, 0x000fe40003800000}, "WARPSYNC R7"},
        {90, {0x0000000007007348, 0x000fe40003a00000}, "WARPSYNC.EXCLUSIVE R7"},
        {75,
         {0x680058050200759f, 0x000fe20000116300},
         "SURED.D.BA.2D.ADD.S32.STRONG.SYS [R2], R5, 0x0, 0x58"},
        {80,
         {0x0080000024217dae, 0x000be4000a109d44},
         "LDGSTS.E.BYPASS.LTC128B.128.CONSTANT [R33+UR4+0x800], [R36.64], P4"},
        {86,
         {0x0080000024217dae, 0x000be4000a119d44},
         "LDGSTS.E.BYPASS.LTC128B.128.MMIO.GPU [R33+UR4+0x800], [R36.64], P4"},
        {90,
         {0x0080000024217dae, 0x000be4000a10dd44},
         "LDGSTS.E.BYPASS.LTC128B.128.GPU.PRIVATE [R33+UR4+0x800], [R36.64], P4"},
        {90,
         {0x000000ff020279a7, 0x000ee4000810003f},
         "SYNCS.ARRIVE.TRANS64.A1T0 R2, [R2+URZ], RZ"},
        {80,
         {0x0080000024217fae, 0x000be4000a108d44},
         "LDGSTS.E.BYPASS.LTC128B.128.CONSTANT [R33+0x800], [R36.64+UR4], P4"},
        {90,
         {0x0080000024217fae, 0x000be4000a109d44},
         "LDGSTS.E.BYPASS.LTC128B.128.CONSTANT [R33+0x800], [R36.64], P4"},
        {80,
         {0x0080000024217dae, 0x000be4000a108d44},
         "LDGSTS.E.BYPASS.LTC128B.128.CONSTANT [R33+UR4+0x800], [R36.64], P4"},
        {90, {0x000000ff020279a7, 0x000ee4000800003f}, "SYNCS.ARRIVE.TRANS64 R2, [R2+URZ], RZ"},
        {90,
         {0x000000ffffff99a7, 0x000fe20008200405},
         "@!P1 SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [UR5], RZ"},
        {90,
         {0x00000003020279a7, 0x008f24000850083f},
         "SYNCS.ARRIVE.TRANS64.OPTOUT.ART0 R2, [R2+URZ], R3"},
        {90,
         {0x00000007020279a7, 0x000e64000850023f},
         "SYNCS.ARRIVE.TRANS64.TMASK.ART0 R2, [R2+URZ], R7"},
        {90,
         {0x00000007000075a7, 0x000e64000800017f},
         "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R0+URZ], R7"},
        {90, {0x00000003000075a7, 0x0002a4000800007f}, "SYNCS.PHASECHK.TRANS64 P0, [R0+URZ], R3"},
        {90, {0x00000000000079b1, 0x000e66000800003f}, "SYNCS.CCTL.IV [R0+URZ]"},
        {90, {0x00000006043f75b2, 0x0003e20008000100}, "SYNCS.EXCH.64 URZ, [UR4], UR6"},
        {90, {0x00000806043f75b2, 0x0003e20008000100}, "SYNCS.EXCH.64 URZ, [UR4+0x8], UR6"},
        {90, {0x00000000ff0099b0, 0x000fee0008000a85}, "@!P1 ARRIVES.LDGSTSBAR.64.TRANSCNT [UR5]"},
        {90, {0x00000000ff0089b0, 0x000fe20008000a45}, "@!P0 ARRIVES.LDGSTSBAR.64.ARVCNT [UR5]"},
    };
    for (const auto &o : others) {
        char text[SMRF_DECODE_TEXT_BYTES];
        EXPECT_TRUE(smrf_decode(o.arch, o.code, 0, nullptr, text, sizeof text));
        EXPECT_STREQ(text, o.text);
    }
}

TEST(Decode, WhatIsNoInstructionIsToldSo)
{
    char text[SMRF_DECODE_TEXT_BYTES];
    EXPECT_FALSE(smrf_decode(75, {0xfff, 0}, 0, nullptr, text, sizeof text));
    EXPECT_STREQ(text, "UNKNOWN");
    EXPECT_FALSE(smrf_decode(75, {0x79af, 0}, 0, nullptr, text, sizeof text)) << "of sm_80";
    EXPECT_TRUE(smrf_decode(80, {0x79af, 0}, 0, nullptr, text, sizeof text));
    EXPECT_STREQ(text, "LDGDEPBAR");
    // What cannot be executed has its name, of the architectures that have it.
    const struct {
        unsigned arch;
        uint64_t low;
        const char *name;
    } refused[] = {{75, 0x7369, "TMML"},    {86, 0x7394, "SUATOM"},  {90, 0x799c, "SUST"},
                   {90, 0x79f0, "HGMMA"},   {86, 0x79f0, "UNKNOWN"}, {90, 0x75b4, "UTMALDG"},
                   {80, 0x75b4, "UNKNOWN"}, {90, 0x73ba, "UBLKCP"},  {90, 0x75a7, "SYNCS"}};
    for (const auto &r : refused) {
        EXPECT_FALSE(smrf_decode(r.arch, {r.low, 0}, 0, nullptr, text, sizeof text)) << r.name;
        EXPECT_STREQ(text, r.name);
    }
}

struct code_file {
    explicit code_file(const std::string &name)
    {
        const char *root = std::getenv("SMRF_SOURCE_DIR");
        const std::string path = std::string(root ? root : ".") + "/tests/firmware/cubins/" + name;
        EXPECT_EQ(smrf_code_open(&code, path.c_str(), error), 0) << error;
    }
    ~code_file()
    {
        smrf_code_close(&code);
    }
    // The listing of the code for an architecture.
    std::string text(unsigned arch)
    {
        const smrf_fatbin_entry *entry = smrf_fatbin_choose(&code.fatbin, 0, arch, "f", error);
        uint8_t *cubin = nullptr;
        char *listing = nullptr;
        size_t size = 0, length = 0;
        EXPECT_NE(entry, nullptr) << error;
        EXPECT_EQ(entry ? smrf_fatbin_unpack(entry, "f", &cubin, &size, error) : -1, 0) << error;
        EXPECT_EQ(smrf_cubin_text(cubin, size, "f", &listing, &length, error), 0) << error;
        const std::string copy(listing ? listing : "", length);
        std::free(cubin);
        std::free(listing);
        return copy;
    }
    smrf_code code{};
    char error[SMRF_SASS_ERROR_BYTES] = "";
};

struct built {
    const char *file;
    unsigned arch;
};

const built builds[] = {{"parts.fatbin", 75},   {"parts.fatbin", 80},  {"parts.fatbin", 86},
                        {"parts.fatbin", 89},   {"parts.fatbin", 90},  {"parts13.fatbin", 75},
                        {"parts13.fatbin", 86}, {"parts13.fatbin", 90}};

class Cubin : public testing::TestWithParam<built>
{
};

TEST_P(Cubin, IsReadWhole)
{
    code_file f(GetParam().file);
    const std::string text = f.text(GetParam().arch);
    EXPECT_EQ(text.find("UNKNOWN"), std::string::npos)
        << text.substr(text.find("UNKNOWN") - 20, 99);
    smrf_sass_module *m = nullptr;
    const smrf_sass_where where = {UINT64_C(0x7e1300000000), UINT64_C(0x7e2300000000)};
    ASSERT_EQ(smrf_sass_parse_at(&m, "f", text.data(), text.size(), &where, f.error), 0) << f.error;
    EXPECT_EQ(m->arch, GetParam().arch);
    const smrf_sass_function *k = smrf_sass_find(m, "parts");
    ASSERT_NE(k, nullptr);
    EXPECT_TRUE(k->entry);
    EXPECT_EQ(k->num_params, 4u);
    EXPECT_EQ(k->param_bytes, 24u);
    EXPECT_EQ(k->param_base, m->arch >= 90 ? 0x210u : 0x160u);
    EXPECT_GE(k->shared_bytes, 512u);
    EXPECT_GT(k->registers, 8u);
    EXPECT_EQ(k->address >> 32, 0x7e13u);
    const smrf_sass_symbol *calls = smrf_sass_find_symbol(m, "calls");
    ASSERT_NE(calls, nullptr);
    EXPECT_EQ(calls->address >> 32, 0x7e23u);
    EXPECT_GT(m->num_jumps, 0u) << "targets of the switch";
    smrf_sass_free(m);
}

uint32_t expected(uint32_t x, uint32_t i, int which, uint32_t first)
{
    const uint32_t steps[] = {1, 3, 5, 7, 11, 13, 17, 19}, by = steps[i & 7];
    x = i & 1 ? (x ^ by) * 2654435761u : x << by | x >> (32 - by);
    switch (which) {
    case 0:
        return x + 5;
    case 1:
        return x * 3;
    case 2:
        return ~x;
    case 3:
        return x ^ x >> 7;
    case 4:
        return x - first;
    case 5:
        return uint32_t(__builtin_popcount(x));
    default:
        return x;
    }
}

// What the disassembler of the CUDA tool chain prints of a cubin; empty: it is not installed.
std::string disassembled(const uint8_t *cubin, size_t size)
{
    char path[] = "/tmp/smrf-cubin-XXXXXX";
    std::string text;
    const int file = mkstemp(path);
    const bool written = file >= 0 && write(file, cubin, size) == ssize_t(size);
    FILE *in = written ? popen((std::string("nvdisasm -hex ") + path + " 2>/dev/null").c_str(), "r")
                       : nullptr;
    for (int c; in && (c = std::getc(in)) != EOF;) {
        text += char(c);
    }
    if (in) {
        pclose(in);
    }
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return text;
}

class Disassembler : public testing::TestWithParam<const char *>
{
};

TEST_P(Disassembler, PrintsEveryEncodingAsWeDo)
{
    if (std::system("command -v nvdisasm >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "nvdisasm is not installed";
    }
    code_file f(std::string("../applications/") + GetParam() + ".fatbin");
    size_t count = 0;
    for (uint32_t i = 0; i < f.code.fatbin.count; i++) {
        uint8_t *cubin = nullptr;
        size_t size = 0;
        const smrf_fatbin_entry &entry = f.code.fatbin.entry[i];
        ASSERT_EQ(smrf_fatbin_unpack(&entry, "f", &cubin, &size, f.error), 0) << f.error;
        const std::string text = disassembled(cubin, size);
        std::free(cubin);
        for (const printed &p : lines_of(text)) {
            char ours[SMRF_DECODE_TEXT_BYTES];
            smrf_decode(entry.arch, p.code, p.offset, nullptr, ours, sizeof ours);
            EXPECT_TRUE(equal(ours, p.text))
                << "sm_" << entry.arch << ": " << p.text << "\n  decoded " << ours;
            count++;
        }
    }
    EXPECT_GT(count, 100u);
}

INSTANTIATE_TEST_SUITE_P(Applications, Disassembler,
                         testing::Values("memory", "functions", "errors", "tensor", "textures",
                                         "cubes"));

const built executed[] = {{"parts.fatbin", 75},   {"parts.fatbin", 80},  {"parts.fatbin", 86},
                          {"parts.fatbin", 89},   {"parts.fatbin", 90},  {"parts13.fatbin", 75},
                          {"parts13.fatbin", 86}, {"parts13.fatbin", 90}};

class ExecutedCubin : public testing::TestWithParam<built>
{
};

TEST_P(ExecutedCubin, GivesWhatTheHostGives)
{
    code_file f(GetParam().file);
    const std::string text = f.text(GetParam().arch);
    for (int which = 0; which < 7; which++) {
        constexpr uint32_t count = 256;
        exec_program e(text, "parts");
        ASSERT_EQ(e.decoded, 0) << e.error;
        std::vector<uint32_t> in(count);
        for (uint32_t i = 0; i < count; i++) {
            in[i] = i * 2246822519u + 7;
        }
        const uint64_t out = e.buffer(std::vector<uint32_t>(count));
        (void)e.buffer(in);
        e.param(count);
        e.param(uint32_t(which));
        ASSERT_EQ(e.run(128, 2), 0) << e.error;
        const auto got = e.read<uint32_t>(out, count);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t x = in[(i & ~127u) + 127 - i % 128];
            ASSERT_EQ(got[i], expected(x, i, which, in[0])) << "thread " << i << " case " << which;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Builds, Cubin, testing::ValuesIn(builds));
INSTANTIATE_TEST_SUITE_P(Builds, ExecutedCubin, testing::ValuesIn(executed));

// Local functions of one name, which a program of several files has.
TEST(CubinNames, FunctionsOfOneNameAreToldApart)
{
    for (const unsigned arch : {75u, 86u}) {
        code_file f("quotients.fatbin");
        exec_program e(f.text(arch), "quotients");
        ASSERT_EQ(e.decoded, 0) << e.error;
        std::vector<double> in(33);
        for (size_t i = 0; i < in.size(); i++) { // subnormal ones and far ones need the slow path
            in[i] = std::ldexp(1.0 + static_cast<double>(i) / 7, i % 3 == 0 ? -1060 : 300 - int(i));
        }
        const uint64_t out = e.buffer(std::vector<double>(32));
        (void)e.buffer(in);
        ASSERT_EQ(e.run(32), 0) << e.error;
        const auto got = e.read<double>(out, 32);
        for (size_t i = 0; i < 32; i++) {
            EXPECT_EQ(got[i], in[i] / in[i + 1] + 1 - in[i + 1] / in[i]) << "thread " << i;
        }
    }
}

TEST(Fatbin, TellsWhatIsThereAndWhatRunsWhere)
{
    code_file f("parts13.fatbin");
    EXPECT_EQ(smrf_code_modules(&f.code), 1u);
    EXPECT_EQ(f.code.fatbin.count, 3u);
    EXPECT_EQ(smrf_fatbin_choose(&f.code.fatbin, 0, 80, "f", f.error), nullptr);
    EXPECT_NE(std::string(f.error).find("there is: sm_75, sm_86, sm_90"), std::string::npos);
    EXPECT_NE(std::string(f.error).find("code=sm_80"), std::string::npos);
    const smrf_fatbin_entry *entry = smrf_fatbin_choose(&f.code.fatbin, 0, 89, "f", f.error);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->arch, 86u);
    EXPECT_EQ(smrf_fatbin_container_bytes(f.code.bytes), f.code.size);
}

} // namespace
} // namespace smrf_test
