/* SPDX-License-Identifier: Apache-2.0 */
/* Execution units, their completion and the write-back of results to the banks.
 *
 * A unit issues an instruction in cycle T, takes the next after its interval, and its result asks for
 * its bank in T + latency + 2 (the pipeline, then the latch before write-back), together with the
 * release of the scoreboard. Source: Accel-Sim pipelined_simd_unit, shader_core_ctx::writeback. */
#include "sm_state.h"

#include <string.h>

#define RESULT_LATCH 2 /* cycles from a unit's last stage to write-back */

/* --- completion ------------------------------------------------------------------------------ */

static void release_register_(struct smrf_sm *sm, const struct smrf_flight *f, unsigned reg)
{
    smrf_issue_released(sm->sub[f->sub].blocks.issue, f, reg, sm->cycle);
}

/* The instruction has left the SM. */
static void retire_(struct smrf_sm *sm, uint32_t slot)
{
    const struct smrf_flight *f = &sm->flight[slot];
    for (unsigned i = 0; i < f->op->num_udst; i++) {
        if (f->op->udst[i] != SMRF_UREG_ZERO) {
            release_register_(sm, f, SMRF_DEPEND_UNIFORM + f->op->udst[i]);
        }
    }
    sm->last_progress = sm->cycle;
    smrf_issue_retired(sm->sub[f->sub].blocks.issue, slot, sm->cycle);
}

/* Bank of destination i. */
static unsigned bank_of_dst_(const struct smrf_sm *sm, const struct smrf_flight *f, unsigned i)
{
    unsigned phys = f->dst_phys[i] == SMRF_PHYS_NONE ? f->dst_reg[i] : f->dst_phys[i];
    return smrf_sm_bank_of(&sm->cfg, f->warp, phys);
}

/* Let the mechanism have a result that its bank has just taken. Whatever copy of the register it holds
 * then must be the bank's row. */
static void show_write_(struct smrf_sm *sm, const struct smrf_flight *f, unsigned i,
                        const struct smrf_write *write)
{
    const struct smrf_collector_seam *seam = sm->links.mechanism->collector;
    const struct smrf_bank *bank = sm->sub[f->sub].blocks.bank[write->bank];
    const struct smrf_bank_row *at = smrf_bank_probe(bank, smrf_sm_row_of(&sm->cfg, write->phys));
    const uint32_t *row = at ? at->lane : write->data;
    const struct smrf_mechanism_wires *w = sm->links.mechanism_wires;
    sm->stats.cache_writes +=
        w ? w->result(w->ctx, f->sub, (uint32_t)(f - sm->flight), i, row, f->mask)
          : seam->write(sm->links.mechanism_state, f->sub, f, i, row, f->mask, sm->cycle);
    if (seam->copy && sm->cfg.sim.check && at) {
        const uint32_t *copy =
            seam->copy(sm->links.mechanism_state, f->sub, f->warp, f->dst_reg[i]);
        struct smrf_finding *wrong = copy ? smrf_oracle_copy(sm->oracle, f, i, copy, row) : NULL;
        if (wrong) {
            smrf_sm_locate(sm, wrong, f->sub, f->dst_phys[i]);
        }
    }
}

/* Write destination i of an instruction to its bank. The port is the caller's business. */
static void write_register_(struct smrf_sm *sm, const struct smrf_flight *f, unsigned i)
{
    const struct smrf_mechanism *mech = sm->links.mechanism;
    unsigned phys = f->dst_phys[i];
    uint32_t scratch[SMRF_LANES];
    struct smrf_write write = {
        .data = smrf_oracle_result(sm->oracle, (uint32_t)(f - sm->flight), f, i, scratch),
        .lane_mask = f->mask,
        .version = f->version,
        .phys = (uint16_t)phys,
        .sub = f->sub,
        .warp = f->warp,
        .reg = f->dst_reg[i],
    };
    write.bank = (uint8_t)bank_of_dst_(sm, f, i);
    sm->links.wires->write(sm->links.wires->ctx, &write);
    sm->stats.bank_writes++;
    if (mech->collector && mech->collector->write) {
        show_write_(sm, f, i, &write);
    }
}

/* Release destination i and, if it was the last, the instruction. */
static void finish_register_(struct smrf_sm *sm, uint32_t slot, unsigned i)
{
    struct smrf_flight *f = &sm->flight[slot];
    release_register_(sm, f, f->dst_reg[i]);
    f->dst_left &= (uint16_t) ~(1u << i);
    if (f->dst_left == 0) {
        retire_(sm, slot);
    }
}

