// SPDX-License-Identifier: Apache-2.0
// The SIMT stack against random programs run by 32 scalar threads.
#include "models/simt_stack/simt_stack.h"

#include "tests/support/simt_reference.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

namespace
{

uint64_t mismatches(const smrf_simt_stats &st)
{
    return st.mismatch_pc + st.mismatch_converge + st.mismatch_barrier + st.mismatch_dead;
}

struct outcome {
    smrf_simt_log log{};
    uint64_t lines = 0, wrong_active = 0, wrong_place = 0, wrong_calls = 0, diverged = 0;
    uint64_t calls = 0, all_returned = 0, exits = 0;
    uint64_t core_calls = 0, core_all_returned = 0, released = 0;
    uint32_t live = 0, frames = 0;
    bool damaged = false;
    bool overflow() const
    {
        return log.stats.lost_calls + log.stats.lost_barriers != 0;
    }
};

// Lanes that the line shows: the core must know where each is and how deep in calls.
void compare_lanes(const smrf_simt &s, const simt_ref::machine &m, const simt_ref::line &l,
                   const std::vector<simt_ref::op> &code, outcome *r)
{
    for (uint32_t t = 0; t < 32; t++) {
        if ((l.mask >> t & 1u) == 0) {
            continue;
        }
        const simt_ref::thread &th = m.threads[t];
        uint32_t pc = smrf_simt_probe_lane_pc(&s, t);
        if (th.exited) {
            r->wrong_place += (smrf_simt_probe_live(&s) >> t & 1u) != 0;
            continue;
        }
        bool pending = pc == SMRF_SIMT_NO_PC; // its next line will tell
        if (!pending)
            r->wrong_place +=
                pc != code[th.at].pc || smrf_simt_probe_lane_waits(&s, t) != th.waiting;
        uint32_t depth = 0;
        for (uint32_t f = 0; f < s.num_frames; f++) {
            depth += s.frames[f].lanes >> t & 1u;
        }
        if (!pending) {
            r->wrong_calls += depth != th.frames.size() - 1;
        }
    }
}

enum class fault { none, extra_lane, wrong_pc, lost_line };

// Damage one line. Returns false where this line cannot carry the fault.
bool damage(fault f, const simt_ref::line &l, const smrf_static_inst &op, smrf_static_inst *bad,
            uint32_t *mask)
{
    *bad = op;
    *mask = l.mask;
    if (l.mask == 0 || l.what->flow != SMRF_FLOW_NONE) {
        return false;
    }
    if (f == fault::extra_lane) {
        *mask |= ~l.active & (l.active + 1); // the lowest lane that is not active
    } else if (f == fault::wrong_pc) {
        bad->pc = 0x100000;
    }
    return f != fault::extra_lane || l.active != UINT32_MAX;
}

outcome run(uint64_t seed, const simt_ref::shape &shape, bool targets, uint32_t lanes = UINT32_MAX,
            fault f = fault::none, uint64_t fault_after = 0)
{
    outcome r;
    std::vector<simt_ref::op> code = simt_ref::generator(seed, shape).make();
    std::vector<smrf_static_inst> ops;
    for (const auto &o : code)
        ops.push_back(simt_ref::decode(o));
    simt_ref::machine m(code, shape, seed, lanes);
    smrf_simt_config cfg{shape.volta ? 70u : 61u, targets};
    auto s = std::make_unique<smrf_simt>();
    auto splits = std::make_unique<smrf_simt_split[]>(SMRF_LANES);
    auto store = std::make_unique<smrf_simt_store>();
    EXPECT_EQ(smrf_simt_init(s.get(), splits.get(), store.get(), &cfg, 7, &r.log), 0);
    smrf_simt_reset(s.get(), lanes);
    while (!m.done() && r.lines < 20000) {
        simt_ref::line l = m.step();
        smrf_simt_out out;
        size_t at = static_cast<size_t>(l.what - code.data());
        smrf_static_inst op = ops[at];
        uint32_t mask = l.mask;
        if (f != fault::none && !r.damaged && r.lines >= fault_after &&
            damage(f, l, ops[at], &op, &mask)) {
            r.damaged = true;
            if (f == fault::lost_line) {
                continue;
            }
        }
        smrf_inst inst{};
        inst.op = &op;
        inst.mask = mask;
        inst.imm = targets ? l.target : 0;
        smrf_simt_line told = smrf_simt_line_of(&inst);
        smrf_simt_step(s.get(), &told, &out);
        r.lines++;
        if (l.mask != 0) {
            r.wrong_active += out.active != l.active;
            compare_lanes(*s, m, l, code, &r);
            r.diverged += (out.events & SMRF_SIMT_DIVERGE) != 0;
        }
        r.calls += l.made.size();
        r.all_returned += l.emptied.size();
        r.released += out.released;
        if (f == fault::none &&
            mismatches(r.log.stats) + r.wrong_active + r.wrong_place + r.wrong_calls != 0 &&
            std::getenv("SMRF_SIMT_TRACE") != nullptr) {
            std::printf(
                "seed %llu line %llu pc %x %s mask %08x active %08x core %08x mismatch %u\n",
                (unsigned long long)seed, (unsigned long long)r.lines, l.what->pc,
                l.what->text.c_str(), l.mask, l.active, out.active, out.mismatch);
            std::abort();
        }
    }
    EXPECT_FALSE(m.deadlocked()) << "the reference's program is wrong, seed " << seed;
    r.core_calls = r.log.stats.calls;
    r.core_all_returned = r.log.stats.all_returned;
    r.live = smrf_simt_probe_live(s.get());
    r.frames = s->num_frames;
    return r;
}

struct sum {
    uint64_t programs = 0, lines = 0, mismatch = 0, active = 0, place = 0, depth = 0, calls = 0,
             bad_programs = 0, too_deep = 0, diverged = 0, exchanged = 0, cut = 0, events = 0;
};

sum sweep(const simt_ref::shape &shape, bool targets, uint64_t seeds)
{
    sum total;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        outcome r = run(seed, shape, targets, seed % 4 == 0 ? 0x000fffffu : UINT32_MAX);
        if (r.overflow()) { // deeper than the core's bound: no promise
            total.too_deep++;
            continue;
        }
        total.programs++;
        total.lines += r.lines;
        total.mismatch += mismatches(r.log.stats);
        total.active += r.wrong_active;
        total.place += r.wrong_place;
        total.depth += r.wrong_calls;
        total.diverged += r.diverged;
        total.calls += r.calls;
        total.exchanged += r.log.stats.exchanged;
        bool bad = mismatches(r.log.stats) + r.wrong_active + r.wrong_place + r.wrong_calls != 0;
        if (r.lines < 20000) {
            bad |= r.calls != r.core_calls || r.all_returned != r.core_all_returned ||
                   r.released != r.calls || r.live != 0 || r.frames != 0;
            total.events += r.calls != r.core_calls || r.all_returned != r.core_all_returned;
        } else {
            total.cut++;
        }
        if (bad && total.bad_programs++ < 3) {
            std::printf(
                "seed %llu: mismatch %llu active %llu place %llu depth %llu calls %llu/%llu "
                "returned %llu/%llu released %llu live %x lost %llu\n",
                (unsigned long long)seed, (unsigned long long)mismatches(r.log.stats),
                (unsigned long long)r.wrong_active, (unsigned long long)r.wrong_place,
                (unsigned long long)r.wrong_calls, (unsigned long long)r.calls,
                (unsigned long long)r.core_calls, (unsigned long long)r.all_returned,
                (unsigned long long)r.core_all_returned, (unsigned long long)r.released, r.live,
                (unsigned long long)r.log.stats.lost_calls);
        }
    }
    std::printf("%llu programs (%llu cut, %llu too deep left out), %llu lines, %llu divergences, "
                "%llu calls, %llu exchanged: "
                "%llu mismatches, %llu wrong masks, %llu wrong places, %llu wrong call depths, "
                "%llu wrong event counts, %llu programs not perfect\n",
                (unsigned long long)total.programs, (unsigned long long)total.cut,
                (unsigned long long)total.too_deep, (unsigned long long)total.lines,
                (unsigned long long)total.diverged, (unsigned long long)total.calls,
                (unsigned long long)total.exchanged, (unsigned long long)total.mismatch,
                (unsigned long long)total.active, (unsigned long long)total.place,
                (unsigned long long)total.depth, (unsigned long long)total.events,
                (unsigned long long)total.bad_programs);
    return total;
}

