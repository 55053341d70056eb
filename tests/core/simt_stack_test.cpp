// SPDX-License-Identifier: Apache-2.0
// The SIMT stack on short hand-written traces: one trap each.
#include "tests/support/simt_tape.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

using simt_test::all;
using simt_test::tape;

namespace
{

TEST(SimtStack, RefusesABinaryVersionOlderThanFermi)
{
    smrf_simt_config cfg{19, true};
    smrf_simt s;
    auto splits = std::make_unique<smrf_simt_split[]>(SMRF_LANES);
    auto store = std::make_unique<smrf_simt_store>();
    smrf_simt_log log{};
    EXPECT_EQ(smrf_simt_config_check(&cfg), SMRF_ERR_INVAL);
    EXPECT_EQ(smrf_simt_init(&s, splits.get(), store.get(), &cfg, 0, &log), SMRF_ERR_INVAL);
    cfg.binary_version = 20;
    EXPECT_EQ(smrf_simt_init(&s, splits.get(), store.get(), &cfg, 0, &log), 0);
}

TEST(SimtStack, StepsOverControlWordsOfEachGeneration)
{
    struct {
        uint32_t version, pc, next;
    } cases[] = {{20, 0x18, 0x20}, {35, 0x18, 0x20}, {35, 0x38, 0x48}, {52, 0x18, 0x28},
                 {61, 0x08, 0x10}, {61, 0x38, 0x48}, {70, 0x30, 0x40}, {90, 0x10, 0x20}};
    for (const auto &c : cases) {
        tape t(c.version);
        EXPECT_EQ(smrf_simt_next_pc(t.s.get(), c.pc), c.next) << c.version << " " << c.pc;
    }
}

TEST(SimtStack, TakesAPredicatedLineForASubsetAndKeepsTheActiveMask)
{
    tape t;
    EXPECT_EQ(t.line(0x00, all).active, all);
    EXPECT_EQ(t.line(0x10, 0xff).active, all);
    EXPECT_EQ(t.line(0x20, 0).active, all);
    EXPECT_EQ(t.line(0x30, all).mismatch, SMRF_SIMT_MATCH);
    EXPECT_EQ(t.log.stats.exact, 2u);
    EXPECT_EQ(t.log.stats.subset, 1u);
    EXPECT_EQ(t.log.stats.empty, 1u);
    EXPECT_EQ(t.log.stats.insts, 4u);
}

TEST(SimtStack, RunsBothSidesInEitherOrderAndMeetsAtBsync)
{
    for (bool taken_first : {false, true}) {
        tape t;
        t.line(0x00, all, SMRF_FLOW_BSSY, 0x50);
        smrf_simt_out o = t.line(0x10, 0xff, SMRF_FLOW_BRANCH, 0x40);
        EXPECT_NE(o.events & SMRF_SIMT_DIVERGE, 0);
        EXPECT_EQ(o.lanes, 0xffu);
        auto taken = [&] {
            EXPECT_EQ(t.line(0x40, 0xff).active, 0xffu);
            return t.line(0x50, 0xff, SMRF_FLOW_BSYNC);
        };
        auto fell = [&] {
            EXPECT_EQ(t.line(0x20, 0xffffff00).active, 0xffffff00u);
            t.line(0x30, 0xffffff00, SMRF_FLOW_BRANCH, 0x50);
            return t.line(0x50, 0xffffff00, SMRF_FLOW_BSYNC);
        };
        smrf_simt_out first = taken_first ? taken() : fell();
        EXPECT_EQ(first.events & SMRF_SIMT_RECONVERGE, 0);
        EXPECT_FALSE(smrf_simt_probe_possible(t.s.get(), 0x60, taken_first ? 0xff : 0xff00));
        smrf_simt_out second = taken_first ? fell() : taken();
        EXPECT_NE(second.events & SMRF_SIMT_RECONVERGE, 0);
        EXPECT_EQ(second.depth, 0);
        EXPECT_TRUE(smrf_simt_probe_possible(t.s.get(), 0x60, all));
        EXPECT_EQ(t.line(0x60, all).active, all);
        EXPECT_EQ(t.mismatches(), 0u);
        EXPECT_EQ(t.log.stats.arrivals, 2u); // one BSSY, two BSYNC lines
        EXPECT_EQ(t.log.stats.barriers, 1u);
    }
}

TEST(SimtStack, GivesAMaskZeroLineBackToTheSplitThatTurnsOutToHaveRunIt)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_BSSY, 0x80);
    t.line(0x10, 0x0f, SMRF_FLOW_BRANCH, 0x30); // lanes 0-3 wait at 0x30
    t.line(0x20, ~0x0fu, SMRF_FLOW_YIELD);      // the others are at 0x30 too
    t.line(0x30, 0);
    EXPECT_EQ(t.line(0x40, 0x0f).mismatch, SMRF_SIMT_MATCH); // so lanes 0-3 ran 0x30
    EXPECT_EQ(t.log.stats.exchanged, 1u);
    EXPECT_EQ(t.line(0x30, ~0x0fu).active, ~0x0fu);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, MaskZeroControlFlowDoesNothing)
{
    tape t;
    for (smrf_flow f : {SMRF_FLOW_BRANCH, SMRF_FLOW_CALL, SMRF_FLOW_RET, SMRF_FLOW_BSSY,
                        SMRF_FLOW_BSYNC, SMRF_FLOW_BREAK, SMRF_FLOW_WARPSYNC, SMRF_FLOW_EXIT}) {
        smrf_simt_out o = t.line(t.log.stats.insts * 16, 0, f, 0x800);
        EXPECT_EQ(o.events & ~SMRF_SIMT_LEARNED, 0) << f;
    }
    EXPECT_EQ(t.line(t.log.stats.insts * 16, all).active, all);
    EXPECT_EQ(t.mismatches(), 0u);
    EXPECT_EQ(smrf_simt_probe_live(t.s.get()), all);
}

