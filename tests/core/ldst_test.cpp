// SPDX-License-Identifier: Apache-2.0
// Load/store unit: against a slow reference on random programs, configurations and memories;
// against formulas for coalescing and bank conflicts; and its latencies to the cycle.
#include "models/common/smrf_rng.h"
#include "models/ldst/coalesce.h"
#include "models/ldst/ldst.h"
#include "tests/support/slow_ldst.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>

namespace
{

smrf_config defaults()
{
    smrf_config c;
#define SMRF_SET_DEFAULT(section, name, kind, value, ...) c.section##_##name = value;
    SMRF_PARAMS(SMRF_SET_DEFAULT)
#undef SMRF_SET_DEFAULT
    return c;
}

// What the outside does, as pure functions of cycle and request number, so that every run of a
// program meets the same memory and the same register banks.
struct world {
    uint64_t seed = 0;
    uint32_t min_latency = 1, max_latency = 1;
    uint32_t refuse_port = 0, refuse_bank = 0; // percent of cycles

    uint32_t draw(uint64_t stream, uint64_t n) const
    {
        smrf_rng r;
        smrf_rng_seed(&r, seed * 1000003 + stream, n);
        return smrf_rng_next(&r);
    }
    bool port_refuses(uint64_t cycle) const
    {
        return draw(1, cycle) % 100 < refuse_port;
    }
    bool bank_refuses(uint64_t cycle) const
    {
        return draw(2, cycle) % 100 < refuse_bank;
    }
    uint32_t latency(uint64_t n) const
    {
        return min_latency + draw(3, n) % (max_latency - min_latency + 1);
    }
};

struct step {
    uint64_t gap = 1; // cycles after the previous accept, at least
    smrf_static_inst op{};
    smrf_inst inst{};
    uint32_t warp = 0;
};
using program = std::vector<step>;

enum what { ACCEPT, COMPLETE, WRITE_BACK, STORES, SEND };
using event = std::array<uint64_t, 5>; // cycle, what, details
using event_log = std::vector<event>;

constexpr uint64_t shared_window = 0x7f0000000000, local_window = 0x7f1000000000;

struct outcome {
    event_log log;
    smrf_ldst_stats stats{};
    uint64_t last = 0;
    std::vector<uint64_t> calls; // cycles that were stepped; reference: those with work
};

// The unit with its surroundings.
struct dut {
    const smrf_config c;
    world w;
    uint64_t now = 0, sent = 0;
    outcome o;
    std::function<uint32_t(uint64_t)> latency; // of the n-th request
    size_t bytes;
    smrf_ldst *l;

    explicit dut(const smrf_config &cfg, const world &outside = {}, uint16_t sm = 0)
        : c(cfg), w(outside), bytes(smrf_ldst_bytes(&c)),
          l(static_cast<smrf_ldst *>(::operator new(bytes, std::align_val_t(64))))
    {
        std::memset(static_cast<void *>(l), 0xa5, bytes);
        latency = [this](uint64_t n) { return w.latency(n); };
        smrf_ldst_events e = {this, on_complete, on_write_back, on_stores};
        smrf_mem_port p = {this, on_send};
        EXPECT_EQ(SMRF_OK, smrf_ldst_init(l, &c, sm, &e, &p));
    }
    ~dut()
    {
        ::operator delete(static_cast<void *>(l), std::align_val_t(64));
    }
    dut(const dut &) = delete;
    dut &operator=(const dut &) = delete;

    static dut &self(void *ctx)
    {
        return *static_cast<dut *>(ctx);
    }
    static void on_complete(void *ctx, uint32_t slot, uint64_t cycle)
    {
        EXPECT_EQ(self(ctx).now, cycle);
        self(ctx).o.log.push_back({cycle, COMPLETE, slot, 0, 0});
    }
    static bool on_write_back(void *ctx, uint32_t slot, bool last, uint64_t cycle)
    {
        EXPECT_EQ(self(ctx).now, cycle);
        if (self(ctx).w.bank_refuses(cycle))
            return false;
        self(ctx).o.log.push_back({cycle, WRITE_BACK, slot, last, 0});
        return true;
    }
    static void on_stores(void *ctx, uint32_t warp, int32_t delta)
    {
        self(ctx).o.log.push_back({self(ctx).now, STORES, warp, uint64_t(int64_t(delta)), 0});
    }
    static bool on_send(void *ctx, const smrf_mem_request *r)
    {
        dut &d = self(ctx);
        EXPECT_EQ(d.now, r->cycle);
        EXPECT_EQ(0u, r->address % 32);
        if (d.w.port_refuses(r->cycle))
            return false;
        d.o.log.push_back({r->cycle, SEND, r->address, r->byte_mask, r->kind});
        smrf_mem_response answer = {r->cycle + d.latency(d.sent++), r->id, r->sm, r->kind};
        smrf_ldst_response(d.l, &answer);
        return true;
    }

