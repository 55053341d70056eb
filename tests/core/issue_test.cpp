// SPDX-License-Identifier: Apache-2.0
// The issue stage of a sub-core alone: instructions handed to it one by one, flights collected and
// retired by hand.
#include "models/issue/issue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace
{

smrf_issue_config config()
{
    smrf_issue_config c{};
    c.issue.width = 1;
    c.issue.active_warps = 2;
    c.issue.limit_warps = 64;
    c.scoreboard.war = 1;
    c.sm.warps = 32;
    c.sm.subcores = 4;
    c.rf.banks = 2;
    c.sub = 1;
    return c;
}

smrf_static_inst op(smrf_class op_class, std::vector<uint8_t> dst = {},
                    std::vector<uint8_t> src = {})
{
    smrf_static_inst o{};
    o.op_class = uint8_t(op_class);
    o.num_dst = uint8_t(dst.size());
    o.num_src = uint8_t(src.size());
    std::copy(dst.begin(), dst.end(), o.dst);
    std::copy(src.begin(), src.end(), o.src);
    return o;
}

struct dut {
    explicit dut(const smrf_issue_config &cfg) : s(std::make_unique<smrf_issue>())
    {
        smrf_flights_reset(flights.get());
        EXPECT_EQ(0, smrf_issue_init(s.get(), store.get(), &cfg, nullptr));
        smrf_issue_links links{};
        links.flights = flights.get();
        links.free_collectors = &free_collectors;
        links.seams = seams;
        links.ctx = this;
        links.pick = pick;
        links.to_collector = to_collector;
        links.control = control;
        links.issued = issued;
        links.reach_barrier = reach_barrier;
        links.fence_over = fence_over;
        links.drained = drained;
        links.fetching = fetching;
        smrf_issue_connect(s.get(), &links);
    }
    void start(unsigned k, uint16_t registers = 64)
    {
        smrf_issue_start(s.get(), k, k, uint16_t(64 * k), registers);
    }
    void give(unsigned k, const smrf_static_inst &o, uint32_t mask = UINT32_MAX)
    {
        ops.push_back(std::make_unique<smrf_static_inst>(o));
        insts.push_back(std::make_unique<smrf_inst>());
        insts.back()->op = ops.back().get();
        insts.back()->mask = mask;
        smrf_issue_head(s.get(), k, insts.back().get(), cycle);
    }
    // A cycle of its sleep, to be counted later.
    void sleep()
    {
        cycle++;
        owed++;
    }
    // Counts them, as before warps start or exit, and before a step.
    void settle()
    {
        if (owed) {
            smrf_issue_skip(s.get(), owed);
            owed = 0;
        }
    }
    // Returns the flight that issued, or -1.
    int step()
    {
        settle();
        last = -1;
        moved = smrf_issue_step(s.get(), cycle++);
        return last;
    }
    void release(int f, unsigned reg)
    {
        smrf_issue_released(s.get(), &flights->record[size_t(f)], reg, cycle);
    }
    void retire(int f)
    {
        smrf_issue_retired(s.get(), uint32_t(f), cycle);
    }
    uint64_t stalls(smrf_stall cause)
    {
        return s->stats.stall[cause];
    }

    static dut *self(void *ctx)
    {
        return static_cast<dut *>(ctx);
    }
    static int pick(void *ctx, unsigned, unsigned)
    {
        return self(ctx)->picked;
    }
    static void to_collector(void *ctx, unsigned sub, unsigned unit, uint32_t)
    {
        EXPECT_EQ(1u, sub);
        EXPECT_EQ(self(ctx)->picked, int(unit));
    }
    static uint32_t control(void *ctx, unsigned, const smrf_inst *)
    {
        return self(ctx)->penalty;
    }
    static const smrf_inst *issued(void *ctx, uint32_t f, const smrf_inst *inst)
    {
        EXPECT_EQ(inst->op, self(ctx)->flights->record[f].op);
        EXPECT_EQ(1u, self(ctx)->flights->record[f].warp & 3) << "a warp slot of sub-core 1";
        self(ctx)->last = int(f);
        return nullptr;
    }
    static void reach_barrier(void *ctx, unsigned warp)
    {
        self(ctx)->barriers.push_back(warp);
    }
    static void fence_over(void *ctx, unsigned warp)
    {
        self(ctx)->fences.push_back(warp);
    }
    static void drained(void *ctx, unsigned warp, uint64_t)
    {
        self(ctx)->dry.push_back(warp);
    }
    static bool fetching(void *ctx)
    {
        return self(ctx)->on_the_way;
    }

    uint64_t cycle = 10;
    uint32_t free_collectors = 0x3, penalty = 0;
    int picked = 0, last = -1;
    bool on_the_way = false, moved = false;
    uint64_t owed = 0; // cycles of its sleep that it has not counted
    smrf_issue_seams seams{};
    std::vector<unsigned> barriers, fences, dry;
    std::vector<std::unique_ptr<smrf_static_inst>> ops;
    std::vector<std::unique_ptr<smrf_inst>> insts;
    std::unique_ptr<smrf_flights> flights = std::make_unique<smrf_flights>();
    std::unique_ptr<smrf_issue> s;
    std::unique_ptr<smrf_issue_store> store = std::make_unique<smrf_issue_store>();
};

TEST(Issue, TheRecordHasDistinctSourcesAndPhysicalRegisters)
{
    dut d(config());
    d.start(2, 16);
    d.give(2, op(SMRF_CLASS_INT, {5, 20}, {3, 7, 3, 255}), 0xff);
    int f = d.step();
    ASSERT_GE(f, 0);
    const smrf_flight &r = d.flights->record[size_t(f)];
    EXPECT_EQ(9u, r.warp);
    EXPECT_EQ(1u, r.sub);
    EXPECT_EQ(0xffu, r.mask);
    ASSERT_EQ(3u, r.num_src) << "R3 is collected once";
    auto phys = [](const smrf_register_place &at) { return at.row * 2u + at.bank; };
    EXPECT_EQ(128u + 3, phys(r.src[0]));
    EXPECT_EQ(128u + 7, phys(r.src[1]));
    EXPECT_EQ(SMRF_ROW_NONE, r.src[2].row) << "RZ";
    EXPECT_EQ(255u % 2, r.src[2].bank) << "it takes a port all the same";
    EXPECT_EQ(128u + 5, phys(r.dst[0]));
    EXPECT_EQ(SMRF_ROW_NONE, r.dst[1].row) << "beyond the 16 that the warp holds";
    EXPECT_EQ(1u, d.s->stats.unbacked_registers);
    EXPECT_EQ(8u, d.s->stats.thread_insts);
}

// Places are computed at a stroke for all registers of an instruction, whoever has listed them.
TEST(Issue, RegistersLieWhereTheGeometrySays)
{
    std::mt19937 random(5);
    auto below = [&](unsigned n) { return unsigned(random() % n); };
    for (unsigned n = 0; n < 3000; n++) {
        smrf_issue_config cfg = config();
        const bool listed = below(4) == 0;
        cfg.rf.banks = 1 + below(16);
        cfg.rf.swizzle = below(2);
        cfg.rf.base_registers_only = listed;
        dut d(cfg);
        const unsigned k = below(8), base = below(2000), registers = 1 + below(256);
        const unsigned highest = below(2) ? registers : 256;
        smrf_issue_start(d.s.get(), k, k, uint16_t(base), uint16_t(registers));
        smrf_static_inst o = op(SMRF_CLASS_INT);
        uint8_t *src = listed ? o.src_listed : o.src;
        uint8_t *dst = listed ? o.dst_listed : o.dst;
        const unsigned num_src = below(1 + (listed ? SMRF_MAX_BASE : SMRF_MAX_SRC));
        const unsigned num_dst = below(1 + (listed ? SMRF_MAX_BASE : SMRF_MAX_DST));
        (listed ? o.num_src_listed : o.num_src) = uint8_t(num_src);
        (listed ? o.num_dst_listed : o.num_dst) = uint8_t(num_dst);
        std::vector<uint8_t> once;
        for (unsigned i = 0; i < num_src; i++) {
            src[i] = uint8_t(below(highest));
            if (std::find(once.begin(), once.end(), src[i]) == once.end()) {
                once.push_back(src[i]);
            }
        }
        for (unsigned i = 0; i < num_dst; i++) {
            dst[i] = uint8_t(below(highest));
        }
        if (below(2)) {
            o.set = smrf_reg_set_of_inst(&o, listed, cfg.rf.banks);
        }
        d.give(k, o);
        const int f = d.step();
        ASSERT_GE(f, 0);
        const smrf_flight &r = d.flights->record[size_t(f)];
        unsigned unbacked = 0;
        auto expect_place = [&](unsigned reg, const smrf_register_place &at) {
            const bool has = reg < registers && reg != SMRF_REG_ZERO;
            const smrf_register_place place =
                smrf_place_of(&cfg.rf, 4 * k + 1, reg, has ? base + reg : SMRF_PHYS_NONE);
            EXPECT_EQ(place.row, at.row) << "R" << reg;
            EXPECT_EQ(place.bank, at.bank) << "R" << reg;
            unbacked += !has && reg != SMRF_REG_ZERO;
        };
        ASSERT_EQ(once, std::vector<uint8_t>(r.src_reg, r.src_reg + r.num_src));
        ASSERT_EQ(num_dst, r.num_dst);
        ASSERT_EQ(0, std::memcmp(r.dst_reg, dst, num_dst));
        ASSERT_EQ((1u << num_dst) - 1, r.dst_left);
        for (unsigned i = 0; i < r.num_src; i++) {
            expect_place(r.src_reg[i], r.src[i]);
        }
        for (unsigned i = 0; i < r.num_dst; i++) {
            expect_place(r.dst_reg[i], r.dst[i]);
        }
        EXPECT_EQ(unbacked, d.s->stats.unbacked_registers);
        ASSERT_FALSE(HasFailure()) << "round " << n;
    }
}

TEST(Issue, AResultHoldsItsReadersUntilItsRelease)
{
    dut d(config());
    d.start(0);
    d.give(0, op(SMRF_CLASS_INT, {4}));
    int f = d.step();
    d.give(0, op(SMRF_CLASS_INT, {6}, {4}));
    EXPECT_EQ(-1, d.step());
    EXPECT_FALSE(d.moved);
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_data));
    d.release(f, 4);
    EXPECT_GE(d.step(), 0);
}

