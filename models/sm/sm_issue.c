/* SPDX-License-Identifier: Apache-2.0 */
/* Issue stage of every sub-core: hazards of the head instructions, the scheduler's choice, and the
 * record of an instruction in flight. Source: Accel-Sim scheduler_unit::cycle, issue_warp. */
#include "sm_state.h"

#include <string.h>

/* Unit that executes a class. */
static const uint8_t unit_of_class[SMRF_CLASS_COUNT] = {
    [SMRF_CLASS_INT] = SMRF_UNIT_INT,       [SMRF_CLASS_ALU] = SMRF_UNIT_INT,
    [SMRF_CLASS_SP] = SMRF_UNIT_SP,         [SMRF_CLASS_HALF] = SMRF_UNIT_SP,
    [SMRF_CLASS_DP] = SMRF_UNIT_DP,         [SMRF_CLASS_SFU] = SMRF_UNIT_SFU,
    [SMRF_CLASS_TENSOR] = SMRF_UNIT_TENSOR, [SMRF_CLASS_BRANCH] = SMRF_UNIT_BRANCH,
    [SMRF_CLASS_TEX] = SMRF_UNIT_TEX,       [SMRF_CLASS_UNIFORM] = SMRF_UNIT_UNIFORM,
    [SMRF_CLASS_LOAD] = SMRF_UNIT_MEM,      [SMRF_CLASS_STORE] = SMRF_UNIT_MEM,
    [SMRF_CLASS_ATOMIC] = SMRF_UNIT_MEM,    [SMRF_CLASS_BARRIER] = SMRF_UNIT_INT,
    [SMRF_CLASS_MEMBAR] = SMRF_UNIT_MEM,    [SMRF_CLASS_EXIT] = SMRF_UNIT_INT,
};

/* Latency and initiation interval of every class. Classes without a unit of their own take one
 * cycle. */
void smrf_sm_issue_init(struct smrf_sm *sm)
{
    const struct smrf_sm_config *cfg = &sm->cfg;
    const uint32_t timing[SMRF_CLASS_COUNT][2] = {
        [SMRF_CLASS_INT] = {cfg->exec.int_latency, cfg->exec.int_interval},
        [SMRF_CLASS_ALU] = {cfg->exec.int_latency, cfg->exec.int_interval},
        [SMRF_CLASS_SP] = {cfg->exec.sp_latency, cfg->exec.sp_interval},
        [SMRF_CLASS_HALF] = {cfg->exec.half_latency, cfg->exec.half_interval},
        [SMRF_CLASS_DP] = {cfg->exec.dp_latency, cfg->exec.dp_interval},
        [SMRF_CLASS_SFU] = {cfg->exec.sfu_latency, cfg->exec.sfu_interval},
        [SMRF_CLASS_TENSOR] = {cfg->exec.tensor_latency, cfg->exec.tensor_interval},
        [SMRF_CLASS_BRANCH] = {cfg->exec.branch_latency, cfg->exec.branch_interval},
        [SMRF_CLASS_TEX] = {cfg->exec.tex_latency, cfg->exec.tex_interval},
        [SMRF_CLASS_UNIFORM] = {cfg->exec.uniform_latency, cfg->exec.uniform_interval},
    };
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        sm->class_latency[c] = (uint16_t)(timing[c][0] ? timing[c][0] : 1);
        sm->class_interval[c] = (uint16_t)(timing[c][1] ? timing[c][1] : 1);
    }
}

/* --- hazards of the head instruction ------------------------------------------------------------- */

static void set_bit_(uint64_t *mask, unsigned k, bool value)
{
    *mask = (*mask & ~(UINT64_C(1) << k)) | (uint64_t)value << k;
}

