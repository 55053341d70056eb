// SPDX-License-Identifier: Apache-2.0
// The way of operands with and without observers: an arbiter and its collectors whose operands are
// checked and reported to the issue stage, beside others of which nobody takes operands. Both live
// through the same.
#include "models/arbiter/arbiter.h"
#include "models/collector/collector.h"
#include "models/common/smrf_bits.h"
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
    path(const smrf_rf_params &rf, uint32_t operands, smrf_flights *records, bool observed)
        : a(new smrf_arbiter()), c(new smrf_collectors()), flights(records), banks(rf.banks),
          delay(smrf_bank_delay(&rf)), values(observed)
    {
        const smrf_arbiter_config cfg = {rf.banks, rf.collectors,   rf.collector_ports,
                                         operands, rf.perfect != 0, rf.collector_slots};
        wires.ctx = this;
        wires.cycle = &cycle;
        wires.values = &values;
        wires.request = [](void *ctx, unsigned, unsigned slot, uint32_t flight,
                           const uint32_t *words, unsigned count) {
            EXPECT_EQ(slot, smrf_read_collector(words[0]));
            smrf_arbiter_request(of(ctx).a.get(), flight, words, count);
        };
        wires.grant = [](void *ctx, unsigned, uint32_t flight, const uint32_t *words,
                         unsigned count) {
            EXPECT_TRUE(smrf_collectors_granted(of(ctx).c.get(), flight, words, count));
        };
        wires.read = [](void *ctx, unsigned, unsigned unit, const uint32_t *made, unsigned count,
                        smrf_operand_latches *to) {
            path &p = of(ctx);
            EXPECT_EQ(p.values, to != nullptr);
            for (unsigned n = 0; n < count; n++) {
                EXPECT_EQ(unit, smrf_read_collector(made[n]));
                p.reads[smrf_read_bank(made[n])]++;
            }
            return p.delay;
        };
        wires.operands = [](void *ctx, uint32_t, uint32_t sources, const smrf_operand_latches *,
                            bool cached) {
            EXPECT_FALSE(cached);
            of(ctx).checked += smrf_count_bits(sources);
        };
        wires.collected = [](void *ctx, uint32_t, uint32_t sources) {
            of(ctx).reported += smrf_count_bits(sources);
        };
        wires.dispatch = [](void *ctx, unsigned, uint32_t flight) {
            of(ctx).dispatched.push_back(flight);
        };
        EXPECT_EQ(0, smrf_arbiter_init(a.get(), waiting.get(), &cfg, 0, &wires));
        EXPECT_EQ(0, smrf_collectors_init(c.get(), latches.get(), &rf, 0, flights, &wires));
        c->reports_reads = values;
    }
    static path &of(void *ctx)
    {
        return *static_cast<path *>(ctx);
    }
    void enter(unsigned slot, uint32_t flight)
    {
        smrf_collectors_enter(c.get(), slot, flight);
    }
    // Whoever steps them relies on their status.
    void expect_status() const
    {
        EXPECT_TRUE(c->status->going || !smrf_collectors_probe_free_to_go(c.get()));
        EXPECT_EQ(a->waiting != 0, *a->requested != 0);
    }
    void step()
    {
        dispatched.clear();
        expect_status();
        if (c->status->going) {
            smrf_collectors_dispatch(c.get());
            EXPECT_EQ(smrf_collectors_probe_free_to_go(c.get()) != 0, c->status->going != 0);
        }
        smrf_arbiter_step(a.get());
        cycle++;
    }

    std::unique_ptr<smrf_arbiter> a;
    std::unique_ptr<smrf_arbiter_store> waiting{new smrf_arbiter_store()};
    std::unique_ptr<smrf_collectors> c;
    std::unique_ptr<smrf_collectors_store> latches{new smrf_collectors_store()};
    smrf_flights *flights;
    smrf_wires wires{};
    const uint32_t banks, delay;
    const bool values;
    uint64_t cycle = 1;
    uint64_t checked = 0, reported = 0;
    std::vector<uint32_t> dispatched;
    uint64_t reads[SMRF_MAX_BANKS] = {};
};

