// SPDX-License-Identifier: Apache-2.0
// The load/store unit without its cycles against the unit itself: single instructions of all kinds,
// each after the one before is over, on random machines. Ends, requests and counters are equal.
#include "models/ldst/ldst_estimate.h"
#include "tests/support/dice.h"
#include "tests/support/ldst_dut.h"

#include <algorithm>
#include <memory>
#include <tuple>

using namespace ldst_test;

namespace
{

using sent_request =
    std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>; // address, mask, kind, cycle

struct result {
    uint64_t end = 0; // its last report
    int64_t stores = 0;
    std::vector<sent_request> sent;
    std::vector<uint64_t> cycles; // .. when, in order
};

void note(result &r, uint64_t address, uint64_t mask, uint64_t kind, uint64_t cycle)
{
    r.sent.emplace_back(address, mask, kind, 0);
    r.cycles.push_back(cycle);
}

result run_unit(dut &d, const step &s)
{
    result r;
    d.o.log.clear();
    d.accept(s, 7);
    while (!smrf_ldst_idle(d.l)) {
        d.now++;
        d.cycle();
    }
    for (const event &e : d.o.log) {
        if (e[1] == COMPLETE || e[1] == WRITE_BACK) {
            r.end = e[0];
        } else if (e[1] == SEND) {
            note(r, e[2], e[3], e[4], e[0]);
        } else if (e[1] == STORES) {
            r.stores += static_cast<int64_t>(e[3]) > 0;
        }
    }
    std::sort(r.sent.begin(), r.sent.end());
    return r;
}

// The same without its cycles.
struct estimated {
    dut d;
    std::unique_ptr<smrf_ldst_estimate> q = std::make_unique<smrf_ldst_estimate>();
    result r;
    uint64_t sent = 0;

    estimated(const smrf_config &c, const world &w) : d(c, w)
    {
        const smrf_ldst_events events = {this, complete, write_back, answered, stores};
        const smrf_mem_port port = {this, send};
        EXPECT_EQ(0, smrf_ldst_init(d.l, d.store, ldst_of(d.c), 0, &events, &port));
        smrf_ldst_estimate_init(q.get(), d.l);
    }
    static estimated &self(void *ctx)
    {
        return *static_cast<estimated *>(ctx);
    }
    static void complete(void *ctx, uint32_t slot, uint64_t cycle)
    {
        EXPECT_EQ(7u, slot);
        self(ctx).r.end = cycle;
    }
    static bool write_back(void *ctx, uint32_t slot, bool, uint64_t cycle)
    {
        complete(ctx, slot, cycle);
        return true;
    }
    static void answered(void *, uint32_t) {}
    static void stores(void *ctx, uint32_t, int32_t delta)
    {
        self(ctx).r.stores += delta;
    }
    static bool send(void *ctx, const smrf_mem_request *request)
    {
        estimated &e = self(ctx);
        note(e.r, request->address, request->byte_mask, request->kind, request->cycle);
        const smrf_mem_response answer = {request->cycle + e.d.w.latency(e.sent++), request->id, 0,
                                          request->kind};
        smrf_ldst_response(e.d.l, &answer);
        return true;
    }

    uint64_t next() const
    {
        return std::min(smrf_ldst_estimate_sends(q.get()), smrf_ldst_estimate_next(q.get()));
    }

