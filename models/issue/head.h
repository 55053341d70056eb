/* SPDX-License-Identifier: Apache-2.0 */
/* What issues next of a warp, what its registers say of it, and what becomes of a stage: gone
 * through for every instruction, in one go. */
#ifndef SMRF_ISSUE_HEAD_H
#define SMRF_ISSUE_HEAD_H

#include "issue_internal.h"

/* Unit that executes a class. */
static inline unsigned smrf_issue_unit_of(unsigned op_class)
{
    static const uint8_t unit[SMRF_CLASS_COUNT] = {
        [SMRF_CLASS_INT] = SMRF_UNIT_INT,       [SMRF_CLASS_ALU] = SMRF_UNIT_INT,
        [SMRF_CLASS_SP] = SMRF_UNIT_SP,         [SMRF_CLASS_HALF] = SMRF_UNIT_SP,
        [SMRF_CLASS_DP] = SMRF_UNIT_DP,         [SMRF_CLASS_SFU] = SMRF_UNIT_SFU,
        [SMRF_CLASS_TENSOR] = SMRF_UNIT_TENSOR, [SMRF_CLASS_BRANCH] = SMRF_UNIT_BRANCH,
        [SMRF_CLASS_TEX] = SMRF_UNIT_TEX,       [SMRF_CLASS_UNIFORM] = SMRF_UNIT_UNIFORM,
        [SMRF_CLASS_LOAD] = SMRF_UNIT_MEM,      [SMRF_CLASS_STORE] = SMRF_UNIT_MEM,
        [SMRF_CLASS_ATOMIC] = SMRF_UNIT_MEM,    [SMRF_CLASS_BARRIER] = SMRF_UNIT_INT,
        [SMRF_CLASS_MEMBAR] = SMRF_UNIT_MEM,    [SMRF_CLASS_EXIT] = SMRF_UNIT_INT,
    };
    return unit[op_class];
}

/* Does the head of warp k wait for a result, as the stage's own scoreboard says? */
static inline bool smrf_issue_waits(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    return smrf_scoreboard_holds(&s->own_scoreboard, k, w->head->op, w->set);
}

/* All that it says of it. Where the stage goes straight nobody asks which results come from
 * memory. */
static inline unsigned smrf_issue_ask_own(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    return s->straight ? (smrf_issue_waits(s, k) ? SMRF_HAZARD_DATA : 0u)
                       : smrf_scoreboard_check(&s->own_scoreboard, k, w->head->op, w->set);
}

/* Can nothing hold the head of a warp back but its registers? So it is mostly. */
static inline bool smrf_issue_alone(const struct smrf_issue *s, const struct smrf_issue_warp *w)
{
    return s->bare && w->head && w->lone;
}

/* The head of warp k needs a unit, mostly another one than the head before it. */
static inline void smrf_issue_turn_to(struct smrf_issue *s, unsigned k, unsigned unit)
{
    const uint64_t bit = smrf_issue_bit(k), full = s->latch_full >> unit & 1;
    const unsigned before = s->warp[k].head_unit;
    s->warp[k].head_unit = (uint8_t)unit;
    s->head_unit[before] &= ~bit;
    s->head_unit[unit] |= bit;
    s->obstructed = (s->obstructed & ~bit) | full << k;
}

/* The head of a warp is another one. */
static inline void smrf_issue_look_at_head(struct smrf_issue *s, unsigned k)
{
    struct smrf_issue_warp *w = &s->warp[k];
    const struct smrf_static_inst *op = w->head->op;
    smrf_issue_turn_to(s, k, smrf_issue_unit_of(op->op_class));
    s->has_inst |= smrf_issue_bit(k);
    w->set = &op->set;
    if (op->set.made_for != s->made_for || smrf_issue_micro(s, k)) {
        smrf_issue_list_registers(s, k);
    }
}

/* There is an instruction for warp k to issue next, of a stage that goes straight; nothing but a
 * fence held its head before, or it had none. As often as not it waits: nothing branches. */
static inline void smrf_issue_turn_head(struct smrf_issue *s, unsigned k,
                                        const struct smrf_inst *head, uint64_t cycle)
{
    struct smrf_issue_warp *w = &s->warp[k];
    const struct smrf_reg_set *set = &head->op->set;
    const bool lone = w->lone, told = set->made_for == s->made_for;
    w->head = w->trace = head;
    if (!lone | !told | (set->needs & SMRF_NEED_UNIFORM)) {
        smrf_issue_turn_head_otherwise(s, k, cycle);
        return;
    }
    w->set = set;
    const uint64_t waits = smrf_scoreboard_any_waits(&s->own_scoreboard, k, set);
    s->warp[k].held_by = (uint8_t)(waits * SMRF_HAZARD_DATA);
    s->data |= waits << k;
    s->hindered |= waits << k;
    s->has_inst |= smrf_issue_bit(k);
    smrf_issue_turn_to(s, k, smrf_issue_unit_of(head->op->op_class));
}

/* An instruction of warp k has issued, which nothing held, from a stage that goes straight: the
 * next one, NULL: there is none for now. */
static inline void smrf_issue_go_on(struct smrf_issue *s, unsigned k, const struct smrf_inst *next,
                                    uint64_t cycle)
{
    struct smrf_issue_warp *w = &s->warp[k];
    if (next) {
        smrf_issue_turn_head(s, k, next, cycle);
        return;
    }
    w->head = w->trace = NULL;
    s->has_inst &= ~smrf_issue_bit(k);
    if (!w->lone) {
        smrf_issue_look_again(s, k, cycle);
    }
}

/* Results have come to warp k, of a stage that goes straight: does its head, which nothing but
 * results holds, wait no longer? If results hold it, it is so as often as not: nothing branches
 * then. */
static inline void smrf_issue_let_go(struct smrf_issue *s, unsigned k)
{
    struct smrf_issue_warp *w = &s->warp[k];
    if (w->held_by != SMRF_HAZARD_DATA) {
        return;
    }
    const bool goes = !smrf_scoreboard_any_waits(&s->own_scoreboard, k, w->set);
    if (w->set->needs & SMRF_NEED_UNIFORM && goes && smrf_issue_waits(s, k)) {
        return;
    }
    w->held_by = (uint8_t)(!goes * SMRF_HAZARD_DATA);
    s->data ^= (uint64_t)goes << k;
    s->hindered ^= (uint64_t)goes << k;
    smrf_issue_awaken_if(s, goes & !smrf_issue_joins(s, k));
}

static inline bool smrf_issue_is_barrier(const struct smrf_inst *inst)
{
    return inst->op->op_class == SMRF_CLASS_BARRIER && inst->mask;
}

/* Warps whose head instruction has no hazard. */
static inline uint64_t smrf_issue_ready(const struct smrf_issue *s)
{
    return s->has_inst & ~(s->hindered | s->stands);
}

/* An instruction enters the issue latch of its unit. */
static inline void smrf_issue_latch(struct smrf_issue *s, unsigned unit, uint32_t flight)
{
    s->latch[unit] = flight;
    s->latch_full |= UINT32_C(1) << unit;
    s->obstructed |= s->head_unit[unit];
}

/* Until it is told something, or until the time of a warp comes, a stage whose scheduler is plain
 * finds the same again, unless others know the cause. */
static inline void smrf_issue_sleep(struct smrf_issue *s)
{
    if (s->stall != SMRF_STALL_fetch && s->stall != SMRF_STALL_drain) {
        s->asleep_until = s->held | s->timed ? smrf_issue_next(s) : SMRF_NEVER;
        *s->stirred &= ~s->sub_bit;
    }
}

#endif