TEST(SimtStack, ABreakLetsTheOthersGoAtTheInnerBarrier)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_BSSY, 0x100); // loop
    t.line(0x10, all, SMRF_FLOW_BSSY, 0x60);  // if
    t.line(0x20, 0xf0, SMRF_FLOW_BRANCH, 0x60);
    t.line(0x60, 0xf0, SMRF_FLOW_BSYNC);
    EXPECT_TRUE(smrf_simt_probe_lane_waits(t.s.get(), 4));
    smrf_simt_out o = t.line(0x30, ~0xf0u, SMRF_FLOW_BREAK);
    EXPECT_EQ(o.depth, 1);
    EXPECT_FALSE(smrf_simt_probe_lane_waits(t.s.get(), 4));
    t.line(0x40, ~0xf0u, SMRF_FLOW_BRANCH, 0x100);
    t.line(0x100, ~0xf0u, SMRF_FLOW_BSYNC);
    t.line(0x70, 0xf0);
    t.line(0x80, 0xf0, SMRF_FLOW_BRANCH, 0x100);
    EXPECT_NE(t.line(0x100, 0xf0, SMRF_FLOW_BSYNC).events & SMRF_SIMT_RECONVERGE, 0);
    EXPECT_EQ(t.line(0x110, all).active, all);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, AnExitOfTheLastMissingLanesOpensTheBarrier)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_BSSY, 0x60);
    t.line(0x10, 0xff, SMRF_FLOW_BRANCH, 0x60);
    t.line(0x60, 0xff, SMRF_FLOW_BSYNC);
    smrf_simt_out o = t.line(0x20, ~0xffu, SMRF_FLOW_EXIT);
    EXPECT_NE(o.events & SMRF_SIMT_EXIT, 0);
    EXPECT_EQ(o.lanes, ~0xffu);
    EXPECT_EQ(smrf_simt_probe_live(t.s.get()), 0xffu);
    EXPECT_EQ(t.line(0x70, 0xff).active, 0xffu);
    EXPECT_EQ(t.log.stats.exits, 24u);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, AnExitOfASubsetLeavesTheRest)
{
    tape t;
    t.line(0x00, 0x10, SMRF_FLOW_EXIT);
    EXPECT_EQ(t.line(0x10, ~0x10u).active, ~0x10u);
    EXPECT_EQ(t.line(0x20, all).mismatch, SMRF_SIMT_MISMATCH_DEAD);
}

