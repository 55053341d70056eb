// SPDX-License-Identifier: Apache-2.0
#include "models/common/smrf_rng.h"
#include "models/frontend/allotment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace
{

smrf_sm_params limits(uint32_t registers = 65536)
{
    smrf_sm_params p{};
    p.threads = 1024;
    p.warps = 32;
    p.blocks = 16;
    p.registers = registers;
    p.register_unit = 4;
    p.shared_bytes = 65536;
    p.subcores = 4;
    return p;
}

smrf_sm_kernel kernel(uint32_t warps, uint32_t registers)
{
    smrf_sm_kernel k{};
    k.warps_per_block = warps;
    k.registers = registers;
    return k;
}

TEST(Allotment, AWarpGetsWholeRowsOfAllBanks)
{
    const smrf_sm_params sm = limits();
    for (uint32_t banks = 1; banks <= 16; banks++) {
        smrf_allotment a;
        ASSERT_EQ(0, smrf_allotment_init(&a, &sm, banks));
        for (uint32_t registers = 1; registers < 256; registers++) {
            const smrf_sm_kernel k = kernel(1, registers);
            uint32_t a_thread = smrf_allotment_of_thread(&sm, &k, nullptr, nullptr);
            EXPECT_EQ((registers + 3) / 4 * 4, a_thread);
            uint32_t got = smrf_allotment_of_warp(&a, a_thread);
            EXPECT_GE(got, registers);
            EXPECT_EQ(0u, got % banks) << banks << " banks, " << registers;
        }
    }
}

TEST(Allotment, FirstFitAndNeverTheSameRegisterTwice)
{
    const smrf_sm_params sm = limits();
    for (uint32_t seed = 0; seed < 50; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 31);
        smrf_allotment a;
        ASSERT_EQ(0, smrf_allotment_init(&a, &sm, 2));
        std::vector<bool> taken(a.rows);
        std::vector<std::pair<uint32_t, uint32_t>> held;
        for (int n = 0; n < 400; n++) {
            if (!held.empty() && smrf_rng_below(&rng, 3) == 0) {
                size_t i = smrf_rng_below(&rng, uint32_t(held.size()));
                smrf_allotment_give(&a, 1, held[i].first, held[i].second);
                std::fill_n(taken.begin() + held[i].first, held[i].second, false);
                held.erase(held.begin() + long(i));
                continue;
            }
            uint32_t size = a.unit * (1 + smrf_rng_below(&rng, 12));
            int expected = -1;
            for (uint32_t at = 0; at + size <= a.rows && expected < 0; at += a.unit) {
                bool free = std::none_of(taken.begin() + at, taken.begin() + at + size,
                                         [](bool t) { return t; });
                expected = free ? int(at) : -1;
            }
            int base = smrf_allotment_take(&a, 1, size);
            ASSERT_EQ(expected, base) << "seed " << seed;
            if (base >= 0) {
                std::fill_n(taken.begin() + base, size, true);
                held.push_back({uint32_t(base), size});
            }
        }
        EXPECT_EQ(0, smrf_allotment_take(&a, 0, a.unit)) << "another sub-core has its own";
    }
}

TEST(Allotment, ABlockFitsIfEveryOfItsWarpsDoesInItsSubcore)
{
    const smrf_sm_params sm = limits(16384); // 128 registers a sub-core
    smrf_allotment a;
    ASSERT_EQ(0, smrf_allotment_init(&a, &sm, 2));
    EXPECT_TRUE(smrf_allotment_fits(&a, 0, 5, 64)) << "two warps in sub-core 0";
    ASSERT_EQ(0, smrf_allotment_take(&a, 0, 8));
    EXPECT_FALSE(smrf_allotment_fits(&a, 0, 5, 64)) << "now one only";
    EXPECT_TRUE(smrf_allotment_fits(&a, 1, 5, 64)) << "sub-core 1 takes two of them then";
    EXPECT_TRUE(smrf_allotment_fits(&a, 0, 5, 0)) << "warps may start without";
    smrf_allotment_give(&a, 0, 0, 8);
    smrf_allotment_count(&a, 5, 64, true);
    EXPECT_FALSE(smrf_allotment_fits(&a, 0, 5, 64)) << "5 x 32 x 64 registers are counted in";
    smrf_allotment_count(&a, 5, 64, false);
    EXPECT_TRUE(smrf_allotment_fits(&a, 0, 5, 64));
}

TEST(Allotment, ResetGivesEverythingBack)
{
    const smrf_sm_params sm = limits();
    smrf_allotment a;
    ASSERT_EQ(0, smrf_allotment_init(&a, &sm, 2));
    smrf_allotment_count(&a, 4, 32, true);
    for (unsigned sub = 0; sub < 4; sub++) {
        smrf_allotment_take(&a, sub, 64);
    }
    smrf_allotment_reset(&a);
    EXPECT_EQ(0u, a.threads_used);
    for (unsigned sub = 0; sub < 4; sub++) {
        EXPECT_EQ(0, smrf_allotment_take(&a, sub, 64));
    }
}

TEST(Allotment, RefusesMoreRegistersThanItsMapHolds)
{
    smrf_sm_params sm = limits(262144);
    sm.subcores = 1;
    smrf_allotment a;
    EXPECT_EQ(0, smrf_allotment_init(&a, &sm, 2));
    sm.registers = 1u << 25;
    EXPECT_EQ(SMRF_ERR_LIMIT, smrf_allotment_init(&a, &sm, 2));
}

} // namespace
