/* SPDX-License-Identifier: Apache-2.0 */
/* What issues next of a warp, what its registers say of it, and what becomes of a stage: gone through for
 * every instruction, in one go. */
#ifndef SMRF_ISSUE_HEAD_H
#define SMRF_ISSUE_HEAD_H

#include "issue_internal.h"

/* Does a fence, an atomic or a copy of the warp hold others back? Few have any. */
static inline bool smrf_issue_fenced(const struct smrf_issue_warp *w)
{
    return (w->membar | w->atomics | w->copies) != 0;
}

/* Does the head of warp k wait for a result, as the stage's own scoreboard says? */
static inline bool smrf_issue_waits(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    return smrf_scoreboard_holds(&s->own_scoreboard, k, w->head->op, w->set);
}

/* All that it says of it. Where the stage goes straight nobody asks which results come from memory. */
static inline unsigned smrf_issue_ask_own(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    return s->straight ? (smrf_issue_waits(s, k) ? SMRF_HAZARD_DATA : 0u)
                       : smrf_scoreboard_check(&s->own_scoreboard, k, w->head->op, w->set);
}

/* Can nothing hold the head of a warp back but its registers? So it is mostly. */
static inline bool smrf_issue_alone(const struct smrf_issue *s, const struct smrf_issue_warp *w)
{
    return s->bare && w->head && w->registers && !smrf_issue_fenced(w);
}

/* The head of a warp needs another unit than the one before it. */
static inline void smrf_issue_turn_to(struct smrf_issue *s, unsigned k, unsigned unit)
{
    const uint64_t bit = smrf_issue_bit(k), full = s->latch_full >> unit & 1;
    s->head_unit[s->warp[k].head_unit] &= ~bit;
    s->head_unit[unit] |= bit;
    s->warp[k].head_unit = (uint8_t)unit;
    s->obstructed = (s->obstructed & ~bit) | full << k;
}

/* The head of a warp is another one. */
static inline void smrf_issue_look_at_head(struct smrf_issue *s, unsigned k)
{
    struct smrf_issue_warp *w = &s->warp[k];
    const struct smrf_static_inst *op = w->head->op;
    const unsigned unit = smrf_issue_unit_of(op->op_class);
    if (w->head_unit != unit) {
        smrf_issue_turn_to(s, k, unit);
    }
    s->has_inst |= smrf_issue_bit(k);
    w->set = &op->set;
    if (op->set.made_for != s->made_for || smrf_issue_micro(s, k)) {
        smrf_issue_list_registers(s, k);
    }
}

/* An instruction of warp k has issued, which nothing held, from a stage that goes straight: the next one, NULL:
 * there is none for now. */
static inline void smrf_issue_go_on(struct smrf_issue *s, unsigned k, const struct smrf_inst *next,
                                    uint64_t cycle)
{
    struct smrf_issue_warp *w = &s->warp[k];
    w->head = w->trace = next;
    if (next) {
        smrf_issue_look_at_head(s, k);
    } else {
        s->has_inst &= ~smrf_issue_bit(k);
    }
    if (smrf_issue_fenced(w) || !w->registers) {
        smrf_issue_look_again(s, k, cycle);
    } else if (next && smrf_issue_waits(s, k)) {
        s->held_by[k] = SMRF_HAZARD_DATA;
        s->data |= smrf_issue_bit(k);
        s->hindered |= smrf_issue_bit(k);
    }
}

/* A result has come to the head of warp k, of a stage that goes straight, which nothing but results held. */
static inline void smrf_issue_let_go(struct smrf_issue *s, unsigned k)
{
    if (!smrf_issue_waits(s, k)) {
        s->held_by[k] = 0;
        s->data &= ~smrf_issue_bit(k);
        s->hindered &= ~smrf_issue_bit(k);
        smrf_issue_stir(s, k);
    }
}

static inline bool smrf_issue_is_barrier(const struct smrf_inst *inst)
{
    return inst->op->op_class == SMRF_CLASS_BARRIER && inst->mask;
}

/* Warps whose head instruction has no hazard. */
static inline uint64_t smrf_issue_ready(const struct smrf_issue *s)
{
    const uint64_t waits = s->barrier & ~s->own; /* a mechanism's own operations wait for nobody */
    return s->has_inst & ~(s->hindered | waits | s->held);
}

/* An instruction enters the issue latch of its unit. */
static inline void smrf_issue_latch(struct smrf_issue *s, uint32_t flight)
{
    const unsigned unit = s->links.flights->record[flight].unit;
    s->latch[unit] = flight;
    s->latch_full |= UINT32_C(1) << unit;
    s->obstructed |= s->head_unit[unit];
}

/* Until it is told something, or until the time of a warp comes, a stage whose scheduler is plain finds the
 * same again, unless others know the cause. */
static inline void smrf_issue_sleep(struct smrf_issue *s)
{
    if (s->stall != SMRF_STALL_fetch && s->stall != SMRF_STALL_drain) {
        s->asleep_until = s->held | s->timed ? smrf_issue_next(s) : SMRF_NEVER;
        *s->stirred &= ~s->sub_bit;
    }
}

#endif