/* A unit's result is due. */
static void complete_unit_(struct smrf_sm *sm, uint32_t slot)
{
    struct smrf_flight *f = &sm->flight[slot];
    struct smrf_sm_sub *s = &sm->sub[f->sub];

    if (f->num_dst == 0) {
        retire_(sm, slot);
        return;
    }
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        unsigned bank = bank_of_dst_(sm, f, i);
        if (!(s->queue_mask >> bank & 1) && smrf_arbiter_take_write(s->blocks.arbiter, bank)) {
            write_register_(sm, f, i);
            finish_register_(sm, slot, i);
        } else if (sm->cfg.rf.drop_conflicting_writes) {
            sm->stats.write_conflicts++;
            sm->stats.portless_writes++;
            write_register_(sm, f, i);
            finish_register_(sm, slot, i);
        } else {
            sm->stats.write_conflicts++;
            SMRF_ASSERT(s->queue_count[bank] < SMRF_SM_WRITE_QUEUE);
            unsigned tail = (s->queue_head[bank] + s->queue_count[bank]++) % SMRF_SM_WRITE_QUEUE;
            s->queue[bank][tail] = (struct smrf_sm_write){slot, i};
            s->queue_mask |= UINT32_C(1) << bank;
        }
    }
}

/* Results that waited for their bank go before the new ones. */
static void drain_queues_(struct smrf_sm *sm, struct smrf_sm_sub *s)
{
    for (uint32_t m = s->queue_mask; m; m &= m - 1) {
        unsigned bank = (unsigned)__builtin_ctz(m);
        if (!smrf_arbiter_take_write(s->blocks.arbiter, bank)) {
            continue;
        }
        struct smrf_sm_write w = s->queue[bank][s->queue_head[bank]];
        s->queue_head[bank] = (uint16_t)((s->queue_head[bank] + 1) % SMRF_SM_WRITE_QUEUE);
        if (--s->queue_count[bank] == 0) {
            s->queue_mask &= ~(UINT32_C(1) << bank);
        }
        write_register_(sm, &sm->flight[w.slot], w.dst);
        finish_register_(sm, w.slot, w.dst);
        sm->progress = true;
    }
}

void smrf_sm_write_back(struct smrf_sm *sm)
{
    for (unsigned sub = 0; sub < sm->subs; sub++) {
        if (sm->sub[sub].queue_mask) {
            drain_queues_(sm, &sm->sub[sub]);
        }
    }
    unsigned at = (unsigned)(sm->cycle % SMRF_SM_WHEEL);
    if (!(sm->wheel_map[at / 64] >> (at % 64) & 1)) {
        return;
    }
    uint32_t slot = sm->wheel[at];
    sm->wheel_map[at / 64] &= ~(UINT64_C(1) << (at % 64));
    sm->wheel_results[at] = 0;
    while (slot != SMRF_NO_SLOT) {
        uint32_t next = sm->flight[slot].next;
        complete_unit_(sm, slot);
        slot = next;
    }
    sm->progress = true;
}

/* --- issue to units ----------------------------------------------------------------------------- */

static void schedule_(struct smrf_sm *sm, uint32_t slot, uint64_t cycle)
{
    unsigned at = (unsigned)(cycle % SMRF_SM_WHEEL);
    sm->flight[slot].next = SMRF_NO_SLOT;
    if (sm->wheel_map[at / 64] >> (at % 64) & 1) {
        sm->flight[sm->wheel_last[at]].next = slot;
    } else {
        sm->wheel_map[at / 64] |= UINT64_C(1) << (at % 64);
        sm->wheel[at] = slot;
    }
    sm->wheel_last[at] = slot;
}

/* Is there room for the results of an instruction in its banks' queues? */
static bool queues_have_room_(const struct smrf_sm *sm, const struct smrf_sm_sub *s,
                              const struct smrf_flight *f)
{
    if (!s->queue_mask || sm->cfg.rf.drop_conflicting_writes) {
        return true;
    }
    for (unsigned i = 0; i < f->num_dst; i++) {
        unsigned count = s->queue_count[bank_of_dst_(sm, f, i)];
        if (count > 0 && count >= sm->cfg.rf.write_queue) {
            return false;
        }
    }
    return true;
}