TEST(Issue, AReaderHoldsItsOverwriterUntilItHasCollected)
{
    dut d(config());
    d.start(0);
    d.give(0, op(SMRF_CLASS_INT, {}, {4}));
    int f = d.step();
    d.give(0, op(SMRF_CLASS_INT, {4}));
    EXPECT_EQ(-1, d.step());
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_war));
    smrf_issue_collected(d.s.get(), &d.flights->record[size_t(f)], 1u << 0, d.cycle);
    EXPECT_GE(d.step(), 0);
}

TEST(Issue, AFenceWaitsForResultsAndAnAtomicForItsReturn)
{
    for (smrf_class c : {SMRF_CLASS_MEMBAR, SMRF_CLASS_ATOMIC}) {
        dut d(config());
        d.start(0);
        d.give(0, op(SMRF_CLASS_INT, {4}));
        int write = d.step();
        d.give(0, op(c));
        int fence = d.step();
        ASSERT_GE(fence, 0);
        d.give(0, op(SMRF_CLASS_INT, {9}));
        EXPECT_EQ(-1, d.step());
        EXPECT_EQ(1u, d.stalls(SMRF_STALL_membar));
        EXPECT_TRUE(d.fences.empty());
        d.release(write, 4);
        d.retire(write);
        if (c == SMRF_CLASS_ATOMIC) {
            smrf_issue_answered(d.s.get(), &d.flights->record[fence], d.cycle);
            EXPECT_GE(d.step(), 0) << "it need not have left the SM";
        }
        d.retire(fence);
        if (c == SMRF_CLASS_MEMBAR) {
            EXPECT_EQ(std::vector<unsigned>{1}, d.fences) << "once, and by its slot in the SM";
            EXPECT_GE(d.step(), 0);
        }
        EXPECT_EQ(c == SMRF_CLASS_MEMBAR ? 1u : 0u, d.fences.size());
    }
}

