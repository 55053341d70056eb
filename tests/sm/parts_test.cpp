// SPDX-License-Identifier: Apache-2.0
// The blocks of an SM that are replaceable whole, each replaced by a toy whose effect is known to
// the cycle.
#include "tests/support/sm_dut.h"

#include <gtest/gtest.h>

using namespace sm_test;

namespace
{

// --- a scheduler that gives every warp a turn of four cycles
// ----------------------------------------

struct turns {
    static constexpr unsigned LENGTH = 4;
    uint64_t count = 0; // cycles so far
    unsigned warps = 0;
    std::vector<uint64_t> at; // count at each issue
    bool overruled = false;

    unsigned now() const
    {
        return unsigned(count / LENGTH % warps);
    }
    static turns *self(void *s)
    {
        return static_cast<turns *>(s);
    }
    static void reset(void *s)
    {
        *self(s) = turns{};
    }
    static void start(void *s, unsigned k, uint64_t)
    {
        self(s)->warps = std::max(self(s)->warps, k + 1);
    }
    static bool order(void *s, const smrf_scheduler_view *view)
    {
        self(s)->count++;
        uint64_t all = (UINT64_C(1) << self(s)->warps) - 1;
        return (all & ~(view->waiting | view->long_op)) != 0;
    }
    static void skip(void *s, const smrf_scheduler_view *, uint64_t n)
    {
        self(s)->count += n;
    }
    static uint64_t allowed(const void *s)
    {
        return UINT64_C(1) << static_cast<const turns *>(s)->now();
    }
    static unsigned select(const void *s, uint64_t ready, uint64_t)
    {
        EXPECT_EQ(UINT64_C(1) << static_cast<const turns *>(s)->now(), ready);
        return static_cast<const turns *>(s)->now();
    }
    static void issued(void *s, unsigned k)
    {
        self(s)->at.push_back(self(s)->count);
        self(s)->overruled |= k != self(s)->now();
    }
};

const smrf_scheduler_ops turn_ops = {turns::reset,  turns::start,   turns::order,
                                     turns::skip,   turns::allowed, turns::select,
                                     turns::issued, nullptr,        nullptr};

TEST(Parts, AnotherSchedulerTakesThePlaceOfTheOwn)
{
    std::vector<program> warps;
    for (unsigned w = 0; w < 3; w++) {
        program p;
        for (unsigned i = 0; i < 8; i++) {
            p.push_back(memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {4}, {2}, 0x1000 + 128 * w));
            p.push_back(alu(SMRF_CLASS_INT, {5}, {4}));
            p.push_back(alu(SMRF_CLASS_INT, {6}, {5}));
        }
        p.push_back(exit_step());
        warps.push_back(p);
    }
    turns toy;
    const smrf_issue_parts parts = {&turn_ops, &toy, nullptr, nullptr};
    dut d(one_subcore(), {warps}, 64, 0, smrf_mechanism_find("baseline"), nullptr,
          {&parts, nullptr, nullptr, nullptr});
    d.run();
    EXPECT_FALSE(toy.overruled);
    ASSERT_EQ(d.issues.size(), 3u * 25);
    ASSERT_EQ(toy.at.size(), d.issues.size());
    for (size_t i = 0; i < d.issues.size(); i++) {
        EXPECT_EQ(toy.at[i] - d.issues[i].cycle, toy.at[0] - d.issues[0].cycle)
            << "a cycle is counted once, simulated or skipped";
        EXPECT_EQ(toy.at[i] / turns::LENGTH % 3, d.issues[i].warp);
    }
    EXPECT_LT(d.stats().stepped_cycles, d.stats().active_cycles) << "nothing was skipped";
}

// --- a dependence check by counts, as control bits have it: each instruction holds the next back
// ------

struct counts {
    uint64_t free_at[SMRF_MAX_SUB_WARPS] = {};
    unsigned stood_out[SMRF_MAX_SUB_WARPS] = {}; // results
    unsigned asked = 0;

