// SPDX-License-Identifier: Apache-2.0
// What real traces throw at a reader: every form and trap, one at a time.
#include "compressed.h"
#include "trace_files.h"

#include <algorithm>

#include <functional>

using namespace trace_files;

namespace
{

// Read one kernel from its text; expects success.
outcome read_text(const std::string &text, const char *name = "kernel-1.traceg")
{
    temp_dir dir;
    write_file(dir / name, text);
    outcome o = read_all(dir / name);
    EXPECT_EQ(o.rc, 0) << o.error;
    return o;
}

std::vector<record> read_lines(const std::string &version, const std::vector<std::string> &lines,
                               const std::string &extra = "", const std::string &end = "\n")
{
    outcome o = read_text(header(version, 32, 75, extra) + one_warp(lines, end));
    if (o.kernels.size() != 1 || o.kernels[0].size() != 1) {
        return {};
    }
    return o.kernels[0][0].warp[0];
}

std::map<int, uint64_t> lanes(std::initializer_list<std::pair<const int, uint64_t>> list)
{
    return list;
}

TEST(Reader, HeaderFieldsAreTaken)
{
    temp_dir dir;
    write_file(dir / "k.traceg", header("1.2", 96, 61));
    smrf_trace *t;
    smrf_kernel_info i;
    ASSERT_EQ(smrf_trace_open(&t, (dir / "k.traceg").c_str(), nullptr), 0);
    ASSERT_EQ(smrf_trace_next_kernel(t, &i), 1) << smrf_trace_error(t);
    EXPECT_STREQ(i.name, "_Z1kv");
    EXPECT_EQ(i.file, dir / "k.traceg");
    EXPECT_EQ(i.id, 1u);
    EXPECT_EQ(i.grid.x * 100 + i.grid.y * 10 + i.grid.z, 422u);
    EXPECT_EQ(i.block.x, 96u);
    EXPECT_EQ(i.shared_bytes, 128u);
    EXPECT_EQ(i.num_regs, 40u);
    EXPECT_EQ(i.binary_version, 61u);
    EXPECT_EQ(i.shared_window, 0x7f0a10000000u);
    EXPECT_EQ(i.local_window, 0x7f0a0e000000u);
    EXPECT_EQ(i.tracer_version, 1u);
    EXPECT_FALSE(i.has_values);
    smrf_trace_block *b;
    EXPECT_EQ(smrf_trace_next_block(t, &b), 0);
    EXPECT_EQ(smrf_trace_next_kernel(t, &i), 0);
    smrf_trace_close(t);
}

TEST(Reader, KernelNameOfAnyLengthIsKept)
{
    std::string name(400000, 'x');
    std::string text = header("5");
    text.replace(text.find("_Z1kv"), 5, name);
    temp_dir dir;
    write_file(dir / "k.traceg", text + one_warp({"0000 ffffffff 0 EXIT 0 0 0 "}));
    smrf_trace *t;
    smrf_kernel_info i;
    ASSERT_EQ(smrf_trace_open(&t, (dir / "k.traceg").c_str(), nullptr), 0);
    ASSERT_EQ(smrf_trace_next_kernel(t, &i), 1) << smrf_trace_error(t);
    EXPECT_EQ(i.name, name);
    smrf_trace_close(t);
}

TEST(Reader, EachTracerVersionHasItsOwnFields)
{
    const std::string body = "0040 0000000f 1 R5 IMAD 2 R5 R3 0 ";
    const record want = {0x40, 0xf, 0, "IMAD", {5}, {5, 3}, {}, 0};
    EXPECT_EQ(read_lines("1.2", {"3 0 1 0 " + body}).at(0), want);
    EXPECT_EQ(read_lines("3", {body}).at(0), want);
    EXPECT_EQ(read_lines("4", {body}, "-enable lineinfo = 0\n").at(0), want);
    record with = want;
    with.line = 77;
    EXPECT_EQ(read_lines("4", {"77 " + body}, "-enable lineinfo = 1\n").at(0), with);
    with.line = 0;
    with.imm = 12;
    EXPECT_EQ(read_lines("5", {body + "12 "}).at(0), with);
    EXPECT_EQ(read_lines("6", {body + "12 34 NoVal "}).at(0), with);
}

TEST(Reader, SourceLineNumbersMayChangeFromExecutionToExecution)
{
    auto r = read_lines("5",
                        {"7 0000 ffffffff 1 R1 MOV 0 0 3 ", "7 0010 ffffffff 1 R2 MOV 0 0 3 ",
                         "9 0000 ffffffff 1 R1 MOV 0 0 3 ", "7 0010 ffffffff 1 R2 MOV 0 0 4 ",
                         "7 0000 ffffffff 1 R1 MOV 0 0 3 "},
                        "-enable lineinfo = 1\n");
    ASSERT_EQ(r.size(), 5u);
    EXPECT_EQ(r[0].line, 7u);
    EXPECT_EQ(r[2].line, 9u);
    EXPECT_EQ(r[3].imm, 4u);
    EXPECT_EQ(r[4].line, 7u);
    EXPECT_EQ(r[4].imm, 3u);
}

TEST(Reader, StrideModeGivesAddressesToTheActiveLanesInOrder)
{
    auto r = read_lines("3", {"0000 000000f0 1 R8 LDG.E.SYS 1 R2 4 1 0x7f0000000010 8 ",
                              "0010 0000000c 1 R8 LDG.E.SYS 1 R2 4 1 0x7f0000000010 -8 ",
                              "0020 ffffffff 1 R8 LDG.E.SYS 1 R2 4 1 7f0000000010 0 "});
    EXPECT_EQ(
        r.at(0).address,
        lanes(
            {{4, 0x7f0000000010}, {5, 0x7f0000000018}, {6, 0x7f0000000020}, {7, 0x7f0000000028}}));
    EXPECT_EQ(r.at(1).address, lanes({{2, 0x7f0000000010}, {3, 0x7f0000000008}}));
    EXPECT_EQ(r.at(2).address.size(), 32u);
    EXPECT_EQ(r.at(2).address[31], 0x7f0000000010u);
}

TEST(Reader, DeltaModeHasOneDeltaLessThanLanesAndTheImmediateFollows)
{
    auto r = read_lines("5", {"0000 00000111 1 R8 LDG.E.SYS 1 R2 4 2 0x100 16 -32 8 ",
                              "0000 00000010 1 R8 LDG.E.SYS 1 R2 4 2 0x700 8 "});
    EXPECT_EQ(r.at(0).address, lanes({{0, 0x100}, {4, 0x110}, {8, 0xf0}}));
    EXPECT_EQ(r.at(0).imm, 8u) << "Accel-Sim's parser reads one delta too many and loses it";
    EXPECT_EQ(r.at(1).address, lanes({{4, 0x700}}));
    EXPECT_EQ(r.at(1).imm, 8u);
}

// Of every number of digits, with either sign, and the same again as often as not.
TEST(Reader, DeltasOfAnyLengthAreAddedUp)
{
    struct smrf_rng rng;
    smrf_rng_seed(&rng, 17, 0);
    std::vector<std::string> lines;
    std::vector<std::map<int, uint64_t>> expected;
    for (unsigned n = 0; n < 400; n++) {
        const uint32_t mask = n % 3 ? UINT32_MAX : smrf_rng_below(&rng, UINT32_MAX) | 1;
        uint64_t address = 0x7f0000000000 + smrf_rng_below(&rng, 1u << 30), delta = 4;
        std::ostringstream line;
        line << "0000 " << std::hex << mask << " 1 R8 LDG.E.SYS 1 R2 4 2 0x" << address << std::dec;
        std::map<int, uint64_t> of_lane;
        for (int l = 0; l < SMRF_LANES; l++) {
            if (!(mask >> l & 1)) {
                continue;
            }
            if (!of_lane.empty()) {
                if (smrf_rng_below(&rng, 2)) {
                    delta = 0;
                    for (unsigned digits = smrf_rng_below(&rng, 13); digits > 0; digits--) {
                        delta = delta * 10 + smrf_rng_below(&rng, 10);
                    }
                    delta = smrf_rng_below(&rng, 2) ? 0 - delta : delta;
                }
                address += delta;
                line << ' ' << static_cast<int64_t>(delta);
            }
            of_lane[l] = address;
        }
        lines.push_back(line.str() + " " + std::to_string(n) + " ");
        expected.push_back(of_lane);
    }
    const auto r = read_lines("5", lines);
    ASSERT_EQ(lines.size(), r.size());
    for (unsigned n = 0; n < r.size(); n++) {
        ASSERT_EQ(expected[n], r[n].address) << lines[n];
        ASSERT_EQ(n, r[n].imm) << lines[n];
    }
}

TEST(Reader, ListModeNamesEveryActiveLane)
{
    auto r = read_lines("5", {"0000 80000001 0 STG.E.SYS 2 R2 R4 4 0 0xffffffffffffffff 10 5 "});
    EXPECT_EQ(r.at(0).address, lanes({{0, UINT64_MAX}, {31, 0x10}}));
    EXPECT_EQ(r.at(0).imm, 5u);
}

TEST(Reader, MaskZeroKeepsTheLineAndDropsItsAddresses)
{
    auto r = read_lines(
        "3", {"0000 00000000 1 R11 LDG.E.SYS 1 R2 4 1 0x0 0 ", "0010 00000000 0 EXIT 0 0 ",
              "0020 00000000 1 R11 LDG.E.SYS 1 R2 4 2 0x7f698b6ffd18 4 4 4 4 4 4 4 4 "
              "4 4 4 4 4 4 4 -60 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 "});
    ASSERT_EQ(r.size(), 3u);
    for (const record &i : r) {
        EXPECT_EQ(i.mask, 0u);
        EXPECT_TRUE(i.address.empty());
    }
}

TEST(Reader, SurplusDeltasOfOldTracersNameAllActiveLanes)
{
    std::string deltas;
    for (int i = 0; i < 31; i++) {
        deltas += "4 ";
    }
    auto r = read_lines("3", {"0000 00000104 1 R8 LDG.E.SYS 1 R2 4 2 0x1000 " + deltas,
                              "0000 00000104 1 R8 LDG.E.SYS 1 R2 4 2 0x1000 8 8 8 "});
    EXPECT_EQ(r.at(0).address, lanes({{2, 0x1008}, {8, 0x1020}})) << "lane l is the l-th of all 32";
    EXPECT_EQ(r.at(1).address, lanes({{2, 0x1000}, {8, 0x1008}})) << "unknown lanes: in order";
}

TEST(Reader, TrailingUnknownTokensAreIgnored)
{
    auto r =
        read_lines("5", {"0000 ffffffff 1 R1 MOV 0 0 5 surprise 7", "0010 ffffffff 0 NOP 0 0 x",
                         "0020 00000001 1 R8 LDG.E 1 R2 4 2 0x100 8 z z"});
    ASSERT_EQ(r.size(), 3u);
    EXPECT_EQ(r[0].imm, 5u);
    EXPECT_EQ(r[1].imm, 0u);
    EXPECT_EQ(r[2].imm, 8u);
    r = read_lines(
        "3", {"0000 00000001 1 R8 LDG.E 1 R2 4 2 0x100 more", "0010 ffffffff 1 R1 MOV 0 0 more"});
    ASSERT_EQ(r.size(), 2u);
}

TEST(Reader, CarriageReturnsAndMissingTrailingBlanksChangeNothing)
{
    const std::vector<std::string> lines = {
        "0000 ffffffff 1 R1 MOV 0 0 5", "0010 ffffffff 1 R8 LDG.E 1 R2 4 1 0x100 4 8",
        "0000 ffffffff 1 R1 MOV 0 0 5 ", "0020 ffffffff 0 EXIT 0 0"};
    auto want = read_lines("5", lines);
    ASSERT_EQ(want.size(), 4u);
    EXPECT_EQ(read_lines("5", lines, "", "\r\n"), want);
    std::string text = header("5") + one_warp(lines);
    std::string dos;
    for (char c : text) {
        dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
    }
    outcome o = read_text(dos);
    ASSERT_EQ(o.kernels.size(), 1u);
    EXPECT_EQ(o.kernels[0][0].warp[0], want);
}

TEST(Reader, BlankLinesMayStandAnywhere)
{
    std::string text =
        header("5") + one_warp({"0000 ffffffff 1 R1 MOV 0 0 5 ", "0010 ffffffff 0 EXIT 0 0 0 "});
    std::string wide;
    for (char c : text) {
        wide += c == '\n' ? std::string("\n \n\t\n\n") : std::string(1, c);
    }
    outcome o = read_text(wide);
    ASSERT_EQ(o.kernels.size(), 1u);
    EXPECT_EQ(o.kernels[0][0].warp[0].size(), 2u);
}

TEST(Reader, LastLineNeedsNoNewline)
{
    std::string text = header("5") + one_warp({"0000 ffffffff 0 EXIT 0 0 0 "});
    while (text.back() == '\n') {
        text.pop_back();
    }
    EXPECT_EQ(read_text(text).totals.warp_insts, 1u);
}

TEST(Reader, EmptyBlocksAndEmptyWarpsAreHandedOut)
{
    outcome o = read_text(header("5", 96) +
                          "#BEGIN_TB\n\nthread block = 1,0,0\n\n#END_TB\n\n#BEGIN_TB\n\n"
                          "thread block = 3,1,1\ncluster id = 0,0,0\ncluster cta = 0,0,0\n"
                          "cluster rank = 0\n\nwarp = 2\ninsts = 0\n\nwarp = 1\ninsts = 1\n"
                          "0000 ffffffff 0 EXIT 0 0 0 \n#END_TB\n");
    ASSERT_EQ(o.kernels.size(), 1u);
    ASSERT_EQ(o.kernels[0].size(), 2u);
    EXPECT_TRUE(o.kernels[0][0].warp.empty());
    EXPECT_EQ(o.kernels[0][1].id.x, 3u);
    EXPECT_EQ(o.kernels[0][1].id.z, 1u);
    EXPECT_EQ(o.kernels[0][1].warp.size(), 1u);
    EXPECT_EQ(o.kernels[0][1].warp[1].size(), 1u);
    EXPECT_EQ(o.totals.blocks, 2u);
    EXPECT_EQ(o.totals.warps, 2u);
}

// The first block of a file's launch.
void open_first_block(const std::string &path, smrf_trace **t, smrf_kernel_info *info,
                      smrf_trace_block **b)
{
    ASSERT_EQ(smrf_trace_open(t, path.c_str(), nullptr), 0);
    ASSERT_EQ(smrf_trace_next_kernel(*t, info), 1);
    ASSERT_EQ(smrf_trace_next_block(*t, b), 1) << smrf_trace_error(*t);
}

TEST(Reader, UniformRegistersAndValuesOfVersionSix)
{
    temp_dir dir;
    write_file(
        dir / "k.traceg",
        header("6", 32, 90) +
            one_warp({"0000 00000003 1 R4 IMAD.WIDE 3 R8 UR4 R255 0 0 0 Val 4 0x1 0x2 0xa 0xb "
                      "2 0x64 0x65 0 0 ",
                      "0010 00000003 1 R4 IMAD 2 R8 R9 0 0 0 NoVal ",
                      "0010 00000003 1 R4 IMAD 2 R8 R9 0 0 0 Val 2 1 2 2 3 4 2 5 ffffffff ",
                      "0020 00000003 1 R4 IMAD 2 R8 R9 0 0 0 Val 1 1 2 3 4 2 5 6 "}));
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *b;
    smrf_inst i;
    ASSERT_NO_FATAL_FAILURE(open_first_block(dir / "k.traceg", &t, &info, &b));
    EXPECT_TRUE(info.has_values);
    ASSERT_EQ(smrf_trace_next_inst(b, 0, &i), 1);
    ASSERT_NE(i.values, nullptr);
    EXPECT_EQ(i.values->num_dst, 2);
    EXPECT_EQ(i.values->num_src, 1);
    EXPECT_EQ(i.values->dst[0][0], 1u);
    EXPECT_EQ(i.values->dst[0][1], 2u);
    EXPECT_EQ(i.values->dst[1][1], 0xbu);
    EXPECT_EQ(i.values->src[0][1], 0x65u);
    EXPECT_EQ(i.op->num_usrc, 1);
    ASSERT_EQ(smrf_trace_next_inst(b, 0, &i), 1);
    EXPECT_EQ(i.values, nullptr);
    ASSERT_EQ(smrf_trace_next_inst(b, 0, &i), 1);
    ASSERT_NE(i.values, nullptr);
    EXPECT_EQ(i.values->src[1][1], 0xffffffffu);
    ASSERT_EQ(smrf_trace_next_inst(b, 0, &i), 1);
    EXPECT_EQ(i.values, nullptr) << "one value for two lanes: not understood, ignored";
    ASSERT_NE(smrf_trace_warning(t, 0), nullptr);
    EXPECT_EQ(smrf_trace_warning(t, 1), nullptr);
    smrf_trace_release_block(t, b);
    smrf_trace_close(t);
}

TEST(Reader, WarpGroupMultipliesMayCarryACommitFlagAndBulkCopiesTheirOwnAddresses)
{
    auto r = read_lines("5", {"0000 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 R24 1 0 7 ",
                              "0010 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 R24 0 7 ",
                              "0020 00000001 0 UTMALDG.2D 1 R2 8 0x7f00 3 0x100 0x200 4 5 ",
                              "0030 00000001 0 UBLKCP 1 R2 8 4 0x100 4 4 ",
                              "0040 ffffffff 0 EXIT 0 0 0 "});
    ASSERT_EQ(r.size(), 5u);
    EXPECT_EQ(r[0].imm, 7u);
    EXPECT_EQ(r[1].imm, 7u);
    EXPECT_TRUE(r[2].address.empty());
}

TEST(Reader, ZeroRegistersMayBeNamed)
{
    auto r = read_lines("6", {"0000 ffffffff 1 RZ FFMA 3 R255 URZ RZ 0 0 0 NoVal "});
    EXPECT_EQ(r.at(0).dst, (std::vector<int>{255}));
    EXPECT_EQ(r.at(0).src, (std::vector<int>{255, 255}));
}

// Each line of a loop is held against what followed the line before it last time round: whatever
// of it is another, the line is read as if it stood alone.
TEST(Reader, LineThatDiffersFromTheLoopBeforeIsReadAsIfAlone)
{
    const std::vector<std::string> loop = {"0000 ffffffff 1 R1 IADD3 1 R2 0 0",
                                           "0010 ffffffff 1 R3 LDG.E.SYS 1 R4 4 1 0x1000 4 0",
                                           "0020 ffffffff 1 R5 MOV 1 R6 0 0"};
    const std::vector<std::string> other = {
        "0000 ffffffff 1 R1 IADD3 1 R2 0 7",                 // immediate
        "0000 0000ffff 1 R1 IADD3 1 R2 0 0",                 // mask
        "0000 ffffffff 1 R1 IADD3 1 R22 0 0",                // a register that begins alike
        "0000 ffffffff 1 R1 IADD3 2 R2 R7 0 0",              // operands
        "0000 ffffffff 1 R1 IADD3 1 R2 0",                   // shorter
        "0000  ffffffff 1 R1 IADD3 1 R2 0 0",                // blanks
        "0008 ffffffff 1 R1 IADD3 1 R2 0 0",                 // PC
        "0010 ffffffff 1 R3 LDG.E.SYS 1 R4 4 1 0x2000 8 0",  // address
        "0010 000000ff 1 R3 LDG.E.SYS 1 R4 4 1 0x1000 4 0",  // mask
        "0010 00000003 1 R3 LDG.E.SYS 1 R4 4 0 0x10 0x30 0", // list
        "0010 ffffffff 1 R3 LDG.E.SYS 1 R4 44 1 0x1000 4 0", // width
        "0020 ffffffff 1 R5 MOV 1 R6 0 0"};
    std::vector<std::string> lines;
    std::vector<record> alone;
    for (const std::string &line : other) {
        for (size_t at = 0; at <= loop.size(); at++) {
            for (size_t i = 0; i <= loop.size(); i++) {
                if (i == at) {
                    lines.push_back(line);
                }
                if (i < loop.size()) {
                    lines.push_back(loop[i]);
                }
            }
        }
    }
    for (const std::string &line : lines) {
        alone.push_back(read_lines("5", {line}).at(0));
    }
    const std::vector<record> together = read_lines("5", lines);
    ASSERT_EQ(together.size(), lines.size());
    for (size_t i = 0; i < lines.size(); i++) {
        EXPECT_EQ(together[i], alone[i]) << lines[i];
    }
}

// A memory instruction's further executions are held against its first one behind the address that
// they name: the same there or not, they are read as if they stood alone.
TEST(Reader, AddressesAsInTheFirstExecutionAreReadAsIfAlone)
{
    std::string surplus;
    for (int i = 0; i < 31; i++) {
        surplus += i == 20 ? " -4000" : " 4";
    }
    const std::vector<std::string> masks = {"ffffffff", "00000111", "80000001",
                                            "0000fff0", "00000010", "00000000"};
    const std::vector<std::string> named = {
        "0x1000", "0x7f0000001000", "1000", "0Xffffffffffffff00",
        "0x10c0", "\t0x20",         "x",    "0x10000000000000000"};
    const std::vector<std::string> modes = {" 2 ", " 1 ", "  2 ", " 2\t", " 0 "};
    const std::vector<std::string> rests = {surplus,
                                            surplus + " 8 ",
                                            surplus + " 8",
                                            surplus + "\t8 ",
                                            surplus + " 8\r",
                                            " 4",
                                            " 0",
                                            " 16 -32 8 ",
                                            " 16 16 0x10 -0x10 8 ",
                                            " 4 4 4 4 4 4 4 4 4 4 4 4 ",
                                            " x",
                                            ""};
    smrf_rng rng;
    smrf_rng_seed(&rng, 23, 0);
    for (const char *version : {"3", "5"}) {
        std::map<std::string, record> alone; // of those that can be read
        for (int round = 0; round < 60; round++) {
            std::vector<std::string> lines;
            const std::string usual = rests[smrf_rng_below(&rng, uint32_t(rests.size()))];
            const std::string mask = masks[smrf_rng_below(&rng, uint32_t(masks.size()))];
            for (int i = 0; i < 24; i++) {
                auto pick = [&](const std::vector<std::string> &from, const std::string &often) {
                    return smrf_rng_below(&rng, 3)
                               ? often
                               : from[smrf_rng_below(&rng, uint32_t(from.size()))];
                };
                const std::string line =
                    "0010 " + pick(masks, mask) + " 1 R8 LDG.E.SYS 1 R2 4" + pick(modes, modes[0]) +
                    named[smrf_rng_below(&rng, uint32_t(named.size()))] + pick(rests, usual);
                if (alone.find(line) == alone.end()) {
                    temp_dir dir;
                    write_file(dir / "kernel-1.traceg", header(version) + one_warp({line}));
                    outcome o = read_all(dir / "kernel-1.traceg");
                    if (o.rc != 0) {
                        continue;
                    }
                    alone[line] = o.kernels.at(0).at(0).warp[0].at(0);
                }
                lines.push_back(line);
            }
            const std::vector<record> together = read_lines(version, lines);
            ASSERT_EQ(together.size(), lines.size());
            for (size_t i = 0; i < lines.size(); i++) {
                ASSERT_EQ(together[i], alone[lines[i]])
                    << "version " << version << ": " << lines[i];
            }
        }
        EXPECT_GT(alone.size(), 200u);
    }
}

// Runs of all lengths, from addresses that go on where the line before ended or anywhere else.
TEST(Reader, ListsOfRunsAreTheSameTheFirstAndEveryOtherTime)
{
    const std::vector<int64_t> steps = {0, 4, 16, -60, 272, -4, 1234567890, -99999999999};
    smrf_rng rng;
    smrf_rng_seed(&rng, 29, 0);
    std::vector<std::string> lines;
    std::vector<std::map<int, uint64_t>> expected;
    uint64_t last = 0;
    for (unsigned n = 0; n < 300; n++) {
        const uint32_t mask = n % 3 ? UINT32_MAX : smrf_rng_below(&rng, UINT32_MAX) | 1;
        const uint32_t longest = 1 + smrf_rng_below(&rng, SMRF_LANES);
        std::vector<int64_t> deltas;
        while (deltas.size() < SMRF_LANES) {
            deltas.insert(deltas.end(), 1 + smrf_rng_below(&rng, longest),
                          steps[smrf_rng_below(&rng, uint32_t(steps.size()))]);
        }
        for (unsigned again = 0; again < 4; again++) {
            const uint64_t from[] = {last, last + static_cast<uint64_t>(deltas[1]), 0x7f0000000000};
            uint64_t address = from[smrf_rng_below(&rng, 3)];
            std::ostringstream line;
            line << std::hex << 16 * n << " " << mask << " 1 R8 LDG.E.SYS 1 R2 4 2 0x" << address
                 << std::dec;
            std::map<int, uint64_t> of_lane;
            for (int l = 0; l < SMRF_LANES; l++) {
                if (mask >> l & 1) {
                    if (!of_lane.empty()) {
                        address += static_cast<uint64_t>(deltas[of_lane.size()]);
                        line << ' ' << deltas[of_lane.size()];
                    }
                    of_lane[l] = last = address;
                }
            }
            lines.push_back(line.str() + " 0 ");
            expected.push_back(of_lane);
        }
    }
    const auto r = read_lines("5", lines);
    ASSERT_EQ(lines.size(), r.size());
    for (unsigned n = 0; n < r.size(); n++) {
        ASSERT_EQ(expected[n], r[n].address) << lines[n];
    }
}

TEST(Reader, ValuesOfALineThatIsRepeatedAreReadEachTime)
{
    temp_dir dir;
    const std::string load = "0000 00000003 1 R4 LDG.E 1 R8 4 2 0x1000 4 0 0 Val 2 1 2 4 5 6 7 8 ";
    const std::string bad = "0010 00000003 1 R4 LDG.E 1 R8 4 2 0x1000 4 0 0 Val 1 1 2 5 6 ";
    write_file(dir / "k.traceg", header("6", 32, 90) + one_warp({load, bad, load, bad, load}));
    smrf_trace *t;
    smrf_kernel_info info;
    smrf_trace_block *b;
    smrf_inst i;
    ASSERT_NO_FATAL_FAILURE(open_first_block(dir / "k.traceg", &t, &info, &b));
    for (int n = 0; n < 5; n++) {
        ASSERT_EQ(smrf_trace_next_inst(b, 0, &i), 1);
        ASSERT_EQ(i.values != nullptr, n % 2 == 0) << n;
        if (i.values != nullptr) {
            EXPECT_EQ(i.values->dst[0][1], 2u) << n;
        }
        EXPECT_EQ(i.base, 0x1000u);
    }
    smrf_trace_release_block(t, b);
    smrf_trace_close(t);
}

TEST(Reader, TracesOfTheFirstReleaseHaveNoVersion)
{
    const std::string head = "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n"
                             "-block dim = (32,1,1)\n-shmem = 3072\n-nregs = 166\n"
                             "-binary version = 70\n-cuda stream id = 0\n\n#traces format = x\n\n";
    outcome o = read_text(head + one_warp({"0 0 0 0 0010 ffffffff 1 R1 MOV 0 0 ",
                                           "0 0 0 0 0020 ffff0000 1 R8 LDG.E.SYS 1 R2 4 1 "
                                           "0x00007fe033702880 4 ",
                                           "0 0 0 0 0030 ffffffff 0 EXIT 0 0 "}));
    ASSERT_EQ(o.rc, 0) << o.error;
    EXPECT_EQ(o.infos.at(0).tracer_version, 0u);
    const auto &lines = o.kernels.at(0).at(0).warp.at(0);
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[1].opcode, "LDG.E.SYS");
    EXPECT_EQ(lines[1].address.at(17), 0x7fe033702884u);
}

