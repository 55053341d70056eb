/* SPDX-License-Identifier: Apache-2.0 */
/* The SM's loop over cycles: who acts in which order, who has nothing to do, and what is skipped. */
#include "sm_state.h"

#include "models/common/smrf_apart.h"

/* Latches of a sub-core are free: do its collectors have something for them? */
static inline void look_at_ready_(struct smrf_sm *sm, unsigned sub)
{
    const uint32_t ready = smrf_collectors_probe_free_to_go(sm->sub[sub].blocks.collectors);
    sm->entry.entered |= (uint32_t)(ready != 0) << sub;
}

/* The load/store unit does what is due, and takes the oldest instruction that may leave for it. Returns
 * whether it told anybody anything. */
static bool access_(struct smrf_sm *sm)
{
    struct smrf_units *units = sm->links.units;
    sm->inlet.moved = false;
    if (smrf_ldst_next(sm->ldst, sm->cycle - 1) <= sm->cycle) {
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
    look_at_ready_(sm, sm->links.flights->record[flight].sub);
    smrf_ldst_inlet_take(&sm->inlet, flight, sm->cycle);
    return true;
}

/* Results of what was issued before: the banks' ports go to results that waited, then to what ends
 * now; then the units take what is due. */
static bool execute_(struct smrf_sm *sm)
{
    struct smrf_units *units = sm->links.units;
    bool moved = false;
    for (unsigned sub = 0; sm->links.writeback->waiting && sub < sm->subs; sub++) {
        moved |= smrf_writeback_drain(sm->links.writeback, sub);
    }
    moved |= smrf_units_end(units, sm->cycle);
    if (smrf_units_probe_start(units, sm->cycle)) {
        const uint32_t started = smrf_units_start(units, sm->cycle);
        for (uint32_t m = started; m; m &= m - 1) { /* latches are free */
            look_at_ready_(sm, (unsigned)__builtin_ctz(m));
        }
        moved |= started != 0;
    }
    return moved;
}

static bool merge_(struct smrf_sm *sm)
{
    sm->entry.entered = (UINT32_C(1) << sm->subs) - 1; /* merges go to collectors, too */
    return smrf_merges_step(sm->inlet.merges, sm->cycle);
}

/* A step of an arbiter into which somebody looks. */
static SMRF_APART void arbitrate_watched_(const struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_watch *w = sm->watch;
    struct smrf_arbiter *a = sm->sub[sub].blocks.arbiter;
    struct smrf_arbitration before;
    before.write_mask = a->write_mask;
    for (unsigned b = 0; b < a->num_banks; b++) {
        before.count[b] = (uint16_t)smrf_arbiter_probe_count(a, b);
        before.head[b] = a->fifo[b].head;
    }
    smrf_arbiter_step(a);
    w->arbitrated(w->ctx, sm, sub, &before);
}

/* A step of a sub-core's arbiter. */
static inline void arbitrate_(const struct smrf_sm *sm, unsigned sub)
{
    struct smrf_arbiter *a = sm->sub[sub].blocks.arbiter;
    if (a->counted) {
        smrf_arbiter_step_counted(a);
    } else if (sm->watch && sm->watch->arbitrated) {
        arbitrate_watched_(sm, sub);
    } else {
        smrf_arbiter_step(a);
    }
}

/* Sub-cores with something to read or to dispatch, or with a bank's port taken. */
static uint32_t collecting_(struct smrf_sm *sm)
{
    const uint32_t some = sm->entry.entered | sm->links.writeback->written;
    sm->links.writeback->written = 0;
    return some | sm->reading;
}

/* A step of a sub-core's collectors. Returns whether anything moved. */
static inline bool collect_sub_(struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_subcore_blocks *b = &sm->sub[sub].blocks;
    bool moved = false;
    if (smrf_collectors_probe_free_to_go(b->collectors) &&
        smrf_collectors_dispatch(b->collectors)) {
        smrf_entry_freed(&sm->entry);
        moved = true;
    }
    if (smrf_arbiter_probe_busy(b->arbiter)) {
        arbitrate_(sm, sub);
        moved = true;
    }
    if (!smrf_arbiter_probe_waits(b->arbiter) &&
        !smrf_collectors_probe_free_to_go(b->collectors)) {
        sm->entry.entered &= ~(UINT32_C(1) << sub);
    }
    return moved;
}

/* A cycle of what reads operands in the collectors' place. Returns whether anything moved. */
static SMRF_APART bool read_sub_(struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_reading *r = &sm->sub[sub].blocks.reading;
    return r->ops->step(r->state, sm->cycle);
}

/* The steps of collection: each dispatches what was ready before it, then reads, then fills free
 * collectors from the issue latches. Source: Accel-Sim opndcoll_rfu_t::step; Malekeh (long) II. */
static bool collect_(struct smrf_sm *sm)
{
    const uint32_t reading = sm->reading;
    bool moved = false;
    for (unsigned step = 0; step < sm->cfg.rf.steps; step++) {
        for (uint32_t m = collecting_(sm); m; m &= m - 1) {
            const unsigned sub = (unsigned)__builtin_ctz(m);
            moved |= reading >> sub & 1 ? read_sub_(sm, sub) : collect_sub_(sm, sub);
        }
        if (smrf_entry_probe(&sm->entry)) {
            moved |= smrf_entry_step(&sm->entry);
        }
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
    if (!(sm->stirred >> sub & 1) && issue->asleep_until < sm->alarm) {
        sm->alarm = issue->asleep_until;
    }
}

/* The sub-cores take turns at being the first, as far as they do not sleep. One may wake those behind
 * it. */
static void issue_(struct smrf_sm *sm)
{
    const unsigned last = sm->subs - 1, first = (unsigned)sm->stats.active_cycles & last;
    unsigned sub = first;
    if (sm->alarm <= sm->cycle || sm->fed) {
        wake_(sm);
    }
    while (sm->stirred | sm->rotating) {
        if ((sm->stirred | sm->rotating) >> sub & 1) {
            issue_sub_(sm, sub);
        }
        sub = (sub + 1) & last;
        if (sub == first) {
            break;
        }
    }
    sm->stats.active_cycles++;
}

/* What operands went unseen is counted before somebody outside looks. */
static void settle_reads_(const struct smrf_sm *sm)
{
    for (unsigned s = 0; s < sm->subs; s++) {
        if (sm->sub[s].blocks.arbiter->unseen) {
            smrf_arbiter_settle(sm->sub[s].blocks.arbiter);
        }
    }
}

static SMRF_APART void show_to_(struct smrf_sm *sm, const struct smrf_watch *w, uint64_t n)
{
    smrf_sm_count_naps(sm);
    settle_reads_(sm);
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

/* First cycle in which time alone brings work to the operands of a sub-core. */
static uint64_t reading_next_(const struct smrf_sm *sm)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t m = sm->entry.entered | sm->reading; m; m &= m - 1) {
        const struct smrf_subcore_blocks *b = &sm->sub[__builtin_ctz(m)].blocks;
        const uint64_t at = b->reading.ops ? b->reading.ops->next(b->reading.state, sm->cycle)
                                           : smrf_collectors_probe_next(b->collectors, sm->cycle);
        next = at < next ? at : next;
    }
    return next;
}

/* .. and to anything but the load/store unit. */
static uint64_t others_next_(struct smrf_sm *sm)
{
    uint64_t next = smrf_units_next(sm->links.units, sm->cycle), at;
    if (sm->inlet.merges->count) {
        at = smrf_merges_next(sm->inlet.merges, sm->cycle);
        next = at < next ? at : next;
    }
    at = reading_next_(sm);
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

/* Has nobody anything to do in this cycle behind the execution units? */
static inline bool quiet_(const struct smrf_sm *sm)
{
    const uint32_t some = sm->entry.entered | sm->links.writeback->written | sm->reading |
                          sm->stirred | sm->rotating | sm->inlet.merges->count;
    return !some && !sm->fed && sm->alarm > sm->cycle && !smrf_entry_probe(&sm->entry) &&
           !smrf_frontend_probe_fetching(&sm->front);
}

/* Operands, issue and fetch. */
static void go_on_(struct smrf_sm *sm)
{
    if (sm->inlet.merges->count) {
        sm->progress |= merge_(sm);
    }
    sm->progress |= collect_(sm);
    issue_(sm);
    show_(sm, 1);
    if (smrf_frontend_probe_fetching(&sm->front)) {
        sm->progress |= smrf_frontend_fetch(&sm->front, sm->cycle);
    }
}

/* One cycle, in the order of Accel-Sim's core: results first, so that they are usable in the same
 * cycle's issue; fetch last, so that what it brings issues in the next. */
static void cycle_(struct smrf_sm *sm)
{
    sm->progress = false;
    sm->progress |= execute_(sm);
    sm->progress |= access_(sm);
    if (quiet_(sm)) {
        sm->stats.active_cycles++;
        show_(sm, 1);
    } else {
        go_on_(sm);
    }
    sm->stats.stepped_cycles++;
    sm->cycle++;
    sm->others = sm->progress ? 0 : others_next_(sm);
    smrf_frontend_end_cycle(&sm->front);
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

uint64_t smrf_sm_next(const struct smrf_sm *sm)
{
    if (sm->front.resident_blocks == 0) {
        return SMRF_NEVER; /* nothing is left in flight: a block ends with its last answer */
    }
    const uint64_t ldst = smrf_ldst_next(sm->ldst, sm->cycle - 1);
    const uint64_t next = ldst < sm->others ? ldst : sm->others;
    return next < sm->cycle ? sm->cycle : next;
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
        const uint64_t next = smrf_sm_next(sm);
        if (next > sm->cycle) {
            skip_(sm, (next < until ? next : until) - sm->cycle);
        } else {
            cycle_(sm);
        }
    }
    return SMRF_SM_ERROR;
}

enum smrf_sm_stop smrf_sm_run(struct smrf_sm *sm, uint64_t until)
{
    const enum smrf_sm_stop stop = run_(sm, until);
    smrf_sm_count_naps(sm);
    settle_reads_(sm);
    return stop;
}