/* Look again at what holds the head instruction of a warp back. */
void smrf_sm_rehazard(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_sub *s = &sm->sub[smrf_sm_sub_of(sm, warp)];
    unsigned k = smrf_sm_k_of(sm, warp);
    struct smrf_sm_warp *w = &sm->warp[warp];
    const struct smrf_issue_parts *issue = &s->blocks.issue->parts;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    unsigned hazards = 0;
    bool rename = false;

    w->check_again = SMRF_NEVER;
    if (w->count) {
        const struct smrf_static_inst *op = smrf_sm_head(sm, warp)->op;
        struct smrf_operands next = smrf_operands_of(op, sm->cfg.rf.base_registers_only);
        hazards =
            issue->dependence_ops->check(issue->dependence, k, &next, sm->cycle, &w->check_again);
        rename = mech->rename && mech->rename->ready &&
                 !mech->rename->ready(sm->links.mechanism_state, warp, op);
    }
    if (w->membar && issue->dependence_ops->quiet(issue->dependence, k)) {
        w->membar = false;
    }
    set_bit_(&s->timed, k, w->check_again != SMRF_NEVER);
    set_bit_(&s->data, k, hazards & SMRF_HAZARD_DATA);
    set_bit_(&s->war, k, hazards & SMRF_HAZARD_WAR);
    set_bit_(&s->rename, k, rename);
    set_bit_(&s->long_op, k, hazards & SMRF_HAZARD_LONG);
    set_bit_(&s->membar, k, w->membar || w->atomics);
}

/* Source i has been read: who only waited to overwrite its register may go on. */
void smrf_sm_collected(struct smrf_sm *sm, const struct smrf_flight *f, unsigned i)
{
    const struct smrf_sm_sub *s = &sm->sub[f->sub];
    const struct smrf_issue_parts *issue = &s->blocks.issue->parts;
    unsigned k = smrf_sm_k_of(sm, f->warp);
    if (issue->dependence_ops->collected(issue->dependence, k, f, i) && s->war >> k & 1) {
        smrf_sm_rehazard(sm, f->warp);
    }
}

/* The result of a register is usable from now on. */
void smrf_sm_released(struct smrf_sm *sm, const struct smrf_flight *f, unsigned reg)
{
    const struct smrf_sm_sub *s = &sm->sub[f->sub];
    const struct smrf_issue_parts *issue = &s->blocks.issue->parts;
    unsigned k = smrf_sm_k_of(sm, f->warp);
    if (issue->dependence_ops->released(issue->dependence, k, f, reg) && s->data >> k & 1) {
        smrf_sm_rehazard(sm, f->warp);
    }
}

/* The instruction buffer of a warp has a new head, or none. */
void smrf_sm_head_changed(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_sub *s = &sm->sub[smrf_sm_sub_of(sm, warp)];
    struct smrf_sm_warp *w = &sm->warp[warp];
    uint64_t bit = UINT64_C(1) << smrf_sm_k_of(sm, warp);

    s->head_unit[w->head_unit] &= ~bit;
    if (w->count) {
        s->has_inst |= bit;
        w->head_unit = unit_of_class[smrf_sm_head(sm, warp)->op->op_class];
        s->head_unit[w->head_unit] |= bit;
    } else {
        s->has_inst &= ~bit;
    }
    smrf_sm_rehazard(sm, warp);
}

/* --- the record of an instruction in flight ------------------------------------------------------- */

static uint16_t phys_of_(const struct smrf_sm *sm, unsigned warp, unsigned reg, bool destination)
{
    const struct smrf_rename_seam *rename = sm->links.mechanism->rename;
    const struct smrf_sm_warp *w = &sm->warp[warp];
    if (reg >= w->registers || reg == SMRF_REG_ZERO) {
        return SMRF_PHYS_NONE;
    }
    if (rename) {
        return destination ? rename->destination(sm->links.mechanism_state, warp, reg)
                           : rename->source(sm->links.mechanism_state, warp, reg);
    }
    return (uint16_t)(w->base + reg);
}

/* Distinct source registers, in operand order: a register is collected once however often the
 * instruction names it. */
