/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the issue stage. */
#ifndef SMRF_ISSUE_INTERNAL_H
#define SMRF_ISSUE_INTERNAL_H

#include "issue.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"

/* The record of the head of warp k, which issues: a flight. It is the trace's, or the mechanism's
 * own. */
uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k);
uint32_t smrf_issue_record_own(struct smrf_issue *s, unsigned k);

/* An instruction of warp k issues, after which others of its warp may wait. */
void smrf_issue_fence(struct smrf_issue *s, unsigned k, uint32_t flight,
                      const struct smrf_inst *inst);
/* Why nothing issued: the most immediate reason of any warp. ready: those whose instructions have
 * no hazard, allowed: by the scheduler, too. */
enum smrf_stall smrf_issue_stall_cause(const struct smrf_issue *s, uint64_t ready,
                                       uint64_t allowed);
/* A cycle of a stage that goes straight. Returns whether an instruction has issued. */
bool smrf_issue_straight(struct smrf_issue *s, uint64_t cycle);
/* Lists the registers of the head of warp k. A mechanism's own operation may wait for others than
 * it reads. */
void smrf_issue_list_registers(struct smrf_issue *s, unsigned k);
/* Look again at what holds the head instruction of a warp back. */
void smrf_issue_look_again(struct smrf_issue *s, unsigned k, uint64_t cycle);
/* Decide what issues next of warp k: an operation of the mechanism's own, or the trace's. */
void smrf_issue_choose_head(struct smrf_issue *s, unsigned k, uint64_t cycle);
/* Can the registers of the next of warp k be renamed now? */
bool smrf_issue_renames(const struct smrf_issue *s, unsigned k);
/* Look again at hazards that end by time. */
void smrf_issue_check_again(struct smrf_issue *s, uint64_t cycle);
/* Let go those who were held until now. */
void smrf_issue_unhold(struct smrf_issue *s, uint64_t cycle);

/* The head of warp k is another one, of a stage that goes straight, and more than its registers is
 * to be looked at. */
void smrf_issue_turn_head_otherwise(struct smrf_issue *s, unsigned k, uint64_t cycle);

/* Does a fence, an atomic or a copy of the warp hold others back? Few have any. */
static inline bool smrf_issue_fenced(const struct smrf_issue_warp *w)
{
    return (w->membar | w->atomics | w->copies) != 0;
}

/* To be noted when one of them, or its registers, have come or gone. */
static inline void smrf_issue_note_lone(struct smrf_issue_warp *w)
{
    w->lone = w->registers && !smrf_issue_fenced(w);
}

static inline uint64_t smrf_issue_bit(unsigned k)
{
    return UINT64_C(1) << k;
}

/* Is the dependence check its own scoreboard? Then it is asked without a table. */
static inline bool smrf_issue_own_scoreboard(const struct smrf_issue *s)
{
    return s->parts.dependence == &s->own_scoreboard;
}

/* Is the next of warp k an operation of the mechanism's own? */
static inline bool smrf_issue_micro(const struct smrf_issue *s, unsigned k)
{
    return s->own >> k & 1;
}

/* Warps that do not issue, whatever their heads wait for. A mechanism's own operations wait for
 * nobody at a barrier. */
static inline void smrf_issue_stand(struct smrf_issue *s)
{
    s->stands = (s->barrier & ~s->own) | s->held;
}

/* What holds the head of a warp back: enum smrf_hazard and these; a set. */
enum smrf_issue_held {
    SMRF_HELD_RENAME = 1u << 3, /* its registers are not there */
    SMRF_HELD_MEMBAR = 1u << 4, /* a fence, an atomic or copies before it are under way */
    SMRF_HELD_TIMED = 1u << 5   /* not held: its hazards are looked at again in a given cycle */
};

/* What the stage is told may let a warp issue, or be why none does. */
static inline void smrf_issue_awaken(struct smrf_issue *s)
{
    s->asleep_until = 0;
    *s->stirred |= s->sub_bit;
}