void expect_same_counters(const path &observed, const path &other)
{
    const smrf_arbiter_stats x = smrf_arbiter_statistics(observed.a.get()),
                             y = smrf_arbiter_statistics(other.a.get());
    EXPECT_EQ(x.bank_conflict_cycles, y.bank_conflict_cycles);
    EXPECT_EQ(x.waits_read, y.waits_read);
    EXPECT_EQ(x.waits_write, y.waits_write);
    EXPECT_EQ(x.waits_port, y.waits_port);
    const smrf_collector_stats p = smrf_collectors_statistics(observed.c.get()),
                               q = smrf_collectors_statistics(other.c.get());
    EXPECT_EQ(p.bank_reads, q.bank_reads);
    EXPECT_EQ(p.collector_busy, q.collector_busy);
    EXPECT_EQ(p.collector_reading, q.collector_reading);
    EXPECT_EQ(p.collector_ready, q.collector_ready);
    for (unsigned b = 0; b < observed.banks; b++) {
        EXPECT_EQ(observed.reads[b], other.reads[b]) << "bank " << b;
        EXPECT_EQ(smrf_arbiter_probe_waited(observed.a.get(), b),
                  smrf_arbiter_probe_waited(other.a.get(), b))
            << "bank " << b;
    }
}

// Random instructions, writes and latches, which come to both.
class life
{
  public:
    life(uint32_t seed, const smrf_rf_params &rf, uint32_t operands)
        : rf_(rf), flights_(new smrf_flights()), observed(rf, operands, flights_.get(), true),
          other(rf, operands, flights_.get(), false)
    {
        smrf_rng_seed(&rng_, seed, 9);
    }
    uint32_t below(uint32_t n)
    {
        return smrf_rng_below(&rng_, n);
    }
    void enter()
    {
        if (!observed.c->free_mask || below(3) == 0) {
            return;
        }
        const uint32_t slot =
            smrf_collectors_choose(observed.c->free_mask, SMRF_PICK_RANDOM, &rng_);
        const uint32_t flight = next_++ % SMRF_FLIGHTS;
        smrf_flight &f = flights_->record[flight];
        f = {};
        f.uid = next_;
        f.unit = static_cast<uint8_t>(below(3));
        f.num_src = static_cast<uint8_t>(below(8) == 0 ? SMRF_MAX_SRC : below(5));
        for (unsigned i = 0; i < f.num_src; i++) {
            f.src[i] = {static_cast<uint16_t>(i), static_cast<uint8_t>(below(rf_.banks))};
        }
        observed.enter(slot, flight);
        other.enter(slot, flight);
    }
    void step()
    {
        for (uint32_t n = below(3); n; n--) {
            const uint32_t bank = below(rf_.banks);
            EXPECT_EQ(smrf_arbiter_take_write(observed.a.get(), bank),
                      smrf_arbiter_take_write(other.a.get(), bank));
        }
        const unsigned unit = below(3);
        smrf_collectors_drained(observed.c.get(), unit);
        smrf_collectors_drained(other.c.get(), unit);
        EXPECT_EQ(smrf_arbiter_probe_busy(observed.a.get()),
                  smrf_arbiter_probe_busy(other.a.get()));
        observed.step();
        other.step();
        EXPECT_EQ(observed.dispatched, other.dispatched);
        EXPECT_EQ(observed.c->free_mask, other.c->free_mask);
        EXPECT_EQ(observed.c->ready_mask, other.c->ready_mask);
        for (unsigned slot = 0; slot < observed.c->count; slot++) {
            EXPECT_EQ(observed.c->unit[slot].missing, other.c->unit[slot].missing)
                << "slot " << slot;
        }
    }

  private:
    const smrf_rf_params rf_;
    std::unique_ptr<smrf_flights> flights_;
    smrf_rng rng_;
    uint32_t next_ = 0;

  public:
    path observed, other;
};

TEST(Operands, GoTheSameWayWhetherTheyAreObservedOrNot)
{
    for (uint32_t seed = 0; seed < 150 && !testing::Test::HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        smrf_rf_params rf = machine(1 + seed % 16, 1 + seed / 3 % 8);
        rf.steps = 1 + seed % 2;
        rf.perfect = seed % 11 == 0;
        rf.collector_ports = seed % 5 == 0 ? 1 + seed % 3 : 0;
        rf.dispatch_order = seed % 3 == 0 ? SMRF_ORDER_INDEX : SMRF_ORDER_OLDEST;
        life l(seed, rf, rf.collectors * SMRF_MAX_SRC);
        for (uint32_t step = 0; step < 700 && !testing::Test::HasFailure(); step++) {
            SCOPED_TRACE(step);
            l.step();
            l.enter();
            if (l.below(40) == 0) {
                expect_same_counters(l.observed, l.other);
            }
        }
        expect_same_counters(l.observed, l.other);
        EXPECT_GT(l.observed.c->stats.bank_reads, 200u);
        EXPECT_EQ(l.observed.c->stats.bank_reads, l.observed.checked) << "every operand, once";
        EXPECT_EQ(l.observed.c->stats.bank_reads, l.observed.reported);
        EXPECT_EQ(0u, l.other.checked + l.other.reported);
    }
}

} // namespace
