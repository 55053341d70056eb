// SPDX-License-Identifier: Apache-2.0
// The programs of the group deepbench: every result of every kernel is what plain C computes. The
// products and convolutions have inputs whose sums are exact, so that they agree bit for bit.
#include "tests/support/suite_group.h"

namespace
{

using smrf_test::agrees_with_reference;
using smrf_test::run_altered;
using smrf_test::suite_outcome;

class DeepBench : public testing::TestWithParam<const char *>
{
};

TEST_P(DeepBench, AgreesWithTheReferenceAtTwoSizes)
{
    agrees_with_reference(GetParam());
}

// As the libraries' kernels: a tile is 256 threads' work, and two fit an SM of 64 K registers and
// 64 KB of shared memory, so that a sub-core has four warps or more to choose from.
TEST_P(DeepBench, TwoBlocksOfATileFitAnSm)
{
    int tiles = 0;
    smrf_device_listener listener{};
    listener.ctx = &tiles;
    listener.launch_begin = [](void *ctx, const smrf_exec_launch *launch) {
        const smrf_sass_function *kernel = launch->entry;
        if (kernel->shared_bytes == 0) { // an element-wise kernel
            return 0;
        }
        ++*static_cast<int *>(ctx);
        EXPECT_EQ(launch->block.x, 256u) << kernel->name;
        EXPECT_LE(kernel->registers, 65536u / 2 / 256) << kernel->name;
        EXPECT_LE(kernel->shared_bytes + launch->dynamic_shared, 65536u / 2) << kernel->name;
        return 0;
    };
    const suite_outcome outcome =
        smrf_test::run_suite_program(GetParam(), SMRF_SMALL, nullptr, &listener);
    EXPECT_EQ(outcome.rc, 0) << outcome.error;
    EXPECT_GT(tiles, 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, DeepBench,
                         testing::ValuesIn(smrf_test::programs_of("deepbench")),
                         smrf_test::program_name);

// The charts' names: five or ten shapes of each list.
TEST(DeepBenchGroup, HasEveryShapeOfTheListsAndAnIntegerProduct)
{
    for (const char *stem : {"gemm_bench_t", "gemm_bench_i", "conv_bench_t", "conv_bench_i",
                             "rnn_bench_t", "rnn_bench_i"}) {
        for (int id = 1; id <= 5; id++) {
            EXPECT_NE(smrf_suite_find((stem + std::to_string(id)).c_str()), nullptr) << stem << id;
        }
    }
    EXPECT_NE(smrf_suite_find("rnn_bench_i10"), nullptr);
    EXPECT_NE(smrf_suite_find("gemm_bench_int8"), nullptr);
}

// At least a third of what a product executes is tensor-core work.
TEST(DeepBenchGroup, ProductsAreMostlyTensorInstructions)
{
    for (const char *name : {"gemm_bench_t1", "gemm_bench_t3", "gemm_bench_t5", "gemm_bench_i1"}) {
        const smrf_test::suite_mix mix = smrf_test::count_mix(name, SMRF_MEDIUM, "HMMA");
        EXPECT_GT(mix.named * 3, mix.all) << name;
    }
}

// A kernel that computes something else is found out.
TEST(DeepBenchGroup, AProductThatSkipsTheTransposeIsRefused)
{
    const suite_outcome outcome = run_altered("gemm_bench_t1", "LDSM", "MT88", "M88");
    EXPECT_EQ(outcome.rc, SMRF_ERR_CHECK);
    EXPECT_NE(outcome.error.find("the reference has"), std::string::npos) << outcome.error;
}

TEST(DeepBenchGroup, AnIntegerProductOfUnsignedBytesIsRefused)
{
    const suite_outcome outcome = run_altered("gemm_bench_int8", "IMMA", "S8.S8", "U8.S8");
    EXPECT_EQ(outcome.rc, SMRF_ERR_CHECK) << outcome.error;
}

TEST(DeepBenchGroup, AConvolutionThatLosesItsAccumulatorIsRefused)
{
    const suite_outcome outcome = run_altered("conv_bench_t4", "HMMA", "F32", "F16");
    EXPECT_EQ(outcome.rc, SMRF_ERR_CHECK) << outcome.error;
}

TEST(DeepBenchGroup, ACellWithAnotherFunctionIsRefused)
{
    EXPECT_EQ(run_altered("rnn_bench_i1", "MUFU.TANH", "TANH", "SIN").rc, SMRF_ERR_CHECK);
    EXPECT_EQ(run_altered("rnn_bench_t3", "MUFU.EX2", "EX2", "SIN").rc, SMRF_ERR_CHECK);
}

} // namespace
