/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks and warps: their limits, their start and their end. */
#include "frontend_internal.h"

#include <string.h>

int smrf_frontend_init(struct smrf_frontend *fe, struct smrf_frontend_store *store,
                       const struct smrf_frontend_config *cfg,
                       const struct smrf_frontend_links *links)
{
    fe->values = store->values;
    fe->cfg = *cfg;
    fe->links = *links;
    if (!links->fetch_ops) {
        fe->links.fetch_ops = cfg->frontend.refill ? &smrf_fetch_early_ops : &smrf_fetch_round_ops;
        fe->links.fetch = &fe->own_fetch;
    }
    const int err = smrf_allotment_init(&fe->allotment, &cfg->sm, cfg->rf.banks);
    if (!err) {
        smrf_frontend_reset(fe);
    }
    return err;
}

void smrf_frontend_reset(struct smrf_frontend *fe)
{
    const struct smrf_sm_params *sm = &fe->cfg.sm;
    fe->stats = (struct smrf_frontend_stats){0};
    fe->kernel = (struct smrf_sm_kernel){0};
    smrf_allotment_reset(&fe->allotment);
    fe->links.fetch_ops->reset(fe->links.fetch);
    fe->asks = fe->links.fetch_ops->wants != NULL || fe->cfg.frontend.l0_bytes;
    fe->launches = 0;
    fe->fetch_need = fe->over = 0;
    fe->free_warps = sm->warps == 64 ? UINT64_MAX : (UINT64_C(1) << sm->warps) - 1;
    fe->free_blocks = UINT64_MAX >> (64 - sm->blocks);
    fe->resident_blocks = 0;
    fe->resident_threads = 0;
    fe->shared_used = 0;
    fe->placed = 0;
    fe->next_registers = 0;
    fe->fetched = 0;
    fe->error = 0;
    fe->more = false;
    fe->wants = false;
    fe->full = false;
    memset(fe->warp, 0, sizeof fe->warp);
    memset(fe->block, 0, sizeof fe->block);
}

/* Ask for the registers of the next block. */
static void decide_registers_(struct smrf_frontend *fe)
{
    fe->next_registers = smrf_allotment_of_thread(&fe->cfg.sm, &fe->kernel, fe->links.allotment,
                                                  fe->links.mechanism_state);
}

/* --- room ------------------------------------------------------------------------------------- */

