// SPDX-License-Identifier: Apache-2.0
// The programs of the group rodinia: every result of every kernel is what plain C computes.
#include "tests/support/suite_program.h"

#include "models/common/smrf_err.h"

#include <gtest/gtest.h>

namespace
{

using smrf_test::run_suite_program;
using smrf_test::suite_outcome;

// Both sizes agree with the reference, and are as long as the suite promises: small traces stay
// below 30 000 warp instructions, medium ones have 0.1 to 2 million.
void agrees_with_reference(const char *name)
{
    const suite_outcome small = run_suite_program(name, SMRF_SMALL);
    ASSERT_EQ(small.rc, 0) << small.error;
    EXPECT_GT(small.compared, 0u);
    EXPECT_LT(small.totals.warp_insts, 30000u);
    const suite_outcome medium = run_suite_program(name, SMRF_MEDIUM);
    ASSERT_EQ(medium.rc, 0) << medium.error;
    EXPECT_GT(medium.compared, small.compared);
    EXPECT_GE(medium.totals.warp_insts, 100000u);
    EXPECT_LE(medium.totals.warp_insts, 2000000u);
    testing::Test::RecordProperty("small", std::to_string(small.totals.warp_insts));
    testing::Test::RecordProperty("medium", std::to_string(medium.totals.warp_insts));
}

TEST(Rodinia, BtreeFindsKeysAndRanges)
{
    agrees_with_reference("btree");
}

TEST(Rodinia, BackpropAdjustsWeightsAsTheReferenceDoes)
{
    agrees_with_reference("backprop");
}

TEST(Rodinia, BfsFindsTheDistancesOfAQueueSearch)
{
    agrees_with_reference("bfs");
}

TEST(Rodinia, Dwt2dTransformsAsLiftingOfWholeLinesDoes)
{
    agrees_with_reference("dwt2d");
}

TEST(Rodinia, GaussianSolvesTheSystem)
{
    agrees_with_reference("gaussian");
}

TEST(Rodinia, HotspotHeatsAsTheStencilDoes)
{
    agrees_with_reference("hotspot");
}

TEST(Rodinia, KmeansAssignsEveryPointToItsNearestCentre)
{
    agrees_with_reference("kmeans");
}

TEST(Rodinia, LavamdForcesAreThoseOfAllPairs)
{
    agrees_with_reference("lavamd");
}

TEST(Rodinia, LudFactorsMultiplyToTheMatrix)
{
    agrees_with_reference("lud");
}

TEST(Rodinia, NnFindsTheNearestPlaces)
{
    agrees_with_reference("nn");
}

TEST(Rodinia, ParticlefilterFloatMovesWeighsAndResamples)
{
    agrees_with_reference("particlefilter-float");
}

TEST(Rodinia, ParticlefilterNaiveResamplesAsHalvingSearchDoes)
{
    agrees_with_reference("particlefilter-naive");
}

TEST(Rodinia, PathfinderFindsTheCheapestPaths)
{
    agrees_with_reference("pathfinder");
}

TEST(Rodinia, SradDiffusesAsTheReferenceDoes)
{
    agrees_with_reference("srad");
}

// A program whose first block never ran must notice: its check is no formality.
TEST(Rodinia, ChecksNoticeABlockThatIsMissing)
{
    smrf_device_limits limits{};
    limits.wants_block = [](void *, smrf_exec_dim id) { return id.x != 0 || id.y != 0; };
    unsigned programs = 0;
    for (unsigned i = 0; smrf_suite_at(i) != nullptr; i++) {
        const smrf_suite_program *program = smrf_suite_at(i);
        if (std::string(program->group) != "rodinia")
            continue;
        programs++;
        const suite_outcome outcome = run_suite_program(program->name, SMRF_SMALL, &limits);
        EXPECT_EQ(outcome.rc, SMRF_ERR_CHECK) << program->name << ": " << outcome.error;
        EXPECT_NE(outcome.error.find("the reference has"), std::string::npos) << outcome.error;
    }
    EXPECT_EQ(programs, 14u);
}

} // namespace