static void fill_operands_(struct smrf_sm *sm, struct smrf_flight *f, const struct smrf_operands *o)
{
    uint64_t seen[4] = {0};
    f->num_src = 0;
    f->num_dst = (uint8_t)o->num_dst;
    for (unsigned i = 0; i < o->num_src; i++) {
        unsigned reg = o->src[i];
        if (seen[reg >> 6] >> (reg & 63) & 1) {
            continue;
        }
        seen[reg >> 6] |= UINT64_C(1) << (reg & 63);
        f->src_reg[f->num_src] = (uint8_t)reg;
        f->src_phys[f->num_src] = phys_of_(sm, f->warp, reg, false);
        sm->stats.unbacked_registers +=
            reg != SMRF_REG_ZERO && f->src_phys[f->num_src] == SMRF_PHYS_NONE;
        f->num_src++;
    }
    for (unsigned i = 0; i < o->num_dst; i++) {
        unsigned reg = o->dst[i];
        f->dst_reg[i] = (uint8_t)reg;
        f->dst_phys[i] = phys_of_(sm, f->warp, reg, true);
        sm->stats.unbacked_registers += reg != SMRF_REG_ZERO && f->dst_phys[i] == SMRF_PHYS_NONE;
    }
    f->dst_left = (uint16_t)((1u << f->num_dst) - 1);
}

/* Bit of the annotation for a register: is any operand of the list that names it reused soon? */
static uint32_t near_bit_(const uint8_t *list, unsigned count, uint32_t near_mask, unsigned reg)
{
    for (uint32_t m = near_mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        if (i < count && list[i] == reg) {
            return 1;
        }
    }
    return 0;
}

/* The annotation speaks of the full lists; a flight has distinct sources, and, where the
 * configuration says so, only the registers that the trace lists. */
static void annotate_(const struct smrf_sm *sm, struct smrf_flight *f, const struct smrf_inst *inst)
{
    const struct smrf_static_inst *op = inst->op;
    for (unsigned i = 0; i < f->num_src; i++) {
        f->near_src |= near_bit_(op->src, op->num_src, inst->near_src, f->src_reg[i]) << i;
    }
    if (!sm->cfg.rf.base_registers_only) {
        f->near_dst = (uint16_t)(inst->near_dst & ((1u << f->num_dst) - 1));
        return;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        f->near_dst |=
            (uint16_t)(near_bit_(op->dst, op->num_dst, inst->near_dst, f->dst_reg[i]) << i);
    }
}

static void count_(struct smrf_sm *sm, const struct smrf_flight *f)
{
    unsigned lanes = (unsigned)__builtin_popcount(f->mask);
    sm->stats.warp_insts++;
    sm->stats.thread_insts += lanes;
    sm->stats.warp_insts_by_class[f->op->op_class]++;
    sm->stats.thread_insts_by_class[f->op->op_class] += lanes;
    sm->stats.operand_reads += f->num_src;
    sm->stats.operand_writes += f->num_dst;
    sm->last_progress = sm->cycle;
}

/* --- control flow ------------------------------------------------------------------------------------ */

static void block_warp_(struct smrf_sm *sm, unsigned warp, uint32_t cycles)
{
    if (cycles) {
        sm->warp[warp].blocked_until = sm->cycle + 1 + cycles;
        sm->sub[smrf_sm_sub_of(sm, warp)].blocked |= UINT64_C(1) << smrf_sm_k_of(sm, warp);
    }
}

/* The oracle follows calls by itself, whatever a mechanism makes of them. */
static void tell_oracle_(struct smrf_sm *sm, const struct smrf_flight *f,
                         const struct smrf_simt_out *out)
{
    if (out->events & SMRF_SIMT_CALL) {
        smrf_oracle_called(sm->oracle, f->warp, out->lanes);
    }
    if (out->events & SMRF_SIMT_RETURN) {
        struct smrf_finding *wrong = smrf_oracle_returned(sm->oracle, f);
        if (wrong) {
            smrf_sm_locate(sm, wrong, f->sub, SMRF_PHYS_NONE);
        }
    }
    if (out->events & SMRF_SIMT_EXIT) {
        smrf_oracle_exited(sm->oracle, f->warp, f->mask);
    }
}

