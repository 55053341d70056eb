// SPDX-License-Identifier: Apache-2.0
#include "models/common/smrf_rng.h"
#include "models/xbar/xbar.h"

#include <gtest/gtest.h>

#include <map>

namespace
{

TEST(Crossbar, RefusesNoCollectorAndTooMany)
{
    smrf_xbar x;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_xbar_init(&x, 0, 1));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_xbar_init(&x, SMRF_MAX_COLLECTORS + 1, 1));
    EXPECT_EQ(0, smrf_xbar_init(&x, SMRF_MAX_COLLECTORS, 1));
}

TEST(Crossbar, APortTakesItsNumberOfOperandsInAStep)
{
    for (uint32_t ports = 1; ports <= 16; ports++) {
        smrf_xbar x;
        ASSERT_EQ(0, smrf_xbar_init(&x, 4, ports));
        for (int step = 0; step < 3; step++) {
            smrf_xbar_begin_step(&x);
            for (uint32_t n = 0; n < ports; n++) {
                EXPECT_TRUE(smrf_xbar_probe_free(&x) >> 2 & 1) << n << " of " << ports;
                smrf_xbar_reserve(&x, 2);
            }
            EXPECT_FALSE(smrf_xbar_probe_free(&x) >> 2 & 1);
            EXPECT_TRUE(smrf_xbar_probe_free(&x) >> 3 & 1) << "ports are apart";
        }
    }
}

TEST(Crossbar, NoLimitMeansNoLimit)
{
    smrf_xbar x;
    ASSERT_EQ(0, smrf_xbar_init(&x, 1, 0));
    smrf_xbar_begin_step(&x);
    for (int n = 0; n < 1000; n++) {
        smrf_xbar_reserve(&x, 0);
    }
    EXPECT_TRUE(smrf_xbar_probe_free(&x) & 1);
}

TEST(Crossbar, AgreesWithACountPerCollectorOnRandomSteps)
{
    for (uint32_t seed = 0; seed < 50; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 2);
        uint32_t collectors = 1 + smrf_rng_below(&rng, SMRF_MAX_COLLECTORS);
        uint32_t ports = smrf_rng_below(&rng, 5);
        smrf_xbar x;
        ASSERT_EQ(0, smrf_xbar_init(&x, collectors, ports));
        uint64_t moved = 0;
        for (int step = 0; step < 200; step++) {
            std::map<uint32_t, uint32_t> used;
            smrf_xbar_begin_step(&x);
            for (uint32_t n = smrf_rng_below(&rng, 40); n; n--) {
                uint32_t c = smrf_rng_below(&rng, collectors);
                bool room = ports == 0 || used[c] < ports;
                ASSERT_EQ(room, (smrf_xbar_probe_free(&x) >> c & 1) != 0) << "seed " << seed;
                if (room) {
                    smrf_xbar_reserve(&x, c);
                    smrf_xbar_transfer(&x);
                    used[c]++;
                    moved++;
                }
            }
        }
        EXPECT_EQ(moved, x.transfers);
    }
}

} // namespace
