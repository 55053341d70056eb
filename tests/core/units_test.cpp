// SPDX-License-Identifier: Apache-2.0
// Execution units and write-back alone: when results come, who waits, what goes first.
#include "models/units/units.h"
#include "models/units/writeback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace
{

// Four sub-cores with units for integers, single precision and halves; others take one cycle.
smrf_units_config machine(uint32_t buses)
{
    smrf_units_config cfg{};
    cfg.exec.int_latency = 4;
    cfg.exec.int_interval = 2;
    cfg.exec.sp_latency = 6;
    cfg.exec.sp_interval = 1;
    cfg.exec.half_latency = 3;
    cfg.exec.half_interval = 1;
    cfg.exec.result_buses = buses;
    cfg.subcores = 4;
    return cfg;
}

struct dut {
    explicit dut(uint32_t buses = 8, uint32_t write_queue = 8, uint32_t hmul2_interval = 0)
    {
        smrf_units_config cfg = machine(buses);
        cfg.exec.hmul2_interval = hmul2_interval;
        cfg.exec.tensor_latency = 16;
        cfg.exec.tensor_interval = 16;
        cfg.exec.hmma_f16_latency = 9;
        cfg.exec.hmma_f16_interval = 4;
        cfg.exec.imma_latency = 7;
        cfg.exec.imma_interval = 2;
        smrf_rf_params rf{};
        rf.write_queue = write_queue;
        wires.ctx = this;
        wires.cycle = &cycle;
        wires.values = &values;
        wires.waiting = &wb.waiting;
        wires.room = [](void *ctx, uint32_t f) { return smrf_writeback_room(&self(ctx)->wb, f); };
        wires.drained = [](void *, unsigned, unsigned) {};
        wires.done = [](void *ctx, uint32_t f) {
            self(ctx)->due.push_back({f, self(ctx)->cycle});
            smrf_writeback_results(&self(ctx)->wb, f);
        };
        wires.port = [](void *ctx, unsigned sub, unsigned bank) {
            return self(ctx)->taken.insert({sub, bank}).second;
        };
        wires.write = [](void *ctx, const smrf_write *w) {
            self(ctx)->written.push_back({w->flight, self(ctx)->cycle});
        };
        wires.released = [](void *, uint32_t, unsigned) {};
        wires.retired = [](void *ctx, uint32_t f) { self(ctx)->retired[f] = self(ctx)->cycle; };
        wires.settled = wires.retired;
        smrf_writeback_init(&wb, queues.get(), &rf, flights.get(), &wires);
        EXPECT_EQ(0, smrf_units_init(u.get(), &cfg, flights.get(), &wires));
    }
    static dut *self(void *ctx)
    {
        return static_cast<dut *>(ctx);
    }
    // Flight f with a destination in a bank of sub-core sub.
    void prepare(uint32_t f, smrf_class op_class, smrf_unit unit, unsigned sub = 0,
                 unsigned bank = 0)
    {
        ops[f].op_class = uint8_t(op_class);
        smrf_flight &r = flights->record[f];
        r.op = &ops[f];
        r.uid = f;
        r.unit = uint8_t(unit);
        r.sub = uint8_t(sub);
        r.num_dst = 1;
        r.dst_left = 1;
        r.dst[0].bank = uint8_t(bank);
    }
    void step()
    {
        taken.clear();
        for (unsigned sub = 0; sub < 4; sub++) {
            smrf_writeback_drain(&wb, sub);
        }
        const bool may = smrf_units_probe_starts(u.get(), cycle);
        smrf_units_end(u.get(), cycle);
        EXPECT_TRUE(smrf_units_start(u.get(), cycle) == 0 || may) << "cycle " << cycle;
        cycle++;
    }
    void run_to(uint64_t until)
    {
        while (cycle < until) {
            step();
        }
    }
    // Flight f enters its latch in a cycle, behind what units take in it.
    void dispatch(unsigned sub, uint32_t f, uint64_t in)
    {
        run_to(in + 1);
        smrf_units_dispatch(u.get(), sub, f, in);
    }

    using when = std::vector<std::pair<uint32_t, uint64_t>>;
    uint64_t cycle = 10;
    const bool values = false;
    when due, written;
    std::set<std::pair<unsigned, unsigned>> taken;
    std::map<uint32_t, uint64_t> retired;
    std::map<uint32_t, smrf_static_inst> ops;
    smrf_wires wires{};
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    std::unique_ptr<smrf_units> u = std::make_unique<smrf_units>();
    std::unique_ptr<smrf_writeback> own = std::make_unique<smrf_writeback>();
    std::unique_ptr<smrf_writeback_store> queues = std::make_unique<smrf_writeback_store>();
    smrf_writeback &wb = *own;
};

TEST(Units, TensorInstructionsTakeTheTimeOfTheirType)
{
    const std::pair<smrf_accumulators, uint64_t> expected[] = {
        {SMRF_ACCUMULATORS_F32, 16}, {SMRF_ACCUMULATORS_F16, 9}, {SMRF_ACCUMULATORS_INT, 7}};
    std::map<uint64_t, uint64_t> extra;
    for (const auto &e : expected) {
        dut d;
        d.prepare(1, SMRF_CLASS_TENSOR, SMRF_UNIT_TENSOR);
        d.ops[1].accumulators = uint8_t(e.first);
        smrf_units_dispatch(d.u.get(), 0, 1, d.cycle - 1);
        for (unsigned n = 0; n < 40; n++) {
            d.step();
        }
        ASSERT_EQ(1u, d.due.size());
        extra[d.due[0].second - e.second]++;
    }
    EXPECT_EQ(1u, extra.size()) << "all else is the same";
}

TEST(Units, Hmul2TakesItsUnitForAnIntervalOfItsOwn)
{
    for (const uint32_t interval : {0u, 1u, 3u}) {
        for (const bool hmul2 : {false, true}) {
            dut d(8, 8, interval);
            for (uint32_t n = 1; n <= 2; n++) {
                d.prepare(n, SMRF_CLASS_HALF, SMRF_UNIT_SP);
                d.ops[n].flags = hmul2 ? SMRF_INST_HMUL2 : 0;
            }
            d.dispatch(0, 1, d.cycle);
            d.dispatch(0, 2, d.cycle);
            for (unsigned n = 0; n < 40; n++) {
                d.step();
            }
            ASSERT_EQ(2u, d.due.size());
            EXPECT_EQ(hmul2 && interval ? interval : 1, d.due[1].second - d.due[0].second)
                << interval << hmul2;
        }
    }
}

TEST(Units, AResultComesItsLatencyAndTwoCyclesAfterItsUnitTookIt)
{
    dut d;
    d.prepare(1, SMRF_CLASS_INT, SMRF_UNIT_INT);
    d.dispatch(0, 1, 10); // into the unit in 11
    d.run_to(40);
    EXPECT_EQ((dut::when{{1, 11 + 4 + 2}}), d.due);
    EXPECT_EQ(17u, d.retired.at(1));
}

TEST(Units, AUnitTakesTheNextAfterItsInterval)
{
    dut d;
    d.prepare(1, SMRF_CLASS_INT, SMRF_UNIT_INT);
    d.prepare(2, SMRF_CLASS_INT, SMRF_UNIT_INT, 0, 1);
    d.dispatch(0, 1, 10);
    d.dispatch(0, 2, 11); // in which the first left
    d.run_to(40);
    EXPECT_EQ((dut::when{{1, 17}, {2, 13 + 6}}), d.due);
}

TEST(Units, ResultsBeyondATurnOfTheWheelComeInTheirCycle)
{
    dut d;
    const uint64_t turn = SMRF_UNITS_WHEEL;
    const std::vector<uint64_t> delays = {3, turn - 1, turn, turn + 3, 2 * turn + 3, 5 * turn + 1};
    dut::when expected;
    for (size_t i = 0; i < delays.size(); i++) {
        d.prepare(uint32_t(i), SMRF_CLASS_LOAD, SMRF_UNIT_MEM, 0, unsigned(i));
        smrf_units_schedule(d.u.get(), uint32_t(i), 10 + delays[i]);
        expected.push_back({uint32_t(i), 10 + delays[i]});
    }
    while (d.cycle < 10 + 6 * turn) {
        const uint64_t next = smrf_units_next(d.u.get(), d.cycle);
        for (size_t i = d.due.size(); i < delays.size(); i++) {
            EXPECT_LE(next, 10 + delays[i]) << "nothing is slept through";
        }
        d.cycle = next == SMRF_NEVER ? 10 + 6 * turn : next;
        d.step();
    }
    EXPECT_EQ(expected, d.due);
}

TEST(Units, PipelinesLongerThanTheShortestRoundEndInTheirCycle)
{
    for (const uint32_t latency : {253u, 254u, 255u, 510u, 600u, 1500u}) {
        dut d;
        smrf_units_config cfg{};
        cfg.subcores = 4;
        cfg.exec.result_buses = 8;
        cfg.exec.int_latency = 4;
        cfg.exec.dp_latency = latency;
        ASSERT_EQ(0, smrf_units_init(d.u.get(), &cfg, d.flights.get(), &d.wires));
        d.prepare(1, SMRF_CLASS_DP, SMRF_UNIT_DP);
        d.prepare(2, SMRF_CLASS_INT, SMRF_UNIT_INT, 1);
        d.dispatch(0, 1, 10);
        d.dispatch(1, 2, 10);
        d.run_to(2000);
        EXPECT_EQ((dut::when{{2, 11 + 4 + 2}, {1, 11 + latency + 2}}), d.due) << latency;
    }
}

TEST(Units, NoMoreResultsEndInACycleThanThereAreBuses)
{
    dut d(1);
    for (uint32_t sub = 0; sub < 3; sub++) {
        d.prepare(sub, SMRF_CLASS_INT, SMRF_UNIT_INT, sub);
        d.dispatch(sub, sub, 10);
    }
    d.run_to(40);
    EXPECT_EQ((dut::when{{0, 17}, {1, 18}, {2, 19}}), d.due);
    EXPECT_EQ(3u, d.u->stats.result_bus_stalls) << "two, then one";
}

TEST(Units, ABusGoesToTheFirstSubcoreOrFirstToSinglePrecisionInAllOfThem)
{
    static const std::pair<smrf_class, smrf_unit> of_subcore[] = {{SMRF_CLASS_SFU, SMRF_UNIT_SFU},
                                                                  {SMRF_CLASS_INT, SMRF_UNIT_INT},
                                                                  {SMRF_CLASS_DP, SMRF_UNIT_DP},
                                                                  {SMRF_CLASS_SP, SMRF_UNIT_SP}};
    const dut::when by_subcore = {{0, 17}, {1, 18}, {2, 19}, {3, 20}};
    const dut::when by_kind = {{3, 17}, {2, 18}, {1, 19}, {0, 20}};
    for (bool kinds : {false, true}) {
        dut d;
        smrf_units_config cfg = machine(1);
        cfg.exec.buses_by_kind = kinds;
        cfg.exec.sp_latency = cfg.exec.dp_latency = cfg.exec.sfu_latency = cfg.exec.int_latency;
        ASSERT_EQ(0, smrf_units_init(d.u.get(), &cfg, d.flights.get(), &d.wires));
        for (uint32_t sub = 0; sub < 4; sub++) {
            d.prepare(sub, of_subcore[sub].first, of_subcore[sub].second, sub);
            d.dispatch(sub, sub, 10);
        }
        d.run_to(40);
        EXPECT_EQ(kinds ? by_kind : by_subcore, d.due);
    }
}

TEST(Units, TwoOfAUnitDoNotEndInOneCycle)
{
    dut d;
    d.prepare(1, SMRF_CLASS_SP, SMRF_UNIT_SP);
    d.prepare(2, SMRF_CLASS_HALF, SMRF_UNIT_SP, 0, 1);
    d.dispatch(0, 1, 10); // 11 + 6 + 2 = 19
    d.dispatch(0, 2, 13); // 14 + 3 + 2 = 19, too
    d.run_to(40);
    EXPECT_EQ((dut::when{{1, 19}, {2, 20}}), d.due);
}

TEST(Units, TheOldestMemoryInstructionOfAllSubcoresGoesFirst)
{
    dut d;
    for (uint32_t sub = 0; sub < 3; sub++) {
        d.prepare(7 - sub, SMRF_CLASS_LOAD, SMRF_UNIT_MEM, sub);
        smrf_units_dispatch(d.u.get(), sub, 7 - sub, d.cycle);
    }
    EXPECT_EQ(SMRF_NO_FLIGHT, smrf_units_probe_memory(d.u.get(), d.cycle)) << "not yet";
    for (uint32_t oldest : {5u, 6u, 7u}) {
        EXPECT_EQ(oldest, smrf_units_probe_memory(d.u.get(), d.cycle + 1));
        smrf_units_take_memory(d.u.get(), oldest);
    }
    EXPECT_EQ(SMRF_NO_FLIGHT, smrf_units_probe_memory(d.u.get(), d.cycle + 1));
}

TEST(Units, RefuseAPipelineLongerThanATurn)
{
    dut d;
    smrf_units_config cfg{};
    cfg.subcores = 1;
    cfg.exec.result_buses = 1;
    cfg.exec.dp_latency = SMRF_UNITS_WHEEL - 3;
    EXPECT_EQ(0, smrf_units_init(d.u.get(), &cfg, d.flights.get(), &d.wires));
    cfg.extra_latency = 1;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_units_init(d.u.get(), &cfg, d.flights.get(), &d.wires));
}

