// SPDX-License-Identifier: Apache-2.0
// What the SIMT stack tells of calls and returns, on short hand-written traces.
#include "tests/support/simt_tape.h"

using simt_test::all;
using simt_test::tape;

namespace
{

TEST(SimtCall, ReleasesAFrameOnlyWhenAllLanesHaveReturned)
{
    tape t;
    t.line(0x00, all);
    smrf_simt_out o = t.line(0x10, 0xffff, SMRF_FLOW_CALL, 0x1000, "CALL.REL.NOINC");
    EXPECT_NE(o.events & SMRF_SIMT_CALL, 0);
    EXPECT_EQ(o.call_pc, 0x10u);
    EXPECT_EQ(o.frames, 1);
    t.line(0x1000, 0xffff);
    EXPECT_EQ(smrf_simt_probe_call_depth(t.s.get()), 1u);
    o = t.line(0x1010, 0x00ff, SMRF_FLOW_RET);
    EXPECT_NE(o.events & SMRF_SIMT_RETURN, 0);
    EXPECT_EQ(o.events & SMRF_SIMT_ALL_RETURNED, 0);
    EXPECT_EQ(o.frames, 1);
    EXPECT_EQ(t.line(0x20, 0x00ff).call_depth, 0);
    o = t.line(0x1020, 0xff00);
    EXPECT_EQ(o.call_depth, 1);
    EXPECT_EQ(o.frame, 1);
    o = t.line(0x1030, 0xff00, SMRF_FLOW_RET);
    EXPECT_NE(o.events & SMRF_SIMT_ALL_RETURNED, 0);
    EXPECT_EQ(o.call_pc, 0x10u);
    EXPECT_EQ(o.released, 1);
    EXPECT_EQ(o.frames, 0);
    EXPECT_EQ(t.line(0x20, 0xff00).active, 0xff00u);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCall, AnExitInsideACallCountsAsReturned)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_CALL, 0x1000);
    t.line(0x1000, 0xff, SMRF_FLOW_RET);
    smrf_simt_out o = t.line(0x1010, ~0xffu, SMRF_FLOW_EXIT);
    EXPECT_NE(o.events & SMRF_SIMT_ALL_RETURNED, 0);
    EXPECT_EQ(o.released, 1);
}

TEST(SimtCall, ReleasesFramesNewestFirst)
{
    tape t;
    t.line(0x00, 0x0f, SMRF_FLOW_BRANCH, 0x40);
    t.line(0x40, 0x0f, SMRF_FLOW_CALL, 0x1000);   // older frame
    t.line(0x10, ~0x0fu, SMRF_FLOW_CALL, 0x1000); // newer frame
    smrf_simt_out o = t.line(0x1000, 0x0f, SMRF_FLOW_RET);
    EXPECT_NE(o.events & SMRF_SIMT_ALL_RETURNED, 0);
    EXPECT_EQ(o.released, 0);
    EXPECT_EQ(o.frames, 2);
    o = t.line(0x1000, ~0x0fu, SMRF_FLOW_RET);
    EXPECT_EQ(o.released, 2);
    EXPECT_EQ(o.frames, 0);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCall, ACallOverOneInstructionIsAJump)
{
    for (bool targets : {true, false}) {
        tape t(80, targets);
        t.line(0x00, all);
        smrf_simt_out o = t.line(0x10, all, SMRF_FLOW_CALL, targets ? 0x30 : 0, "CALL.REL.NOINC");
        EXPECT_EQ(o.events & SMRF_SIMT_CALL, 0);
        o = t.line(0x30, all);
        EXPECT_EQ(o.events & SMRF_SIMT_CALL, 0);
        EXPECT_EQ(o.call_depth, 0);
        EXPECT_EQ(t.log.stats.jump_calls, 1u);
        EXPECT_EQ(t.log.stats.calls, 0u);
        EXPECT_EQ(t.mismatches(), 0u);
    }
}

TEST(SimtCall, AReturnWithoutACallGoesWhereTheTraceSays)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_RET);
    EXPECT_EQ(t.log.stats.orphans, 1u);
    EXPECT_EQ(t.line(0x500, 0xff).active, 0xffu); // lanes may part
    EXPECT_EQ(t.line(0x700, ~0xffu).active, ~0xffu);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCall, TooDeepRecursionIsCountedAndFindsBack)
{
    for (bool targets : {true, false}) {
        tape t(70, targets);
        constexpr int deep = SMRF_SIMT_DEPTH + 36;
        uint64_t released = 0;
        for (int i = 0; i < deep; i++) {
            t.line(0x100, all);
            t.line(0x110, all, SMRF_FLOW_CALL, targets ? 0x100 : 0);
        }
        t.line(0x100, all, SMRF_FLOW_NONE);
        t.line(0x110, 0, SMRF_FLOW_CALL, targets ? 0x100 : 0);
        for (int i = 0; i < deep; i++) {
            t.line(0x120, all);
            released += t.line(0x130, all, SMRF_FLOW_RET).released;
        }
        EXPECT_EQ(t.log.stats.lost_calls, uint64_t(deep - SMRF_SIMT_DEPTH));
        EXPECT_EQ(t.log.stats.calls, uint64_t(SMRF_SIMT_DEPTH));
        EXPECT_EQ(released, uint64_t(SMRF_SIMT_DEPTH));
        EXPECT_EQ(t.line(0x120, all).frames, 0);
        EXPECT_EQ(t.mismatches(), 0u);
    }
}

