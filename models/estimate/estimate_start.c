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

/* First cycle in which its registers let it start; SMRF_NEVER: not known. */
static inline uint64_t ready_(const struct smrf_estimate_warp *w)
{
    const struct smrf_piece *p = w->piece;
    uint64_t at = w->held;
    if (!w->head || w->at_barrier || w->atomics) {
        return SMRF_NEVER;
    }
    for (unsigned i = 0; i < p->num_in; i++) {
        const uint64_t read = p->in[i].written ? w->read[p->in[i].reg] : 0;
        const uint64_t brought = w->ready[p->in[i].reg], ready = read > brought ? read : brought;
        if (ready > at + p->in[i].at) {
            if (ready == SMRF_NEVER) {
                return SMRF_NEVER;
            }
            at = ready - p->in[i].at;
        }
    }
    return w->fenced || w->copies.awaited ? fence_ready_(w, at) : at;
}

/* Instructions of the piece in front of the first that waits for memory, or behind an access to it
 * for anything: those do not wait, and what they bring may be there when that comes. */
static inline unsigned cut_(const struct smrf_estimate_warp *w, const struct smrf_piece *p)
{
    const bool leads = p->unit == SMRF_UNIT_MEM;
    uint64_t start = w->held;
    unsigned cut = p->insts;
    for (unsigned i = 0; i < p->num_in; i++) {
        const struct smrf_piece_need *in = &p->in[i];
        const uint64_t ready = w->ready[in->reg];
        if (in->inst == 0) {
            start = leads && ready != SMRF_NEVER && ready > start ? ready : start;
        } else if (in->inst < cut && (ready == SMRF_NEVER || (leads && ready > start + in->at))) {
            cut = in->inst;
        }
    }
    return cut;
}

void smrf_estimate_look(struct smrf_estimate *e, unsigned w)
{
    struct smrf_estimate_warp *warp = &e->warp[w];
    struct smrf_estimate_sub *s = smrf_estimate_sub_of(e, w);
    const unsigned k = smrf_estimate_k(e, w);
    bool memory = false;
    if (warp->head) {
        const struct smrf_inst_run run = smrf_frontend_run(e->links.front, w);
        const struct smrf_static_inst *op = warp->head->op;
        const unsigned ahead = run.mask == warp->mask ? run.left : 0;
        const struct smrf_piece *p =
            smrf_pieces_of(e->pieces, &warp->own, &e->machine, op, run.next, ahead);
        const unsigned cut = cut_(warp, p);
        if (cut != p->insts) {
            p = smrf_pieces_of(e->pieces, &warp->own, &e->machine, op, run.next, cut - 1);
        }
        warp->piece = p;
        memory = p->unit == SMRF_UNIT_MEM;
    }
    s->memory = (s->memory & ~(UINT64_C(1) << k)) | (uint64_t)memory << k;
}

static inline bool is_blocked_(const struct smrf_estimate *e, const struct smrf_estimate_sub *s)
{
    return e->blocked >> (s - e->sub) & 1;
}

/* Warps that may start at all: memory instructions may find no room. */
static inline uint64_t allowed_(const struct smrf_estimate *e, const struct smrf_estimate_sub *s)
{
    return is_blocked_(e, s) ? 0 : e->full ? ~s->memory : UINT64_MAX;
}

/* The piece before has issued, and memory instructions have left a collector free: nothing starts
 * sooner. */
