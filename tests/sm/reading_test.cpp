// SPDX-License-Identifier: Apache-2.0
// Operand reading replaced whole: read stages instead of collectors. An instruction waits in its
// latch until every operand has a read port of its bank within three cycles, and reads at fixed
// times, in order. What it costs is known: a bubble for each operand more that a bank has to
// deliver.
#include "tests/support/sm_dut.h"

#include "models/common/smrf_rng.h"

#include <deque>

namespace
{

using namespace sm_test;

struct window {
    static constexpr unsigned LENGTH = 3, SPAN = 64;
    struct pending {
        uint64_t cycle;
        uint32_t flight;
        unsigned source;
    };
    const smrf_wires *wires = nullptr;
    smrf_flights *flights = nullptr;
    bool reserved[SMRF_MAX_BANKS][SPAN] = {}; // by cycle
    bool writes[SMRF_MAX_BANKS] = {};         // in this cycle
    std::vector<pending> reads;
    std::deque<pending> leaving; // cycle from which it may be dispatched
    uint32_t full = 0;           // latches before units
    uint64_t last = SMRF_NEVER;  // cycle of the last commit
    unsigned committed = 0;
    smrf_collector_stats counted{};
    bool swaps = false, shuts = false; // faults: reads another operand; lets nobody in

    static window *self(void *r)
    {
        return static_cast<window *>(r);
    }
    // The cycle of each source's read; false: some has none. taken: to be marked.
    bool plan(const smrf_flight *f, uint64_t cycle, uint64_t *at, bool (*taken)[SPAN]) const
    {
        bool busy[SMRF_MAX_BANKS][SPAN];
        std::memcpy(busy, reserved, sizeof busy);
        for (unsigned i = 0; i < f->num_src; i++) {
            uint64_t t = cycle + 1;
            while (t <= cycle + LENGTH && busy[f->src[i].bank][t % SPAN]) {
                t++;
            }
            if (t > cycle + LENGTH) {
                return false;
            }
            busy[f->src[i].bank][t % SPAN] = true;
            at[i] = t;
        }
        if (taken) {
            std::memcpy(taken, busy, sizeof busy);
        }
        return true;
    }
    static void reset(void *r)
    {
        window fresh;
        fresh.swaps = self(r)->swaps;
        fresh.shuts = self(r)->shuts;
        fresh.wires = self(r)->wires;
        fresh.flights = self(r)->flights;
        *self(r) = fresh;
    }
    static bool probe(const void *r, const smrf_flight *f, uint64_t cycle)
    {
        const auto *w = static_cast<const window *>(r);
        uint64_t at[SMRF_MAX_SRC];
        return !w->shuts && w->last != cycle && w->leaving.size() <= LENGTH &&
               w->plan(f, cycle, at, nullptr);
    }
    static void commit(void *r, uint32_t flight, uint64_t cycle)
    {
        window *w = self(r);
        const smrf_flight *f = &w->flights->record[flight];
        uint64_t at[SMRF_MAX_SRC];
        ASSERT_TRUE(w->plan(f, cycle, at, w->reserved)) << "not without probe";
        for (unsigned i = 0; i < f->num_src; i++) {
            w->reads.push_back({at[i], flight, i});
        }
        w->leaving.push_back({cycle + LENGTH + 1, flight, 0});
        w->last = cycle;
        w->committed++;
    }
    void read(const pending &p)
    {
        const smrf_flight *f = &flights->record[p.flight];
        const unsigned other = swaps ? (p.source + 1) % f->num_src : p.source;
        smrf_operand_latches latches;
        const uint32_t word = smrf_read_word(f->src[other], 0, p.source);
        wires->read(wires->ctx, f->sub, 0, &word, 1, *wires->values ? &latches : nullptr);
        if (*wires->values) {
            wires->operands(wires->ctx, p.flight, 1u << p.source, &latches, false);
        }
        counted.bank_reads++;
        wires->collected(wires->ctx, p.flight, 1u << p.source);
    }
    static bool step(void *r, uint64_t cycle)
    {
        window *w = self(r);
        for (size_t i = 0; i < w->reads.size();) {
            if (w->reads[i].cycle == cycle) {
                w->read(w->reads[i]);
                w->reads.erase(w->reads.begin() + long(i));
            } else {
                i++;
            }
        }
        for (unsigned b = 0; b < SMRF_MAX_BANKS; b++) {
            w->reserved[b][cycle % SPAN] = false;
            w->writes[b] = false;
        }
        if (!w->leaving.empty() && w->leaving.front().cycle <= cycle) {
            const uint32_t flight = w->leaving.front().flight;
            const smrf_flight *f = &w->flights->record[flight];
            if (!(w->full >> f->unit & 1)) {
                w->full |= 1u << f->unit;
                w->leaving.pop_front();
                w->wires->dispatch(w->wires->ctx, f->sub, flight);
            }
        }
        return !w->reads.empty() || !w->leaving.empty();
    }
    static uint64_t next(const void *r, uint64_t cycle)
    {
        return static_cast<const window *>(r)->leaving.empty() ? SMRF_NEVER : cycle;
    }
    static void drained(void *r, unsigned unit)
    {
        self(r)->full &= ~(1u << unit);
    }
    static bool port(void *r, unsigned bank) // its own, as real banks have it
    {
        return !std::exchange(self(r)->writes[bank], true);
    }
    static const smrf_collector_stats *stats(const void *r)
    {
        return &static_cast<const window *>(r)->counted;
    }
};

const smrf_reading_ops ops = {window::reset, window::probe,   window::commit, window::step,
                              window::next,  window::drained, window::port,   window::stats,
                              nullptr,       nullptr,         nullptr,        nullptr};

smrf_config config()
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    cfg.sm.subcores = 1;
    cfg.issue.latches = true;
    cfg.issue.scheduler = SMRF_SCHED_LRR;
    cfg.rf.swizzle = false; // bank of a register: its number
    cfg.rf.steps = 1;
    cfg.exec.int_interval = cfg.exec.sp_interval = 1;
    cfg.sim.check = true;
    return cfg;
}