    void accept(const step &s, uint32_t slot)
    {
        smrf_ldst_inst in = {slot, s.warp, &s.inst, shared_window, local_window};
        smrf_ldst_accept(l, &in, now);
        o.log.push_back({now, ACCEPT, slot, 0, 0});
    }
    void cycle()
    {
        smrf_ldst_cycle(l, now);
        o.calls.push_back(now);
    }
};

// A program's instructions point to their own static part.
void link(program &p)
{
    for (step &s : p)
        s.inst.op = &s.op;
}

outcome run_dut(const program &p, dut &d, bool skip)
{
    uint64_t next_call = 1, earliest = 1;
    size_t i = 0;
    for (d.now = 1; i < p.size() || !smrf_ldst_idle(d.l); d.now++) {
        EXPECT_LT(d.now, 10000000u) << "no end";
        if (d.now >= 10000000)
            break;
        bool changed = !skip || d.now == next_call;
        if (changed)
            d.cycle();
        if (i < p.size() && d.now >= earliest && smrf_ldst_free(d.l)) {
            d.accept(p[i], uint32_t(i));
            i++;
            changed = true;
            earliest = d.now + (i < p.size() ? p[i].gap : 0);
        }
        if (changed)
            next_call = smrf_ldst_next(d.l, d.now);
        EXPECT_GT(next_call, d.now);
    }
    EXPECT_EQ(SMRF_NEVER, smrf_ldst_next(d.l, d.now)) << "idle, but still something to do";
    d.o.stats = *smrf_ldst_statistics(d.l);
    d.o.last = d.now;
    return d.o;
}

outcome run_dut(const program &p, const smrf_config &c, const world &w, bool skip)
{
    dut d(c, w, 1);
    return run_dut(p, d, skip);
}

struct slow_world : slow::outside {
    const world &w;
    outcome o;
    uint64_t now = 0, sent = 0;
    explicit slow_world(const world &surroundings) : w(surroundings) {}
    void complete(uint32_t slot) override
    {
        o.log.push_back({now, COMPLETE, slot, 0, 0});
    }
    bool write_back(uint32_t slot, bool last) override
    {
        if (w.bank_refuses(now))
            return false;
        o.log.push_back({now, WRITE_BACK, slot, last, 0});
        return true;
    }
    void stores(uint32_t warp, int delta) override
    {
        o.log.push_back({now, STORES, warp, uint64_t(int64_t(delta)), 0});
    }
    bool send(const slow::request &r, uint64_t *arrival) override
    {
        if (w.port_refuses(now))
            return false;
        o.log.push_back({now, SEND, r.address, r.bytes, uint64_t(r.kind)});
        *arrival = now + w.latency(sent++);
        return true;
    }
};

outcome run_slow(const program &p, const smrf_config &c, const world &w)
{
    slow_world out(w);
    slow::unit u(c, out, 1, c.l1d_ways);
    uint64_t earliest = 1;
    size_t i = 0;
    for (out.now = 1; i < p.size() || !u.idle(); out.now++) {
        if (out.now >= 10000000)
            break;
        u.cycle(out.now);
        if (u.worked)
            out.o.calls.push_back(out.now);
        if (i < p.size() && out.now >= earliest && u.free()) {
            u.accept({uint32_t(i), p[i].warp, &p[i].inst, shared_window, local_window});
            out.o.log.push_back({out.now, ACCEPT, i, 0, 0});
            i++;
            earliest = out.now + (i < p.size() ? p[i].gap : 0);
        }
    }
    out.o.stats = u.stats;
    out.o.last = out.now;
    return out.o;
}

std::string text(const event &e)
{
    static const char *const names[] = {"accept", "complete", "write_back", "stores", "send"};
    return std::to_string(e[0]) + " " + names[e[1]] + " " + std::to_string(e[2]) + " " +
           std::to_string(e[3]) + " " + std::to_string(e[4]);
}

void expect_equal(const outcome &want, const outcome &got)
{
    size_t n = std::min(want.log.size(), got.log.size());
    for (size_t i = 0; i < n; i++)
        ASSERT_TRUE(want.log[i] == got.log[i])
            << "event " << i << ": " << text(want.log[i]) << ", got " << text(got.log[i]);
    ASSERT_EQ(want.log.size(), got.log.size());
    ASSERT_EQ(want.last, got.last);
#define SMRF_COMPARE(name, unit, meaning) ASSERT_EQ(want.stats.name, got.stats.name) << #name;
    SMRF_LDST_STATS(SMRF_COMPARE)
#undef SMRF_COMPARE
}

struct random_source {
    smrf_rng r;
    random_source(uint64_t seed, uint64_t stream)
    {
        smrf_rng_seed(&r, seed, stream);
    }
    uint32_t below(uint32_t n)
    {
        return smrf_rng_below(&r, n);
    }
    bool percent(uint32_t p)
    {
        return below(100) < p;
    }
    template <typename T> T pick(std::initializer_list<T> list)
    {
        return *(list.begin() + below(uint32_t(list.size())));
    }
};

// Addresses of one instruction around `base`, aligned to `align`.
void random_addresses(random_source &r, smrf_inst &in, uint64_t base, uint32_t bytes, uint32_t span)
{
    in.mask = r.pick<uint32_t>(
        {0xffffffff, 0xffffffff, 0xffffffff, 0x0000ffff, 0x1, 0xaaaaaaaa, smrf_rng_next(&r.r), 0});
    uint32_t align = r.percent(95) ? std::min(bytes, 16u) : 1;
    uint64_t first = base + r.below(span) / align * align;
    if (r.percent(75)) {
        in.addr_kind = SMRF_ADDR_STRIDE;
        in.base = first;
        in.stride = r.pick<int64_t>({0, int64_t(bytes), int64_t(bytes), 4, 2 * int64_t(bytes), 32,
                                     128, -int64_t(bytes), int64_t(r.below(256) / align * align)});
        if (in.stride < 0)
            in.base += 32 * bytes;
    } else {
        in.addr_kind = SMRF_ADDR_LIST;
        std::memset(in.lane, 0xee, sizeof(in.lane)); // inactive lanes hold anything
        for (uint32_t lane = 0; lane < 32; lane++)
            if (in.mask >> lane & 1)
                in.lane[lane] = base + r.below(span) / align * align;
    }
}

// favour: a space that half of the instructions access; rush: no gaps, so that queues fill up.
step random_step(random_source &r, const smrf_config &c, uint32_t span, uint8_t favour, bool rush)
{
    step s;
    smrf_static_inst &op = s.op;
    s.warp = r.below(c.sm_warps);
    s.gap = rush ? 0 : r.percent(80) ? r.below(4) : r.below(200);
    op.access_bytes = r.pick<uint8_t>({1, 2, 4, 4, 4, 4, 8, 16, 16, 32, 0});
    op.op_class = r.pick<uint8_t>({SMRF_CLASS_LOAD, SMRF_CLASS_LOAD, SMRF_CLASS_LOAD,
                                   SMRF_CLASS_STORE, SMRF_CLASS_STORE, SMRF_CLASS_ATOMIC});
    op.space =
        r.pick<uint8_t>({SMRF_SPACE_GLOBAL, SMRF_SPACE_GLOBAL, SMRF_SPACE_GLOBAL, SMRF_SPACE_SHARED,
                         SMRF_SPACE_LOCAL, SMRF_SPACE_GENERIC, SMRF_SPACE_CONST});
    if (r.percent(50))
        op.space = favour;
    if (op.space == SMRF_SPACE_GLOBAL && op.op_class == SMRF_CLASS_LOAD && r.percent(10))
        op.flags |= SMRF_INST_SHARED_AND_GLOBAL;
    if (r.percent(15))
        op.flags |= SMRF_INST_BYPASS_L1;
    if (r.percent(50))
        op.flags |= SMRF_INST_SPILL;
    if (op.op_class != SMRF_CLASS_STORE && !(op.flags & SMRF_INST_SHARED_AND_GLOBAL)) {
        op.num_dst_base = r.percent(85);
        op.num_dst = r.percent(85) ? op.num_dst_base : 0;
    }
    uint64_t base = 0x700000000000;
    if (op.space == SMRF_SPACE_SHARED)
        base = r.percent(50) ? 0 : shared_window;
    else if (op.space == SMRF_SPACE_LOCAL)
        base = r.percent(50) ? 0xfff000 : local_window + 0xfff000;
    else if (op.space == SMRF_SPACE_GENERIC)
        base = r.pick<uint64_t>({base, shared_window, local_window});
    random_addresses(r, s.inst, base, op.access_bytes ? op.access_bytes : 4, span);
    return s;
}

smrf_config random_config(random_source &r)
{
    smrf_config c = defaults();
    c.gpu_sms = 2;
    c.sm_warps = 1 + r.below(8);
    c.ldst_shared_latency = r.pick<uint32_t>({1, 2, 5, 30});
    c.ldst_shared_banks = r.pick<uint32_t>({1, 2, 16, 32, 32, 24, 64});
    c.l1d_unified_bytes = 0;
    c.l1d_sets = 1u << r.below(3);
    c.l1d_ways = 1 + r.below(12);
    c.l1d_banks = r.pick<uint32_t>({1, 2, 3, 4, 4, 16});
    c.l1d_ports = c.l1d_banks == 16 ? 1 : r.pick<uint32_t>({1, 1, 1, 2, 4});
    c.l1d_latency = r.pick<uint32_t>({1, 2, 3, 7, 32});
    c.l1d_mshrs = r.pick<uint32_t>({1, 2, 8, 64, 256});
    c.l1d_mshr_merge = r.pick<uint32_t>({1, 2, 8, 32});
    c.l1d_miss_queue = r.pick<uint32_t>({1, 2, 3, 16});
    c.l1d_bypass = r.percent(10);
    c.l1d_write_ratio = r.pick<uint32_t>({0, 25, 50, 100});
    c.l1d_always_hit_local = r.percent(20);
    c.rf_l1_hit_writes = r.percent(50);
    c.rf_write_per_sector = r.percent(50);
    c.rf_rz_is_register = r.percent(30);
    return c;
}

world random_world(random_source &r, uint64_t seed)
{
    world w;
    w.seed = seed;
    w.max_latency = r.pick<uint32_t>({1, 10, 60, 400});
    w.min_latency = r.percent(50) ? w.max_latency : 1;
    w.refuse_port = r.pick<uint32_t>({0, 0, 30, 90});
    w.refuse_bank = r.pick<uint32_t>({0, 0, 30, 80, 97});
    return w;
}

struct scenario {
    smrf_config c;
    world w;
    program p;
};

scenario random_scenario(uint64_t seed, size_t length)
{
    random_source r(seed, 7);
    scenario s{random_config(r), random_world(r, seed), {}};
    uint32_t span = r.pick<uint32_t>({256, 2048, 16384});
    uint8_t favour = r.pick<uint8_t>({SMRF_SPACE_GLOBAL, SMRF_SPACE_SHARED, SMRF_SPACE_LOCAL});
    bool rush = r.percent(40);
    for (size_t i = 0; i < length; i++)
        s.p.push_back(random_step(r, s.c, span, favour, rush));
    link(s.p);
    return s;
}

constexpr uint64_t scenarios = 250; // a test

} // namespace