// Latches, units and result buses as they are described, each looked at in every cycle.
struct plain_units {
    struct waiting {
        uint32_t flight;
        uint64_t from;
        smrf_class op_class;
    };
    struct unit {
        std::optional<waiting> latch;
        uint64_t free = 0;
        std::vector<uint64_t> ends;
    };
    std::map<std::pair<unsigned, unsigned>, unit> units; // by sub-core and number
    std::map<uint64_t, unsigned> buses;
    std::map<uint64_t, std::vector<uint32_t>> due; // of a cycle, in their order
    uint64_t stalls = 0;
    bool by_kind = false;

    // Of a sub-core and a unit: when in a cycle it is its turn.
    std::pair<unsigned, unsigned> turn(std::pair<unsigned, unsigned> at) const
    {
        static const std::vector<unsigned> order = {SMRF_UNIT_SP, SMRF_UNIT_DP, SMRF_UNIT_INT,
                                                    SMRF_UNIT_SFU, SMRF_UNIT_TEX};
        const auto kind = std::find(order.begin(), order.end(), at.second) - order.begin();
        return by_kind ? std::pair(unsigned(kind), at.first) : at;
    }

    template <typename Time, typename Room>
    void start(uint64_t cycle, unsigned width, Time time, Room room)
    {
        std::map<std::pair<unsigned, unsigned>, std::pair<unsigned, unsigned>> turns;
        for (const auto &at : units) {
            turns[turn(at.first)] = at.first;
        }
        for (const auto &in_turn : turns) {
            const auto at = in_turn.second;
            unit &u = units[at];
            if (!u.latch || std::max(u.latch->from, u.free) > cycle) {
                continue;
            }
            const auto [latency, interval] = time(u.latch->op_class);
            const uint64_t end = cycle + latency + 2;
            if (buses[end] >= width || !room(at.first) ||
                std::count(u.ends.begin(), u.ends.end(), end) != 0) {
                stalls++;
                continue;
            }
            buses[end]++;
            u.ends.push_back(end);
            u.free = cycle + interval;
            due[end].push_back(u.latch->flight);
            u.latch.reset();
        }
    }
};