TEST(Reader, SamePcWithOtherTextIsAnotherInstruction)
{
    auto r = read_lines("5", {"0000 ffffffff 1 R1 MOV 0 0 0 ", "0000 ffffffff 1 R2 MOV 0 0 0 ",
                              "0000 ffffffff 1 R1 MOV 0 0 0 ", "0000 ffffffff 1 R1 MOV 1 R3 0 0 "});
    EXPECT_EQ(r.at(3).src, (std::vector<int>{3}));
    EXPECT_EQ(r.at(0).dst, (std::vector<int>{1}));
    EXPECT_EQ(r.at(1).dst, (std::vector<int>{2}));
    EXPECT_EQ(r.at(2).dst, (std::vector<int>{1}));
}

TEST(Reader, UnknownOpcodesAreCountedAndWarnedOfOnce)
{
    outcome o = read_text(
        header("5") +
        one_warp({"0000 ffffffff 1 R1 FROB.X 1 R2 0 0 ", "0010 ffffffff 1 R1 BLORK 1 R2 0 0 ",
                  "0000 ffffffff 1 R1 FROB.X 1 R2 0 0 ", "0020 ffffffff 0 EXIT 0 0 0 "}));
    EXPECT_EQ(o.totals.unknown_opcodes, 3u);
    auto times = [&](const char *opcode) {
        return std::count_if(o.warnings.begin(), o.warnings.end(), [&](const std::string &w) {
            return w.find(opcode) != std::string::npos;
        });
    };
    EXPECT_EQ(times("FROB.X"), 1);
    EXPECT_EQ(times("BLORK"), 1);
    ASSERT_EQ(o.warnings.size(), 3u);
    EXPECT_EQ(times("block"), 1) << "the grid has more blocks than the trace";
}

