// SPDX-License-Identifier: Apache-2.0
// Traces that contradict themselves: each kind is counted and told with its place, and is an error
// under strict; what only looks like one is not told.
#include "trace_files.h"

using namespace trace_files;

namespace
{

using lines = std::vector<std::string>;

const char exit_line[] = "0ff0 ffffffff 0 EXIT 0 0 0 ";

// A block of the warps' lines.
std::string block_of(const std::vector<lines> &warps)
{
    std::string text = "\n#BEGIN_TB\n\nthread block = 0,0,0\n";
    for (size_t w = 0; w < warps.size(); w++) {
        text +=
            "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(warps[w].size()) + "\n";
        for (const std::string &line : warps[w]) {
            text += line + "\n";
        }
    }
    return text + "\n#END_TB\n";
}

// One block, as the header of the other tests says 128 bytes of shared memory and 40 registers.
std::string kernel(unsigned threads, const std::vector<lines> &warps, unsigned binary = 75,
                   const std::string &version = "5")
{
    std::string text = header(version, threads, binary) + block_of(warps);
    text.replace(text.find("(4,2,2)"), 7, "(1,1,1)");
    return text;
}

// Of the text beside a sidecar, "": beside none.
std::string operands;

outcome read_kernel(const std::string &text, bool strict)
{
    temp_dir dir;
    smrf_trace_options options = {};
    options.strict = strict;
    write_file(dir / "k.traceg", text);
    if (!operands.empty()) {
        write_file(dir / "k.operands", operands);
    }
    return read_all(dir / "k.traceg", &options);
}

// The kind is told `count` times, first at this line of the file, and nothing else is wrong.
void expect_told(const std::string &text, const std::string &kind, unsigned count, unsigned line)
{
    const std::string told = kind + ": " + std::to_string(count) + ", the first at ";
    const std::string place = "k.traceg:" + std::to_string(line) + ": ";
    const outcome o = read_kernel(text, false);
    EXPECT_EQ(o.rc, 0) << o.error;
    EXPECT_EQ(o.totals.contradictions, count);
    ASSERT_EQ(o.warnings.size(), 1u) << (o.warnings.empty() ? "" : o.warnings[1]);
    EXPECT_EQ(o.warnings[0].rfind(told, 0), 0u) << o.warnings[0];
    EXPECT_NE(o.warnings[0].find(place), std::string::npos) << o.warnings[0];
    const outcome strict = read_kernel(text, true);
    EXPECT_EQ(strict.rc, SMRF_ERR_CORRUPT);
    EXPECT_NE(strict.error.find(place), std::string::npos) << strict.error;
}

void expect_sound(const std::string &text)
{
    const outcome o = read_kernel(text, true);
    EXPECT_EQ(o.rc, 0) << o.error;
    EXPECT_EQ(o.totals.contradictions, 0u);
    EXPECT_TRUE(o.warnings.empty()) << o.warnings[0];
}

std::string line_of(const char *pc, const char *mask, const char *rest)
{
    return std::string(pc) + " " + mask + " " + rest + " ";
}

std::string mov(const char *pc, const char *mask = "ffffffff")
{
    return line_of(pc, mask, "1 R2 MOV 0 0 0");
}

// Line of the file on which the first warp's line i stands: 13 of the header with its blank lines
// and format, the block's and the warp's.
constexpr unsigned first_line = 23;

} // namespace

TEST(Contradiction, InstructionsAfterExit)
{
    // A loop's worth, so that lines are recognised rather than read: they are found all the same.
    lines warp = {mov("0000"), mov("0010"), exit_line};
    for (unsigned i = 0; i < 8; i++) {
        warp.push_back(mov("0000"));
        warp.push_back(mov("0010"));
    }
    expect_told(kernel(32, {warp}), "instructions after EXIT", 16, first_line + 3);
    // Some lanes leave early; the others go on.
    expect_sound(kernel(32, {{mov("0000"), "0010 0000ffff 0 EXIT 0 0 0 ", mov("0020", "ffff0000"),
                              "0030 ffff0000 0 EXIT 0 0 0 "}}));
    expect_told(kernel(32, {{mov("0000"), "0010 0000ffff 0 EXIT 0 0 0 ", mov("0020", "ffff0001"),
                             "0030 ffff0000 0 EXIT 0 0 0 "}}),
                "instructions after EXIT", 1, first_line + 2);
    // Memory accesses of which only the address differs.
    lines loads = {line_of("0000", "ffffffff", "1 R4 LDG.E 1 R2 4 1 0x7f0000001000 4"), exit_line,
                   line_of("0000", "ffffffff", "1 R4 LDG.E 1 R2 4 1 0x7f0000002000 4")};
    expect_told(kernel(32, {loads}), "instructions after EXIT", 1, first_line + 2);
}