/* The same if it is so: as often as not, so that nothing branches. A stage that is awake stays
 * so. */
static inline void smrf_issue_awaken_if(struct smrf_issue *s, bool so)
{
    s->asleep_until &= (uint64_t)so - 1;
    *s->stirred |= s->sub_bit & (0 - (uint32_t)so);
}

/* Something about warp k is otherwise than it was: does the stage find the same all the same? It
 * does if it waits for units, and this warp for one of them, or for results, and this warp for one,
 * too. */
static inline bool smrf_issue_same(const struct smrf_issue *s, unsigned k)
{
    const unsigned held = s->warp[k].held_by;
    const uint64_t obstructed = s->obstructed & (uint64_t)(held == 0) << k;
    const uint64_t data = (uint64_t)(held & SMRF_HAZARD_DATA) << k;
    const uint64_t same = s->stall == SMRF_STALL_data   ? data
                          : s->stall == SMRF_STALL_unit ? obstructed
                                                        : 0;
    const uint64_t timed = (uint64_t)((held & (SMRF_HELD_TIMED | SMRF_HELD_MEMBAR)) != 0) << k;
    return (same & ~(s->barrier | s->held | timed)) >> k & 1;
}

/* The same of a warp whose head nothing holds any more: does it wait for a unit, as others do? */
static inline bool smrf_issue_joins(const struct smrf_issue *s, unsigned k)
{
    const bool units = s->stall == SMRF_STALL_unit;
    return units & (s->obstructed & ~(s->barrier | s->held)) >> k;
}

/* The head of warp k is another one, or held by something else. */
static inline void smrf_issue_stir(struct smrf_issue *s, unsigned k)
{
    smrf_issue_awaken_if(s, !smrf_issue_same(s, k));
}

/* Bit k of a mask, otherwise where a bit of `changed` is set. */
static inline void smrf_issue_flip(uint64_t *mask, unsigned k, unsigned changed, unsigned bit)
{
    *mask ^= (uint64_t)(changed & bit ? 1 : 0) << k;
}

/* What holds the head of warp k, and is more than registers that wait, is otherwise in bits of
 * `changed`. */
void smrf_issue_held_otherwise(struct smrf_issue *s, unsigned k, unsigned changed);

/* Returns whether anything changes. Mostly nothing does, or what the warp's registers wait for. */
static inline bool smrf_issue_set_held(struct smrf_issue *s, unsigned k, unsigned by)
{
    const unsigned changed = s->warp[k].held_by ^ by;
    if (!changed) {
        return false;
    }
    s->warp[k].held_by = (uint8_t)by;
    smrf_issue_flip(&s->data, k, changed, SMRF_HAZARD_DATA);
    if (changed & ~(unsigned)SMRF_HAZARD_DATA) {
        smrf_issue_held_otherwise(s, k, changed);
    }
    const uint64_t hinders = (by & ~(unsigned)(SMRF_HELD_TIMED | SMRF_HAZARD_LONG)) != 0;
    s->hindered = (s->hindered & ~smrf_issue_bit(k)) | hinders << k;
    return true;
}

/* Lists of the next of warp k, for a dependence check that is not the stage's own. */
static inline struct smrf_operands smrf_issue_next_operands(const struct smrf_issue *s, unsigned k)
{
    const bool micro = smrf_issue_micro(s, k);
    struct smrf_operands next =
        smrf_operands_of(s->warp[k].head->op, s->cfg.rf.base_registers_only && !micro);
    if (micro && s->store->micro[k].num_waits) {
        next.src = s->store->micro[k].waits;
        next.num_src = s->store->micro[k].num_waits;
    }
    return next;
}

/* An instruction that a mechanism may remove or add: others wait for none of them. */
static inline bool smrf_issue_plain(const struct smrf_static_inst *op)
{
    return op->op_class != SMRF_CLASS_BARRIER && op->op_class != SMRF_CLASS_MEMBAR &&
           op->op_class != SMRF_CLASS_ATOMIC && op->op_class != SMRF_CLASS_EXIT;
}

#endif
