// SPDX-License-Identifier: Apache-2.0
#include "models/common/smrf_rng.h"
#include "models/issue/scheduler.h"

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
        : params(cfg), ops(smrf_scheduler_policy(&cfg))
    {
        EXPECT_EQ(0, smrf_scheduler_init(&s, &params, warps));
        for (unsigned k = 0; k < warps; k++) {
            start(k, k);
        }
    }
    dut(const dut &) = delete;
    dut &operator=(const dut &) = delete;
    void start(unsigned k, uint64_t age)
    {
        ops->start(&s, k, age);
    }
    uint64_t allowed() const
    {
        return ops->allowed ? ops->allowed(&s) : UINT64_MAX;
    }
    // Returns whether it changes who is allowed.
    bool rotate(uint64_t waiting, uint64_t long_op = 0)
    {
        const smrf_scheduler_view view = {waiting, long_op};
        uint64_t before = allowed();
        restless = ops->order && ops->order(&s, &view);
        return allowed() != before;
    }
    // Who issues of `ready`, or -1.
    int issue(uint64_t ready, uint64_t preferred = 0)
    {
        ready &= allowed();
        if (!ready) {
            return -1;
        }
        unsigned k = ops->select(&s, ready, preferred);
        ops->issued(&s, k);
        return int(k);
    }
    const smrf_issue_params params;
    const smrf_scheduler_ops *ops;
    smrf_scheduler s;
    bool restless = false; // of the last rotation
};

TEST(Scheduler, RefusesNoWarpAndTooMany)
{
    smrf_scheduler s;
    smrf_issue_params cfg = config(SMRF_SCHED_GTO);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_scheduler_init(&s, &cfg, 0));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_scheduler_init(&s, &cfg, SMRF_MAX_SUB_WARPS + 1));
    EXPECT_EQ(0, smrf_scheduler_init(&s, &cfg, SMRF_MAX_SUB_WARPS));
}

TEST(Scheduler, GtoTakesTheLastIssuedThenTheOldest)
{
    dut d(config(SMRF_SCHED_GTO), 8);
    d.start(0, 100); // slot 0 has been given to a young warp
    EXPECT_EQ(1, d.issue(0xff)) << "nobody issued yet: the oldest";
    EXPECT_EQ(5, d.issue(0x61)) << "1 is not ready: the oldest of 0, 5, 6";
    EXPECT_EQ(5, d.issue(0xff)) << "greedy";
    EXPECT_EQ(0, d.issue(0x01));
    EXPECT_EQ(0, d.issue(0xff)) << "greedy, though the youngest";
    EXPECT_EQ(1, d.issue(0xfe)) << "back to the oldest";
}

TEST(Scheduler, PreferredWarpsGoBeforeOthersButAfterTheGreedyOne)
{
    dut d(config(SMRF_SCHED_GTO), 8);
    EXPECT_EQ(6, d.issue(0xff, 0xc0));
    EXPECT_EQ(6, d.issue(0xff, 0x80)) << "the last issued needs no preference";
    EXPECT_EQ(7, d.issue(0xbf, 0x80));
    EXPECT_EQ(0, d.issue(0x0f, 0x80)) << "no preferred one is ready";
}

TEST(Scheduler, OldestForgetsWhoIssuedLast)
{
    dut d(config(SMRF_SCHED_OLDEST), 8);
    d.start(0, 100);
    EXPECT_EQ(1, d.issue(0xff));
    EXPECT_EQ(5, d.issue(0xe0));
    EXPECT_EQ(2, d.issue(0xe5)) << "5 issued last, 2 is older";
    EXPECT_EQ(6, d.issue(0xe4, 0xc1)) << "the oldest of the preferred";
}