/* Does an older instruction of the same unit end in that cycle? Possible where classes of different
 * latency share a unit. Source: Accel-Sim simd_function_unit::can_issue. */
static bool unit_ends_(const struct smrf_sm *sm, const struct smrf_flight *f, uint64_t end)
{
    unsigned at = (unsigned)(end % SMRF_SM_WHEEL);
    if (!(sm->wheel_map[at / 64] >> (at % 64) & 1)) {
        return false;
    }
    for (uint32_t slot = sm->wheel[at]; slot != SMRF_NO_SLOT; slot = sm->flight[slot].next) {
        if (sm->flight[slot].sub == f->sub && sm->flight[slot].unit == f->unit) {
            return true;
        }
    }
    return false;
}

static void issue_units_(struct smrf_sm *sm, struct smrf_sm_sub *s)
{
    uint32_t full = s->unit_full & ~(UINT32_C(1) << SMRF_UNIT_MEM);
    for (; full; full &= full - 1) {
        unsigned unit = (unsigned)__builtin_ctz(full);
        if (s->unit_free[unit] > sm->cycle || s->unit_ready[unit] > sm->cycle) {
            continue;
        }
        uint32_t slot = s->unit_latch[unit];
        struct smrf_flight *f = &sm->flight[slot];
        uint64_t end = sm->cycle + f->latency + RESULT_LATCH + sm->cfg.issue.extra_latency +
                       sm->cfg.rf.extra_latency;
        uint8_t *results = &sm->wheel_results[end % SMRF_SM_WHEEL];
        if (*results >= sm->cfg.exec.result_buses || !queues_have_room_(sm, s, f) ||
            unit_ends_(sm, f, end)) {
            sm->stats.result_bus_stalls++;
            sm->progress = true; /* may succeed in the next cycle */
            continue;
        }
        ++*results;
        s->unit_free[unit] = sm->cycle + f->interval;
        s->unit_full &= ~(UINT32_C(1) << unit);
        schedule_(sm, slot, end);
        sm->progress = true;
    }
}

/* The load/store unit takes the oldest memory instruction of all sub-cores. */
static void issue_memory_(struct smrf_sm *sm)
{
    int best = -1;
    for (unsigned sub = 0; sub < sm->subs; sub++) {
        const struct smrf_sm_sub *s = &sm->sub[sub];
        if (s->unit_full >> SMRF_UNIT_MEM & 1 && s->unit_ready[SMRF_UNIT_MEM] <= sm->cycle &&
            (best < 0 || sm->flight[s->unit_latch[SMRF_UNIT_MEM]].uid <
                             sm->flight[sm->sub[best].unit_latch[SMRF_UNIT_MEM]].uid)) {
            best = (int)sub;
        }
    }
    if (best < 0 || !smrf_ldst_free(sm->ldst)) {
        return;
    }
    struct smrf_sm_sub *s = &sm->sub[best];
    uint32_t slot = s->unit_latch[SMRF_UNIT_MEM];
    const struct smrf_flight *f = &sm->flight[slot];
    const struct smrf_mechanism *mech = sm->links.mechanism;
    const struct smrf_inst *inst = &sm->memory[slot];
    uint32_t delay = 0;

    s->unit_full &= ~(UINT32_C(1) << SMRF_UNIT_MEM);
    sm->progress = true;
    if (f->op->op_class == SMRF_CLASS_MEMBAR) {
        schedule_(sm, slot, sm->cycle + 1);
    } else if (mech->memory && mech->memory->access(sm->links.mechanism_state, f, inst, &delay)) {
        schedule_(sm, slot, sm->cycle + 1 + delay);
    } else {
        const struct smrf_ldst_inst in = {slot, f->warp, inst, sm->front.kernel.shared_window,
                                          sm->front.kernel.local_window};
        smrf_ldst_accept(sm->ldst, &in, sm->cycle);
    }
}

void smrf_sm_execute(struct smrf_sm *sm)
{
    uint32_t memory = 0;
    for (unsigned sub = 0; sub < sm->subs; sub++) {
        struct smrf_sm_sub *s = &sm->sub[sub];
        memory |= s->unit_full & (UINT32_C(1) << SMRF_UNIT_MEM);
        if (s->unit_full) {
            issue_units_(sm, s);
        }
    }
    if (smrf_ldst_next(sm->ldst, sm->cycle - 1) <= sm->cycle) {
        smrf_ldst_cycle(sm->ldst, sm->cycle);
    }
    if (memory) {
        issue_memory_(sm);
    }
}