struct random_units {
    static constexpr struct {
        smrf_class op_class;
        smrf_unit unit;
        uint64_t latency, interval;
    } KINDS[] = {{SMRF_CLASS_INT, SMRF_UNIT_INT, 4, 2},    {SMRF_CLASS_EXIT, SMRF_UNIT_INT, 1, 1},
                 {SMRF_CLASS_SP, SMRF_UNIT_SP, 6, 1},      {SMRF_CLASS_HALF, SMRF_UNIT_SP, 3, 1},
                 {SMRF_CLASS_DP, SMRF_UNIT_DP, 9, 64},     {SMRF_CLASS_SFU, SMRF_UNIT_SFU, 5, 65},
                 {SMRF_CLASS_TEX, SMRF_UNIT_TEX, 300, 200}};

    explicit random_units(unsigned seed) : random(seed), buses(1 + seed % 3)
    {
        smrf_units_config cfg = machine(buses);
        cfg.exec.buses_by_kind = expected.by_kind = seed / 3 % 2;
        cfg.exec.dp_latency = 9;
        cfg.exec.dp_interval = 64;
        cfg.exec.sfu_latency = 5;
        cfg.exec.sfu_interval = 65;
        cfg.exec.tex_latency = 300;
        cfg.exec.tex_interval = 200;
        wires.ctx = this;
        wires.cycle = &cycle;
        wires.waiting = &crowded;
        wires.room = [](void *ctx, uint32_t f) {
            auto *self = static_cast<random_units *>(ctx);
            return !self->refused[self->flights->record[f].sub];
        };
        wires.drained = [](void *, unsigned, unsigned) {};
        wires.done = [](void *ctx, uint32_t f) {
            static_cast<random_units *>(ctx)->done.push_back(f);
        };
        EXPECT_EQ(0, smrf_units_init(u.get(), &cfg, flights.get(), &wires));
    }
    unsigned below(unsigned n)
    {
        return unsigned(random() % n);
    }
    static std::pair<uint64_t, uint64_t> time(smrf_class op_class)
    {
        const auto *k = std::find_if(std::begin(KINDS), std::end(KINDS),
                                     [&](const auto &kind) { return kind.op_class == op_class; });
        return {k->latency, k->interval};
    }
    // What the collectors send in this cycle.
    void fill()
    {
        for (unsigned n = below(4); n > 0; n--) {
            const auto &kind = KINDS[below(std::size(KINDS))];
            const unsigned sub = below(4);
            auto &latch = expected.units[{sub, kind.unit}].latch;
            if (latch) {
                continue;
            }
            const uint32_t f = number++ % SMRF_FLIGHTS;
            ops[f].op_class = uint8_t(kind.op_class);
            smrf_flight &r = flights->record[f];
            r.op = &ops[f];
            r.unit = uint8_t(kind.unit);
            r.sub = uint8_t(sub);
            smrf_units_dispatch(u.get(), sub, f, cycle);
            latch = plain_units::waiting{f, cycle + 1, kind.op_class};
        }
    }
    void crowd()
    {
        for (unsigned sub = 0; sub < 4; sub++) {
            const bool some = below(4) == 0;
            crowded = (crowded & ~(1u << sub)) | uint32_t(some) << sub;
            refused[sub] = some && below(2);
        }
    }