// ---- lists ------------------------------------------------------------------------------------

std::string small_kernel(unsigned insts = 1)
{
    return header("5") + one_warp(std::vector<std::string>(insts, "0000 ffffffff 0 EXIT 0 0 0 "));
}

TEST(Reader, ListNamesCopiesAndKernelsAndOtherLinesAreCounted)
{
    temp_dir dir;
    write_file(dir / "kernelslist.g", "MemcpyHtoD,0x00007fb02d700000,4096\r\n\nkernel-1.traceg\r\n"
                                      "cudaDeviceSynchronize\n  MemcpyHtoD,0x10,4\n"
                                      "MemcpyHtoD,nonsense\nkernel-2.traceg");
    write_file(dir / "kernel-1.traceg", small_kernel(1));
    write_file(dir / "kernel-2.traceg", small_kernel(2));
    for (const std::string &path : {dir / "kernelslist.g", dir.path(), dir / ""}) {
        outcome o = read_all(path);
        EXPECT_EQ(o.rc, 0) << o.error;
        EXPECT_EQ(o.totals.kernels, 2u);
        EXPECT_EQ(o.totals.warp_insts, 3u);
        EXPECT_EQ(o.totals.thread_insts, 96u);
        EXPECT_EQ(o.totals.memcpy_commands, 2u);
        EXPECT_EQ(o.totals.memcpy_bytes, 4100u);
        EXPECT_EQ(o.totals.unknown_lines, 2u);
    }
}