/* A mask of the lowest n warp slots. */
static uint64_t lowest_(unsigned n)
{
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* First warp slot for a block, at a multiple of its size as Accel-Sim places them; -1: none. */
static int find_slots_(const struct smrf_frontend *fe)
{
    unsigned n = fe->kernel.warps_per_block;
    for (unsigned w = 0; w + n <= fe->cfg.sm.warps; w += n) {
        if ((fe->free_warps >> w & lowest_(n)) == lowest_(n)) {
            return (int)w;
        }
    }
    return -1;
}

/* Blocks that may be resident, beyond what they take. */
static uint32_t most_blocks_(const struct smrf_frontend *fe)
{
    const struct smrf_allotment_seam *seam = fe->links.allotment;
    return seam && seam->as_kernel && fe->next_registers == 0 ? fe->kernel_blocks : UINT32_MAX;
}

static bool has_room_(struct smrf_frontend *fe)
{
    const struct smrf_sm_kernel *k = &fe->kernel;
    const int first = fe->free_warps ? find_slots_(fe) : -1;
    if (first < 0 || !fe->free_blocks ||
        fe->resident_threads + k->warps_per_block * SMRF_LANES > fe->cfg.sm.threads ||
        fe->shared_used + k->shared_bytes > fe->cfg.sm.shared_bytes) {
        return false;
    }
    decide_registers_(fe);
    return fe->resident_blocks < most_blocks_(fe) &&
           smrf_allotment_fits(&fe->allotment, (unsigned)first, k->warps_per_block,
                               fe->next_registers);
}

void smrf_frontend_look_for_room(struct smrf_frontend *fe)
{
    const bool may = fe->more && fe->placed < fe->cfg.gpu.blocks_per_cycle;
    fe->wants = may && has_room_(fe);
    fe->full = may && !fe->wants;
}

unsigned smrf_frontend_fit(const struct smrf_frontend *fe, const struct smrf_sm_kernel *kernel,
                           const char **limit)
{
    const uint32_t registers = smrf_allotment_of_thread(&fe->cfg.sm, kernel, fe->links.allotment,
                                                        fe->links.mechanism_state);
    return smrf_allotment_occupancy(&fe->cfg.sm, fe->cfg.rf.banks, kernel, registers, limit);
}

unsigned smrf_frontend_most_blocks(const struct smrf_frontend *fe)
{
    const unsigned fit = smrf_frontend_fit(fe, &fe->kernel, NULL);
    return fe->kernel.share && fe->kernel.share < fit ? fe->kernel.share : fit;
}

void smrf_frontend_begin_kernel(struct smrf_frontend *fe, const struct smrf_sm_kernel *kernel)
{
    SMRF_ASSERT(fe->resident_blocks == 0);
    fe->kernel = *kernel;
    fe->kernel_blocks =
        smrf_allotment_occupancy(&fe->cfg.sm, fe->cfg.rf.banks, kernel,
                                 smrf_allotment_of_thread(&fe->cfg.sm, kernel, NULL, NULL), NULL);
    fe->placed = 0;
    fe->more = true;
    smrf_frontend_look_for_room(fe);
}

void smrf_frontend_set_more(struct smrf_frontend *fe, bool more)
{
    fe->more = more;
    fe->wants = fe->wants && more;
}

/* --- start ------------------------------------------------------------------------------------ */

static unsigned sub_of_(const struct smrf_frontend *fe, unsigned warp)
{
    return warp & (fe->cfg.sm.subcores - 1);
}

static void start_warp_(struct smrf_frontend *fe, unsigned warp, unsigned block_slot,
                        unsigned index)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    const struct smrf_inst_source *source = &fe->links.source;
    const struct smrf_block_record *block = &fe->block[block_slot].record;
    void *handle = fe->block[block_slot].handle;
    uint32_t threads = fe->kernel.threads_per_block - index * SMRF_LANES;
    uint32_t registers = smrf_allotment_of_warp(&fe->allotment, block->registers);
    int base = registers ? smrf_allotment_take(&fe->allotment, sub_of_(fe, warp), registers) : 0;

    SMRF_ASSERT(base >= 0 && w->count == 0);
    *w = (struct smrf_frontend_warp){
        .block = handle,
        .left = source->length(source->ctx, handle, index),
        .index = index,
        .block_slot = (uint8_t)block_slot,
        .base = (uint16_t)base,
        .registers = (uint16_t)registers,
        .resident = true,
    };
    fe->free_warps &= ~(UINT64_C(1) << warp);
    fe->fetch_need |= UINT64_C(1) << warp;
    const struct smrf_warp_start start = {
        .age = fe->launches++,
        .block = block->number,
        .index = index,
        .lanes = threads >= SMRF_LANES ? UINT32_MAX : (1u << threads) - 1,
        .base = w->base,
        .registers = w->registers,
    };
    fe->links.wires.start(fe->links.wires.ctx, warp, &start);
    if (fe->links.warp && fe->links.warp->start) {
        fe->links.warp->start(fe->links.mechanism_state, warp, w->base, w->registers);
    }
}

void smrf_frontend_launch(struct smrf_frontend *fe, void *handle, uint64_t cycle)
{
    const struct smrf_sm_kernel *k = &fe->kernel;
    const struct smrf_inst_source *source = &fe->links.source;
    const struct smrf_block_seam *seam = fe->links.block;
    int first = find_slots_(fe);
    unsigned slot = (unsigned)__builtin_ctzll(fe->free_blocks);
    struct smrf_frontend_block *b = &fe->block[slot];

    SMRF_ASSERT(fe->wants && first >= 0);
    fe->free_blocks &= fe->free_blocks - 1;
    *b = (struct smrf_frontend_block){.handle = handle};
    b->warps = b->running = lowest_(k->warps_per_block) << first;
    b->record = (struct smrf_block_record){
        .number = source->number(source->ctx, handle),
        .first = cycle,
        .warps = b->warps,
        .registers = fe->next_registers,
        .slot = slot,
    };
    smrf_allotment_count(&fe->allotment, k->warps_per_block, fe->next_registers, true);
    if (seam && seam->placed) {
        seam->placed(fe->links.mechanism_state, &b->record);
    }
    for (unsigned i = 0; i < k->warps_per_block; i++) {
        start_warp_(fe, (unsigned)first + i, slot, i);
    }
    fe->resident_blocks++;
    fe->resident_threads += k->warps_per_block * SMRF_LANES;
    fe->shared_used += k->shared_bytes;
    fe->placed++;
    smrf_frontend_look_for_room(fe);
}

