/* SPDX-License-Identifier: Apache-2.0 */
/* When a piece starts, how long others hold it up, and what it leaves behind. */
#include "estimate.h"

#include "models/common/smrf_apart.h"

/* --- when a warp's next piece can start ------------------------------------------------------- */

/* Behind a memory barrier all results are awaited, behind a DEPBAR copies. */
static SMRF_APART uint64_t fence_ready_(const struct smrf_estimate_warp *w, uint64_t at)
{
    if (w->copies.awaited || (w->fenced && w->accesses)) {
        return SMRF_NEVER;
    }
    return w->fenced && w->last > at ? w->last : at;
}

/* What a look at a warp's next piece finds. */
struct outlook_ {
    uint64_t at;  /* first cycle in which its registers let it start; SMRF_NEVER: not known */
    unsigned cut; /* instructions in front of the first that would wait within the piece */
};

/* Goes through the registers that a piece needs, in the order of its instructions. cuts: up to the
 * first instruction that waits for memory, or behind an access to it for anything: those in front
 * of it do not wait, and what they bring may be there when it comes. */
static inline struct outlook_ look_(const struct smrf_estimate_warp *w, const struct smrf_piece *p,
                                    const bool cuts)
{
    const bool leads = cuts && p->unit == SMRF_UNIT_MEM;
    uint64_t at = w->held, start = w->held;
    struct outlook_ front = {at, 0}; /* of the instructions in front of the present one */
    for (const struct smrf_piece_need *in = p->in; in < p->in + p->num_in; in++) {
        const uint64_t brought = w->ready[in->reg], read = in->written ? w->read[in->reg] : 0;
        const uint64_t ready = read > brought ? read : brought;
        if (ready <= w->held) {
            continue; /* it changes nothing */
        }
        front = in->inst != front.cut ? (struct outlook_){at, in->inst} : front;
        if (cuts && in->inst != 0 &&
            (brought == SMRF_NEVER || (leads && brought > start + in->at))) {
            return front;
        }
        start = in->inst == 0 && brought != SMRF_NEVER && brought > start ? brought : start;
        at = ready == SMRF_NEVER || at == SMRF_NEVER ? SMRF_NEVER
             : ready > at + in->at                   ? ready - in->at
                                                     : at;
    }
    return (struct outlook_){at, p->insts};
}

/* Things other than registers may hold the warp, too: `at`, or later, or not known. */
static inline uint64_t allow_(const struct smrf_estimate_warp *w, uint64_t at)
{
    return !w->head || w->at_barrier || w->atomics || at == SMRF_NEVER ? SMRF_NEVER
           : w->fenced || w->copies.awaited                            ? fence_ready_(w, at)
                                                                       : at;
}

/* First cycle in which its registers let it start; SMRF_NEVER: not known. */
static inline uint64_t ready_(const struct smrf_estimate_warp *w)
{
    return !w->head || w->at_barrier || w->atomics ? SMRF_NEVER
                                                   : allow_(w, look_(w, w->piece, false).at);
}

/* Does it stay? One that is not kept goes with the next that is found. */
static inline bool stays_(const struct smrf_piece_room *own, const struct smrf_piece *p)
{
    return p && p != &own->piece;
}

uint64_t smrf_estimate_look(struct smrf_estimate *e, unsigned w)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    struct smrf_estimate_sub *s = smrf_estimate_sub_of(e, w);
    const unsigned k = smrf_estimate_k(e, w);
    uint64_t memory = 0, at = SMRF_NEVER;
    if (warp->head) {
        const struct smrf_inst_run run = smrf_frontend_run(e->links.front, w);
        const struct smrf_static_inst *op = warp->head->op;
        const unsigned ahead = run.mask == warp->mask ? run.left : 0;
        struct smrf_piece_room *const own = &e->own[w];
        struct smrf_piece *const before = warp->piece;
        struct smrf_piece *p = smrf_pieces_of(e->pieces, own, &e->machine, op, run.next, ahead,
                                              stays_(own, before) ? &before->follower : NULL);
        const struct outlook_ o = look_(warp, p, true);
        if (o.cut != p->insts) {
            p = smrf_pieces_of(e->pieces, own, &e->machine, op, run.next, o.cut - 1,
                               stays_(own, p) ? &p->cut : NULL);
        }
        warp->piece = p;
        memory = p->unit == SMRF_UNIT_MEM;
        at = allow_(warp, o.at);
    }
    s->memory = (s->memory & ~(UINT64_C(1) << k)) | memory << k;
    return at;
}