TEST(SimtStack, AnIndirectBranchSendsLanesApart)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_BRANCH, 0x1234, "BRX");
    EXPECT_EQ(t.line(0x100, 0x0f).active, 0x0fu);
    EXPECT_EQ(t.line(0x110, 0xff).active, 0xffu); // 4-7 were there, predicated off
    EXPECT_EQ(t.line(0x200, ~0xffu).active, ~0xffu);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, WarpsyncWaitsForTheLanesOfItsImmediate)
{
    tape t;
    t.line(0x00, 0x0f, SMRF_FLOW_BRANCH, 0x40);
    t.line(0x40, 0x0f, SMRF_FLOW_WARPSYNC, 0xff, "WARPSYNC");
    EXPECT_TRUE(smrf_simt_probe_lane_waits(t.s.get(), 0));
    t.line(0x10, 0xf0, SMRF_FLOW_BRANCH, 0x40);
    EXPECT_NE(
        t.line(0x40, 0xf0, SMRF_FLOW_WARPSYNC, 0xff, "WARPSYNC").events & SMRF_SIMT_RECONVERGE, 0);
    EXPECT_EQ(t.line(0x50, 0xff).active, 0xffu);
    EXPECT_EQ(t.line(0x20, ~0xffu).active, ~0xffu);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, WarpsyncOfUnknownMaskGoesOnWhenTheTraceDoes)
{
    for (const char *text : {"WARPSYNC", "WARPSYNC.COLLECTIVE"}) {
        tape t;
        bool collective = std::string(text) != "WARPSYNC";
        uint64_t imm = collective ? 0xdead0 : 0;
        t.line(0x00, 0x0f, SMRF_FLOW_BRANCH, 0x40);
        t.line(0x40, 0x0f, SMRF_FLOW_WARPSYNC, imm, text);
        EXPECT_EQ(t.line(0x50, 0x0f).active, 0x0fu);
        EXPECT_EQ(t.log.stats.inferred, 1u);
        EXPECT_EQ(t.mismatches(), 0u);
    }
}

TEST(SimtStack, WarpsyncAllIsABarrierOfAllLiveLanes)
{
    tape t;
    t.line(0x00, 0x0f, SMRF_FLOW_BRANCH, 0x40);
    t.line(0x40, 0x0f, SMRF_FLOW_WARPSYNC, 0, "WARPSYNC.ALL");
    EXPECT_EQ(t.line(0x50, 0x0f).mismatch, SMRF_SIMT_MISMATCH_BARRIER);
}

TEST(SimtStack, SyncGoesOnAtTheTargetOfSsyBeforeVolta)
{
    for (bool targets : {true, false}) {
        tape t(61, targets);
        t.line(0x08, all, SMRF_FLOW_SSY, targets ? 0x48 : 0, "SSY");
        t.line(0x10, 0xff, SMRF_FLOW_BRANCH, targets ? 0x30 : 0, "BRA");
        t.line(0x18, ~0xffu);
        t.line(0x28, ~0xffu, SMRF_FLOW_SYNC, 0, "SYNC");
        t.line(0x30, 0xff);
        EXPECT_NE(t.line(0x38, 0xff, SMRF_FLOW_SYNC, 0, "SYNC").events & SMRF_SIMT_RECONVERGE, 0);
        EXPECT_EQ(t.line(0x48, all).active, all);
        EXPECT_EQ(t.mismatches(), 0u);
    }
}

