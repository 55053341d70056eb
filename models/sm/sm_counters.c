/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of an SM: those that its script keeps, and the blocks' when asked. */
#include "sm_state.h"

/* Counters that blocks keep: their sums over the sub-cores. */
static void gather_issue_(struct smrf_sm_stats *to, const struct smrf_issue_stats *from)
{
#define ADD(name) to->name += from->name;
    SMRF_ISSUE_STATS(ADD)
#undef ADD
    for (unsigned i = 0; i < SMRF_STALL_COUNT; i++) {
        to->stall[i] += from->stall[i];
    }
    for (unsigned i = 0; i < SMRF_CLASS_COUNT; i++) {
        to->warp_insts_by_class[i] += from->by_class[i].warp_insts;
        to->thread_insts_by_class[i] += from->by_class[i].thread_insts;
    }
}

#define GATHER(name, unit, meaning) to->name += from->name;
static void gather_sub_(struct smrf_sm_stats *to, const struct smrf_subcore_blocks *b)
{
    gather_issue_(to, &b->issue->stats);
    {
        const struct smrf_collector_stats stats = b->reading.ops
                                                      ? *b->reading.ops->stats(b->reading.state)
                                                      : smrf_collectors_statistics(b->collectors);
        const struct smrf_collector_stats *from = &stats;
        SMRF_COLLECTOR_STATS(GATHER)
    }
    {
        const struct smrf_arbiter_stats stats = smrf_arbiter_statistics(b->arbiter);
        const struct smrf_arbiter_stats *from = &stats;
        SMRF_ARBITER_STATS(GATHER)
    }
    {
        const struct smrf_xbar_stats *from = &b->xbar->stats;
        SMRF_XBAR_STATS(GATHER)
    }
}

static uint64_t bank_writes_(const struct smrf_subcore_blocks *b, unsigned banks)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < banks; i++) {
        sum += b->bank[i]->writes;
    }
    return sum;
}

void smrf_sm_stats_of_sub(const struct smrf_sm *sm, unsigned sub, struct smrf_sm_stats *to)
{
    *to = (struct smrf_sm_stats){0};
    gather_sub_(to, &sm->subcores.sub[sub]);
    to->bank_writes = bank_writes_(&sm->subcores.sub[sub], sm->cfg.rf.banks);
}

void smrf_sm_stats_by_sub(struct smrf_sm_stats *kept)
{
    *kept = (struct smrf_sm_stats){.bank_writes = 1};
#define KEPT(name) kept->name = 1;
    SMRF_ISSUE_STATS(KEPT)
#undef KEPT
#define KEPT(name, unit, meaning) kept->name = 1;
    SMRF_COLLECTOR_STATS(KEPT)
    SMRF_ARBITER_STATS(KEPT)
    SMRF_XBAR_STATS(KEPT)
#undef KEPT
    for (unsigned i = 0; i < SMRF_STALL_COUNT; i++) {
        kept->stall[i] = 1;
    }
    for (unsigned i = 0; i < SMRF_CLASS_COUNT; i++) {
        kept->warp_insts_by_class[i] = kept->thread_insts_by_class[i] = 1;
    }
}

const struct smrf_sm_stats *smrf_sm_stats_get(struct smrf_sm *sm)
{
    struct smrf_sm_stats *to = &sm->stats;
    *to = (struct smrf_sm_stats){
        .active_cycles = to->active_cycles,
        .stepped_cycles = to->stepped_cycles,
        .icache_misses = sm->front.icache.misses,
    };
    for (unsigned s = 0; s < sm->subcores.count; s++) {
        gather_sub_(to, &sm->subcores.sub[s]);
    }
    {
        const struct smrf_units_stats *from = smrf_units_statistics(sm->links.units);
        SMRF_UNITS_STATS(GATHER)
    }
    {
        const struct smrf_inlet_stats *from = &sm->inlet.stats;
        SMRF_INLET_STATS(GATHER)
    }
    {
        const struct smrf_writeback_stats *from = &sm->links.writeback->stats;
        SMRF_WRITEBACK_STATS(GATHER)
    }
    {
        const struct smrf_oracle_stats *from = &sm->oracle->stats;
        SMRF_ORACLE_STATS(GATHER)
    }
#define COPY(name) to->name = sm->front.stats.name;
    SMRF_FRONTEND_STATS(COPY)
#undef COPY
    return to;
}
#undef GATHER
