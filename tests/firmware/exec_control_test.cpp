// SPDX-License-Identifier: Apache-2.0
// Branches, calls, convergence, special registers, the callees the driver supplies, the listener.
#include "tests/support/exec_program.h"

#include <numeric>
#include <set>

namespace smrf_test
{
namespace
{

using lines = std::vector<std::string>;

// What each lane stores at the end: R8.
std::vector<uint32_t> stored(exec_program &e, uint32_t threads = 32)
{
    EXPECT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(threads));
    EXPECT_EQ(e.run(threads), 0) << e.error;
    return e.read<uint32_t>(out, threads);
}

std::vector<uint32_t> stored_by(const lines &middle, uint32_t threads = 32,
                                const std::string &more = "")
{
    exec_program e(exec_prologue() + middle + lines{"STG.E.SYS [R2], R8", "EXIT"}, more);
    return stored(e, threads);
}

template <typename F> std::vector<uint32_t> by_lane(F value, unsigned count = 32)
{
    std::vector<uint32_t> v(count);
    for (unsigned i = 0; i < count; i++) {
        v[i] = static_cast<uint32_t>(value(i));
    }
    return v;
}

TEST(Branch, LanesGoTheirOwnWays)
{
    EXPECT_EQ(
        stored_by({"MOV R8, 0x1", "ISETP.LT.AND P0, PT, R0, 0x5, PT", "@P0 BRA `(.L_x_1)",
                   "MOV R8, 0x2", "BRA `(.L_x_2)", ".L_x_1:", "IADD3 R8, R8, 0x64, RZ", ".L_x_2:"}),
        by_lane([](unsigned i) { return i < 5 ? 101 : 2; }));
}

TEST(Branch, WithoutABarrierLanesStayApartUntilTheEnd)
{
    EXPECT_EQ(stored_by({"ISETP.LT.AND P0, PT, R0, 0x5, PT", "@P0 BRA `(.L_x_1)", "NOP",
                         ".L_x_1:", "BMOV.32 R8, MACTIVE"}),
              by_lane([](unsigned i) { return i < 5 ? 0x1fu : ~0x1fu; }));
}

// They may have come there by different calls.
TEST(Branch, YieldBringsNobodyTogether)
{
    EXPECT_EQ(stored_by({"ISETP.LT.AND P0, PT, R0, 0x5, PT", "@P0 BRA `(.L_x_1)", "NOP",
                         ".L_x_1:", "YIELD", "BMOV.32 R8, MACTIVE"}),
              by_lane([](unsigned i) { return i < 5 ? 0x1fu : ~0x1fu; }));
}

TEST(Branch, BsyncBringsThemTogether)
{
    EXPECT_EQ(
        stored_by({"BSSY B3, `(.L_x_2)", "ISETP.LT.AND P0, PT, R0, 0x5, PT", "@P0 BRA `(.L_x_1)",
                   "NOP", ".L_x_1:", "BSYNC B3", ".L_x_2:", "BMOV.32 R8, MACTIVE"}),
        by_lane([](unsigned) { return ~0u; }));
}

TEST(Branch, BsyncDoesNotWaitForLanesThatHaveEnded)
{
    exec_program e(exec_prologue() + lines{"BSSY B0, `(.L_x_2)", "ISETP.LT.AND P0, PT, R0, 0x5, PT",
                                           "MOV R8, 0x7", "@P0 STG.E.SYS [R2], R8", "@P0 EXIT",
                                           "BSYNC B0", ".L_x_2:", "BMOV.32 R8, MACTIVE",
                                           "STG.E.SYS [R2], R8", "EXIT"});
    EXPECT_EQ(stored(e), by_lane([](unsigned i) { return i < 5 ? 7u : ~0x1fu; }));
    EXPECT_EQ(e.totals.forced_syncs, 0u);
}

TEST(Branch, BreakLetsTheOthersGoOn)
{
    exec_program e(exec_prologue() + lines{"BSSY B0, `(.L_x_3)", "BSSY B1, `(.L_x_2)",
                                           "ISETP.LT.AND P0, PT, R0, 0x5, PT", "@P0 BREAK B1",
                                           "@P0 BRA `(.L_x_4)", "BSYNC B1",
                                           ".L_x_2:", "BMOV.32 R8, MACTIVE", ".L_x_4:", "BSYNC B0",
                                           ".L_x_3:", "BMOV.32 R9, MACTIVE", "IADD3 R8, R8, R9, RZ",
                                           "STG.E.SYS [R2], R8", "EXIT"});
    EXPECT_EQ(stored(e), by_lane([](unsigned i) { return i < 5 ? ~0u : ~0x1fu + ~0u; }));
    EXPECT_EQ(e.totals.forced_syncs, 0u);
}

TEST(Branch, AWaitThatNobodyCanEndIsGivenUpAndCounted)
{
    exec_program e(exec_prologue() + lines{"BSSY B0, `(.L_x_2)", "BSSY B1, `(.L_x_2)",
                                           "ISETP.LT.AND P0, PT, R0, 0x5, PT", "@P0 BRA `(.L_x_1)",
                                           "BSYNC B1", "MOV R8, 0x2", "BRA `(.L_x_2)",
                                           ".L_x_1:", "MOV R8, 0x1", "BSYNC B0",
                                           ".L_x_2:", "STG.E.SYS [R2], R8", "EXIT"});
    EXPECT_EQ(stored(e), by_lane([](unsigned i) { return i < 5 ? 1 : 2; }));
    EXPECT_GT(e.totals.forced_syncs, 0u);
}

TEST(Branch, BarrierRegistersMoveToAndFromRegisters)
{
    EXPECT_EQ(stored_by({"ISETP.LT.AND P0, PT, R0, 0x8, PT", "@P0 BRA `(.L_x_1)", "NOP",
                         ".L_x_1:", "BSSY B5, `(.L_x_2)", "BMOV.32.CLEAR R9, B5", "BMOV.32 R10, B5",
                         "BMOV.32 B6, R9", "BMOV.32 R11, B6", "IMAD R8, R10, 0x3, R11",
                         "BMOV.32 B5, R9", "BSYNC B5", ".L_x_2:"}),
              by_lane([](unsigned i) { return i < 8 ? 0xffu : ~0xffu; }));
}

TEST(Branch, DivAndConvTellWhetherAllLiveLanesAreHere)
{
    // + 1 where BRA.CONV is taken, + 2 where BRA.DIV is; first all together, then in two halves.
    lines probe = {
        "BRA.CONV `(.L_x_1)", "BRA `(.L_x_2)", ".L_x_1:", "IADD3 R8, R8, 0x1, RZ", ".L_x_2:",
        "BRA.DIV `(.L_x_3)",  "BRA `(.L_x_4)", ".L_x_3:", "IADD3 R8, R8, 0x2, RZ", ".L_x_4:"};
    EXPECT_EQ(stored_by(lines{"MOV R8, RZ"} + probe), by_lane([](unsigned) { return 1; }));
    EXPECT_EQ(stored_by(lines{"MOV R8, RZ", "ISETP.LT.AND P0, PT, R0, 0x8, PT", "@P0 BRA `(.L_x_9)",
                              "NOP", ".L_x_9:"} +
                        probe)[8],
              2u);
}

TEST(Branch, WarpsyncWaitsForTheLanesItNames)
{
    for (const char *sync : {"WARPSYNC 0xffff", "WARPSYNC R9"}) {
        EXPECT_EQ(
            stored_by({"MOV R9, 0xffff", "ISETP.GE.AND P0, PT, R0, 0x10, PT", "MOV R8, 0x3",
                       "@P0 BRA `(.L_x_3)", "ISETP.LT.AND P0, PT, R0, 0x5, PT", "@P0 BRA `(.L_x_1)",
                       "NOP", ".L_x_1:", sync, "BMOV.32 R8, MACTIVE", ".L_x_3:"}),
            by_lane([](unsigned i) { return i < 16 ? 0xffffu : 3u; }));
    }
}

// 32-bit offsets from the function's start: lanes 0..3 go to .L_x_1 + 32 * lane.
TEST(Branch, BrxJumpsThroughATable)
{
    std::string table = "\t.section\t.nv.constant2.k,\"a\",@progbits\n\t.align\t4\n"
                        ".nv.constant2.k:\n        /*0000*/ \t.byte\t0x90, 0x00, 0x00, 0x00, 0xb0, "
                        "0x00, 0x00, 0x00, 0xd0, 0x00, 0x00, 0x00, 0xf0, 0x00, 0x00, 0x00\n\n";
    EXPECT_EQ(stored_by({"LOP3.LUT R6, R0, 0x3, RZ, 0xc0, !PT", "SHF.L.U32 R6, R6, 0x2, RZ",
                         "LDC R4, c[0x2][R6]", "MOV R5, RZ", "BRX R4 -0x90", "MOV R8, 0xa",
                         "BRA `(.L_x_9)", "MOV R8, 0xb", "BRA `(.L_x_9)", "MOV R8, 0xc",
                         "BRA `(.L_x_9)", "MOV R8, 0xd", "BRA `(.L_x_9)", ".L_x_9:"},
                        32, table),
              by_lane([](unsigned i) { return 10 + (i & 3); }));
}

const lines twice = {"IADD3 R4, R4, R4, RZ", "RET.ABS.NODEC R20 0x0"};
const lines thrice = {"IMAD R4, R4, 0x3, RZ", "RET.ABS.NODEC R20 0x0"};

lines return_to(const std::string &label)
{
    return {"MOV R20, 32@lo((k + " + label + "@srel))", "MOV R21, 32@hi((k + " + label + "@srel))"};
}

TEST(Call, DirectCallsReturnToTheirCaller)
{
    for (const char *how : {"CALL.REL.NOINC", "CALL.ABS.NOINC"}) {
        exec_program e(exec_prologue() + lines{"MOV R4, R0"} + return_to(".L_r_1") +
                           lines{std::string(how) + " `(f)", ".L_r_1:", "IADD3 R8, R4, 0x1, RZ",
                                 "STG.E.SYS [R2], R8", "EXIT"},
                       sass_function("f", twice, false));
        EXPECT_EQ(stored(e), by_lane([](unsigned i) { return 2 * i + 1; }));
        EXPECT_EQ(e.totals.calls, 1u);
        EXPECT_EQ(e.totals.call_depth, 1u);
    }
}

TEST(Call, CodeWithoutALinkerReturnsToItsOwnAddressAndSomeBytes)
{
    exec_program e(exec_prologue() + lines{"MOV R4, R0", "LEPC R20", "CALL.REL `(f)",
                                           "IADD3 R8, R4, 0x1, RZ", "STG.E.SYS [R2], R8", "EXIT"},
                   sass_function("f", {"IADD3 R4, R4, R4, RZ", "RET.ABS R20 0x20"}, false));
    EXPECT_EQ(stored(e), by_lane([](unsigned i) { return 2 * i + 1; }));
}

TEST(Call, LanesCallDifferentFunctionsThroughAPointer)
{
    std::string functions = sass_function("f", twice, false) + sass_function("g", thrice, false);
    exec_program e(
        exec_prologue() +
            lines{"MOV R4, R0", "LOP3.LUT R6, R0, 0x1, RZ, 0xc0, !PT",
                  "ISETP.EQ.AND P0, PT, R6, RZ, PT", "MOV R10, 32@lo((f))", "MOV R11, 32@hi((f))",
                  "@P0 MOV R10, 32@lo((g))", "@P0 MOV R11, 32@hi((g))", "BSSY B6, `(.L_e_1)"} +
            return_to(".L_r_1") +
            lines{"CALL.ABS.NOINC R10", ".L_r_1:", "BSYNC B6", ".L_e_1:", "BMOV.32 R9, MACTIVE",
                  "IADD3 R8, R4, R9, RZ", "STG.E.SYS [R2], R8", "EXIT"},
        functions);
    EXPECT_EQ(stored(e), by_lane([](unsigned i) { return i * (i & 1 ? 2 : 3) - 1; }));
    EXPECT_EQ(e.totals.calls, 1u);
}

TEST(Call, AJumpToWhereThereIsNoCodeIsAnError)
{
    exec_program e(exec_prologue() +
                   lines{"MOV R10, 0x1234", "MOV R11, RZ", "CALL.ABS.NOINC R10", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    (void)e.buffer(std::vector<uint32_t>(32));
    EXPECT_EQ(e.run(), SMRF_ERR_LIMIT);
    EXPECT_NE(std::string(e.error).find("0x1234"), std::string::npos) << e.error;
}

// ---- progress -------------------------------------------------------------------------------

lines spin_lock(const lines &in_loop)
{
    return lines{"MOV R6, RZ",
                 "MOV R7, 0x1",
                 "MOV R4, c[0x0][0x168]",
                 "MOV R5, c[0x0][0x16c]",
                 ".L_x_1:",
                 "ATOMG.E.CAS.STRONG.GPU PT, R9, [R4], R6, R7"} +
           in_loop +
           lines{"ISETP.NE.AND P0, PT, R9, RZ, PT",
                 "@P0 BRA `(.L_x_1)",
                 "LDG.E.SYS R8, [R4+0x4]",
                 "IADD3 R8, R8, 0x1, RZ",
                 "STG.E.SYS [R4+0x4], R8",
                 "ATOMG.E.EXCH.STRONG.GPU PT, RZ, [R4], RZ",
                 "EXIT"};
}

TEST(Progress, LanesThatSpinOnALockLetItsHolderRun)
{
    for (bool yields : {true, false}) {
        exec_program e(exec_prologue() + spin_lock(yields ? lines{"YIELD"} : lines{}));
        ASSERT_EQ(e.decoded, 0) << e.error;
        (void)e.buffer(std::vector<uint32_t>(128));
        uint64_t lock = e.buffer(std::vector<uint32_t>(2));
        ASSERT_EQ(e.run(128), 0) << e.error;
        EXPECT_EQ(e.read<uint32_t>(lock, 2), (std::vector<uint32_t>{0, 128}));
    }
}

TEST(Progress, LanesThatAwaitTheSpinnersGoOnWhereTheSpinnersAwaitThem)
{
    // while (*turn != thread); count++; *turn = thread + 1: as compiled, with the wait of those
    // that are through for those that spin. Lanes of two warps take turns.
    exec_program e(exec_prologue() +
                   lines{"MOV R4, c[0x0][0x168]", "MOV R5, c[0x0][0x16c]", "BSSY B0, `(.L_x_4)",
                         ".L_x_6:", "LDG.E.STRONG.SYS R6, [R4]", "ISETP.NE.AND P0, PT, R6, R0, PT",
                         "@!P0 BRA `(.L_x_5)", "YIELD", "BRA `(.L_x_6)", ".L_x_5:", "BSYNC B0",
                         ".L_x_4:", "LDG.E.STRONG.SYS R7, [R4+0x4]", "IADD3 R7, R7, 0x1, RZ",
                         "STG.E.STRONG.SYS [R4+0x4], R7", "IADD3 R6, R0, 0x1, RZ",
                         "STG.E.STRONG.SYS [R4], R6", "STG.E.SYS [R2], R7", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(64));
    uint64_t turn = e.buffer(std::vector<uint32_t>(2));
    e.launch.max_insts_per_warp = 200000;
    ASSERT_EQ(e.run(64), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(turn, 2), (std::vector<uint32_t>{64, 64}));
    std::vector<uint32_t> order(64);
    std::iota(order.begin(), order.end(), 1);
    EXPECT_EQ(e.read<uint32_t>(out, 64), order);
    EXPECT_GT(e.totals.forced_syncs, 0u);
}

TEST(Progress, LanesThatAwaitASpinnerStayWithItWhileOtherWarpsRun)
{
    // Lane 0 of warp 0 spins until warp 1 has looped 5000 times; then all 32 lanes go on at once.
    exec_program e(exec_prologue() + lines{"MOV R4, c[0x0][0x168]",
                                           "MOV R5, c[0x0][0x16c]",
                                           "ISETP.GE.AND P0, PT, R0, 0x20, PT",
                                           "@P0 BRA `(.L_x_7)",
                                           "BSSY B0, `(.L_x_4)",
                                           "ISETP.NE.AND P0, PT, R0, RZ, PT",
                                           "@P0 BRA `(.L_x_5)",
                                           ".L_x_6:",
                                           "LDG.E.STRONG.SYS R6, [R4]",
                                           "ISETP.NE.AND P0, PT, R6, RZ, PT",
                                           "@P0 BRA `(.L_x_5)",
                                           "YIELD",
                                           "BRA `(.L_x_6)",
                                           ".L_x_5:",
                                           "BSYNC B0",
                                           ".L_x_4:",
                                           "VOTE.ANY R7, PT, PT",
                                           "STG.E.SYS [R2], R7",
                                           "EXIT",
                                           ".L_x_7:",
                                           "MOV R6, 0x1388",
                                           ".L_x_8:",
                                           "IADD3 R6, R6, -0x1, RZ",
                                           "ISETP.NE.AND P0, PT, R6, RZ, PT",
                                           "@P0 BRA `(.L_x_8)",
                                           "MOV R6, 0x1",
                                           "STG.E.STRONG.SYS [R4], R6",
                                           "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(64));
    (void)e.buffer(std::vector<uint32_t>(1));
    ASSERT_EQ(e.run(64), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(out, 32), std::vector<uint32_t>(32, 0xffffffff));
    EXPECT_EQ(e.totals.forced_syncs, 0u);
}

TEST(Progress, AWarpThatWaitsForAFlagLetsTheOthersRun)
{
    exec_program e(exec_prologue() + lines{"MOV R4, c[0x0][0x168]", "MOV R5, c[0x0][0x16c]",
                                           "ISETP.GE.AND P0, PT, R0, 0x20, PT", "MOV R9, 0x5",
                                           "@P0 STG.E.STRONG.SYS [R4], R9", "@P0 EXIT",
                                           ".L_x_1:", "LDG.E.STRONG.SYS R8, [R4]",
                                           "ISETP.EQ.AND P0, PT, R8, RZ, PT", "@P0 BRA `(.L_x_1)",
                                           "STG.E.SYS [R2], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(64));
    (void)e.buffer(std::vector<uint32_t>(1));
    ASSERT_EQ(e.run(64), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(out, 1)[0], 5u);
}

// ---- special registers ----------------------------------------------------------------------

TEST(Special, ThreadAndBlockIndicesOfThreeDimensions)
{
    exec_program e(lines{"S2R R4, SR_TID.X", "S2R R5, SR_TID.Y", "S2R R6, SR_TID.Z",
                         "S2R R7, SR_CTAID.X", "S2R R8, SR_CTAID.Y", "S2R R9, SR_CTAID.Z",
                         "IMAD R10, R6, c[0x0][0x4], R5", "IMAD R10, R10, c[0x0][0x0], R4",
                         "IMAD R11, R9, c[0x0][0x10], R8", "IMAD R11, R11, c[0x0][0xc], R7",
                         "IMAD R11, R11, 0x1e, R10", "MOV R2, 0x18",
                         "IMAD.WIDE.U32 R2, R11, R2, c[0x0][0x160]", "STG.E.64.SYS [R2], R4",
                         "STG.E.64.SYS [R2+0x8], R6", "STG.E.64.SYS [R2+0x10], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(6 * 30 * 12));
    e.launch.block = {5, 3, 2};
    e.launch.grid = {2, 3, 2};
    ASSERT_EQ(e.again(), 0) << e.error;
    std::vector<uint32_t> want;
    for (uint32_t b = 0; b < 12; b++) {
        for (uint32_t t = 0; t < 30; t++) {
            for (uint32_t v : {t % 5, t / 5 % 3, t / 15, b % 2, b / 2 % 3, b / 6}) {
                want.push_back(v);
            }
        }
    }
    EXPECT_EQ(e.read<uint32_t>(out, want.size()), want);
    EXPECT_EQ(e.totals.blocks, 12u);
    EXPECT_EQ(e.totals.warps, 12u);
}

TEST(Special, LaneMasks)
{
    auto mask = [](const char *name) { return stored_by({"S2R R8, " + std::string(name)}); };
    EXPECT_EQ(mask("SR_LANEID"), by_lane([](unsigned i) { return i; }));
    EXPECT_EQ(mask("SR_EQMASK"), by_lane([](unsigned i) { return 1u << i; }));
    EXPECT_EQ(mask("SR_LTMASK"), by_lane([](unsigned i) { return (1u << i) - 1; }));
    EXPECT_EQ(mask("SR_LEMASK"), by_lane([](unsigned i) { return (2u << i) - 1; }));
    EXPECT_EQ(mask("SR_GTMASK"), by_lane([](unsigned i) { return ~((2u << i) - 1); }));
    EXPECT_EQ(mask("SR_GEMASK"), by_lane([](unsigned i) { return ~((1u << i) - 1); }));
}

TEST(Special, WarpIndexIsInVirtid)
{
    EXPECT_EQ(stored_by({"S2R R8, SR_VIRTID", "SHF.R.U32.HI R8, RZ, 0x8, R8",
                         "LOP3.LUT R8, R8, 0x7f, RZ, 0xc0, !PT"},
                        96),
              by_lane([](unsigned i) { return i / 32; }, 96));
}

// Groups of lanes that have come together run alone behind WARPSYNC.EXCLUSIVE: the largest of each
// group, through a uniform register that all groups use.
TEST(Branch, ExclusiveWarpsyncRunsGroupByGroup)
{
    EXPECT_EQ(
        stored_by({"LOP3.LUT R4, R0, 0x3, RZ, 0xc0, !PT", "MATCH.ANY R5, R4", "BSSY B1, `(.L_x_1)",
                   "WARPSYNC.EXCLUSIVE R5", "REDUX.MAX.S32 UR6, R0", "IMAD.U32 R8, RZ, RZ, UR6",
                   "BSYNC B1", ".L_x_1:", "BMOV.32 R9, MACTIVE", "IMAD R8, R9, 0x100, R8"}),
        by_lane([](unsigned i) { return 0xffffff00 + 28 + i % 4; }));
}

// What a thread stores in shared or local memory is found at the windows' generic addresses.
TEST(Special, WindowsAreWhereGenericAddressesFindThem)
{
    for (const std::string space : {"S", "L"}) {
        exec_program e(exec_prologue() +
                       lines{"MOV R9, 0x4d2", "ST" + space + " [0x10], R9",
                             "S2R R4, SR_" + space + "WINLO", "S2R R5, SR_" + space + "WINHI",
                             "LD.E.SYS R8, [R4+0x10]", "STG.E.SYS [R2], R8", "EXIT"});
        e.launch.dynamic_shared = 64;
        e.launch.stack_bytes = 256;
        EXPECT_EQ(stored(e, 32), by_lane([](unsigned) { return 1234u; })) << space;
    }
}

TEST(Special, TheClockGrows)
{
    EXPECT_EQ(stored_by({"CS2R R8, SR_CLOCKLO", "NOP", "NOP", "CS2R R10, SR_CLOCKLO",
                         "IADD3 R8, R10, -R8, RZ", "IADD3 R8, R8, R9, RZ"}),
              by_lane([](unsigned) { return 3; }));
}

// A loop that waits for 2^30 is through after some ten thousands of rounds; a short one is not
// affected.
TEST(Special, TheClockRunsAheadOfALoopThatWaits)
{
    for (const bool waits : {false, true}) {
        const std::vector<uint32_t> got =
            stored_by({"CS2R R4, SR_CLOCKLO", "MOV R8, RZ", ".L_x_1:", "CS2R R6, SR_CLOCKLO",
                       "IADD3 R8, R8, 0x1, RZ", "IADD3 R9, R6, -R4, RZ",
                       std::string("ISETP.LT.U32.AND P0, PT, R9, 0x") +
                           (waits ? "40000000" : "10000") + ", PT",
                       "@P0 BRA `(.L_x_1)"});
        for (const uint32_t rounds : got) {
            if (waits) {
                EXPECT_GT(rounds, 1u << 16);
                EXPECT_LT(rounds, (1u << 16) + 200);
            } else {
                EXPECT_EQ(rounds, (0x10000u + 2) / 5 + 1); // five instructions each
            }
        }
    }
}

TEST(Special, SrzClearsAPair)
{
    EXPECT_EQ(stored_by({"MOV R8, 0x1", "MOV R9, 0x2", "CS2R R8, SRZ", "IADD3 R8, R8, R9, RZ"}),
              by_lane([](unsigned) { return 0; }));
}

TEST(Special, AnUnknownOneIsRefused)
{
    exec_program e(lines{"S2R R4, SR_FROB", "EXIT"});
    EXPECT_LT(e.decoded, 0);
    EXPECT_NE(std::string(e.error).find("SR_FROB"), std::string::npos) << e.error;
}

TEST(Special, BankZeroHasDimensionsWindowsAndParameters)
{
    exec_program e(exec_prologue() + lines{"MOV R8, c[0x0][0x0]", "IMAD R8, R8, 0x64, RZ",
                                           "IADD3 R8, R8, c[0x0][0xc], RZ",
                                           "IADD3 R8, R8, c[0x0][0x168], RZ", "STG.E.SYS [R2], R8",
                                           "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(64));
    e.param(uint32_t{7});
    ASSERT_EQ(e.run(64, 3), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(out, 1)[0], 6410u);
}

// ---- what the driver supplies ---------------------------------------------------------------

// malloc(size in R4:R5), its result stored; then free of what R4:R5 is where R10 is not zero.
std::string externals(const char *name)
{
    return std::string("\t.type\t\t") + name + ",@function\n";
}

lines allocate(const char *bytes)
{
    return exec_prologue(8) + lines{std::string("MOV R4, ") + bytes, "MOV R5, RZ"} +
           return_to(".L_r_1") + lines{"CALL.ABS.NOINC `(malloc)", ".L_r_1:"};
}

TEST(Builtin, MallocGivesEveryLaneItsOwnMemory)
{
    exec_program e(allocate("0x18") +
                       lines{"STG.E.64.SYS [R2], R4", "ST.E.64.SYS [R4+0x10], R0", "EXIT"},
                   externals("malloc"));
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint64_t>(32));
    ASSERT_EQ(e.run(), 0) << e.error;
    std::set<uint64_t> seen;
    for (uint64_t address : e.read<uint64_t>(out, 32)) {
        EXPECT_EQ(address % 16, 0u);
        EXPECT_NE(address, 0u);
        seen.insert(address);
    }
    EXPECT_EQ(seen.size(), 32u);
    EXPECT_GE(*std::next(seen.begin()) - *seen.begin(), 0x18u);
    EXPECT_EQ(e.totals.calls, 1u);
}

TEST(Builtin, MallocFailsWhenTheHeapIsFull)
{
    exec_program e(allocate("0x400") + lines{"STG.E.64.SYS [R2], R4", "EXIT"}, externals("malloc"));
    ASSERT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint64_t>(32));
    e.launch.heap_bytes = 10 * 1024;
    ASSERT_EQ(e.run(), 0) << e.error;
    std::vector<uint64_t> got = e.read<uint64_t>(out, 32);
    for (unsigned i = 0; i < 32; i++) {
        EXPECT_EQ(got[i] != 0, i < 10) << i;
    }
}

TEST(Builtin, FreeGivesMemoryBackOnce)
{
    lines frees = return_to(".L_r_2") + lines{"CALL.ABS.NOINC `(free)", ".L_r_2:"};
    exec_program good(allocate("0x400") + frees + lines{"EXIT"},
                      externals("malloc") + externals("free"));
    ASSERT_EQ(good.decoded, 0) << good.error;
    (void)good.buffer(std::vector<uint64_t>(32));
    good.launch.heap_bytes = 32 * 1024;
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(good.run(), 0) << good.error;
    }
    exec_program bad(allocate("0x40") + frees + return_to(".L_r_3") +
                         lines{"CALL.ABS.NOINC `(free)", ".L_r_3:", "EXIT"},
                     externals("malloc") + externals("free"));
    ASSERT_EQ(bad.decoded, 0) << bad.error;
    (void)bad.buffer(std::vector<uint64_t>(32));
    EXPECT_EQ(bad.run(), SMRF_ERR_LIMIT);
    EXPECT_NE(std::string(bad.error).find("free of"), std::string::npos) << bad.error;
}

TEST(Builtin, AnUnknownExternalIsRefusedBeforeAnythingRuns)
{
    exec_program e(exec_prologue() + return_to(".L_r_1") +
                       lines{"CALL.ABS.NOINC `(frobnicate)", ".L_r_1:", "EXIT"},
                   externals("frobnicate"));
    EXPECT_LT(e.decoded, 0);
}

// ---- decoding -------------------------------------------------------------------------------

TEST(Decode, AnUnsupportedInstructionNamesFileLineAndText)
{
    exec_program e(lines{"MOV R4, RZ", "FROB.X R4, R5", "EXIT"});
    EXPECT_EQ(e.decoded, SMRF_ERR_UNKNOWN);
    EXPECT_NE(std::string(e.error).find("k.sass:"), std::string::npos) << e.error;
    EXPECT_NE(std::string(e.error).find("FROB.X R4, R5"), std::string::npos) << e.error;
}

TEST(Decode, WhatTheKernelCannotReachMayBeUnsupported)
{
    exec_program e(lines{"EXIT"}, sass_function("other", {"FROB R1", "EXIT"}));
    EXPECT_EQ(e.decoded, 0) << e.error;
    exec_program g(lines{"CALL.REL.NOINC `(other)", "EXIT"},
                   sass_function("other", {"FROB R1", "RET.ABS.NODEC R20 0x0"}, false));
    EXPECT_EQ(g.decoded, SMRF_ERR_UNKNOWN);
}

// ---- the listener ---------------------------------------------------------------------------

struct heard {
    std::vector<std::string> events;
    int stop_after = -1;
};

int hear_block(void *ctx, smrf_exec_dim id, uint32_t warps)
{
    static_cast<heard *>(ctx)->events.push_back("block " + std::to_string(id.x) + " " +
                                                std::to_string(warps));
    return 0;
}

int hear_before(void *ctx, const smrf_exec_warp *w, const smrf_exec_op *op, uint32_t active,
                uint32_t mask)
{
    heard *h = static_cast<heard *>(ctx);
    char text[128];
    std::snprintf(text, sizeof text, "%u %s %x %x R8=%u", w->index, op->inst->opcode, active, mask,
                  w->r[8][1]);
    h->events.push_back(text);
    return h->stop_after >= 0 && static_cast<int>(h->events.size()) > h->stop_after ? -9 : 0;
}

int hear_after(void *ctx, const smrf_exec_warp *w, const smrf_exec_op *, uint32_t, uint32_t,
               const uint64_t *address)
{
    char text[64];
    std::snprintf(text, sizeof text, "after R8=%u%s", w->r[8][1], address ? " address" : "");
    static_cast<heard *>(ctx)->events.push_back(text);
    return 0;
}

TEST(Listener, HearsEveryInstructionWithItsMasksBeforeAndAfter)
{
    exec_program e(lines{"ISETP.LT.AND P0, PT, RZ, RZ, PT", "MOV R8, 0x5", "@P0 MOV R8, 0x6",
                         "STS [RZ], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    heard h;
    smrf_exec_listener ear{};
    ear.ctx = &h;
    ear.block_begin = hear_block;
    ear.before = hear_before;
    ear.after = hear_after;
    e.launch.listener = &ear;
    e.launch.dynamic_shared = 16;
    ASSERT_EQ(e.run(3), 0) << e.error;
    EXPECT_EQ(h.events, (std::vector<std::string>{
                            "block 0 1", "0 ISETP 7 7 R8=0", "after R8=0", "0 MOV 7 7 R8=0",
                            "after R8=5", "0 MOV 7 0 R8=5", "after R8=5", "0 STS 7 7 R8=5",
                            "after R8=5 address", "0 EXIT 7 7 R8=5", "after R8=5"}));
    h = {{}, 4};
    EXPECT_EQ(e.again(), -9);
}

} // namespace
} // namespace smrf_test