TEST(SimtStack, BrkLeavesTheRegionsInsideTheLoop)
{
    tape t(61);
    t.line(0x08, all, SMRF_FLOW_SSY, 0x80, "PBK");
    t.line(0x10, all, SMRF_FLOW_SSY, 0x50, "SSY");
    t.line(0x18, 0x0f, SMRF_FLOW_SYNC, 0, "BRK");
    t.line(0x28, ~0x0fu, SMRF_FLOW_SYNC, 0, "SYNC");
    EXPECT_EQ(t.line(0x50, ~0x0fu).active, ~0x0fu);
    t.line(0x58, ~0x0fu, SMRF_FLOW_SYNC, 0, "BRK");
    EXPECT_EQ(t.line(0x80, all).active, all);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, ABsyncWithoutABarrierPasses)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_BSYNC);
    EXPECT_EQ(t.line(0x10, all).active, all);
    EXPECT_EQ(t.log.stats.strays, 1u);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, TooManyBarriersForgetTheOldest)
{
    tape t;
    constexpr uint32_t deep = SMRF_SIMT_DEPTH + 36;
    for (uint32_t i = 0; i < deep; i++) {
        t.line(i * 16, all, SMRF_FLOW_BSSY, 0x8000 - i * 16);
    }
    EXPECT_EQ(t.log.stats.lost_barriers, deep - SMRF_SIMT_DEPTH);
    EXPECT_EQ(smrf_simt_probe_depth(t.s.get()), uint32_t(SMRF_SIMT_DEPTH));
    t.line(deep * 16, all, SMRF_FLOW_BRANCH, 0x8000 - (deep - 1) * 16);
    for (uint32_t i = deep; i-- > 0;) {
        t.line(0x8000 - i * 16, all, SMRF_FLOW_BSYNC);
    }
    EXPECT_EQ(t.log.stats.strays, deep - SMRF_SIMT_DEPTH);
    EXPECT_EQ(smrf_simt_probe_depth(t.s.get()), 0u);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtStack, NamesEachKindOfDisagreementAndFollowsTheTrace)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_BSSY, 0x60);
    t.line(0x10, 0xff, SMRF_FLOW_BRANCH, 0x60);
    t.line(0x60, 0xff, SMRF_FLOW_BSYNC);
    smrf_simt_out o = t.line(0x70, 0x0f); // lanes 0-7 should wait
    EXPECT_EQ(o.mismatch, SMRF_SIMT_MISMATCH_BARRIER);
    EXPECT_EQ(o.expected_pc, 0x70u);
    EXPECT_EQ(o.active, 0xffu);
    EXPECT_EQ(t.line(0x80, 0xff).mismatch, SMRF_SIMT_MATCH);
    EXPECT_EQ(t.line(0x20, ~0xffu).mismatch, SMRF_SIMT_MATCH);
    EXPECT_EQ(t.line(0x500, ~0xffu).mismatch, SMRF_SIMT_MISMATCH_PC);
    EXPECT_EQ(t.line(0x510, ~0xffu).mismatch, SMRF_SIMT_MATCH);
    o = t.line(0x520, all);
    EXPECT_EQ(o.mismatch, SMRF_SIMT_MISMATCH_CONVERGE);
    EXPECT_EQ(o.active, all);
    EXPECT_EQ(t.line(0x530, all, SMRF_FLOW_EXIT).mismatch, SMRF_SIMT_MATCH);
    EXPECT_EQ(t.line(0x540, 1).mismatch, SMRF_SIMT_MISMATCH_DEAD);
    EXPECT_EQ(t.log.stats.mismatch_barrier, 1u);
    EXPECT_EQ(t.log.stats.mismatch_pc, 1u);
    EXPECT_EQ(t.log.stats.mismatch_converge, 1u);
    EXPECT_EQ(t.log.stats.mismatch_dead, 1u);
    ASSERT_EQ(t.log.num_first, 4u);
    EXPECT_EQ(t.log.first[1].pc, 0x500u);
    EXPECT_EQ(t.log.first[1].mask, ~0xffu);
    EXPECT_EQ(t.log.first[1].expected_pc, 0x30u);
    EXPECT_EQ(t.log.first[1].expected_mask, ~0xffu);
    EXPECT_EQ(t.log.first[1].warp, 3u);
    EXPECT_EQ(t.log.first[1].line, 6u);
}

