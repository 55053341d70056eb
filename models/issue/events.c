/* SPDX-License-Identifier: Apache-2.0 */
/* What other blocks report to the issue stage: the front end about warps, operand collection and
 * execution about instructions in flight. */
#include "issue_internal.h"

/* --- the life of a warp ----------------------------------------------------------------------- */

void smrf_issue_start(struct smrf_issue *s, unsigned k, uint64_t age, uint16_t base,
                      uint16_t registers)
{
    smrf_issue_wake_stage(s);
    smrf_issue_set_unit(s, k, 0);
    smrf_issue_set_hazards(s, k, 0);
    s->warp[k] = (struct smrf_issue_warp){
        .slot = (uint8_t)smrf_issue_warp_of(s, k), .base = base, .registers = registers};
    if (s->copied & smrf_issue_bit(k)) {
        s->copied &= ~smrf_issue_bit(k);
        s->store->copies[k] = (struct smrf_copies){0};
    }
    s->residents += !(s->resident & smrf_issue_bit(k));
    s->resident |= smrf_issue_bit(k);
    s->ended &= ~smrf_issue_bit(k);
    s->came &= ~smrf_issue_bit(k);
    s->parts.dependence_ops->start(s->parts.dependence, k);
    s->parts.scheduler_ops->start(s->parts.scheduler, k, age);
}

void smrf_issue_allotted(struct smrf_issue *s, unsigned k, uint16_t base, uint16_t registers,
                         uint64_t cycle)
{
    s->warp[k].base = base;
    s->warp[k].registers = registers;
    smrf_issue_check(s, k, cycle);
}

void smrf_issue_barrier(struct smrf_issue *s, unsigned k, bool waits, uint64_t cycle)
{
    smrf_issue_wake_stage(s);
    smrf_issue_assign(&s->barrier, k, waits);
    if (!waits && s->cfg.issue.barrier_latency) {
        smrf_issue_hold(s, k, cycle + s->cfg.issue.barrier_latency);
        s->leaving |= smrf_issue_bit(k);
    }
    smrf_issue_update_stopped(s);
}

void smrf_issue_ended(struct smrf_issue *s, unsigned k)
{
    smrf_issue_wake_stage(s);
    s->ended |= smrf_issue_bit(k);
}

void smrf_issue_exit(struct smrf_issue *s, unsigned k)
{
    smrf_issue_wake_stage(s);
    s->residents -= (s->resident & smrf_issue_bit(k)) != 0;
    s->resident &= ~smrf_issue_bit(k);
    s->barrier &= ~smrf_issue_bit(k);
    s->slips &= ~smrf_issue_bit(k);
    smrf_issue_update_stopped(s);
}

void smrf_issue_hold(struct smrf_issue *s, unsigned k, uint64_t until)
{
    struct smrf_issue_warp *w = &s->warp[k];
    smrf_issue_wake_stage(s);
    w->held_until = until > w->held_until ? until : w->held_until;
    s->held |= smrf_issue_bit(k);
    smrf_issue_update_stopped(s);
}

void smrf_issue_refill(struct smrf_issue *s, unsigned k, uint64_t until)
{
    s->refill |= smrf_issue_bit(k);
    smrf_issue_hold(s, k, until);
}

void smrf_issue_wake(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    if (smrf_issue_micro(s, k)) {
        smrf_issue_check(s, k, cycle);
    } else {
        smrf_issue_choose_head(s, k, cycle);
    }
}

void smrf_issue_check_drained(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    if (s->ended >> k & 1 && w->inflight == 0 && w->stores == 0) {
        s->links.drained(s->links.ctx, smrf_issue_warp_of(s, k), cycle);
    }
}

/* --- instructions in flight ------------------------------------------------------------------- */

bool smrf_issue_uses_reads(const struct smrf_issue *s)
{
    return s->readers.count || !smrf_issue_own_scoreboard(s) || s->own_scoreboard.war;
}

/* Does the dependence check lose a hazard when source i has been read? */
static inline bool read_frees_(struct smrf_issue *s, unsigned k, const struct smrf_flight *f,
                               unsigned i)
{
    return smrf_issue_own_scoreboard(s)
               ? smrf_scoreboard_collected(&s->own_scoreboard, k, f->src_reg[i])
               : s->parts.dependence_ops->collected(s->parts.dependence, k, f, i);
}

void smrf_issue_collected(struct smrf_issue *s, const struct smrf_flight *f, uint32_t sources,
                          uint64_t cycle)
{
    const unsigned k = f->warp >> s->sub_shift;
    bool frees = false;
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        frees |= read_frees_(s, k, f, i);
        if (smrf_readers_done(&s->readers, f->src[i])) {
            s->links.seams.rename->last_read(s->links.seams.state, s->cfg.sub, f->src[i]);
        }
    }
    const bool read = s->parts.dependence_ops->read &&
                      s->parts.dependence_ops->read(s->parts.dependence, k, f, cycle);
    if (read || (frees && s->war >> k & 1)) {
        smrf_issue_check(s, k, cycle);
    }
}

/* The result of a register is usable. Returns whether the next instruction of warp k may have
 * waited for it. */
