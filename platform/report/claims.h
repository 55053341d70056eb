/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of an experiment and their verdicts. */
#ifndef SMRF_REPORT_CLAIMS_H
#define SMRF_REPORT_CLAIMS_H

#include "data.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_verdict {
    SMRF_REPRODUCED,
    SMRF_TREND,
    SMRF_NOT_REPRODUCED,
    SMRF_NOT_MEASURED,
    SMRF_SHOWN /* no number of the paper: nothing to reproduce */
};
#define SMRF_VERDICTS 5
const char *smrf_verdict_name(enum smrf_verdict verdict);
typedef size_t smrf_claim_counts[SMRF_CLAIM_KINDS][SMRF_VERDICTS];

/* What was measured of a claim, with the least and the most of the seeds; how it stands. */
struct smrf_spread smrf_claim_ours(const struct smrf_claim *claim, const struct smrf_data *d);
/* Is there more than one value in it? */
bool smrf_spread_shows(const struct smrf_spread *spread);
enum smrf_verdict smrf_claim_verdict(const struct smrf_claim *claim, double ours);
/* Its note with the numbers in it; "": it has none. In the experiment's pool. */
const char *smrf_claim_note(const struct smrf_claim *claim, const struct smrf_data *d);
/* How many of each kind stand how: added. */
void smrf_claims_count(const struct smrf_data *d, smrf_claim_counts count);
/* The claims as a table for people. */
void smrf_claims_print(FILE *out, const struct smrf_data *d);

#ifdef __cplusplus
}
#endif

#endif