TEST(SimtStackRandom, PredictsEveryMaskOfVoltaProgramsWithKnownTargets)
{
    sum t = sweep(simt_ref::shape{}, true, 1500);
    EXPECT_GT(t.diverged, 10000u);
    EXPECT_GT(t.calls, 5000u);
    EXPECT_GT(t.exchanged, 100u); // mask-0 lines do get ambiguous
    EXPECT_LT(t.too_deep, t.programs / 20);
    EXPECT_EQ(t.bad_programs, 0u);
}

TEST(SimtStackRandom, PredictsEveryMaskOfReconvergenceStackProgramsWithKnownTargets)
{
    simt_ref::shape shape;
    shape.volta = false;
    sum t = sweep(shape, true, 1500);
    EXPECT_GT(t.diverged, 10000u);
    EXPECT_EQ(t.bad_programs, 0u);
}

TEST(SimtStackRandom, LearnsUnknownTargetsWhereverLanesShowThem)
{
    simt_ref::shape shape;
    shape.show = true;
    sum volta = sweep(shape, false, 1500);
    EXPECT_EQ(volta.bad_programs, 0u);
    shape.volta = false;
    sum older = sweep(shape, false, 1500);
    EXPECT_EQ(older.bad_programs, 0u);
}

// Which lanes such a branch moved shows only when they run.
TEST(SimtStackRandom, LearnsWhereTheLanesOfABranchWithAConditionWent)
{
    simt_ref::shape shape;
    shape.show = shape.conditions = true;
    for (bool volta : {true, false}) {
        shape.volta = volta;
        sum t = sweep(shape, true, 1500);
        EXPECT_GT(t.lines, 100000u);
        EXPECT_LT(t.mismatch * 2000, t.lines); // lines with mask 0 may hide it too well
    }
}

