// SPDX-License-Identifier: Apache-2.0
// The large sizes of the programs of calls fill the machine: every launch has blocks for four waves
// on 80 SMs of 65,536 registers, 2,048 threads, 32 blocks and 96 KiB of shared memory (V100). No
// block runs: the shapes of the launches are enough. By design below: bert_score and bert_op, few
// blocks of deep chains, and kernels of one block that set objects up.
#include "tests/support/suite_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace
{

struct shape {
    std::string kernel;
    double blocks, waves;
};

uint64_t up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

uint64_t blocks_of_an_sm(const smrf_exec_launch &launch)
{
    const uint64_t threads = uint64_t(launch.block.x) * launch.block.y * launch.block.z;
    const uint64_t shared = up(launch.entry->shared_bytes + launch.dynamic_shared, 256);
    const uint64_t registers = up(threads, 32) * up(std::max(1u, launch.entry->registers), 8);
    return std::min({2048 / up(threads, 32), uint64_t(32), 65536 / registers,
                     shared ? 98304 / shared : uint64_t(32)});
}

std::vector<shape> launches_of(const char *name)
{
    std::vector<shape> all;
    smrf_device_limits limits{};
    limits.wants_block = [](void *, smrf_exec_dim) { return false; };
    smrf_device_listener listener{};
    listener.ctx = &all;
    listener.launch_begin = [](void *ctx, const smrf_exec_launch *launch) {
        const double blocks = double(launch->grid.x) * launch->grid.y * launch->grid.z;
        static_cast<std::vector<shape> *>(ctx)->push_back(
            {launch->entry->name, blocks, blocks / (80.0 * double(blocks_of_an_sm(*launch)))});
        return 0;
    };
    smrf_test::run_suite_program(name, SMRF_LARGE, &limits, &listener);
    return all;
}

class calls_large : public testing::TestWithParam<const char *>
{
};

TEST_P(calls_large, EveryLaunchHasFourWavesOfBlocks)
{
    const std::vector<shape> launches = launches_of(GetParam());
    ASSERT_FALSE(launches.empty());
    for (const shape &s : launches) {
        std::printf("%-20s %-12s %8.0f blocks, %6.2f waves\n", GetParam(), s.kernel.c_str(),
                    s.blocks, s.waves);
        EXPECT_TRUE(s.waves >= 4 || s.blocks == 1) << s.kernel;
    }
}

TEST(CallsLarge, SomeHaveFewBlocksByDesign)
{
    for (const char *name : {"bert_op-modules", "bert_score-modules"}) {
        const std::vector<shape> launches = launches_of(name);
        ASSERT_FALSE(launches.empty());
        for (const shape &s : launches) {
            EXPECT_LT(s.waves, 1.0) << name << " " << s.kernel;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Program, calls_large,
    testing::Values("bert_fc-modules", "cfd-modules", "clusters-modules", "collision-modules",
                    "dispatch", "dmr-modules", "fib-modules", "forest-modules", "functors-modules",
                    "gol-modules", "hydro-modules", "mst-modules", "nbody-modules", "pta-modules",
                    "ray-modules", "resnet_fp-modules", "resnet_wg-modules", "sssp-modules",
                    "structure-modules", "svr-modules", "traffic-modules", "vcycle-modules"),
    [](const auto &p) {
        std::string name = p.param;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

} // namespace