TEST(Reader, ListFindsFilesThatWereCompressedAfterwards)
{
    temp_dir dir;
    write_file(dir / "kernelslist.g", "kernel-1.traceg\n");
    write_file(dir / "kernel-1.traceg.xz", small_kernel()); /* content decides, not the name */
    EXPECT_EQ(read_all(dir.path()).totals.warp_insts, 1u);
}

TEST(Reader, FileOfAnyNameThatStartsWithAHeaderIsAKernel)
{
    temp_dir dir;
    write_file(dir / "trace.txt", small_kernel());
    EXPECT_EQ(read_all(dir / "trace.txt").totals.warp_insts, 1u);
}

TEST(Reader, EmptyListHasNoKernels)
{
    temp_dir dir;
    write_file(dir / "kernelslist.g", "\n\n");
    outcome o = read_all(dir.path());
    EXPECT_EQ(o.rc, 0) << o.error;
    EXPECT_EQ(o.totals.kernels, 0u);
}

// ---- compression ------------------------------------------------------------------------------

// An xz file whose one block asks for a dictionary of 2^n or 3 x 2^(n - 1) bytes (dictionary byte
// of LZMA2: 2 (n - 12), + 1), the header's checksum made good again.
std::string xz_with_dictionary(const std::string &in, uint8_t byte)
{
    std::string out = xz(in);
    const size_t begin = 12, bytes = (static_cast<uint8_t>(out[begin]) + 1u) * 4;
    const size_t at = out.find(std::string("\x21\x01", 2), begin) + 2;
    EXPECT_LT(at, begin + bytes);
    out[at] = static_cast<char>(byte);
    const uint32_t sum =
        lzma_crc32(reinterpret_cast<const uint8_t *>(out.data()) + begin, bytes - 4, 0);
    for (unsigned i = 0; i < 4; i++) {
        out[begin + bytes - 4 + i] = static_cast<char>(sum >> (8 * i));
    }
    return out;
}

