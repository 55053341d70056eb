// SPDX-License-Identifier: Apache-2.0
// One SM on the in-tree memory, driven window by window without the GPU module: the bundled traces
// run to their ends with a monitor on every connection, inside the SM and out of it.
#include "platform/config/registry.h"
#include "tests/support/engine_outcome.h"
#include "tests/support/tlm_mocks.h"

#include "models/blocks/sm_module.h"
#include "models/memory/memory_module.h"
#include "models/tlm/protocol_monitor.h"

using namespace smrf;
using engine_outcome::preset;
using engine_outcome::source_folder;

namespace
{

const smrf_mechanism *const baseline = smrf_mechanism_find("baseline");

struct driver {
    driver(const smrf_config &config, const std::string &path, bool monitors = true)
        : cfg(config), memory("memory", smrf_config_memory(&cfg), period_ps(cfg.gpu.core_khz)),
          sm("sm", {smrf_config_sm(&cfg), 0, baseline, smrf_mechanism_setup_of(&cfg, baseline),
                    smrf_gpu_source(feed.data()), &cores, nullptr, monitors}),
          core(sm.core())
    {
        sm.memory.socket.bind(outer.in);
        outer.out.bind(memory.in[0]);
        EXPECT_EQ(0, smrf_trace_open(&trace, path.c_str(), nullptr));
        EXPECT_EQ(0, smrf_gpu_init(&gpu, &cfg, trace, &core, feed.data()));
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    ~driver()
    {
        smrf_trace_close(trace);
    }
    // The SM's script up to `until`, blocks handed out as it asks for them.
    void window(uint64_t until)
    {
        do {
            sm.start({until, until, 0});
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
            ASSERT_EQ(smrf_gpu_settle(&gpu), 0);
        } while (smrf_gpu_serve(&gpu) >= 0);
        if (smrf_sm_cycle(core) < until) { // the blocks have just run out
            sm.start({until, until, 0});
            sc_core::sc_start(sc_core::SC_ZERO_TIME);
            ASSERT_EQ(smrf_gpu_settle(&gpu), 0);
        }
    }
    void run()
    {
        const smrf_memory_config behind = smrf_config_memory(&cfg);
        const uint32_t quantum = std::min(cfg.sim.quantum, smrf_memory_lookahead(&behind));
        uint64_t cycle = 0;
        while (smrf_gpu_next_kernel(&gpu, cycle) == 1) {
            smrf_gpu_begin_kernel(&gpu);
            EXPECT_EQ(sm.begin_kernel(gpu.launch, gpu.simt, 0), 0);
            while (!smrf_gpu_kernel_done(&gpu)) {
                memory.advance(cycle);
                window(cycle + quantum);
                cycle += quantum;
                memory.advance(cycle);
                const sc_core::sc_time at = smrf_test::ps(cycle * period_ps(cfg.gpu.core_khz));
                sc_core::sc_start(at - sc_core::sc_time_stamp());
            }
            ends.push_back(gpu.kernel.end);
        }
    }

    const smrf_config cfg;
    smrf_gpu gpu{};
    std::vector<smrf_gpu_feed> feed{1};
    smrf_trace *trace = nullptr;
    memory_module memory;
    protocol_monitor outer{"outer"};
    slab cores;
    sm_module sm;
    smrf_sm *core;
    std::vector<uint64_t> ends;
};

class on_trace : public testing::TestWithParam<std::tuple<const char *, const char *>>
{
};

} // namespace

TEST_P(on_trace, RunsCleanUnderMonitorsEverywhere)
{
    const auto [name, machine] = GetParam();
    const std::string path = source_folder() + "/traces/bundled/" + name;
    const smrf_config cfg = preset(machine, {"gpu.sms=1"});
    driver d(cfg, path);
    d.run();

    const auto *stats = smrf_sm_stats_get(d.core);
    const auto *totals = smrf_trace_totals_get(d.trace);
    EXPECT_EQ(stats->warp_insts, totals->warp_insts);
    EXPECT_EQ(stats->oracle_violations, 0u);
    EXPECT_EQ(d.sm.blocks()->violations() + d.outer.violations(), 0u);
    EXPECT_GE(d.sm.blocks()->monitored(), stats->bank_reads + stats->bank_writes);
    EXPECT_EQ(d.outer.transactions(), d.sm.memory.sent());
    EXPECT_GT(d.outer.transactions(), 0u);
    EXPECT_TRUE(d.outer.check_quiescent());
    EXPECT_TRUE(d.sm.blocks()->pool().check_empty());
    EXPECT_TRUE(d.sm.memory.pool().check_empty());
    EXPECT_GE(d.sm.blocks()->pool().peak(), 1u);
    EXPECT_LE(d.sm.blocks()->pool().peak(), 2u) << "a transaction, and one that its call begins";
    EXPECT_TRUE(d.memory.idle());
    // The launches end when they end in the whole machine.
    const engine_outcome::outcome whole = engine_outcome::run(smrf_engine_direct, path, cfg);
    ASSERT_FALSE(d.ends.empty());
    EXPECT_EQ(d.ends[0], whole.kernels.at(1));
}

INSTANTIATE_TEST_SUITE_P(SmModule, on_trace,
                         testing::Combine(testing::Values("matmul", "divergent"),
                                          testing::Values("rtx2060-paper", "rtx2060-accelsim",
                                                          "qv100-accelsim", "larf-paper")));

// The delay that a bank annotates is what dispatch goes by.
class on_banks : public testing::TestWithParam<unsigned>
{
};

TEST_P(on_banks, TheirDelayHoldsUpThePipeline)
{
    const std::string path = source_folder() + "/traces/bundled/matmul";
    const unsigned cycles = GetParam();
    const smrf_config cfg = preset("rtx2060-paper", {"gpu.sms=1"});
    driver d(cfg, path, false); // a slow bank is a pipeline: its accesses overlap
    const sc_core::sc_time cycle = smrf_test::ps(period_ps(cfg.gpu.core_khz));
    for (unsigned sub = 0; sub < cfg.sm.subcores; sub++) {
        for (unsigned bank = 0; bank < cfg.rf.banks; bank++) {
            d.sm.blocks()->bank(sub, bank).set_access(cycle * cycles);
        }
    }
    d.run();
    const engine_outcome::outcome usual = engine_outcome::run(smrf_engine_direct, path, cfg);
    ASSERT_FALSE(d.ends.empty());
    if (cycles == 1) {
        EXPECT_EQ(d.ends[0], usual.kernels.at(1)) << "the usual delay";
    } else {
        EXPECT_GT(d.ends[0], usual.kernels.at(1) * 6 / 5) << "two banks are the bottleneck";
    }
    EXPECT_EQ(smrf_sm_stats_get(d.core)->oracle_violations, 0u);
    EXPECT_EQ(smrf_sm_stats_get(d.core)->warp_insts, smrf_trace_totals_get(d.trace)->warp_insts);
}

INSTANTIATE_TEST_SUITE_P(SmModule, on_banks, testing::Values(1u, 12u));
