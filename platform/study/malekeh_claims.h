/* SPDX-License-Identifier: Apache-2.0 */
/* What the texts of the two Malekeh papers say of the figures, beside what was measured. */
#ifndef SMRF_STUDY_MALEKEH_CLAIMS_H
#define SMRF_STUDY_MALEKEH_CLAIMS_H

#include "study.h"

#define SMRF_MALEKEH_LONG "long version"
#define SMRF_MALEKEH_SHORT "short version"

/* Tables with a row a benchmark, in the order of the study's, and the mean of all as the last.
 * Columns: malekeh-long, -short, -private, bow-long, bow-short; in l1d behind the baseline; in lru
 * gto-lru. */
struct smrf_malekeh_figures {
    const struct smrf_table *ipc, *hits, *l1d, *lru;
    struct smrf_table *const *energy; /* [SMRF_ENERGY_BUILT_IN] */
};

void smrf_study_malekeh_claims(struct smrf_study *s, const struct smrf_malekeh_figures *f);

#endif
