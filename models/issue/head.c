/* SPDX-License-Identifier: Apache-2.0 */
/* The next instruction of each warp: which it is, which unit it needs, and its hazards. */
#include "issue_internal.h"

#include "models/flight/unit_of_class.h"

/* --- hazards ---------------------------------------------------------------------------------- */

/* Few instructions have these. */
static SMRF_APART void set_rare_hazards_(struct smrf_issue *s, unsigned k, unsigned hazards)
{
    smrf_issue_assign(&s->war, k, hazards & SMRF_HAZARD_WAR);
    smrf_issue_assign(&s->rename, k, hazards & SMRF_HAZARD_RENAME);
    smrf_issue_assign(&s->membar, k, hazards & SMRF_HAZARD_MEMBAR);
    smrf_issue_assign(&s->timed, k, hazards & SMRF_HAZARD_TIMED);
    smrf_issue_assign(&s->count, k, hazards & SMRF_HAZARD_COUNT);
    smrf_issue_assign(&s->counter, k, hazards & SMRF_HAZARD_COUNTER);
}

static inline bool set_hazards_(struct smrf_issue *s, unsigned k, unsigned hazards)
{
    const unsigned often = SMRF_HAZARD_DATA | SMRF_HAZARD_LONG;
    const unsigned changed = s->warp[k].hazards ^ hazards;
    s->warp[k].hazards = (uint8_t)hazards;
    smrf_issue_assign(&s->data, k, hazards & SMRF_HAZARD_DATA);
    smrf_issue_assign(&s->long_op, k, hazards & SMRF_HAZARD_LONG);
    smrf_issue_assign(&s->has_hazard, k, hazards & ~(unsigned)SMRF_HAZARD_TIMED);
    if (changed & ~often) {
        set_rare_hazards_(s, k, hazards);
    }
    return changed != 0;
}

bool smrf_issue_set_hazards(struct smrf_issue *s, unsigned k, unsigned hazards)
{
    return set_hazards_(s, k, hazards);
}

struct smrf_operands smrf_issue_next_operands(const struct smrf_issue *s, unsigned k)
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

bool smrf_issue_can_rename(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_rename_seam *rename = s->links.seams.rename;
    if (smrf_issue_micro(s, k)) {
        return true; /* it names its registers itself */
    }
    return rename && rename->ready
               ? rename->ready(s->links.seams.state, smrf_issue_warp_of(s, k), s->warp[k].head)
               : s->warp[k].registers != 0;
}

/* Hazards that another dependence check than the stage's own finds. */
static SMRF_APART unsigned ask_other_check_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_operands next = smrf_issue_next_operands(s, k);
    uint64_t *again = &s->warp[k].check_again;
    *again = SMRF_NEVER;
    const unsigned hazards =
        s->parts.dependence_ops->check(s->parts.dependence, k, &next, cycle, again);
    return hazards | (*again != SMRF_NEVER ? SMRF_HAZARD_TIMED : 0u);
}

/* A memory barrier is over when no result of its warp is awaited. */
static SMRF_APART bool still_fenced_(struct smrf_issue *s, unsigned k)
{
    struct smrf_issue_warp *w = &s->warp[k];
    if (w->membar && s->parts.dependence_ops->quiet(s->parts.dependence, k)) {
        w->membar = false;
        s->links.fence_over(s->links.ctx, smrf_issue_warp_of(s, k));
    }
    return smrf_issue_fenced(w);
}

/* No counter of the trace's instructions stands for operations of the mechanism's own. */
static inline bool waits_for_own_(const struct smrf_issue *s, unsigned k)
{
    return s->warp[k].own && !smrf_issue_micro(s, k) && !smrf_issue_own_scoreboard(s);
}

/* Hazards of the next instruction of warp k. */
static inline unsigned hazards_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    unsigned hazards = 0;
    if (w->head) {
        hazards = smrf_issue_own_scoreboard(s)
                      ? smrf_scoreboard_check(&s->own_scoreboard, k, w->head->op, w->set)
                      : ask_other_check_(s, k, cycle);
        hazards |= smrf_issue_can_rename(s, k) && !waits_for_own_(s, k) ? 0u : SMRF_HAZARD_RENAME;
    }
    if (smrf_issue_fenced(w) && still_fenced_(s, k)) {
        hazards |= SMRF_HAZARD_MEMBAR;
    }
    return hazards;
}

void smrf_issue_check(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    if (set_hazards_(s, k, hazards_(s, k, cycle))) {
        smrf_issue_changed(s, k);
    }
}

/* --- the next instruction --------------------------------------------------------------------- */

/* Execution unit of an instruction where read stages take the collectors' place.
 * Source: Huerta MICRO 2025; an A100's clock windows: what has no registers takes no unit of ALUs;
 * CUDA C++ Programming Guide, throughput of arithmetic instructions: conversions from and to 64
 * bits have the rate of double precision where an SM has two lanes of it (7.5, 8.6, 8.9).
 */
