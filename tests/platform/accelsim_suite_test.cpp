// SPDX-License-Identifier: Apache-2.0
// Programs of the suite at the small and the medium size beside what Accel-Sim (dev 73f9fac,
// GPGPU-Sim 667834cf, SM75_RTX2060, 30 SMs) answered for the same traces: what the caches and the
// DRAM do is equal, cycles are near. Each stands for a behaviour of Accel-Sim's that moves them.
#include "tests/support/platform_files.h"

#include <algorithm>

using namespace smrf_test;

namespace
{

struct answer {
    const char *program;
    long long cycles, l1_misses, l2_accesses, dram_reads;
    double percent; // that the cycles may differ by
    const char *size = "small";
};

class AccelSimSuite : public ::testing::TestWithParam<answer>
{
};

TEST_P(AccelSimSuite, CountsAreEqualAndCyclesNear)
{
    temporary_folder folder;
    const answer a = GetParam();
    const std::string trace = folder / "t";
    ASSERT_EQ(
        0, smrf(folder, std::string("trace -q --size ") + a.size + " -o " + trace + " " + a.program)
               .status);
    const outcome got = smrf(folder, "run -q --engine direct --check off --json - --preset "
                                     "rtx2060-accelsim " +
                                         trace);
    ASSERT_EQ(0, got.status) << got.err;
    document result(got.out);
    EXPECT_EQ(a.l1_misses, result.count("l1d.misses"));
    EXPECT_EQ(a.l2_accesses, result.count("l2.accesses"));
    EXPECT_EQ(a.dram_reads, result.count("dram.reads"));
    EXPECT_NEAR(1.0, double(result.count("cycles")) / double(a.cycles), a.percent / 100);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, AccelSimSuite,
    ::testing::Values(
        // generic accesses to local memory stand elsewhere than LDL and STL (ldst.generic_local)
        answer{"cfd", 47459, 2192, 4768, 648, 1.0}, answer{"functors", 13890, 2052, 2564, 852, 1.0},
        answer{"mst", 127739, 5312, 6987, 964, 1.0}, answer{"nbody", 56425, 660, 4724, 186, 1.0},
        answer{"pta", 135368, 3189, 4524, 1070, 0.5}, answer{"ray", 37568, 1371, 4410, 368, 1.0},
        answer{"sssp", 87918, 5733, 5850, 1163, 1.0},
        // a reduction holds its warp until it is answered
        answer{"pta-inlined", 66296, 271, 333, 33, 1.0},
        // the carve-out goes by the blocks that come to an SM
        answer{"gemm_bench_int8", 41677, 3284, 3944, 2624, 1.0},
        answer{"gemm_bench_i1", 53092, 7553, 8634, 7553, 0.001},
        answer{"gemm_bench_t4", 14449, 5248, 5376, 4736, 1.0},
        // a shared load without a lane takes the pipeline
        answer{"lud", 118022, 864, 1300, 288, 0.5},
        // loads that come back in the very cycle; two warps a scheduler go on from there
        answer{"ffma-conflict3", 10409, 128, 128, 64, 0.1},
        answer{"ffma-regs64", 9762, 128, 128, 64, 0.1},
        answer{"ffma-reuse10", 9829, 128, 128, 64, 0.1},
        // uniform registers are not waited for
        answer{"ladder", 32046, 96, 96, 32, 0.1},
        answer{"sssp-inlined", 76359, 3662, 3786, 403, 0.1},
        // packets that wait behind one another leave an SM in the same cycle
        answer{"gemm_bench_t5", 26854, 7854, 9324, 6286, 0.1},
        answer{"gemm_bench_t2", 15331, 6400, 6656, 5376, 0.1},
        // a slice sends one reply a cycle, and lets requests in while its queue has room
        answer{"stores_synced", 22477, 5760, 36480, 1088, 0.02, "medium"},
        answer{"alexnet_conv4", 29239, 11232, 11232, 5388, 0.02, "medium"},
        answer{"alexnet_conv5", 31650, 18784, 18784, 3848, 0.02, "medium"},
        answer{"cifarnet_conv1", 15215, 5166, 5166, 454, 0.02, "medium"},
        answer{"matmul_tiled", 13914, 34816, 34816, 4096, 0.02, "medium"},
        // requests are bounded in the network's input; a core and a DRAM cycle that begin together
        answer{"resnet_fp", 63594, 407876, 480236, 84084, 0.001, "medium"},
        answer{"bert_fc", 62783, 419356, 479912, 68756, 0.001, "medium"},
        answer{"backprop", 23645, 57923, 101961, 35850, 0.001, "medium"}),
    [](const auto &test) {
        std::string name = test.param.program;
        std::replace(name.begin(), name.end(), '-', '_');
        return name + (test.param.size == std::string("small") ? "" : "_medium");
    });

} // namespace