static inline bool is_blocked_(const struct smrf_estimate *e, unsigned i)
{
    return e->blocked >> i & 1;
}

/* Warps that may start at all: memory instructions may find no room. */
static inline uint64_t allowed_(const struct smrf_estimate *e, unsigned i)
{
    return is_blocked_(e, i) ? 0 : e->full ? ~e->sub[i].memory : UINT64_MAX;
}

/* The piece before has issued, and memory instructions have left a collector free: nothing starts
 * sooner. */
static inline void find_open_(struct smrf_estimate_sub *s)
{
    const uint64_t at = (s->busy[SMRF_RESOURCE_ISSUE] + SMRF_PIECE_PARTS - 1) / SMRF_PIECE_PARTS;
    const uint64_t left = s->left[s->next_left];
    s->open = left > at ? left : at;
}

/* First start of a warp that is not for the load/store unit, and not due. */
static SMRF_APART uint64_t first_allowed_(const struct smrf_estimate_sub *s)
{
    uint64_t first = SMRF_NEVER;
    for (uint64_t m = s->timed & ~s->memory; m; m &= m - 1) {
        const uint64_t at = s->at[__builtin_ctzll(m)];
        first = at < first ? at : first;
    }
    return first;
}

/* It may be too early: a start that finds no warp looks again. */
void smrf_estimate_find_first(struct smrf_estimate *e, unsigned i)
{
    const struct smrf_estimate_sub *s = &e->sub[i];
    const uint64_t first = is_blocked_(e, i)         ? SMRF_NEVER
                           : s->due & allowed_(e, i) ? e->now
                           : e->full                 ? first_allowed_(s)
                                                     : s->later;
    e->first[i] = first > s->open ? first : s->open;
}

/* Warps whose time has come are due. Without a branch for each: half of them are, in no order. */
static inline void find_due_(struct smrf_estimate_sub *s, uint64_t now)
{
    if (s->later <= now) {
        uint64_t later = SMRF_NEVER, due = 0;
        for (uint64_t m = s->timed; m; m &= m - 1) {
            const uint64_t at = s->at[__builtin_ctzll(m)];
            const uint64_t waits = -(uint64_t)(at > now);
            due |= m & -m & ~waits;
            later = smrf_estimate_earlier(later, at | ~waits);
        }
        s->due |= due;
        s->timed &= ~due;
        s->later = later;
    }
}

/* Warp k can start from cycle `at` on. */
static inline void set_start_(struct smrf_estimate_sub *s, unsigned k, uint64_t at, uint64_t now)
{
    const uint64_t bit = UINT64_C(1) << k;
    s->due &= ~bit;
    s->timed &= ~bit;
    if (at <= now) {
        s->due |= bit;
    } else if (at != SMRF_NEVER) {
        s->timed |= bit;
        s->at[k] = at;
        s->later = at < s->later ? at : s->later;
    }
}

/* The sub-core's next start may be earlier now. */
void smrf_estimate_update(struct smrf_estimate *e, unsigned w)
{
    const unsigned i = w & e->sub_mask, k = smrf_estimate_k(e, w);
    struct smrf_estimate_sub *s = &e->sub[i];
    const uint64_t at = ready_(&e->warp[w]);
    uint64_t *first = &e->first[i];
    set_start_(s, k, at, e->now);
    if (at < *first && allowed_(e, i) >> k & 1) {
        const uint64_t start = at > s->open ? at : s->open;
        *first = smrf_estimate_earlier(start, *first);
        e->start_next = smrf_estimate_earlier(start, e->start_next);
    }
}

/* --- resources -------------------------------------------------------------------------------- */

