/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and statistics that a view has. What it cannot know is absent from results, and refused
 * where it is asked for: it is never 0. */
#include "counters.h"

#include "models/estimate/estimate.h"
#include "models/memory/memory.h"
#include "platform/config/smrf_config.h"

#define WORDS(type) (sizeof(type) / sizeof(uint64_t))

static void fill_(void *counters, size_t words)
{
    uint64_t *word = counters;
    for (size_t i = 0; i < words; i++) {
        word[i] = 1;
    }
}

bool smrf_view_is_exact(const struct smrf_config *cfg)
{
    return cfg->sim.view != SMRF_VIEW_SCOREBOARD;
}

void smrf_counters_of_view(struct smrf_counters *kept, const struct smrf_config *cfg)
{
    if (smrf_view_is_exact(cfg)) {
        fill_(kept, WORDS(*kept));
        return;
    }
    *kept = (struct smrf_counters){.cycles = 1};
    smrf_estimate_kept(&kept->sm);
    fill_(&kept->ldst, WORDS(kept->ldst));
    smrf_ldst_estimate_kept(&kept->ldst);
    fill_(&kept->memory, WORDS(kept->memory));
    smrf_memory_estimate_kept(&kept->memory);
    fill_(&kept->bus, WORDS(kept->bus));
}

bool smrf_stat_is_known(const struct smrf_stat *stat, const struct smrf_config *cfg)
{
    struct smrf_counters kept;
    if (smrf_view_is_exact(cfg)) {
        return true;
    }
    smrf_counters_of_view(&kept, cfg);
    return smrf_stat_needs_only(stat, &kept);
}
