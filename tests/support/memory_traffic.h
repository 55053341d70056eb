// SPDX-License-Identifier: Apache-2.0
// Random machines and traffic for memories, and the rules that their answers and counts obey.
#ifndef SMRF_TESTS_MEMORY_TRAFFIC_H
#define SMRF_TESTS_MEMORY_TRAFFIC_H

#include "memory_dut.h"

#include <gtest/gtest.h>

inline uint32_t pick(smrf_rng *r, std::initializer_list<uint32_t> values)
{
    return *(values.begin() + smrf_rng_below(r, uint32_t(values.size())));
}

inline smrf_config random_config(smrf_rng *r)
{
    smrf_config c = default_config();

    c.gpu.sms = pick(r, {1, 2, 3, 10, 30, 65});
    c.gpu.core_khz = pick(r, {1365000, 1132000, 1000000, 3});
    c.noc.flit_bytes = pick(r, {40, 40, 40, 32, 16, 8, 4});
    c.noc.latency = pick(r, {0, 1, 2, 9});
    c.noc.one_a_cycle = pick(r, {1, 0});
    c.noc.credits = pick(r, {1, 7, 64, 512});
    c.dram.channels = pick(r, {1, 2, 3, 4, 12});
    c.l2.slices = c.dram.channels * pick(r, {1, 2, 3, 4});
    c.l2.sets = pick(r, {1, 2, 16, 64});
    c.l2.ways = pick(r, {1, 2, 4, 16});
    c.l2.latency = pick(r, {1, 3, 40, 194, 300});
    c.l2.mshrs = pick(r, {1, 2, 16, 192});
    c.l2.mshr_merge = pick(r, {1, 2, 4});
    c.l2.set_hash = pick(r, {SMRF_HASH_LINEAR, SMRF_HASH_IPOLY});
    c.l2.hash = pick(r, {SMRF_HASH_LINEAR, SMRF_HASH_IPOLY});
    c.dram.khz = c.gpu.core_khz == 3 ? pick(r, {1, 3, 7}) : pick(r, {3500500, 850000, 1365000});
    c.dram.latency = pick(r, {0, 1, 96, 290});
    c.dram.bus_bytes = pick(r, {2, 1, 16});
    c.dram.burst = pick(r, {16, 8, 2});
    c.dram.data_rate = pick(r, {4, 2});
    c.dram.queue = pick(r, {1, 2, 8, 64});
    c.dram.banks = pick(r, {1, 2, 16, 64});
    c.dram.bank_groups = pick(r, {1, 4, 3});
    c.dram.ccd = pick(r, {4, 1});
    c.dram.ccdl = pick(r, {6, 1});
    c.dram.rrd = pick(r, {12, 3});
    c.dram.ras = pick(r, {55, 55, 250});
    c.dram.rcd = pick(r, {24, 2});
    c.dram.cl = pick(r, {24, 2});
    c.dram.wl = pick(r, {8, 2, 30});
    c.l2.fetch_bytes = 32u << (c.l2.ways + c.dram.cl) % 3;
    c.l2.atomic_cycles = (c.l2.mshrs + c.dram.cl) % 4 * 5;
    c.dram.open_bytes = c.dram.wl == 2 ? 128 : 2048;
    c.dram.bank_hash = c.dram.rcd == 2;
    c.dram.summed_clocks = (c.l2.mshrs ^ c.noc.latency) & 1; // no draw: others keep theirs
    c.dram.dual_bus = (c.dram.latency ^ c.l2.ways) & 1;
    c.l2.slice_bytes = c.dram.open_bytes > 128 && c.noc.flit_bytes == 40 ? 256 : 128;
    return c;
}

