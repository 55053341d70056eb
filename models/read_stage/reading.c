/* SPDX-License-Identifier: Apache-2.0 */
/* Read stages as a part of a sub-core. */
#include "read_stage.h"

static void reset_(void *r)
{
    smrf_read_stage_reset(r);
}

static void commit_(void *r, uint32_t flight, uint64_t cycle)
{
    smrf_read_stage_enter(r, flight, cycle);
}

static void forward_(void *r, const struct smrf_write *w)
{
    smrf_read_stage_forward(r, w);
}

static const char *place_(const void *r, uint32_t flight)
{
    return smrf_read_stage_place(r, flight);
}

static bool vacant_(const void *r)
{
    return smrf_read_stage_vacant(r);
}

static void merge_(void *r, uint32_t flight, uint64_t cycle)
{
    smrf_read_stage_merge(r, flight, cycle);
}

static bool step_(void *r, uint64_t cycle)
{
    return smrf_read_stage_step(r, cycle);
}

static uint64_t next_(const void *r, uint64_t cycle)
{
    return smrf_read_stage_next(r, cycle);
}

static void drained_(void *r, unsigned unit)
{
    smrf_read_stage_drained(r, unit);
}

static bool port_(void *r, unsigned bank)
{
    return smrf_read_stage_port(r, bank);
}

static const struct smrf_collector_stats *stats_(const void *r)
{
    return &((const struct smrf_read_stage *)r)->stats;
}

struct smrf_reading smrf_read_stage_reading(struct smrf_read_stage *r)
{
    static const struct smrf_reading_ops ops = {
        .reset = reset_,
        .step = step_,
        .next = next_,
        .drained = drained_,
        .port = port_,
        .stats = stats_,
        .commit = commit_,
        .forward = forward_,
        .place = place_,
        .vacant = vacant_,
        .merge = merge_,
    };
    const struct smrf_reading reading = {&ops, r, &r->free, &r->held, &r->queued};
    return reading;
}
