// SPDX-License-Identifier: Apache-2.0
// The instruction cache: lines, sets, replacement, refills under way; against a slow reference.
#include "models/frontend/icache.h"

#include "models/common/smrf_rng.h"

#include <gtest/gtest.h>
#include <list>
#include <map>
#include <memory>
#include <vector>

namespace
{

smrf_frontend_params config_of(uint32_t bytes, uint32_t ways, uint32_t latency)
{
    smrf_frontend_params cfg{};
    cfg.icache_bytes = bytes;
    cfg.icache_ways = ways;
    cfg.icache_miss_latency = latency;
    return cfg;
}

struct cache {
    explicit cache(const smrf_frontend_params &cfg) : c(new smrf_icache)
    {
        EXPECT_EQ(SMRF_OK, smrf_icache_init(c.get(), line.data(), &cfg));
    }
    uint64_t fetch(uint32_t pc, uint64_t cycle)
    {
        return smrf_icache_fetch(c.get(), pc, cycle);
    }
    std::unique_ptr<smrf_icache> c;
    std::vector<smrf_icache_line> line = std::vector<smrf_icache_line>(SMRF_ICACHE_LINES);
};

TEST(InstructionCache, ALineArrivesAfterTheLatencyAndNotEarlier)
{
    cache c(config_of(4096, 4, 100));
    EXPECT_EQ(110u, c.fetch(0x100, 10));
    EXPECT_EQ(110u, c.fetch(0x17c, 109)) << "the same line, still on its way";
    EXPECT_EQ(110u, c.fetch(0x100, 110));
    EXPECT_EQ(210u, c.fetch(0x180, 110)) << "the next line";
    EXPECT_EQ(2u, c.c->misses);
    EXPECT_EQ(4u, c.c->accesses);
}

TEST(InstructionCache, TheLeastRecentlyUsedLineOfASetGoes)
{
    cache c(config_of(2 * 128, 2, 1)); // one set of two lines
    c.fetch(0 * 128, 0);
    c.fetch(1 * 128, 5);
    c.fetch(0 * 128, 10);
    c.fetch(2 * 128, 15); // replaces line 1
    EXPECT_EQ(20u, c.fetch(0 * 128, 20));
    EXPECT_EQ(26u, c.fetch(1 * 128, 25));
}

TEST(InstructionCache, ResetEmptiesIt)
{
    cache c(config_of(4096, 4, 7));
    c.fetch(0, 0);
    smrf_icache_reset(c.c.get());
    EXPECT_EQ(107u, c.fetch(0, 100));
}

TEST(InstructionCache, RefusesSetsThatAreNoPowerOfTwoAndMoreLinesThanItHas)
{
    auto c = std::make_unique<smrf_icache>();
    std::vector<smrf_icache_line> line(SMRF_ICACHE_LINES);
    smrf_frontend_params three = config_of(3 * 2 * 128, 2, 1), huge = config_of(2 << 20, 1, 1);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_icache_init(c.get(), line.data(), &three));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_icache_init(c.get(), line.data(), &huge));
}

TEST(InstructionCache, EqualsAListPerSetOnRandomAddresses)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 5, 0);
    for (uint32_t ways : {1u, 2u, 8u}) {
        cache c(config_of(16 * ways * 128, ways, 30));
        std::map<uint32_t, std::list<std::pair<uint32_t, uint64_t>>> sets; // newest first
        for (uint64_t cycle = 0; cycle < 20000; cycle++) {
            uint32_t pc = smrf_rng_below(&rng, 16 * ways * 3) * 128 + smrf_rng_below(&rng, 8) * 16;
            uint32_t tag = pc / 128;
            auto &set = sets[tag % 16];
            uint64_t expected = cycle + 30;
            for (auto it = set.begin(); it != set.end(); ++it) {
                if (it->first == tag) {
                    expected = std::max(it->second, cycle);
                    set.erase(it);
                    break;
                }
            }
            set.emplace_front(tag, expected);
            if (set.size() > ways) {
                set.pop_back();
            }
            ASSERT_EQ(expected, c.fetch(pc, cycle)) << "cycle " << cycle << " ways " << ways;
        }
    }
}

} // namespace