// Reuse at several distances, writes whole and in part, atomics, bursts and pauses.
inline reference::traffic random_traffic(smrf_rng *r, const smrf_config &c, uint32_t requests)
{
    reference::traffic t(c.gpu.sms);
    uint64_t span = 32 * uint64_t(pick(r, {8, 64, 1024, 65536}));
    uint32_t write_percent = pick(r, {0, 30, 100});
    uint32_t pause = pick(r, {0, 1, 3, 400});
    uint64_t stream = 0;

    for (uint32_t i = 0; i < requests; i++) {
        uint32_t sm = smrf_rng_below(r, c.gpu.sms);
        uint64_t last = t[sm].empty() ? 0 : t[sm].back().cycle;
        smrf_mem_request q{};

        q.sm = uint16_t(sm);
        q.id = i;
        q.cycle = last + (pause ? smrf_rng_below(r, pause) : 0);
        q.kind = SMRF_MEM_READ;
        q.byte_mask = UINT32_MAX;
        if (smrf_rng_below(r, 3) == 0) {
            q.address = stream += 32;
        } else {
            q.address = UINT64_C(0x7f0a20000000) + smrf_rng_below(r, uint32_t(span / 32)) * 32;
        }
        if (smrf_rng_below(r, 100) < write_percent) {
            q.kind = SMRF_MEM_WRITE;
            q.byte_mask = smrf_rng_below(r, 2) ? UINT32_MAX : 0xffu << smrf_rng_below(r, 24);
        } else if (smrf_rng_below(r, 10) == 0) {
            q.kind = SMRF_MEM_ATOMIC;
            q.byte_mask = q.address & 32 ? 0xf : 0xffffu; // no draw, as above
        }
        t[sm].push_back(q);
    }
    return t;
}

inline std::string text(const smrf_mem_response &r)
{
    return "cycle " + std::to_string(r.cycle) + " sm " + std::to_string(r.sm) + " id " +
           std::to_string(r.id) + " kind " + std::to_string(r.kind);
}

inline void expect_equal(std::vector<smrf_mem_response> expected,
                         const std::vector<smrf_mem_response> &got)
{
    std::stable_sort(expected.begin(), expected.end(), [](const auto &a, const auto &b) {
        return std::make_pair(a.cycle, a.sm) < std::make_pair(b.cycle, b.sm);
    });
    ASSERT_EQ(expected.size(), got.size());
    for (size_t i = 0; i < got.size(); i++) {
        ASSERT_EQ(text(expected[i]), text(got[i])) << "response " << i;
    }
}

inline void expect_equal(const smrf_memory_stats &expected, const smrf_memory_stats &got)
{
#define EXPECT_STAT(name, ...) EXPECT_EQ(expected.name, got.name) << #name;
    SMRF_MEMORY_STATS(EXPECT_STAT)
#undef EXPECT_STAT
}

// Laws of memory.h, once nothing is under way.
inline void expect_laws(const smrf_memory_stats &s)
{
    EXPECT_EQ(s.requests, s.responses);
    EXPECT_EQ(s.requests, s.l2_reads + s.l2_writes + s.l2_atomics);
    EXPECT_EQ(s.l2_reads, s.l2_read_hits + s.l2_read_merges + s.l2_read_misses);
    EXPECT_EQ(s.l2_writes, s.l2_write_hits + s.l2_write_misses);
    EXPECT_EQ(s.l2_atomics, s.l2_atomic_hits + s.l2_atomic_merges + s.l2_atomic_misses);
    EXPECT_EQ(s.l2_fills, s.l2_read_misses + s.l2_atomic_misses);
    EXPECT_EQ(s.l2_fills, s.dram_reads);
    EXPECT_EQ(s.l2_write_backs, s.dram_writes);
    EXPECT_EQ(s.dram_row_hits + s.dram_row_misses, s.dram_reads + s.dram_writes);
    EXPECT_LE(s.dram_activations, s.dram_row_misses);
    EXPECT_LE(s.dram_precharges, s.dram_activations) << "a row is closed that was opened";
}

// A reset in the middle of traffic leaves the memory as a fresh one.
inline void expect_reset_forgets_traffic(const smrf_config &c)
{
    smrf_rng r;
    memory_dut m(c), fresh(c);

    smrf_rng_seed(&r, 32, 0);
    const reference::traffic t = random_traffic(&r, c, 500);
    for (const auto &q : t) {
        for (smrf_mem_request w : q) {
            w.cycle = 0;
            smrf_memory_push(m.get(), &w);
        }
    }
    m.run(150);
    EXPECT_FALSE(smrf_memory_idle(m.get()));
    m.reset();
    EXPECT_TRUE(smrf_memory_idle(m.get()));
    auto one = [] { return 1u; };
    ASSERT_NO_FATAL_FAILURE(expect_equal(fresh.run(t, one), m.run(t, one)));
    expect_equal(fresh.stats(), m.stats());
}

#endif