    result run(const step &s, uint64_t cycle)
    {
        const smrf_ldst_inst in = {7, s.warp, &s.inst, shared_window, local_window};
        r = {};
        EXPECT_TRUE(smrf_ldst_estimate_room(q.get()));
        const smrf_ldst_outlook o = smrf_ldst_estimate_enter(q.get(), &in, cycle, cycle);
        EXPECT_GT(o.left, cycle);
        r.end = o.end;
        smrf_ldst_estimate_send(q.get(), smrf_ldst_estimate_sends(q.get())); // none is before
        EXPECT_TRUE(r.sent.empty());
        for (uint64_t at; (at = next()) != SMRF_NEVER;) {
            smrf_ldst_estimate_send(q.get(), at + 1);
            smrf_ldst_estimate_take(q.get(), at);
        }
        EXPECT_TRUE(smrf_ldst_idle(d.l));
        EXPECT_EQ(0, r.stores + int64_t(o.stores)) << "each store is answered";
        r.stores = o.stores;
        std::sort(r.sent.begin(), r.sent.end());
        return r;
    }
};

smrf_config random_machine(dice &d)
{
    smrf_config c = defaults();
    c.l1d.banks = d.of({1u, 3u, 4u, 8u});
    c.l1d.ports = d.of({1u, 1u, 2u});
    c.l1d.latency = d.of({20u, 32u}); // room for the sectors that wait for the miss queue
    c.l1d.line_interval = d.of({0u, 0u, 3u});
    c.l1d.lane_interval = d.of({0u, 0u, 1u});
    c.l1d.bypass = d.below(8) == 0;
    c.l1d.always_hit_local = d.below(4) == 0;
    c.rf.l1_hit_writes = d.below(2);
    c.rf.write_per_sector = d.below(2);
    c.ldst.shared_latency = d.of({1u, 30u});
    c.ldst.shared_atomic = d.of({0u, 2u});
    return c;
}

step random_step(dice &d)
{
    step s;
    s.warp = d.below(8);
    s.op.op_class = d.of<uint8_t>({SMRF_CLASS_LOAD, SMRF_CLASS_LOAD, SMRF_CLASS_STORE, //
                                   SMRF_CLASS_ATOMIC});
    s.op.space = d.of<uint8_t>({SMRF_SPACE_GLOBAL, SMRF_SPACE_GLOBAL, SMRF_SPACE_SHARED,
                                SMRF_SPACE_LOCAL, SMRF_SPACE_CONST});
    if (s.op.op_class == SMRF_CLASS_ATOMIC && s.op.space != SMRF_SPACE_SHARED) {
        s.op.space = SMRF_SPACE_GLOBAL;
    }
    s.op.access_bytes = d.of<uint8_t>({4, 4, 8, 16});
    s.op.num_dst = s.op.num_dst_base = s.op.op_class != SMRF_CLASS_STORE && d.below(4);
    s.inst.mask = d.of({UINT32_MAX, UINT32_MAX, 0xffffu, 0u, 0xaaaaaaaau});
    s.inst.base = 0x10000 + 128 * d.below(40) + 16 * d.below(8);
    s.inst.addr_kind = SMRF_ADDR_STRIDE;
    s.inst.stride = d.of<int64_t>({0, s.op.access_bytes, s.op.access_bytes, 32, 128, 160});
    if (s.op.space == SMRF_SPACE_LOCAL) {
        s.inst.base = 16 * d.below(20);
        s.inst.stride = 0;
    }
    return s;
}

} // namespace

class ldst_estimate : public testing::TestWithParam<int>
{
};

TEST_P(ldst_estimate, SingleInstructionsAreThoseOfTheUnit)
{
    dice d(static_cast<uint64_t>(GetParam()), 53);
    const smrf_config c = random_machine(d);
    world w;
    w.min_latency = w.max_latency = d.of({200u, 400u}); // after the hits
    dut unit(c, w);
    estimated estimate(c, w);
    unit.now = 10;
    for (int n = 0; n < 200 && !HasFailure(); n++) {
        step s = random_step(d);
        s.inst.op = &s.op;
        unit.now += 1 + d.below(300);
        const uint64_t start = unit.now;
        const result want = run_unit(unit, s), got = estimate.run(s, start);
        EXPECT_EQ(want.end, got.end) << n;
        EXPECT_EQ(want.stores, got.stores) << n;
        EXPECT_EQ(want.sent, got.sent) << n;
        EXPECT_EQ(want.cycles, got.cycles) << n;
        smrf_ldst_stats kept;
        const smrf_ldst_stats *a = smrf_ldst_statistics(unit.l),
                              *b = smrf_ldst_statistics(estimate.d.l);
        std::memset(&kept, 1, sizeof kept);
        smrf_ldst_estimate_kept(&kept);
#define COMPARE(name, unit, meaning) EXPECT_TRUE(!kept.name || a->name == b->name) << n << #name;
        SMRF_LDST_STATS(COMPARE)
#undef COMPARE
    }
}

