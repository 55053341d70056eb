// SPDX-License-Identifier: Apache-2.0
#include "models/collector/collector.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace
{

smrf_rf_params config(uint32_t collectors, uint32_t pick = SMRF_PICK_FIRST,
                      uint32_t order = SMRF_ORDER_OLDEST)
{
    smrf_rf_params cfg{};
    cfg.collectors = collectors;
    cfg.collector_slots = 1;
    cfg.collector_pick = pick;
    cfg.dispatch_order = order;
    return cfg;
}

struct dut {
    explicit dut(const smrf_rf_params &cfg) : c(new smrf_collectors)
    {
        EXPECT_EQ(0, smrf_collectors_init(c.get(), store.get(), &cfg, 0, flights.get(), &wires));
        smrf_rng_seed(&rng, 1, 1);
    }
    unsigned pick()
    {
        return smrf_collectors_pick(c.get(), &rng);
    }
    std::unique_ptr<smrf_collectors> c;
    std::unique_ptr<smrf_collectors_store> store{new smrf_collectors_store()};
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    smrf_wires wires{};
    smrf_rng rng;
};

TEST(Collectors, RefuseNoUnitAndTooMany)
{
    auto c = std::make_unique<smrf_collectors>();
    smrf_rf_params none = config(0), many = config(SMRF_MAX_COLLECTING + 1);
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_collectors_init(c.get(), nullptr, &none, 0, nullptr, nullptr));
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_collectors_init(c.get(), nullptr, &many, 0, nullptr, nullptr));
}

TEST(Collectors, PickFirstTakesTheLowestFreeUnit)
{
    dut d(config(4));
    EXPECT_EQ(0u, d.pick());
    smrf_collectors_occupy(d.c.get(), 0, 5, 1, 1, 0);
    smrf_collectors_occupy(d.c.get(), 2, 6, 2, 1, 0);
    EXPECT_EQ(1u, d.pick());
}

TEST(Collectors, PickRandomTakesEveryFreeUnitAndNoOther)
{
    dut d(config(16, SMRF_PICK_RANDOM));
    for (unsigned u = 0; u < 16; u += 2) {
        smrf_collectors_occupy(d.c.get(), u, u, u, 1, 0);
    }
    std::map<unsigned, unsigned> taken;
    for (int i = 0; i < 8000; i++) {
        taken[d.pick()]++;
    }
    EXPECT_EQ(8u, taken.size());
    for (auto &t : taken) {
        EXPECT_EQ(1u, t.first % 2);
        EXPECT_GT(t.second, 800u) << "about a thousand each";
        EXPECT_LT(t.second, 1200u);
    }
}

TEST(Collectors, AnInstructionWithoutOperandsIsReadyAtOnce)
{
    dut d(config(2));
    smrf_collectors_occupy(d.c.get(), 1, 3, 9, 0, 40);
    EXPECT_EQ(2u, d.c->ready_mask);
    EXPECT_EQ(40u, d.c->unit[1].ready_at);
}

TEST(Collectors, ReadyOnlyWhenTheLastOperandHasArrived)
{
    dut d(config(2));
    smrf_collectors_occupy(d.c.get(), 0, 3, 9, 7, 0);
    smrf_collectors_arrive(d.c.get(), 0, 1u << 2);
    smrf_collectors_arrive(d.c.get(), 0, 1u << 0);
    EXPECT_EQ(0u, d.c->ready_mask);
    smrf_collectors_arrive(d.c.get(), 0, 1u << 1);
    EXPECT_EQ(1u, d.c->ready_mask);
}

TEST(Collectors, DispatchOldestOrLowestIndexFirst)
{
    for (uint32_t order : {uint32_t(SMRF_ORDER_OLDEST), uint32_t(SMRF_ORDER_INDEX)}) {
        dut d(config(3, SMRF_PICK_FIRST, order));
        smrf_collectors_occupy(d.c.get(), 0, 0, 30, 0, 0);
        smrf_collectors_occupy(d.c.get(), 1, 1, 10, 0, 0);
        smrf_collectors_occupy(d.c.get(), 2, 2, 20, 0, 0);
        EXPECT_EQ(order == SMRF_ORDER_OLDEST ? 1u : 0u, smrf_collectors_next(d.c.get(), 7));
        EXPECT_EQ(order == SMRF_ORDER_OLDEST ? 2u : 0u, smrf_collectors_next(d.c.get(), 5));
    }
}

// A unit as sets of what is missing.
struct unit {
    uint64_t uid;
    std::set<unsigned> missing;
};

TEST(Collectors, AgreeWithSetsOnRandomTraffic)
{
    for (uint32_t seed = 0; seed < 200; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 4);
        uint32_t count = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 16 : 1 + smrf_rng_below(&rng, 16);
        uint32_t order = smrf_rng_below(&rng, 2);
        dut d(config(count, smrf_rng_below(&rng, 2), order));
        std::map<unsigned, unit> held;
        for (uint64_t uid = 0; uid < 1000; uid++) {
            if (held.size() < count) {
                unsigned u = d.pick();
                ASSERT_LT(u, count);
                ASSERT_FALSE(held.count(u));
                uint32_t missing = smrf_rng_next(&rng) & ((1u << smrf_rng_below(&rng, 8)) - 1);
                smrf_collectors_occupy(d.c.get(), u, uint32_t(uid), uid, missing, uid);
                held[u].uid = uid;
                for (unsigned i = 0; i < 24; i++) {
                    if (missing >> i & 1) {
                        held[u].missing.insert(i);
                    }
                }
            }
            for (auto &h : held) {
                if (!h.second.missing.empty() && smrf_rng_below(&rng, 2)) {
                    unsigned i = *h.second.missing.rbegin();
                    smrf_collectors_arrive(d.c.get(), h.first, 1u << i);
                    h.second.missing.erase(i);
                }
            }
            uint32_t free_mask = (1u << count) - 1, ready_mask = 0;
            int next = -1;
            for (auto &h : held) {
                free_mask &= ~(1u << h.first);
                if (h.second.missing.empty()) {
                    ready_mask |= 1u << h.first;
                    if (next < 0 ||
                        (order == SMRF_ORDER_OLDEST && h.second.uid < held[unsigned(next)].uid)) {
                        next = int(h.first);
                    }
                }
            }
            ASSERT_EQ(free_mask, d.c->free_mask) << "seed " << seed;
            ASSERT_EQ(ready_mask, d.c->ready_mask) << "seed " << seed;
            if (next >= 0) {
                ASSERT_EQ(unsigned(next), smrf_collectors_next(d.c.get(), ready_mask));
                smrf_collectors_release(d.c.get(), unsigned(next));
                held.erase(unsigned(next));
            }
        }
    }
}

} // namespace
