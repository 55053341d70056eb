// SPDX-License-Identifier: Apache-2.0
// What the SIMT stack tells of calls, against random programs run by 32 scalar threads: recursion,
// divergent calls, early returns, exits inside calls, several callees of one call.
#include "tests/support/simt_ledger.h"

#include <cstdio>
#include <gtest/gtest.h>

namespace
{

struct trace_kind {
    bool volta, targets, ahead; // the immediate and the next line are shown
};

struct sums {
    uint64_t programs = 0, lines = 0, wrong = 0, told = 0, calls = 0, late = 0, returns = 0,
             last = 0, exits = 0, switches = 0, deepest = 0;
};

void print_wrong(uint64_t seed, const simt_ref::line &l, const smrf_simt_out &want,
                 const smrf_simt_out &got)
{
    std::printf("seed %llu pc %x %s mask %08x: events %x/%x call %x->%x/%x->%x frame %u/%u called "
                "%x->%x/%x->%x frame %u/%u own %u/%u released %u/%u frames %u/%u\n",
                (unsigned long long)seed, l.what->pc, l.what->text.c_str(), l.mask, want.events,
                got.events, want.call_pc, want.target, got.call_pc, got.target, want.call_frame,
                got.call_frame, want.called_pc, want.called_target, got.called_pc,
                got.called_target, want.called_frame, got.called_frame, want.own_frame,
                got.own_frame, want.released, got.released, want.frames, got.frames);
}

bool same_facts(const simt_ref::line &l, const smrf_simt_out &want, const smrf_simt_out &got)
{
    const unsigned kinds = SMRF_SIMT_CALL | SMRF_SIMT_CALLED | SMRF_SIMT_RETURN;
    // Of a line without lanes the trace does not tell whose it is.
    bool own = l.mask == 0 || want.own_frame == got.own_frame;
    bool place =
        (want.events & (SMRF_SIMT_CALL | SMRF_SIMT_RETURN)) == 0 || want.call_pc == got.call_pc;
    return own && place && want.events == (got.events & kinds) && want.target == got.target &&
           want.call_lanes == got.call_lanes && want.called_lanes == got.called_lanes &&
           want.called_pc == got.called_pc && want.called_target == got.called_target &&
           want.call_frame == got.call_frame && want.called_frame == got.called_frame &&
           want.released == got.released && want.frames == got.frames &&
           l.emptied.empty() == ((got.events & SMRF_SIMT_ALL_RETURNED) == 0);
}

// A listener that is told of the lines that do not go sequential, and of nothing else.
struct listener {
    uint16_t frame = 0; // where the warp's next line should be
    bool surprised = false;

