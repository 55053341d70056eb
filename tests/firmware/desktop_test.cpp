// SPDX-License-Identifier: Apache-2.0
// The programs of the group desktop: every result of every kernel is what plain C computes, on both
// architectures.
#include "tests/support/suite_group.h"

namespace
{

using smrf_test::count_mix;
using smrf_test::run_altered;
using smrf_test::suite_outcome;

class Desktop : public testing::TestWithParam<const char *>
{
};

TEST_P(Desktop, AgreesWithTheReferenceAtTwoSizes)
{
    const suite_outcome small = smrf_test::run_suite_program(GetParam(), SMRF_SMALL);
    ASSERT_EQ(small.rc, 0) << small.error;
    const suite_outcome medium = smrf_test::run_suite_program(GetParam(), SMRF_MEDIUM);
    ASSERT_EQ(medium.rc, 0) << medium.error;
    EXPECT_GT(small.totals.warp_insts, 100u);
    EXPECT_GT(medium.totals.warp_insts, small.totals.warp_insts);
    EXPECT_GE(medium.compared, small.compared); // the bins of a histogram are as many
    EXPECT_EQ(count_mix(GetParam(), SMRF_SMALL, "").launches, 2u);
}

INSTANTIATE_TEST_SUITE_P(Programs, Desktop, testing::ValuesIn(smrf_test::programs_of("desktop")),
                         smrf_test::program_name);

std::string error_at(const char *name, uint32_t scale)
{
    const smrf_suite_program *program = smrf_suite_find(name);
    smrf_suite_run run{};
    if (program == nullptr || smrf_device_create(&run.device) < 0) {
        return "no such program";
    }
    const std::string text = smrf_test::suite_text(program);
    run.scale = scale;
    int rc =
        smrf_device_load_text(run.device, &run.module, program->sass, text.data(), text.size());
    rc = rc < 0 ? rc : program->run(&run);
    smrf_device_destroy(run.device);
    return rc == SMRF_ERR_INVAL ? run.error : std::to_string(rc);
}

// Kernels without a check of the edge need full blocks; others take any size.
TEST(DesktopGroup, ScalesThatDoNotFillABlockOrTheDeviceAreRefused)
{
    EXPECT_EQ(error_at("convolve_line", 1), "0");
    EXPECT_EQ(error_at("convolve_image_tiles", 1), "0");
    EXPECT_EQ(error_at("convolve_line_tiles", 9), "0");
    EXPECT_EQ(error_at("convolve_line_tiles", 8), "scale 8: choose 9 to 27");
    EXPECT_EQ(error_at("matrix_vector_shared_32", 5), "0");
    EXPECT_EQ(error_at("matrix_vector_shared_32_sm86", 4), "scale 4: choose 5 to 13");
    EXPECT_EQ(error_at("matrix_vector", 14), "scale 14: choose 1 to 13");
    EXPECT_EQ(error_at("array_add", 14), "scale 14: choose 1 to 13");
}

// The measured kernels clamp in double precision: two conversions and two comparisons a result.
TEST(DesktopGroup, ConvolutionsClampInDoublePrecision)
{
    for (const char *name : {"convolve_line_constant", "convolve_line_constant_sm86"}) {
        const uint64_t warps = 2 * 1024 / 32; // of two launches
        EXPECT_EQ(count_mix(name, SMRF_SMALL, "F2F").named, 2 * warps) << name;
        EXPECT_EQ(count_mix(name, SMRF_SMALL, "DSETP").named, 2 * warps) << name;
    }
}

// What shared memory is there for: a block of 32 reads the vector once, not once a row.
TEST(DesktopGroup, TilesReadLessGlobalMemory)
{
    EXPECT_LT(count_mix("convolve_line_tiles", SMRF_SMALL, "LDG").named,
              count_mix("convolve_line_cached", SMRF_SMALL, "LDG").named);
    EXPECT_LT(count_mix("convolve_image_tiles", SMRF_SMALL, "LDG").named,
              count_mix("convolve_image_constant", SMRF_SMALL, "LDG").named);
    // two launches of two warps, a value of each column, and 64 values of the vector by 32 lanes
    EXPECT_EQ(count_mix("matrix_vector_shared_32", SMRF_SMALL, "LDG").named, 2u * 2 * (64 + 2));
    EXPECT_EQ(count_mix("matrix_vector", SMRF_SMALL, "LDG").named, 2u * 2 * (64 + 64));
}

// A kernel that computes something else is found out.
TEST(DesktopGroup, WrongKernelsAreRefused)
{
    for (const char *name :
         {"convolve_line", "convolve_line_constant", "convolve_line_tiles", "convolve_line_cached",
          "convolve_image", "convolve_image_constant", "convolve_image_tiles"}) {
        EXPECT_EQ(run_altered(name, "FFMA", "FFMA ", "FFMA.SAT ").rc, SMRF_ERR_CHECK) << name;
    }
}

} // namespace
