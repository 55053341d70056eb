/* SPDX-License-Identifier: Apache-2.0 */
/* Thread-block barriers. */
#include "frontend_internal.h"

static void report_(const struct smrf_frontend *fe, unsigned warp, bool waits)
{
    const struct smrf_warp_seam *seam = fe->links.warp;
    fe->links.wires.barrier(fe->links.wires.ctx, warp, waits);
    if (seam && seam->barrier) {
        seam->barrier(fe->links.mechanism_state, warp, waits);
    }
}

/* A barrier is passed when every warp that still has instructions waits at it. */
static void try_(struct smrf_frontend *fe, struct smrf_frontend_block *b)
{
    if (!b->waiting || b->running & ~b->waiting) {
        return;
    }
    for (uint64_t m = b->waiting; m; m &= m - 1) {
        report_(fe, (unsigned)__builtin_ctzll(m), false);
    }
    b->waiting = 0;
    fe->stats.barriers++;
}

void smrf_frontend_reach_barrier(struct smrf_frontend *fe, unsigned warp)
{
    struct smrf_frontend_block *b = &fe->block[fe->warp[warp].block_slot];
    b->waiting |= UINT64_C(1) << warp;
    report_(fe, warp, true);
    try_(fe, b);
}

/* No barrier waits for this warp any more.
 * Source: Accel-Sim trace_shader_core_ctx::func_exec_inst, barrier_set_t::warp_exit. */
void smrf_frontend_ended(struct smrf_frontend *fe, unsigned warp)
{
    struct smrf_frontend_block *b = &fe->block[fe->warp[warp].block_slot];
    fe->links.wires.ended(fe->links.wires.ctx, warp);
    b->running &= ~(UINT64_C(1) << warp);
    try_(fe, b);
}
