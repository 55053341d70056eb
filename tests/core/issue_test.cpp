// SPDX-License-Identifier: Apache-2.0
#include "models/common/smrf_rng.h"
#include "models/issue/issue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

namespace
{

smrf_issue_params config(uint32_t scheduler)
{
    smrf_issue_params cfg{};
    cfg.scheduler = scheduler;
    cfg.active_warps = 2;
    cfg.limit_warps = 64;
    cfg.inner = SMRF_INNER_LRR;
    return cfg;
}

struct dut {
    dut(const smrf_issue_params &cfg, unsigned warps)
    {
        EXPECT_EQ(0, smrf_issue_init(&s, &cfg, warps));
        for (unsigned k = 0; k < warps; k++) {
            smrf_issue_start(&s, k, k);
        }
    }
    // Who issues of `ready`, or -1.
    int issue(uint64_t ready, uint64_t preferred = 0)
    {
        ready &= smrf_issue_probe_allowed(&s);
        if (!ready) {
            return -1;
        }
        unsigned k = smrf_issue_select(&s, ready, preferred);
        smrf_issue_issued(&s, k);
        return int(k);
    }
    smrf_issue s;
};

TEST(Issue, RefusesNoWarpAndTooMany)
{
    smrf_issue s;
    smrf_issue_params cfg = config(SMRF_SCHED_GTO);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_issue_init(&s, &cfg, 0));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_issue_init(&s, &cfg, SMRF_MAX_SUB_WARPS + 1));
    EXPECT_EQ(0, smrf_issue_init(&s, &cfg, SMRF_MAX_SUB_WARPS));
}

TEST(Issue, GtoTakesTheLastIssuedThenTheOldest)
{
    dut d(config(SMRF_SCHED_GTO), 8);
    smrf_issue_start(&d.s, 0, 100); // slot 0 has been given to a young warp
    EXPECT_EQ(1, d.issue(0xff)) << "nobody issued yet: the oldest";
    EXPECT_EQ(5, d.issue(0x61)) << "1 is not ready: the oldest of 0, 5, 6";
    EXPECT_EQ(5, d.issue(0xff)) << "greedy";
    EXPECT_EQ(0, d.issue(0x01));
    EXPECT_EQ(0, d.issue(0xff)) << "greedy, though the youngest";
    EXPECT_EQ(1, d.issue(0xfe)) << "back to the oldest";
}

TEST(Issue, PreferredWarpsGoBeforeOthersButAfterTheGreedyOne)
{
    dut d(config(SMRF_SCHED_GTO), 8);
    EXPECT_EQ(6, d.issue(0xff, 0xc0));
    EXPECT_EQ(6, d.issue(0xff, 0x80)) << "the last issued needs no preference";
    EXPECT_EQ(7, d.issue(0xbf, 0x80));
    EXPECT_EQ(0, d.issue(0x0f, 0x80)) << "no preferred one is ready";
}

TEST(Issue, OldestForgetsWhoIssuedLast)
{
    dut d(config(SMRF_SCHED_OLDEST), 8);
    smrf_issue_start(&d.s, 0, 100);
    EXPECT_EQ(1, d.issue(0xff));
    EXPECT_EQ(5, d.issue(0xe0));
    EXPECT_EQ(2, d.issue(0xe5)) << "5 issued last, 2 is older";
    EXPECT_EQ(6, d.issue(0xe4, 0xc1)) << "the oldest of the preferred";
}

TEST(Issue, LrrStartsAfterTheLastIssued)
{
    dut d(config(SMRF_SCHED_LRR), 4);
    EXPECT_EQ(0, d.issue(0xf));
    EXPECT_EQ(1, d.issue(0xf));
    EXPECT_EQ(3, d.issue(0x9));
    EXPECT_EQ(0, d.issue(0xf)) << "wraps";
    EXPECT_EQ(0, d.issue(0x1)) << "the last issued comes last, not never";
}

TEST(Issue, SwlAllowsTheOldestWarpsThatDoNotWait)
{
    smrf_issue_params cfg = config(SMRF_SCHED_SWL);
    cfg.limit_warps = 3;
    dut d(cfg, 8);
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0));
    EXPECT_EQ(0x7u, smrf_issue_probe_allowed(&d.s));
    EXPECT_FALSE(smrf_issue_rotate(&d.s, 0));
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0x2)); // 1 waits
    EXPECT_EQ(0xdu, smrf_issue_probe_allowed(&d.s));
    smrf_issue_start(&d.s, 0, 100); // slot 0 has a young warp now
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0x2));
    EXPECT_EQ(0x1cu, smrf_issue_probe_allowed(&d.s));
}

TEST(Issue, SwlNeverIssuesBeyondItsLimitButIsGtoWithin)
{
    smrf_issue_params cfg = config(SMRF_SCHED_SWL);
    cfg.limit_warps = 3;
    dut d(cfg, 8);
    smrf_issue_rotate(&d.s, 0);
    EXPECT_EQ(2, d.issue(0xfc));
    EXPECT_EQ(-1, d.issue(0xf8));
    EXPECT_EQ(2, d.issue(0xff)) << "greedy";
    EXPECT_EQ(0, d.issue(0x03));
    cfg.limit_warps = 64;
    dut all(cfg, 64);
    smrf_issue_rotate(&all.s, 0);
    EXPECT_EQ(63, all.issue(UINT64_C(1) << 63));
}

