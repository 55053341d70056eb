// SPDX-License-Identifier: Apache-2.0
// Groups of asynchronous copies against a list of them all.
#include "models/issue/copies.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace
{

// Every copy of a warp, and the groups below which it waits for them.
struct slow {
    struct copy {
        uint32_t group;
        bool done;
    };
    std::vector<copy> copies;
    uint32_t open = 0, below = 0;

    bool waits() const
    {
        for (const copy &c : copies) {
            if (!c.done && c.group < below) {
                return true;
            }
        }
        return false;
    }
    // Groups from the first that is not done to the open one.
    uint32_t span() const
    {
        for (const copy &c : copies) {
            if (!c.done) {
                return open - c.group + 1;
            }
        }
        return 1;
    }
};

// accelsim: while one group is closed, all copies are waited for, if it is not done already.
void play(uint32_t seed, smrf_copy_rule rule)
{
    std::mt19937 random(seed);
    smrf_copies c{};
    slow s;
    for (unsigned step = 0; step < 3000; step++) {
        const unsigned what = random() % 8;
        if (!s.waits() && what < 3) {
            EXPECT_EQ(s.open, smrf_copies_begin(&c));
            s.copies.push_back({s.open, false});
        } else if (!s.waits() && what < 5) {
            smrf_copies_close(&c);
            s.open++;
            if (s.span() > SMRF_COPY_GROUPS) { // it must not be forgotten
                s.below = s.open - SMRF_COPY_GROUPS + 1;
            }
        } else if (!s.waits() && what == 5) {
            const auto but = uint32_t(seed % 2 ? random() % 4 : random() % 80);
            smrf_copies_wait(&c, but, rule);
            s.below = but < s.open ? s.open - but : 0;
            if (rule == SMRF_COPY_RULE_ACCELSIM && s.waits() && s.open == 1) {
                s.below = 2;
            }
        } else if (!s.copies.empty()) { // seldom in order
            slow::copy &done = s.copies[random() % s.copies.size()];
            const bool waited = s.waits();
            if (!done.done && random() % (seed % 3 + 1) == 0) {
                done.done = true;
                EXPECT_EQ(waited && !s.waits(), smrf_copies_done(&c, done.group));
                if (!s.waits()) {
                    s.below = 0; // later copies are not waited for
                }
            }
        }
        ASSERT_EQ(s.waits(), c.awaited != 0) << "seed " << seed << ", step " << step;
    }
}

TEST(Copies, OfRandomProgramsAreWaitedForAsAListOfThemSays)
{
    for (uint32_t seed = 1; seed <= 200; seed++) {
        play(seed, SMRF_COPY_RULE_GROUPS);
        play(seed, SMRF_COPY_RULE_ACCELSIM);
    }
}

TEST(Copies, NobodyWaitsForWhatNoGroupHolds)
{
    smrf_copies c{};
    smrf_copies_begin(&c);
    smrf_copies_wait(&c, 0, SMRF_COPY_RULE_GROUPS);
    EXPECT_EQ(0u, c.awaited);
    smrf_copies_close(&c);
    const uint32_t open = smrf_copies_begin(&c);
    smrf_copies_wait(&c, 0, SMRF_COPY_RULE_GROUPS);
    EXPECT_EQ(1u, c.awaited);
    EXPECT_FALSE(smrf_copies_done(&c, open));
    EXPECT_TRUE(smrf_copies_done(&c, 0));
}

TEST(Copies, AsInAccelSimTheFirstGroupStandsForAll)
{
    smrf_copies c{};
    smrf_copies_begin(&c);
    smrf_copies_close(&c);
    const uint32_t open = smrf_copies_begin(&c);
    smrf_copies_wait(&c, 0, SMRF_COPY_RULE_ACCELSIM);
    EXPECT_EQ(2u, c.awaited);
    EXPECT_FALSE(smrf_copies_done(&c, 0));
    EXPECT_TRUE(smrf_copies_done(&c, open));
}

TEST(Copies, OneGroupMoreThanAreCountedWaitsForTheOldest)
{
    smrf_copies c{};
    for (unsigned g = 0; g < SMRF_COPY_GROUPS; g++) {
        EXPECT_EQ(0u, c.awaited) << g;
        smrf_copies_begin(&c);
        smrf_copies_close(&c);
    }
    EXPECT_EQ(1u, c.awaited);
    EXPECT_FALSE(smrf_copies_done(&c, 1));
    EXPECT_TRUE(smrf_copies_done(&c, 0));
}

} // namespace
