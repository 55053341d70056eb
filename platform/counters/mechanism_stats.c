/* SPDX-License-Identifier: Apache-2.0 */
/* What a mechanism counts, under its published names. */
#include "counters.h"

#include <string.h>

static const char prefix[] = "mechanism.";

const struct smrf_mechanism_stat *smrf_mechanism_stat_find(const struct smrf_mechanism *mechanism,
                                                           const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < mechanism->num_stats; i++) {
        if (strcmp(mechanism->stats[i].name, name + sizeof prefix - 1) == 0) {
            return &mechanism->stats[i];
        }
    }
    return NULL;
}

double smrf_mechanism_stat_value(const struct smrf_mechanism_stat *stat,
                                 const struct smrf_counters *c)
{
    double value = (double)c->mechanism[stat->index];
    if (stat->whole == SMRF_NO_WHOLE) {
        return value;
    }
    return c->mechanism[stat->whole] ? value / (double)c->mechanism[stat->whole] : 0.0;
}
