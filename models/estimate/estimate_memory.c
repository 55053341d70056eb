/* SPDX-License-Identifier: Apache-2.0 */
/* Memory instructions: from their collectors through the latch of their sub-core into the
 * load/store unit, and what that reports. */
#include "estimate.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_reg_set.h"

#include <string.h>

/* --- issue ------------------------------------------------------------------------------------ */

static inline void set_destinations_(const struct smrf_estimate *e, struct smrf_estimate_access *a)
{
    if (a->op->set.made_for == e->made_for) {
        a->num_dst = a->op->set.num_dst;
        memcpy(a->dst, a->op->set.dst, sizeof a->dst);
    } else {
        const struct smrf_reg_set set =
            smrf_reg_set_of_inst(a->op, e->cfg.rf.base_registers_only, e->cfg.rf.banks);
        a->num_dst = set.num_dst;
        memcpy(a->dst, set.dst, sizeof a->dst);
    }
}

/* Its results are awaited: an event of the unit ends it. */
static void await_(struct smrf_estimate *e, unsigned w)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_inst *inst = warp->head;
    struct smrf_estimate_access *a = &e->access[e->free[--e->free_count]];
    a->op = inst->op;
    a->warp = (uint8_t)w;
    set_destinations_(e, a);
    for (unsigned d = 0; d < a->num_dst; d++) {
        warp->ready[a->dst[d]] = SMRF_NEVER;
    }
    if (inst->op->flags & SMRF_INST_SHARED_AND_GLOBAL) {
        a->copy_group = smrf_copies_begin(&warp->copies);
    }
    warp->accesses++;
    warp->atomics += inst->op->op_class == SMRF_CLASS_ATOMIC && inst->mask;
}

/* Its results are there in cycle `end`. */
static void foresee_(struct smrf_estimate *e, unsigned w, uint64_t end)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_static_inst *op = warp->head->op;
    struct smrf_estimate_access a = {.op = op};
    set_destinations_(e, &a);
    for (unsigned d = 0; d < a.num_dst; d++) {
        warp->ready[a.dst[d]] = end;
        smrf_estimate_write(e, w, a.dst[d]);
    }
    if (op->op_class == SMRF_CLASS_ATOMIC && warp->mask) {
        warp->held = end > warp->held ? end : warp->held;
    }
    warp->last = end > warp->last ? end : warp->last;
    e->stats.completed++;
}

/* When it leaves its collector, and the latch behind it for the load/store unit, which is free from
 * e->unit.free on. */
static uint64_t collect_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                         uint64_t issued)
{
    const uint64_t collected =
        issued + e->warp[w].piece->collected + smrf_rng_below(&e->rng, SMRF_ESTIMATE_APART);
    const uint64_t enters = s->latch > collected ? s->latch : collected;
    const uint64_t now = e->now * SMRF_PIECE_PARTS;
    uint64_t *busy = &s->busy[SMRF_RESOURCE_COLLECTORS];
    *busy = (*busy > now ? *busy : now) +
            (uint32_t)(enters - issued) * SMRF_PIECE_PARTS / e->cfg.rf.collectors;
    const uint64_t from = enters + 1 + e->cfg.issue.extra_latency + e->cfg.rf.extra_latency;
    s->latch = from > e->unit.free ? from : e->unit.free;
    s->left[s->next_left] = s->latch;
    s->next_left = s->next_left + 1 == e->most_queued ? 0 : s->next_left + 1;
    return s->latch;
}

/* A sub-core is blocked while instructions that wait for room in the load/store unit are in all of
 * its collectors, and the latch. */
static inline void find_blocked_(struct smrf_estimate *e, unsigned i)
{
    const bool is = smrf_ldst_estimate_behind(&e->unit, i) >= e->most_queued;
    e->blocked = (e->blocked & ~(1u << i)) | (uint32_t)is << i;
}

