// SPDX-License-Identifier: Apache-2.0
// A stage calls its own scheduler and scoreboard without their tables. It is compared with a stage
// that is given the same ones as parts and calls them through the tables, over random lives of its
// warps; and the record of an instruction that issues is complete, whatever was there before.
#include "models/issue/issue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace
{

constexpr unsigned warps = 8;

smrf_issue_config config(unsigned policy, unsigned banks, bool swizzle)
{
    smrf_issue_config c{};
    c.issue.width = 1;
    c.issue.scheduler = policy;
    c.issue.active_warps = 2;
    c.issue.limit_warps = 3;
    c.issue.latches = policy % 2 == 0;
    c.issue.inner = policy == SMRF_SCHED_TWO_LEVEL && banks == 4 ? SMRF_INNER_GTO : SMRF_INNER_LRR;
    c.scoreboard.uniform = 1;
    c.scoreboard.war = !c.issue.latches;
    c.sm.warps = 4 * warps;
    c.sm.subcores = 4;
    c.rf.banks = banks;
    c.rf.swizzle = swizzle;
    c.sub = 2;
    return c;
}

// A stage with a front end of its own: each warp's instructions in order, which come one by one.
struct dut {
    dut(const smrf_issue_config &cfg, bool own)
    {
        smrf_flights_reset(flights.get());
        EXPECT_EQ(0, smrf_scheduler_init(&scheduler, &cfg.issue, warps));
        smrf_scoreboard_init(scoreboard.get(), readers, &cfg.scoreboard, warps);
        const smrf_issue_parts parts = {smrf_scheduler_policy(&cfg.issue), &scheduler,
                                        &smrf_scoreboard_ops, scoreboard.get()};
        EXPECT_EQ(0, smrf_issue_init(s.get(), store.get(), &cfg, own ? nullptr : &parts));
        smrf_issue_links links{};
        links.flights = flights.get();
        links.awake = &awake;
        links.free_collectors = &free_collectors;
        links.pick = [](void *ctx, unsigned, unsigned) {
            return __builtin_ctz(self(ctx)->free_collectors);
        };
        links.to_collector = [](void *ctx, unsigned, unsigned unit, uint32_t) {
            self(ctx)->free_collectors &= ~(1u << unit);
        };
        links.ctx = this;
        links.control = [](void *, unsigned, const smrf_inst *inst) {
            return inst->mask % 16 == 3 ? 2u : 0u; // some lines cost their warp cycles
        };
        links.issued = issued;
        links.reach_barrier = [](void *ctx, unsigned warp) {
            self(ctx)->log.push_back(1000 + warp);
            smrf_issue_barrier(self(ctx)->s.get(), warp >> 2, true, 0);
        };
        links.fence_over = [](void *ctx, unsigned warp) { self(ctx)->log.push_back(3000 + warp); };
        links.drained = [](void *ctx, unsigned warp, uint64_t cycle) {
            self(ctx)->log.push_back(2000 + warp);
            self(ctx)->log.push_back(cycle);
        };
        links.fetching = [](void *ctx) { return self(ctx)->on_the_way; };
        smrf_issue_connect(s.get(), &links);
    }
    static dut *self(void *ctx)
    {
        return static_cast<dut *>(ctx);
    }
    static const smrf_inst *issued(void *ctx, uint32_t f, const smrf_inst *inst)
    {
        dut *d = self(ctx);
        const unsigned k = d->flights->record[f].warp >> 2;
        EXPECT_EQ(d->queue[k].front(), inst);
        d->queue[k].pop_front();
        d->log.push_back(f);
        d->in_flight.push_back(f);
        return d->queue[k].empty() ? nullptr : d->queue[k].front();
    }

    bool on_the_way = false;
    uint32_t awake = 0, free_collectors = 3;
    std::deque<const smrf_inst *> queue[warps];
    std::vector<uint32_t> in_flight;
    std::vector<uint64_t> log;
    smrf_scheduler scheduler{};
    smrf_scoreboard_readers readers[SMRF_MAX_SUB_WARPS]{};
    std::unique_ptr<smrf_scoreboard> scoreboard = std::make_unique<smrf_scoreboard>();
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    std::unique_ptr<smrf_issue> s = std::make_unique<smrf_issue>();
    std::unique_ptr<smrf_issue_store> store = std::make_unique<smrf_issue_store>();
};

struct program {
    explicit program(unsigned seed, bool listed, unsigned banks) : random(seed)
    {
        for (smrf_static_inst &o : op) {
            fill(o);
            o.set = smrf_reg_set_of_inst(&o, listed, below(4) ? banks : 0);
        }
    }
    unsigned below(unsigned n)
    {
        return unsigned(random() % n);
    }
    void fill(smrf_static_inst &o)
    {
        static const smrf_class often[] = {SMRF_CLASS_INT, SMRF_CLASS_SP, SMRF_CLASS_SFU,
                                           SMRF_CLASS_LOAD};
        o.op_class = uint8_t(below(3) ? unsigned{often[below(4)]} : below(SMRF_CLASS_COUNT));
        o.space = uint8_t(o.op_class == SMRF_CLASS_LOAD ? SMRF_SPACE_GLOBAL : SMRF_SPACE_NONE);
        o.flags = uint16_t(below(20) ? 0u : unsigned{SMRF_INST_SHARED_AND_GLOBAL});
        o.num_src = uint8_t(below(5));
        o.num_dst = uint8_t(below(3));
        std::generate_n(o.src, o.num_src, [&] { return uint8_t(below(30)); });
        std::generate_n(o.dst, o.num_dst,
                        [&] { return uint8_t(below(2) ? below(12) : below(70)); });
        if (below(8) == 0) {
            o.num_udst = 1;
            o.udst[0] = uint8_t(below(4));
        }
        if (below(8) == 0) {
            o.num_usrc = 1;
            o.usrc[0] = uint8_t(below(4));
        }
    }
    const smrf_inst *next()
    {
        inst.push_back(std::make_unique<smrf_inst>());
        inst.back()->op = &op[below(40)];
        inst.back()->mask = below(5) ? UINT32_MAX : uint32_t(random());
        inst.back()->near_src = below(6) ? 0 : 1;
        return inst.back().get();
    }

    std::mt19937 random;
    smrf_static_inst op[40]{};
    std::vector<std::unique_ptr<smrf_inst>> inst;
};

using pair = std::unique_ptr<dut> (&)[2];

void give(pair d, program &p, unsigned k, uint64_t cycle)
{
    const unsigned count = 1 + p.below(4);
    std::vector<const smrf_inst *> some;
    for (unsigned i = 0; i < count; i++) {
        some.push_back(p.next());
    }
    for (const auto &x : d) {
        const bool none = x->queue[k].empty();
        x->queue[k].insert(x->queue[k].end(), some.begin(), some.end());
        if (none) {
            smrf_issue_head(x->s.get(), k, some.front(), cycle);
        }
    }
}

// One of the instructions in flight ends: all at once, or a result at a time.
void end_one(pair d, program &p, uint64_t cycle)
{
    const size_t n = p.below(unsigned(d[0]->in_flight.size()));
    const bool at_once = p.below(2);
    for (const auto &x : d) {
        const uint32_t f = x->in_flight[n];
        const smrf_flight r = x->flights->record[f];
        x->in_flight.erase(x->in_flight.begin() + long(n));
        if (r.op->op_class == SMRF_CLASS_ATOMIC && r.mask) {
            smrf_issue_answered(x->s.get(), &r, cycle);
        }
        smrf_issue_collected(x->s.get(), &r, (1u << r.num_src) - 1, cycle);
        if (at_once) {
            smrf_issue_settled(x->s.get(), f, cycle);
            continue;
        }
        for (unsigned i = 0; i < r.num_dst; i++) {
            smrf_issue_released(x->s.get(), &r, r.dst_reg[i], cycle);
        }
        smrf_issue_retired(x->s.get(), f, cycle);
    }
}

void do_something(pair d, program &p, uint64_t cycle)
{
    const unsigned what = p.below(40), k = p.below(warps);
    for (const auto &x : d) {
        smrf_issue *s = x->s.get();
        if (what == 0) {
            smrf_issue_hold(s, k, cycle + 3);
        } else if (what < 4) {
            smrf_issue_barrier(s, k, false, 0);
        } else if (what == 4) {
            smrf_issue_stores(s, k, 1, cycle);
            smrf_issue_stores(s, k, -1, cycle);
        } else if (what == 5) {
            x->on_the_way = !x->on_the_way;
        }
    }
    if (what > 25 && !d[0]->in_flight.empty()) {
        end_one(d, p, cycle);
    } else if (what > 12 && d[0]->queue[k].size() < 3) {
        give(d, p, k, cycle);
    }
    const uint32_t full = d[0]->s->latch_full;
    for (uint32_t m = full; m; m &= m - 1) {
        const unsigned unit = unsigned(__builtin_ctz(m));
        if (p.below(2)) {
            EXPECT_EQ(smrf_issue_unlatch(d[0]->s.get(), unit),
                      smrf_issue_unlatch(d[1]->s.get(), unit));
        }
    }
}

void expect_same(pair d, const char *where)
{
    const smrf_issue &a = *d[0]->s, &b = *d[1]->s;
    EXPECT_EQ(a.issued, b.issued) << where;
    EXPECT_EQ(a.stall, b.stall) << where;
    EXPECT_EQ(a.has_inst, b.has_inst) << where;
    EXPECT_EQ(a.data, b.data) << where;
    EXPECT_EQ(a.war, b.war) << where;
    EXPECT_EQ(a.has_hazard, b.has_hazard) << where;
    EXPECT_EQ(a.stopped, b.stopped) << where;
    EXPECT_EQ(a.latch_busy & a.has_inst, b.latch_busy & b.has_inst) << where;
    EXPECT_EQ(smrf_issue_probe_allowed(&a), smrf_issue_probe_allowed(&b)) << where;
    EXPECT_EQ(a.asleep_until, b.asleep_until) << where;
    EXPECT_EQ(d[0]->awake, d[1]->awake) << where;
    EXPECT_EQ(a.latch_full, b.latch_full) << where;
    EXPECT_EQ(smrf_issue_probe_long(&a), smrf_issue_probe_long(&b)) << where;
    EXPECT_EQ(d[0]->log, d[1]->log) << where;
    EXPECT_EQ(0, std::memcmp(&a.stats, &b.stats, sizeof a.stats)) << where;
    for (unsigned k = 0; k < warps; k++) {
        EXPECT_EQ(a.warp[k].head, b.warp[k].head) << where;
        EXPECT_EQ(a.warp[k].inflight, b.warp[k].inflight) << where;
        EXPECT_EQ(0, std::memcmp(&a.own_scoreboard.warp[k], &d[1]->scoreboard->warp[k],
                                 sizeof a.own_scoreboard.warp[k]))
            << where;
    }
}

void free_a_collector(pair d, program &p)
{
    const unsigned unit = p.below(2);
    for (const auto &x : d) {
        if (!(x->free_collectors >> unit & 1)) {
            x->free_collectors |= 1u << unit;
            smrf_issue_collector_freed(x->s.get());
        }
    }
}

class IssueParts : public testing::TestWithParam<smrf_sched>
{
};

INSTANTIATE_TEST_SUITE_P(Policies, IssueParts,
                         testing::Values(SMRF_SCHED_GTO, SMRF_SCHED_LRR, SMRF_SCHED_OLDEST,
                                         SMRF_SCHED_TWO_LEVEL, SMRF_SCHED_SWL));

TEST_P(IssueParts, AStageDoesWithItsOwnPartsWhatItDoesWithTheSameOnesFromOutside)
{
    uint64_t insts = 0, slept = 0;
    for (unsigned seed = 0; seed < 60; seed++) {
        program p(seed, false, 8);
        const smrf_issue_config cfg = config(GetParam(), seed & 2 ? 4 : 8, seed & 1);
        std::unique_ptr<dut> d[2] = {std::make_unique<dut>(cfg, true),
                                     std::make_unique<dut>(cfg, false)};
        for (const auto &x : d) {
            for (unsigned k = 0; k < warps; k++) {
                smrf_issue_start(x->s.get(), k, (k * 5 + seed) % warps, uint16_t(40 * k), 40);
            }
        }
        for (uint64_t cycle = 1; cycle < 700; cycle++) {
            do_something(d, p, cycle);
            free_a_collector(d, p);
            const bool asleep = smrf_issue_probe_asleep(d[0]->s.get(), cycle);
            const unsigned stall = d[0]->s->stall;
            EXPECT_EQ(!asleep, d[0]->awake >> cfg.sub & 1 || cycle >= d[0]->s->asleep_until);
            const bool moved[2] = {smrf_issue_step(d[0]->s.get(), cycle),
                                   smrf_issue_step(d[1]->s.get(), cycle)};
            EXPECT_EQ(moved[0], moved[1]);
            if (asleep) { // a step would have found the same
                EXPECT_FALSE(d[0]->s->issued);
                EXPECT_FALSE(moved[0]);
                EXPECT_EQ(stall, d[0]->s->stall);
                slept++;
            }
            expect_same(d, "in a step");
            ASSERT_FALSE(HasFailure()) << "seed " << seed << ", cycle " << cycle;
        }
        for (const auto &x : d) { // ends that somebody waits for
            for (unsigned k = 0; k < warps; k++) {
                smrf_issue_ended(x->s.get(), k);
            }
        }
        while (!d[0]->in_flight.empty()) {
            end_one(d, p, 1000);
            expect_same(d, "at the end");
        }
        insts += d[0]->s->stats.warp_insts;
    }
    EXPECT_GT(insts, 3000u);
    if (GetParam() < SMRF_SCHED_TWO_LEVEL) { // one with lists stays awake
        EXPECT_GT(slept, 3000u);
    }
}

// Every field of a record is the instruction's, though the record held another one before.
TEST(IssueRecord, IsCompleteWhateverItHeldBefore)
{
    for (unsigned seed = 0; seed < 400; seed++) {
        const unsigned banks = 1 + seed % 16, base = 31 * seed % 900, registers = 20 + seed % 60;
        program p(seed, seed & 8, banks);
        smrf_issue_config cfg = config(SMRF_SCHED_GTO, banks, seed & 16);
        cfg.rf.base_registers_only = (seed & 8) != 0;
        for (smrf_static_inst &o : p.op) {
            o.num_src_listed = o.num_src;
            o.num_dst_listed = o.num_dst;
            std::copy(o.src, o.src + o.num_src, o.src_listed);
            std::copy(o.dst, o.dst + o.num_dst, o.dst_listed);
            o.set = smrf_reg_set_of_inst(&o, seed & 8, banks);
        }
        dut d(cfg, seed & 1);
        smrf_issue_start(d.s.get(), 3, 0, uint16_t(base), uint16_t(registers));
        std::memset(d.flights->record, 0xa5, sizeof d.flights->record);
        const smrf_inst *inst = p.next();
        d.queue[3].push_back(inst);
        smrf_issue_head(d.s.get(), 3, inst, 1);
        ASSERT_TRUE(smrf_issue_step(d.s.get(), 1));
        ASSERT_EQ(1u, d.in_flight.size());
        const smrf_flight &f = d.flights->record[d.in_flight[0]];
        const smrf_static_inst &o = *inst->op;
        std::vector<uint8_t> src; // each register once
        for (unsigned i = 0; i < o.num_src; i++) {
            if (std::find(src.begin(), src.end(), o.src[i]) == src.end()) {
                src.push_back(o.src[i]);
            }
        }
        EXPECT_EQ(&o, f.op);
        EXPECT_EQ(0u, f.uid);
        EXPECT_EQ(1u, f.version);
        EXPECT_EQ(1u, f.number);
        EXPECT_EQ(inst->mask, f.mask);
        EXPECT_EQ(4 * 3 + 2, f.warp);
        EXPECT_EQ(2, f.sub);
        EXPECT_FALSE(f.shared);
        EXPECT_FALSE(f.micro);
        EXPECT_EQ(smrf_inst_needs(&o), f.needs);
        EXPECT_EQ((1u << o.num_dst) - 1, f.dst_left);
        EXPECT_EQ(0, f.carries);
        EXPECT_EQ(nullptr, f.facts);
        EXPECT_EQ(0, f.near_dst);
        EXPECT_EQ(o.num_src && inst->near_src ? 1u : 0u, f.near_src);
        ASSERT_EQ(src.size(), f.num_src);
        ASSERT_EQ(src.size(), f.num_read);
        ASSERT_EQ(o.num_dst, f.num_dst);
        auto expect_at = [&](unsigned reg, smrf_register_place at) {
            const unsigned index = reg < registers ? base + reg : reg;
            EXPECT_EQ(reg < registers ? index / banks : SMRF_ROW_NONE, at.row);
            EXPECT_EQ((index + (cfg.rf.swizzle ? 14u : 0u)) % banks, at.bank);
        };
        for (unsigned i = 0; i < f.num_src; i++) {
            EXPECT_EQ(src[i], f.src_reg[i]);
            expect_at(src[i], f.src[i]);
        }
        for (unsigned i = 0; i < f.num_dst; i++) {
            EXPECT_EQ(o.dst[i], f.dst_reg[i]);
            expect_at(o.dst[i], f.dst[i]);
        }
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

} // namespace