/* --- the load/store unit's events ----------------------------------------------------------------- */

static void ldst_complete_(void *ctx, uint32_t slot, uint64_t cycle)
{
    struct smrf_sm *sm = ctx;
    struct smrf_flight *f = &sm->flight[slot];
    (void)cycle;
    sm->progress = true;
    if (f->num_dst == 0) {
        retire_(sm, slot);
        return;
    }
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        write_register_(sm, f, i);
        sm->stats.portless_writes++;
        finish_register_(sm, slot, i);
    }
}

static bool ldst_write_back_(void *ctx, uint32_t slot, bool last, uint64_t cycle)
{
    struct smrf_sm *sm = ctx;
    struct smrf_flight *f = &sm->flight[slot];
    struct smrf_sm_sub *s = &sm->sub[f->sub];
    (void)cycle;
    sm->progress = true;
    for (uint32_t m = f->dst_left; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        unsigned bank = bank_of_dst_(sm, f, i);
        if (s->queue_mask >> bank & 1 || !smrf_arbiter_take_write(s->blocks.arbiter, bank)) {
            sm->stats.write_conflicts++;
            continue;
        }
        write_register_(sm, f, i);
        f->dst_left &= (uint16_t) ~(1u << i);
    }
    if (f->dst_left) {
        return false;
    }
    if (!last) {
        f->dst_left = (uint16_t)((1u << f->num_dst) - 1);
        return true;
    }
    for (unsigned i = 0, n = f->num_dst; i < n; i++) {
        release_register_(sm, f, f->dst_reg[i]);
    }
    retire_(sm, slot);
    return true;
}

static void ldst_stores_(void *ctx, uint32_t warp, int32_t delta)
{
    struct smrf_sm *sm = ctx;
    sm->progress = true;
    smrf_issue_stores(smrf_sm_issue_of(sm, warp), smrf_sm_k_of(sm, warp), delta, sm->cycle);
}

int smrf_sm_exec_init(struct smrf_sm *sm)
{
    const struct smrf_ldst_events events = {sm, ldst_complete_, ldst_write_back_, ldst_stores_};
    const struct smrf_ldst_config cfg = smrf_sm_config_ldst(&sm->cfg);
    return smrf_ldst_init(sm->ldst, &cfg, sm->id, &events, &sm->links.port);
}

/* --- when is the next thing due? ---------------------------------------------------------------------- */

static uint64_t wheel_next_(const struct smrf_sm *sm)
{
    unsigned start = (unsigned)(sm->cycle % SMRF_SM_WHEEL);
    for (unsigned n = 0; n <= SMRF_SM_WHEEL / 64; n++) {
        unsigned word = (start / 64 + n) % (SMRF_SM_WHEEL / 64);
        uint64_t bits = sm->wheel_map[word];
        if (n == 0) {
            bits &= UINT64_MAX << (start % 64);
        } else if (n == SMRF_SM_WHEEL / 64) {
            bits &= ~(UINT64_MAX << (start % 64));
        }
        if (bits) {
            unsigned at = word * 64 + (unsigned)__builtin_ctzll(bits);
            return sm->cycle + (at + SMRF_SM_WHEEL - start) % SMRF_SM_WHEEL;
        }
    }
    return SMRF_NEVER;
}

/* First cycle from the present one on in which a unit, a result or the load/store unit has work. */
uint64_t smrf_sm_exec_next(const struct smrf_sm *sm)
{
    uint64_t next = wheel_next_(sm);
    uint64_t ldst = smrf_ldst_next(sm->ldst, sm->cycle - 1);
    next = ldst < next ? ldst : next;
    for (unsigned sub = 0; sub < sm->subs; sub++) {
        const struct smrf_sm_sub *s = &sm->sub[sub];
        for (uint32_t m = s->unit_full; m; m &= m - 1) {
            unsigned unit = (unsigned)__builtin_ctz(m);
            uint64_t at =
                s->unit_free[unit] > s->unit_ready[unit] ? s->unit_free[unit] : s->unit_ready[unit];
            /* An earlier cycle has passed without success: something else must move first. */
            next = at >= sm->cycle && at < next ? at : next;
        }
    }
    return next;
}