TEST(Issue, TwoLevelPromotesPendingHeadsUntilTheListIsFull)
{
    dut d(config(SMRF_SCHED_TWO_LEVEL), 6);
    EXPECT_EQ(-1, d.issue(0x3f)) << "nobody is active before the first rotation";
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0));
    EXPECT_EQ(0x3u, smrf_issue_probe_allowed(&d.s));
    EXPECT_FALSE(smrf_issue_rotate(&d.s, 0x3c)) << "pending warps may wait as they like";
}

TEST(Issue, TwoLevelDemotesWaitingWarpsToTheEndOfThePendingFifo)
{
    dut d(config(SMRF_SCHED_TWO_LEVEL), 4);
    smrf_issue_rotate(&d.s, 0);
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0x1)); // 0 out, 2 in
    EXPECT_EQ(0x6u, smrf_issue_probe_allowed(&d.s));
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0x6)); // 1 and 2 out, 3 and 0 in
    EXPECT_EQ(0x9u, smrf_issue_probe_allowed(&d.s));
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0x9)); // 1 comes before 2 again
    EXPECT_EQ(0x6u, smrf_issue_probe_allowed(&d.s));
}

TEST(Issue, TwoLevelPromotesEvenAWaitingHeadAndDemotesItInTheNextCycle)
{
    dut d(config(SMRF_SCHED_TWO_LEVEL), 3);
    smrf_issue_rotate(&d.s, 0);
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0x5)); // 0 out; 2 in although it waits
    EXPECT_EQ(0x6u, smrf_issue_probe_allowed(&d.s));
    EXPECT_TRUE(smrf_issue_rotate(&d.s, 0x5)); // 2 out, 0 in
    EXPECT_EQ(0x3u, smrf_issue_probe_allowed(&d.s));
}

TEST(Issue, TwoLevelRotatesItsActiveListFromTheLastIssued)
{
    smrf_issue_params cfg = config(SMRF_SCHED_TWO_LEVEL);
    cfg.active_warps = 4;
    dut d(cfg, 4);
    smrf_issue_rotate(&d.s, 0);
    EXPECT_EQ(2, d.issue(0x4)); // the order is now 3, 0, 1, 2
    EXPECT_EQ(3, d.issue(0xf));
    EXPECT_EQ(0, d.issue(0xf));
}

TEST(Issue, OtherPoliciesHaveNoLists)
{
    dut d(config(SMRF_SCHED_GTO), 6);
    EXPECT_FALSE(smrf_issue_rotate(&d.s, 0x3f));
    EXPECT_EQ(UINT64_MAX, smrf_issue_probe_allowed(&d.s));
}

TEST(Issue, ManyRotationsOfARestingListAreAsManySingleOnes)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 8);
        unsigned warps = 1 + smrf_rng_below(&rng, 64);
        smrf_issue_params cfg = config(SMRF_SCHED_TWO_LEVEL);
        cfg.active_warps = 1 + smrf_rng_below(&rng, 10);
        dut one(cfg, warps);
        smrf_issue_rotate(&one.s, 0);
        uint64_t any = uint64_t(smrf_rng_next(&rng)) << 32 | smrf_rng_next(&rng);
        uint64_t waiting = any | ~smrf_issue_probe_allowed(&one.s);
        smrf_issue_rotate(&one.s, waiting);
        ASSERT_FALSE(smrf_issue_probe_restless(&one.s, waiting));
        dut many = one;
        uint64_t n = 1 + smrf_rng_below(&rng, 500);
        for (uint64_t i = 0; i < n; i++) {
            smrf_issue_rotate(&one.s, waiting);
        }
        smrf_issue_rotate_many(&many.s, waiting, n);
        ASSERT_EQ(smrf_issue_probe_allowed(&one.s), smrf_issue_probe_allowed(&many.s)) << seed;
        for (unsigned i = 0; i < 70; i++) { // and the order of both lists
            waiting = i % 3 ? 0 : UINT64_C(1) << smrf_issue_select(&one.s, one.s.active_mask, 0);
            smrf_issue_rotate(&one.s, waiting);
            smrf_issue_rotate(&many.s, waiting);
            ASSERT_EQ(one.issue(UINT64_MAX), many.issue(UINT64_MAX)) << seed;
        }
    }
}

