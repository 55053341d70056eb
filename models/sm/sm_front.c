/* SPDX-License-Identifier: Apache-2.0 */
/* Front end: thread blocks and their limits, instruction buffers and fetch, barriers, exits.
 * Source: Accel-Sim shader_core_ctx::fetch/decode, issue_block2core, barrier_set_t. */
#include "sm_state.h"

#include <string.h>

/* Physical registers of a bit of the allocation map: about 8, and whole rows of all banks, so that
 * two warps, whose registers may be swizzled differently, never share a row. */
static uint32_t register_unit_(const struct smrf_sm_config *cfg)
{
    return (8 + cfg->rf.banks - 1) / cfg->rf.banks * cfg->rf.banks;
}

/* --- occupancy -------------------------------------------------------------------------------- */

static uint32_t round_up_(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Registers per thread that a kernel is given. */
static uint32_t thread_registers_(const struct smrf_sm_config *cfg, uint32_t registers)
{
    return round_up_(registers ? registers : 1, cfg->sm.register_unit);
}

/* Physical registers of a warp: what it is given, in whole units. */
static uint32_t warp_registers_(const struct smrf_sm_config *cfg, const struct smrf_sm_kernel *k)
{
    return round_up_(thread_registers_(cfg, k->registers), register_unit_(cfg));
}

unsigned smrf_sm_occupancy(const struct smrf_sm_config *cfg, const struct smrf_sm_kernel *k,
                           const char **limit)
{
    uint32_t lanes = k->warps_per_block * SMRF_LANES;
    const struct {
        uint32_t have, need;
        const char *key;
    } limits[] = {
        {cfg->sm.threads, lanes, "sm.threads"},
        {cfg->sm.warps, k->warps_per_block, "sm.warps"},
        {cfg->sm.blocks, 1, "sm.blocks"},
        {cfg->sm.registers, lanes * thread_registers_(cfg, k->registers), "sm.registers"},
        {cfg->sm.shared_bytes, k->shared_bytes, "sm.shared_bytes"},
    };
    unsigned best = UINT32_MAX;
    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
        unsigned blocks = limits[i].need ? limits[i].have / limits[i].need : UINT32_MAX;
        if (blocks < best) {
            best = blocks;
            if (limit) {
                *limit = limits[i].key;
            }
        }
    }
    uint32_t warps = (k->warps_per_block + cfg->sm.subcores - 1) / cfg->sm.subcores;
    if (best && warps * warp_registers_(cfg, k) > smrf_sm_rows(cfg)) {
        best = 0; /* enough registers in the SM, but not in one sub-core */
        if (limit) {
            *limit = "sm.registers";
        }
    }
    return best;
}

/* First fit in a sub-core's allocation map. Returns the first unit or -1. */
static int find_units_(const uint64_t *map, uint32_t units, uint32_t total)
{
    uint32_t run = 0;
    for (uint32_t u = 0; u < total; u++) {
        run = map[u / 64] >> (u % 64) & 1 ? 0 : run + 1;
        if (run == units) {
            return (int)(u + 1 - units);
        }
    }
    return -1;
}

static void mark_units_(uint64_t *map, uint32_t first, uint32_t units, bool used)
{
    for (uint32_t u = first; u < first + units; u++) {
        if (used) {
            map[u / 64] |= UINT64_C(1) << (u % 64);
        } else {
            map[u / 64] &= ~(UINT64_C(1) << (u % 64));
        }
    }
}

/* First warp slot for a block, at a multiple of its size as Accel-Sim places them; -1: none. */
static int find_warp_slots_(const struct smrf_sm *sm)
{
    unsigned n = sm->kernel.warps_per_block;
    uint64_t need = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    for (unsigned w = 0; w + n <= sm->cfg.sm.warps; w += n) {
        if ((sm->free_warps >> w & need) == need) {
            return (int)w;
        }
    }
    return -1;
}