struct bench {
    explicit bench(std::vector<block> blocks, const smrf_config &cfg = config())
    {
        parts.reading = &reading;
        d = std::make_unique<dut>(cfg, std::move(blocks), 64, 0, smrf_mechanism_find("baseline"),
                                  nullptr, parts);
        w.wires = &d->plain->wires;
        w.flights = d->plain->flights;
    }
    window w;
    const smrf_reading reading = {&ops, &w, nullptr, nullptr, nullptr};
    replaced_parts parts;
    std::unique_ptr<dut> d;
};

// Cycles from an instruction to the next, of many that only read.
double interval(std::vector<uint8_t> sources)
{
    const program p(40, alu(SMRF_CLASS_INT, {}, std::move(sources)));
    bench b(std::vector<block>(1, block(8, p)));
    b.d->run();
    EXPECT_EQ(320u, b.w.committed);
    return double(b.d->issues[300].cycle - b.d->issues[20].cycle) / 280;
}

TEST(Reading, ABankThatDeliversSeveralOperandsCostsABubbleEach)
{
    EXPECT_NEAR(1.0, interval({2, 3}), 0.02) << "two banks";
    EXPECT_NEAR(2.0, interval({2, 4}), 0.02) << "one bank";
    EXPECT_NEAR(2.0, interval({2, 3, 4}), 0.02);
    EXPECT_NEAR(3.0, interval({2, 4, 6}), 0.02) << "three in one bank";
}

program random_program(uint32_t seed)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 9);
    program p;
    for (unsigned n = 0; n < 150; n++) {
        const auto d = uint8_t(smrf_rng_below(&rng, 12)), a = uint8_t(smrf_rng_below(&rng, 12));
        p.push_back(smrf_rng_below(&rng, 5)
                        ? alu(smrf_rng_below(&rng, 2) ? SMRF_CLASS_SP : SMRF_CLASS_INT, {d},
                              {a, uint8_t((a + 1 + n % 4) % 12)})
                        : memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {d}, {a}, 0x4000 + 64 * n));
    }
    p.push_back(exit_step());
    return p;
}

std::vector<block> random_blocks(uint32_t seed)
{
    return {{random_program(seed), random_program(seed + 1)},
            {random_program(seed + 2), {exit_step()}}};
}

TEST(Reading, EveryValueIsRightAndNothingHappensInACycleThatIsSkipped)
{
    for (uint32_t seed = 0; seed < 10; seed++) {
        bench b(random_blocks(10 * seed)), awake(random_blocks(10 * seed));
        b.d->run();
        EXPECT_EQ(0u, b.d->stats().oracle_violations);
        EXPECT_GT(b.d->stats().oracle_checked, 300u);
        EXPECT_EQ(b.w.committed, b.d->stats().warp_insts);
        EXPECT_LT(b.d->stats().stepped_cycles, b.d->stats().active_cycles);
        awake.d->sleepless = true;
        awake.d->run(1);
        EXPECT_EQ(b.d->issues, awake.d->issues);
    }
}

TEST(Reading, AStageThatReadsTheWrongRegisterIsFound)
{
    bench b(random_blocks(3));
    b.w.swaps = true;
    b.d->laws = false;
    b.d->run();
    EXPECT_GT(b.d->stats().oracle_violations, 0u);
}

TEST(Reading, AStageThatLetsNobodyInStopsTheMachine)
{
    bench b(random_blocks(3));
    b.w.shuts = true;
    smrf_sm_begin_kernel(b.d->sm(), &b.d->kernel, 0);
    for (uint64_t until = 100; until <= 3000; until += 100) {
        b.d->advance(until);
    }
    EXPECT_LT(b.d->stats().warp_insts, 5u) << "what the latches hold";
    EXPECT_LT(smrf_sm_last_progress(b.d->sm()), 200u) << "what the watchdog goes by";
}

TEST(Reading, NeedsTheLatchesBeforeItAndOneStepACycle)
{
    for (int which = 0; which < 2; which++) {
        smrf_config cfg = config();
        cfg.issue.latches = which == 0;
        cfg.rf.steps = which == 0 ? 2 : 1;
        window w;
        const smrf_reading reading = {&ops, &w, nullptr, nullptr, nullptr};
        auto plain = std::make_unique<smrf_sm_cores>();
        plain->reading = &reading;
        std::vector<uint64_t> memory(smrf_sm_bytes(sm_of(cfg)) / 8 + 8);
        const smrf::zeroed_ptr<void> store(smrf::allocate_zeroed(smrf_sm_cores_bytes(sm_of(cfg))));
        auto *sm = reinterpret_cast<smrf_sm *>((uintptr_t(memory.data()) + 63) & ~uintptr_t(63));
        smrf_sm_links links{};
        links.mechanism = smrf_mechanism_find("baseline");
        ASSERT_EQ(0,
                  smrf_sm_cores_build(plain.get(), static_cast<smrf_sm_cores_store *>(store.get()),
                                      sm_of(cfg), sm, &links));
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_sm_init(sm, sm_of(cfg), 0, &links));
    }
}

} // namespace