// 2,000 programs, each with a configuration and a memory of its own; seed = part x 250 + n.
class LdstRandom : public testing::TestWithParam<uint64_t>
{
};

TEST_P(LdstRandom, EqualsSlowReferenceCycleByCycle)
{
    for (uint64_t seed = GetParam() * scenarios; seed < (GetParam() + 1) * scenarios; seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        scenario s = random_scenario(seed, 20 + seed % 40);
        expect_equal(run_slow(s.p, s.c, s.w), run_dut(s.p, s.c, s.w, false));
        if (HasFatalFailure())
            break;
    }
}

INSTANTIATE_TEST_SUITE_P(Part, LdstRandom, testing::Range<uint64_t>(0, 8));

TEST(Ldst, SleepingBetweenItsNextCyclesChangesNothing)
{
    for (uint64_t seed = 0; seed < 8 * scenarios && !HasFatalFailure(); seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        scenario s = random_scenario(seed, 50);
        expect_equal(run_dut(s.p, s.c, s.w, false), run_dut(s.p, s.c, s.w, true));
    }
}

TEST(Ldst, IsAwakeInEveryCycleWithWorkAndHardlyAnyOther)
{
    size_t awake = 0, idle = 0;
    for (uint64_t seed = 0; seed < scenarios; seed++) {
        scenario s = random_scenario(seed, 60);
        outcome want = run_slow(s.p, s.c, s.w), got = run_dut(s.p, s.c, s.w, true);
        std::vector<uint64_t> missed, wasted;
        std::set_difference(want.calls.begin(), want.calls.end(), got.calls.begin(),
                            got.calls.end(), std::back_inserter(missed));
        std::set_difference(got.calls.begin(), got.calls.end(), want.calls.begin(),
                            want.calls.end(), std::back_inserter(wasted));
        EXPECT_TRUE(missed.empty()) << "seed " << seed << ", cycle " << missed.front();
        awake += got.calls.size();
        idle += wasted.size();
    }
    // The first attempt that a bank or the pipe refuses, and what another bank's access woke.
    EXPECT_LT(idle * 100, awake) << idle << " of " << awake;
    RecordProperty("idle", int(idle));
}

