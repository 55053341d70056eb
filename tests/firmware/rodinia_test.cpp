// SPDX-License-Identifier: Apache-2.0
// The programs of the group rodinia: every result of every kernel is what plain C computes.
#include "tests/support/suite_group.h"

namespace
{

using smrf_test::agrees_with_reference;
using smrf_test::run_suite_program;
using smrf_test::suite_outcome;

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
    agrees_with_reference("lavamd", 40000,
                          7000000); // a block a box, and boxes for all SMs of a study
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

// The hosts launch as the applications do: loops over columns, tiles, steps and levels.
TEST(Rodinia, LaunchesOncePerStepOfTheAlgorithm)
{
    const struct {
        const char *name;
        uint64_t launches;
    } expected[] = {
        {"backprop", 2},               // forward, adjust
        {"bfs", 2 * 6},                // two a level, and the level that finds nothing
        {"btree", 2},                  // keys, ranges
        {"dwt2d", 2 + 2},              // conversions, one level of each filter
        {"gaussian", 2 * (32 - 1)},    // two a column
        {"hotspot", 4 / 2},            // two steps each
        {"kmeans", 1 + 3},             // layout, iterations
        {"lavamd", 1},                 // all boxes at once
        {"lud", 3 + 2 + 2},            // three diagonal tiles, the last has nothing beside it
        {"nn", 1},                     // all records at once
        {"particlefilter-float", 6},   // six a frame
        {"particlefilter-naive", 2},   // one a frame
        {"pathfinder", 10 / 5},        // five rows each
        {"srad", 1 + (1 + 2 + 2) + 1}, // 36 x 36 values need two reductions by 512
    };
    for (const auto &e : expected) {
        EXPECT_EQ(smrf_test::count_mix(e.name, SMRF_SMALL, "BAR").launches, e.launches) << e.name;
    }
}

// A program whose first block never ran must notice: its check is no formality.
TEST(Rodinia, ChecksNoticeABlockThatIsMissing)
{
    smrf_device_limits limits{};
    limits.wants_block = [](void *, smrf_exec_dim id) { return id.x != 0 || id.y != 0; };
    const std::vector<const char *> names = smrf_test::programs_of("rodinia");
    EXPECT_EQ(names.size(), 14u);
    for (const char *name : names) {
        const suite_outcome outcome = run_suite_program(name, SMRF_SMALL, &limits);
        EXPECT_EQ(outcome.rc, SMRF_ERR_CHECK) << name << ": " << outcome.error;
        EXPECT_NE(outcome.error.find("the reference has"), std::string::npos) << outcome.error;
    }
}

// So must one whose machine code computes something else.
TEST(Rodinia, ChecksNoticeAnInstructionThatIsAltered)
{
    const struct {
        const char *name, *opcode, *from, *to;
    } altered[] = {
        {"backprop", "FADD", "FADD", "FMUL"},
        {"bfs", "IADD3", ", 0x1,", ", 0x2,"},
        {"btree", "ISETP", ".GT.", ".GE."},
        {"dwt2d", "SHF.R.S32.HI", ", 0x1,", ", 0x3,"},
        {"gaussian", "FFMA", ", -R", ", R"},
        {"hotspot", "DADD", "DADD", "DMUL"},
        {"kmeans", "FSETP", ".GEU.", ".LTU."},
        {"lavamd", "MUFU", ".EX2", ".LG2"},
        {"lud", "FFMA", ", -R", ", R"},
        {"nn", "MUFU", ".RSQ", ".RCP"},
        {"particlefilter-float", "MUFU", ".EX2", ".LG2"},
        {"particlefilter-naive", "DSETP", ".GE.", ".LE."},
        {"pathfinder", "IMNMX", ", PT", ", !PT"},
        {"srad", "FSETP", ".GT.", ".LT."},
    };
    for (const auto &a : altered) {
        const suite_outcome outcome = smrf_test::run_altered(a.name, a.opcode, a.from, a.to);
        EXPECT_EQ(outcome.rc, SMRF_ERR_CHECK) << a.name << ": " << outcome.error;
        EXPECT_NE(outcome.error.find("the reference has"), std::string::npos) << outcome.error;
    }
}

} // namespace
