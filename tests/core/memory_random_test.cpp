// SPDX-License-Identifier: Apache-2.0
// The memory core beside the plain reference: random traffic on random configurations gives the
// same responses in the same cycles and the same counts, whatever the steps in which time advances.
#include "tests/support/memory_traffic.h"

#include <gtest/gtest.h>

#include <set>

namespace
{

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
        uint64_t most = smrf_memory_lookahead(memory_of(c));
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

std::string machine_name(const testing::TestParamInfo<std::tuple<uint32_t, uint32_t, uint32_t>> &i)
{
    return std::to_string(std::get<0>(i.param)) + "sms" + std::to_string(std::get<1>(i.param)) +
           "channels" + std::to_string(std::get<2>(i.param)) + "slices";
}

class Corner : public testing::TestWithParam<std::tuple<uint32_t, uint32_t, uint32_t>>
{
};

TEST_P(Corner, AnswersAsTheReference)
{
    smrf_config c = default_config();
    smrf_rng r;

    c.gpu.sms = std::get<0>(GetParam());
    c.dram.channels = std::get<1>(GetParam());
    c.l2.slices = std::get<2>(GetParam());
    c.l2.sets = 1;
    c.l2.ways = 2;
    smrf_rng_seed(&r, 9, c.l2.slices);
    reference::traffic t = random_traffic(&r, c, 1500);
    reference::memory slow(c);
    auto expected = slow.run(t);
    memory_dut m(c);

    ASSERT_NO_FATAL_FAILURE(expect_equal(expected, m.run(t, [] { return 64u; })));
    expect_equal(slow.stats, m.stats());
    expect_laws(m.stats());
}

INSTANTIATE_TEST_SUITE_P(Machines, Corner,
                         testing::Values(std::make_tuple(1u, 1u, 1u), std::make_tuple(256u, 1u, 1u),
                                         std::make_tuple(1u, 64u, 128u),
                                         std::make_tuple(256u, 64u, 128u),
                                         std::make_tuple(80u, 1u, 64u),
                                         std::make_tuple(64u, 64u, 64u)),
                         machine_name);

// A channel takes no more from its slices' queues than it has places for: on the way to the window
// there is time for more, so that the end of one request lets the next one go.
TEST(FullChannel, AnswersAsTheReference)
{
    for (uint32_t latency : {96u, 290u}) {
        smrf_config c = default_config();
        smrf_rng r;
        reference::traffic t(c.gpu.sms);

        smrf_rng_seed(&r, 5, latency);
        c.dram.channels = 1;
        c.l2.slices = 4;
        c.dram.latency = latency;
        for (uint32_t i = 0; i < 6000; i++) {
            smrf_mem_request q{};
            q.sm = uint16_t(i % c.gpu.sms);
            q.id = i;
            q.byte_mask = UINT32_MAX;
            q.cycle = t[q.sm].empty() ? 0 : t[q.sm].back().cycle + smrf_rng_below(&r, 3);
            q.address = smrf_rng_below(&r, 8) ? i * 32u : smrf_rng_below(&r, 1u << 20) * 32u;
            t[q.sm].push_back(q);
        }
        reference::memory slow(c);
        const auto expected = slow.run(t);
        memory_dut m(c);

        ASSERT_NO_FATAL_FAILURE(expect_equal(expected, m.run(t, [] { return 64u; })));
        expect_equal(slow.stats, m.stats());
    }
}

// Many SMs read the same few sectors: where one comes, answers of its MSHR and hits of those that
// come behind share the queue of replies, of which one leaves in a cycle.
smrf_config crowded(uint32_t merge)
{
    smrf_config c = default_config();

    c.gpu.sms = 30;
    c.noc.one_a_cycle = 0;
    c.dram.channels = 1;
    c.l2.slices = 2;
    c.l2.mshr_merge = merge;
    return c;
}

reference::traffic crowd(const smrf_config &c, uint32_t sectors, uint32_t requests)
{
    reference::traffic t(c.gpu.sms);

    for (uint32_t i = 0; i < requests; i++) {
        smrf_mem_request q{};
        q.sm = uint16_t(i % c.gpu.sms);
        q.id = i;
        q.byte_mask = UINT32_MAX;
        q.cycle = i / c.gpu.sms / 4;
        q.kind = i % 7 == 0 && sectors > 1 ? SMRF_MEM_ATOMIC : SMRF_MEM_READ;
        q.address = i / c.gpu.sms % sectors * 32u;
        t[q.sm].push_back(q);
    }
    return t;
}

TEST(Crowd, IsAnsweredAsTheReferenceDoes)
{
    for (uint32_t merge : {4u, 256u}) {
        for (uint32_t sectors : {1u, 3u, 16u, 64u}) {
            const smrf_config c = crowded(merge);
            const reference::traffic t = crowd(c, sectors, 3000);
            reference::memory slow(c);
            const auto expected = slow.run(t);
            smrf_rng steps;

            smrf_rng_seed(&steps, merge, sectors);
            for (uint32_t most : {1u, 64u, smrf_memory_lookahead(memory_of(c))}) {
                memory_dut m(c);

                ASSERT_NO_FATAL_FAILURE(expect_equal(
                    expected, m.run(t, [&] { return 1 + smrf_rng_below(&steps, most); })));
                expect_equal(slow.stats, m.stats());
            }
        }
    }
}

// Few requests fit into an SM's input of the network; others of other SMs stand before the slices.
TEST(InputQueue, HoldsRequestsBackAsTheReferenceDoes)
{
    for (uint32_t places : {1u, 2u, 3u, 9u, 40u}) {
        smrf_config c = crowded(4);
        c.noc.input_queue = places;
        c.noc.credits = 4096;
        const reference::traffic t = crowd(c, 64, 6000);
        reference::memory slow(c);
        const auto expected = slow.run(t);
        memory_dut m(c);

        ASSERT_NO_FATAL_FAILURE(expect_equal(expected, m.run(t, [] { return 1u; })));
        expect_equal(slow.stats, m.stats());
        EXPECT_GT(m.stats().refused, 0u) << places;
    }
}

// A reply takes five times as long over its link as its request, so that replies fill the network's
// input, the queue behind it, and hold up their slices.
TEST(InputQueue, HoldsRepliesBackAsTheReferenceDoes)
{
    for (uint32_t places : {1u, 2u, 3u, 9u, 12u}) {
        for (bool one_a_cycle : {false, true}) {
            SCOPED_TRACE(std::to_string(places) + (one_a_cycle ? ", one a cycle" : ", several"));
            smrf_config c = crowded(256);
            c.noc.flit_bytes = 8;
            c.noc.input_queue = places;
            c.noc.credits = 4096;
            c.noc.one_a_cycle = one_a_cycle;
            reference::traffic t = crowd(c, 64, 6000);
            for (auto &of_sm : t) {
                for (size_t i = 0; places > 3 && i < of_sm.size(); i++) {
                    of_sm[i].cycle =
                        i / 8 * 2500; // few requests: they find room in steps of any size
                }
            }
            reference::memory slow(c);
            const auto expected = slow.run(t);
            smrf_rng steps;

            smrf_rng_seed(&steps, places, one_a_cycle);
            for (uint32_t most : {1u, 64u, smrf_memory_lookahead(memory_of(c))}) {
                const uint32_t longest = places > 3 ? most : 1;
                memory_dut m(c);

                ASSERT_NO_FATAL_FAILURE(expect_equal(
                    expected, m.run(t, [&] { return 1 + smrf_rng_below(&steps, longest); })));
                expect_equal(slow.stats, m.stats());
                EXPECT_GT(m.stats().l2_reply_full_cycles, 0u);
            }
        }
    }
}

// Every SM sends as fast as it may, to one place or all over, through the smallest queues.
TEST(SaturatedMemory, AnswersEveryRequestOnceAndObeysItsLaws)
{
    for (uint32_t pattern = 0; pattern < 4; pattern++) {
        smrf_config c = default_config();
        smrf_rng r;
        reference::traffic t(c.gpu.sms);

        smrf_rng_seed(&r, 4, pattern);
        c.noc.credits = 40;
        c.l2.sets = 2;
        c.l2.ways = 2;
        c.dram.queue = 4;
        c.l2.mshrs = 3;
        c.l2.mshr_merge = 2;
        for (uint32_t i = 0; i < 20000; i++) {
            smrf_mem_request q{};
            q.sm = uint16_t(i % c.gpu.sms);
            q.id = i;
            q.kind = uint8_t(smrf_rng_below(&r, 3));
            q.byte_mask = smrf_rng_next(&r) | 1;
            q.address = pattern == 0   ? 0
                        : pattern == 1 ? smrf_rng_below(&r, 64) * 1048576u
                        : pattern == 2 ? smrf_rng_next(&r) / 32 * 32
                                       : i * 32u;
            t[q.sm].push_back(q);
        }
        memory_dut m(c);
        auto got = m.run(t, [] { return 64u; });
        std::set<uint32_t> ids;
        uint64_t last_key = 0;

        for (const smrf_mem_response &a : got) {
            EXPECT_TRUE(ids.insert(a.id).second);
            EXPECT_EQ(a.id % c.gpu.sms, a.sm);
            ASSERT_LT(last_key, a.cycle << 8 | a.sm); // ascending, one an SM and cycle
            last_key = a.cycle << 8 | a.sm;
        }
        EXPECT_EQ(20000u, ids.size());
        EXPECT_GT(m.stats().refused, 0u);
        expect_laws(m.stats());
    }
}

TEST(MemoryStatistics, EachMoves)
{
    smrf_memory_stats sum{};
    smrf_rng r;

    smrf_rng_seed(&r, 12, 0);
    for (int i = 0; i < 60; i++) {
        smrf_config c = random_config(&r);
        memory_dut m(c);

        smrf_memory_warm(m.get(), 0, 4096);
        m.run(random_traffic(&r, c, 400), [] { return 1u; });
        smrf_memory_stats s = m.stats();
#define ADD_STAT(name, ...) sum.name += s.name;
        SMRF_MEMORY_STATS(ADD_STAT)
#undef ADD_STAT
    }
    const smrf_config c = crowded(256);
    memory_dut m(c);
    m.run(crowd(c, 1, 2000), [] { return 1u; });
    sum.l2_reply_full_cycles += m.stats().l2_reply_full_cycles;
#define EXPECT_MOVED(name, ...) EXPECT_GT(sum.name, 0u) << #name;
    SMRF_MEMORY_STATS(EXPECT_MOVED)
#undef EXPECT_MOVED
}

TEST(MemoryReset, IsAsAFreshMemory)
{
    smrf_rng r;

    smrf_rng_seed(&r, 31, 0);
    for (int i = 0; i < 10; i++) {
        smrf_config c = random_config(&r);
        reference::traffic first = random_traffic(&r, c, 300), second = random_traffic(&r, c, 300);
        memory_dut used(c), fresh(c);
        auto one = [] { return 1u; };

        smrf_memory_warm(used.get(), 0, 65536);
        used.run(first, one);
        used.reset();
        ASSERT_NO_FATAL_FAILURE(expect_equal(fresh.run(second, one), used.run(second, one)));
        expect_equal(fresh.stats(), used.stats());
    }
}

TEST(MemoryReset, InTheMiddleOfTrafficForgetsIt)
{
    expect_reset_forgets_traffic(default_config());
}

TEST(MemoryStatistics, ResetLeavesTimeAndContent)
{
    smrf_config c = default_config();
    smrf_rng r;
    memory_dut m(c);

    smrf_rng_seed(&r, 33, 0);
    m.run(random_traffic(&r, c, 500), [] { return 64u; });
    smrf_memory_stats_reset(m.get());
    expect_equal(smrf_memory_stats{}, m.stats());
    smrf_mem_request q{};
    q.address = 32;
    q.cycle = m.now();
    smrf_memory_warm(m.get(), 32, 1);
    EXPECT_TRUE(smrf_memory_push(m.get(), &q));
    m.run(m.now() + 2);
    EXPECT_EQ(1u, m.stats().l2_read_hits);
    EXPECT_EQ(1u, m.stats().responses);
}

} // namespace