static SMRF_APART unsigned unit_behind_window_(const struct smrf_issue *s,
                                               const struct smrf_static_inst *op)
{
    const unsigned unit = smrf_unit_of_class(op->op_class);
    const bool registers = (op->num_src | op->num_dst | op->num_usrc | op->num_udst | op->pred_dst |
                            op->upred_dst | op->pred_src) != 0;
    if (op->pipe >= SMRF_PIPE_ALU) {
        return op->pipe == SMRF_PIPE_FMA                             ? SMRF_UNIT_SP
               : op->pipe == SMRF_PIPE_ALU                           ? SMRF_UNIT_INT
               : op->pipe == SMRF_PIPE_WIDE && s->cfg.exec.dp_shared ? SMRF_UNIT_DP
                                                                     : SMRF_UNIT_SFU;
    }
    return unit == SMRF_UNIT_INT && (!registers || op->op_class == SMRF_CLASS_BARRIER ||
                                     op->op_class == SMRF_CLASS_EXIT)
               ? SMRF_UNIT_BRANCH
               : unit;
}

static inline void set_unit_(struct smrf_issue *s, unsigned k, unsigned unit)
{
    s->head_unit[s->warp[k].head_unit] &= ~smrf_issue_bit(k);
    s->head_unit[unit] |= smrf_issue_bit(k);
    s->warp[k].head_unit = (uint8_t)unit;
    smrf_issue_assign(&s->latch_busy, k, s->latch_full >> unit & 1);
}

void smrf_issue_set_unit(struct smrf_issue *s, unsigned k, unsigned unit)
{
    set_unit_(s, k, unit);
}

/* Lists the registers of the next instruction of warp k, where its static instruction does not have
 * them for this machine. A mechanism's own operation may wait for others than it reads. */
static SMRF_APART const struct smrf_reg_set *list_registers_(struct smrf_issue *s, unsigned k)
{
    const bool micro = smrf_issue_micro(s, k);
    const struct smrf_micro *own = &s->store->micro[k];
    struct smrf_reg_set *set = &s->store->set[k];
    *set = smrf_reg_set_of_inst(s->warp[k].head->op, s->cfg.rf.base_registers_only && !micro,
                                s->cfg.rf.banks);
    for (unsigned i = 0; micro && i < own->num_waits; i++) {
        smrf_reg_set_wait(set, own->waits[i]);
    }
    return set;
}

/* An operation of the mechanism's own goes before the trace's instruction, if there is one. */
static SMRF_APART const struct smrf_inst *choose_own_(struct smrf_issue *s, unsigned k)
{
    const struct smrf_micro_seam *seam = s->links.seams.micro;
    const struct smrf_inst *trace = s->warp[k].trace;
    const bool own =
        seam->next && trace &&
        seam->next(s->links.seams.state, smrf_issue_warp_of(s, k), trace, &s->store->micro[k]);
    smrf_issue_assign(&s->own, k, own);
    smrf_issue_update_stopped(s);
    return own ? &s->store->micro[k].inst : trace;
}

/* Warp k has no next instruction for now. */
static void clear_head_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    smrf_issue_wake_stage(s);
    s->has_inst &= ~smrf_issue_bit(k);
    smrf_issue_check(s, k, cycle);
}

void smrf_issue_choose_head(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    struct smrf_issue_warp *w = &s->warp[k];
    w->head = s->links.seams.micro ? choose_own_(s, k) : w->trace;
    if (!w->head) {
        clear_head_(s, k, cycle);
        return;
    }
    const struct smrf_static_inst *op = w->head->op;
    s->has_inst |= smrf_issue_bit(k);
    set_unit_(s, k,
              s->reads_window ? unit_behind_window_(s, op) : smrf_unit_of_class(op->op_class));
    w->set = op->set.made_for == s->made_for && !smrf_issue_micro(s, k) ? &op->set
                                                                        : list_registers_(s, k);
    set_hazards_(s, k, hazards_(s, k, cycle));
    smrf_issue_changed(s, k);
}

/* Does the mechanism remove the next instruction of a warp? Then it is gone. */
static SMRF_APART bool remove_(struct smrf_issue *s, unsigned k, const struct smrf_inst *head,
                               uint64_t cycle)
{
    const struct smrf_micro_seam *seam = s->links.seams.micro;
    const unsigned warp = smrf_issue_warp_of(s, k);
    if (!seam->remove || !seam->remove(s->links.seams.state, warp, head)) {
        return false;
    }
    SMRF_ASSERT(head->op->flow == SMRF_FLOW_NONE && smrf_issue_removable(head->op));
    smrf_issue_control(s, k, head, cycle);
    if (s->parts.dependence_ops->removed) {
        s->parts.dependence_ops->removed(s->parts.dependence, k, head->op, cycle);
    }
    smrf_issue_head(s, k, s->links.removed(s->links.ctx, warp, head), cycle);
    smrf_issue_check_drained(s, k, cycle);
    return true;
}

void smrf_issue_head(struct smrf_issue *s, unsigned k, const struct smrf_inst *head, uint64_t cycle)
{
    s->warp[k].trace = head;
    if (!head || !s->links.seams.micro || !remove_(s, k, head, cycle)) {
        smrf_issue_choose_head(s, k, cycle);
    }
}