    std::mt19937 random;
    uint64_t cycle = 10;
    unsigned buses;
    uint32_t number = 0, crowded = 0;
    bool refused[4] = {};
    std::vector<uint32_t> done;
    std::map<uint32_t, smrf_static_inst> ops;
    plain_units expected;
    smrf_wires wires{};
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    std::unique_ptr<smrf_units> u = std::make_unique<smrf_units>();
};

// Units that share buses and mix latencies, intervals beyond what is counted in cycles ahead,
// write-back that is full: stepped only when they say so, they do what units do that are looked at
// in every cycle.
TEST(Units, DoWhatUnitsDoThatAreLookedAtInEveryCycle)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        random_units r(seed);
        unsigned slept = 0;
        for (unsigned n = 0; n < 3000; n++, r.cycle++) {
            const uint64_t next = smrf_units_next(r.u.get(), r.cycle);
            const bool ends = smrf_units_probe_results(r.u.get(), r.cycle);
            const bool may = smrf_units_probe_starts(r.u.get(), r.cycle);
            const uint64_t stalls = r.u->stats.result_bus_stalls;
            r.done.clear();
            r.crowd();
            if (ends) {
                smrf_units_end(r.u.get(), r.cycle);
            }
            ASSERT_EQ(r.expected.due[r.cycle], r.done) << "seed " << seed << ", cycle " << r.cycle;
            r.expected.start(r.cycle, r.buses, random_units::time,
                             [&](unsigned sub) { return !r.refused[sub]; });
            if (may) {
                smrf_units_start(r.u.get(), r.cycle);
            } else {
                slept++;
            }
            ASSERT_EQ(r.expected.stalls, r.u->stats.result_bus_stalls)
                << "seed " << seed << ", cycle " << r.cycle;
            for (const auto &[at, unit] : r.expected.units) {
                const bool full = smrf_units_probe_full(r.u.get(), at.first, at.second);
                ASSERT_EQ(unit.latch.has_value(), full)
                    << "seed " << seed << ", cycle " << r.cycle << ", unit " << at.second;
            }
            if (next > r.cycle) { // nothing ends, and nothing is asked
                ASSERT_TRUE(r.done.empty() && !ends && !may) << "cycle " << r.cycle;
                ASSERT_EQ(stalls, r.u->stats.result_bus_stalls) << "cycle " << r.cycle;
            }
            if (r.below(8) || n % 500 > 250) {
                r.fill();
            }
        }
        EXPECT_GT(slept, 20u) << "seed " << seed;
    }
}

