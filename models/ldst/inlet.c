/* SPDX-License-Identifier: Apache-2.0 */
#include "inlet.h"

#include "models/common/smrf_assert.h"

#include <string.h>

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

static void answered_(void *ctx, uint32_t flight)
{
    struct smrf_ldst_inlet *in = ctx;
    in->moved = true;
    in->wires->answered(in->wires->ctx, flight);
}

static void stores_(void *ctx, uint32_t warp, int32_t delta)
{
    struct smrf_ldst_inlet *in = ctx;
    in->moved = true;
    in->wires->stores(in->wires->ctx, warp, delta);
}

struct smrf_ldst_events smrf_ldst_inlet_events(struct smrf_ldst_inlet *in)
{
    return (struct smrf_ldst_events){in, complete_, write_back_, answered_, stores_};
}

void smrf_ldst_inlet_init(struct smrf_ldst_inlet *in)
{
    in->stats = (struct smrf_inlet_stats){0};
    in->moved = false;
    smrf_merges_reset(in->merges);
}

void smrf_ldst_inlet_begin_kernel(struct smrf_ldst_inlet *in, const struct smrf_sm_kernel *kernel,
                                  unsigned blocks)
{
    in->shared_window = kernel->shared_window;
    in->local_window = kernel->local_window;
    smrf_ldst_begin_kernel(in->ldst, blocks * kernel->shared_bytes);
    smrf_ldst_order_local(in->ldst, kernel->warps_per_block, blocks);
}

bool smrf_ldst_inlet_free(const struct smrf_ldst_inlet *in)
{
    return smrf_ldst_free(in->ldst) && smrf_merges_room(in->merges);
}

/* The verdict has been given: the load takes another way than the load/store unit. late: cycles
 * until the verdict takes effect. */
static void divert_(struct smrf_ldst_inlet *in, uint32_t flight, unsigned verdict,
                    const struct smrf_memory_answer *answer, uint32_t late, uint64_t cycle)
{
    if (verdict == SMRF_MEMORY_MERGE) {
        in->stats.merged_loads++;
        smrf_merges_add(in->merges, flight, answer, cycle + 1 + late);
        return;
    }
    in->stats.shared_loads++;
    in->flights->record[flight].shared = true;
    if (answer->delay != SMRF_MEMORY_WAIT) {
        in->wires->later(in->wires->ctx, flight, cycle + 1 + late + answer->delay);
    }
}

/* What the mechanism makes of a load. Returns whether it goes its usual way. */
static bool ask_(struct smrf_ldst_inlet *in, const struct smrf_memory_request *r, uint64_t cycle)
{
    struct smrf_flight *f = &in->flights->record[r->flight];
    struct smrf_memory_answer answer;
    uint32_t late = 0;
    answer.delay = 0;
    answer.collector = 0;
    memcpy(answer.at, f->dst, sizeof answer.at);
    const struct smrf_wires *w = in->wires;
    unsigned verdict = w->map(w->ctx, SMRF_MAP_ADDRESS, r, &answer);
    if (verdict == SMRF_MEMORY_ISSUE && smrf_ldst_probe_to_l1(in->ldst)) {
        late = in->l1_latency;
        verdict =
            w->map(w->ctx, smrf_ldst_probe_readable(in->ldst) ? SMRF_MAP_READABLE : SMRF_MAP_MISSES,
                   r, &answer);
    } else if (verdict == SMRF_MEMORY_ISSUE && smrf_ldst_probe_past_l1(in->ldst)) {
        verdict = w->map(w->ctx, SMRF_MAP_MISSES, r, &answer); /* no L1 is waited for */
    }
    memcpy(f->dst, answer.at, sizeof f->dst);
    if (verdict != SMRF_MEMORY_ISSUE) {
        divert_(in, r->flight, verdict, &answer, late, cycle);
    }
    return verdict == SMRF_MEMORY_ISSUE;
}

/* A load of the trace that brings something to a register. */
static bool loads_(const struct smrf_flight *f)
{
    return f->op->op_class == SMRF_CLASS_LOAD && !f->micro && f->num_dst && f->mask;
}

/* The mechanism sees the request. Returns whether the load/store unit does, too. */
static bool show_(struct smrf_ldst_inlet *in, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &in->flights->record[flight];
    struct smrf_memory_request r = {
        .f = f, .inst = &in->flights->memory[flight].inst, .cycle = cycle, .flight = flight};
    const struct smrf_sector *sectors;
    uint32_t count;
    r.space = (uint8_t)smrf_ldst_probe_sectors(in->ldst, &sectors, &count);
    if (loads_(f) && r.space != SMRF_SPACE_NONE) {
        return ask_(in, &r, cycle);
    }
    if (f->op->op_class != SMRF_CLASS_LOAD && count) {
        in->wires->stored(in->wires->ctx, &r);
    }
    return true;
}

void smrf_ldst_inlet_take(struct smrf_ldst_inlet *in, uint32_t flight, uint64_t cycle)
{
    const struct smrf_flight *f = &in->flights->record[flight];
    const struct smrf_ldst_inst entering = {flight, f->warp, &in->flights->memory[flight].inst,
                                            in->shared_window, in->local_window};
    if (f->op->op_class == SMRF_CLASS_MEMBAR) {
        if (in->wires->mapped) {
            in->wires->fenced(in->wires->ctx, flight);
        }
        in->wires->later(in->wires->ctx, flight, cycle + 1);
        return;
    }
    smrf_ldst_generate(in->ldst, &entering);
    if (!in->wires->mapped || show_(in, flight, cycle)) {
        smrf_ldst_enter(in->ldst, &entering, cycle);
    }
}

void smrf_ldst_inlet_finish(struct smrf_ldst_inlet *in, uint32_t flight, uint64_t cycle)
{
    if (in->flights->record[flight].unit == SMRF_UNIT_MERGE) {
        smrf_merges_release(in->merges, flight, cycle + 1);
        return;
    }
    SMRF_ASSERT(in->flights->record[flight].shared);
    in->wires->later(in->wires->ctx, flight, cycle + 1);
}

void smrf_ldst_inlet_retired(struct smrf_ldst_inlet *in, uint32_t flight)
{
    const struct smrf_flight *f = &in->flights->record[flight];
    if (in->wires->mapped && loads_(f)) {
        in->wires->loaded(in->wires->ctx, flight);
    }
}
