// SPDX-License-Identifier: Apache-2.0
// Load/store unit: random programs, configurations and memories against a slow reference.
#include "tests/support/ldst_dut.h"
#include "tests/support/slow_ldst.h"

using namespace ldst_test;

namespace
{

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
        if (w.bank_refuses(now)) {
            return false;
        }
        o.log.push_back({now, WRITE_BACK, slot, last, 0});
        return true;
    }
    void answered(uint32_t slot) override
    {
        o.log.push_back({now, ANSWERED, slot, 0, 0});
    }
    void stores(uint32_t warp, int delta) override
    {
        o.log.push_back({now, STORES, warp, uint64_t(int64_t(delta)), 0});
    }
    bool send(const slow::request &r, uint64_t *arrival) override
    {
        if (w.port_refuses(now)) {
            return false;
        }
        o.log.push_back({now, SEND, r.address, r.bytes, uint64_t(r.kind)});
        *arrival = now + w.latency(sent++);
        return true;
    }
};

outcome run_slow(const program &p, const smrf_config &c, const world &w)
{
    slow_world out(w);
    slow::unit u(c, out, 1, c.l1d.ways);
    uint64_t earliest = 1;
    size_t i = 0;
    for (out.now = 1; i < p.size() || !u.idle(); out.now++) {
        if (out.now >= 10000000) {
            break;
        }
        u.cycle(out.now);
        if (u.worked) {
            out.o.calls.push_back(out.now);
        }
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
    static const char *const names[] = {"accept", "complete", "write_back",
                                        "stores", "send",     "answered"};
    return std::to_string(e[0]) + " " + names[e[1]] + " " + std::to_string(e[2]) + " " +
           std::to_string(e[3]) + " " + std::to_string(e[4]);
}

void expect_equal(const outcome &want, const outcome &got)
{
    size_t n = std::min(want.log.size(), got.log.size());
    for (size_t i = 0; i < n; i++) {
        ASSERT_TRUE(want.log[i] == got.log[i])
            << "event " << i << ": " << text(want.log[i]) << ", got " << text(got.log[i]);
    }
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
        if (in.stride < 0) {
            in.base += 32 * bytes;
        }
    } else {
        in.addr_kind = SMRF_ADDR_LIST;
        std::memset(in.lane, 0xee, sizeof(in.lane)); // inactive lanes hold anything
        for (uint32_t lane = 0; lane < 32; lane++) {
            if (in.mask >> lane & 1) {
                in.lane[lane] = base + r.below(span) / align * align;
            }
        }
    }
}

// favour: a space that half of the instructions access; rush: no gaps, so that queues fill up.
step random_step(random_source &r, const smrf_config &c, uint32_t span, uint8_t favour, bool rush)
{
    step s;
    smrf_static_inst &op = s.op;
    s.warp = r.below(c.sm.warps);
    s.gap = rush ? 0 : r.percent(80) ? r.below(4) : r.below(200);
    op.access_bytes = r.pick<uint8_t>({1, 2, 4, 4, 4, 4, 8, 16, 16, 32, 0});
    op.op_class = r.pick<uint8_t>({SMRF_CLASS_LOAD, SMRF_CLASS_LOAD, SMRF_CLASS_LOAD,
                                   SMRF_CLASS_STORE, SMRF_CLASS_STORE, SMRF_CLASS_ATOMIC});
    op.space =
        r.pick<uint8_t>({SMRF_SPACE_GLOBAL, SMRF_SPACE_GLOBAL, SMRF_SPACE_GLOBAL, SMRF_SPACE_SHARED,
                         SMRF_SPACE_LOCAL, SMRF_SPACE_GENERIC, SMRF_SPACE_CONST});
    if (r.percent(50)) {
        op.space = favour;
    }
    if (op.space == SMRF_SPACE_GLOBAL && op.op_class == SMRF_CLASS_LOAD && r.percent(10)) {
        op.flags |= SMRF_INST_SHARED_AND_GLOBAL;
    }
    if (r.percent(15)) {
        op.flags |= SMRF_INST_BYPASS_L1;
        if (r.percent(50)) {
            op.flags |= SMRF_INST_BYPASS_ACCELSIM;
        }
    }
    if (r.percent(50)) {
        op.flags |= SMRF_INST_SPILL;
    }
    if (op.op_class == SMRF_CLASS_ATOMIC && r.percent(30)) {
        op.flags |= SMRF_INST_COUNTS_LANES;
    }
    if (op.op_class != SMRF_CLASS_STORE && !(op.flags & SMRF_INST_SHARED_AND_GLOBAL)) {
        op.num_dst_base = r.percent(85);
        op.num_dst = r.percent(85) ? op.num_dst_base : 0;
    }
    uint64_t base = 0x700000000000;
    if (op.space == SMRF_SPACE_SHARED) {
        base = r.percent(50) ? 0 : shared_window;
    } else if (op.space == SMRF_SPACE_LOCAL) {
        base = r.percent(50) ? 0xfff000 : local_window + 0xfff000;
    } else if (op.space == SMRF_SPACE_GENERIC) {
        base = r.pick<uint64_t>({base, shared_window, local_window});
    }
    random_addresses(r, s.inst, base, op.access_bytes ? op.access_bytes : 4, span);
    return s;
}