TEST(Writeback, WhatFindsItsBankTakenWaitsAndGoesBeforeWhatComesLater)
{
    dut d;
    for (uint32_t f = 0; f < 3; f++) {
        d.prepare(f, SMRF_CLASS_INT, SMRF_UNIT_INT); // all of bank 0
    }
    smrf_units_schedule(d.u.get(), 0, 20);
    smrf_units_schedule(d.u.get(), 1, 20);
    smrf_units_schedule(d.u.get(), 2, 21);
    d.run_to(30);
    EXPECT_EQ((dut::when{{0, 20}, {1, 21}, {2, 22}}), d.written);
    EXPECT_EQ(2u, d.wb.stats.write_conflicts);
    EXPECT_EQ(3u, d.wb.stats.bank_writes);
}

TEST(Writeback, AFullQueueHoldsItsUnit)
{
    dut d(8, 1);
    for (uint32_t f = 0; f < 4; f++) {
        d.prepare(f, SMRF_CLASS_INT, SMRF_UNIT_INT);
    }
    smrf_units_schedule(d.u.get(), 0, 20);
    smrf_units_schedule(d.u.get(), 1, 20);
    d.run_to(20);
    EXPECT_TRUE(smrf_writeback_room(&d.wb, 3));
    d.run_to(21);
    EXPECT_FALSE(smrf_writeback_room(&d.wb, 3)) << "one waits, and one is all that may";
    d.run_to(22);
    EXPECT_TRUE(smrf_writeback_room(&d.wb, 3));
}

