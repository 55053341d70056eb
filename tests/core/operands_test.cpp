// SPDX-License-Identifier: Apache-2.0
// The way of operands, seen and unseen: an arbiter and its collectors of which every read is asked
// of a bank, beside others whose reads are only counted. Both live through the same.
#include "models/arbiter/arbiter.h"
#include "models/collector/collector.h"
#include "models/common/smrf_rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace
{

smrf_rf_params machine(uint32_t banks, uint32_t collectors)
{
    smrf_rf_params rf{};
    rf.banks = banks;
    rf.collectors = collectors;
    rf.collector_slots = 1;
    rf.steps = 1;
    rf.dispatch = 2;
    return rf;
}

// An arbiter, its collectors, and what they do.
struct path {
    path(const smrf_rf_params &rf, uint32_t operands, smrf_flights *records)
        : a(new smrf_arbiter()), c(new smrf_collectors()), flights(records), banks(rf.banks),
          delay(smrf_bank_delay(&rf))
    {
        const smrf_arbiter_config cfg = {rf.banks, rf.collectors,   rf.collector_ports,
                                         operands, rf.perfect != 0, rf.collector_slots};
        wires.ctx = this;
        wires.cycle = &cycle;
        wires.values = &values;
        wires.request = [](void *ctx, unsigned, unsigned slot, uint32_t flight,
                           const smrf_register_place *at, uint32_t sources) {
            path &p = of(ctx);
            if (p.a->counted) {
                smrf_arbiter_count(p.a.get(), flight, slot, &p.flights->record[flight]);
            } else {
                smrf_arbiter_request(p.a.get(), flight, slot, at, sources);
            }
        };
        wires.grant = [](void *ctx, unsigned, const smrf_read *granted, unsigned count) {
            smrf_collectors_granted(of(ctx).c.get(), granted, count);
        };
        wires.passed = [](void *ctx, unsigned, const uint32_t *counts) {
            for (unsigned b = 0; b < of(ctx).banks; b++) {
                of(ctx).reads[b] += counts[b];
                smrf_collectors_passed(of(ctx).c.get(), counts[b]);
            }
        };
        wires.read = [](void *ctx, unsigned, const smrf_read *read, uint32_t *, uint32_t *) {
            of(ctx).reads[smrf_read_bank(read)]++;
            return of(ctx).delay;
        };
        wires.dispatch = [](void *ctx, unsigned, uint32_t flight) {
            of(ctx).dispatched.push_back(flight);
        };
        EXPECT_EQ(0, smrf_arbiter_init(a.get(), waiting.get(), &cfg, 0, &wires));
        EXPECT_EQ(0, smrf_collectors_init(c.get(), latches.get(), &rf, 0, flights, &wires));
        c->unheard = true;
    }
    static path &of(void *ctx)
    {
        return *static_cast<path *>(ctx);
    }
    void look_away()
    {
        ASSERT_TRUE(smrf_collectors_probe_unseen(c.get()));
        c->unseen = true;
        smrf_arbiter_look_away(a.get());
    }
    // Sources that a slot waits for.
    uint32_t missing(unsigned slot) const
    {
        return !a->counted || c->free_mask >> slot & 1
                   ? c->unit[slot].missing
                   : smrf_demands_probe_left(&a->demands, slot,
                                             &flights->record[c->unit[slot].flight]);
    }
    void look()
    {
        for (unsigned slot = 0; slot < c->count; slot++) {
            if (a->counted && !(c->free_mask >> slot & 1)) {
                smrf_collectors_show(c.get(), slot, missing(slot));
            }
        }
        c->unseen = false;
        smrf_arbiter_look(a.get(), flights);
    }
    void enter(unsigned slot, uint32_t flight)
    {
        const smrf_flight *f = &flights->record[flight];
        if (!a->counted) {
            smrf_collectors_enter(c.get(), slot, flight);
        } else if (smrf_collectors_take_unseen(c.get(), slot, flight, f, f->unit, cycle)) {
            smrf_arbiter_count(a.get(), flight, slot, f);
        }
    }
    void dispatch_unseen()
    {
        smrf_collectors_leaving leaving = smrf_collectors_begin(c.get());
        unsigned unit;
        while (dispatched.size() < c->dispatches &&
               (unit = smrf_collectors_pop(c.get(), &leaving, cycle)) != SMRF_NO_COLLECTOR) {
            c->units_full |= 1u << c->wanted[unit];
            dispatched.push_back(c->unit[unit].flight);
        }
        smrf_collectors_end(c.get(), &leaving);
    }
    // Those that step them need not ask further where their status says that there is nothing to
    // do.
    void expect_told() const
    {
        EXPECT_TRUE(c->status->going || !smrf_collectors_probe_free_to_go(c.get()));
        EXPECT_EQ(smrf_arbiter_probe_waits(a.get()), *a->asked != 0);
    }
    void step()
    {
        dispatched.clear();
        expect_told();
        if (c->status->going) {
            a->counted ? dispatch_unseen() : (void)smrf_collectors_dispatch(c.get());
            EXPECT_EQ(smrf_collectors_probe_free_to_go(c.get()) != 0, c->status->going != 0);
        }
        if (!a->counted) {
            smrf_arbiter_step(a.get());
        } else if (smrf_arbiter_probe_waits(a.get())) {
            smrf_collectors_served(c.get(), smrf_arbiter_step_counted(a.get()), cycle);
        } else {
            smrf_arbiter_free_banks(a.get());
        }
        cycle++;
    }

    std::unique_ptr<smrf_arbiter> a;
    std::unique_ptr<smrf_arbiter_store> waiting{new smrf_arbiter_store()};
    std::unique_ptr<smrf_collectors> c;
    std::unique_ptr<smrf_collectors_store> latches{new smrf_collectors_store()};
    smrf_flights *flights;
    smrf_wires wires{};
    const uint32_t banks, delay;
    uint64_t cycle = 1;
    bool values = false;
    std::vector<uint32_t> dispatched;
    uint64_t reads[SMRF_MAX_BANKS] = {};
};

void expect_same_counters(path &seen, path &other)
{
    if (other.a->unseen) {
        smrf_arbiter_settle(other.a.get());
    }
    const smrf_arbiter_stats &x = seen.a->stats, &y = other.a->stats;
    EXPECT_EQ(x.bank_conflict_cycles, y.bank_conflict_cycles);
    EXPECT_EQ(x.waits_read, y.waits_read);
    EXPECT_EQ(x.waits_write, y.waits_write);
    EXPECT_EQ(x.waits_port, y.waits_port);
    const smrf_collector_stats p = smrf_collectors_statistics(seen.c.get()),
                               q = smrf_collectors_statistics(other.c.get());
    EXPECT_EQ(p.bank_reads, q.bank_reads);
    EXPECT_EQ(p.collector_busy, q.collector_busy);
    EXPECT_EQ(p.collector_reading, q.collector_reading);
    EXPECT_EQ(p.collector_ready, q.collector_ready);
    for (unsigned b = 0; b < seen.banks; b++) {
        EXPECT_EQ(seen.reads[b], other.reads[b]) << "bank " << b;
        EXPECT_EQ(seen.a->waited[b], other.a->waited[b]) << "bank " << b;
    }
}

// Random instructions, writes and latches, which come to both.
class life
{
  public:
    life(uint32_t seed, const smrf_rf_params &rf, uint32_t operands)
        : rf_(rf), flights_(new smrf_flights()), seen(rf, operands, flights_.get()),
          unseen(rf, operands, flights_.get())
    {
        smrf_rng_seed(&rng_, seed, 9);
        unseen.look_away();
    }
    uint32_t below(uint32_t n)
    {
        return smrf_rng_below(&rng_, n);
    }
    void enter()
    {
        if (!seen.c->free_mask || below(3) == 0) {
            return;
        }
        const uint32_t slot = smrf_collectors_choose(seen.c->free_mask, SMRF_PICK_RANDOM, &rng_);
        const uint32_t flight = next_++ % SMRF_FLIGHTS;
        smrf_flight &f = flights_->record[flight];
        f = {};
        f.uid = next_;
        f.unit = static_cast<uint8_t>(below(3));
        f.num_src = static_cast<uint8_t>(below(8) == 0 ? SMRF_MAX_SRC : below(5));
        for (unsigned i = 0; i < f.num_src; i++) {
            f.src[i] = {static_cast<uint16_t>(i), static_cast<uint8_t>(below(rf_.banks))};
        }
        seen.enter(slot, flight);
        unseen.enter(slot, flight);
    }
    void step()
    {
        for (uint32_t n = below(3); n; n--) {
            const uint32_t bank = below(rf_.banks);
            EXPECT_EQ(smrf_arbiter_take_write(seen.a.get(), bank),
                      smrf_arbiter_take_write(unseen.a.get(), bank));
        }
        const unsigned unit = below(3);
        smrf_collectors_drained(seen.c.get(), unit);
        smrf_collectors_drained(unseen.c.get(), unit);
        EXPECT_EQ(smrf_arbiter_probe_busy(seen.a.get()), smrf_arbiter_probe_busy(unseen.a.get()));
        seen.step();
        unseen.step();
        EXPECT_EQ(seen.dispatched, unseen.dispatched);
        EXPECT_EQ(seen.c->free_mask, unseen.c->free_mask);
        EXPECT_EQ(seen.c->ready_mask, unseen.c->ready_mask);
        for (unsigned slot = 0; slot < seen.c->count; slot++) {
            EXPECT_EQ(seen.missing(slot), unseen.missing(slot)) << "slot " << slot;
        }
    }

  private:
    const smrf_rf_params rf_;
    std::unique_ptr<smrf_flights> flights_;
    smrf_rng rng_;
    uint32_t next_ = 0;

  public:
    path seen, unseen;
};

TEST(Operands, GoTheSameWayUnseen)
{
    unsigned counted = 0;
    for (uint32_t seed = 0; seed < 150 && !testing::Test::HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        smrf_rf_params rf = machine(1 + seed % 16, 1 + seed / 3 % 8);
        rf.steps = 1 + seed % 2;
        rf.perfect = seed % 11 == 0;
        rf.collector_ports = seed % 5 == 0 ? 1 + seed % 3 : 0;
        rf.dispatch_order = seed % 3 == 0 ? SMRF_ORDER_INDEX : SMRF_ORDER_OLDEST;
        life l(seed, rf, rf.collectors * SMRF_MAX_SRC);
        counted += l.unseen.a->counted;
        for (uint32_t step = 0; step < 700 && !testing::Test::HasFailure(); step++) {
            SCOPED_TRACE(step);
            l.step();
            l.enter();
            if (l.below(40) == 0) {
                expect_same_counters(l.seen, l.unseen);
            }
        }
        expect_same_counters(l.seen, l.unseen);
        EXPECT_GT(l.seen.c->stats.bank_reads, 200u);
    }
    EXPECT_GT(counted, 30u);
}

TEST(Operands, AreSeenFromAnyStepOnAndUnseenAgain)
{
    for (uint32_t seed = 0; seed < 60 && !testing::Test::HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        const smrf_rf_params rf = machine(1 + seed % 4, 2 + seed % 5);
        life l(seed, rf, rf.collectors * SMRF_MAX_SRC);
        for (uint32_t step = 0; step < 700 && !testing::Test::HasFailure(); step++) {
            SCOPED_TRACE(step);
            l.step();
            l.enter();
            if (l.below(25) == 0) {
                l.unseen.a->unseen ? l.unseen.look() : l.unseen.look_away();
            }
        }
        expect_same_counters(l.seen, l.unseen);
    }
}

TEST(Operands, AreCountedWhereTheirSumsHaveRoomAndPortsDoNotMatter)
{
    auto counted = [](uint32_t banks, uint32_t operands, uint32_t ports, uint32_t perfect,
                      uint32_t collectors = 2) {
        smrf_rf_params rf = machine(banks, collectors);
        rf.collector_ports = ports;
        rf.perfect = perfect;
        auto flights = std::make_unique<smrf_flights>();
        path p(rf, operands, flights.get());
        p.look_away();
        return p.a->counted;
    };
    EXPECT_TRUE(counted(2, 48, 0, 0));
    EXPECT_TRUE(counted(1, SMRF_ARBITER_DEPTH, 0, 0));
    EXPECT_TRUE(counted(8, 127, 0, 0));
    EXPECT_FALSE(counted(8, 128, 0, 0)) << "eight bits, of which one is for the sum";
    EXPECT_FALSE(counted(16, 48, 0, 0));
    EXPECT_FALSE(counted(2, 48, 1, 0));
    EXPECT_FALSE(counted(2, 48, 0, 1));
    EXPECT_TRUE(counted(2, 192, 0, 0, SMRF_MAX_DEMANDS));
    EXPECT_FALSE(counted(2, 216, 0, 0, SMRF_MAX_DEMANDS + 1));
}

} // namespace