TEST(Ldst, EveryCounterMoves)
{
    smrf_ldst_stats sum{};
    for (uint64_t seed = 0; seed < scenarios; seed++) {
        scenario s = random_scenario(seed, 60);
        smrf_ldst_stats got = run_dut(s.p, s.c, s.w, true).stats;
#define SMRF_ADD(name, unit, meaning) sum.name += got.name;
        SMRF_LDST_STATS(SMRF_ADD)
#undef SMRF_ADD
#define SMRF_LAW(kind)                                                                             \
    EXPECT_EQ(got.l1d_##kind##_accesses,                                                           \
              got.l1d_##kind##_hits + got.l1d_##kind##_pending_hits + got.l1d_##kind##_misses)
        SMRF_LAW(global_load);
        SMRF_LAW(global_store);
        SMRF_LAW(local_load);
        SMRF_LAW(local_store);
#undef SMRF_LAW
        EXPECT_EQ(got.reads_sent + got.writes_sent + got.atomics_sent, got.answers);
    }
#define SMRF_MOVED(name, unit, meaning) EXPECT_GT(sum.name, 0u) << #name;
    SMRF_LDST_STATS(SMRF_MOVED)
#undef SMRF_MOVED
}

namespace
{

smrf_static_inst op_of(smrf_class op_class, smrf_space space, uint8_t bytes, bool dst)
{
    smrf_static_inst op{};
    op.op_class = uint8_t(op_class);
    op.space = uint8_t(space);
    op.access_bytes = bytes;
    op.num_dst = dst;
    op.num_dst_base = dst;
    return op;
}

step one(smrf_class op_class, smrf_space space, uint8_t bytes, uint64_t base, int64_t stride)
{
    step s;
    s.op = op_of(op_class, space, bytes, op_class == SMRF_CLASS_LOAD);
    s.inst.addr_kind = SMRF_ADDR_STRIDE;
    s.inst.base = base;
    s.inst.stride = stride;
    s.inst.mask = 0xffffffff;
    return s;
}

step ldg(uint64_t base, int64_t stride = 4)
{
    return one(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, 4, base, stride);
}

step stg(uint64_t base, int64_t stride = 4)
{
    return one(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, 4, base, stride);
}

// Accel-Sim's behaviours that the preset rtx2060-accelsim asks for.
smrf_config accelsim()
{
    smrf_config c = defaults();
    c.rf_l1_hit_writes = 0;
    c.rf_write_per_sector = 1;
    return c;
}

// Accept s now and run until the unit is idle; returns the cycle of the slot's last event.
uint64_t run_one(dut &d, step s, uint32_t slot = 0)
{
    uint64_t end = 0;
    s.inst.op = &s.op;
    d.accept(s, slot);
    while (!smrf_ldst_idle(d.l)) {
        d.now++;
        d.cycle();
    }
    for (const event &e : d.o.log)
        if (e[2] == slot && (e[1] == COMPLETE || (e[1] == WRITE_BACK && e[3])))
            end = e[0];
    return end;
}

size_t count(const event_log &log, what kind)
{
    return size_t(std::count_if(log.begin(), log.end(),
                                [=](const event &e) { return e[1] == uint64_t(kind); }));
}

} // namespace

// The unit accepts an instruction 3 cycles after its issue, so that Accel-Sim's distances from
// issue to dependent issue are 3 more than these.
TEST(LdstLatency, HitIsUsable33CyclesAfterAccept)
{
    dut d(accelsim());
    d.now = 10;
    run_one(d, ldg(0x1000));
    d.now = 1000;
    EXPECT_EQ(1000u + 36 - 3, run_one(d, ldg(0x1000), 1));
    EXPECT_EQ(4u, count(d.o.log, WRITE_BACK)) << "only the miss writes, once a sector";
}

TEST(LdstLatency, HitThatWritesBanksTakesTheWriteBackPort)
{
    smrf_config c = accelsim();
    c.rf_l1_hit_writes = 1;
    dut d(c);
    run_one(d, ldg(0x1000));
    d.now = 1000;
    // The hit is ready in 1033, is held from 1034 on, and is written in 1035.
    EXPECT_EQ(1035u, run_one(d, ldg(0x1000), 1));
    EXPECT_EQ(5u, count(d.o.log, WRITE_BACK));
}

TEST(LdstLatency, SharedLoadIsWritten32CyclesAfterAcceptAndOneLaterForEveryConflict)
{
    dut d(accelsim());
    for (uint32_t words = 0; words <= 33; words++) {
        d.now = 1000 * (words + 1);
        step s = one(SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 0, words * 4);
        uint32_t passes = words ? std::gcd(words, 32u) : 1;
        uint64_t start = d.now;
        EXPECT_EQ(start + 35 - 3 + passes - 1, run_one(d, s, words)) << words;
    }
}

TEST(LdstLatency, MissEndsFourSectorsAfterTheMemorysAnswer)
{
    for (uint32_t latency : {1u, 7u, 170u}) {
        dut d(accelsim(), world{0, latency, latency, 0, 0});
        d.now = 100;
        // Dispatched 101, at the tags 133, sent 134..137, one answer a cycle; the last answer is
        // filled in 137 + latency, taken by the write-back port a cycle later, written another.
        EXPECT_EQ(100 + 1 + 32 + 4 + latency + 2, run_one(d, ldg(0x1000)));
        EXPECT_EQ(4u, count(d.o.log, SEND));
    }
}

TEST(LdstLatency, OneWriteALoadWaitsForAllSectors)
{
    smrf_config c = accelsim();
    c.rf_write_per_sector = 0;
    dut d(c, world{0, 50, 50, 0, 0});
    d.now = 100;
    EXPECT_EQ(100u + 1 + 32 + 4 + 50 + 2, run_one(d, ldg(0x1000)));
    EXPECT_EQ(1u, count(d.o.log, WRITE_BACK));
}

TEST(LdstLatency, PartialHitEndsWithItsLastSector)
{
    dut d(accelsim(), world{0, 50, 50, 0, 0});
    step half = ldg(0x1000);
    half.inst.mask = 0xffff; // two sectors
    run_one(d, half);
    d.now = 1000;
    // Sectors 2 and 3 miss: sent 1034, 1035.
    EXPECT_EQ(1035u + 50 + 2, run_one(d, ldg(0x1000), 1));
    EXPECT_EQ(4u, count(d.o.log, SEND));
}

namespace
{

// Accept copies of s in consecutive cycles from `from` on, then run to the end; cycles of `kind`.
std::vector<uint64_t> stream(dut &d, const step &s, uint32_t copies, uint64_t from, what kind)
{
    program p(copies, s);
    std::vector<uint64_t> out;
    link(p);
    d.now = from;
    for (uint32_t i = 0; i < copies; i++, d.now++) {
        d.cycle();
        EXPECT_TRUE(smrf_ldst_free(d.l)) << i;
        if (smrf_ldst_free(d.l))
            d.accept(p[i], i);
    }
    for (; !smrf_ldst_idle(d.l); d.now++)
        d.cycle();
    for (const event &e : d.o.log)
        if (e[1] == uint64_t(kind) && e[0] >= from)
            out.push_back(e[0]);
    return out;
}

std::vector<uint64_t> consecutive(uint64_t first, uint32_t n)
{
    std::vector<uint64_t> out(n);
    std::iota(out.begin(), out.end(), first);
    return out;
}

} // namespace

TEST(LdstThroughput, CoalescedHitsOneACycle)
{
    dut d(accelsim());
    run_one(d, ldg(0x1000), 1000);
    EXPECT_EQ(consecutive(1033, 64), stream(d, ldg(0x1000), 64, 1000, COMPLETE));
}

TEST(LdstThroughput, SharedLoadsWithoutConflictsOneACycle)
{
    dut d(accelsim());
    step s = one(SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 0, 4);
    EXPECT_EQ(consecutive(1032, 100), stream(d, s, 100, 1000, WRITE_BACK));
}

TEST(LdstThroughput, OneBankTakesOneSectorACycleAndPortsMultiplyIt)
{
    for (uint32_t ports : {1u, 2u, 4u}) {
        smrf_config c = accelsim();
        c.l1d_ports = ports;
        dut d(c);
        d.now = 1000;
        // 32 sectors, all in bank 0; a store leaves with its last sector.
        EXPECT_EQ(1000u + 32 / ports, run_one(d, stg(0x1000, 128)));
        EXPECT_EQ(32 / ports - 1, smrf_ldst_statistics(d.l)->bank_conflict_stalls);
        EXPECT_EQ(32u, smrf_ldst_statistics(d.l)->writes_sent);
    }
}

TEST(LdstThroughput, PastL1OneSectorACycleFromTheHighestAddressDown)
{
    dut d(accelsim());
    step s = ldg(0x1000);
    s.op.flags = SMRF_INST_BYPASS_L1;
    d.now = 100;
    run_one(d, s);
    ASSERT_EQ(4u, count(d.o.log, SEND));
    uint64_t k = 0;
    for (const event &e : d.o.log) {
        if (e[1] == SEND) {
            EXPECT_EQ(101 + k, e[0]);
            EXPECT_EQ(0x1060 - 32 * k, e[2]);
            k++;
        }
    }
}

TEST(Ldst, StoresCountTheirAnswers)
{
    dut d(accelsim());
    run_one(d, stg(0x1000));
    run_one(d, stg(0x1000, 32), 1);
    step red = one(SMRF_CLASS_ATOMIC, SMRF_SPACE_GLOBAL, 4, 0x2000, 4);
    run_one(d, red, 2);
    int64_t awaited = 0;
    uint32_t up = 0;
    for (const event &e : d.o.log) {
        if (e[1] == STORES) {
            awaited += int64_t(e[3]);
            up += int64_t(e[3]) > 0;
        }
        EXPECT_GE(awaited, 0);
    }
    EXPECT_EQ(0, awaited);
    EXPECT_EQ(4u + 32 + 4, up);
    EXPECT_EQ(3u, count(d.o.log, COMPLETE));
    EXPECT_EQ(0u, count(d.o.log, WRITE_BACK));
}

// Else a kernel could end, with its last warp, while the reduction is still in the unit.
TEST(Ldst, ReductionIsAnsweredWhenItHasLeftTheUnit)
{
    dut d(accelsim());
    d.now = 1;
    step red = one(SMRF_CLASS_ATOMIC, SMRF_SPACE_GLOBAL, 4, 0x2000, 4);
    red.inst.op = &red.op;
    d.accept(red, 0);
    int64_t awaited = 0;
    for (size_t seen = 0; !smrf_ldst_idle(d.l) && d.now < 10000;) {
        d.now++;
        d.cycle();
        for (; seen < d.o.log.size(); seen++)
            awaited += d.o.log[seen][1] == STORES ? int64_t(d.o.log[seen][3]) : 0;
        EXPECT_TRUE(awaited > 0 || d.o.stats.answers == 0 || smrf_ldst_idle(d.l)) << d.now;
        d.o.stats = *smrf_ldst_statistics(d.l);
    }
    EXPECT_EQ(0, awaited);
    EXPECT_EQ(4u, d.o.stats.answers);
}

TEST(Ldst, LoadsWithoutDestinationOrLanesCompleteAndLdgstsWaitsForItsData)
{
    dut d(accelsim(), world{0, 100, 100, 0, 0});
    step prefetch = ldg(0x1000), none = ldg(0x2000), gs = ldg(0x3000);
    prefetch.op.num_dst = prefetch.op.num_dst_base = 0;
    none.inst.mask = 0;
    gs.op.num_dst = gs.op.num_dst_base = 0;
    gs.op.flags = SMRF_INST_SHARED_AND_GLOBAL;
    d.now = 1000;
    EXPECT_EQ(1001u, run_one(d, prefetch, 0));
    d.now = 2000;
    EXPECT_EQ(2001u, run_one(d, none, 1));
    d.now = 3000;
    EXPECT_EQ(3000u + 1 + 32 + 4 + 100 + 2, run_one(d, gs, 2));
    EXPECT_EQ(0u, count(d.o.log, WRITE_BACK));
    EXPECT_EQ(8u, count(d.o.log, SEND));
}

TEST(Ldst, CarveOutSetsTheWaysAtTheStartOfAKernel)
{
    smrf_config c = accelsim(); // 96 KiB, of them 32 or 64 for shared memory; 4 sets of 128 bytes
    dut d(c);
    EXPECT_EQ(128u, smrf_ldst_probe_l1d_ways(d.l));
    struct {
        uint32_t shared, ways;
    } const cases[] = {{0, 128}, {32768, 128}, {32769, 64}, {65536, 64}, {200000, 64}, {1, 128}};
    for (auto k : cases) {
        smrf_ldst_begin_kernel(d.l, k.shared);
        EXPECT_EQ(k.ways, smrf_ldst_probe_l1d_ways(d.l)) << k.shared;
    }
    c.l1d_unified_bytes = 0;
    dut e(c);
    smrf_ldst_begin_kernel(e.l, 1);
    EXPECT_EQ(c.l1d_ways, smrf_ldst_probe_l1d_ways(e.l));
}

TEST(Ldst, FlushEmptiesL1AtTheStartOfAKernel)
{
    for (uint32_t flush : {0u, 1u}) {
        smrf_config c = accelsim();
        c.l1d_flush = flush;
        dut d(c);
        run_one(d, ldg(0x1000));
        smrf_ldst_begin_kernel(d.l, 0);
        run_one(d, ldg(0x1000), 1);
        EXPECT_EQ(flush ? 8u : 4u, smrf_ldst_statistics(d.l)->reads_sent);
    }
}

TEST(Ldst, RefusesConfigurationsThatItCannotBuild)
{
    struct {
        const char *name;
        uint32_t smrf_config::*field;
        uint32_t value;
        int want;
    } const cases[] = {
        {"sets", &smrf_config::l1d_sets, 3, SMRF_ERR_INVAL},
        {"no sets", &smrf_config::l1d_sets, 0, SMRF_ERR_INVAL},
        {"carve-outs", &smrf_config::l1d_carveouts, 0, SMRF_ERR_INVAL},
        {"nothing left", &smrf_config::l1d_unified_bytes, 32768, SMRF_ERR_INVAL},
        {"no MSHR", &smrf_config::l1d_mshrs, 0, SMRF_ERR_INVAL},
        {"no latency", &smrf_config::l1d_latency, 0, SMRF_ERR_INVAL},
        {"shared banks", &smrf_config::ldst_shared_banks, 65, SMRF_ERR_LIMIT},
        {"pipes", &smrf_config::l1d_ports, 257, SMRF_ERR_LIMIT},
        {"warps", &smrf_config::sm_warps, 65, SMRF_ERR_LIMIT},
        {"MSHRs", &smrf_config::l1d_mshrs, 1u << 25, SMRF_ERR_LIMIT},
    };
    for (const auto &k : cases) {
        smrf_config c = defaults();
        c.*k.field = k.value;
        EXPECT_EQ(k.want, smrf_ldst_config_check(&c)) << k.name;
        EXPECT_EQ(0u, smrf_ldst_bytes(&c)) << k.name;
        EXPECT_EQ(k.want, smrf_ldst_init(nullptr, &c, 0, nullptr, nullptr)) << k.name;
    }
    smrf_config c = defaults();
    EXPECT_EQ(SMRF_OK, smrf_ldst_config_check(&c));
    c.l1d_unified_bytes = c.l1d_ways = 0;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_ldst_config_check(&c)) << "no ways";
}

