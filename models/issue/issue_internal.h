/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of the issue stage. */
#ifndef SMRF_ISSUE_INTERNAL_H
#define SMRF_ISSUE_INTERNAL_H

#include "issue.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"

/* Hazards of a warp's next instruction besides enum smrf_hazard. */
enum smrf_issue_hazard {
    SMRF_HAZARD_RENAME = 1u << 3, /* its registers are not there */
    SMRF_HAZARD_MEMBAR = 1u << 4, /* a fence, an atomic or copies before it are under way */
    SMRF_HAZARD_TIMED = 1u << 5 /* no hazard itself: the others are checked again at check_again */
};

static inline uint64_t smrf_issue_bit(unsigned k)
{
    return UINT64_C(1) << k;
}

/* Sets bit k of a mask to a value. */
static inline void smrf_issue_assign(uint64_t *mask, unsigned k, bool value)
{
    *mask = (*mask & ~smrf_issue_bit(k)) | (uint64_t)value << k;
}

/* Is the dependence check the stage's own scoreboard? Then it is called without its table. */
static inline bool smrf_issue_own_scoreboard(const struct smrf_issue *s)
{
    return s->parts.dependence == &s->own_scoreboard;
}

/* Is the next instruction of warp k an operation of the mechanism's own? */
static inline bool smrf_issue_micro(const struct smrf_issue *s, unsigned k)
{
    return s->own >> k & 1;
}

/* Does a fence, an atomic or a copy of the warp hold later instructions back? */
static inline bool smrf_issue_fenced(const struct smrf_issue_warp *w)
{
    return (w->membar | w->copies | w->atomics) != 0;
}

/* Warps whose next instruction has no hazard. */
static inline uint64_t smrf_issue_ready(const struct smrf_issue *s)
{
    return s->has_inst & ~(s->has_hazard | s->stopped);
}

/* --- record.c --------------------------------------------------------------------------------- */

/* Fills in the record of the next instruction of warp k, which issues. Returns its flight. */
uint32_t smrf_issue_record(struct smrf_issue *s, unsigned k);
/* The same for an operation of the mechanism's own. */
uint32_t smrf_issue_record_own(struct smrf_issue *s, unsigned k);

/* --- head.c ----------------------------------------------------------------------------------- */

/* Decides what issues next of warp k: an operation of the mechanism's own, or the trace's
 * instruction. */
void smrf_issue_choose_head(struct smrf_issue *s, unsigned k, uint64_t cycle);
/* Checks the next instruction of warp k for hazards. */
void smrf_issue_check(struct smrf_issue *s, unsigned k, uint64_t cycle);
/* Notes the hazards of the next instruction of warp k. Returns whether they changed. */
bool smrf_issue_set_hazards(struct smrf_issue *s, unsigned k, unsigned hazards);
/* Can the registers of the next instruction of warp k be renamed now? */
bool smrf_issue_can_rename(const struct smrf_issue *s, unsigned k);
/* Warp k needs the execution unit next. */
void smrf_issue_set_unit(struct smrf_issue *s, unsigned k, unsigned unit);
/* Operands of the next instruction of warp k, for a dependence check that is not the stage's own.
 */
struct smrf_operands smrf_issue_next_operands(const struct smrf_issue *s, unsigned k);

/* An instruction that a mechanism may remove or add: no other instruction waits for it. */
static inline bool smrf_issue_removable(const struct smrf_static_inst *op)
{
    return op->op_class != SMRF_CLASS_BARRIER && op->op_class != SMRF_CLASS_MEMBAR &&
           op->op_class != SMRF_CLASS_ATOMIC && op->op_class != SMRF_CLASS_EXIT;
}

/* --- issue.c ---------------------------------------------------------------------------------- */

/* An instruction of the trace issues, or is removed: its control flow. */
void smrf_issue_control(struct smrf_issue *s, unsigned k, const struct smrf_inst *inst,
                        uint64_t cycle);

/* --- reservation.c ---------------------------------------------------------------------------- */

/* An instruction of fixed latency has issued to the read stages: its unit is taken. */
void smrf_issue_reserve_unit(struct smrf_issue *s, uint32_t flight, uint64_t cycle);
/* Units whose time is over are free again. */
void smrf_issue_free_units(struct smrf_issue *s, uint64_t cycle);

/* --- constants.c ------------------------------------------------------------------------------ */

/* Does the next instruction of warp k, which would issue, wait for a constant? Then the warp is
 * held until it comes, and all others are for a while if k issued last. */
bool smrf_issue_waits_for_constant(struct smrf_issue *s, unsigned k, uint64_t cycle);

/* --- events.c --------------------------------------------------------------------------------- */

/* The warp has exited if nothing of it is in flight or awaited. */
void smrf_issue_check_drained(struct smrf_issue *s, unsigned k, uint64_t cycle);

/* A mechanism's own operations issue at a barrier, too. */
static inline void smrf_issue_update_stopped(struct smrf_issue *s)
{
    s->stopped = ((s->barrier & ~s->own) | s->held) & ~s->slips;
}

/* --- sleep ------------------------------------------------------------------------------------ */

static inline void smrf_issue_wake_stage(struct smrf_issue *s)
{
    s->asleep_until = 0;
    *s->awake |= s->sub_bit;
}

/* What a scheduler with lists orders them by. */
static inline struct smrf_scheduler_view smrf_issue_view(const struct smrf_issue *s)
{
    const struct smrf_scheduler_view view = {
        (s->barrier & ~s->own) | s->membar | s->rename | s->ended | ~s->resident, s->long_op};
    return view;
}

/* Do the warps leave the scheduler's lists as they are? */
static inline bool smrf_issue_in_order(const struct smrf_issue *s)
{
    if (!s->parts.scheduler_ops->order) {
        return true;
    }
    const struct smrf_scheduler_view view = smrf_issue_view(s);
    return !s->outdated && view.waiting == s->ordered.waiting && view.long_op == s->ordered.long_op;
}

/* Does a stage that found nothing to issue find the same, with the same cause, now that warp k has
 * changed? It does if warp k waits for what the stage reported: a result, the latch of a unit, or a
 * collector. */
static inline bool smrf_issue_finds_same(const struct smrf_issue *s, unsigned k)
{
    const uint64_t ready = ~s->has_hazard;
    const uint64_t waits = s->stall == SMRF_STALL_data   ? s->data & ~(s->count | s->counter)
                           : s->stall == SMRF_STALL_unit ? ready & s->latch_busy
                           : smrf_issue_probe_no_way(s)  ? ready
                                                         : 0;
    return (waits & s->has_inst & ~(s->stopped | s->membar | s->timed)) >> k & 1;
}

/* Warp k has another next instruction, or other hazards. */
static inline void smrf_issue_changed(struct smrf_issue *s, unsigned k)
{
    if (s->asleep_until != 0 && !(smrf_issue_in_order(s) && smrf_issue_finds_same(s, k))) {
        smrf_issue_wake_stage(s);
    }
}

#endif
