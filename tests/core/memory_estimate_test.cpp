// SPDX-License-Identifier: Apache-2.0
// The memory of the view scoreboard: as its plain reference in every step size, and close to the
// memory that it estimates.
#include "tests/support/memory_estimate_reference.h"
#include "tests/support/memory_traffic.h"

#include <numeric>

namespace
{

smrf_config estimated(smrf_config c)
{
    c.sim.view = SMRF_VIEW_SCOREBOARD;
    c.dram.summed_clocks = 0; // rounding of a DRAM cycle, which the reference leaves out
    return c;
}

class RandomEstimate : public testing::TestWithParam<uint32_t>
{
};

TEST_P(RandomEstimate, AnswersAsTheReferenceInEveryStepSize)
{
    smrf_rng r;

    smrf_rng_seed(&r, GetParam(), 78);
    for (int round = 0; round < 6; round++) {
        const smrf_config c = estimated(random_config(&r));
        const reference::traffic t = random_traffic(&r, c, 400);
        reference::estimated_memory slow(c);
        const auto expected = slow.run(t);
        const uint64_t most = smrf_memory_lookahead(memory_of(c));
        smrf_rng steps = r;

        for (int way = 0; way < 3; way++) {
            memory_dut m(c);
            const auto got = m.run(t, [&]() -> uint64_t {
                return way == 0   ? 1
                       : way == 1 ? std::min<uint64_t>(64, most)
                                  : 1 + smrf_rng_below(&steps, uint32_t(most));
            });
            smrf_memory_stats stats = m.stats();
            stats.refused = slow.stats.refused = 0; // attempts, which depend on the steps
            ASSERT_NO_FATAL_FAILURE(expect_equal(expected, got))
                << "round " << round << " way " << way;
            expect_equal(slow.stats, stats);
            if (c.l2.fetch_bytes == SMRF_SECTOR_BYTES) {
                expect_laws(m.stats());
            }
            ASSERT_FALSE(HasFailure()) << "round " << round << " way " << way;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomEstimate, testing::Range(1u, 25u));

// Cycles of each of these requests, every one alone in the memory.
std::vector<uint64_t> alone(const smrf_config &c, const std::vector<smrf_mem_request> &requests)
{
    memory_dut m(c);
    std::vector<uint64_t> took;

    for (smrf_mem_request q : requests) {
        q.cycle = m.now();
        EXPECT_TRUE(smrf_memory_push(m.get(), &q));
        const size_t before = m.responses.size();
        for (int i = 0; i < 10000 && m.responses.size() == before; i++) {
            m.run(m.now() + 1);
        }
        took.push_back(m.responses.back().cycle - q.cycle);
        m.run(m.now() + 10000);
    }
    return took;
}

TEST(MemoryEstimate, ALoneRequestTakesItsTime)
{
    smrf_rng r;

    smrf_rng_seed(&r, 5, 0);
    for (int i = 0; i < 40; i++) {
        smrf_config c = random_config(&r);
        c.l2.mshrs = 192; // one for each sector around a miss
        std::vector<smrf_mem_request> requests;
        for (uint32_t k = 0; k < 12; k++) {
            smrf_mem_request q{};
            q.id = k;
            q.kind = uint8_t(k % 3);
            q.byte_mask = 0xf;
            q.address = UINT64_C(0x7f0a20000000) + k / 6 * 1048576 + k % 2 * 32;
            requests.push_back(q);
        }
        const auto exact = alone(c, requests), estimate = alone(estimated(c), requests);
        const double bound = 2 + 2.0 * c.gpu.core_khz / c.dram.khz; // a cycle of each clock, twice
        for (size_t k = 0; k < requests.size(); k++) {
            EXPECT_NEAR(double(exact[k]), double(estimate[k]), bound)
                << "machine " << i << " request " << k;
        }
    }
}

// A crowd's last answer and mean latency, streaming or at random, reading or not.
TEST(MemoryEstimate, CrowdsTakeNearlyTheirTime)
{
    for (uint32_t pattern = 0; pattern < 4; pattern++) {
        smrf_config c = default_config();
        reference::traffic t(c.gpu.sms);
        smrf_rng r;

        smrf_rng_seed(&r, 6, pattern);
        for (uint32_t i = 0; i < 20000; i++) {
            smrf_mem_request q{};
            q.sm = uint16_t(i / 4 % c.gpu.sms);
            q.id = i;
            q.kind = pattern / 2 && i / 4 % 3 == 0 ? SMRF_MEM_WRITE : SMRF_MEM_READ;
            q.byte_mask = UINT32_MAX;
            q.cycle = i / c.gpu.sms * 3;
            q.address = pattern % 2 ? smrf_rng_below(&r, 1 << 14) * 32u : i * 32u;
            t[q.sm].push_back(q);
        }
        uint64_t last[2];
        double mean[2];
        for (int way = 0; way < 2; way++) {
            memory_dut m(way ? estimated(c) : c);
            const auto got = m.run(t, [] { return 64u; });
            std::vector<uint64_t> sent(20000);
            for (const auto &of : t) {
                for (const auto &q : of) {
                    sent[q.id] = q.cycle;
                }
            }
            mean[way] = std::accumulate(got.begin(), got.end(), 0.0,
                                        [&](double sum, const smrf_mem_response &a) {
                                            return sum + double(a.cycle - sent[a.id]);
                                        }) /
                        double(got.size());
            last[way] = got.back().cycle;
        }
        EXPECT_NEAR(1, double(last[1]) / double(last[0]), .02) << pattern;
        EXPECT_NEAR(1, mean[1] / mean[0], pattern == 1 ? .25 : .05) << pattern;
    }
}

TEST(MemoryEstimate, ResetInTheMiddleOfTrafficForgetsIt)
{
    expect_reset_forgets_traffic(estimated(default_config()));
}

} // namespace
