/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of an SM: those of its script, and sums of the blocks'. */
#include "sm_state.h"

#include "models/subcore/counters.h"

void smrf_sm_stats_of_sub(const struct smrf_sm *sm, unsigned sub, struct smrf_sm_stats *to)
{
    *to = (struct smrf_sm_stats){0};
    smrf_subcore_count(to, &sm->subcores.sub[sub]);
    to->bank_writes = smrf_subcore_bank_writes(&sm->subcores.sub[sub], sm->cfg.rf.banks);
}

#define GATHER(name, unit, meaning) to->name += from->name;
const struct smrf_sm_stats *smrf_sm_stats_get(struct smrf_sm *sm)
{
    struct smrf_sm_stats *to = &sm->stats;
    *to = (struct smrf_sm_stats){
        .active_cycles = sm->subcores.active,
        .stepped_cycles = to->stepped_cycles,
        .icache_misses = sm->links.icache->misses,
    };
    for (unsigned s = 0; s < sm->subcores.count; s++) {
        smrf_subcore_count(to, &sm->subcores.sub[s]);
        to->l0_misses += sm->subcores.sub[s].l0->misses;
        to->l0_streamed += sm->subcores.sub[s].l0->streamed;
    }
    if (sm->estimate) {
        smrf_estimate_stats(sm->estimate, to);
    }
    {
        const struct smrf_units_stats *from = smrf_units_statistics(sm->links.units);
        SMRF_UNITS_STATS(GATHER)
    }
    {
        const struct smrf_inlet_stats *from = &sm->links.inlet->stats;
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