// A sidecar says which instructions have a guard and which change the control flow. All lanes of
// the others go on at the next PC together.
class ContradictionBesideASidecar : public testing::Test
{
  protected:
    void SetUp() override
    {
        operands = "#smrf operands 2\n0000 PT - MOV =R2 A:0x0\n0010 PT - MOV =R2 A:0x0\n"
                   "0020 P0 - MOV =R2 A:0x0\n0030 PT - MOV =R2 A:0x0\n0040 PT - BRA A:0x0\n"
                   "0050 PT - MOV =R2 A:0x0\n0ff0 PT - EXIT\n";
    }
    void TearDown() override
    {
        operands.clear();
    }
    // The end of each warp, after any lanes.
    static const std::string &bra(const char *mask = "ffffffff")
    {
        static std::string line;
        return line = line_of("0040", mask, "0 BRA 0 0 0x0");
    }
};

TEST_F(ContradictionBesideASidecar, ALaneIsMissingWithoutAGuard)
{
    const std::string kind = "lines that cannot follow the one before";
    expect_told(kernel(32, {{mov("0000"), mov("0010", "00ffffff"), bra("ff000000"), exit_line}}),
                kind, 1, first_line + 1);
    expect_told(kernel(32, {{mov("0000", "00ffffff"), mov("0010"), mov("0020", "00000000"), bra(),
                             exit_line}}),
                kind, 1, first_line + 1);
    // Again and again, recognised or not.
    const lines good = {mov("0000"), mov("0010"), mov("0020", "0000ffff"), mov("0030"), bra()};
    lines many;
    for (unsigned n = 0; n < 8; n++) {
        many.insert(many.end(), good.begin(), good.end());
    }
    many.push_back(exit_line);
    expect_sound(kernel(64, {many, many}));
    for (unsigned n : {1u, 6u, 11u, 36u}) {
        lines bad = many;
        bad[n] = mov("0010", "fffffffe");
        expect_told(kernel(64, {bad, many}), kind, 1, first_line + n);
    }
}

TEST_F(ContradictionBesideASidecar, ALineIsMissingOrComesTwice)
{
    const std::string kind = "lines that cannot follow the one before";
    expect_told(kernel(32, {{mov("0000"), mov("0030"), bra(), exit_line}}), kind, 1,
                first_line + 1);
    expect_told(kernel(32, {{mov("0000"), mov("0000"), mov("0010"), mov("0020"), mov("0030"), bra(),
                             exit_line}}),
                kind, 1, first_line + 1);
    lines many;
    for (unsigned n = 0; n < 8; n++) {
        const lines turn = {mov("0000"), mov("0010"), mov("0020"), mov("0030"), bra()};
        many.insert(many.end(), turn.begin(), turn.end());
    }
    many.push_back(exit_line);
    expect_sound(kernel(32, {many}));
    many.erase(many.begin() + 31);
    expect_told(kernel(32, {many}), kind, 1, first_line + 31);
}

TEST_F(ContradictionBesideASidecar, OtherLanesAndBranchesAreSound)
{
    expect_sound(kernel(32, {{mov("0000"), mov("0010"), mov("0020", "00000000"), mov("0030"), bra(),
                              mov("0000", "0000ffff"), mov("0050", "ffff0000"),
                              mov("0010", "0000ffff"), mov("0020", "00000000"), exit_line}}));
    operands.clear(); // what has a guard is not known
    expect_sound(kernel(32, {{mov("0000"), mov("0010", "00ffffff"), mov("0030"), exit_line}}));
}

TEST(Contradiction, LanesBeyondTheBlock)
{
    expect_told(kernel(16, {{mov("0000"), "0010 0000ffff 0 EXIT 0 0 0 "}}),
                "lanes that the block does not have", 1, first_line);
    expect_sound(kernel(
        40, {{mov("0000"), exit_line}, {mov("0000", "000000ff"), "0ff0 000000ff 0 EXIT 0 0 0 "}}));
    expect_told(
        kernel(40, {{mov("0000"), exit_line}, {mov("0000"), "0ff0 000000ff 0 EXIT 0 0 0 "}}),
        "lanes that the block does not have", 1, first_line + 5);
}