static inline unsigned bank_(const struct smrf_estimate *e, unsigned w, unsigned bank)
{
    const unsigned at = bank + (w & e->swizzle);
    return e->bank_mask ? at & e->bank_mask : at % e->cfg.rf.banks;
}

void smrf_estimate_write(struct smrf_estimate *e, unsigned w, unsigned reg)
{
    struct smrf_estimate_sub *s = smrf_estimate_sub_of(e, w);
    uint64_t *busy = &s->busy[SMRF_RESOURCE_BANK + bank_(e, w, reg)];
    const uint64_t now = e->now * SMRF_PIECE_PARTS;
    if (e->write_parts) {
        *busy = (*busy > now ? *busy : now) + e->write_parts;
    }
}

/* A use of a resource that is taken up to *busy. Returns the start from which on it would not be
 * held up by others. */
static inline int64_t take_(uint64_t *busy, const struct smrf_piece_use *use, uint64_t now)
{
    const uint64_t from = *busy > now ? *busy : now;
    *busy = from + use->parts;
    return (int64_t)from - use->slack;
}

/* A piece takes its resources from now on. Returns the cycles by which others hold it up: those of
 * banks, as the rest take it now (taken_). */
static inline uint64_t hold_up_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                                const struct smrf_piece *p)
{
    const uint64_t now = e->now * SMRF_PIECE_PARTS;
    const struct smrf_piece_use *use = p->use, *banks = use + p->num_use - p->num_bank;
    int64_t at = (int64_t)now;
    for (; use < banks; use++) {
        (void)take_(&s->busy[use->resource], use, now);
    }
    for (; use < p->use + p->num_use; use++) {
        const unsigned bank = bank_(e, w, use->resource - (unsigned)SMRF_RESOURCE_BANK);
        const int64_t free = take_(&s->busy[SMRF_RESOURCE_BANK + bank], use, now);
        at = free > at ? free : at;
    }
    return ((uint64_t)at - now + SMRF_PIECE_PARTS - 1) / SMRF_PIECE_PARTS;
}

/* --- start ------------------------------------------------------------------------------------ */

/* The rest is known from these: smrf_estimate_stats(). */
static inline void count_(struct smrf_estimate *e, const struct smrf_piece *p, uint32_t mask)
{
    struct smrf_sm_stats *stats = &e->stats;
    const uint64_t lanes = smrf_count_bits(mask);
    stats->further_steps += p->steps;
    stats->operand_reads += p->reads;
    stats->operand_writes += p->writes;
    for (unsigned c = 0; c < p->num_class; c++) {
        stats->warp_insts_by_class[p->op_class[c]] += p->of_class[c];
        stats->thread_insts_by_class[p->op_class[c]] += p->of_class[c] * lanes;
    }
}

static SMRF_APART void fence_(struct smrf_estimate *e, struct smrf_estimate_warp *w,
                              const struct smrf_inst *inst)
{
    w->fenced |= inst->op->op_class == SMRF_CLASS_MEMBAR;
    if (inst->op->flags & SMRF_INST_COPIES_CLOSE) {
        smrf_copies_close(&w->copies);
    } else if (inst->op->flags & SMRF_INST_COPIES_WAIT) {
        smrf_copies_wait(&w->copies, inst->imm, (enum smrf_copy_rule)e->cfg.scoreboard.copies);
    }
}

/* Its results, when it really starts at `at`. */
static inline void finish_(struct smrf_estimate_warp *warp, const struct smrf_piece *p, uint64_t at)
{
    for (unsigned i = 0; i < p->num_out; i++) {
        warp->ready[p->out[i].reg] = at + p->out[i].at;
    }
    warp->last = at + p->end > warp->last ? at + p->end : warp->last;
}

/* Registers that it reads after the next instruction might write them. */
static inline void read_late_(struct smrf_estimate_warp *warp, const struct smrf_piece *p,
                              uint64_t at)
{
    for (unsigned i = 0; i < p->num_late; i++) {
        warp->read[p->late[i].reg] = at + p->late[i].at;
    }
}