TEST(Compression, AFileThatAsksForTooMuchMemoryIsRefused)
{
    temp_dir dir;
    const std::string text = header("5") + one_warp({"0000 ffffffff 1 R1 MOV 1 R2 0 0 "});
    write_file(dir / "most.traceg", xz_with_dictionary(text, 28)); // 64 MiB, as xz -9
    EXPECT_EQ(0, read_all(dir / "most.traceg").rc);
    write_file(dir / "more.traceg", xz_with_dictionary(text, 31)); // 192 MiB
    const outcome o = read_all(dir / "more.traceg");
    EXPECT_EQ(SMRF_ERR_LIMIT, o.rc);
    EXPECT_NE(std::string::npos, o.error.find("128 MiB")) << o.error;
    EXPECT_NE(std::string::npos, o.error.find("xz -9")) << o.error;

    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, 28);
    ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, 0);
    std::string out(ZSTD_compressBound(text.size()) + 64, '\0');
    ZSTD_inBuffer from = {text.data(), text.size() - 1, 0}, rest = {text.data(), text.size(), 0};
    ZSTD_outBuffer to = {out.data(), out.size(), 0};
    ZSTD_compressStream2(c, &to, &from, ZSTD_e_continue); // its size is not known at the start
    rest.pos = from.pos;
    EXPECT_EQ(0u, ZSTD_compressStream2(c, &to, &rest, ZSTD_e_end));
    ZSTD_freeCCtx(c);
    write_file(dir / "window.traceg", out.substr(0, to.pos));
    const outcome z = read_all(dir / "window.traceg");
    EXPECT_EQ(SMRF_ERR_LIMIT, z.rc) << z.error;
    EXPECT_NE(std::string::npos, z.error.find("--long")) << z.error;
}

