/* SPDX-License-Identifier: Apache-2.0 */
/* The view's life, what blocks report to it, and the order of events. */
#include "estimate.h"

#include "models/common/smrf_assert.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_reg_set.h"

#include <string.h>

const char *smrf_estimate_refusal(const struct smrf_estimate_config *cfg)
{
    return cfg->issue.scheduler == SMRF_SCHED_TWO_LEVEL ? "issue.scheduler=two_level"
           : cfg->issue.scheduler == SMRF_SCHED_SWL     ? "issue.scheduler=swl"
           : cfg->rf.collector_slots > 1                ? "rf.collector_slots"
           : cfg->rf.read == SMRF_READ_WINDOW           ? "rf.read=window"
                                                        : NULL;
}

size_t smrf_estimate_store_bytes(const struct smrf_estimate_config *cfg)
{
    return cfg->sm.warps * sizeof(struct smrf_estimate_warp);
}

int smrf_estimate_init(struct smrf_estimate *e, void *store, const struct smrf_estimate_config *cfg,
                       const struct smrf_estimate_links *links)
{
    const uint32_t subs = cfg->sm.subcores;
    if (smrf_estimate_refusal(cfg) || subs == 0 || (subs & (subs - 1)) != 0) {
        return SMRF_ERR_INVAL;
    }
    e->cfg = *cfg;
    e->links = *links;
    e->warp = store;
    e->machine = (struct smrf_piece_machine){cfg->rf, cfg->issue, cfg->scoreboard, links->units};
    e->most_queued =
        cfg->rf.collectors < SMRF_ESTIMATE_QUEUE ? cfg->rf.collectors + 1 : SMRF_ESTIMATE_QUEUE;
    e->write_parts =
        cfg->rf.perfect || cfg->rf.drop_conflicting_writes ? 0 : SMRF_PIECE_PARTS / cfg->rf.steps;
    e->swizzle = cfg->rf.swizzle ? UINT32_MAX : 0;
    e->bank_mask = (cfg->rf.banks & (cfg->rf.banks - 1)) == 0 ? cfg->rf.banks - 1 : 0;
    e->shift = (uint8_t)__builtin_ctz(subs);
    e->sub_mask = subs - 1;
    e->made_for = smrf_reg_set_kind(cfg->rf.base_registers_only, cfg->rf.banks);
    for (unsigned i = 0; i < subs; i++) {
        const int err =
            smrf_scheduler_init(&e->sub[i].scheduler, &e->cfg.issue, cfg->sm.warps / subs);
        if (err) {
            return err;
        }
    }
    smrf_estimate_reset(e);
    return SMRF_OK;
}

static void reset_sub_(struct smrf_estimate_sub *s)
{
    const struct smrf_scheduler scheduler = s->scheduler;
    memset(s, 0, sizeof *s);
    s->scheduler = scheduler;
    smrf_scheduler_reset(&s->scheduler);
    s->later = SMRF_NEVER;
}

void smrf_estimate_reset(struct smrf_estimate *e)
{
    e->now = 0;
    e->ldst_next = e->exit_next = e->fetch_next = e->start_next = SMRF_NEVER;
    e->exiting = 0;
    e->full = false;
    e->turn = 0;
    e->blocked = 0;
    e->stats = (struct smrf_sm_stats){0};
    e->free_count = SMRF_ESTIMATE_ACCESSES;
    for (unsigned i = 0; i < SMRF_ESTIMATE_ACCESSES; i++) {
        e->free[i] = (uint16_t)(SMRF_ESTIMATE_ACCESSES - 1 - i);
    }
    for (unsigned i = 0; i < SMRF_MAX_SUBCORES; i++) {
        e->first[i] = SMRF_NEVER;
    }
    for (unsigned i = 0; i <= e->sub_mask; i++) {
        reset_sub_(&e->sub[i]);
    }
    memset(e->warp, 0, e->cfg.sm.warps * sizeof *e->warp);
    smrf_ldst_estimate_init(&e->unit, e->links.ldst);
    smrf_rng_seed(&e->rng, e->links.seed, e->links.id);
}

