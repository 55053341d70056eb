// SPDX-License-Identifier: Apache-2.0
// The programs of the group locality: every result of every kernel is what plain C computes.
#include "tests/support/suite_group.h"

namespace
{

using smrf_test::agrees_with_reference;
using smrf_test::run_altered;

class Locality : public testing::TestWithParam<const char *>
{
};

TEST_P(Locality, AgreesWithTheReferenceAtTwoSizes)
{
    const std::string name = GetParam();
    if (name == "alexnet_rows" || name == "cifarnet_rows") {
        agrees_with_reference(GetParam(), 70000, 6000000); // few of their lanes are busy
    } else if (name == "cifarnet_conv2_loops") {
        agrees_with_reference(GetParam(), 100000,
                              2100000); // an instruction an element, and its loops
    } else if (name.size() > 6 && name.compare(name.size() - 6, 6, "_block") == 0) {
        agrees_with_reference(GetParam(), 40000, 2000000, 0); // a block each, or a filter
    } else {
        agrees_with_reference(GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, Locality, testing::ValuesIn(smrf_test::programs_of("locality")),
                         smrf_test::program_name);

// What the two products are there for: the tiled one reads each value once a tile.
TEST(LocalityGroup, TiledProductReadsLessGlobalMemoryThanTheNaiveOne)
{
    const smrf_test::suite_mix naive = smrf_test::count_mix("matmul_naive", SMRF_MEDIUM, "LDG");
    const smrf_test::suite_mix tiled = smrf_test::count_mix("matmul_tiled", SMRF_MEDIUM, "LDG");
    // 512 warps of 128 steps, two reads each; 8 tiles of two reads
    EXPECT_EQ(naive.named, 512u * 128 * 2);
    EXPECT_EQ(tiled.named, 512u * 8 * 2);
}

TEST(LocalityGroup, NetworksLaunchOneKernelALayer)
{
    EXPECT_EQ(smrf_test::count_mix("cifarnet", SMRF_SMALL, "").launches, 8u);
    EXPECT_EQ(smrf_test::count_mix("alexnet_rows", SMRF_SMALL, "").launches, 13u);
}

// A kernel that computes something else is found out.
TEST(LocalityGroup, WrongKernelsAreRefused)
{
    for (const char *name : {"matmul_naive", "cifarnet_conv2", "cifarnet_conv2_rows",
                             "cifarnet_fc_rows", "alexnet_norm1"}) {
        EXPECT_EQ(run_altered(name, "FFMA", "FFMA ", "FFMA.SAT ").rc, SMRF_ERR_CHECK) << name;
    }
    EXPECT_EQ(run_altered("alexnet_pool1", "FMNMX", "!PT", "PT").rc, SMRF_ERR_CHECK);
    for (const char *name : {"cifarnet_conv2_loops", "stencil_rows", "stencil_columns", "sweep"}) {
        EXPECT_EQ(run_altered(name, "FFMA", "FFMA ", "FFMA.SAT ").rc, SMRF_ERR_CHECK) << name;
    }
    EXPECT_EQ(run_altered("sweep", "BAR.SYNC", "BAR.SYNC 0x0", "NOP").rc, SMRF_ERR_CHECK);
}

} // namespace
