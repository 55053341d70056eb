/* SPDX-License-Identifier: Apache-2.0 */
/* The SM's loop over cycles: who acts in which order, who has nothing to do, and what is
 * skipped. */
#include "sm_state.h"

#include "models/common/smrf_apart.h"

/* The load/store unit does what is due, and takes the oldest instruction that may leave for it.
 * Returns whether it told anybody anything. */
static inline bool access_(struct smrf_sm *sm)
{
    struct smrf_units *units = sm->links.units;
    sm->inlet.moved = false;
    if (smrf_ldst_probe_due(sm->ldst, sm->cycle)) {
        smrf_ldst_cycle(sm->ldst, sm->cycle);
        sm->last_progress = sm->cycle;
    }
    if (!units->memory_full || !smrf_ldst_inlet_free(&sm->inlet)) {
        return sm->inlet.moved;
    }
    const uint32_t flight = smrf_units_probe_memory(units, sm->cycle);
    if (flight == SMRF_NO_FLIGHT) {
        return sm->inlet.moved;
    }
    smrf_units_take_memory(units, flight);
    smrf_ldst_inlet_take(&sm->inlet, flight, sm->cycle);
    return true;
}

/* Results of what was issued before: the banks' ports go to results that waited, then to what ends
 * now; then the units take what is due. */
static inline bool execute_(struct smrf_sm *sm)
{
    struct smrf_units *units = sm->links.units;
    bool moved = false;
    for (unsigned sub = 0; sm->links.writeback->waiting && sub < sm->subs; sub++) {
        moved |= smrf_writeback_drain(sm->links.writeback, sub);
    }
    if (smrf_units_probe_results(units, sm->cycle)) {
        smrf_units_end(units, sm->cycle);
        moved = true;
    }
    if (smrf_units_probe_starts(units, sm->cycle)) {
        const uint32_t started = smrf_units_start(units, sm->cycle);
        sm->collecting.going |= sm->collecting.held & started;
        moved |= started != 0;
    }
    return moved;
}

/* First cycle in which time alone wakes a stage that sleeps. */
static SMRF_APART uint64_t next_alarm_(const struct smrf_sm *sm)
{
    uint64_t next = SMRF_NEVER;
    for (unsigned s = 0; s < sm->subs; s++) {
        const uint64_t at = sm->sub[s].blocks.issue->asleep_until;
        next = !(sm->stirred >> s & 1) && at < next ? at : next;
    }
    return next;
}

/* Stages that wake without having been told anything. */
static SMRF_APART void wake_(struct smrf_sm *sm)
{
    for (unsigned s = 0; s < sm->subs; s++) {
        const bool sleeps = smrf_issue_probe_asleep(sm->sub[s].blocks.issue, sm->cycle);
        sm->stirred |= (uint32_t)!sleeps << s;
    }
    sm->alarm = next_alarm_(sm);
}

static void issue_sub_(struct smrf_sm *sm, unsigned sub)
{
    struct smrf_issue *issue = sm->sub[sub].blocks.issue;
    smrf_sm_count_nap(sm, sub);
    sm->counted[sub] = sm->stats.active_cycles + 1;
    if (!(sm->stirred >> sub & 1)) {
        smrf_issue_skip(issue, 1);
        return;
    }
    const uint32_t before = issue->latch_full;
    sm->progress |= smrf_issue_step(issue, sm->cycle);
    if (issue->issued) {
        sm->last_progress = sm->cycle;
        for (uint32_t m = issue->latch_full & ~before; m; m &= m - 1) {
            smrf_entry_latched(&sm->entry, sub, (unsigned)__builtin_ctz(m));
        }
    }
    if (smrf_issue_probe_timed(issue) && !(sm->stirred >> sub & 1) &&
        issue->asleep_until < sm->alarm) {
        sm->alarm = issue->asleep_until;
    }
}

/* Sub-cores whose issue stages do not sleep, from the first on; bit n: the n-th from it. */
static inline uint32_t awake_(const struct smrf_sm *sm, unsigned first)
{
    return (sm->stirred | sm->rotating) * sm->twice >> first;
}

/* The sub-cores take turns at being the first, as far as they do not sleep. One may wake those
 * behind it, but seldom does: the host goes on to the next before it knows what has become of the
 * last. */
static inline void issue_(struct smrf_sm *sm)
{
    const unsigned last = sm->subs - 1, first = (unsigned)sm->stats.active_cycles & last;
    uint32_t left = UINT32_MAX >> (31 - last); /* bit n: the n-th from the first */
    if (sm->alarm <= sm->cycle || sm->fed) {
        wake_(sm);
    }
    const uint32_t asleep = ~(sm->stirred | sm->rotating);
    uint32_t turns = awake_(sm, first) & left;
    while (turns) {
        const unsigned turn = (unsigned)__builtin_ctz(turns);
        left &= ~UINT32_C(1) << turn;
        turns &= left;
        issue_sub_(sm, (first + turn) & last);
        if (sm->stirred & asleep) {
            turns = awake_(sm, first) & left;
        }
    }
}

