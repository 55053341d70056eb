// SPDX-License-Identifier: Apache-2.0
// The memory core beside the plain reference: random traffic on random configurations gives the
// same responses in the same cycles and the same counts, whatever the steps in which time advances.
#include "../support/memory_dut.h"

#include <gtest/gtest.h>

namespace
{

uint32_t pick(smrf_rng *r, std::initializer_list<uint32_t> values)
{
    return *(values.begin() + smrf_rng_below(r, uint32_t(values.size())));
}

smrf_config random_config(smrf_rng *r)
{
    smrf_config c = default_config();

    c.gpu_sms = pick(r, {1, 2, 3, 10, 30, 65});
    c.gpu_core_khz = pick(r, {1365000, 1132000, 1000000, 3});
    c.noc_flit_bytes = pick(r, {40, 40, 40, 32, 16, 8, 4});
    c.noc_latency = pick(r, {0, 1, 2, 9});
    c.noc_credits = pick(r, {1, 7, 64, 512});
    c.dram_channels = pick(r, {1, 2, 3, 4, 12});
    c.l2_slices = c.dram_channels * pick(r, {1, 2, 3, 4});
    c.l2_sets = pick(r, {1, 2, 16, 64});
    c.l2_ways = pick(r, {1, 2, 4, 16});
    c.l2_latency = pick(r, {1, 3, 40, 194, 300});
    c.l2_mshrs = pick(r, {1, 2, 16, 192});
    c.l2_mshr_merge = pick(r, {1, 2, 4});
    c.l2_hash = pick(r, {SMRF_HASH_LINEAR, SMRF_HASH_IPOLY});
    c.dram_khz = c.gpu_core_khz == 3 ? pick(r, {1, 3, 7}) : pick(r, {3500500, 850000, 1365000});
    c.dram_latency = pick(r, {0, 1, 96, 290});
    c.dram_bus_bytes = pick(r, {2, 1, 16});
    c.dram_burst = pick(r, {16, 8, 2});
    c.dram_data_rate = pick(r, {4, 2});
    c.dram_queue = pick(r, {1, 2, 8, 64});
    c.dram_banks = pick(r, {1, 2, 16, 64});
    c.dram_bank_groups = pick(r, {1, 4, 3});
    c.dram_ccd = pick(r, {4, 1});
    c.dram_ccdl = pick(r, {6, 1});
    c.dram_rrd = pick(r, {12, 3});
    c.dram_wl = pick(r, {8, 2, 30});
    return c;
}

// Reuse at several distances, writes whole and in part, atomics, bursts and pauses.
reference::traffic random_traffic(smrf_rng *r, const smrf_config &c, uint32_t requests)
{
    reference::traffic t(c.gpu_sms);
    uint64_t span = 32 * uint64_t(pick(r, {8, 64, 1024, 65536}));
    uint32_t write_percent = pick(r, {0, 30, 100});
    uint32_t pause = pick(r, {0, 1, 3, 400});
    uint64_t stream = 0;

    for (uint32_t i = 0; i < requests; i++) {
        uint32_t sm = smrf_rng_below(r, c.gpu_sms);
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
            q.byte_mask = 0xf;
        }
        t[sm].push_back(q);
    }
    return t;
}

std::string text(const smrf_mem_response &r)
{
    return "cycle " + std::to_string(r.cycle) + " sm " + std::to_string(r.sm) + " id " +
           std::to_string(r.id) + " kind " + std::to_string(r.kind);
}

void expect_equal(std::vector<smrf_mem_response> expected,
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

void expect_equal(const smrf_memory_stats &expected, const smrf_memory_stats &got)
{
#define EXPECT_STAT(name, ...) EXPECT_EQ(expected.name, got.name) << #name;
    SMRF_MEMORY_STATS(EXPECT_STAT)
#undef EXPECT_STAT
}

class RandomMemory : public testing::TestWithParam<uint32_t>
{
};

TEST_P(RandomMemory, AnswersAsTheReferenceInEveryStepSize)
{
    smrf_rng r;

    smrf_rng_seed(&r, GetParam(), 77);
    for (int round = 0; round < 6; round++) {
        smrf_config c = random_config(&r);
        reference::traffic t = random_traffic(&r, c, 400);
        reference::memory slow(c);
        auto expected = slow.run(t);
        uint64_t most = smrf_memory_lookahead(&c);
        smrf_rng steps = r;

        for (int way = 0; way < 3; way++) {
            memory_dut m(c);
            auto got = m.run(t, [&]() -> uint64_t {
                return way == 0   ? 1
                       : way == 1 ? std::min<uint64_t>(64, most)
                                  : 1 + smrf_rng_below(&steps, uint32_t(most));
            });

            ASSERT_NO_FATAL_FAILURE(expect_equal(expected, got))
                << "round " << round << " way " << way;
            expect_equal(slow.stats, m.stats());
            if (HasFailure()) {
                FAIL() << "round " << round << " way " << way;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMemory, testing::Range(1u, 25u));

} // namespace
