// SPDX-License-Identifier: Apache-2.0
// The request channel against SMs that try again in every cycle, and each of its rules alone.
#include "tests/support/memory_dut.h"

#include "models/memory/channel.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

constexpr uint32_t SMS = 3;

smrf_config machine(uint32_t credits)
{
    smrf_config c = default_config();
    c.gpu.sms = SMS;
    c.noc.credits = credits;
    return c;
}

smrf_mem_request read_of(uint32_t id, uint64_t cycle, uint16_t sm = 0)
{
    smrf_mem_request r = {};
    r.address = 32 * uint64_t{id};
    r.cycle = cycle;
    r.id = id;
    r.byte_mask = UINT32_MAX;
    r.sm = sm;
    return r;
}

reference::traffic random_traffic(smrf_rng *rng)
{
    reference::traffic traffic(SMS);
    for (uint16_t sm = 0; sm < SMS; sm++) {
        uint64_t cycle = 0;
        for (uint32_t i = 0; i < 120; i++) {
            cycle += smrf_rng_below(rng, smrf_rng_below(rng, 8) ? 3 : 900);
            smrf_mem_request r = read_of(i, cycle, sm);
            r.address = 32 * uint64_t{smrf_rng_below(rng, 2000)};
            r.kind = static_cast<uint8_t>(smrf_rng_below(rng, 3));
            traffic[sm].push_back(r);
        }
    }
    return traffic;
}

bool same(const smrf_mem_response &a, const smrf_mem_response &b)
{
    return a.cycle == b.cycle && a.sm == b.sm && a.id == b.id && a.kind == b.kind;
}

// A memory with a channel for each SM.
struct channels {
    memory_dut memory;
    smrf_channel channel[SMS];
    uint64_t runs = 0; // of the memory, in send_all()

    explicit channels(const smrf_config &config) : memory(config)
    {
        for (smrf_channel &c : channel) {
            smrf_channel_init(&c, memory.get());
        }
    }

    void run(uint64_t now)
    {
        memory.run(now);
        for (smrf_channel &c : channel) {
            (void)smrf_channel_retry(&c);
        }
    }

    // SMs that send what they wish as early as the channel lets them, in windows of random length.
    std::vector<smrf_mem_response> run(reference::traffic wishes, smrf_rng *rng)
    {
        const uint32_t longest = smrf_memory_lookahead(memory_of(memory.config()));
        const auto left = [&] {
            return std::any_of(wishes.begin(), wishes.end(),
                               [](const auto &w) { return !w.empty(); }) ||
                   std::any_of(std::begin(channel), std::end(channel),
                               [](const auto &c) { return c.waiting; });
        };
        while (left() || !smrf_memory_idle(memory.get())) {
            const uint64_t now = memory.now();
            const uint64_t end = now + 1 + smrf_rng_below(rng, longest);
            for (uint32_t sm = 0; sm < SMS; sm++) {
                for (auto *w = &wishes[sm]; !w->empty(); w->pop_front()) {
                    smrf_mem_request r = w->front();
                    r.cycle = std::max({r.cycle, now, smrf_channel_free(&channel[sm])});
                    if (r.cycle >= end) {
                        break;
                    }
                    if (smrf_rng_below(rng, 2)) {
                        EXPECT_TRUE(smrf_channel_send(&channel[sm], &r));
                    } else {
                        (void)smrf_channel_take(&channel[sm], &r);
                    }
                }
            }
            run(end);
        }
        return memory.responses;
    }

    // A request an SM and cycle, as soon as the channel takes it.
    void send_all(reference::traffic wishes, bool in_windows)
    {
        std::vector<uint64_t> next(SMS);
        bool left = true;
        while (left || !smrf_memory_idle(memory.get())) {
            const uint64_t now = memory.now();
            const uint64_t end = in_windows ? std::min(smrf_memory_decided(memory.get(), now),
                                                       smrf_memory_horizon(memory.get()))
                                            : now + 1;
            left = false;
            for (uint32_t sm = 0; sm < SMS; sm++) {
                for (uint64_t cycle = std::max(next[sm], now); cycle < end; cycle++) {
                    if (wishes[sm].empty()) {
                        break;
                    }
                    smrf_mem_request r = wishes[sm].front();
                    r.cycle = cycle;
                    next[sm] = cycle + 1;
                    if (smrf_channel_send(&channel[sm], &r)) {
                        wishes[sm].pop_front();
                    }
                }
                left = left || !wishes[sm].empty() || channel[sm].waiting;
            }
            run(end);
            runs++;
        }
    }