TEST(Issue, AFenceWithNothingBeforeItIsOverAtOnce)
{
    dut d(config());
    d.start(2);
    d.give(2, op(SMRF_CLASS_MEMBAR));
    EXPECT_GE(d.step(), 0);
    EXPECT_EQ(std::vector<unsigned>{9}, d.fences);
}

TEST(Issue, EveryReasonNotToIssueIsCountedAsSuch)
{
    dut d(config());
    d.step();
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_idle));
    d.start(3);
    d.step();
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_drain));
    d.on_the_way = true;
    d.step();
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_fetch));
    d.give(3, op(SMRF_CLASS_BARRIER));
    d.free_collectors = 0;
    d.step();
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_collector));
    d.free_collectors = 1;
    smrf_issue_hold(d.s.get(), 3, d.cycle + 1);
    d.step();
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_blocked));
    smrf_issue_barrier(d.s.get(), 3, true, 0);
    d.step();
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_barrier));
    smrf_issue_skip(d.s.get(), 5);
    EXPECT_EQ(6u, d.stalls(SMRF_STALL_barrier)) << "what held in the last cycle holds on";
    smrf_issue_barrier(d.s.get(), 3, false, 0);
    EXPECT_GE(d.step(), 0);
    EXPECT_EQ((std::vector<unsigned>{13}), d.barriers);
    uint64_t sum = 0;
    for (uint64_t n : d.s->stats.stall) {
        sum += n;
    }
    EXPECT_EQ(d.s->stats.scheduler_cycles, sum + d.s->stats.cycles_issued);
}

