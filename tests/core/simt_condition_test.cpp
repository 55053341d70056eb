// SPDX-License-Identifier: Apache-2.0
// Branches with a condition beside their guard: the mask of "@!P0 BRA P1, target" is that of the
// guard, so that some of its lanes jump and others stay.
#include "tests/support/simt_tape.h"

using simt_test::all;
using simt_test::tape;

namespace
{

// A branch of the lanes of mask at 0x10 to 0x100.
void branch_if(tape &t, uint32_t mask)
{
    t.line(0x00, all);
    t.condition = 2;
    smrf_simt_out o = t.line(0x10, mask, SMRF_FLOW_BRANCH, 0x100, "BRA");
    t.condition = 0;
    EXPECT_EQ(o.active, all);
}

TEST(SimtCondition, EachLaneIsWhereItShows)
{
    tape t;
    branch_if(t, all);
    EXPECT_EQ(t.line(0x20, 0xff).active, 0xffu);
    EXPECT_EQ(t.line(0x30, 0xff).active, 0xffu);
    EXPECT_EQ(t.line(0x100, ~0xffu).active, ~0xffu);
    EXPECT_EQ(t.line(0x40, 0xff).events & SMRF_SIMT_SWITCH, SMRF_SIMT_SWITCH);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCondition, AllJumpOrAllStay)
{
    for (uint32_t pc : {0x20u, 0x100u}) {
        tape t;
        branch_if(t, all);
        EXPECT_EQ(t.line(pc, all).active, all);
        EXPECT_EQ(t.line(pc + 0x10, 0xf).active, all);
        EXPECT_EQ(t.mismatches(), 0u);
    }
}

TEST(SimtCondition, LanesThatStayRunOnWithThoseThatTheGuardKept)
{
    tape t;
    branch_if(t, 0xff);
    EXPECT_EQ(t.line(0x20, ~0x0fu).active, ~0x0fu); // 4 to 7 stayed
    EXPECT_EQ(t.line(0x30, ~0x0fu).active, ~0x0fu);
    EXPECT_EQ(t.line(0x100, 0x0f).active, 0x0fu);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCondition, APredicatedLineShowsOnlySomeOfThoseWhoAreThere)
{
    tape t;
    branch_if(t, all);
    t.line(0x20, 0x0f);
    EXPECT_EQ(t.line(0x30, 0xff).active, 0xffu); // 4 to 7 came along
    EXPECT_EQ(t.line(0x100, 0).mismatch, SMRF_SIMT_MATCH);
    EXPECT_EQ(t.line(0x110, 0xff00).active, 0xff00u);
    EXPECT_EQ(t.line(0x120, ~0xffu).active, ~0xffu);
    EXPECT_EQ(t.mismatches(), 0u);
}

TEST(SimtCondition, ALaneAtNeitherPlaceIsAMismatch)
{
    tape t;
    branch_if(t, all);
    EXPECT_EQ(t.line(0x200, all).mismatch, SMRF_SIMT_MISMATCH_PC);
    EXPECT_EQ(t.line(0x210, all).mismatch, SMRF_SIMT_MATCH);
}

TEST(SimtCondition, TheLineSaysWhatHasOne)
{
    smrf_static_inst op{};
    op.flow = SMRF_FLOW_BRANCH;
    op.text = "BRA";
    EXPECT_EQ(smrf_simt_flow_of(&op), SMRF_SIMT_FLOW_BRANCH);
    op.upred_src = 1;
    EXPECT_EQ(smrf_simt_flow_of(&op), SMRF_SIMT_FLOW_BRANCH_IF);
    op.upred_src = 0;
    for (const char *text : {"BRA.DIV", "BRA.CONV", "BRA.U.DIV"}) {
        op.text = text;
        EXPECT_EQ(smrf_simt_flow_of(&op), SMRF_SIMT_FLOW_BRANCH_IF) << text;
    }
    op.text = "BRA.U";
    EXPECT_EQ(smrf_simt_flow_of(&op), SMRF_SIMT_FLOW_BRANCH);
}

// Without the operands beside a trace nobody knows of the condition: a mismatch that says so.
TEST(SimtCondition, WhereTheTraceDoesNotListItTheMismatchHasAKindOfItsOwn)
{
    tape t;
    t.line(0x00, all);
    t.line(0x10, all, SMRF_FLOW_BRANCH, 0x100, "BRA");
    smrf_simt_out o = t.line(0x20, 0xff);
    EXPECT_EQ(o.mismatch, SMRF_SIMT_MISMATCH_CONDITION);
    EXPECT_EQ(o.expected_pc, 0x100u);
    EXPECT_EQ(o.active, 0xffu);
    EXPECT_EQ(t.line(0x30, 0xff).active, 0xffu);
    EXPECT_EQ(t.line(0x100, ~0xffu).active, ~0xffu) << "the others jumped";
    EXPECT_EQ(t.log.stats.mismatch_condition, 1u);
    EXPECT_EQ(t.log.stats.mismatches, 1u);

    tape jumped;
    jumped.line(0x10, all, SMRF_FLOW_BRANCH, 0x100, "BRA");
    jumped.line(0x100, all);
    EXPECT_EQ(jumped.line(0x20, all).mismatch, SMRF_SIMT_MISMATCH_PC) << "it was seen to jump";
}

} // namespace