static SMRF_APART void show_to_(struct smrf_sm *sm, const struct smrf_watch *w, uint64_t n)
{
    smrf_sm_count_naps(sm);
    if (w->cycles && sm->front.resident_blocks) {
        w->cycles(w->ctx, sm, sm->cycle, n);
    }
}

/* What has passed in n cycles, to who looks. */
static inline void show_(struct smrf_sm *sm, uint64_t n)
{
    if (sm->watch) {
        show_to_(sm, sm->watch, n);
    }
}

/* First cycle in which time alone brings work to anything but the load/store unit. */
static uint64_t others_next_(struct smrf_sm *sm)
{
    uint64_t next = smrf_units_next(sm->links.units, sm->cycle), at;
    if (sm->inlet.merges->count) {
        at = smrf_merges_next(sm->inlet.merges, sm->cycle);
        next = at < next ? at : next;
    }
    at = smrf_sm_operands_next(sm);
    next = at < next ? at : next;
    if (sm->alarm != SMRF_NEVER || sm->fed) {
        wake_(sm);
        next = sm->alarm < next ? sm->alarm : next;
    }
    for (uint32_t m = sm->stirred; m; m &= m - 1) {
        at = smrf_issue_next(sm->sub[__builtin_ctz(m)].blocks.issue);
        next = at < next ? at : next;
    }
    return next;
}

/* Operands, issue and fetch, as far as somebody has something to do. */
static inline void go_on_(struct smrf_sm *sm)
{
    if (sm->inlet.merges->count) {
        sm->progress |= smrf_merges_step(sm->inlet.merges, sm->cycle);
    }
    if (sm->collecting.going | sm->requested | sm->entry.open | sm->reading |
        sm->links.writeback->written) {
        smrf_sm_collect(sm);
    }
    if (sm->stirred | sm->rotating || sm->alarm <= sm->cycle || sm->fed) {
        issue_(sm);
    }
    sm->stats.active_cycles++;
    show_(sm, 1);
    if (smrf_frontend_probe_fetching(&sm->front)) {
        sm->progress |= smrf_frontend_fetch(&sm->front, sm->cycle);
    }
    sm->cycle++;
    sm->others = sm->progress ? 0 : others_next_(sm);
}

/* n cycles in which nothing changes: only the counters of time move. */
static void skip_(struct smrf_sm *sm, uint64_t n)
{
    if (sm->front.resident_blocks) {
        sm->stats.active_cycles += n;
        if (sm->rotating) {
            smrf_sm_count_naps(sm);
        }
        show_(sm, n);
    }
    sm->cycle += n;
}

/* One cycle, in the order of Accel-Sim's core: results first, so that they are usable in the same
 * cycle's issue; fetch last, so that what it brings issues in the next. Where only the load/store
 * unit has something to do, and tells nobody, the others are as in a cycle that is skipped. */
static inline void cycle_(struct smrf_sm *sm)
{
    const bool alone = sm->others > sm->cycle;
    sm->stats.stepped_cycles++;
    sm->progress = !alone && execute_(sm);
    sm->progress |= access_(sm);
    if (alone && !sm->progress) {
        skip_(sm, 1);
    } else {
        go_on_(sm);
    }
    smrf_frontend_end_cycle(&sm->front);
}

uint64_t smrf_sm_next(const struct smrf_sm *sm)
{
    if (sm->front.resident_blocks == 0) {
        return SMRF_NEVER; /* nothing is left in flight: a block ends with its last answer */
    }
    const uint64_t ldst = smrf_ldst_next(sm->ldst, sm->cycle - 1);
    const uint64_t next = ldst < sm->others ? ldst : sm->others;
    return next < sm->cycle ? sm->cycle : next;
}

/* Is there anything to do in this cycle? */
static inline bool works_(const struct smrf_sm *sm)
{
    return sm->front.resident_blocks &&
           (sm->others <= sm->cycle || smrf_ldst_probe_due(sm->ldst, sm->cycle));
}

static enum smrf_sm_stop run_(struct smrf_sm *sm, uint64_t until)
{
    while (!sm->front.error) {
        if (sm->front.wants) {
            return SMRF_SM_WANTS_BLOCK;
        }
        if (sm->cycle >= until) {
            return SMRF_SM_REACHED;
        }
        if (works_(sm)) {
            cycle_(sm);
        } else {
            const uint64_t next = smrf_sm_next(sm);
            skip_(sm, (next < until ? next : until) - sm->cycle);
        }
    }
    return SMRF_SM_ERROR;
}

enum smrf_sm_stop smrf_sm_run_on(struct smrf_sm *sm, const struct smrf_sm_reach *reach)
{
    enum smrf_sm_stop stop = run_(sm, reach->until);
    while (stop == SMRF_SM_REACHED && reach->latency != 0 && sm->cycle < reach->far &&
           sm->front.resident_blocks && !smrf_ldst_probe_awaits(sm->ldst)) {
        const uint64_t sure = sm->cycle + reach->latency;
        stop = run_(sm, sure < reach->far ? sure : reach->far);
    }
    smrf_sm_count_naps(sm);
    return stop;
}

enum smrf_sm_stop smrf_sm_run(struct smrf_sm *sm, uint64_t until)
{
    const struct smrf_sm_reach reach = {.until = until};
    return smrf_sm_run_on(sm, &reach);
}