/* First cycle in which a piece finds issue, collectors and units free enough to go through them at
 * its own pace. An older warp's piece then comes first, as it would instruction by instruction. */
static inline uint64_t taken_(const struct smrf_estimate_sub *s, const struct smrf_piece *p)
{
    const struct smrf_piece_use *use = p->use, *banks = use + p->num_use - p->num_bank;
    uint64_t at = 0;
    for (; use < banks; use++) {
        const uint64_t busy = s->busy[use->resource];
        const uint64_t free = busy > use->slack ? busy - use->slack : 0;
        at = free > at ? free : at;
    }
    return (at + SMRF_PIECE_PARTS - 1) / SMRF_PIECE_PARTS;
}

static void start_warp_(struct smrf_estimate *e, unsigned i, unsigned k)
{
    struct smrf_estimate_sub *s = &e->sub[i];
    const unsigned w = k << e->shift | i;
    struct smrf_estimate_warp *warp = &e->warp[w];
    const struct smrf_inst *inst = warp->head;
    const struct smrf_piece *p = warp->piece;
    const bool barrier = p->barrier && warp->mask;
    const uint64_t at = e->now + hold_up_(e, s, w, p);

    if (warp->fenced) { /* what began before its fence is over */
        warp->fenced = false;
        smrf_ldst_fence(e->links.ldst);
    }
    count_(e, p, warp->mask);
    e->stats.completed += p->insts;
    if (p->unit == SMRF_UNIT_MEM) {
        e->stats.completed--; /* it is counted when it ends */
        smrf_estimate_enter(e, s, w, at);
    }
    if (p->end) {
        finish_(warp, p, at);
    }
    if (p->needs & SMRF_NEED_FENCE) {
        fence_(e, warp, inst);
    }
    const uint64_t tail = p->end > p->span ? p->end - p->span : 0;
    const uint64_t held = (at - e->now < tail ? e->now : at - tail) + p->span;
    warp->held = held > warp->held ? held : warp->held; /* it may await an atomic */
    read_late_(warp, p, at);
    warp->head = smrf_frontend_pass(e->links.front, w, p->insts, p->behind, e->now, &warp->mask);
    uint64_t next = smrf_estimate_look(e, w);
    if (barrier) {
        smrf_frontend_reach_barrier(e->links.front, w);
        next = ready_(warp);
    }
    set_start_(s, k, next, e->now);
    smrf_estimate_check_drained(e, w);
}

/* Of warps that are due those whose pieces are taken now. The others are due when theirs may be. */
static SMRF_APART uint64_t taken_warps_(struct smrf_estimate *e, unsigned i, uint64_t due)
{
    struct smrf_estimate_sub *s = &e->sub[i];
    uint64_t taken = 0;
    for (; due; due &= due - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(due);
        const uint64_t at = taken_(s, e->warp[k << e->shift | i].piece);
        if (at <= e->now) {
            taken |= due & -due;
        } else {
            set_start_(s, k, at, e->now);
        }
    }
    return taken;
}

/* The warp that starts now; smrf_estimate_sub.due has it. Returns false if there is none. */
static inline bool choose_(struct smrf_estimate *e, unsigned i, unsigned *k)
{
    struct smrf_estimate_sub *s = &e->sub[i];
    find_due_(s, e->now);
    uint64_t ready = s->due & allowed_(e, i);
    if (!ready) {
        return false;
    }
    *k = smrf_scheduler_select(&s->scheduler, ready, 0);
    if (taken_(s, e->warp[*k << e->shift | i].piece) > e->now) {
        ready = taken_warps_(e, i, ready);
        if (!ready) {
            return false;
        }
        *k = smrf_scheduler_select(&s->scheduler, ready, 0);
    }
    return true;
}

void smrf_estimate_start(struct smrf_estimate *e, unsigned i)
{
    struct smrf_estimate_sub *s = &e->sub[i];
    unsigned k;
    if (choose_(e, i, &k)) {
        smrf_scheduler_issued(&s->scheduler, k);
        start_warp_(e, i, k);
        find_open_(s);
    }
    smrf_estimate_find_first(e, i);
}