static inline bool release_(struct smrf_issue *s, unsigned k, const struct smrf_flight *f,
                            unsigned reg)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    if (rename && rename->written && reg < SMRF_REG_ZERO && !f->micro) {
        rename->written(s->links.seams.state, f, reg);
    }
    if (smrf_issue_own_scoreboard(s)) {
        return smrf_scoreboard_released(&s->own_scoreboard, k, reg) && s->data >> k & 1 &&
               smrf_scoreboard_concerns(s->warp[k].set, reg);
    }
    return s->parts.dependence_ops->released(s->parts.dependence, k, f, reg) && s->data >> k & 1;
}

void smrf_issue_released(struct smrf_issue *s, const struct smrf_flight *f, unsigned reg,
                         uint64_t cycle)
{
    const unsigned k = f->warp >> s->sub_shift;
    if (release_(s, k, f, reg)) {
        smrf_issue_check(s, k, cycle);
    }
}

/* What ends with an instruction besides its registers: uniform results, which take no port, and an
 * operation of the mechanism's own. */
static void end_(struct smrf_issue *s, const struct smrf_flight *f, uint64_t cycle)
{
    const struct smrf_micro_seam *micro = s->links.seams.micro;
    for (unsigned i = 0; i < f->op->num_udst; i++) {
        if (f->op->udst[i] != SMRF_UREG_ZERO) {
            smrf_issue_released(s, f, SMRF_DEPEND_UNIFORM + f->op->udst[i], cycle);
        }
    }
    if (f->micro && micro->done) {
        micro->done(s->links.seams.state, f);
    }
}

/* Needed where the warp may have waited for the flight: for a copy, for all before a fence, for
 * registers that a mechanism frees with it, or, at its end, for everything. */
static SMRF_APART void leave_(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flights *flights = s->links.flights;
    const struct smrf_flight *f = &flights->record[flight];
    const unsigned k = f->warp >> s->sub_shift;
    struct smrf_issue_warp *w = &s->warp[k];
    if (f->needs & SMRF_NEED_END) {
        end_(s, f, cycle);
    }
    const bool copied = (f->op->flags & SMRF_INST_SHARED_AND_GLOBAL) &&
                        smrf_copies_done(&s->store->copies[k], flights->copy_group[flight]);
    w->copies = w->copies && !copied;
    if (w->membar || copied || (w->inflight == 0 && s->links.seams.rename)) {
        smrf_issue_check(s, k, cycle);
    }
    smrf_issue_check_drained(s, k, cycle);
}

static inline void retire_(struct smrf_issue *s, unsigned k, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    struct smrf_issue_warp *w = &s->warp[k];
    w->inflight--;
    w->own = (uint16_t)(w->own - f->micro);
    s->stats.completed++;
    const bool frees = s->parts.dependence_ops->retired &&
                       s->parts.dependence_ops->retired(s->parts.dependence, k, f, cycle);
    if (frees || (f->micro && !w->own)) {
        smrf_issue_check(s, k, cycle);
    }
    smrf_flights_give(s->links.flights, flight);
    if (w->membar || s->ended >> k & 1 || f->needs & SMRF_NEED_END ||
        (w->inflight == 0 && s->links.seams.rename)) {
        leave_(s, flight, cycle);
    }
}

void smrf_issue_retired(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    retire_(s, s->links.flights->record[flight].warp >> s->sub_shift, flight, cycle);
}

static inline void make_usable_(struct smrf_issue *s, unsigned k, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &s->links.flights->record[flight];
    bool awaited = false;
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        awaited |= release_(s, k, f, f->dst_reg[i]);
    }
    if (awaited) {
        smrf_issue_check(s, k, cycle);
    }
}

void smrf_issue_usable(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    make_usable_(s, s->links.flights->record[flight].warp >> s->sub_shift, flight, cycle);
}

void smrf_issue_settled(struct smrf_issue *s, uint32_t flight, uint64_t cycle)
{
    const unsigned k = s->links.flights->record[flight].warp >> s->sub_shift;
    make_usable_(s, k, flight, cycle);
    retire_(s, k, flight, cycle);
}

void smrf_issue_answered(struct smrf_issue *s, const struct smrf_flight *f, uint64_t cycle)
{
    unsigned k = f->warp >> s->sub_shift;
    SMRF_ASSERT(s->warp[k].atomics > 0);
    s->warp[k].atomics--;
    smrf_issue_check(s, k, cycle);
}

void smrf_issue_stores(struct smrf_issue *s, unsigned k, int32_t delta, uint64_t cycle)
{
    s->warp[k].stores += delta;
    smrf_issue_check_drained(s, k, cycle);
}

/* A stage that sleeps wakes if a warp waits for this latch. */
uint32_t smrf_issue_unlatch(struct smrf_issue *s, unsigned unit)
{
    const uint64_t waits = s->head_unit[unit];
    SMRF_ASSERT(s->latch_full >> unit & 1);
    s->latch_full &= ~(UINT32_C(1) << unit);
    s->latch_busy &= ~waits;
    if (s->stall == SMRF_STALL_unit && waits & smrf_issue_ready(s)) {
        smrf_issue_wake_stage(s);
    }
    return s->latch[unit];
}
