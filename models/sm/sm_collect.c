/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of an SM's instructions: which of its collectors and arbiters are stepped in a
 * cycle, and in which order. */
#include "sm_state.h"

#include "models/common/smrf_apart.h"

/* A step of an arbiter for a watch that wants to see it. */
static SMRF_APART void arbitrate_watched_(const struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_watch *w = sm->watch;
    struct smrf_arbiter *a = sm->sub[sub].blocks.arbiter;
    struct smrf_arbitration before;
    before.write_mask = a->write_mask;
    for (unsigned b = 0; b < a->num_banks; b++) {
        before.count[b] = (uint16_t)smrf_arbiter_probe_count(a, b);
        before.head[b] = a->bank[b].head;
    }
    smrf_arbiter_step(a);
    w->arbitrated(w->ctx, sm, sub, &before);
}

/* A step of a sub-core's collectors. Returns whether anything moved. */
static inline bool collect_sub_(struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_subcore_blocks *b = &sm->sub[sub].blocks;
    bool moved = false;
    if (sm->collecting.going >> sub & 1 && smrf_collectors_dispatch(b->collectors)) {
        smrf_entry_freed(&sm->entry, sub);
        moved = true;
    }
    if (smrf_arbiter_probe_busy(b->arbiter)) {
        if (sm->watch && sm->watch->arbitrated) {
            arbitrate_watched_(sm, sub);
        } else {
            smrf_arbiter_step(b->arbiter);
        }
        moved = true;
    }
    return moved;
}

/* A cycle of what reads operands in the collectors' place. Returns whether anything moved. */
static bool read_sub_(struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_reading *r = &sm->sub[sub].blocks.reading;
    return r->ops->step(r->state, sm->cycle);
}

/* Sub-cores with something to read or to dispatch, or with a bank taken by a write. */
static inline uint32_t busy_(struct smrf_sm *sm)
{
    const uint32_t written = sm->links.writeback->written;
    sm->links.writeback->written = 0;
    return sm->collecting.going | sm->requested | written | sm->reading;
}

/* Each step dispatches what was ready before it, then reads, then fills free collectors from the
 * issue latches. Source: Accel-Sim opndcoll_rfu_t::step; Malekeh (long) II. */
void smrf_sm_collect(struct smrf_sm *sm)
{
    for (uint32_t step = sm->steps; step; step--) {
        for (uint32_t m = busy_(sm); m; m &= m - 1) {
            const unsigned sub = (unsigned)__builtin_ctz(m);
            sm->progress |= sm->reading >> sub & 1 ? read_sub_(sm, sub) : collect_sub_(sm, sub);
        }
        if (smrf_entry_probe(&sm->entry)) {
            sm->progress |= smrf_entry_step(&sm->entry);
        }
    }
}

uint64_t smrf_sm_operands_next(const struct smrf_sm *sm)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t m = sm->collecting.going | sm->requested | sm->reading; m; m &= m - 1) {
        const struct smrf_subcore_blocks *b = &sm->sub[__builtin_ctz(m)].blocks;
        const uint64_t at = b->reading.ops ? b->reading.ops->next(b->reading.state, sm->cycle)
                                           : smrf_collectors_probe_next(b->collectors, sm->cycle);
        next = at < next ? at : next;
    }
    return next;
}