// Few MSHRs and lines: a load waits at the tags for the answers to its own first sectors. A line's
// sectors are asked for together, so that there may be three more than MSHRs, and a load may take
// a latency of the memory less, or more where its sectors push each other out.
TEST_P(ldst_estimate, LoadsWaitForMshrsAndLines)
{
    constexpr uint32_t latency = 300;
    dice d(static_cast<uint64_t>(GetParam()), 54);
    double unit_cycles = 0, estimated_cycles = 0;
    smrf_config c = defaults();
    c.l1d.mshrs = d.of({4u, 8u, 256u});
    c.l1d.sets = d.of({1u, 2u});
    c.l1d.ways = d.of({1u, 2u, 4u});
    c.l1d.unified_bytes = 0;
    world w;
    w.min_latency = w.max_latency = latency;
    dut unit(c, w);
    estimated estimate(c, w);
    unit.now = 10;
    for (int n = 0; n < 20 && !HasFailure(); n++) {
        step s = random_step(d);
        s.op.op_class = SMRF_CLASS_LOAD;
        s.op.space = SMRF_SPACE_GLOBAL;
        s.inst.op = &s.op;
        unit.now += 1 + d.below(300);
        const uint64_t start = unit.now;
        const result want = run_unit(unit, s), got = estimate.run(s, start);
        EXPECT_NEAR(static_cast<double>(want.end), static_cast<double>(got.end), 2 * latency + 8)
            << n;
        unit_cycles += static_cast<double>(want.end - start);
        estimated_cycles += static_cast<double>(got.end - start);
        for (size_t i = c.l1d.mshrs + 3; i < got.cycles.size(); i++) {
            EXPECT_GE(got.cycles[i], got.cycles[i - c.l1d.mshrs - 3] + latency) << n << " " << i;
        }
    }
    EXPECT_NEAR(1, estimated_cycles / unit_cycles, 0.15);
}

INSTANTIATE_TEST_SUITE_P(OfRandomMachines, ldst_estimate, testing::Range(0, 60));

TEST(LdstEstimate, ALoadThatJoinsARequestEndsWithItsAnswer)
{
    world w;
    w.min_latency = w.max_latency = 100;
    estimated e(defaults(), w);
    step s;
    s.op.op_class = SMRF_CLASS_LOAD;
    s.op.space = SMRF_SPACE_GLOBAL;
    s.op.access_bytes = 4;
    s.op.num_dst = s.op.num_dst_base = 1;
    s.inst.op = &s.op;
    s.inst.mask = UINT32_MAX;
    s.inst.addr_kind = SMRF_ADDR_STRIDE;
    s.inst.base = 0x1000;
    s.inst.stride = 0;
    const smrf_ldst_inst in = {7, 0, &s.inst, 0, 0};
    EXPECT_EQ(SMRF_NEVER, smrf_ldst_estimate_enter(e.q.get(), &in, 10, 10).end);
    smrf_ldst_estimate_send(e.q.get(), SMRF_NEVER);
    EXPECT_EQ(SMRF_NEVER, smrf_ldst_estimate_enter(e.q.get(), &in, 12, 12).end);
    smrf_ldst_estimate_send(e.q.get(), SMRF_NEVER);
    EXPECT_EQ(1u, e.r.sent.size());
    const uint64_t arrives = smrf_ldst_estimate_next(e.q.get());
    EXPECT_EQ(e.r.cycles.at(0) + 100, arrives);
    smrf_ldst_estimate_take(e.q.get(), arrives - 1);
    EXPECT_EQ(0u, e.r.end);
    smrf_ldst_estimate_take(e.q.get(), arrives);
    EXPECT_EQ(arrives + 3, e.r.end) << "the second one is written behind the first";
    EXPECT_TRUE(smrf_ldst_idle(e.d.l));
    EXPECT_EQ(1u, smrf_ldst_statistics(e.d.l)->l1d_global_load_pending_hits);
}
