// SPDX-License-Identifier: Apache-2.0
// Sums of periods against the host's own double precision.
#include "models/memory/clock_sum.h"

#include <gtest/gtest.h>

#include <memory>

namespace
{

struct clock_pair {
    uint32_t a, b; // kHz
};

class ClockSum : public testing::TestWithParam<clock_pair>
{
};

// Both clocks are added up, and compared wherever an order is in doubt.
TEST_P(ClockSum, OrdersAsDoublesDo)
{
    const auto a = std::make_unique<smrf_clock_sum>(), b = std::make_unique<smrf_clock_sum>();
    smrf_clock_sum_init(a.get(), GetParam().a);
    smrf_clock_sum_init(b.get(), GetParam().b);
    const double pa = 1 / (GetParam().a * 1000.0), pb = 1 / (GetParam().b * 1000.0);
    double ta = 0, tb = 0;
    uint64_t m = 0, later = 0;
    for (uint64_t n = 0; n < 1000000; n++, ta += pa) {
        while (tb + pb <= ta * (1 + 1e-7)) {
            tb += pb;
            m++;
        }
        if (smrf_clock_sum_later(a.get(), n, b.get(), m) != (ta > tb) ||
            smrf_clock_sum_later(b.get(), m, a.get(), n) != (tb > ta)) {
            FAIL() << n << " " << m;
        }
        later += ta > tb;
    }
    EXPECT_GT(later, 0u);
}

INSTANTIATE_TEST_SUITE_P(Clocks, ClockSum,
                         testing::Values(clock_pair{3500500, 1365000}, clock_pair{850000, 1132000},
                                         clock_pair{3500500, 1132000}, clock_pair{2000000, 1000000},
                                         clock_pair{1024000, 4096000}, clock_pair{1000, 1999999},
                                         clock_pair{1, 3}));

TEST(ClockSumCoincidence, RoundingDecidesAsInAccelSim)
{
    smrf_clock_sum core, dram;
    smrf_clock_sum_init(&core, 1365000);
    smrf_clock_sum_init(&dram, 3500500);
    // Every 2,730 core and 7,001 DRAM cycles both begin together; the sums say which goes first.
    const bool late[] = {true, true, false, false, false, true, true, true, true};
    for (uint64_t j = 1; j <= 9; j++) {
        EXPECT_EQ(smrf_clock_sum_later(&dram, 7001 * j, &core, 2730 * j), late[j - 1]) << j;
    }
    EXPECT_FALSE(smrf_clock_sum_later(&dram, 0, &core, 0));
}

} // namespace