TEST(Ldst, WaitsForAnAnswerWhenItsRequestTableIsFull)
{
    dut d(accelsim(), world{0, 1000000, 1000000, 0, 0});
    step s = stg(0x1000, 32);
    s.op.flags = SMRF_INST_BYPASS_L1;
    s.inst.op = &s.op;
    for (uint32_t i = 0; i < SMRF_LDST_REQUESTS / 32 + 1; i++) {
        d.accept(s, i);
        for (int k = 0; k < 32; k++) {
            d.now++;
            d.cycle();
        }
    }
    EXPECT_EQ(SMRF_LDST_REQUESTS, smrf_ldst_statistics(d.l)->writes_sent);
    EXPECT_FALSE(smrf_ldst_free(d.l));
    EXPECT_EQ(1000001u, smrf_ldst_next(d.l, d.now)) << "the first answer, and nothing before";
    d.now = 1000001;
    d.cycle();
    EXPECT_EQ(SMRF_LDST_REQUESTS + 1, smrf_ldst_statistics(d.l)->writes_sent);
}

TEST(Ldst, TakesNoLoadWhenItsTableIsFull)
{
    smrf_config c = accelsim();
    c.l1d_mshr_merge = 256;
    dut d(c, world{0, 1000000, 1000000, 0, 0});
    uint32_t taken = 0;
    for (; taken <= SMRF_LDST_INSTS; taken++) {
        step s = ldg(0x1000 + taken / 200 * 32, 0);
        s.inst.op = &s.op;
        d.now++;
        d.cycle();
        if (!smrf_ldst_free(d.l))
            break;
        d.accept(s, taken);
    }
    EXPECT_EQ(uint32_t(SMRF_LDST_INSTS), taken);
    while (!smrf_ldst_idle(d.l)) {
        d.now = smrf_ldst_next(d.l, d.now);
        ASSERT_NE(SMRF_NEVER, d.now);
        d.cycle();
    }
    EXPECT_TRUE(smrf_ldst_free(d.l));
    EXPECT_EQ(size_t(SMRF_LDST_INSTS), count(d.o.log, WRITE_BACK));
}