TEST(Scheduler, LrrStartsAfterTheLastIssued)
{
    dut d(config(SMRF_SCHED_LRR), 4);
    EXPECT_EQ(0, d.issue(0xf));
    EXPECT_EQ(1, d.issue(0xf));
    EXPECT_EQ(3, d.issue(0x9));
    EXPECT_EQ(0, d.issue(0xf)) << "wraps";
    EXPECT_EQ(0, d.issue(0x1)) << "the last issued comes last, not never";
}

TEST(Scheduler, SwlAllowsTheOldestWarpsThatDoNotWait)
{
    smrf_issue_params cfg = config(SMRF_SCHED_SWL);
    cfg.limit_warps = 3;
    dut d(cfg, 8);
    EXPECT_TRUE(d.rotate(0));
    EXPECT_EQ(0x7u, d.allowed());
    EXPECT_FALSE(d.rotate(0));
    EXPECT_TRUE(d.rotate(0x2)); // 1 waits
    EXPECT_EQ(0xdu, d.allowed());
    d.start(0, 100); // slot 0 has a young warp now
    EXPECT_TRUE(d.rotate(0x2));
    EXPECT_EQ(0x1cu, d.allowed());
}

TEST(Scheduler, SwlNeverIssuesBeyondItsLimitButIsGtoWithin)
{
    smrf_issue_params cfg = config(SMRF_SCHED_SWL);
    cfg.limit_warps = 3;
    dut d(cfg, 8);
    d.rotate(0);
    EXPECT_EQ(2, d.issue(0xfc));
    EXPECT_EQ(-1, d.issue(0xf8));
    EXPECT_EQ(2, d.issue(0xff)) << "greedy";
    EXPECT_EQ(0, d.issue(0x03));
    cfg.limit_warps = 64;
    dut all(cfg, 64);
    all.rotate(0);
    EXPECT_EQ(63, all.issue(UINT64_C(1) << 63));
}

TEST(Scheduler, TwoLevelPromotesPendingHeadsUntilTheListIsFull)
{
    dut d(config(SMRF_SCHED_TWO_LEVEL), 6);
    EXPECT_EQ(-1, d.issue(0x3f)) << "nobody is active before the first rotation";
    EXPECT_TRUE(d.rotate(0));
    EXPECT_EQ(0x3u, d.allowed());
    EXPECT_FALSE(d.rotate(0x3c)) << "pending warps may wait as they like";
}

TEST(Scheduler, TwoLevelDemotesWaitingWarpsToTheEndOfThePendingFifo)
{
    dut d(config(SMRF_SCHED_TWO_LEVEL), 4);
    d.rotate(0);
    EXPECT_TRUE(d.rotate(0x1)); // 0 out, 2 in
    EXPECT_EQ(0x6u, d.allowed());
    EXPECT_TRUE(d.rotate(0x6)); // 1 and 2 out, 3 and 0 in
    EXPECT_EQ(0x9u, d.allowed());
    EXPECT_TRUE(d.rotate(0x9)); // 1 comes before 2 again
    EXPECT_EQ(0x6u, d.allowed());
}

TEST(Scheduler, TwoLevelPromotesEvenAWaitingHeadAndDemotesItInTheNextCycle)
{
    dut d(config(SMRF_SCHED_TWO_LEVEL), 3);
    d.rotate(0);
    EXPECT_TRUE(d.rotate(0x5)); // 0 out; 2 in although it waits
    EXPECT_EQ(0x6u, d.allowed());
    EXPECT_TRUE(d.rotate(0x5)); // 2 out, 0 in
    EXPECT_EQ(0x3u, d.allowed());
}

TEST(Scheduler, TwoLevelRotatesItsActiveListFromTheLastIssued)
{
    smrf_issue_params cfg = config(SMRF_SCHED_TWO_LEVEL);
    cfg.active_warps = 4;
    dut d(cfg, 4);
    d.rotate(0);
    EXPECT_EQ(2, d.issue(0x4)); // the order is now 3, 0, 1, 2
    EXPECT_EQ(3, d.issue(0xf));
    EXPECT_EQ(0, d.issue(0xf));
}

