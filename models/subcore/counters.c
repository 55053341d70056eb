/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

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
void smrf_subcore_count(struct smrf_sm_stats *to, const struct smrf_subcore_blocks *b)
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
    const struct smrf_control_stats *from = smrf_issue_control_stats(b->issue);
    if (from) {
        SMRF_CONTROL_STATS(GATHER)
    }
}
#undef GATHER

uint64_t smrf_subcore_bank_writes(const struct smrf_subcore_blocks *b, unsigned banks)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < banks; i++) {
        sum += b->bank[i]->writes;
    }
    return sum;
}

void smrf_subcore_counters(struct smrf_sm_stats *kept)
{
    *kept = (struct smrf_sm_stats){.bank_writes = 1};
#define KEPT(name) kept->name = 1;
    SMRF_ISSUE_STATS(KEPT)
#undef KEPT
#define KEPT(name, unit, meaning) kept->name = 1;
    SMRF_COLLECTOR_STATS(KEPT)
    SMRF_ARBITER_STATS(KEPT)
    SMRF_XBAR_STATS(KEPT)
    SMRF_CONTROL_STATS(KEPT)
#undef KEPT
    for (unsigned i = 0; i < SMRF_STALL_COUNT; i++) {
        kept->stall[i] = 1;
    }
    for (unsigned i = 0; i < SMRF_CLASS_COUNT; i++) {
        kept->warp_insts_by_class[i] = kept->thread_insts_by_class[i] = 1;
    }
}