void smrf_estimate_begin_kernel(struct smrf_estimate *e, const struct smrf_sm_kernel *kernel)
{
    e->shared_window = kernel->shared_window;
    e->local_window = kernel->local_window;
    e->ldst_next = e->exit_next = e->fetch_next = SMRF_NEVER;
    e->pieces = kernel->pieces;
    SMRF_ASSERT(e->pieces);
}

/* --- reports of the front end ----------------------------------------------------------------- */

static void start_(void *ctx, unsigned w, const struct smrf_warp_start *start)
{
    struct smrf_estimate *e = ctx;
    struct smrf_estimate_sub *s = smrf_estimate_sub_of(e, w);
    memset(&e->warp[w], 0, offsetof(struct smrf_estimate_warp, ready));
    e->warp[w].exit = SMRF_NEVER;
    smrf_scheduler_policy(&e->cfg.issue)->start(&s->scheduler, smrf_estimate_k(e, w), start->age);
}

static void hold_(void *ctx, unsigned w, uint64_t cycle)
{
    struct smrf_estimate_warp *warp = &((struct smrf_estimate *)ctx)->warp[w];
    warp->held = cycle > warp->held ? cycle : warp->held;
}

/* What is decoded in this cycle issues in the next. */
static void head_(void *ctx, unsigned w, const struct smrf_inst *head)
{
    struct smrf_estimate *e = ctx;
    e->warp[w].head = head;
    e->warp[w].mask = head->mask;
    hold_(e, w, e->now + 1);
    (void)smrf_estimate_look(e, w);
    smrf_estimate_update(e, w);
}

static void allotted_(void *ctx, unsigned w, uint16_t base, uint16_t registers)
{
    (void)ctx, (void)w, (void)base, (void)registers;
}

static void ended_(void *ctx, unsigned w)
{
    ((struct smrf_estimate *)ctx)->warp[w].ended = true;
}

/* Warps that leave a barrier issue from the next cycle on. */
static void barrier_(void *ctx, unsigned w, bool waits)
{
    struct smrf_estimate *e = ctx;
    struct smrf_estimate_warp *warp = &e->warp[w];
    warp->at_barrier = waits;
    hold_(e, w, e->now + 1);
    smrf_estimate_update(e, w);
}

static void exit_(void *ctx, unsigned w)
{
    struct smrf_estimate *e = ctx;
    e->exiting &= ~(UINT64_C(1) << w);
    e->warp[w].exit = SMRF_NEVER;
}

struct smrf_frontend_wires smrf_estimate_wires(struct smrf_estimate *e)
{
    return (struct smrf_frontend_wires){
        .ctx = e,
        .start = start_,
        .head = head_,
        .hold = hold_,
        .refill = hold_,
        .allotted = allotted_,
        .ended = ended_,
        .barrier = barrier_,
        .exit = exit_,
    };
}

void smrf_estimate_launched(struct smrf_estimate *e, uint64_t cycle)
{
    e->now = cycle;
    e->fetch_next = cycle;
}

void smrf_estimate_drained(struct smrf_estimate *e, unsigned w)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    warp->exit = warp->last > e->now ? warp->last : e->now;
    e->exiting |= UINT64_C(1) << w;
    e->exit_next = warp->exit < e->exit_next ? warp->exit : e->exit_next;
}

/* Warps whose time has come exit. */
static void leave_(struct smrf_estimate *e)
{
    uint64_t next = SMRF_NEVER;
    for (uint64_t m = e->exiting; m; m &= m - 1) {
        const unsigned w = (unsigned)__builtin_ctzll(m);
        const uint64_t at = e->warp[w].exit;
        if (at <= e->now) {
            e->exiting &= ~(UINT64_C(1) << w);
            smrf_frontend_drained(e->links.front, w, e->now);
        } else {
            next = at < next ? at : next;
        }
    }
    e->exit_next = next;
    e->fetch_next = e->now;
}

/* --- events ----------------------------------------------------------------------------------- */