class Compressed : public testing::TestWithParam<int>
{
  protected:
    std::string pack(const std::string &in) const
    {
        return GetParam() == 0 ? xz(in) : GetParam() == 1 ? gz(in) : zst(in);
    }
    std::string text() const
    {
        std::vector<std::string> lines;
        for (int i = 0; i < 8000; i++) {
            char line[128];
            std::snprintf(line, sizeof line, "%04x ffffffff 1 R%d LDG.E.SYS 1 R2 4 1 0x%x 4 0 ",
                          i % 64 * 16, i % 64, i * 7919);
            lines.emplace_back(line);
        }
        return header("5") + one_warp(lines);
    }
};

TEST_P(Compressed, ContentAndDigestEqualThePlainFiles)
{
    temp_dir dir;
    write_file(dir / "a.traceg", text());
    write_file(dir / "b.traceg", pack(text()));
    outcome a = read_all(dir / "a.traceg");
    outcome b = read_all(dir / "b.traceg");
    ASSERT_EQ(b.rc, 0) << b.error;
    EXPECT_EQ(a.totals.digest, b.totals.digest);
    expect_same(b.kernels.at(0), a.kernels.at(0));
}

TEST_P(Compressed, ConcatenatedStreamsAreOneFile)
{
    temp_dir dir;
    std::string all = text();
    size_t cut = all.size() / 3 + 11;
    write_file(dir / "b.traceg", pack(all.substr(0, cut)) + pack(all.substr(cut)));
    outcome b = read_all(dir / "b.traceg");
    ASSERT_EQ(b.rc, 0) << b.error;
    EXPECT_EQ(b.totals.warp_insts, 8000u);
}