static void control_flow_(struct smrf_sm *sm, const struct smrf_flight *f,
                          const struct smrf_inst *inst)
{
    unsigned warp = f->warp;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    struct smrf_simt *simt = &sm->links.simt[warp];
    const struct smrf_simt_line line = smrf_simt_line_of(inst);
    struct smrf_simt_out out;

    if (smrf_simt_goes_straight(simt, &line)) {
        smrf_simt_go_straight(simt, &line);
        return;
    }
    sm->links.wires->simt(sm->links.wires->ctx, warp, &line, &out);
    tell_oracle_(sm, f, &out);
    if (!mech->warp) {
        return;
    }
    if (out.events & (SMRF_SIMT_CALL | SMRF_SIMT_CALLED) && mech->warp->call) {
        block_warp_(sm, warp, mech->warp->call(sm->links.mechanism_state, warp, inst->op));
    }
    if (out.events & (SMRF_SIMT_RETURN | SMRF_SIMT_ALL_RETURNED) && mech->warp->ret) {
        bool all = (out.events & SMRF_SIMT_ALL_RETURNED) != 0;
        block_warp_(sm, warp, mech->warp->ret(sm->links.mechanism_state, warp, inst->op, all));
    }
}

/* --- issue --------------------------------------------------------------------------------------------- */

static void pop_ibuffer_(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_warp *w = &sm->warp[warp];
    w->head++;
    w->count--;
    if (w->count == 0) {
        if (w->left) {
            sm->fetch_need |= UINT64_C(1) << warp;
        } else {
            smrf_sm_warp_ended(sm, warp);
        }
    }
    smrf_sm_head_changed(sm, warp);
}

/* Issue the head instruction of warp k of a sub-core; collector: unit it goes to, -1 = the latch. */
static void issue_one_(struct smrf_sm *sm, unsigned sub, unsigned k, int collector)
{
    unsigned warp = smrf_sm_warp_of(sm, sub, k);
    struct smrf_sm_sub *s = &sm->sub[sub];
    struct smrf_sm_warp *w = &sm->warp[warp];
    const struct smrf_inst *inst = smrf_sm_head(sm, warp);
    const struct smrf_static_inst *op = inst->op;
    struct smrf_operands operands = smrf_operands_of(op, sm->cfg.rf.base_registers_only);
    const struct smrf_issue_parts *issue = &s->blocks.issue->parts;
    uint32_t slot = sm->free_slots[--sm->free_count];
    struct smrf_flight *f = &sm->flight[slot];

    f->op = op;
    f->uid = sm->uid++;
    f->mask = inst->mask;
    f->version = (uint32_t)sm->uid;
    f->number = ++w->issued;
    f->warp = (uint8_t)warp;
    f->sub = (uint8_t)sub;
    f->unit = unit_of_class[op->op_class];
    f->latency = sm->class_latency[op->op_class];
    f->interval = sm->class_interval[op->op_class];
    fill_operands_(sm, f, &operands);
    f->near_src = 0;
    f->near_dst = 0;
    if (inst->near_src || inst->near_dst) {
        annotate_(sm, f, inst);
    }
    if (f->unit == SMRF_UNIT_MEM) {
        size_t head = offsetof(struct smrf_inst, lane);
        memcpy(&sm->memory[slot], inst, inst->addr_kind == SMRF_ADDR_LIST ? sizeof *inst : head);
    }
    w->inflight++;
    w->atomics = (uint16_t)(w->atomics + (op->op_class == SMRF_CLASS_ATOMIC));
    if (sm->oracle->active) {
        struct smrf_finding *wrong = smrf_oracle_issued(sm->oracle, slot, f, inst);
        if (wrong) {
            smrf_sm_locate(sm, wrong, f->sub, SMRF_PHYS_NONE);
        }
    }
    issue->dependence_ops->issued(issue->dependence, k, f, sm->cycle);
    count_(sm, f);
    control_flow_(sm, f, inst);
    if (op->op_class == SMRF_CLASS_MEMBAR) {
        w->membar = true;
    }
    pop_ibuffer_(sm, warp);
    if (op->op_class == SMRF_CLASS_BARRIER && f->mask) {
        smrf_sm_reach_barrier(sm, warp);
    }
    issue->scheduler_ops->issued(issue->scheduler, k);
    if (collector >= 0) {
        sm->links.wires->to_collector(sm->links.wires->ctx, sub, (unsigned)collector, slot);
    } else {
        s->latch[f->unit] = slot;
        s->latch_full |= UINT32_C(1) << f->unit;
        sm->latched[f->unit] |= UINT32_C(1) << sub;
        sm->latched_units |= UINT32_C(1) << f->unit;
    }
    sm->progress = true;
}

