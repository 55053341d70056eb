// SPDX-License-Identifier: Apache-2.0
// Instruction caches of the sub-cores: latency, stream buffer, turns at the SM's cache; against
// lists.
#include "models/frontend/l0.h"

#include "models/common/smrf_rng.h"
#include "tests/support/slow_l0.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace
{

smrf_frontend_params params(uint32_t ahead)
{
    smrf_frontend_params p{};
    p.l0_bytes = 1024;
    p.l0_ways = 2;
    p.l0_ahead = ahead;
    p.l0_latency = 78;
    p.l0_interval = 2;
    p.icache_bytes = 0;
    p.icache_ways = 4;
    p.icache_miss_latency = 200;
    return p;
}

struct cache {
    explicit cache(const smrf_frontend_params &p, unsigned subcores = 4)
    {
        EXPECT_EQ(SMRF_OK, smrf_icache_init(l1.get(), l1_line.data(), &p));
        wires.ctx = l1.get();
        wires.code_line = [](void *ctx, unsigned, uint32_t pc, uint64_t cycle, bool waits) {
            smrf_icache *l1c = static_cast<smrf_icache *>(ctx);
            return waits ? smrf_icache_give(l1c, pc, cycle) : smrf_icache_fetch(l1c, pc, cycle);
        };
        for (unsigned sub = 0; sub < subcores; sub++) {
            EXPECT_EQ(SMRF_OK,
                      smrf_l0_init(&c[sub], &line[sub * SMRF_L0_LINES], &p, sub, subcores, &wires));
        }
    }
    uint64_t fetch(unsigned sub, uint32_t pc, uint64_t cycle)
    {
        return smrf_l0_fetch(&c[sub], pc, cycle);
    }
    uint64_t sum(uint64_t smrf_l0::*counter) const
    {
        uint64_t all = 0;
        for (const smrf_l0 &l0 : c) {
            all += l0.*counter;
        }
        return all;
    }
    std::vector<smrf_l0> c = std::vector<smrf_l0>(SMRF_MAX_SUBCORES);
    smrf_wires wires{};
    std::unique_ptr<smrf_icache> l1 = std::make_unique<smrf_icache>();
    std::vector<smrf_icache_line> line =
        std::vector<smrf_icache_line>(SMRF_MAX_SUBCORES * SMRF_L0_LINES);
    std::vector<smrf_icache_line> l1_line = std::vector<smrf_icache_line>(SMRF_ICACHE_LINES);
};

TEST(L0, SubCoresThatMissTogetherGetTheirLinesOneAfterTheOther)
{
    cache c(params(0));
    for (unsigned sub = 0; sub < 4; sub++) {
        EXPECT_EQ(10 + 78 + 2 * sub, c.fetch(sub, 0x40, 10));
    }
    EXPECT_EQ(88u, c.fetch(0, 0x70, 20)) << "the same line, on its way";
    EXPECT_EQ(90u, c.fetch(0, 0x70, 90));
    EXPECT_EQ(178u, c.fetch(0, 0x80, 100)) << "the next line: nothing was fetched ahead";
    EXPECT_EQ(5u, c.sum(&smrf_l0::misses));
}

TEST(L0, AStreamBufferHasTheLinesBehindAMiss)
{
    cache c(params(3));
    EXPECT_EQ(78u, c.fetch(0, 0, 0));
    EXPECT_EQ(8u + 78, c.fetch(0, 128, 60)) << "asked for in the next round of the sub-cores";
    EXPECT_EQ(16u + 78, c.fetch(0, 256, 60));
    EXPECT_EQ(200u, c.fetch(0, 5 * 128, 200)) << "those before it are dropped";
    EXPECT_EQ(300u + 78, c.fetch(0, 3 * 128, 300)) << "and miss";
    EXPECT_EQ(2u, c.sum(&smrf_l0::misses));
    EXPECT_EQ(3u, c.sum(&smrf_l0::streamed));
    smrf_l0_reset(&c.c[0]);
    EXPECT_EQ(500u + 78, c.fetch(0, 256, 500));
}

TEST(L0, RefusesMoreLinesThanItHasAndSetsThatAreNoPowerOfTwo)
{
    cache c(params(0));
    for (const uint32_t bytes : {128u * 1024, 3u * 256}) {
        smrf_frontend_params p = params(0);
        p.l0_bytes = bytes;
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_l0_init(c.c.data(), c.line.data(), &p, 0, 4, &c.wires));
    }
}

TEST(L0, EqualsListsOnRandomAddresses)
{
    smrf_rng rng;
    uint64_t streamed = 0, misses = 0;
    for (uint32_t seed = 0; seed < 40; seed++) {
        smrf_rng_seed(&rng, seed, 8);
        smrf_frontend_params p = params(smrf_rng_below(&rng, 9));
        p.l0_bytes = 256u << smrf_rng_below(&rng, 4);
        p.icache_bytes = smrf_rng_below(&rng, 2) ? 4096 : 0;
        p.l0_latency = smrf_rng_below(&rng, 100);
        p.l0_interval = 1 + smrf_rng_below(&rng, 3);
        const unsigned subs = 1u << smrf_rng_below(&rng, 3);
        cache c(p, subs);
        slow::l0 lists(p, subs);
        uint32_t pc[4] = {};
        uint64_t cycle = 0;
        for (unsigned i = 0; i < 3000; i++) {
            const unsigned sub = smrf_rng_below(&rng, subs);
            pc[sub] = smrf_rng_below(&rng, 12) ? pc[sub] + 16 : 16 * smrf_rng_below(&rng, 800);
            cycle += smrf_rng_below(&rng, 4);
            ASSERT_EQ(lists.fetch(sub, pc[sub], cycle), c.fetch(sub, pc[sub], cycle))
                << "seed " << seed << ", fetch " << i;
        }
        EXPECT_EQ(lists.misses, c.sum(&smrf_l0::misses));
        EXPECT_EQ(lists.streamed, c.sum(&smrf_l0::streamed));
        streamed += c.sum(&smrf_l0::streamed);
        misses += c.sum(&smrf_l0::misses);
    }
    EXPECT_GT(streamed, 1000u);
    EXPECT_GT(misses, 1000u);
}

} // namespace
