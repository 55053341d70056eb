// SPDX-License-Identifier: Apache-2.0
// Load/store unit: against a slow reference on random programs, configurations and memories;
// against formulas for coalescing and bank conflicts; and its latencies to the cycle.
#include "models/common/smrf_rng.h"
#include "models/ldst/coalesce.h"
#include "models/ldst/ldst.h"
#include "tests/support/slow_ldst.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
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
    uint64_t last = 0, calls = 0;
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
        o.calls++;
    }
};

// A program's instructions point to their own static part.
void link(program &p)
{
    for (step &s : p)
        s.inst.op = &s.op;
}

outcome run_dut(const program &p, const smrf_config &c, const world &w, bool skip)
{
    dut d(c, w, 1);
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
        out.o.calls++;
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
        ASSERT_EQ(text(want.log[i]), text(got.log[i])) << "event " << i;
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

step random_step(random_source &r, const smrf_config &c, uint32_t span)
{
    step s;
    smrf_static_inst &op = s.op;
    s.warp = r.below(c.sm_warps);
    s.gap = r.percent(80) ? r.below(4) : r.below(200);
    op.access_bytes = r.pick<uint8_t>({1, 2, 4, 4, 4, 4, 8, 16, 16, 32, 0});
    op.op_class = r.pick<uint8_t>({SMRF_CLASS_LOAD, SMRF_CLASS_LOAD, SMRF_CLASS_LOAD,
                                   SMRF_CLASS_STORE, SMRF_CLASS_STORE, SMRF_CLASS_ATOMIC});
    op.space =
        r.pick<uint8_t>({SMRF_SPACE_GLOBAL, SMRF_SPACE_GLOBAL, SMRF_SPACE_GLOBAL, SMRF_SPACE_SHARED,
                         SMRF_SPACE_LOCAL, SMRF_SPACE_GENERIC, SMRF_SPACE_CONST});
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
    c.l1d_ports = r.pick<uint32_t>({1, 1, 1, 2, 16});
    c.l1d_latency = r.pick<uint32_t>({1, 2, 3, 7, 32});
    c.l1d_mshrs = r.pick<uint32_t>({1, 2, 8, 64, 256});
    c.l1d_mshr_merge = r.pick<uint32_t>({1, 2, 8, 32});
    c.l1d_miss_queue = r.pick<uint32_t>({1, 2, 3, 16});
    c.l1d_bypass = r.percent(10);
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
    w.refuse_bank = r.pick<uint32_t>({0, 0, 30, 80});
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
    for (size_t i = 0; i < length; i++)
        s.p.push_back(random_step(r, s.c, span));
    link(s.p);
    return s;
}

constexpr uint64_t scenarios = 240;

} // namespace

TEST(Ldst, EqualsSlowReferenceCycleByCycleOnRandomPrograms)
{
    for (uint64_t seed = 0; seed < scenarios && !HasFatalFailure(); seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        scenario s = random_scenario(seed, 60);
        expect_equal(run_slow(s.p, s.c, s.w), run_dut(s.p, s.c, s.w, false));
    }
}

TEST(Ldst, SleepingBetweenItsNextCyclesChangesNothing)
{
    uint64_t calls_all = 0, calls = 0;
    for (uint64_t seed = 0; seed < scenarios && !HasFatalFailure(); seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        scenario s = random_scenario(seed, 200);
        outcome every = run_dut(s.p, s.c, s.w, false), slept = run_dut(s.p, s.c, s.w, true);
        expect_equal(every, slept);
        calls_all += every.calls;
        calls += slept.calls;
    }
    EXPECT_LT(calls, calls_all);
}