/* Warps of a sub-core whose head instruction has no hazard. */
static uint64_t ready_(const struct smrf_sm_sub *s)
{
    return s->has_inst & ~(s->data | s->war | s->rename | s->barrier | s->membar | s->blocked);
}

/* Why nothing issued: the most immediate reason of any warp. */
static enum smrf_stall stall_cause_(const struct smrf_sm *sm, const struct smrf_sm_sub *s,
                                    uint64_t ready, uint64_t allowed)
{
    if (allowed) {
        return sm->cfg.issue.latches ? SMRF_STALL_unit : SMRF_STALL_collector;
    }
    uint64_t waiting = s->has_inst & ~(s->barrier | s->membar | s->blocked);
    return ready                                ? SMRF_STALL_inactive
           : waiting & s->data                  ? SMRF_STALL_data
           : waiting & s->war                   ? SMRF_STALL_war
           : waiting & s->rename                ? SMRF_STALL_rename
           : s->has_inst & s->blocked           ? SMRF_STALL_blocked
           : s->has_inst & s->membar            ? SMRF_STALL_membar
           : s->has_inst & s->barrier           ? SMRF_STALL_barrier
           : !s->resident                       ? SMRF_STALL_idle
           : sm->fetched >= 0 || sm->fetch_need ? SMRF_STALL_fetch
                                                : SMRF_STALL_drain;
}

static void unblock_(struct smrf_sm *sm, unsigned sub)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    for (uint64_t m = s->blocked; m; m &= m - 1) {
        unsigned k = (unsigned)__builtin_ctzll(m);
        if (sm->warp[smrf_sm_warp_of(sm, sub, k)].blocked_until <= sm->cycle) {
            s->blocked &= ~(UINT64_C(1) << k);
        }
    }
}

/* Hazards that end by time. */
static void check_again_(struct smrf_sm *sm, unsigned sub)
{
    for (uint64_t m = sm->sub[sub].timed; m; m &= m - 1) {
        unsigned warp = smrf_sm_warp_of(sm, sub, (unsigned)__builtin_ctzll(m));
        if (sm->warp[warp].check_again <= sm->cycle) {
            smrf_sm_rehazard(sm, warp);
        }
    }
}

/* Candidates whose way out of issue is free. */
static uint64_t unobstructed_(const struct smrf_sm *sm, const struct smrf_sm_sub *s, unsigned sub,
                              uint64_t allowed)
{
    const struct smrf_mechanism *mech = sm->links.mechanism;
    if (sm->cfg.issue.latches) {
        for (uint32_t m = s->latch_full; m; m &= m - 1) {
            allowed &= ~s->head_unit[__builtin_ctz(m)];
        }
        return allowed;
    }
    uint32_t free_units = s->blocks.collectors->free_mask;
    if (!free_units) {
        return 0;
    }
    if (mech->allocation && mech->allocation->eligible) {
        allowed &= mech->allocation->eligible(sm->links.mechanism_state, sub, free_units, allowed);
    }
    return allowed;
}

