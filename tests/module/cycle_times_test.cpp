// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/cycle_times.h"

#include <gtest/gtest.h>

#include <random>

using namespace smrf;

namespace
{

constexpr uint64_t period = 732, origin = 5000;

// The same conversions with nothing kept.
uint64_t plain_cycle(uint64_t time)
{
    return time > origin ? (time - origin + period - 1) / period : 0;
}

uint64_t plain_delay(uint64_t time)
{
    const uint64_t now = sc_core::sc_time_stamp().value();
    return time > now ? time - now : 0;
}

TEST(CycleTimes, ConvertAsIfNothingWereKept)
{
    cycle_times times;
    times.start(sc_core::sc_time::from_value(period));
    times.set_origin(origin);
    std::mt19937 random(1);
    uint64_t time = 0;
    for (int i = 0; i < 20000; i++) {
        switch (random() % 6) {
        case 0: // some other time, before the origin at the latest
            time = random() % (40 * period);
            break;
        case 1:
            time++;
            break;
        case 2:
            break;
        default:
            time += period;
        }
        ASSERT_EQ(times.cycle(time), plain_cycle(time)) << i;
        ASSERT_EQ(times.until(time).value(), plain_delay(time)) << i;
        if (random() % 64 == 0) {
            sc_core::sc_start(sc_core::sc_time::from_value(random() % 1000));
            ASSERT_EQ(times.now(), sc_core::sc_time_stamp().value());
            time += random() % 2 != 0 ? random() % 1000 : 0;
        }
    }
}

TEST(CycleTimes, FollowTheirOrigin)
{
    cycle_times times;
    times.start(sc_core::sc_time::from_value(period));
    times.set_origin(origin);
    EXPECT_EQ(times.cycle(origin + 3 * period), 3u);
    EXPECT_EQ(times.of(3), origin + 3 * period);
    times.set_origin(origin + 3 * period);
    EXPECT_EQ(times.cycle(origin + 3 * period), 0u);
    EXPECT_EQ(times.cycle(origin + 4 * period), 1u);
    EXPECT_EQ(times.cycle(origin), 0u);
}

} // namespace