static inline uint64_t next_(const struct smrf_estimate *e)
{
    const uint64_t others = smrf_estimate_earlier(e->exit_next, e->fetch_next);
    return smrf_estimate_earlier(smrf_estimate_earlier(e->ldst_next, e->start_next), others);
}

uint64_t smrf_estimate_next(const struct smrf_estimate *e)
{
    return smrf_estimate_earlier(next_(e), smrf_ldst_estimate_sends(&e->unit));
}

void smrf_estimate_answered(struct smrf_estimate *e)
{
    e->ldst_next = smrf_ldst_estimate_next(&e->unit);
}

/* The end of a cycle: fetch, and room for blocks. */
static inline void fetch_(struct smrf_estimate *e)
{
    struct smrf_frontend *front = e->links.front;
    if (smrf_frontend_probe_fetching(front)) {
        (void)smrf_frontend_fetch(front, e->now);
    }
    smrf_frontend_end_cycle(front);
    e->fetch_next = smrf_frontend_probe_fetching(front) ? e->now + 1 : SMRF_NEVER;
}

static inline void start_now_(struct smrf_estimate *e, unsigned i)
{
    while (e->first[i] <= e->now) {
        smrf_estimate_start(e, i);
    }
}

/* Pieces start. Each memory instruction changes the order of sub-cores, so that none keeps the
 * others out of the load/store unit; one that is left out has its turn when the cycle is stepped
 * again. */
static void issue_(struct smrf_estimate *e)
{
    unsigned starts = 0; /* bit i: sub-core i */
    for (unsigned i = 0; i < SMRF_MAX_SUBCORES; i++) {
        starts |= (unsigned)(e->first[i] <= e->now) << i;
    }
    if ((starts & (starts - 1)) == 0) { /* one, whose turn it is then */
        start_now_(e, (unsigned)__builtin_ctz(starts));
    } else {
        for (unsigned i = 0; i <= e->sub_mask; i++) {
            start_now_(e, (i + e->turn) & e->sub_mask);
        }
    }
    smrf_estimate_find_start_next(e);
}

/* All that a cycle has, in the order of the other views: the load/store unit, issue, then what
 * leaves, and fetch. */
static inline void step_(struct smrf_estimate *e)
{
    if (e->ldst_next <= e->now) {
        smrf_estimate_take_answers(e);
        e->ldst_next = smrf_ldst_estimate_next(&e->unit);
    }
    if (e->start_next <= e->now) {
        issue_(e);
    }
    if (e->exit_next <= e->now) {
        leave_(e);
    }
    if (e->fetch_next <= e->now) {
        fetch_(e);
    }
}

uint64_t smrf_estimate_run(struct smrf_estimate *e, uint64_t until)
{
    const struct smrf_frontend *front = e->links.front;
    uint64_t next;
    while ((next = next_(e)) < until) {
        e->now = next > e->now ? next : e->now;
        smrf_ldst_estimate_send(&e->unit, e->now); /* what waits depends on it */
        step_(e);
        if (front->wants || front->error) {
            until = e->now + 1;
            break;
        }
    }
    smrf_ldst_estimate_send(&e->unit, until);
    return until;
}

void smrf_estimate_stats(const struct smrf_estimate *e, struct smrf_sm_stats *to)
{
    *to = e->stats;
    to->bank_reads = to->operand_reads;
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        to->warp_insts += to->warp_insts_by_class[c];
        to->thread_insts += to->thread_insts_by_class[c];
    }
}

void smrf_estimate_kept(struct smrf_sm_stats *kept)
{
    *kept = (struct smrf_sm_stats){
        .warp_insts = 1,
        .thread_insts = 1,
        .further_steps = 1,
        .completed = 1,
        .blocks = 1,
        .warps = 1,
        .barriers = 1,
        .operand_reads = 1,
        .operand_writes = 1,
        .bank_reads = 1,
        /* 0, as no mechanism takes part: */
        .part_reads = 1,
        .cache_hits = 1,
        .removed_insts = 1,
        .injected_insts = 1,
        .removed_threads = 1,
        .injected_threads = 1,
    };
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        kept->warp_insts_by_class[c] = kept->thread_insts_by_class[c] = 1;
    }
}