TEST(Issue, AHeldWarpNamesTheCycleInWhichItGoesOn)
{
    dut d(config());
    d.start(0);
    d.give(0, op(SMRF_CLASS_INT));
    EXPECT_EQ(SMRF_NEVER, smrf_issue_next(d.s.get()));
    smrf_issue_hold(d.s.get(), 0, d.cycle + 3);
    smrf_issue_hold(d.s.get(), 0, d.cycle + 1);
    EXPECT_EQ(d.cycle + 3, smrf_issue_next(d.s.get())) << "the later of two";
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(-1, d.step());
    }
    EXPECT_GE(d.step(), 0);
}

TEST(Issue, WithLatchesAnOccupiedOneHoldsItsUnitOnly)
{
    smrf_issue_config cfg = config();
    cfg.issue.latches = 1;
    dut d(cfg);
    d.free_collectors = 0;
    d.start(0);
    d.start(1);
    d.give(0, op(SMRF_CLASS_INT));
    int first = d.step();
    d.give(0, op(SMRF_CLASS_INT));
    EXPECT_EQ(-1, d.step());
    EXPECT_EQ(1u, d.stalls(SMRF_STALL_unit));
    d.give(1, op(SMRF_CLASS_SFU));
    EXPECT_GE(d.step(), 0);
    EXPECT_EQ(uint32_t(first), smrf_issue_unlatch(d.s.get(), SMRF_UNIT_INT));
    EXPECT_GE(d.step(), 0);
}

TEST(Issue, AFreeLatchWakesItOnlyWhereAWarpWaitsForIt)
{
    smrf_issue_config cfg = config();
    cfg.issue.latches = 1;
    for (bool waits : {false, true}) {
        dut d(cfg);
        d.start(0);
        d.start(1);
        d.give(0, op(SMRF_CLASS_INT, {4}));
        ASSERT_GE(d.step(), 0);
        d.give(0, op(SMRF_CLASS_INT, {5}, {4})); // for a result
        if (waits) {
            d.give(1, op(SMRF_CLASS_INT, {4}));
        }
        EXPECT_EQ(-1, d.step());
        EXPECT_EQ(1u, d.stalls(waits ? SMRF_STALL_unit : SMRF_STALL_data));
        EXPECT_TRUE(smrf_issue_probe_asleep(d.s.get(), d.cycle));
        smrf_issue_unlatch(d.s.get(), SMRF_UNIT_INT);
        EXPECT_EQ(!waits, smrf_issue_probe_asleep(d.s.get(), d.cycle));
        EXPECT_EQ(waits, d.step() >= 0);
    }
}

