// SPDX-License-Identifier: Apache-2.0
// The view scoreboard on whole machines: what programs do is what they do in the other views,
// cycles are close to theirs, and nothing but the configuration and the trace decides them.
#include "tests/support/engine_outcome.h"

#include <cmath>

using engine_outcome::difference;
using engine_outcome::expect_complete;
using engine_outcome::outcome;
using engine_outcome::preset;
using engine_outcome::run;
using engine_outcome::run_options;
using engine_outcome::source_folder;

namespace
{

std::string bundled(const std::string &name)
{
    return source_folder() + "/traces/bundled/" + name;
}

outcome replay(const char *machine, const std::string &trace, const char *view,
               const run_options &options = {})
{
    return run(smrf_engine_direct, bundled(trace), preset(machine, {view, "gpu.sms=4"}), options);
}

constexpr const char *estimated = "sim.view=scoreboard";
constexpr const char *traces[] = {"divergent", "fib", "gemm", "hotspot", "matmul", "ray"};

class scoreboard_view : public testing::TestWithParam<std::tuple<const char *, const char *>>
{
  protected:
    const char *machine = std::get<0>(GetParam());
    const char *trace = std::get<1>(GetParam());
};

double error_of(const outcome &exact, const outcome &estimate)
{
    const double cycles = static_cast<double>(exact.cycle);
    return 100 * (static_cast<double>(estimate.cycle) / cycles - 1);
}

} // namespace

TEST_P(scoreboard_view, DoesWhatTheProgramDoes)
{
    const outcome at = replay(machine, trace, "sim.view=at");
    const outcome estimate = replay(machine, trace, estimated);
    const smrf_counters a = at.sum(), b = estimate.sum();
    expect_complete(estimate);
    EXPECT_EQ(a.sm.completed, b.sm.completed);
    EXPECT_EQ(a.sm.warps, b.sm.warps);
    EXPECT_EQ(a.sm.barriers, b.sm.barriers);
    EXPECT_EQ(a.sm.operand_reads, b.sm.operand_reads);
    EXPECT_EQ(a.sm.operand_writes, b.sm.operand_writes);
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        EXPECT_EQ(a.sm.warp_insts_by_class[c], b.sm.warp_insts_by_class[c]) << c;
        EXPECT_EQ(a.sm.thread_insts_by_class[c], b.sm.thread_insts_by_class[c]) << c;
    }
    EXPECT_EQ(a.ldst.global_loads, b.ldst.global_loads);
    EXPECT_EQ(a.ldst.global_stores, b.ldst.global_stores);
    EXPECT_EQ(a.ldst.global_sectors, b.ldst.global_sectors);
    EXPECT_EQ(a.ldst.shared_loads, b.ldst.shared_loads);
    EXPECT_EQ(a.ldst.shared_stores, b.ldst.shared_stores);
    EXPECT_EQ(a.ldst.shared_conflict_cycles, b.ldst.shared_conflict_cycles);
    EXPECT_EQ(a.ldst.atomics, b.ldst.atomics);
    EXPECT_EQ(a.ldst.l1d_global_load_accesses, b.ldst.l1d_global_load_accesses);
    EXPECT_EQ(a.ldst.l1d_global_store_accesses, b.ldst.l1d_global_store_accesses);
    EXPECT_EQ(b.memory.requests, b.memory.responses);
    EXPECT_EQ(b.ldst.reads_sent + b.ldst.writes_sent + b.ldst.atomics_sent, b.memory.requests);
}

TEST_P(scoreboard_view, HasTheSameCyclesHoweverItIsRun)
{
    const outcome once = replay(machine, trace, estimated);
    run_options slices, threads, again;
    slices.slice = 777;
    threads.threads = 3;
    again.before = bundled("divergent");
    again.before_cycles = 500;
    EXPECT_EQ("", difference(once, replay(machine, trace, estimated, slices)));
    EXPECT_EQ("", difference(once, replay(machine, trace, estimated, threads)));
    EXPECT_EQ("", difference(once, replay(machine, trace, estimated, again)));
}

INSTANTIATE_TEST_SUITE_P(OfBundledTraces, scoreboard_view,
                         testing::Combine(testing::Values("rtx2060-paper", "rtx2060-accelsim"),
                                          testing::ValuesIn(traces)));

TEST(ScoreboardView, CyclesOfBundledTracesAreWithinTheBounds)
{
    for (const char *machine : {"rtx2060-paper", "rtx2060-accelsim"}) {
        double sum = 0;
        for (const char *trace : traces) {
            const double error =
                error_of(replay(machine, trace, "sim.view=at"), replay(machine, trace, estimated));
            EXPECT_LT(std::fabs(error), 25) << machine << " " << trace;
            sum += std::fabs(error);
        }
        EXPECT_LT(sum / std::size(traces), 10) << machine;
    }
}