TEST(Writeback, ALoadOffersItsResultsUntilAllAreTaken)
{
    dut d;
    d.prepare(1, SMRF_CLASS_LOAD, SMRF_UNIT_MEM);
    smrf_flight &f = d.flights->record[1];
    f.num_dst = 2;
    f.dst_left = 3;
    f.dst[1].bank = 0; // the same bank: a cycle each
    EXPECT_FALSE(smrf_writeback_offer(&d.wb, 1, true));
    EXPECT_TRUE(d.retired.empty());
    d.taken.clear();
    EXPECT_TRUE(smrf_writeback_offer(&d.wb, 1, true));
    EXPECT_EQ(1u, d.retired.count(1));
}

// One queue a bank and one port, told of one destination after the other.
class queues_of_results
{
  public:
    explicit queues_of_results(bool drop) : drop_(drop) {}
    // Destinations of a result, destination i to bank[i].
    void result(uint32_t flight, unsigned sub, const std::vector<unsigned> &bank)
    {
        left_[flight] = unsigned(bank.size());
        for (unsigned i = 0; i < bank.size(); i++) {
            if (take(sub, bank[i])) {
                write(flight, i);
                continue;
            }
            conflicts++;
            if (drop_) {
                write(flight, i);
            } else {
                queue_[{sub, bank[i]}].push_back({flight, i});
            }
        }
        if (bank.empty()) {
            retired.insert(flight);
        }
    }
    // A round of a load's offer; left: what is still to be written of it. Returns: the round is
    // over.
    bool offer(uint32_t flight, unsigned sub, const std::vector<unsigned> &bank,
               std::set<unsigned> &left, bool last)
    {
        for (unsigned i = 0; i < bank.size(); i++) {
            if (left.count(i) && take(sub, bank[i])) {
                left.erase(i);
                writes++;
            } else {
                conflicts += left.count(i);
            }
        }
        if (left.empty() && last) {
            for (unsigned i = 0; i < bank.size(); i++) {
                usable.insert({flight, i});
            }
            retired.insert(flight);
        }
        return left.empty();
    }
    void next_cycle()
    {
        ports_.clear();
        for (auto &q : queue_) {
            if (!q.second.empty()) {
                ports_.insert(q.first);
                write(q.second.front().first, q.second.front().second);
                q.second.pop_front();
            }
        }
    }
    std::set<std::pair<uint32_t, unsigned>> usable;
    std::set<uint32_t> retired;
    uint64_t writes = 0, conflicts = 0;

  private:
    bool take(unsigned sub, unsigned bank)
    {
        return queue_[{sub, bank}].empty() && ports_.insert({sub, bank}).second;
    }
    void write(uint32_t flight, unsigned i)
    {
        writes++;
        usable.insert({flight, i});
        if (--left_[flight] == 0) {
            retired.insert(flight);
        }
    }
    const bool drop_;
    std::map<std::pair<unsigned, unsigned>, std::deque<std::pair<uint32_t, unsigned>>> queue_;
    std::set<std::pair<unsigned, unsigned>> ports_;
    std::map<uint32_t, unsigned> left_;
};