TEST_P(Compressed, TruncationIsAnErrorWithTheOffset)
{
    temp_dir dir;
    std::string all = pack(text());
    for (size_t keep : {all.size() - 1, all.size() / 2, size_t{40}}) {
        write_file(dir / "b.traceg", all.substr(0, keep));
        outcome b = read_all(dir / "b.traceg");
        /* All lines may have been read before the missing checksum is noticed. */
        if (keep != all.size() - 1) {
            EXPECT_EQ(b.rc, SMRF_ERR_CORRUPT) << keep;
        }
        if (b.rc != 0) {
            EXPECT_NE(b.error.find("b.traceg"), std::string::npos);
            EXPECT_NE(b.error.find("byte"), std::string::npos) << b.error;
        }
    }
}

TEST_P(Compressed, DamagedDataAreAnErrorNotACrash)
{
    temp_dir dir;
    std::string all = pack(text());
    for (size_t i = 40; i < 60; i++) {
        all[i] = static_cast<char>(~all[i]);
    }
    write_file(dir / "b.traceg", all);
    outcome b = read_all(dir / "b.traceg");
    EXPECT_LT(b.rc, 0);
}

INSTANTIATE_TEST_SUITE_P(XzGzZstd, Compressed, testing::Values(0, 1, 2));

TEST(Reader, DigestTellsTracesApartAndIgnoresHowTheyAreRead)
{
    outcome a = read_text(small_kernel());
    outcome b = read_text(small_kernel());
    outcome c = read_text(small_kernel(2));
    EXPECT_EQ(a.totals.digest, b.totals.digest);
    EXPECT_NE(a.totals.digest, c.totals.digest);
}

} // namespace