TEST(SimtStack, KeepsOnlyTheFirstReportsButCountsAll)
{
    tape t;
    t.line(0x00, all);
    for (uint32_t i = 1; i <= 20; i++) {
        EXPECT_EQ(t.line(i * 0x1000, all).mismatch, SMRF_SIMT_MISMATCH_PC);
    }
    EXPECT_EQ(t.log.num_first, uint32_t(SMRF_SIMT_REPORTS));
    EXPECT_EQ(t.log.stats.mismatch_pc, 20u);
}

TEST(SimtStack, LinesOfAWarpWithoutLanesAreDisagreements)
{
    tape t(70, true, 0);
    EXPECT_EQ(t.line(0x00, 0).mismatch, SMRF_SIMT_MISMATCH_DEAD);
    EXPECT_EQ(t.line(0x00, 0, SMRF_FLOW_BSYNC).mismatch, SMRF_SIMT_MISMATCH_DEAD);
    EXPECT_EQ(t.line(0x00, 7).mismatch, SMRF_SIMT_MISMATCH_DEAD);
    EXPECT_EQ(t.line(0x10, 7).mismatch, SMRF_SIMT_MATCH);
}

TEST(SimtStack, AResetWarpBehavesLikeAFreshOne)
{
    auto play = [](tape &t) {
        std::vector<smrf_simt_out> outs;
        outs.push_back(t.line(0x00, 0xffff, SMRF_FLOW_BSSY, 0x60));
        outs.push_back(t.line(0x10, 0xff, SMRF_FLOW_CALL, 0x1000));
        outs.push_back(t.line(0x1000, 0xf0));
        outs.push_back(t.line(0x1010, 0x0f, SMRF_FLOW_RET));
        outs.push_back(t.line(0x20, 0xff00, SMRF_FLOW_BRANCH, 0x60));
        outs.push_back(t.line(0x60, 0xff00, SMRF_FLOW_BSYNC));
        return outs;
    };
    tape fresh(70, true, 0xffff), used(70, true, all);
    for (uint32_t i = 0; i < 80; i++) {
        used.line(0x100 + i * 0x40, all >> (i % 31), SMRF_FLOW_CALL, 0x140 + i * 0x40);
    }
    smrf_simt_reset(used.s.get(), 0xffff);
    auto a = play(fresh), b = play(used);
    for (size_t i = 0; i < a.size(); i++) {
        EXPECT_EQ(std::memcmp(&a[i], &b[i], sizeof a[i]), 0) << i;
    }
    EXPECT_EQ(fresh.mismatches(), 0u);
}

TEST(SimtStack, PrintsWhatALineCosts)
{
    constexpr uint32_t body = 16, rounds = 300000, base = 0x100;
    smrf_simt_line lines[body] = {};
    for (uint32_t i = 0; i < body; i++) {
        lines[i].pc = base + i * 16;
        lines[i].mask = all;
    }
    lines[body - 1].flow = SMRF_SIMT_FLOW_BRANCH;
    lines[body - 1].imm = base;
    for (bool targets : {true, false}) {
        tape t(70, targets);
        smrf_simt_out out;
        uint64_t active = 0;
        auto start = std::chrono::steady_clock::now();
        for (uint32_t r = 0; r < rounds; r++) {
            for (uint32_t i = 0; i < body; i++) {
                smrf_simt_step(t.s.get(), &lines[i], &out);
                active += out.active;
            }
        }
        std::chrono::duration<double, std::nano> d = std::chrono::steady_clock::now() - start;
        std::printf("%.2f ns a line of a 16-line loop, targets %s\n", d.count() / (rounds * body),
                    targets ? "known" : "unknown");
        EXPECT_EQ(t.mismatches(), 0u);
        EXPECT_EQ(active, uint64_t(rounds) * body * all);
    }
}

} // namespace
