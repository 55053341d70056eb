/* SPDX-License-Identifier: Apache-2.0 */
/* For the files that define a mechanism: from its list X(name, unit, "meaning") of counters to what
 * it publishes and to the sides of its laws. (The SMs' counters: models/counters/sm_stats.h.) */
#ifndef SMRF_MECHANISM_STATS_H
#define SMRF_MECHANISM_STATS_H

#include "mechanism.h"

/* Rows of an enum: INDEX_<name>, a counter's place in the array. */
#define SMRF_MECHANISM_INDEX(name, unit, meaning) INDEX_##name,
/* Rows of the published list: the counter itself. */
#define SMRF_MECHANISM_ROW(name, unit, meaning) {#name, unit, meaning, INDEX_##name, SMRF_NO_WHOLE},

/* A side of a law: a function of the mechanism's counters, OWN(name), and the SMs', sm->name. */
#define SMRF_LAW_SIDE(name, expression)                                                            \
    static uint64_t name(const uint64_t *own, const struct smrf_sm_stats *sm)                      \
    {                                                                                              \
        (void)own;                                                                                 \
        (void)sm;                                                                                  \
        return expression;                                                                         \
    }
#define OWN(name) own[INDEX_##name]

#endif