TEST(Scheduler, OnlyTwoLevelDemotesForALongOperation)
{
    for (uint32_t policy : {SMRF_SCHED_TWO_LEVEL, SMRF_SCHED_SWL}) {
        smrf_issue_params cfg = config(policy);
        cfg.limit_warps = 2;
        dut d(cfg, 4);
        d.rotate(0);
        d.rotate(0, 0x1);
        EXPECT_EQ(policy == SMRF_SCHED_TWO_LEVEL ? 0x6u : 0x3u, d.allowed());
    }
}

TEST(Scheduler, TwoLevelIsRestlessWhileAPendingWarpCouldRun)
{
    dut d(config(SMRF_SCHED_TWO_LEVEL), 6);
    d.rotate(0);
    EXPECT_FALSE(d.restless) << "nobody on the list waits: it stays as it is";
    d.rotate(0x0f); // 0 and 1 out, 2 and 3 in, which wait
    EXPECT_TRUE(d.restless) << "4 and 5 could run";
    d.rotate(0x0f); // 2 and 3 out, 4 and 5 in
    EXPECT_FALSE(d.restless);
    d.rotate(0x3d); // 4 and 5 out, 0 and 1 in; all but 1 wait
    EXPECT_FALSE(d.restless);
    d.rotate(0);
    EXPECT_FALSE(d.restless) << "nothing has changed";
}

// Sees the moves of a two-level scheduler.
struct list_listener {
    explicit list_listener(bool does_not_care)
    {
        events.ctx = this;
        events.demote = [](void *ctx, unsigned k) {
            static_cast<list_listener *>(ctx)->active &= ~(UINT64_C(1) << k);
            return true;
        };
        events.promote = [](void *ctx, unsigned k) {
            static_cast<list_listener *>(ctx)->active |= UINT64_C(1) << k;
        };
        if (does_not_care) {
            events.move_freely = [](void *ctx, uint64_t warps) {
                return !(warps & static_cast<const list_listener *>(ctx)->bound);
            };
        }
    }
    smrf_scheduler_events events{};
    uint64_t active = 0;
    uint64_t bound = 0; // warps whose moves it must see in their cycles
};

TEST(Scheduler, TwoLevelMayMakeMovesThatChangeNothingElseLater)
{
    for (uint64_t asleep = 0; asleep < 40; asleep++) {
        dut now(config(SMRF_SCHED_TWO_LEVEL), 7), later(config(SMRF_SCHED_TWO_LEVEL), 7);
        list_listener each(false), all(true);
        now.ops->listen(&now.s, &each.events);
        later.ops->listen(&later.s, &all.events);
        const smrf_scheduler_view waits = {0x7f & ~0x10u, 0x10};
        for (dut *d : {&now, &later}) {
            d->rotate(0);
            d->rotate(waits.waiting, waits.long_op);
        }
        ASSERT_TRUE(now.restless) << "its listener must see each move";
        ASSERT_FALSE(later.restless);
        for (uint64_t n = 0; n < asleep; n++) {
            now.rotate(waits.waiting, waits.long_op);
        }
        if (asleep) {
            later.ops->skip(&later.s, &waits, asleep);
        }
        EXPECT_TRUE(later.ops->settle(&later.s)) << "the lists turned";
        EXPECT_FALSE(later.ops->settle(&later.s)) << "no longer";
        EXPECT_EQ(now.allowed(), later.allowed()) << asleep;
        EXPECT_EQ(now.allowed(), all.active) << "its listener knows";
        now.rotate(0x2a);
        later.rotate(0x2a);
        EXPECT_EQ(now.allowed(), later.allowed()) << "those that wait for the list stand as there";
    }
}