TEST(Ldst, ResetEqualsFresh)
{
    scenario s = random_scenario(5, 60);
    outcome fresh = run_dut(s.p, s.c, s.w, true);
    dut d(s.c, s.w, 1);
    for (uint32_t i = 0; i < 20; i++) { // leave things in flight
        d.now = i + 1;
        d.cycle();
        if (smrf_ldst_free(d.l))
            d.accept(s.p[i], i);
    }
    smrf_ldst_reset(d.l);
    smrf_ldst_stats_reset(d.l);
    EXPECT_TRUE(smrf_ldst_idle(d.l));
    EXPECT_EQ(SMRF_NEVER, smrf_ldst_next(d.l, 20));
    d.o = {};
    d.sent = 0;
    outcome again = run_dut(s.p, d, true);
    expect_equal(fresh, again);
}

TEST(LdstDeathTest, CatchesAnswersThatNobodyAwaits)
{
    dut d(accelsim());
    smrf_mem_response bogus = {1, 17, 0, SMRF_MEM_READ}, beyond = {1, 1u << 20, 0, SMRF_MEM_READ};
    EXPECT_DEATH(smrf_ldst_response(d.l, &bogus), "arrival == SMRF_NEVER");
    EXPECT_DEATH(smrf_ldst_response(d.l, &beyond), "SMRF_LDST_REQUESTS");
}

