/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the issue stage. */
#ifndef SMRF_ISSUE_INTERNAL_H
#define SMRF_ISSUE_INTERNAL_H

#include "issue.h"

#include "models/common/smrf_assert.h"

/* Unit that executes a class. */
unsigned smrf_issue_unit_of(unsigned op_class);
/* The record of the head of warp k, which issues: a flight. It is the trace's, or the mechanism's own. */
uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k);
uint32_t smrf_issue_record_own(struct smrf_issue *s, unsigned k);

/* Decide what issues next of warp k: an operation of the mechanism's own, or the trace's. */
void smrf_issue_choose_head(struct smrf_issue *s, unsigned k, uint64_t cycle);
/* Can the registers of the next of warp k be renamed now? */
bool smrf_issue_renames(const struct smrf_issue *s, unsigned k);
/* Look again at hazards that end by time. */
void smrf_issue_check_again(struct smrf_issue *s, uint64_t cycle);
/* Let go those who were held until now. */
void smrf_issue_unhold(struct smrf_issue *s, uint64_t cycle);

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
    *s->stirred |= UINT32_C(1) << s->cfg.sub;
}

/* Something about warp k is otherwise than it was: does the stage find the same all the same? It does if it
 * waits for units, and this warp for one of them, or for results, and this warp for one, too. */
static inline bool smrf_issue_same(const struct smrf_issue *s, unsigned k)
{
    const unsigned held = s->held_by[k];
    if ((s->barrier | s->held) >> k & 1 || held & (SMRF_HELD_TIMED | SMRF_HELD_MEMBAR)) {
        return false;
    }
    return s->stall == SMRF_STALL_data
               ? held & SMRF_HAZARD_DATA
               : s->stall == SMRF_STALL_unit && !held && s->latch_full >> s->warp[k].head_unit & 1;
}

/* The head of warp k is another one, or held by something else. */
static inline void smrf_issue_stir(struct smrf_issue *s, unsigned k)
{
    if (s->asleep_until && !smrf_issue_same(s, k)) {
        smrf_issue_awaken(s);
    }
}

/* Returns whether anything changes. Mostly nothing does, or what the warp's registers wait for. */
static inline bool smrf_issue_set_held(struct smrf_issue *s, unsigned k, unsigned by)
{
    const unsigned changed = s->held_by[k] ^ by;
    if (!changed) {
        return false;
    }
    s->held_by[k] = (uint8_t)by;
    s->data ^= (uint64_t)(changed & SMRF_HAZARD_DATA ? 1 : 0) << k;
    s->long_op ^= (uint64_t)(changed & SMRF_HAZARD_LONG ? 1 : 0) << k;
    if (changed & ~(unsigned)(SMRF_HAZARD_DATA | SMRF_HAZARD_LONG)) {
        s->war ^= (uint64_t)(changed & SMRF_HAZARD_WAR ? 1 : 0) << k;
        s->rename ^= (uint64_t)(changed & SMRF_HELD_RENAME ? 1 : 0) << k;
        s->membar ^= (uint64_t)(changed & SMRF_HELD_MEMBAR ? 1 : 0) << k;
        s->timed ^= (uint64_t)(changed & SMRF_HELD_TIMED ? 1 : 0) << k;
    }
    return true;
}

/* Lists of the next of warp k, for a dependence check that is not the stage's own. */
static inline struct smrf_operands smrf_issue_next_operands(const struct smrf_issue *s, unsigned k)
{
    const bool micro = smrf_issue_micro(s, k);
    struct smrf_operands next =
        smrf_operands_of(s->warp[k].head->op, s->cfg.rf.base_registers_only && !micro);
    if (micro && s->micro[k].num_waits) {
        next.src = s->micro[k].waits;
        next.num_src = s->micro[k].num_waits;
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