TEST(Issue, AWarpIsDrainedWithItsLastFlightAndItsLastStore)
{
    dut d(config());
    d.start(0);
    d.give(0, op(SMRF_CLASS_INT));
    int f = d.step();
    smrf_issue_ended(d.s.get(), 0);
    smrf_issue_stores(d.s.get(), 0, 2, d.cycle);
    d.retire(f);
    EXPECT_TRUE(d.dry.empty());
    smrf_issue_stores(d.s.get(), 0, -1, d.cycle);
    EXPECT_TRUE(d.dry.empty());
    smrf_issue_stores(d.s.get(), 0, -1, d.cycle);
    EXPECT_EQ((std::vector<unsigned>{1}), d.dry);
    EXPECT_EQ(1u, d.s->stats.completed);
    EXPECT_EQ(unsigned(SMRF_FLIGHTS), d.flights->free_count);
}

TEST(Issue, ResetIsAsNew)
{
    dut d(config());
    std::vector<int> first;
    for (int round = 0; round < 2; round++) {
        std::vector<int> seen;
        d.cycle = 10;
        for (unsigned k = 0; k < 4; k++) {
            d.start(k);
            d.give(k, op(SMRF_CLASS_INT, {4}, {uint8_t(4 + (k & 1))}));
        }
        smrf_issue_hold(d.s.get(), 1, 15);
        for (int i = 0; i < 8; i++) {
            int f = d.step();
            seen.push_back(f < 0 ? -1 : d.flights->record[size_t(f)].warp);
        }
        seen.push_back(int(d.stalls(SMRF_STALL_blocked)));
        if (round == 0) {
            first = seen;
            EXPECT_EQ((std::vector<int>{1, 9, 13, -1, -1, 5, -1, -1, 2}), first);
        } else {
            EXPECT_EQ(first, seen);
        }
        smrf_issue_reset(d.s.get());
        EXPECT_EQ(0u, d.s->stats.warp_insts);
    }
}

// What random neighbours do to a stage: the same to every stage that is driven by the same seed.
class neighbours
{
  public:
    explicit neighbours(unsigned seed, bool latches) : random_(seed), latches_(latches) {}

    // A cycle's events before the stage has its turn.
    void act(dut &d)
    {
        const unsigned k = below(4);
        switch (below(10)) {
        case 0:
            smrf_issue_barrier(d.s.get(), k, below(2) != 0, 0);
            break;
        case 1:
            smrf_issue_hold(d.s.get(), k, d.cycle + below(6));
            break;
        case 2:
            d.free_collectors = below(4);
            d.picked = d.free_collectors & 1 ? 0 : 1;
            if (d.free_collectors) {
                smrf_issue_collector_freed(d.s.get());
            }
            break;
        case 3:
            if (d.s->warp[k].head == nullptr && d.s->warp[k].inflight == 0) {
                d.settle();
                smrf_issue_exit(d.s.get(), k);
            }
            break;
        case 4:
            if (!(d.s->resident >> k & 1)) {
                d.settle();
                d.start(k);
            }
            break;
        case 5:
            if (!flying_.empty()) {
                end(d, below(unsigned(flying_.size())));
            }
            break;
        case 6:
        case 7:
            if (d.s->warp[k].head == nullptr && (d.s->resident >> k & 1)) {
                d.give(k, op(below(3) ? SMRF_CLASS_SP : SMRF_CLASS_INT, {uint8_t(below(4))},
                             {uint8_t(below(4)), uint8_t(4 + below(4))}));
            }
            break;
        case 8:
            if (d.s->latch_full) {
                smrf_issue_unlatch(d.s.get(), unsigned(__builtin_ctz(d.s->latch_full)));
            }
            break;
        default:
            d.on_the_way = !d.on_the_way;
        }
    }
    void flies(int flight)
    {
        if (flight >= 0) {
            flying_.push_back(flight);
        }
    }