    void reset()
    {
        memory.reset();
        for (smrf_channel &c : channel) {
            smrf_channel_reset(&c);
        }
    }
};

} // namespace

class RandomChannel : public testing::TestWithParam<uint32_t>
{
};

TEST_P(RandomChannel, IsAnsweredAsAnSmThatTriesInEveryCycle)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, GetParam(), 0);
    const smrf_config config = machine(1 + smrf_rng_below(&rng, 9));
    const reference::traffic traffic = random_traffic(&rng);
    memory_dut patient(config);
    const auto expected = patient.run(traffic, [] { return uint64_t{1}; });
    channels c(config);
    const auto got = c.run(traffic, &rng);
    ASSERT_EQ(expected.size(), got.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.begin(), same));
    EXPECT_GT(patient.stats().refused, 0u) << "credits did not matter";

    c.reset();
    const auto again = c.run(traffic, &rng);
    ASSERT_EQ(got.size(), again.size());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), again.begin(), same)) << "after a reset";
}

// As often as smrf_memory_decided() says the memory is run: the same as in every cycle.
TEST_P(RandomChannel, FindsTheInputFullAsAnSmThatTriesInEveryCycle)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, GetParam(), 1);
    smrf_config config = machine(4096);
    config.noc.input_queue = 1 + smrf_rng_below(&rng, 30);
    config.noc.flit_bytes = 4;
    reference::traffic traffic = random_traffic(&rng);
    for (auto &wishes : traffic) {
        for (auto &w : wishes) {
            w.cycle = 0;
        }
    }
    channels always(config), seldom(config);
    always.send_all(traffic, false);
    seldom.send_all(traffic, true);
    const auto &expected = always.memory.responses, &got = seldom.memory.responses;
    ASSERT_EQ(expected.size(), got.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got.begin(), same));
    EXPECT_GT(seldom.memory.stats().refused, 0u) << "the input was never full";
    EXPECT_LE(seldom.runs, always.runs);
    EXPECT_EQ(0u, seldom.channel[0].late + seldom.channel[1].late + seldom.channel[2].late);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomChannel, testing::Range(1u, 17u));

TEST(Channel, IsFreeInTheCycleInWhichTheMemoryTookTheLastRequest)
{
    channels c(machine(64));
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), 0u);
    smrf_mem_request r = read_of(1, 17);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r));
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), 17u);
    EXPECT_EQ(smrf_channel_free(&c.channel[1]), 0u) << "of another SM";
    EXPECT_FALSE(smrf_channel_retry(&c.channel[0])) << "nothing is held";
}

TEST(Channel, HoldsARequestUntilTheAnswerThatBringsItsCredit)
{
    channels c(machine(1));
    smrf_mem_request first = read_of(1, 0), second = read_of(2, 3);
    ASSERT_TRUE(smrf_channel_take(&c.channel[0], &first));
    EXPECT_FALSE(smrf_channel_take(&c.channel[0], &second));
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), SMRF_NEVER);
    EXPECT_FALSE(smrf_channel_retry(&c.channel[0])) << "the memory has not been run";
    for (uint64_t now = 1; c.memory.responses.empty(); now++) {
        EXPECT_EQ(smrf_channel_free(&c.channel[0]), SMRF_NEVER);
        c.run(now);
    }
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), c.memory.responses[0].cycle);
    EXPECT_GT(smrf_channel_free(&c.channel[0]), c.memory.now()) << "known ahead";
}

TEST(Channel, TakesARequestInACycleOfACreditThatIsKnownAlready)
{
    channels c(machine(1));
    smrf_mem_request first = read_of(1, 0), second;
    ASSERT_TRUE(smrf_channel_take(&c.channel[0], &first));
    while (c.memory.responses.empty()) {
        c.run(c.memory.now() + 1);
    }
    second = read_of(2, c.memory.now());
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &second));
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), c.memory.responses[0].cycle);
}

TEST(Channel, HoldsARequestThatIsFurtherAheadThanTheMemoryCanLook)
{
    channels c(machine(64));
    const uint64_t horizon = smrf_memory_horizon(c.memory.get());
    EXPECT_EQ(horizon, smrf_memory_lookahead(memory_of(c.memory.config())));
    smrf_mem_request r = read_of(1, 0);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r));
    EXPECT_TRUE(smrf_memory_sure(c.memory.get(), 0, horizon - 1));
    EXPECT_FALSE(smrf_memory_sure(c.memory.get(), 0, horizon));
    r = read_of(2, horizon);
    EXPECT_FALSE(smrf_channel_take(&c.channel[0], &r)) << "the first may be answered by then";
    c.run(1);
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), horizon);
    r = read_of(3, horizon);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r)) << "in sight now";
}

