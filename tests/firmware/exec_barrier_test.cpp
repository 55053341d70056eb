// SPDX-License-Identifier: Apache-2.0
// The barriers of a thread block.
#include "tests/support/exec_program.h"

namespace smrf_test
{
namespace
{

using lines = std::vector<std::string>;

std::vector<uint32_t> stored(exec_program &e, uint32_t threads)
{
    EXPECT_EQ(e.decoded, 0) << e.error;
    uint64_t out = e.buffer(std::vector<uint32_t>(threads));
    e.launch.dynamic_shared = 8192;
    EXPECT_EQ(e.run(threads), 0) << e.error;
    return e.read<uint32_t>(out, threads);
}

const lines store{"STG.E.SYS [R2], R8", "EXIT"};

// Each thread reads what another warp's thread has written before the barrier.
TEST(Barrier, WhatIsWrittenBeforeIsReadAfter)
{
    for (uint32_t threads : {32u, 64u, 96u, 100u, 1024u}) {
        char last[64];
        std::snprintf(last, sizeof last, "IADD3 R7, -R0, 0x%x, RZ", threads - 1);
        exec_program e(exec_prologue() +
                       lines{"IMAD R6, R0, 0x3, RZ", "STS [R0.X4], R6", "BAR.SYNC 0x0", last,
                             "LDS.U R8, [R7.X4]"} +
                       store);
        std::vector<uint32_t> got = stored(e, threads);
        for (uint32_t i = 0; i < threads; i++) {
            EXPECT_EQ(got[i], 3 * (threads - 1 - i)) << threads << " " << i;
        }
    }
}

TEST(Barrier, ALoopOfBarriersKeepsWarpsInStep)
{
    exec_program e(exec_prologue() +
                   lines{"MOV R8, R0", "MOV R9, RZ", ".L_x_1:", "STS [R0.X4], R8",
                         "BAR.SYNC.DEFER_BLOCKING 0x0", "IADD3 R7, R0, 0x20, RZ",
                         "LOP3.LUT R7, R7, 0x7f, RZ, 0xc0, !PT", "LDS.U R8, [R7.X4]",
                         "BAR.SYNC 0x0", "IADD3 R9, R9, 0x1, RZ",
                         "ISETP.LT.AND P0, PT, R9, 0x7, PT", "@P0 BRA `(.L_x_1)"} +
                   store);
    std::vector<uint32_t> got = stored(e, 128);
    for (uint32_t i = 0; i < 128; i++) {
        EXPECT_EQ(got[i], (i + 7 * 32) % 128);
    }
}

TEST(Barrier, ThreadsThatHaveEndedAreNotWaitedFor)
{
    exec_program e(exec_prologue() +
                   lines{"ISETP.GE.AND P0, PT, R0, 0x28, PT", "@P0 EXIT", "STS [R0.X4], R0",
                         "BAR.SYNC 0x0", "LDS.U R8, [0x9c]"} +
                   store);
    std::vector<uint32_t> got = stored(e, 128);
    EXPECT_EQ(got[0], 39u);
    EXPECT_EQ(got[39], 39u);
    EXPECT_EQ(got[40], 0u);
}

// Lanes of one warp come by different ways; the others end after the first have arrived.
TEST(Barrier, CountsLanesOfDivergentWarps)
{
    exec_program e(exec_prologue() +
                   lines{"STS [R0.X4], R0", "LOP3.LUT R6, R0, 0x1, RZ, 0xc0, !PT",
                         "ISETP.EQ.AND P0, PT, R6, RZ, PT", "@P0 BRA `(.L_x_1)", "BAR.SYNC 0x0",
                         "LDS.U R8, [0xfc]", "BRA `(.L_x_2)", ".L_x_1:", "BAR.SYNC 0x0",
                         "LDS.U R8, [0xf8]", ".L_x_2:"} +
                   store);
    std::vector<uint32_t> got = stored(e, 64);
    for (uint32_t i = 0; i < 64; i++) {
        EXPECT_EQ(got[i], i % 2 ? 63u : 62u);
    }
}

TEST(Barrier, ReductionsCountAndAskAllAndAny)
{
    for (uint32_t bound : {0u, 1u, 50u, 96u}) {
        char compare[64];
        std::snprintf(compare, sizeof compare, "ISETP.LT.AND P1, PT, R0, 0x%x, PT", bound);
        exec_program e(exec_prologue() +
                       lines{compare, "BAR.RED.POPC 0x0, P1", "B2R.RESULT R8",
                             "BAR.RED.AND 0x0, P1", "B2R.RESULT RZ, P2", "BAR.RED.OR 0x0, P1",
                             "B2R.RESULT RZ, P3", "@P2 IADD3 R8, R8, 0x100, RZ",
                             "@P3 IADD3 R8, R8, 0x200, RZ", "BAR.RED.OR 0x0, !P1",
                             "B2R.RESULT R9, P2", "IMAD R8, R9, 0x400, R8"} +
                       store);
        uint32_t want =
            bound + (bound == 96 ? 0x100 : 0) + (bound > 0 ? 0x200 : 0) + (bound < 96 ? 0x400 : 0);
        for (uint32_t got : stored(e, 96)) {
            EXPECT_EQ(got, want) << bound;
        }
    }
}

// Warps 0 and 1 meet at barrier 3, warps 2 and 3 at barrier 4, by number in a register.
TEST(Barrier, NamedBarriersBringGroupsOfWarpsTogether)
{
    exec_program e(exec_prologue() +
                   lines{"SHF.R.U32.HI R6, RZ, 0x6, R0", "IADD3 R7, R6, 0x3, RZ", "STS [R0.X4], R0",
                         "BAR.SYNC R7, 0x40", "LOP3.LUT R9, R0, 0x3f, RZ, 0x3c, !PT",
                         "LDS.U R8, [R9.X4]"} +
                   store);
    std::vector<uint32_t> got = stored(e, 128);
    for (uint32_t i = 0; i < 128; i++) {
        EXPECT_EQ(got[i], i ^ 63);
    }
}

// Warp 0 produces and does not wait; warp 1 consumes.
TEST(Barrier, ArvAnnouncesWithoutWaiting)
{
    exec_program e(exec_prologue() +
                   lines{"ISETP.GE.AND P0, PT, R0, 0x20, PT", "@P0 BRA `(.L_x_1)", "MOV R6, 0x2a",
                         "STS [R0.X4], R6", "BAR.ARV 0x1, 0x40", "MOV R8, 0x1", "BRA `(.L_x_2)",
                         ".L_x_1:", "BAR.SYNC 0x1, 0x40", "LDS.U R8, [R0.X4+-0x80]", ".L_x_2:"} +
                   store);
    std::vector<uint32_t> got = stored(e, 64);
    EXPECT_EQ(got[0], 1u);
    EXPECT_EQ(got[32], 42u);
    EXPECT_EQ(got[63], 42u);
}

std::string failure(const lines &middle, uint32_t threads, int want)
{
    exec_program e(exec_prologue() + middle + store);
    EXPECT_EQ(e.decoded, 0) << e.error;
    (void)e.buffer(std::vector<uint32_t>(threads));
    EXPECT_EQ(e.run(threads), want);
    return e.error;
}

// Every block but the last waits for the one behind it, in a launch that is not cooperative.
std::vector<std::string> waits_for_the_next(const char *last)
{
    return {"S2R R0, SR_CTAID.X",
            "MOV R2, 0x4",
            "IMAD.WIDE.U32 R2, R0, R2, c[0x0][0x160]",
            "MOV R4, RZ",
            "ISETP.EQ.AND P0, PT, R0, " + std::string(last) + ", PT",
            "@P0 BRA `(.L_x_2)",
            ".L_x_1:",
            "LDG.E.STRONG.SYS R4, [R2+0x4]",
            "ISETP.EQ.AND P1, PT, R4, RZ, PT",
            "@P1 BRA `(.L_x_1)",
            ".L_x_2:",
            "IADD3 R4, R4, 0x1, RZ",
            "STG.E.STRONG.SYS [R2], R4",
            "EXIT"};
}

TEST(Blocks, MayWaitForOnesThatComeAfterThem)
{
    exec_program e(waits_for_the_next("0x3"));
    const uint64_t at = e.buffer(std::vector<uint32_t>(5));
    ASSERT_EQ(e.run(64, 4), 0) << e.error;
    EXPECT_EQ(e.read<uint32_t>(at, 5), (std::vector<uint32_t>{4, 3, 2, 1, 0}));
    EXPECT_EQ(e.totals.blocks, 4u);
    EXPECT_EQ(e.totals.warps, 8u);
}

TEST(Blocks, ThatWaitForNoneAreARunawayLoop)
{
    exec_program e(waits_for_the_next("0x4"));
    (void)e.buffer(std::vector<uint32_t>(5));
    EXPECT_EQ(e.run(32, 4), SMRF_ERR_LIMIT);
    EXPECT_NE(std::string(e.error).find("a runaway loop"), std::string::npos) << e.error;
}

TEST(BarrierErrors, ADeadlockNamesTheBarrierAndWhoWaits)
{
    std::string text =
        failure({"ISETP.GE.AND P0, PT, R0, 0x20, PT", "@P0 BRA `(.L_x_1)", "BAR.SYNC 0x0",
                 "BRA `(.L_x_2)", ".L_x_1:", "BAR.SYNC 0x1", ".L_x_2:"},
                64, SMRF_ERR_CHECK);
    EXPECT_NE(text.find("barrier deadlock"), std::string::npos) << text;
    EXPECT_NE(text.find("32 of 64 threads"), std::string::npos) << text;
    EXPECT_NE(text.find("BAR.SYNC 0x0"), std::string::npos) << text;
}

TEST(BarrierErrors, MoreThreadsThanThereAreIsADeadlock)
{
    EXPECT_NE(failure({"BAR.SYNC 0x2, 0x80"}, 64, SMRF_ERR_CHECK).find("of 128 threads"),
              std::string::npos);
}

TEST(BarrierErrors, CountsThatAreNoMultipleOf32)
{
    EXPECT_NE(failure({"BAR.SYNC 0x2, 0x21"}, 64, SMRF_ERR_CHECK).find("multiple"),
              std::string::npos);
}

TEST(BarrierErrors, NumbersThatDifferBetweenLanesOrDoNotExist)
{
    EXPECT_NE(failure({"BAR.SYNC R0"}, 32, SMRF_ERR_CHECK).find("different barriers"),
              std::string::npos);
    EXPECT_NE(failure({"MOV R6, 0x10", "BAR.SYNC R6"}, 32, SMRF_ERR_LIMIT).find("no barrier 16"),
              std::string::npos);
}

} // namespace
} // namespace smrf_test