  private:
    unsigned below(unsigned n)
    {
        return unsigned(random_() % n);
    }
    // Its sources are read, its result is there, and it has left.
    void end(dut &d, unsigned at)
    {
        const int f = flying_[at];
        const smrf_flight &record = d.flights->record[size_t(f)];
        if (latches_ && (d.s->latch_full >> record.unit & 1) &&
            d.s->latch[record.unit] == uint32_t(f)) {
            return;
        }
        flying_.erase(flying_.begin() + at);
        for (unsigned i = 0; i < record.num_src; i++) {
            smrf_issue_collected(d.s.get(), &record, 1u << i, d.cycle);
        }
        d.release(f, record.dst_reg[0]);
        d.retire(f);
    }

    std::mt19937 random_;
    bool latches_;
    std::vector<int> flying_;
};

// Results that come all at once leave the stage as they do one by one.
TEST(Issue, AtOnceResultsLeaveItAsTheyDoOneByOne)
{
    dut one(config()), stroke(config());
    for (dut *d : {&one, &stroke}) {
        d->start(0);
        d->give(0, op(SMRF_CLASS_TENSOR, {4, 5, 6, 7}));
        const int f = d->step();
        ASSERT_GE(f, 0);
        d->give(0, op(SMRF_CLASS_SP, {1}, {7}));
        ASSERT_EQ(-1, d->step());
        if (d == &one) {
            for (unsigned reg : {4u, 5u, 6u, 7u}) {
                d->release(f, reg);
            }
            d->retire(f);
        } else {
            smrf_issue_settled(d->s.get(), uint32_t(f), d->cycle);
        }
        EXPECT_EQ(0u, d->s->data);
        EXPECT_EQ(0u, d->s->warp[0].inflight);
        EXPECT_GE(d->step(), 0);
    }
    EXPECT_EQ(0, std::memcmp(&one.s->stats, &stroke.s->stats, sizeof one.s->stats));
}

// A stage that sleeps where it may, and counts its cycles when it wakes, does what one does that is
// stepped in every cycle.
TEST(Issue, AsleepItFindsWhatAStepWould)
{
    for (unsigned seed = 0; seed < 300; seed++) {
        smrf_issue_config cfg = config();
        cfg.issue.latches = seed & 1;
        cfg.issue.scheduler =
            std::array{SMRF_SCHED_GTO, SMRF_SCHED_LRR, SMRF_SCHED_TWO_LEVEL}[seed / 2 % 3];
        cfg.issue.active_warps = 3;
        dut stepped(cfg), sleeping(cfg);
        neighbours of_stepped(seed, seed & 1), of_sleeping(seed, seed & 1);
        unsigned slept = 0;
        for (unsigned n = 0; n < 600; n++) {
            of_stepped.act(stepped);
            of_sleeping.act(sleeping);
            const int expected = stepped.step();
            of_stepped.flies(expected);
            const bool awake = *sleeping.s->awake >> cfg.sub & 1; // by other blocks; or by time
            ASSERT_EQ(!awake && sleeping.cycle < sleeping.s->asleep_until,
                      smrf_issue_probe_asleep(sleeping.s.get(), sleeping.cycle))
                << "seed " << seed << ", cycle " << n;
            if (smrf_issue_probe_asleep(sleeping.s.get(), sleeping.cycle)) {
                sleeping.sleep();
                slept++;
                ASSERT_EQ(expected, -1) << "seed " << seed << ", cycle " << n;
                ASSERT_FALSE(stepped.moved) << "seed " << seed << ", cycle " << n;
                continue;
            }
            ASSERT_EQ(expected, sleeping.step()) << "seed " << seed << ", cycle " << n;
            of_sleeping.flies(expected);
            ASSERT_EQ(smrf_issue_probe_allowed(stepped.s.get()),
                      smrf_issue_probe_allowed(sleeping.s.get()))
                << "seed " << seed << ", cycle " << n;
            ASSERT_EQ(0,
                      std::memcmp(&stepped.s->stats, &sleeping.s->stats, sizeof stepped.s->stats))
                << "seed " << seed << ", cycle " << n;
        }
        EXPECT_GT(slept, 50u) << "seed " << seed;
    }
}

} // namespace
