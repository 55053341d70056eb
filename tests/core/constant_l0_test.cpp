// SPDX-License-Identifier: Apache-2.0
// The constant cache of a sub-core, by hand and beside lists.
#include "models/frontend/constant_l0.h"

#include "models/common/smrf_rng.h"
#include "tests/support/slow_l0.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

struct cache {
    explicit cache(uint32_t bytes, uint32_t ways = 8)
    {
        params.constant_bytes = bytes;
        params.constant_ways = ways;
        params.constant_latency = 79;
        init = smrf_constant_l0_init(&c, line.data(), &params);
    }
    uint64_t read(uint32_t address, uint64_t cycle)
    {
        return smrf_icache_fetch(&c, address, cycle);
    }
    smrf_frontend_params params{};
    smrf_icache c{};
    std::vector<smrf_icache_line> line = std::vector<smrf_icache_line>(SMRF_CONSTANT_LINES);
    int init = 0;
};

TEST(ConstantL0, ALineHas64BytesOfABank)
{
    cache c(512);
    ASSERT_EQ(SMRF_OK, c.init);
    EXPECT_EQ(10u + 79, c.read(0x160, 10));
    EXPECT_EQ(10u + 79, c.read(0x17c, 20)) << "the same line, on its way";
    EXPECT_EQ(100u, c.read(0x140, 100));
    EXPECT_EQ(100u + 79, c.read(0x180, 100)) << "the next line";
    EXPECT_EQ(100u + 79, c.read(0x30160, 100)) << "the same offset of bank 3";
    EXPECT_EQ(3u, c.c.misses);
    EXPECT_EQ(5u, c.c.accesses);
    smrf_icache_reset(&c.c);
    EXPECT_EQ(300u + 79, c.read(0x160, 300));
}

TEST(ConstantL0, ReplacesTheLeastRecentlyUsedLine)
{
    cache c(512);
    for (uint32_t i = 0; i < 8; i++) {
        c.read(64 * i, 0);
    }
    EXPECT_EQ(200u, c.read(0, 200));
    c.read(64 * 8, 200); // replaces line 1
    EXPECT_EQ(300u, c.read(0, 300));
    EXPECT_EQ(300u + 79, c.read(64, 300));
}

TEST(ConstantL0, RefusesMoreLinesThanItHasAndSetsThatAreNoPowerOfTwo)
{
    EXPECT_EQ(SMRF_ERR_INVAL, cache(8192).init);
    EXPECT_EQ(SMRF_ERR_INVAL, cache(3 * 512).init);
}

TEST(ConstantL0, EqualsListsOnRandomAddresses)
{
    smrf_rng rng;
    uint64_t misses = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        smrf_rng_seed(&rng, seed, 9);
        const uint32_t ways = 1u << smrf_rng_below(&rng, 4);
        cache c(64 * ways << smrf_rng_below(&rng, 3), ways);
        slow::constants lists(c.params);
        uint64_t cycle = 0;
        for (unsigned i = 0; i < 3000; i++) {
            const uint32_t address =
                4 * smrf_rng_below(&rng, 400) + (smrf_rng_below(&rng, 8) ? 0 : 0x30000);
            cycle += smrf_rng_below(&rng, 20);
            ASSERT_EQ(lists.read(address, cycle), c.read(address, cycle))
                << "seed " << seed << ", read " << i;
        }
        EXPECT_EQ(lists.misses, c.c.misses);
        misses += c.c.misses;
    }
    EXPECT_GT(misses, 1000u);
}

} // namespace