int smrf_frontend_allot(struct smrf_frontend *fe, unsigned warp, uint32_t registers)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    const struct smrf_sm_params *sm = &fe->cfg.sm;
    uint32_t later = (registers + sm->register_unit - 1) / sm->register_unit * sm->register_unit;
    uint32_t physical = smrf_allotment_of_warp(&fe->allotment, later);

    SMRF_ASSERT(w->resident && w->registers == 0 && registers > 0);
    if (fe->allotment.threads_used + SMRF_LANES * later > sm->registers) {
        return -1;
    }
    int base = smrf_allotment_take(&fe->allotment, sub_of_(fe, warp), physical);
    if (base < 0) {
        return -1;
    }
    smrf_allotment_count(&fe->allotment, 1, later, true);
    w->base = (uint16_t)base;
    w->registers = (uint16_t)physical;
    w->later = (uint16_t)later;
    fe->links.wires.allotted(fe->links.wires.ctx, warp, w->base, w->registers);
    return base;
}

void smrf_frontend_release(struct smrf_frontend *fe, unsigned warp)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    SMRF_ASSERT(w->resident && w->later);
    smrf_allotment_give(&fe->allotment, sub_of_(fe, warp), w->base, w->registers);
    smrf_allotment_count(&fe->allotment, 1, w->later, false);
    w->base = w->registers = w->later = 0;
    fe->full = false;
    fe->links.wires.allotted(fe->links.wires.ctx, warp, 0, 0);
}

void smrf_frontend_issued(struct smrf_frontend *fe, unsigned warp, unsigned lanes, bool micro)
{
    struct smrf_block_record *r = &fe->block[fe->warp[warp].block_slot].record;
    r->warp_insts += !micro;
    r->thread_insts += micro ? 0 : lanes;
    r->micro_insts += micro;
}

/* --- end -------------------------------------------------------------------------------------- */

static void finish_block_(struct smrf_frontend *fe, unsigned slot, uint64_t cycle)
{
    const struct smrf_sm_kernel *k = &fe->kernel;
    const struct smrf_block_seam *seam = fe->links.block;
    struct smrf_frontend_block *b = &fe->block[slot];

    fe->free_warps |= b->record.warps;
    fe->free_blocks |= UINT64_C(1) << slot;
    fe->resident_blocks--;
    fe->resident_threads -= k->warps_per_block * SMRF_LANES;
    fe->shared_used -= k->shared_bytes;
    smrf_allotment_count(&fe->allotment, k->warps_per_block, b->record.registers, false);
    fe->stats.blocks++;
    fe->links.source.block_done(fe->links.source.ctx, b->handle, cycle);
    b->handle = NULL;
    b->record.last = cycle;
    if (seam && seam->finished) {
        seam->finished(fe->links.mechanism_state, &b->record);
    }
}

void smrf_frontend_drained(struct smrf_frontend *fe, unsigned warp, uint64_t cycle)
{
    const struct smrf_frontend_warp *w = &fe->warp[warp];
    if (!w->resident || w->left || w->count) {
        return;
    }
    if (fe->cfg.frontend.exit_at_fetch) {
        fe->over |= UINT64_C(1) << warp;
    } else {
        smrf_frontend_exit(fe, warp, cycle);
    }
}

void smrf_frontend_exit(struct smrf_frontend *fe, unsigned warp, uint64_t cycle)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    struct smrf_frontend_block *b = &fe->block[w->block_slot];

    fe->over &= ~(UINT64_C(1) << warp);
    fe->full = false;
    w->resident = false;
    fe->stats.warps++;
    smrf_allotment_give(&fe->allotment, sub_of_(fe, warp), w->base, w->registers);
    smrf_allotment_count(&fe->allotment, 1, w->later, false);
    fe->links.wires.exit(fe->links.wires.ctx, warp);
    if (fe->links.warp && fe->links.warp->exit) {
        fe->links.warp->exit(fe->links.mechanism_state, warp);
    }
    b->warps &= ~(UINT64_C(1) << warp);
    b->waiting &= ~(UINT64_C(1) << warp);
    if (b->warps == 0) {
        finish_block_(fe, w->block_slot, cycle);
    }
}