// Where lines with mask 0 are the first at a target that several splits may have gone to, a trace
// without targets does not tell: a bound instead of zero.
TEST(SimtStackRandom, MispredictsHardlyEverWithoutTargetsWhereMaskZeroLinesHideWhoRuns)
{
    simt_ref::shape shape;
    for (bool volta : {true, false}) {
        shape.volta = volta;
        sum t = sweep(shape, false, 1500);
        EXPECT_LT(t.mismatch * 10000, t.lines);
        EXPECT_LT(t.bad_programs * 100, t.programs);
    }
}

void expect_faults_found(fault f)
{
    simt_ref::shape shape;
    shape.indirect = false;
    uint64_t damaged = 0, found = 0, lines = 0, reported = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        outcome r = run(seed, shape, true, UINT32_MAX, f, 5 + seed % 97);
        if (!r.damaged || r.overflow()) {
            continue;
        }
        damaged++;
        found += mismatches(r.log.stats) != 0;
        reported += r.log.num_first != 0 && r.log.first[0].warp == 7 && r.log.first[0].kind != 0;
        lines += mismatches(r.log.stats);
    }
    std::printf("%llu programs with one damaged line, %llu found, %.2f mismatches each\n",
                (unsigned long long)damaged, (unsigned long long)found,
                static_cast<double>(lines) / static_cast<double>(damaged));
    EXPECT_GT(damaged, 250u);
    EXPECT_EQ(found, damaged);
    EXPECT_EQ(reported, damaged);
    EXPECT_LT(lines, damaged * 8); // the state finds back to the trace
}

TEST(SimtStackFaults, FindsEveryLaneThatShouldNotRun)
{
    expect_faults_found(fault::extra_lane);
}

TEST(SimtStackFaults, FindsEveryLineAtAnImpossiblePlace)
{
    expect_faults_found(fault::wrong_pc);
}

TEST(SimtStackFaults, FindsEveryLostLine)
{
    expect_faults_found(fault::lost_line);
}

} // namespace