/* Would every sub-core have the registers for the block's warps? */
static bool registers_fit_(const struct smrf_sm *sm, unsigned first)
{
    uint32_t units = warp_registers_(&sm->cfg, &sm->kernel) / sm->unit;
    for (unsigned sub = 0; sub < sm->subs; sub++) {
        uint64_t map[64];
        memcpy(map, sm->rows_used[sub], sizeof map);
        for (unsigned i = 0; i < sm->kernel.warps_per_block; i++) {
            if (smrf_sm_sub_of(sm, first + i) != sub) {
                continue;
            }
            int at = find_units_(map, units, sm->rows / sm->unit);
            if (at < 0) {
                return false;
            }
            mark_units_(map, (uint32_t)at, units, true);
        }
    }
    return true;
}

bool smrf_sm_has_room(const struct smrf_sm *sm)
{
    const struct smrf_sm_kernel *k = &sm->kernel;
    uint32_t lanes = k->warps_per_block * SMRF_LANES;
    int first = find_warp_slots_(sm);
    return sm->free_blocks && first >= 0 && sm->resident_threads + lanes <= sm->cfg.sm.threads &&
           sm->registers_used + lanes * thread_registers_(&sm->cfg, k->registers) <=
               sm->cfg.sm.registers &&
           sm->shared_used + k->shared_bytes <= sm->cfg.sm.shared_bytes &&
           registers_fit_(sm, (unsigned)first);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void start_warp_(struct smrf_sm *sm, unsigned warp, unsigned block_slot, unsigned index)
{
    struct smrf_sm_warp *w = &sm->warp[warp];
    unsigned sub = smrf_sm_sub_of(sm, warp);
    uint64_t bit = UINT64_C(1) << smrf_sm_k_of(sm, warp);
    uint32_t registers = warp_registers_(&sm->cfg, &sm->kernel);
    int unit = find_units_(sm->rows_used[sub], registers / sm->unit, sm->rows / sm->unit);
    const struct smrf_mechanism *mech = sm->links.mechanism;
    uint32_t left = sm->kernel.threads_per_block - index * SMRF_LANES;

    SMRF_ASSERT(unit >= 0 && w->count == 0);
    mark_units_(sm->rows_used[sub], (uint32_t)unit, registers / sm->unit, true);
    *w = (struct smrf_sm_warp){
        .block = sm->block[block_slot].handle,
        .left = sm->links.source.length(sm->links.source.ctx, sm->block[block_slot].handle, index),
        .index = index,
        .block_slot = (uint8_t)block_slot,
        .base = (uint16_t)((uint32_t)unit * sm->unit),
        .registers = (uint16_t)registers,
        .resident = true,
    };
    smrf_simt_reset(&sm->links.simt[warp], left >= SMRF_LANES ? UINT32_MAX : (1u << left) - 1);
    const struct smrf_issue_parts *issue = &sm->sub[sub].blocks.issue->parts;
    issue->dependence_ops->start(issue->dependence, smrf_sm_k_of(sm, warp));
    issue->scheduler_ops->start(issue->scheduler, smrf_sm_k_of(sm, warp), sm->launches++);
    smrf_oracle_start(sm->oracle, warp, sm->links.source.number(sm->links.source.ctx, w->block),
                      index);
    if (mech->warp && mech->warp->start) {
        mech->warp->start(sm->links.mechanism_state, warp, w->base, registers);
    }
    sm->sub[sub].resident |= bit;
    sm->sub[sub].ended &= ~bit;
    sm->free_warps &= ~(UINT64_C(1) << warp);
    sm->fetch_need |= UINT64_C(1) << warp;
    sm->resident_warps++;
}

void smrf_sm_launch_block(struct smrf_sm *sm, void *handle)
{
    const struct smrf_sm_kernel *k = &sm->kernel;
    int first = find_warp_slots_(sm);
    unsigned slot = (unsigned)__builtin_ctz(sm->free_blocks);

    SMRF_ASSERT(sm->wants_block && first >= 0);
    sm->free_blocks &= sm->free_blocks - 1;
    uint64_t members =
        (k->warps_per_block == 64 ? UINT64_MAX : (UINT64_C(1) << k->warps_per_block) - 1) << first;
    sm->block[slot] = (struct smrf_sm_block){
        .handle = handle, .warps = members, .members = members, .running = members};
    for (unsigned i = 0; i < k->warps_per_block; i++) {
        start_warp_(sm, (unsigned)first + i, slot, i);
    }
    sm->resident_blocks++;
    sm->resident_threads += k->warps_per_block * SMRF_LANES;
    sm->registers_used +=
        k->warps_per_block * SMRF_LANES * thread_registers_(&sm->cfg, k->registers);
    sm->shared_used += k->shared_bytes;
    sm->placed++;
    sm->awake = true;
    sm->last_progress = sm->cycle;
    sm->wants_block =
        sm->more_blocks && sm->placed < sm->cfg.gpu.blocks_per_cycle && smrf_sm_has_room(sm);
}

static void finish_block_(struct smrf_sm *sm, unsigned slot)
{
    const struct smrf_sm_kernel *k = &sm->kernel;
    struct smrf_sm_block *b = &sm->block[slot];

    sm->free_warps |= b->members;
    sm->free_blocks |= UINT32_C(1) << slot;
    sm->resident_blocks--;
    sm->resident_threads -= k->warps_per_block * SMRF_LANES;
    sm->registers_used -=
        k->warps_per_block * SMRF_LANES * thread_registers_(&sm->cfg, k->registers);
    sm->shared_used -= k->shared_bytes;
    sm->stats.blocks++;
    sm->links.source.block_done(sm->links.source.ctx, b->handle, sm->cycle);
    b->handle = NULL;
}

/* A barrier is passed when every warp that still has instructions waits at it. */
static void try_barrier_(struct smrf_sm *sm, struct smrf_sm_block *b)
{
    if (!b->waiting || b->running & ~b->waiting) {
        return;
    }
    for (uint64_t m = b->waiting; m; m &= m - 1) {
        unsigned warp = (unsigned)__builtin_ctzll(m);
        sm->warp[warp].at_barrier = false;
        sm->sub[smrf_sm_sub_of(sm, warp)].barrier &= ~(UINT64_C(1) << smrf_sm_k_of(sm, warp));
    }
    b->waiting = 0;
    sm->stats.barriers++;
    sm->progress = true;
}

void smrf_sm_reach_barrier(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_block *b = &sm->block[sm->warp[warp].block_slot];
    sm->warp[warp].at_barrier = true;
    sm->sub[smrf_sm_sub_of(sm, warp)].barrier |= UINT64_C(1) << smrf_sm_k_of(sm, warp);
    b->waiting |= UINT64_C(1) << warp;
    try_barrier_(sm, b);
}

/* The last instruction of a warp has been issued: nobody waits for it at a barrier any more.
 * Source: Accel-Sim trace_shader_core_ctx::func_exec_inst, barrier_set_t::warp_exit. */
void smrf_sm_warp_ended(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_block *b = &sm->block[sm->warp[warp].block_slot];
    sm->sub[smrf_sm_sub_of(sm, warp)].ended |= UINT64_C(1) << smrf_sm_k_of(sm, warp);
    b->running &= ~(UINT64_C(1) << warp);
    try_barrier_(sm, b);
}

/* A warp exits when its trace has ended, nothing of it is in flight and its stores are answered. */
void smrf_sm_check_exit(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_warp *w = &sm->warp[warp];
    const struct smrf_mechanism *mech = sm->links.mechanism;
    unsigned sub = smrf_sm_sub_of(sm, warp);
    uint64_t bit = UINT64_C(1) << smrf_sm_k_of(sm, warp);

    if (!w->resident || w->left || w->count || w->inflight || w->stores) {
        return;
    }
    if (mech->warp && mech->warp->exit) {
        mech->warp->exit(sm->links.mechanism_state, warp);
    }
    w->resident = false;
    sm->sub[sub].resident &= ~bit;
    sm->sub[sub].barrier &= ~bit;
    sm->resident_warps--;
    sm->stats.warps++;
    mark_units_(sm->rows_used[sub], w->base / sm->unit, w->registers / sm->unit, false);
    struct smrf_sm_block *b = &sm->block[w->block_slot];
    b->warps &= ~(UINT64_C(1) << warp);
    b->waiting &= ~(UINT64_C(1) << warp);
    sm->progress = true;
    if (b->warps == 0) {
        finish_block_(sm, w->block_slot);
    }
}

/* --- fetch -------------------------------------------------------------------------------------- */

/* The instructions just fetched may still be on their way to the instruction cache. */
static void wait_for_icache_(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_warp *w = &sm->warp[warp];
    uint64_t ready = sm->cycle;
    for (unsigned i = 0; i < w->count; i++) {
        uint64_t at = smrf_icache_fetch(&sm->icache, sm->ibuffer[warp][i].op->pc, sm->cycle);
        ready = at > ready ? at : ready;
    }
    if (ready > sm->cycle) {
        w->blocked_until = ready > w->blocked_until ? ready : w->blocked_until;
        sm->sub[smrf_sm_sub_of(sm, warp)].blocked |= UINT64_C(1) << smrf_sm_k_of(sm, warp);
    }
}

/* Fill the empty instruction buffer of a warp. */
static void decode_(struct smrf_sm *sm, unsigned warp)
{
    struct smrf_sm_warp *w = &sm->warp[warp];
    w->head = 0;
    for (; w->count < sm->cfg.frontend.ibuffer && w->left; w->left--) {
        struct smrf_inst *inst = &sm->ibuffer[warp][w->count];
        int got = sm->links.source.next(sm->links.source.ctx, w->block, w->index, inst);
        if (got <= 0) {
            sm->error = sm->error ? sm->error : got < 0 ? got : SMRF_ERR_CORRUPT;
            break;
        }
        if (inst->values) {
            sm->ibuffer_values[warp][w->count] = *inst->values;
            inst->values = &sm->ibuffer_values[warp][w->count];
        }
        w->count++;
    }
    if (w->count) {
        if (sm->cfg.frontend.icache_bytes) {
            wait_for_icache_(sm, warp);
        }
        smrf_sm_head_changed(sm, warp);
    } else {
        smrf_sm_warp_ended(sm, warp); /* the trace holds nothing of it */
        smrf_sm_check_exit(sm, warp);
    }
    sm->progress = true;
}

/* Fetch and decode: fetch_warps times, decode what was fetched before, then fetch the next warp
 * whose buffer is empty, round robin. The last fetch of a cycle is decoded in the next. */
void smrf_sm_fetch(struct smrf_sm *sm)
{
    for (unsigned i = 0; i < sm->cfg.frontend.fetch_warps; i++) {
        if (sm->fetched >= 0) {
            decode_(sm, (unsigned)sm->fetched);
            sm->fetched = -1;
        }
        if (!sm->fetch_need) {
            break;
        }
        unsigned first = (sm->last_fetched + 1) & 63;
        uint64_t after = sm->fetch_need & (UINT64_MAX << first);
        unsigned warp = (unsigned)__builtin_ctzll(first && after ? after : sm->fetch_need);
        sm->fetch_need &= ~(UINT64_C(1) << warp);
        sm->last_fetched = warp;
        sm->fetched = (int32_t)warp;
        sm->progress = true;
    }
}

int smrf_sm_front_init(struct smrf_sm *sm)
{
    sm->fetched = -1;
    sm->last_fetched = 0; /* as Accel-Sim m_last_warp_fetched: warp 1 is the first of all */
    sm->free_warps = sm->cfg.sm.warps == 64 ? UINT64_MAX : (UINT64_C(1) << sm->cfg.sm.warps) - 1;
    sm->free_blocks = (uint32_t)((UINT64_C(1) << sm->cfg.sm.blocks) - 1);
    sm->rows = smrf_sm_rows(&sm->cfg);
    sm->unit = register_unit_(&sm->cfg);
    return sm->rows / sm->unit > 64 * 64 ? SMRF_ERR_LIMIT : SMRF_OK;
}