void smrf_estimate_enter(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                         uint64_t issued)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_inst *inst = warp->head;
    const uint64_t at = collect_(e, s, w, issued);
    e->turn = (uint8_t)((w + 1) & e->sub_mask);
    if (inst->op->op_class == SMRF_CLASS_MEMBAR) {
        foresee_(e, w, at + 1);
        return;
    }
    const struct smrf_ldst_inst entering = {e->free[e->free_count - 1], w, inst, e->shared_window,
                                            e->local_window};
    const struct smrf_ldst_outlook o = smrf_ldst_estimate_enter(&e->unit, &entering, e->now, at);
    warp->stores += (int32_t)o.stores;
    if (o.end == SMRF_NEVER) {
        await_(e, w);
    } else {
        foresee_(e, w, o.end);
    }
    e->ldst_next = smrf_ldst_estimate_next(&e->unit);
    e->full = e->free_count == 0 || !smrf_ldst_estimate_room(&e->unit);
    find_blocked_(e, w & e->sub_mask);
}

/* --- complete --------------------------------------------------------------------------------- */

static void complete_at_(struct smrf_estimate *e, uint32_t access, uint64_t cycle)
{
    const struct smrf_estimate_access *a = &e->access[access];
    struct smrf_estimate_warp *warp = &e->warp[a->warp];
    for (unsigned i = 0; i < a->num_dst; i++) {
        if (warp->ready[a->dst[i]] == SMRF_NEVER) {
            warp->ready[a->dst[i]] = cycle;
        }
    }
    if (a->op->flags & SMRF_INST_SHARED_AND_GLOBAL) {
        (void)smrf_copies_done(&warp->copies, a->copy_group);
    }
    warp->accesses--;
    warp->last = cycle > warp->last ? cycle : warp->last;
    e->free[e->free_count++] = (uint16_t)access;
    e->stats.completed++;
    smrf_estimate_update(e, a->warp);
    smrf_estimate_check_drained(e, a->warp);
}

static void complete_(void *ctx, uint32_t access, uint64_t cycle)
{
    complete_at_(ctx, access, cycle);
}

static bool write_back_(void *ctx, uint32_t access, bool last, uint64_t cycle)
{
    struct smrf_estimate *e = ctx;
    const struct smrf_estimate_access *a = &e->access[access];
    for (unsigned i = 0; i < a->num_dst; i++) {
        smrf_estimate_write(e, a->warp, a->dst[i]);
    }
    if (last) {
        complete_at_(e, access, cycle);
    }
    return true;
}

static void answered_(void *ctx, uint32_t access)
{
    struct smrf_estimate *e = ctx;
    const unsigned w = e->access[access].warp;
    SMRF_ASSERT(e->warp[w].atomics > 0);
    e->warp[w].atomics--;
    e->warp[w].held = e->now > e->warp[w].held ? e->now : e->warp[w].held;
    smrf_estimate_update(e, w);
}

static void stores_(void *ctx, uint32_t w, int32_t delta)
{
    struct smrf_estimate *e = ctx;
    e->warp[w].stores += delta;
    smrf_estimate_check_drained(e, w);
}

struct smrf_ldst_events smrf_estimate_events(struct smrf_estimate *e)
{
    return (struct smrf_ldst_events){e, complete_, write_back_, answered_, stores_};
}

/* --- answers ---------------------------------------------------------------------------------- */

void smrf_estimate_take_answers(struct smrf_estimate *e)
{
    smrf_ldst_estimate_take(&e->unit, e->now);
    const bool opens = e->full && smrf_ldst_estimate_room(&e->unit);
    e->full = opens ? e->free_count == 0 : e->full;
    if (opens || e->blocked) {
        for (unsigned i = 0; i <= e->sub_mask; i++) {
            find_blocked_(e, i);
            smrf_estimate_find_first(e, i);
        }
        smrf_estimate_find_start_next(e);
    }
}