TEST(Scheduler, OneWarpThatDoesNotMoveFreelyKeepsTwoLevelAwake)
{
    for (unsigned k = 0; k < 5; k++) {
        dut d(config(SMRF_SCHED_TWO_LEVEL), 5);
        list_listener listener(true);
        listener.bound = UINT64_C(1) << k;
        d.ops->listen(&d.s, &listener.events);
        d.rotate(0);
        d.rotate(0x1f);
        EXPECT_TRUE(d.restless) << k;
        listener.bound = 0;
        d.rotate(0x1f);
        EXPECT_FALSE(d.restless) << k;
    }
}

TEST(Scheduler, ResetIsAsNew)
{
    for (uint32_t policy = 0; policy < 5; policy++) {
        smrf_issue_params cfg = config(policy);
        dut d(cfg, 6), fresh(cfg, 6);
        d.rotate(0x2);
        d.issue(0x3c);
        smrf_scheduler_reset(&d.s);
        for (unsigned k = 0; k < 6; k++) {
            d.start(k, k);
        }
        for (uint64_t ready : {0x3fu, 0x15u, 0x2au, 0x3fu}) {
            d.rotate(0);
            fresh.rotate(0);
            EXPECT_EQ(fresh.issue(ready), d.issue(ready)) << policy;
        }
    }
}

TEST(Scheduler, OtherPoliciesHaveNoLists)
{
    dut d(config(SMRF_SCHED_GTO), 6);
    EXPECT_FALSE(d.rotate(0x3f));
    EXPECT_EQ(UINT64_MAX, d.allowed());
}

TEST(Scheduler, ManyRotationsOfARestingListAreAsManySingleOnes)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 8);
        unsigned warps = 1 + smrf_rng_below(&rng, 64);
        smrf_issue_params cfg = config(SMRF_SCHED_TWO_LEVEL);
        cfg.active_warps = 1 + smrf_rng_below(&rng, 10);
        dut one(cfg, warps);
        one.rotate(0);
        uint64_t any = uint64_t(smrf_rng_next(&rng)) << 32 | smrf_rng_next(&rng);
        uint64_t waiting = any | ~one.allowed();
        one.rotate(waiting);
        ASSERT_FALSE(one.restless);
        dut many(cfg, warps);
        many.s = one.s;
        uint64_t n = 1 + smrf_rng_below(&rng, 500);
        for (uint64_t i = 0; i < n; i++) {
            one.rotate(waiting);
        }
        const smrf_scheduler_view view = {waiting, 0};
        const uint64_t later = smrf_rng_below(&rng, uint32_t(n));
        many.ops->skip(&many.s, &view, n - later);
        if (later) {
            many.ops->skip(&many.s, &view, later);
        }
        ASSERT_EQ(one.allowed(), many.allowed()) << seed;
        for (unsigned i = 0; i < 70; i++) { // and the order of both lists
            waiting = i % 3 ? 0 : UINT64_C(1) << one.ops->select(&one.s, one.allowed(), 0);
            one.rotate(waiting);
            many.rotate(waiting);
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

TEST(Scheduler, AgreesWithOrderedListsOnRandomCycles)
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
            d.start(k, age);
            r.start(k, age++);
        }
        uint64_t present = warps == 64 ? UINT64_MAX : (UINT64_C(1) << warps) - 1;
        for (int cycle = 0; cycle < 300; cycle++) {
            uint64_t any = uint64_t(smrf_rng_next(&rng)) << 32 | smrf_rng_next(&rng);
            uint64_t more = uint64_t(smrf_rng_next(&rng)) << 32 | smrf_rng_next(&rng);
            uint64_t waiting = any & more & present;
            uint64_t preferred = smrf_rng_below(&rng, 2) ? more : 0;
            d.rotate(waiting);
            r.rotate(waiting);
            uint64_t ready = any & present & ~waiting;
            ASSERT_EQ(r.issue(ready, preferred), d.issue(ready, preferred))
                << "seed " << seed << " cycle " << cycle;
            if (smrf_rng_below(&rng, 20) == 0) {
                unsigned k = smrf_rng_below(&rng, warps);
                d.start(k, age);
                r.start(k, age++);
            }
        }
    }
}

} // namespace