    static counts *self(void *d)
    {
        return static_cast<counts *>(d);
    }
    static unsigned stall(const smrf_static_inst *op)
    {
        return 3 + 4 * op->imm_slots;
    }
    static void reset(void *d)
    {
        *self(d) = counts{};
    }
    static void start(void *d, unsigned k)
    {
        self(d)->free_at[k] = 0;
    }
    static unsigned check(const void *d, unsigned k, const smrf_operands *, uint64_t cycle,
                          uint64_t *again)
    {
        const counts *c = static_cast<const counts *>(d);
        EXPECT_EQ(SMRF_NEVER, *again);
        const_cast<counts *>(c)->asked++;
        if (c->free_at[k] <= cycle) {
            return 0;
        }
        *again = c->free_at[k];
        return SMRF_HAZARD_DATA;
    }
    static void issued(void *d, unsigned k, const smrf_flight *f, uint64_t cycle)
    {
        self(d)->free_at[k] = cycle + stall(f->op);
        self(d)->stood_out[k] += f->num_dst;
    }
    static bool collected(void *, unsigned, const smrf_flight *, unsigned)
    {
        return false;
    }
    static bool released(void *d, unsigned k, const smrf_flight *, unsigned)
    {
        self(d)->stood_out[k]--;
        return false;
    }
    static bool quiet(const void *d, unsigned k)
    {
        return static_cast<const counts *>(d)->stood_out[k] == 0;
    }
    static unsigned culprit(const void *, unsigned, const smrf_operands *, smrf_hazard)
    {
        return SMRF_REG_ZERO;
    }
};

const smrf_dependence_ops count_ops = {
    counts::reset,     counts::start,    counts::check, counts::issued,
    counts::collected, counts::released, counts::quiet, counts::culprit,
    nullptr,           nullptr,          nullptr};

TEST(Parts, AnotherDependenceCheckTakesThePlaceOfTheScoreboard)
{
    program p;
    for (unsigned i = 0; i < 12; i++) {
        p.push_back(alu(SMRF_CLASS_INT, {5}, {5})); // the counts alone hold it back
        p.back().op.imm_slots = uint16_t(i % 3);
    }
    p.push_back(exit_step());
    smrf_config cfg = one_subcore();
    cfg.frontend.fetch_warps = 1;
    cfg.sim.check = false; // the toy does not wait for results
    counts toy;
    const smrf_issue_parts parts = {nullptr, nullptr, &count_ops, &toy};
    dut d(cfg, {{p}}, 64, 0, smrf_mechanism_find("baseline"), nullptr,
          {&parts, nullptr, nullptr, nullptr});
    d.run();
    ASSERT_EQ(13u, d.issues.size());
    for (size_t i = 1; i < 13; i++) {
        EXPECT_EQ(d.issues[i].cycle - d.issues[i - 1].cycle, 3 + 4 * ((i - 1) % 3)) << i;
    }
    EXPECT_EQ(0u, toy.stood_out[0]) << "told of every result";
    EXPECT_LT(d.stats().stepped_cycles, d.stats().active_cycles) << "nothing was skipped";
    EXPECT_LE(toy.asked, 3 * d.issues.size()) << "asked again only when its cycle has come";
}

// --- a fetch policy that takes the highest warp slot, and refills before the buffer is empty
// ----------

struct highest {
    unsigned asked = 0;
    static void reset(void *p)
    {
        *static_cast<highest *>(p) = highest{};
    }
    static bool wants(const void *, unsigned, unsigned filled)
    {
        EXPECT_GT(filled, 0u) << "an empty buffer is not asked about";
        return true;
    }
    static unsigned next(void *p, uint64_t need)
    {
        static_cast<highest *>(p)->asked++;
        return 63 - unsigned(__builtin_clzll(need));
    }
};

const smrf_fetch_ops highest_ops = {highest::reset, highest::wants, highest::next};

// Nothing but the fetch holds a warp back.
smrf_config only_fetch_counts()
{
    smrf_config cfg = one_subcore();
    cfg.frontend.fetch_warps = 1;
    cfg.exec.int_interval = 1;
    return cfg;
}

TEST(Parts, AnotherFetchPolicyTakesThePlaceOfTheRoundRobin)
{
    const program p(20, alu(SMRF_CLASS_INT, {}, {}));
    highest toy;
    dut own(only_fetch_counts(), {{p}});
    dut other(only_fetch_counts(), {{p}}, 64, 0, smrf_mechanism_find("baseline"), nullptr,
              {nullptr, nullptr, &highest_ops, &toy});
    own.run();
    other.run();
    EXPECT_GT(own.issues.back().cycle - own.issues.front().cycle, 19u) << "it waits to be empty";
    EXPECT_EQ(other.issues.back().cycle - other.issues.front().cycle, 19u) << "one a cycle";
    EXPECT_GE(toy.asked, 10u);
}

TEST(Parts, TheFetchPolicyDecidesWhoseInstructionsComeFirst)
{
    const program p(4, alu(SMRF_CLASS_INT, {}, {}));
    highest toy;
    dut own(only_fetch_counts(), {{p, p, p}});
    dut other(only_fetch_counts(), {{p, p, p}}, 64, 0, smrf_mechanism_find("baseline"), nullptr,
              {nullptr, nullptr, &highest_ops, &toy});
    own.run();
    other.run();
    EXPECT_EQ(own.issues[0].warp, 1u) << "as Accel-Sim";
    EXPECT_EQ(other.issues[0].warp, 2u);
}

} // namespace