TEST(Contradiction, WarpsWithoutExit)
{
    expect_told(kernel(32, {{mov("0000"), mov("0010")}}), "warps that end without EXIT", 1,
                first_line + 1);
    expect_told(kernel(32, {{mov("0000"), "0010 7fffffff 0 EXIT 0 0 0 "}}),
                "warps that end without EXIT", 1, first_line + 1);
    expect_told(kernel(64, {{mov("0000"), exit_line}, {mov("0000"), mov("0010")}}),
                "warps that end without EXIT", 1, first_line + 6);
}

TEST(Contradiction, WarpsMissing)
{
    expect_told(kernel(128, {{mov("0000"), exit_line}, {mov("0000"), exit_line}}), "warps missing",
                1, first_line - 4);
}

TEST(Contradiction, OnePcTwoInstructions)
{
    expect_told(kernel(32, {{mov("0000"), line_of("0000", "ffffffff", "1 R2 FADD 2 R2 R3 0 0"),
                             exit_line}}),
                "a PC with two instructions", 1, first_line + 1);
    expect_told(
        kernel(32, {{mov("0000"), line_of("0000", "ffffffff", "1 R7 MOV 0 0 0"), exit_line}}),
        "a PC with two instructions", 1, first_line + 1);
    // Other lanes, addresses and immediates are what executions differ in.
    expect_sound(
        kernel(32, {{mov("0000"), mov("0000", "0000000f"),
                     line_of("0010", "ffffffff", "1 R4 LDG.E 1 R2 4 1 0x1000 4"),
                     line_of("0010", "00000001", "1 R4 LDG.E 1 R2 4 0 0x8000"), exit_line}}));
    // A called function's PCs count from its own beginning.
    expect_sound(
        kernel(32, {{mov("0000"), line_of("0010", "ffffffff", "0 CALL.ABS.NOINC 0 0 0"),
                     line_of("0000", "ffffffff", "1 R2 FADD 2 R2 R3 0 0"),
                     line_of("0010", "ffffffff", "0 RET.ABS.NODEC 1 R20 0 0"), exit_line}}));
}

TEST(Contradiction, RegistersAboveTheHeadersCount)
{
    expect_told(kernel(32, {{line_of("0000", "ffffffff", "1 R40 MOV 0 0 0"), exit_line}}),
                "registers above the header's count", 1, first_line);
    expect_sound(
        kernel(32, {{line_of("0000", "ffffffff", "1 R39 IADD3 2 R38 R255 0 0"), exit_line}}));
    // The last of a wide operand.
    const std::string wide = "1 R37 LDG.E.128 1 R2 16 1 0x1000 16";
    expect_told(kernel(32, {{line_of("0000", "ffffffff", wide.c_str()), exit_line}}),
                "registers above the header's count", 1, first_line);
    // USETMAXREG gives a warp more: no contradiction, though it is noted as not modelled.
    const outcome more =
        read_kernel(kernel(32,
                           {{line_of("0000", "ffffffff", "0 USETMAXREG.TRY_ALLOC.CTAPOOL 0 0 240"),
                             line_of("0010", "ffffffff", "1 R200 MOV 0 0 0"), exit_line}},
                           90),
                    false);
    EXPECT_EQ(more.rc, 0) << more.error;
    EXPECT_EQ(more.totals.contradictions, 0u);
    ASSERT_EQ(more.warnings.size(), 1u);
    EXPECT_NE(more.warnings[0].find("USETMAXREG"), std::string::npos) << more.warnings[0];
}

TEST(Contradiction, SharedMemoryBeyondTheBlocks)
{
    const auto load = [](const char *address, unsigned binary = 75) {
        const std::string rest = std::string("1 R4 LDS 1 R2 4 1 ") + address;
        return kernel(32, {{line_of("0000", "ffffffff", rest.c_str()), exit_line}}, binary);
    };
    const char kind[] = "addresses beyond the block's shared memory";
    expect_sound(load("0x0 4"));
    expect_told(load("0x4 4"), kind, 1, first_line);
    expect_sound(load("0x7f0a10000000 4")); // in the window of the header
    expect_told(load("0x7f0a10000001 4"), kind, 1, first_line);
    expect_told(load("0x7f0affffffff 0"), kind, 1, first_line);
    // From Ampere on the first KiB is the driver's, and not counted.
    expect_sound(load("0x400 4", 80));
    expect_told(load("0x404 4", 80), kind, 1, first_line);
    // The same instruction again, elsewhere: one that is recognised by its text.
    const std::string at[] = {"0x0 0", "0x40 0", "0x7c 0", "0x80 0", "0x1000 0", "0x10 0"};
    lines warp;
    for (unsigned i = 0; i < 3; i++) {
        for (const std::string &a : at) {
            warp.push_back("0000 ffffffff 1 R4 LDS 1 R2 4 1 " + a + " ");
        }
    }
    warp.push_back(exit_line);
    expect_told(kernel(32, {warp}), kind, 6, first_line + 3);
}