/* Collector for a warp that issues straight into one: unit, or enum smrf_pick_none. */
static int pick_collector_(struct smrf_sm *sm, unsigned sub, unsigned k)
{
    const struct smrf_mechanism *mech = sm->links.mechanism;
    struct smrf_collectors *c = sm->sub[sub].blocks.collectors;
    if (mech->allocation && mech->allocation->pick) {
        return mech->allocation->pick(sm->links.mechanism_state, sub, smrf_sm_warp_of(sm, sub, k),
                                      c->free_mask, &sm->rng, sm->cycle);
    }
    return (int)smrf_collectors_pick(c, &sm->rng);
}

static struct smrf_scheduler_view view_(const struct smrf_sm_sub *s)
{
    const struct smrf_scheduler_view view = {s->barrier | s->membar | s->ended | ~s->resident,
                                             s->long_op};
    return view;
}

/* What n cycles without an event do to the lists of a sub-core's scheduler. */
void smrf_sm_issue_skip(struct smrf_sm *sm, unsigned sub, uint64_t n)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    const struct smrf_issue_parts *issue = &s->blocks.issue->parts;
    if (issue->scheduler_ops->skip) {
        const struct smrf_scheduler_view view = view_(s);
        issue->scheduler_ops->skip(issue->scheduler, &view, n);
    }
}

static uint64_t preferred_(const struct smrf_sm *sm, const struct smrf_mechanism *mech,
                           unsigned sub)
{
    const struct smrf_mechanism_wires *w = sm->links.mechanism_wires;
    return w ? w->status(w->ctx, sub) : mech->allocation->preferred(sm->links.mechanism_state, sub);
}

static bool issue_sub_(struct smrf_sm *sm, unsigned sub)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    const struct smrf_mechanism *mech = sm->links.mechanism;
    const struct smrf_scheduler_ops *ops = s->blocks.issue->parts.scheduler_ops;
    void *scheduler = s->blocks.issue->parts.scheduler;
    /* Asked for when there is a choice to make, once a cycle. */
    bool ask = mech->allocation && mech->allocation->preferred;
    uint64_t done = 0, preferred = 0;
    bool issued = false;

    if (s->blocked) {
        unblock_(sm, sub);
    }
    if (s->timed) {
        check_again_(sm, sub);
    }
    if (ops->order) {
        const struct smrf_scheduler_view view = view_(s);
        sm->progress |= ops->order(scheduler, &view);
    }
    for (unsigned n = 0; n < sm->cfg.issue.width; n++) {
        uint64_t ready = ready_(s) & ~done;
        uint64_t allowed = ops->allowed ? ready & ops->allowed(scheduler) : ready;
        uint64_t open = allowed ? unobstructed_(sm, s, sub, allowed) : 0;
        int collector = -1;
        unsigned k = 0;
        if (ask && open) {
            preferred = preferred_(sm, mech, sub);
            ask = false;
        }
        while (open && sm->free_count) {
            k = ops->select(scheduler, open, preferred);
            if (sm->cfg.issue.latches || (collector = pick_collector_(sm, sub, k)) >= 0) {
                break;
            }
            sm->progress |= collector <= SMRF_PICK_NEXT_WAIT;
            bool none = collector == SMRF_PICK_NONE || collector == SMRF_PICK_NONE_WAIT;
            open &= none ? 0 : ~(UINT64_C(1) << k);
        }
        if (!open || !sm->free_count) { /* the chosen k is valid only while `open` is not empty */
            s->stall = issued ? s->stall : (uint8_t)stall_cause_(sm, s, ready, allowed);
            break;
        }
        issue_one_(sm, sub, k, collector);
        done |= UINT64_C(1) << k;
        issued = true;
    }
    return issued;
}

void smrf_sm_issue(struct smrf_sm *sm)
{
    for (unsigned i = 0; i < sm->subs; i++) {
        unsigned sub = (sm->issue_first + i) & (sm->subs - 1);
        struct smrf_sm_sub *s = &sm->sub[sub];
        s->issued = issue_sub_(sm, sub);
        if (s->issued) {
            sm->stats.cycles_issued++;
        } else {
            sm->stats.stall[s->stall]++;
        }
    }
    sm->stats.scheduler_cycles += sm->subs;
    sm->issue_first = (sm->issue_first + 1) & (sm->subs - 1);
}
