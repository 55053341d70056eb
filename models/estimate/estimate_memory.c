/* SPDX-License-Identifier: Apache-2.0 */
/* Memory instructions: from their collectors through the latch of their sub-core into the
 * load/store unit, and what that reports. */
#include "estimate.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_reg_set.h"

#include <string.h>

/* --- waiting ---------------------------------------------------------------------------------- */

static struct smrf_estimate_waiting *waiting_(struct smrf_estimate_sub *s, uint32_t n)
{
    return &s->queue[s->order[(s->queue_head + n) % SMRF_ESTIMATE_QUEUE]];
}

/* The first of the queue enters the latch, which is free from cycle `at` on, and frees its
 * collector. */
static void enter_latch_(struct smrf_estimate *e, struct smrf_estimate_sub *s, uint64_t at)
{
    struct smrf_estimate_waiting *q = waiting_(s, 0);
    const uint64_t enters = at > q->collected ? at : q->collected;
    uint64_t *busy = &s->busy[SMRF_RESOURCE_COLLECTORS];
    const uint64_t now = e->now * SMRF_PIECE_PARTS;
    *busy = (*busy > now ? *busy : now) +
            (enters - q->issued) * SMRF_PIECE_PARTS / e->cfg.rf.collectors;
    q->from = enters + 1 + e->cfg.issue.extra_latency + e->cfg.rf.extra_latency;
    e->ldst_next = q->from < e->ldst_next ? q->from : e->ldst_next;
}

static void set_destinations_(const struct smrf_estimate *e, struct smrf_estimate_access *a)
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

static uint16_t take_access_(struct smrf_estimate *e, unsigned w)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_inst *inst = warp->head;
    const uint16_t i = e->free[--e->free_count];
    struct smrf_estimate_access *a = &e->access[i];
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
    e->full = e->free_count == 0;
    return i;
}

void smrf_estimate_queue(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                         uint64_t issued)
{
    const struct smrf_inst *inst = e->warp[w].head;
    const unsigned place = (unsigned)__builtin_ctzll(s->queue_free);
    struct smrf_estimate_waiting *q = &s->queue[place];
    SMRF_ASSERT(s->queued < SMRF_ESTIMATE_QUEUE);
    s->queue_free &= s->queue_free - 1;
    s->order[(s->queue_head + s->queued++) % SMRF_ESTIMATE_QUEUE] = (uint8_t)place;
    q->issued = issued;
    q->collected =
        issued + e->warp[w].piece->collected + smrf_rng_below(&e->rng, SMRF_ESTIMATE_APART);
    q->from = SMRF_NEVER;
    q->order = e->issued++;
    q->access = take_access_(e, w);
    memcpy(&q->inst, inst, offsetof(struct smrf_inst, imm));
    if (inst->addr_kind == SMRF_ADDR_LIST && !inst->list) {
        memcpy(q->inst.lane, inst->lane, sizeof q->inst.lane);
    }
    if (s->queued == 1) {
        enter_latch_(e, s, s->latch);
    }
}

/* The instruction that may leave its latch in this cycle and issued first. */
static struct smrf_estimate_sub *choose_(struct smrf_estimate *e)
{
    struct smrf_estimate_sub *best = NULL;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i <= e->sub_mask; i++) {
        struct smrf_estimate_sub *s = &e->sub[i];
        if (s->queued && waiting_(s, 0)->from <= e->now && waiting_(s, 0)->order < least) {
            best = s;
            least = waiting_(s, 0)->order;
        }
    }
    return best;
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
    if (e->full) {
        e->full = false;
        for (unsigned i = 0; i <= e->sub_mask; i++) {
            smrf_estimate_find_first(e, &e->sub[i]);
        }
    }
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

/* --- the load/store unit ---------------------------------------------------------------------- */

/* The first of the sub-core's queue leaves, and the next one takes its place in the latch. A fence
 * is over in the next cycle. */
static void take_(struct smrf_estimate *e, struct smrf_estimate_sub *s)
{
    const unsigned place = s->order[s->queue_head];
    const struct smrf_estimate_waiting *q = &s->queue[place];
    const struct smrf_ldst_inst entering = {q->access, e->access[q->access].warp, &q->inst,
                                            e->shared_window, e->local_window};
    s->queue_head = (s->queue_head + 1) % SMRF_ESTIMATE_QUEUE;
    s->queued--;
    s->latch = e->now;
    if (q->inst.op->op_class == SMRF_CLASS_MEMBAR) {
        complete_at_(e, q->access, e->now + 1);
    } else {
        smrf_ldst_accept(e->links.ldst, &entering, e->now);
    }
    s->queue_free |= UINT64_C(1) << place;
    if (s->queued) {
        enter_latch_(e, s, e->now);
    }
    smrf_estimate_find_first(e, s); /* a collector is free */
}

/* First cycle after this one in which the unit has work, or takes an instruction that waits. */
static uint64_t next_(struct smrf_estimate *e)
{
    uint64_t next = smrf_ldst_next(e->links.ldst, e->now), from = SMRF_NEVER;
    if (!smrf_ldst_free(e->links.ldst)) {
        return next; /* it will be after one of its own steps */
    }
    for (unsigned i = 0; i <= e->sub_mask; i++) {
        struct smrf_estimate_sub *s = &e->sub[i];
        const uint64_t at = s->queued ? waiting_(s, 0)->from : SMRF_NEVER;
        from = at < from ? at : from;
    }
    from = from > e->now ? from : e->now + 1;
    return from < next ? from : next;
}

void smrf_estimate_step_memory(struct smrf_estimate *e)
{
    struct smrf_ldst *ldst = e->links.ldst;
    if (smrf_ldst_probe_due(ldst, e->now)) {
        smrf_ldst_cycle(ldst, e->now);
    }
    struct smrf_estimate_sub *s = smrf_ldst_free(ldst) ? choose_(e) : NULL;
    if (s) {
        take_(e, s);
    }
    e->ldst_next = next_(e);
}