TEST(Contradiction, GenericAddressesInTheSharedWindow)
{
    const auto load = [](const lines &addresses) {
        lines warp;
        for (const std::string &a : addresses) {
            warp.push_back("0000 ffffffff 1 R4 LD.E 1 R2 4 1 " + a + " ");
        }
        warp.push_back(exit_line);
        return kernel(32, {warp});
    };
    const char kind[] = "addresses beyond the block's shared memory";
    // Below the window, in the block's part of it, above it: the last of a moved access lies just
    // below.
    expect_sound(
        load({"0x7f0a00000000 4", "0x7f0a0fffff80 4", "0x7f0a10000000 4", "0x7f0a11000000 4"}));
    expect_told(load({"0x7f0a00000000 4", "0x7f0a0fffffc0 4", "0x7f0a10000004 4"}), kind, 1,
                first_line + 2);
    expect_told(load({"0x7f0a12000000 4", "0x7f0a10fffffc 4"}), kind, 1, first_line + 1);
}

TEST(Contradiction, BarriersAtWhichNobodyElseComes)
{
    const auto bar = [](const char *pc, const char *op, unsigned number) {
        return std::string(pc) + " ffffffff 0 " + op + " 0 0 " + std::to_string(number) + " ";
    };
    const char kind[] = "warps at different barriers";
    expect_told(kernel(64, {{mov("0000"), bar("0020", "BAR.SYNC", 1), exit_line},
                            {mov("0000"), bar("0028", "BAR.SYNC", 2), exit_line}}),
                kind, 1, first_line - 4);
    // The same number, or one of a register: alike for all.
    expect_sound(kernel(
        64, {{bar("0020", "BAR.SYNC", 1), exit_line}, {bar("0028", "BAR.SYNC", 1), exit_line}}));
    // Two pairs, each at its own.
    expect_sound(kernel(128, {{bar("0020", "BAR.SYNC", 1), exit_line},
                              {bar("0020", "BAR.SYNC", 1), exit_line},
                              {bar("0028", "BAR.SYNC", 2), exit_line},
                              {bar("0028", "BAR.SYNC", 2), exit_line}}));
    // A producer and a consumer that take turns: arriving does not wait.
    expect_sound(kernel(64, {{bar("0020", "BAR.SYNC", 1), bar("0030", "BAR.ARV", 2), exit_line},
                             {bar("0040", "BAR.ARV", 1), bar("0050", "BAR.SYNC", 2), exit_line}}));
    // One that has ended counts as arrived.
    expect_sound(kernel(64, {{bar("0020", "BAR.SYNC", 1), bar("0030", "BAR.SYNC", 2), exit_line},
                             {bar("0020", "BAR.SYNC", 1), exit_line}}));
    // After a common one they part.
    expect_told(kernel(64, {{bar("0020", "BAR.SYNC", 0), bar("0030", "BAR.SYNC", 1), exit_line},
                            {bar("0020", "BAR.SYNC", 0), bar("0040", "BAR.SYNC", 2), exit_line}}),
                kind, 1, first_line - 4);
}

TEST(Contradiction, LinesOfAnotherWarp)
{
    const lines own = {"0 0 0 0 0000 ffffffff 1 R2 MOV 0 0 ", "0 0 0 0 0ff0 ffffffff 0 EXIT 0 0 "};
    expect_sound(kernel(32, {own}, 75, "2"));
    lines of_warp_one = own;
    of_warp_one.insert(of_warp_one.begin() + 1, "0 0 0 1 0000 ffffffff 1 R2 MOV 0 0 ");
    expect_told(kernel(32, {of_warp_one}, 75, "2"), "lines of another warp", 1, first_line + 1);
    // The second warp repeats the first one's lines to the letter.
    const outcome o = read_kernel(kernel(64, {own, own}, 75, "2"), false);
    EXPECT_EQ(o.totals.contradictions, 2u);
}
