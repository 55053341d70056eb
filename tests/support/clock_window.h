// SPDX-License-Identifier: Apache-2.0
// For tests of a core with read stages: sequences with control bits on an SM of a preset, and the
// cycles in which they issue.
#ifndef SMRF_TESTS_CLOCK_WINDOW_H
#define SMRF_TESTS_CLOCK_WINDOW_H

#include "tests/support/modern_sequence.h"

namespace sm_test
{

// Its instructions are there: every sequence is one line.
inline smrf_config modern_core(const char *preset = "ga100-modern")
{
    smrf_config cfg = replay::preset(preset, {"gpu.sms=1", "frontend.l0_bytes=0"});
    cfg.sim.check = true;
    return cfg;
}

constexpr uint64_t window_memory_latency = 171; // makes dep_VIS_S02 exact

// A sequence of one warp: the cycles in which its lines issue, operands that were stale, registers
// that were read early by the table of latencies, and operands that the register file cache had.
struct sequence_run {
    std::vector<uint64_t> at;
    uint64_t stale, early, hits;
    // From one line to another.
    uint64_t cycles(size_t from, size_t to) const
    {
        return at[to] - at[from];
    }
    // From the first line to the last one.
    uint64_t cycles() const
    {
        return at.back() - at.front();
    }
};

// stride: bytes from one lane's word of an access to the next lane's.
inline sequence_run run_sequence(const std::vector<std::string> &lines,
                                 const smrf_config &cfg = modern_core(), int64_t stride = 4)
{
    std::vector<std::string> all(6, "S12 Y NOP"); // its instruction buffer is full from then on
    const size_t first = all.size();
    all.insert(all.end(), lines.begin(), lines.end());
    program p = sequence(all);
    for (step &s : p) {
        s.stride = stride;
    }
    dut d(cfg, {{p}}, 64, 1024);
    d.memory_latency = window_memory_latency;
    d.laws = false;
    d.run();
    auto at = d.cycles_of(0);
    at.pop_back(); // EXIT
    at.erase(at.begin(), at.begin() + std::ptrdiff_t(first));
    const smrf_control_stats *control = smrf_issue_control_stats(smrf_sm_blocks(d.sm(), 0)->issue);
    return {at, d.stats().oracle_violations, control->early_reads, d.stats().cache_hits};
}

} // namespace sm_test

#endif