    void told(const smrf_simt_out &out)
    {
        bool moved = out.own_frame != frame && (out.events & SMRF_SIMT_CALLED) == 0;
        surprised = moved != ((out.events & SMRF_SIMT_FRAME_SWITCH) != 0);
        frame = out.frame;
    }
};

void run(uint64_t seed, const trace_kind &kind, sums *sum)
{
    simt_ref::shape shape;
    shape.volta = kind.volta;
    shape.show = true;
    const std::vector<simt_ref::op> code = simt_ref::generator(seed, shape).make();
    const uint32_t lanes = seed % 4 == 0 ? 0x000fffffu : UINT32_MAX;
    simt_ref::machine machine(code, shape, seed, lanes), ahead(code, shape, seed, lanes);
    simt_ref::ledger ledger(kind.targets);
    listener listener;
    smrf_simt_config cfg{kind.volta ? 70u : 61u, kind.targets};
    smrf_simt_log log{};
    auto stack = std::make_unique<smrf_simt>();
    auto splits = std::make_unique<smrf_simt_split[]>(SMRF_LANES);
    auto store = std::make_unique<smrf_simt_store>();
    ASSERT_EQ(smrf_simt_init(stack.get(), splits.get(), store.get(), &cfg, 0, &log), 0);
    smrf_simt_reset(stack.get(), lanes);
    ahead.step();
    sum->programs++;
    for (unsigned n = 0; !machine.done() && n < 20000; n++) {
        const simt_ref::line l = machine.step();
        const simt_ref::line next = ahead.done() ? simt_ref::line{} : ahead.step();
        const smrf_static_inst op = simt_ref::decode(*l.what);
        smrf_inst inst{};
        inst.op = &op;
        inst.mask = l.mask;
        inst.imm = kind.targets ? l.target : 0;
        inst.next_pc = kind.ahead && next.what != nullptr ? next.what->pc : 0;
        inst.next_mask = kind.ahead ? next.mask : 0;
        const smrf_simt_line line = smrf_simt_line_of(&inst);
        const bool sequential = line.flow == SMRF_SIMT_FLOW_NONE &&
                                smrf_simt_probe_sequential(stack.get(), line.pc, line.mask);
        smrf_simt_out got;
        smrf_simt_step(stack.get(), &line, &got);
        if (log.stats.lost_calls + log.stats.lost_barriers != 0) {
            return; // deeper than the core's bound: no promise
        }
        const smrf_simt_out want = ledger.facts(l, kind.ahead ? &next : nullptr);
        if (!sequential) {
            listener.told(got);
            sum->told++;
        }
        bool right = same_facts(l, want, got) && !listener.surprised &&
                     (l.mask == 0 || !sequential || listener.frame == want.own_frame);
        if (!right && sum->wrong++ < 3) {
            print_wrong(seed, l, want, got);
        }
        sum->lines++;
        sum->calls += (want.events & SMRF_SIMT_CALL) != 0;
        sum->late += (want.events & SMRF_SIMT_CALLED) != 0;
        sum->returns += (want.events & SMRF_SIMT_RETURN) != 0;
        sum->last += !l.emptied.empty();
        sum->exits += l.what->flow == SMRF_FLOW_EXIT && !l.left.empty();
        sum->switches += (got.events & SMRF_SIMT_FRAME_SWITCH) != 0;
        sum->deepest = std::max<uint64_t>(sum->deepest, want.frames);
    }
}

sums sweep(const trace_kind &kind)
{
    sums sum;
    for (uint64_t seed = 1; seed <= 1200; seed++) {
        run(seed, kind, &sum);
    }
    std::printf(
        "%llu programs, %llu lines, %llu told: %llu calls known at the call, %llu later, %llu "
        "returns, %llu of last lanes, %llu exits inside calls, %llu switches of frame, up to "
        "%llu frames; %llu lines told wrong\n",
        (unsigned long long)sum.programs, (unsigned long long)sum.lines,
        (unsigned long long)sum.told, (unsigned long long)sum.calls, (unsigned long long)sum.late,
        (unsigned long long)sum.returns, (unsigned long long)sum.last,
        (unsigned long long)sum.exits, (unsigned long long)sum.switches,
        (unsigned long long)sum.deepest, (unsigned long long)sum.wrong);
    EXPECT_EQ(sum.wrong, 0u);
    EXPECT_GT(sum.returns, 3000u);
    EXPECT_GT(sum.last, 3000u);
    EXPECT_GT(sum.exits, 50u);
    EXPECT_GT(sum.switches, 1000u);
    EXPECT_GT(sum.deepest, 20u);
    return sum;
}

TEST(SimtCalls, AreToldAtTheCallWhereTargetsAreKnown)
{
    for (bool volta : {true, false}) {
        sums sum = sweep({volta, true, true});
        EXPECT_GT(sum.calls, 3000u);
        EXPECT_GT(sum.calls, 4 * sum.late)
            << "second callees of a call by register, and shadowed ones";
    }
}

TEST(SimtCalls, AreToldAtTheCallWhereOnlyTheNextLineNamesTheTarget)
{
    for (bool volta : {true, false}) {
        sums sum = sweep({volta, false, true});
        EXPECT_GT(sum.calls, sum.late);
    }
}

TEST(SimtCalls, AreToldAtTheCalleesFirstLineWhereNothingElseNamesIt)
{
    for (bool volta : {true, false}) {
        sums sum = sweep({volta, false, false});
        EXPECT_EQ(sum.calls, 0u);
        EXPECT_GT(sum.late, 3000u);
    }
}

} // namespace