TEST(SimtCall, ACallOfUnknownTargetIsToldAtTheFirstLineWithLanes)
{
    tape t(70, false);
    t.line(0x370, all);
    EXPECT_EQ(t.line(0x380, all, SMRF_FLOW_CALL).events & SMRF_SIMT_CALL, 0);
    EXPECT_EQ(t.line(0xe90, 0).events & (SMRF_SIMT_CALL | SMRF_SIMT_CALLED), 0);
    smrf_simt_out o = t.line(0xea0, all);
    EXPECT_EQ(o.events & (SMRF_SIMT_CALL | SMRF_SIMT_CALLED), SMRF_SIMT_CALLED);
    EXPECT_EQ(o.called_pc, 0x380u);
    EXPECT_EQ(o.called_target, 0xe90u);
    EXPECT_EQ(o.called_frame, 1);
    EXPECT_EQ(o.own_frame, 1);
    EXPECT_EQ(o.call_depth, 1);
    t.line(0xeb0, all, SMRF_FLOW_RET);
    EXPECT_EQ(t.line(0x390, all).call_depth, 0);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCall, TheNextLineNamesTheTargetOfACallByRegister)
{
    tape t;
    t.line(0x00, all);
    smrf_simt_out o = t.ahead_of(0x800, all, 0x10, all, SMRF_FLOW_CALL, 0, "CALL.ABS.NOINC", true);
    EXPECT_EQ(o.events & (SMRF_SIMT_CALL | SMRF_SIMT_CALLED), SMRF_SIMT_CALL);
    EXPECT_EQ(o.target, 0x800u);
    EXPECT_EQ(o.call_frame, 1);
    EXPECT_EQ(o.own_frame, 0) << "the call itself is the caller's";
    EXPECT_EQ(o.frame, 1);
    o = t.line(0x800, all);
    EXPECT_EQ(o.events, 0);
    EXPECT_EQ(o.frame, 1);
    o = t.line(0x810, all, SMRF_FLOW_RET);
    EXPECT_EQ(o.own_frame, 1);
    EXPECT_EQ(o.frame, 0);
    EXPECT_EQ(o.released, 1);
    EXPECT_EQ(t.line(0x20, all).events, 0);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCall, EachCalleeOfADivergentCallByRegisterHasAFrameOfItsOwn)
{
    tape t;
    t.line(0x00, all);
    smrf_simt_out o = t.ahead_of(0x800, 0xff, 0x10, all, SMRF_FLOW_CALL, 0, "CALL.ABS", true);
    EXPECT_EQ(o.target, 0x800u);
    EXPECT_EQ(o.call_lanes, 0xffu);
    EXPECT_EQ(o.lanes, all);
    EXPECT_EQ(o.splits, 2);
    EXPECT_EQ(t.line(0x800, 0xff).events, 0);
    o = t.line(0x810, 0xff, SMRF_FLOW_RET);
    EXPECT_EQ(o.released, 1);
    o = t.line(0x900, 0xff00);
    EXPECT_NE(o.events & SMRF_SIMT_CALLED, 0);
    EXPECT_EQ(o.called_target, 0x900u);
    EXPECT_EQ(o.called_lanes, 0xff00u);
    EXPECT_EQ(o.own_frame, 1) << "the first one's number is free again";
    o = t.line(0xa00, 0xffff0000);
    EXPECT_EQ(o.called_frame, 2);
    EXPECT_EQ(o.events & SMRF_SIMT_FRAME_SWITCH, 0) << "CALLED says it";
    o = t.line(0x910, 0xff00);
    EXPECT_NE(o.events & SMRF_SIMT_FRAME_SWITCH, 0);
    EXPECT_EQ(o.own_frame, 1);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCall, ALateCalleeMayCallInItsFirstLine)
{
    tape t(70, false);
    t.line(0x00, all);
    t.line(0x10, all, SMRF_FLOW_CALL);
    smrf_simt_out o = t.ahead_of(0x900, all, 0x800, all, SMRF_FLOW_CALL);
    EXPECT_EQ(o.events & (SMRF_SIMT_CALL | SMRF_SIMT_CALLED), SMRF_SIMT_CALL | SMRF_SIMT_CALLED);
    EXPECT_EQ(o.called_pc, 0x10u);
    EXPECT_EQ(o.called_target, 0x800u);
    EXPECT_EQ(o.called_frame, 1);
    EXPECT_EQ(o.call_pc, 0x800u);
    EXPECT_EQ(o.target, 0x900u);
    EXPECT_EQ(o.call_frame, 2);
    EXPECT_EQ(o.own_frame, 1);
    EXPECT_EQ(o.frame, 2);
}

TEST(SimtCall, AnotherSplitsLineNamesNoTarget)
{
    tape t;
    t.line(0x00, all);
    smrf_simt_out o = t.ahead_of(0x20, 0xff00, 0x10, 0xff, SMRF_FLOW_CALL, 0, "CALL.ABS", true);
    EXPECT_EQ(o.events & SMRF_SIMT_CALL, 0);
    EXPECT_EQ(o.frames, 0);
    t.line(0x20, 0xff00);
    EXPECT_NE(t.line(0x800, 0xff).events & SMRF_SIMT_CALLED, 0);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCall, AnExitLeavesEveryFrameThatItsLanesAreIn)
{
    tape t;
    t.line(0x00, all, SMRF_FLOW_CALL, 0x1000);
    t.line(0x1000, 0xff, SMRF_FLOW_CALL, 0x1000); // recursion, of some
    smrf_simt_out o = t.line(0x1000, 0x0f, SMRF_FLOW_EXIT);
    EXPECT_EQ(o.frames, 2);
    EXPECT_EQ(o.released, 0);
    o = t.line(0x1010, 0xf0, SMRF_FLOW_EXIT);
    EXPECT_EQ(o.released, 1);
    EXPECT_EQ(o.frames, 1);
    EXPECT_EQ(t.mismatches(), 0u);
}

} // namespace