static inline uint64_t open_(const struct smrf_estimate_sub *s)
{
    const uint64_t at = (s->busy[SMRF_RESOURCE_ISSUE] + SMRF_PIECE_PARTS - 1) / SMRF_PIECE_PARTS;
    const uint64_t left = s->left[s->next_left];
    return left > at ? left : at;
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
void smrf_estimate_find_first(struct smrf_estimate *e, struct smrf_estimate_sub *s)
{
    const uint64_t open = open_(s);
    const uint64_t first = is_blocked_(e, s)         ? SMRF_NEVER
                           : s->due & allowed_(e, s) ? e->now
                           : e->full                 ? first_allowed_(s)
                                                     : s->later;
    e->first[s - e->sub] = first > open ? first : open;
}

/* Warps whose time has come are due. */
static inline void find_due_(struct smrf_estimate_sub *s, uint64_t now)
{
    if (s->later <= now) {
        s->later = SMRF_NEVER;
        for (uint64_t m = s->timed; m; m &= m - 1) {
            const uint64_t at = s->at[__builtin_ctzll(m)];
            if (at <= now) {
                s->due |= m & -m;
            } else if (at < s->later) {
                s->later = at;
            }
        }
        s->timed &= ~s->due;
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
    struct smrf_estimate_sub *s = smrf_estimate_sub_of(e, w);
    const unsigned k = smrf_estimate_k(e, w);
    const uint64_t at = ready_(&e->warp[w]);
    uint64_t *first = &e->first[s - e->sub];
    set_start_(s, k, at, e->now);
    if (at < *first && allowed_(e, s) >> k & 1) {
        const uint64_t open = open_(s), start = at > open ? at : open;
        *first = start < *first ? start : *first;
    }
}

/* --- resources -------------------------------------------------------------------------------- */

static inline unsigned bank_(const struct smrf_estimate *e, unsigned w, unsigned bank)
{
    const unsigned n = e->cfg.rf.banks, at = bank + (e->cfg.rf.swizzle ? w : 0);
    return (n & (n - 1)) == 0 ? at & (n - 1) : at % n;
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

/* A use of a resource that is taken up to *busy. Returns by how much others hold it up, less than
 * 0: they do not. */
static inline int64_t take_(uint64_t *busy, const struct smrf_piece_use *use, uint64_t now)
{
    const uint64_t from = *busy > now ? *busy : now;
    *busy = from + use->parts;
    return (int64_t)(from - now) - use->slack;
}

/* A piece takes its resources from now on. Returns the cycles by which others hold it up. */
static inline uint64_t hold_up_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                                const struct smrf_piece *p)
{
    const uint64_t now = e->now * SMRF_PIECE_PARTS;
    const struct smrf_piece_use *use = p->use, *banks = use + p->num_use - p->num_bank;
    int64_t by = 0;
    for (; use < banks; use++) {
        const int64_t more = take_(&s->busy[use->resource], use, now);
        by = more > by ? more : by;
    }
    for (; use < p->use + p->num_use; use++) {
        const unsigned bank = bank_(e, w, use->resource - (unsigned)SMRF_RESOURCE_BANK);
        const int64_t more = take_(&s->busy[SMRF_RESOURCE_BANK + bank], use, now);
        by = more > by ? more : by;
    }
    return ((uint64_t)by + SMRF_PIECE_PARTS - 1) / SMRF_PIECE_PARTS;
}

/* --- start ------------------------------------------------------------------------------------ */

static inline void count_(struct smrf_estimate *e, const struct smrf_piece *p, uint32_t mask)
{
    struct smrf_sm_stats *stats = &e->stats;
    const uint64_t lanes = smrf_count_bits(mask), insts = (uint64_t)p->insts - p->steps;
    stats->warp_insts += insts;
    stats->further_steps += p->steps;
    stats->thread_insts += insts * lanes;
    stats->operand_reads += p->reads;
    stats->bank_reads += p->reads;
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

static void start_warp_(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned k)
{
    const unsigned w = k << e->shift | (unsigned)(s - e->sub);
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
    smrf_estimate_look(e, w);
    if (barrier) {
        smrf_frontend_reach_barrier(e->links.front, w);
    }
    set_start_(s, k, ready_(warp), e->now);
    smrf_estimate_check_drained(e, w);
}

/* Warps that can start now. */
static inline uint64_t ready_warps_(const struct smrf_estimate *e, struct smrf_estimate_sub *s)
{
    find_due_(s, e->now);
    return s->due & allowed_(e, s);
}

void smrf_estimate_start(struct smrf_estimate *e, struct smrf_estimate_sub *s)
{
    const uint64_t ready = open_(s) <= e->now ? ready_warps_(e, s) : 0;
    if (ready) {
        const unsigned k = smrf_scheduler_select(&s->scheduler, ready, 0);
        smrf_scheduler_issued(&s->scheduler, k);
        start_warp_(e, s, k);
    }
    smrf_estimate_find_first(e, s);
}
