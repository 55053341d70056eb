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

static bool uniform_waits_(const struct smrf_sm *sm, unsigned warp,
                           const struct smrf_static_inst *op)
{
    if (!(op->num_usrc | op->num_udst)) {
        return false;
    }
    const struct smrf_scoreboard *sb = &sm->scoreboard;
    for (unsigned i = 0; i < op->num_usrc; i++) {
        if (smrf_scoreboard_waits(sb, warp, SMRF_SB_UNIFORM + op->usrc[i])) {
            return true;
        }
    }
    for (unsigned i = 0; i < op->num_udst; i++) {
        if (smrf_scoreboard_waits(sb, warp, SMRF_SB_UNIFORM + op->udst[i])) {
            return true;
        }
    }
    return false;
}

static bool long_op_waits_(const struct smrf_sm *sm, unsigned warp,
                           const struct smrf_sm_operands *o)
{
    for (unsigned i = 0; i < o->num_src; i++) {
        if (smrf_scoreboard_bit(sm->scoreboard.warp[warp].long_ops, o->src[i])) {
            return true;
        }
    }
    return false;
}

/* Look again at what holds the head instruction of a warp back. */
void smrf_sm_rehazard(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_sub *s = &sm->sub[smrf_sm_sub_of(sm, warp)];
    unsigned k = smrf_sm_k_of(sm, warp);
    struct smrf_sm_warp *w = &sm->warp[warp];
    const struct smrf_scoreboard *sb = &sm->scoreboard;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    bool data = false, war = false, rename = false, long_op = false;

    if (w->count) {
        const struct smrf_static_inst *op = smrf_sm_head(sm, warp)->op;
        struct smrf_sm_operands o = smrf_sm_operands_of(sm, op);
        data = smrf_scoreboard_any_waits(sb, warp, o.src, o.num_src) ||
               smrf_scoreboard_any_waits(sb, warp, o.dst, o.num_dst) ||
               uniform_waits_(sm, warp, op);
        long_op = data && long_op_waits_(sm, warp, &o);
        war = sm->cfg.scoreboard.war && smrf_scoreboard_any_readers(sb, warp, o.dst, o.num_dst);
        rename = mech->rename && mech->rename->ready &&
                 !mech->rename->ready(sm->links.mechanism_state, warp, op);
    }
    if (w->membar && sb->warp[warp].pending == 0) {
        w->membar = false;
    }
    set_bit_(&s->data, k, data);
    set_bit_(&s->war, k, war);
    set_bit_(&s->rename, k, rename);
    set_bit_(&s->long_op, k, long_op);
    set_bit_(&s->membar, k, w->membar || w->atomics);
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
static void fill_operands_(struct smrf_sm *sm, struct smrf_flight *f,
                           const struct smrf_sm_operands *o)
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

static void reserve_(struct smrf_sm *sm, const struct smrf_flight *f)
{
    bool long_op = f->op->op_class == SMRF_CLASS_TEX ||
                   (f->op->op_class == SMRF_CLASS_LOAD && f->op->space != SMRF_SPACE_SHARED);
    for (unsigned i = 0; i < f->num_dst; i++) {
        smrf_scoreboard_reserve(&sm->scoreboard, f->warp, f->dst_reg[i], long_op);
    }
    for (unsigned i = 0; i < f->op->num_udst; i++) {
        if (f->op->udst[i] != SMRF_UREG_ZERO) {
            smrf_scoreboard_reserve(&sm->scoreboard, f->warp, SMRF_SB_UNIFORM + f->op->udst[i],
                                    false);
        }
    }
    if (sm->cfg.scoreboard.war) {
        for (unsigned i = 0; i < f->num_src; i++) {
            sm->scoreboard.warp[f->warp].readers[f->src_reg[i]]++;
        }
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

static void control_flow_(struct smrf_sm *sm, unsigned warp, const struct smrf_inst *inst)
{
    const struct smrf_mechanism *mech = sm->links.mechanism;
    struct smrf_simt *simt = &sm->links.simt[warp];
    const struct smrf_simt_line line = smrf_simt_line_of(inst);
    struct smrf_simt_out out;

    if (smrf_simt_goes_straight(simt, &line)) {
        smrf_simt_go_straight(simt, &line);
        return;
    }
    sm->links.wires->simt(sm->links.wires->ctx, warp, &line, &out);
    if (!mech->warp) {
        return;
    }
    if (out.events & SMRF_SIMT_CALL && mech->warp->call) {
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
    struct smrf_sm_operands operands = smrf_sm_operands_of(sm, op);
    uint32_t slot = sm->free_slots[--sm->free_count];
    struct smrf_flight *f = &sm->flight[slot];

    f->op = op;
    f->uid = sm->uid++;
    f->mask = inst->mask;
    f->version = ++w->version;
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
    if (sm->keep_values) {
        smrf_sm_oracle_issue(sm, f, inst);
    }
    reserve_(sm, f);
    count_(sm, f);
    control_flow_(sm, warp, inst);
    if (op->op_class == SMRF_CLASS_MEMBAR) {
        w->membar = true;
    }
    pop_ibuffer_(sm, warp);
    if (op->op_class == SMRF_CLASS_BARRIER && f->mask) {
        smrf_sm_reach_barrier(sm, warp);
    }
    smrf_issue_issued(s->blocks.issue, k);
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

/* Warps that cannot continue soon, as the policies with lists see it. */
static uint64_t waiting_(const struct smrf_sm *sm, const struct smrf_sm_sub *s)
{
    uint64_t waiting = s->barrier | s->membar | s->ended | ~s->resident;
    return sm->cfg.issue.scheduler == SMRF_SCHED_TWO_LEVEL ? waiting | s->long_op : waiting;
}

/* What n cycles without an event do to the lists of a sub-core's scheduler. */
void smrf_sm_issue_skip(struct smrf_sm *sm, unsigned sub, uint64_t n)
{
    struct smrf_sm_sub *s = &sm->sub[sub];
    smrf_issue_rotate_many(s->blocks.issue, waiting_(sm, s), n);
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
    /* Asked for when there is a choice to make, once a cycle. */
    bool ask = mech->allocation && mech->allocation->preferred;
    uint64_t done = 0, preferred = 0;
    bool issued = false;

    if (s->blocked) {
        unblock_(sm, sub);
    }
    if (sm->cfg.issue.scheduler >= SMRF_SCHED_TWO_LEVEL) {
        uint64_t waiting = waiting_(sm, s);
        bool changed = smrf_issue_rotate(s->blocks.issue, waiting);
        sm->progress |= changed && smrf_issue_probe_restless(s->blocks.issue, waiting);
    }
    for (unsigned n = 0; n < sm->cfg.issue.width; n++) {
        uint64_t ready = ready_(s) & ~done;
        uint64_t allowed = ready & smrf_issue_probe_allowed(s->blocks.issue);
        uint64_t open = allowed ? unobstructed_(sm, s, sub, allowed) : 0;
        int collector = -1;
        unsigned k = 0;
        if (ask && open) {
            preferred = preferred_(sm, mech, sub);
            ask = false;
        }
        while (open && sm->free_count) {
            k = smrf_issue_select(s->blocks.issue, open, preferred);
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