TEST(Channel, TakesARequestHoweverFarAheadWhereEveryAnswerIsKnown)
{
    channels c(machine(64));
    const uint64_t horizon = smrf_memory_horizon(c.memory.get()), far = 100 * horizon;
    smrf_mem_request r = read_of(1, far);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r));
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), far);
    r = read_of(2, far + horizon - 1);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r)) << "no answer to the first comes sooner";
    EXPECT_FALSE(smrf_memory_sure(c.memory.get(), 0, far + horizon));
    smrf_mem_request other = read_of(3, 0, 1);
    EXPECT_TRUE(smrf_channel_take(&c.channel[1], &other)) << "another SM's, long before";
    c.run(far);
    ASSERT_EQ(1u, c.memory.responses.size());
    EXPECT_EQ(3u, c.memory.responses[0].id);
    EXPECT_LT(c.memory.responses[0].cycle, far);
}

TEST(Channel, TakesALateRequestInTheFirstCycleThatIsLeft)
{
    channels c(machine(64));
    c.run(100);
    smrf_mem_request r = read_of(1, 40);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r));
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), 100u);
    r = read_of(2, 60);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r)) << "in order behind the first";
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), 100u);
    EXPECT_EQ(c.channel[0].late, 2u);
    r = read_of(3, 100);
    EXPECT_TRUE(smrf_channel_take(&c.channel[0], &r));
    EXPECT_EQ(c.channel[0].late, 2u) << "in time";
}

TEST(Channel, SendsNothingThatItDoesNotTake)
{
    channels c(machine(1));
    smrf_mem_request first = read_of(1, 17), second = read_of(2, 16);
    ASSERT_TRUE(smrf_channel_send(&c.channel[0], &first));
    EXPECT_FALSE(smrf_channel_send(&c.channel[0], &second)) << "before the last one";
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), 17u);
    second.cycle = 17;
    EXPECT_TRUE(smrf_channel_send(&c.channel[0], &second)) << "held";
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), SMRF_NEVER);
    second.cycle = 5000;
    EXPECT_FALSE(smrf_channel_send(&c.channel[0], &second)) << "one is";
    while (!smrf_memory_idle(c.memory.get())) {
        c.run(c.memory.now() + 1);
    }
    EXPECT_EQ(c.memory.responses.size(), 2u);
    EXPECT_EQ(c.channel[0].late, 0u);
}

// Behind others who have not come so far; what follows the first is refused as it would be in time.
TEST(Channel, SendsFarAheadWhatNobodyCanAnswerSooner)
{
    std::vector<smrf_mem_response> near;
    for (const bool far : {false, true}) {
        channels c(machine(1));
        const uint32_t lookahead = smrf_memory_lookahead(memory_of(c.memory.config()));
        const uint64_t start = 100 * uint64_t{lookahead};
        const smrf_mem_request first = read_of(1, start),
                               second = read_of(2, start + lookahead - 1), other = read_of(3, 0, 1);
        const auto send_both = [&] {
            EXPECT_TRUE(smrf_channel_send(&c.channel[0], &first));
            EXPECT_EQ(smrf_channel_free(&c.channel[0]), start);
            EXPECT_TRUE(smrf_channel_send(&c.channel[0], &second));
            EXPECT_EQ(smrf_channel_free(&c.channel[0]), SMRF_NEVER)
                << "held: the first has the credit";
        };
        if (far) {
            send_both();
        }
        EXPECT_TRUE(smrf_channel_send(&c.channel[1], &other));
        c.run(start);
        ASSERT_EQ(1u, c.memory.responses.size());
        EXPECT_LT(c.memory.responses[0].cycle, start);
        if (!far) {
            send_both();
        }
        while (!smrf_memory_idle(c.memory.get())) {
            c.run(c.memory.now() + lookahead / 3);
        }
        ASSERT_EQ(3u, c.memory.responses.size());
        EXPECT_EQ(1u, c.memory.stats().refused);
        if (far) {
            EXPECT_TRUE(same(near[1], c.memory.responses[1]));
            EXPECT_TRUE(same(near[2], c.memory.responses[2]));
        }
        near = c.memory.responses;
    }
}

TEST(Channel, SendsALateRequestInTheFirstCycleThatIsLeft)
{
    channels c(machine(64));
    c.run(100);
    smrf_mem_request r = read_of(1, 40);
    EXPECT_TRUE(smrf_channel_send(&c.channel[0], &r));
    EXPECT_EQ(smrf_channel_free(&c.channel[0]), 100u);
    EXPECT_EQ(c.channel[0].late, 1u);
}