// The device with what the reference tells, too.
struct observed : dut {
    explicit observed(bool drop)
    {
        smrf_rf_params rf{};
        rf.write_queue = 2;
        rf.drop_conflicting_writes = drop;
        wires.released = [](void *ctx, uint32_t f, unsigned reg) {
            static_cast<observed *>(self(ctx))->usable.insert({f, reg});
        };
        wires.settled = [](void *ctx, uint32_t f) {
            auto *o = static_cast<observed *>(self(ctx));
            for (unsigned i = 0; i < o->flights->record[f].num_dst; i++) {
                o->usable.insert({f, i});
            }
            o->retired[f] = o->cycle;
            o->at_once++;
        };
        smrf_writeback_init(&wb, queues.get(), &rf, flights.get(), &wires);
    }
    void prepare_results(uint32_t f, unsigned sub, const std::vector<unsigned> &bank)
    {
        prepare(f, SMRF_CLASS_INT, SMRF_UNIT_INT, sub);
        smrf_flight &r = flights->record[f];
        r.num_dst = uint8_t(bank.size());
        r.dst_left = uint16_t((1u << bank.size()) - 1);
        for (unsigned i = 0; i < bank.size(); i++) {
            r.dst[i].bank = uint8_t(bank[i]);
            r.dst_reg[i] = uint8_t(i);
        }
    }
    std::set<uint32_t> retired_flights() const
    {
        std::set<uint32_t> all;
        for (const auto &r : retired) {
            all.insert(r.first);
        }
        return all;
    }
    std::set<std::pair<uint32_t, unsigned>> usable;
    unsigned at_once = 0;
};

void live_through_random_results(unsigned seed)
{
    observed d(seed & 1);
    queues_of_results r(seed & 1);
    std::mt19937 random(seed);
    auto next_cycle = [&] {
        d.step();
        r.next_cycle();
    };
    for (uint32_t f = 0; f < 400; f++) {
        const unsigned sub = unsigned(random() % 4), count = unsigned(random() % 4);
        const bool load = random() % 4 == 0, last = random() % 2;
        std::vector<unsigned> bank;
        std::set<unsigned> left;
        for (unsigned i = 0; i < count; i++) {
            bank.push_back(unsigned(random() % 4));
            left.insert(i);
        }
        d.prepare_results(f, sub, bank);
        if (load && count) {
            bool over = false;
            while (!over) {
                over = r.offer(f, sub, bank, left, last);
                ASSERT_EQ(over, smrf_writeback_offer(&d.wb, f, last));
                if (!over) {
                    next_cycle();
                }
            }
            EXPECT_TRUE(last || d.flights->record[f].dst_left == (1u << count) - 1);
        } else {
            r.result(f, sub, bank);
            smrf_writeback_results(&d.wb, f);
        }
        if (f % 3 == 0) {
            next_cycle();
        }
        ASSERT_EQ(r.usable, d.usable) << "flight " << f;
        ASSERT_EQ(r.retired, d.retired_flights()) << "flight " << f;
        ASSERT_EQ(r.writes, d.wb.stats.bank_writes) << "flight " << f;
        ASSERT_EQ(r.conflicts, d.wb.stats.write_conflicts) << "flight " << f;
    }
    EXPECT_GT(d.at_once, 20u);
    EXPECT_GT(d.wb.stats.write_conflicts, 20u);
}

TEST(Writeback, AgreesWithAQueueABankOnRandomResults)
{
    for (unsigned seed = 0; seed < 40 && !HasFatalFailure(); seed++) {
        SCOPED_TRACE(seed);
        live_through_random_results(seed);
    }
}

TEST(Writeback, ResetForgetsWhatWaits)
{
    dut d;
    for (uint32_t f = 0; f < 2; f++) {
        d.prepare(f, SMRF_CLASS_INT, SMRF_UNIT_INT);
        smrf_units_schedule(d.u.get(), f, 20);
    }
    d.run_to(21);
    smrf_writeback_reset(&d.wb);
    smrf_units_reset(d.u.get());
    EXPECT_EQ(SMRF_NEVER, smrf_units_next(d.u.get(), d.cycle));
    d.run_to(40);
    EXPECT_EQ(1u, d.written.size());
    EXPECT_EQ(0u, d.wb.stats.bank_writes);
}

} // namespace