TEST(LdstDeathTest, CatchesAnInstructionThatDoesNotFit)
{
    dut d(accelsim());
    step s = ldg(0x1000);
    s.inst.op = &s.op;
    d.accept(s, 0);
    EXPECT_DEATH(d.accept(s, 1), "smrf_ldst_free");
}

// A load that hits costs two wake-ups: one to dispatch it, one for its sectors at the tags.
TEST(Ldst, CoalescedHitNeedsTwoCyclesOfWork)
{
    const uint32_t loads = 1000;
    dut d(accelsim());
    run_one(d, ldg(0x1000));
    step s = ldg(0x1000);
    s.inst.op = &s.op;
    d.o.calls.clear();
    for (uint32_t i = 1; i <= loads; i++) {
        d.accept(s, i);
        for (uint64_t next; (next = smrf_ldst_next(d.l, d.now)) != SMRF_NEVER;) {
            d.now = next;
            d.cycle();
        }
    }
    EXPECT_EQ(2u * loads, d.o.calls.size());
    EXPECT_EQ(4u * loads, smrf_ldst_statistics(d.l)->l1d_global_load_hits);
    EXPECT_EQ(loads, smrf_ldst_statistics(d.l)->hits_completed);
}

TEST(LdstThroughput, SharedLoadsWaitInTheDispatchRegisterWhenThePipeIsFull)
{
    smrf_config c = accelsim();
    c.ldst_shared_latency = 2;
    world w;
    w.refuse_bank = 100;
    dut d(c, w);
    step s = one(SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 0, 4);
    s.inst.op = &s.op;
    uint32_t taken = 0;
    for (d.now = 1; d.now < 100; d.now++) {
        d.cycle();
        if (smrf_ldst_free(d.l))
            d.accept(s, taken++);
    }
    // One in the holding register, two in the pipe, one in the dispatch register.
    EXPECT_EQ(4u, taken);
    EXPECT_FALSE(smrf_ldst_free(d.l));
    d.w.refuse_bank = 0;
    for (; !smrf_ldst_idle(d.l); d.now++)
        d.cycle();
    EXPECT_EQ(4u, count(d.o.log, WRITE_BACK));
    // Accepted in 1, 2, 3, 4: the fourth is first refused in cycle 5 (0 if it could enter), and
    // enters in 101, the first taken in 100 having made room at the pipe's front.
    EXPECT_EQ(95u, smrf_ldst_statistics(d.l)->shared_full_stalls);
}
