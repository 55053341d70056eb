// SPDX-License-Identifier: Apache-2.0
// What CARS remembers of kernels: half of the SMs begin at each end, blocks that finish decide, and
// the next launch of the same name begins where the last one ended.
#include "models/cars/gpu.h"
#include "models/common/smrf_zeroed.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace
{

struct machine {
    machine()
    {
        options.rfp_slot = 1;
        options.policy = SMRF_CARS_POLICY_ADAPTIVE;
        options.frames = 2;
        options.interval = 500;
        setup.gpu.sms = 4;
        setup.sm.subcores = 4;
        setup.sm.registers = 65536;
        setup.sm.threads = 2048;
        setup.sm.warps = 64;
        setup.sm.blocks = 32;
        setup.sm.shared_bytes = 98304;
        setup.sm.register_unit = 8;
        setup.rf.banks = 2;
        setup.options = &options;
        for (unsigned f = 0; f < 3; f++) {
            function[f].pc = 0x100 * f;
            function[f].frame[0] = f ? 20 : 0;
            function[f].deepest[0][1] = 21 * (f ? 3 - f : 4);
        }
        program.num_functions = 3;
        program.num_calls = 1;
        program.function = function;
        program.unknown_call = SMRF_PROGRAM_NONE;
        kernel.threads_per_block = 256;
        kernel.warps_per_block = 8;
        kernel.registers = 32;
        kernel.program = &program;
        for (unsigned i = 0; i < setup.gpu.sms; i++) {
            auto *m = static_cast<smrf_cars *>(smrf_zeroed(sizeof(smrf_cars)));
            m->setup = setup;
            m->options = &options;
            m->rows = smrf_cars_rows(&setup);
            m->subs = setup.sm.subcores;
            sm.push_back(m);
        }
        EXPECT_EQ(0, smrf_cars_gpu_seam.init(&gpu, &setup));
    }
    ~machine()
    {
        for (void *m : sm) {
            smrf_zeroed_free(m);
        }
    }
    machine(const machine &) = delete;
    machine &operator=(const machine &) = delete;
    smrf_cars &at(unsigned i)
    {
        return *static_cast<smrf_cars *>(sm[i]);
    }
    // Levels of the SMs' next blocks.
    std::vector<unsigned> levels()
    {
        std::vector<unsigned> all;
        for (unsigned i = 0; i < sm.size(); i++) {
            all.push_back(at(i).level);
        }
        return all;
    }
    void begin(const char *name)
    {
        launch.name = name;
        launch.kernel = &kernel;
        smrf_cars_gpu_seam.kernel_begin(&gpu, sm.data(), &launch, 0);
    }
    // A block of every SM ends at its level, which performs as given.
    void blocks_end(const std::vector<uint64_t> &performance)
    {
        uint64_t row[SMRF_SERIES_COLUMNS];
        for (unsigned i = 0; i < sm.size(); i++) {
            at(i).samples.sum[at(i).level] += performance[at(i).level];
            at(i).samples.count[at(i).level]++;
        }
        smrf_cars_gpu_seam.edge(&gpu, sm.data(), 0, 0, 1, row);
    }
    void end()
    {
        smrf_cars_gpu_seam.kernel_end(&gpu, sm.data(), &launch, 0);
    }
    smrf_cars_params options{};
    smrf_mechanism_setup setup{};
    smrf_program_function function[3] = {};
    smrf_program program{};
    smrf_sm_kernel kernel{};
    smrf_gpu_launch launch{};
    std::vector<void *> sm;
    smrf_cars_gpu gpu{};
};

TEST(CarsGpu, TheNextLaunchOfTheSameKernelBeginsAtTheRememberedLevel)
{
    machine m;
    m.begin("a");
    const unsigned top = m.at(0).num_levels - 1;
    ASSERT_GE(top, 2u) << "levels that differ in the warps that run";
    EXPECT_EQ((std::vector<unsigned>{0, 0, top, top}), m.levels());
    std::vector<uint64_t> performance(top + 1, 10);
    performance[1] = 50;
    performance[top] = 20;
    for (int n = 0; n < 6; n++) {
        m.blocks_end(performance);
    }
    EXPECT_EQ((std::vector<unsigned>{1, 1, 1, 1}), m.levels());
    m.end();
    m.begin("b");
    EXPECT_EQ((std::vector<unsigned>{0, 0, top, top}), m.levels()) << "another kernel";
    m.end();
    m.begin("a");
    EXPECT_EQ((std::vector<unsigned>{1, 1, 1, 1}), m.levels());
}

TEST(CarsGpu, LevelsGiveAllRegistersAndFewerWarpsWithDeeperStacks)
{
    machine m;
    m.begin("a");
    const smrf_cars &first = m.at(0);
    for (unsigned i = 0; i < first.num_levels; i++) {
        const smrf_cars_level &l = first.levels[i];
        EXPECT_GE(l.registers, l.wanted);
        EXPECT_LE(l.warps * l.registers, first.rows);
        EXPECT_GT((l.warps + 1) * ((l.wanted + 7) / 8 * 8), first.rows) << "no warp less than fit";
        EXPECT_TRUE(i == 0 || l.warps < first.levels[i - 1].warps);
    }
    EXPECT_EQ(32u + 21, first.levels[0].wanted);
    EXPECT_EQ(32u + 84, first.levels[first.num_levels - 1].wanted);
}

TEST(CarsGpu, WhereHighCostsNoWarpThereIsNothingToDecide)
{
    machine m;
    m.kernel.share = 1; // a block an SM: two warps a sub-core
    m.begin("a");
    EXPECT_EQ(1u, m.at(0).num_levels);
    EXPECT_EQ(256u, m.at(0).levels[0].registers);
    EXPECT_EQ((std::vector<unsigned>{0, 0, 0, 0}), m.levels());
}

} // namespace
