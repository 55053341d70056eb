// SPDX-License-Identifier: Apache-2.0
// Loads, stores, matrix loads and address forms against plain copies.
#include "tests/support/exec_program.h"

#include <random>

namespace smrf_test
{
namespace
{

std::vector<uint8_t> random_bytes(size_t count, uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<uint8_t> bytes(count);
    for (uint8_t &b : bytes) {
        b = static_cast<uint8_t>(random());
    }
    return bytes;
}

struct width {
    const char *name;
    unsigned bytes;
    bool is_signed;
};

// What a load leaves in the first register.
uint32_t extended(const uint8_t *at, const width &w)
{
    uint32_t value = 0;
    std::memcpy(&value, at, w.bytes < 4 ? w.bytes : 4);
    if (w.is_signed && w.bytes == 1) {
        return static_cast<uint32_t>(static_cast<int8_t>(value));
    }
    if (w.is_signed && w.bytes == 2) {
        return static_cast<uint32_t>(static_cast<int16_t>(value));
    }
    return value;
}

class Width : public testing::TestWithParam<width>
{
};

const width widths[] = {{".U8", 1, false}, {".S8", 1, true},  {".U16", 2, false}, {".S16", 2, true},
                        {"", 4, false},    {".64", 8, false}, {".128", 16, false}};

std::vector<uint32_t> expected_rows(const std::vector<uint8_t> &in, const width &w, uint32_t mask)
{
    std::vector<uint32_t> want(32 * 4, 0xa5a5a5a5);
    for (unsigned i = 0; i < 32; i++) {
        if ((mask >> i & 1) == 0) {
            continue;
        }
        want[4 * i] = extended(&in[i * w.bytes], w);
        for (unsigned k = 1; k < w.bytes / 4; k++) {
            std::memcpy(&want[4 * i + k], &in[i * w.bytes + 4 * k], 4);
        }
    }
    return want;
}

// P0 = the lanes whose bit is set in the parameter at 0x170; R8..R11 = a pattern; R2 the input's
// address, R4 the output's (16 bytes a lane).
std::vector<std::string> load_frame(const width &w, const std::vector<std::string> &load)
{
    return exec_prologue(w.bytes) +
           std::vector<std::string>{"MOV R4, 0x10",
                                    "IMAD.WIDE.U32 R4, R0, R4, c[0x0][0x168]",
                                    "SHF.R.U32.HI R6, RZ, R0, c[0x0][0x170]",
                                    "LOP3.LUT R6, R6, 0x1, RZ, 0xc0, !PT",
                                    "ISETP.EQ.AND P0, PT, R6, 0x1, PT",
                                    "MOV R8, 0xa5a5a5a5",
                                    "MOV R9, R8",
                                    "MOV R10, R8",
                                    "MOV R11, R8"} +
           load + std::vector<std::string>{"STG.E.128.SYS [R4], R8", "EXIT"};
}

void check_load(const width &w, const std::vector<std::string> &load, uint32_t mask)
{
    exec_program e(load_frame(w, load));
    ASSERT_EQ(e.decoded, 0) << e.error;
    std::vector<uint8_t> in = random_bytes(32 * w.bytes, 7 + w.bytes);
    (void)e.buffer(in);
    uint64_t out = e.buffer(std::vector<uint32_t>(128));
    e.param(mask);
    e.launch.dynamic_shared = 4096;
    ASSERT_EQ(e.run(), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(out, 128), expected_rows(in, w, mask)) << std::hex << mask;
}

constexpr uint32_t masks[] = {0xffffffff, 0x80000001, 0x00ff00f0, 0};

TEST_P(Width, GlobalAndGenericLoadsFillTheLanesOfTheGuard)
{
    std::string n = GetParam().name;
    for (uint32_t mask : masks) {
        check_load(GetParam(), {"@P0 LDG.E" + n + ".SYS R8, [R2]"}, mask);
        check_load(GetParam(), {"@P0 LD.E" + n + ".SYS R8, [R2]"}, mask);
        check_load(GetParam(), {"@P0 LDG.E" + n + ".CONSTANT.SYS R8, [R2]"}, mask);
    }
}

// Odd lanes have no address and no predicate: they get zeros.
TEST(Load, LanesWithoutThePredicateGetZeros)
{
    exec_program e(exec_prologue(8) +
                   std::vector<std::string>{"LOP3.LUT R6, R0, 0x1, RZ, 0xc0, !PT",
                                            "ISETP.EQ.AND P0, PT, R6, RZ, PT", "MOV R4, R2",
                                            "MOV R5, R3", "@!P0 MOV R5, RZ", "MOV R8, 0x77",
                                            "MOV R9, 0x78", "LDG.E.64.SYS R8, [R4], P0",
                                            "STG.E.64.SYS [R2], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    std::vector<uint32_t> want(64, 5);
    const uint64_t at = e.buffer(want);
    ASSERT_EQ(e.run(), 0) << e.error;
    for (unsigned i = 0; i < 64; i++) {
        want[i] = i / 2 % 2 == 0 ? 5 : 0;
    }
    EXPECT_EQ(e.read<uint32_t>(at, 64), want);
}

// A round trip: input -> space -> R8.., with the widths of the space's own instructions.
std::vector<std::string> through(const width &w, const std::string &space,
                                 const std::string &address, const std::string &unordered)
{
    std::string n = w.name, s = w.bytes == 1 ? ".U8" : w.bytes == 2 ? ".U16" : n;
    return {"LDG.E" + n + ".SYS R12, [R2]", "ST" + space + s + " " + address + ", R12",
            "@P0 LD" + space + unordered + n + " R8, " + address};
}

TEST_P(Width, SharedAndLocalMemoryKeepWhatIsStored)
{
    const width &w = GetParam();
    char offset[64], scaled[64];
    std::snprintf(offset, sizeof offset, "IMAD R7, R0, 0x%x, RZ", w.bytes);
    std::snprintf(scaled, sizeof scaled, "[R0.X%u+0x40]", w.bytes);
    for (uint32_t mask : masks) {
        check_load(w, std::vector<std::string>{offset} + through(w, "S", "[R7+0x20]", ".U"), mask);
        check_load(w,
                   std::vector<std::string>{"IADD3 R7, R1, -0x40, RZ"} +
                       through(w, "L", "[R7+0x10]", ""),
                   mask);
        if (w.bytes >= 4) {
            check_load(w, through(w, "S", scaled, ".U"), mask);
        }
    }
}

// The windows' addresses are in constant bank 0.
TEST_P(Width, GenericAddressesReachSharedAndLocalMemory)
{
    const width &w = GetParam();
    std::string n = w.name, s = w.bytes == 1 ? ".U8" : w.bytes == 2 ? ".U16" : n;
    char offset[64];
    std::snprintf(offset, sizeof offset, "IMAD R7, R0, 0x%x, RZ", w.bytes);
    for (uint32_t mask : masks) {
        check_load(w,
                   {offset, "LDG.E" + n + ".SYS R12, [R2]", "STS" + s + " [R7+0x100], R12",
                    "IADD3 R16, P1, R7, c[0x0][0x18], RZ",
                    "IADD3.X R17, RZ, c[0x0][0x1c], RZ, P1, !PT",
                    "@P0 LD.E" + n + ".SYS R8, [R16+0x100]"},
                   mask);
        check_load(w,
                   {"LDG.E" + n + ".SYS R12, [R2]", "IADD3 R7, R1, -0x40, RZ",
                    "IADD3 R16, P1, R7, c[0x0][0x20], RZ",
                    "IADD3.X R17, RZ, c[0x0][0x24], RZ, P1, !PT", "ST.E" + s + ".SYS [R16], R12",
                    "@P0 LDL" + n + " R8, [R7]"},
                   mask);
    }
}

TEST_P(Width, StoresLeaveOtherLanesAndBytesAlone)
{
    const width &w = GetParam();
    std::string n = w.name;
    for (const char *opcode : {"STG.E", "ST.E"}) {
        for (uint32_t mask : masks) {
            exec_program e(load_frame(w, {"LDG.E.128.SYS R12, [R4]",
                                          "@P0 " + std::string(opcode) + n + ".SYS [R2], R12"}));
            ASSERT_EQ(e.decoded, 0) << e.error;
            std::vector<uint8_t> was = random_bytes(32 * w.bytes, 1), data = random_bytes(512, 2);
            uint64_t to = e.buffer(was);
            (void)e.buffer(data);
            e.param(mask);
            ASSERT_EQ(e.run(), 0) << e.error;
            for (unsigned i = 0; i < 32; i++) {
                if (mask >> i & 1) {
                    std::copy_n(&data[16 * i], w.bytes, &was[i * w.bytes]);
                }
            }
            EXPECT_EQ(e.read<uint8_t>(to, was.size()), was);
        }
    }
}

// Even lanes read and write one buffer, odd lanes another that is allocated apart from it.
TEST_P(Width, LanesMayLieInSeveralBuffers)
{
    const width &w = GetParam();
    const std::string n = w.name, s = w.bytes == 1 ? ".U8" : w.bytes == 2 ? ".U16" : n;
    char size[32];
    std::snprintf(size, sizeof size, "MOV R7, 0x%x", w.bytes);
    for (uint32_t mask : {0xffffffffU, 0x00ff00f0U}) {
        std::vector<uint8_t> in[2] = {random_bytes(32 * w.bytes, 11),
                                      random_bytes(32 * w.bytes, 12)};
        exec_program e(
            load_frame(w, {"LOP3.LUT R7, R0, 0x1, RZ, 0xc0, !PT", "ISETP.NE.AND P1, PT, R7, RZ, PT",
                           size, "@P1 IMAD.WIDE.U32 R2, R0, R7, c[0x0][0x178]",
                           "@P0 LDG.E" + n + ".SYS R8, [R2]", "@P0 STG.E" + s + ".SYS [R2], R12"}));
        const uint64_t even = e.buffer(in[0]);
        const uint64_t out = e.buffer(std::vector<uint32_t>(128));
        e.param(mask);
        e.param(0u);
        const uint64_t odd = e.buffer(in[1]);
        ASSERT_EQ(e.run(), 0) << e.error;
        std::vector<uint8_t> mixed(in[0].size());
        for (unsigned i = 0; i < 32; i++) {
            std::copy_n(&in[i % 2][i * w.bytes], w.bytes, &mixed[i * w.bytes]);
            if ((mask >> i & 1) != 0) {
                std::fill_n(&in[i % 2][i * w.bytes], w.bytes, uint8_t{0});
            }
        }
        EXPECT_EQ(e.read<uint32_t>(out, 128), expected_rows(mixed, w, mask));
        EXPECT_EQ(e.read<uint8_t>(even, in[0].size()), in[0]);
        EXPECT_EQ(e.read<uint8_t>(odd, in[1].size()), in[1]);
    }
}

TEST_P(Width, OfStoresToOneAddressTheHighestLanesStays)
{
    const width &w = GetParam();
    const std::string s = w.bytes == 1 ? ".U8" : w.bytes == 2 ? ".U16" : w.name;
    for (uint32_t mask : {0xffffffffU, 0x00ff00f0U, 0x00000002U}) {
        exec_program e(load_frame(w, {"MOV R2, c[0x0][0x160]", "MOV R3, c[0x0][0x164]",
                                      "IADD3 R12, R0, 0x40, RZ", "IADD3 R13, R12, 0x40, RZ",
                                      "IADD3 R14, R13, 0x40, RZ", "IADD3 R15, R14, 0x40, RZ",
                                      "@P0 STG.E" + s + ".SYS [R2], R12"}));
        ASSERT_EQ(e.decoded, 0) << e.error;
        const uint64_t to = e.buffer(std::vector<uint32_t>(32, 0));
        (void)e.buffer(std::vector<uint32_t>(128));
        e.param(mask);
        ASSERT_EQ(e.run(), 0) << e.error;
        const uint32_t lane = 31U - static_cast<uint32_t>(__builtin_clz(mask));
        std::vector<uint32_t> want(32, 0);
        for (unsigned k = 0; k < (w.bytes < 4 ? 1U : w.bytes / 4); k++) {
            want[k] = lane + 0x40 * (k + 1);
        }
        EXPECT_EQ(e.read<uint32_t>(to, 32), want) << std::hex << mask;
    }
}

TEST_P(Width, AMisalignedAccessNamesTheLane)
{
    const width &w = GetParam();
    if (w.bytes == 1) {
        return;
    }
    exec_program e(load_frame(w, {"ISETP.EQ.AND P1, PT, R0, 0x5, PT", "@P1 IADD3 R2, R2, 0x1, RZ",
                                  "LDG.E" + std::string(w.name) + ".SYS R8, [R2]"}));
    (void)e.buffer(random_bytes(1024, 3));
    (void)e.buffer(std::vector<uint32_t>(128));
    e.param(0u);
    EXPECT_EQ(e.run(), SMRF_ERR_CHECK);
    EXPECT_NE(std::string(e.error).find("lane 5"), std::string::npos) << e.error;
    EXPECT_NE(std::string(e.error).find("misaligned read"), std::string::npos) << e.error;
}

INSTANTIATE_TEST_SUITE_P(All, Width, testing::ValuesIn(widths));

// What a block leaves in local memory the next one does not find.
TEST(Local, StartsAsZerosInEveryBlock)
{
    std::vector<std::string> lines = exec_prologue();
    lines.push_back("LDG.E.SYS R8, [R2]");
    for (const char *at : {"0x200", "0x0", "0x3fc", "0x80"}) {
        lines = lines + std::vector<std::string>{"LDL R9, [RZ+" + std::string(at) + "]",
                                                 "LOP3.LUT R8, R8, R9, RZ, 0xfc, !PT",
                                                 "STL [RZ+" + std::string(at) + "], R2"};
    }
    exec_program e(lines + std::vector<std::string>{"STG.E.SYS [R2], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    const uint64_t at = e.buffer(std::vector<uint32_t>(96));
    for (unsigned k = 0; k < 3; k++) { /* what a launch's allocation finds is used by then */
        ASSERT_EQ(e.run(96, 3), 0) << e.error;
        EXPECT_EQ(e.read<uint32_t>(at, 96), std::vector<uint32_t>(96));
    }
}

// One load with this address, R4:R5 = the buffer's address, R6 = index; what lane 3 gets.
uint32_t lane3_loads(const std::vector<std::string> &before, const std::string &address)
{
    std::vector<std::string> lines = exec_prologue();
    lines = lines + std::vector<std::string>{"MOV R4, c[0x0][0x168]", "MOV R5, c[0x0][0x16c]"} +
            before +
            std::vector<std::string>{"LDG.E.SYS R8, " + address, "STG.E.SYS [R2], R8", "EXIT"};
    exec_program e(lines);
    EXPECT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(32));
    std::vector<uint32_t> in(256);
    for (unsigned i = 0; i < 256; i++) {
        in[i] = 1000 + i;
    }
    (void)e.buffer(in);
    EXPECT_EQ(e.run(), 0) << e.error;
    return e.read<uint32_t>(out, 32)[3];
}

TEST(Address, OffsetsAreSigned)
{
    EXPECT_EQ(lane3_loads({}, "[R4+0x40]"), 1016u);
    EXPECT_EQ(lane3_loads({"IADD3 R4, R4, 0x80, RZ"}, "[R4+-0x40]"), 1016u);
    EXPECT_EQ(lane3_loads({}, "[R4]"), 1000u);
}

// S2UR brings small values into uniform registers; UR4:UR5 is then an offset of 64 bits.
TEST(Address, UniformRegistersAreAddedToA64BitBase)
{
    EXPECT_EQ(lane3_loads({"S2UR UR4, SR_SMEMSZ"}, "[R4.64+UR4+0x8]"), 1002u);
    EXPECT_EQ(lane3_loads({"ULDC.64 UR4, c[0x0][0x168]"}, "[UR4+0x10]"), 1004u);
    EXPECT_EQ(
        lane3_loads({"ULDC.64 UR4, c[0x0][0x168]", "IMAD R6, R0, 0x4, RZ"}, "[R6.U32+UR4+0x4]"),
        1004u);
}

TEST(Address, AnUnsignedBaseIsNotSignExtended)
{
    exec_program e(exec_prologue() +
                   std::vector<std::string>{"ULDC.64 UR4, c[0x0][0x168]", "MOV R6, 0xfffffffc",
                                            "LDG.E.SYS R8, [R6.U32+UR4]", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    (void)e.buffer(std::vector<uint32_t>(32));
    (void)e.buffer(std::vector<uint32_t>(32));
    EXPECT_EQ(e.run(), SMRF_ERR_CHECK); /* 4 GiB further on */
}

TEST(Constant, LanesIndexABankEachForItself)
{
    exec_program e(exec_prologue() +
                   std::vector<std::string>{"LOP3.LUT R6, R0, 0x7, RZ, 0xc0, !PT",
                                            "IMAD R6, R6, 0x8, RZ", "LDC.64 R8, c[0x0][R6+0x168]",
                                            "LDC.U8 R10, c[0x0][R6+0x16a]",
                                            "LDC.S16 R11, c[0x0][R6+0x16c]", "IMAD R8, R8, 0x3, R9",
                                            "IMAD R8, R10, 0x5, R8", "IADD3 R8, R8, R11, RZ",
                                            "STG.E.SYS [R2], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(32));
    std::vector<uint32_t> words(16);
    for (unsigned i = 0; i < 16; i++) {
        e.param(words[i] = 0x9e3779b9u * (i + 1));
    }
    ASSERT_EQ(e.run(), 0) << e.error;
    std::vector<uint32_t> got = e.read<uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t low = words[2 * (i & 7)], high = words[2 * (i & 7) + 1];
        uint32_t want = low * 3 + high + (low >> 16 & 0xff) * 5 +
                        static_cast<uint32_t>(static_cast<int16_t>(high));
        EXPECT_EQ(got[i], want) << i;
    }
}

TEST(Constant, AReadPastTheBankIsAnError)
{
    exec_program e(exec_prologue() +
                   std::vector<std::string>{"MOV R6, 0x10000", "LDC R8, c[0x0][R6]", "EXIT"});
    (void)e.buffer(std::vector<uint32_t>(32));
    EXPECT_EQ(e.run(), SMRF_ERR_CHECK);
    EXPECT_NE(std::string(e.error).find("c[0x0][0x10000]"), std::string::npos) << e.error;
}

// Matrix m's row r is the 8 halves at the address in lane 8m + r.
void check_matrix(const std::string &name, unsigned matrices, bool transposed)
{
    std::vector<std::string> lines = exec_prologue(16);
    lines = lines + std::vector<std::string>{"LDG.E.128.SYS R8, [R2]",
                                             "LOP3.LUT R6, R0, 0x9, RZ, 0x3c, !PT",
                                             "STS.128 [R6.X16], R8",
                                             "IMAD R6, R6, 0x10, RZ",
                                             "MOV R8, RZ",
                                             "MOV R9, RZ",
                                             "MOV R10, RZ",
                                             "MOV R11, RZ",
                                             name + " R8, [R6]",
                                             "STG.E.128.SYS [R2], R8",
                                             "EXIT"};
    exec_program e(lines);
    ASSERT_EQ(e.decoded, 0) << e.error;
    std::vector<uint8_t> bytes = random_bytes(512, 11);
    std::vector<uint16_t> in(256);
    std::memcpy(in.data(), bytes.data(), 512);
    uint64_t data = e.buffer(in);
    e.launch.dynamic_shared = 1024;
    ASSERT_EQ(e.run(), 0) << e.error;
    std::vector<uint32_t> got = e.read<uint32_t>(data, 128);
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned m = 0; m < 4; m++) {
            auto element = [&](unsigned r, unsigned c) {
                return uint32_t{in[(8 * m + r) * 8 + c]};
            };
            unsigned a = lane / 4, b = 2 * (lane % 4);
            uint32_t want = transposed ? element(b, a) | element(b + 1, a) << 16
                                       : element(a, b) | element(a, b + 1) << 16;
            EXPECT_EQ(got[4 * lane + m], m < matrices ? want : 0) << name << " lane " << lane;
        }
    }
}

TEST(MatrixLoad, GivesEachLaneTwoElementsOfARow)
{
    check_matrix("LDSM.16.M88", 1, false);
    check_matrix("LDSM.16.M88.2", 2, false);
    check_matrix("LDSM.16.M88.4", 4, false);
}

TEST(MatrixLoad, TransposedGivesTwoElementsOfAColumn)
{
    check_matrix("LDSM.16.MT88", 1, true);
    check_matrix("LDSM.16.MT88.2", 2, true);
    check_matrix("LDSM.16.MT88.4", 4, true);
}

TEST(Space, QspcTellsTheWindowOfAnAddress)
{
    exec_program e(
        exec_prologue() +
        std::vector<std::string>{"MOV R4, R2", "MOV R5, R3", "ISETP.EQ.AND P0, PT, R0, 0x1, PT",
                                 "@P0 MOV R4, c[0x0][0x18]", "@P0 MOV R5, c[0x0][0x1c]",
                                 "ISETP.EQ.AND P0, PT, R0, 0x2, PT", "@P0 MOV R4, c[0x0][0x20]",
                                 "@P0 MOV R5, c[0x0][0x24]", "MOV R8, RZ", "QSPC.E.S P1, RZ, [R4]",
                                 "@P1 IADD3 R8, R8, 0x1, RZ", "QSPC.E.L P1, RZ, [R4+0x10]",
                                 "@P1 IADD3 R8, R8, 0x10, RZ", "QSPC.E.G P1, RZ, [R4]",
                                 "@P1 IADD3 R8, R8, 0x100, RZ", "STG.E.SYS [R2], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(32));
    ASSERT_EQ(e.run(), 0) << e.error;
    std::vector<uint32_t> got = e.read<uint32_t>(out, 4);
    EXPECT_EQ(got, (std::vector<uint32_t>{0x100, 0x1, 0x10, 0x100}));
}

TEST(Space, AddressesAreReproducibleAlignedAndApart)
{
    smrf_memory_space *a = nullptr, *b = nullptr;
    ASSERT_EQ(smrf_space_create(&a), 0);
    ASSERT_EQ(smrf_space_create(&b), 0);
    uint64_t last = 0;
    for (uint64_t bytes : {1, 511, 512, 513, 100000}) {
        uint64_t address = smrf_space_alloc(a, bytes);
        EXPECT_EQ(address, smrf_space_alloc(b, bytes));
        EXPECT_EQ(address % 512, 0u);
        EXPECT_GE(address, last + 512);
        EXPECT_NE(smrf_space_at(a, address, bytes), nullptr);
        EXPECT_EQ(smrf_space_at(a, address, bytes + 1), nullptr);
        EXPECT_EQ(smrf_space_at(a, address - 1, 1), nullptr);
        last = address + bytes;
    }
    smrf_space_destroy(a);
    smrf_space_destroy(b);
}

TEST(Space, AFreedRangeIsGoneAndItsAddressNotReused)
{
    smrf_memory_space *s = nullptr;
    ASSERT_EQ(smrf_space_create(&s), 0);
    uint64_t first = smrf_space_alloc(s, 100), second = smrf_space_alloc(s, 100);
    EXPECT_EQ(smrf_space_free(s, first + 4), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_space_free(s, first), 0);
    EXPECT_EQ(smrf_space_free(s, first), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_space_at(s, first, 1), nullptr);
    EXPECT_NE(smrf_space_at(s, second, 1), nullptr);
    EXPECT_GT(smrf_space_alloc(s, 100), second);
    for (int i = 0; i < 1000; i++) { /* enough to compact the list */
        EXPECT_EQ(smrf_space_free(s, smrf_space_alloc(s, 8)), 0);
    }
    EXPECT_NE(smrf_space_at(s, second, 100), nullptr);
    EXPECT_EQ(smrf_space_alloc(s, UINT64_C(1) << 60), 0u);
    smrf_space_destroy(s);
}

TEST(Space, PlacedRangesMustNotOverlap)
{
    smrf_memory_space *s = nullptr;
    ASSERT_EQ(smrf_space_create(&s), 0);
    EXPECT_EQ(smrf_space_place(s, SMRF_SASS_DATA_BASE, 4096), 0);
    EXPECT_EQ(smrf_space_place(s, SMRF_SASS_DATA_BASE + 4095, 16), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_space_place(s, SMRF_SASS_DATA_BASE - 8, 16), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_space_place(s, SMRF_SASS_DATA_BASE + 4096, 16), 0);
    smrf_space_destroy(s);
}

} // namespace
} // namespace smrf_test