smrf_config random_config(random_source &r)
{
    smrf_config c = defaults();
    c.gpu.sms = 2;
    c.sm.warps = 1 + r.below(8);
    c.ldst.shared_latency = r.pick<uint32_t>({1, 2, 5, 30});
    c.ldst.shared_banks = r.pick<uint32_t>({1, 2, 16, 32, 32, 24, 64});
    c.l1d.unified_bytes = 0;
    c.l1d.sets = 1u << r.below(3);
    c.l1d.ways = 1 + r.below(12);
    c.l1d.banks = r.pick<uint32_t>({1, 2, 3, 4, 4, 16});
    c.l1d.ports = c.l1d.banks == 16 ? 1 : r.pick<uint32_t>({1, 1, 1, 2, 4});
    c.l1d.latency = r.pick<uint32_t>({1, 2, 3, 7, 32});
    c.l1d.line_interval = r.pick<uint32_t>({0, 0, 1, 2, 5});
    c.l1d.lane_interval = r.pick<uint32_t>({0, 0, 1, 2});
    c.ldst.shared_atomic = r.pick<uint32_t>({0, 1, 3});
    c.l1d.mshrs = r.pick<uint32_t>({1, 2, 8, 64, 256});
    c.l1d.mshr_merge = r.pick<uint32_t>({1, 2, 8, 32});
    c.l1d.miss_queue = r.pick<uint32_t>({1, 2, 3, 16});
    c.l1d.bypass = r.percent(10);
    c.l1d.bypass_by = r.percent(50) ? SMRF_BYPASS_BY_ACCELSIM : SMRF_BYPASS_BY_OPCODE;
    c.l1d.joins_filled = r.percent(50);
    c.l1d.write_ratio = r.pick<uint32_t>({0, 25, 50, 100});
    c.l1d.age_by_cycle = (c.l1d.mshrs ^ c.l1d.latency) & 1; // no draw: others keep theirs
    c.l1d.always_hit_local = r.percent(20);
    c.l1d.always_hit_spills = r.percent(20);
    c.rf.l1_hit_writes = r.percent(50);
    c.rf.write_per_sector = r.percent(50);
    c.rf.rz_is_register = r.percent(30);
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
    for (size_t i = 0; i < length; i++) {
        s.p.push_back(random_step(r, s.c, span, favour, rush));
    }
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
        if (HasFatalFailure()) {
            break;
        }
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

TEST(Ldst, ResetEqualsFresh)
{
    scenario s = random_scenario(5, 60);
    outcome fresh = run_dut(s.p, s.c, s.w, true);
    dut d(s.c, s.w, 1);
    for (uint32_t i = 0; i < 20; i++) { // leave things in flight
        d.now = i + 1;
        d.cycle();
        if (smrf_ldst_free(d.l)) {
            d.accept(s.p[i], i);
        }
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
