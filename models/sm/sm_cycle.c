/* SPDX-License-Identifier: Apache-2.0 */
/* The SM's loop over cycles: the order of the blocks, and which cycles are skipped. */
#include "sm_state.h"

/* The load/store unit does what is due, and takes an instruction if it has room. Returns whether it
 * reported anything to another block. */
static inline bool access_(struct smrf_sm *sm)
{
    struct smrf_units *units = sm->links.units;
    struct smrf_ldst_inlet *inlet = sm->links.inlet;
    inlet->moved = false;
    if (smrf_ldst_probe_due(sm->ldst, sm->cycle)) {
        if (smrf_ldst_cycle(sm->ldst, sm->cycle) || inlet->moved) {
            sm->last_progress = sm->cycle;
        }
    }
    const bool taken =
        units->memory_full && smrf_ldst_inlet_free(inlet) && smrf_units_access(units, sm->cycle);
    return inlet->moved | taken;
}

/* Results of what was issued before: the banks' ports go to results that waited, then to what ends
 * now; then the units take what is due. */
static inline bool execute_(struct smrf_sm *sm)
{
    struct smrf_units *units = sm->links.units;
    bool moved = sm->links.writeback->waiting && smrf_writeback_drain_all(sm->links.writeback);
    if (smrf_units_probe_results(units, sm->cycle)) {
        smrf_units_end(units, sm->cycle);
        sm->last_progress = sm->cycle;
        moved = true;
    }
    if (smrf_units_probe_starts(units, sm->cycle)) {
        const uint32_t started = smrf_units_start(units, sm->cycle);
        smrf_subcores_latches_freed(&sm->subcores, started);
        moved |= started != 0;
    }
    return moved;
}

/* n cycles are over. */
static inline void pass_(struct smrf_sm *sm, uint64_t n)
{
    smrf_subcores_pass(&sm->subcores, n);
    if (SMRF_HOOKED(sm->links.hooks, cycles) && sm->front.resident_blocks) {
        smrf_subcores_settle(&sm->subcores);
        SMRF_CALL_LISTENERS(sm->links.hooks, cycles, sm->cycle, n);
    }
}

/* The SM goes n cycles on. */
static inline void advance_(struct smrf_sm *sm, uint64_t n)
{
    const struct smrf_wires *w = sm->links.wires;
    sm->cycle += n;
    if (w->clock) {
        w->clock(w->ctx);
    }
}

/* First cycle in which time alone brings work to anything but the load/store unit. */
static uint64_t others_next_(struct smrf_sm *sm)
{
    uint64_t next = smrf_units_next(sm->links.units, sm->cycle), at;
    if (sm->links.inlet->merges->count) {
        at = smrf_merges_next(sm->links.inlet->merges, sm->cycle);
        next = at < next ? at : next;
    }
    at = smrf_subcores_next(&sm->subcores, sm->cycle);
    return at < next ? at : next;
}

/* Steps the blocks that have work: operands, issue, fetch. */
static inline void go_on_(struct smrf_sm *sm)
{
    if (sm->links.inlet->merges->count) {
        sm->progress |= smrf_merges_step(sm->links.inlet->merges, sm->cycle);
    }
    if (smrf_subcores_probe_collects(&sm->subcores)) {
        sm->progress |= smrf_subcores_collect(&sm->subcores, sm->cycle);
    }
    if (smrf_subcores_probe_issues(&sm->subcores, sm->cycle)) {
        sm->progress |= smrf_subcores_issue(&sm->subcores, sm->cycle);
    }
    pass_(sm, 1);
    if (smrf_frontend_probe_fetching(&sm->front)) {
        sm->progress |= smrf_frontend_fetch(&sm->front, sm->cycle);
    }
    advance_(sm, 1);
    sm->others = sm->progress ? 0 : others_next_(sm);
}

/* n cycles in which nothing changes: only the counters of time move. */
static void skip_(struct smrf_sm *sm, uint64_t n)
{
    if (sm->front.resident_blocks) {
        pass_(sm, n);
    }
    advance_(sm, n);
}

/* One cycle, in the order of Accel-Sim's core: results first, so that they are usable in the same
 * cycle's issue; fetch last, so that what it brings issues in the next. If only the
 * load/store unit has work, and it reports nothing to another block, the cycle is skipped for the
 * others. */
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
    if (sm->estimate) {
        const uint64_t at = smrf_estimate_next(sm->estimate);
        return at < sm->cycle ? sm->cycle : at;
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
    enum smrf_sm_stop (*run)(struct smrf_sm * sm, uint64_t until) =
        sm->estimate ? smrf_sm_run_estimate : run_;
    enum smrf_sm_stop stop = run(sm, reach->until);
    while (stop == SMRF_SM_REACHED && reach->latency != 0 && sm->cycle < reach->far &&
           sm->front.resident_blocks && !smrf_ldst_probe_awaits(sm->ldst)) {
        const uint64_t sure = sm->cycle + reach->latency;
        stop = run(sm, sure < reach->far ? sure : reach->far);
    }
    smrf_subcores_settle(&sm->subcores);
    return stop;
}
