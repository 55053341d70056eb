/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a sub-core's blocks. */
#ifndef SMRF_SUBCORE_COUNTERS_H
#define SMRF_SUBCORE_COUNTERS_H

#include "subcore.h"

#include "models/counters/sm_stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds them to `to`, all but the writes of banks, which write-back counts for all sub-cores. */
void smrf_subcore_count(struct smrf_sm_stats *to, const struct smrf_subcore_blocks *b);
uint64_t smrf_subcore_bank_writes(const struct smrf_subcore_blocks *b, unsigned banks);

/* Which they are: 1, else 0. */
void smrf_subcore_counters(struct smrf_sm_stats *kept);

#ifdef __cplusplus
}
#endif

#endif
