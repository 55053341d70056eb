/* SPDX-License-Identifier: Apache-2.0 */
#include "inlet.h"

static void complete_(void *ctx, uint32_t flight, uint64_t cycle)
{
    struct smrf_ldst_inlet *in = ctx;
    (void)cycle;
    in->moved = true;
    in->wires->portless(in->wires->ctx, flight);
}

static bool write_back_(void *ctx, uint32_t flight, bool last, uint64_t cycle)
{
    struct smrf_ldst_inlet *in = ctx;
    (void)cycle;
    in->moved = true;
    return in->wires->offer(in->wires->ctx, flight, last);
}

static void stores_(void *ctx, uint32_t warp, int32_t delta)
{
    struct smrf_ldst_inlet *in = ctx;
    in->moved = true;
    in->wires->stores(in->wires->ctx, warp, delta);
}

struct smrf_ldst_events smrf_ldst_inlet_events(struct smrf_ldst_inlet *in)
{
    return (struct smrf_ldst_events){in, complete_, write_back_, stores_};
}

void smrf_ldst_inlet_take(struct smrf_ldst_inlet *in, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &in->flights->record[flight];
    const struct smrf_inst *inst = &in->flights->memory[flight];
    uint32_t delay = 0;

    if (f->op->op_class == SMRF_CLASS_MEMBAR) {
        in->wires->later(in->wires->ctx, flight, cycle + 1);
    } else if (in->seam && in->seam->access(in->state, f, inst, &delay)) {
        in->wires->later(in->wires->ctx, flight, cycle + 1 + delay);
    } else {
        const struct smrf_ldst_inst entering = {flight, f->warp, inst, in->shared_window,
                                                in->local_window};
        smrf_ldst_accept(in->ldst, &entering, cycle);
    }
}