// The policies in the words of their definitions: ordered lists, walked from the front.
class reference
{
  public:
    reference(const smrf_issue_params &cfg, unsigned warps) : cfg_(cfg), warps_(warps)
    {
        for (unsigned k = 0; k < warps; k++) {
            pending_.push_back(k);
        }
    }
    void start(unsigned k, uint64_t age)
    {
        age_[k] = age;
    }
    void rotate(uint64_t waiting)
    {
        std::vector<unsigned> stay;
        for (unsigned k : active_) {
            if (waiting >> k & 1) {
                pending_.push_back(k);
            } else {
                stay.push_back(k);
            }
        }
        active_ = stay;
        waiting_ = waiting;
        while (active_.size() < cfg_.active_warps && !pending_.empty()) {
            active_.push_back(pending_.front());
            pending_.pop_front();
        }
    }
    int issue(uint64_t ready, uint64_t preferred)
    {
        std::vector<unsigned> list = order();
        std::stable_sort(list.begin(), list.end(), [&](unsigned a, unsigned b) {
            return rank(a, preferred) < rank(b, preferred);
        });
        for (unsigned k : list) {
            if (ready >> k & 1) {
                last_ = int(k);
                if (cfg_.scheduler == SMRF_SCHED_TWO_LEVEL && cfg_.inner == SMRF_INNER_LRR) {
                    auto at = std::find(active_.begin(), active_.end(), k);
                    std::rotate(active_.begin(), at + 1, active_.end());
                }
                return int(k);
            }
        }
        return -1;
    }

  private:
    bool greedy() const
    {
        return cfg_.scheduler == SMRF_SCHED_GTO || cfg_.scheduler == SMRF_SCHED_SWL ||
               (cfg_.scheduler == SMRF_SCHED_TWO_LEVEL && cfg_.inner == SMRF_INNER_GTO);
    }
    int rank(unsigned k, uint64_t preferred) const
    {
        if (greedy() && int(k) == last_) {
            return 0;
        }
        bool listed = cfg_.scheduler == SMRF_SCHED_TWO_LEVEL && !greedy();
        return listed || preferred >> k & 1 ? 1 : 2;
    }
    std::vector<unsigned> order() const
    {
        std::vector<unsigned> list;
        if (cfg_.scheduler == SMRF_SCHED_TWO_LEVEL) {
            list = active_;
        } else {
            for (unsigned n = 0; n < warps_; n++) {
                unsigned k =
                    cfg_.scheduler == SMRF_SCHED_LRR ? (unsigned(last_ + 1) + n) % warps_ : n;
                list.push_back(k);
            }
        }
        if (greedy() || cfg_.scheduler == SMRF_SCHED_OLDEST) {
            std::sort(list.begin(), list.end(),
                      [&](unsigned a, unsigned b) { return age_.at(a) < age_.at(b); });
        }
        if (cfg_.scheduler == SMRF_SCHED_SWL) { // the last issued, and the oldest runnable
            std::vector<unsigned> few;
            unsigned room = cfg_.limit_warps;
            for (unsigned k : list) {
                bool runnable = !(waiting_ >> k & 1);
                if (int(k) == last_ || (runnable && room > 0)) {
                    few.push_back(k);
                }
                room -= runnable && room > 0;
            }
            list = few;
        }
        return list;
    }
    smrf_issue_params cfg_;
    unsigned warps_;
    uint64_t waiting_ = 0;
    int last_ = -1;
    std::map<unsigned, uint64_t> age_;
    std::vector<unsigned> active_;
    std::deque<unsigned> pending_;
};

TEST(Issue, AgreesWithOrderedListsOnRandomCycles)
{
    for (uint32_t seed = 0; seed < 400; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 6);
        smrf_issue_params cfg = config(seed % 5);
        unsigned warps = seed % 9 == 0 ? 1 : seed % 9 == 1 ? 64 : 1 + smrf_rng_below(&rng, 64);
        cfg.active_warps = 1 + smrf_rng_below(&rng, warps + 2);
        cfg.limit_warps = 1 + smrf_rng_below(&rng, 64);
        cfg.inner = smrf_rng_below(&rng, 2);
        dut d(cfg, warps);
        reference r(cfg, warps);
        uint64_t age = 0;
        for (unsigned k = 0; k < warps; k++) {
            smrf_issue_start(&d.s, k, age);
            r.start(k, age++);
        }
        uint64_t present = warps == 64 ? UINT64_MAX : (UINT64_C(1) << warps) - 1;
        for (int cycle = 0; cycle < 300; cycle++) {
            uint64_t any = uint64_t(smrf_rng_next(&rng)) << 32 | smrf_rng_next(&rng);
            uint64_t more = uint64_t(smrf_rng_next(&rng)) << 32 | smrf_rng_next(&rng);
            uint64_t waiting = any & more & present;
            uint64_t preferred = smrf_rng_below(&rng, 2) ? more : 0;
            smrf_issue_rotate(&d.s, waiting);
            r.rotate(waiting);
            uint64_t ready = any & present & ~waiting;
            ASSERT_EQ(r.issue(ready, preferred), d.issue(ready, preferred))
                << "seed " << seed << " cycle " << cycle;
            if (smrf_rng_below(&rng, 20) == 0) {
                unsigned k = smrf_rng_below(&rng, warps);
                smrf_issue_start(&d.s, k, age);
                r.start(k, age++);
            }
        }
    }
}

} // namespace
