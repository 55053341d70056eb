/* SPDX-License-Identifier: Apache-2.0 */
/* What the pages have in common. */
#ifndef SMRF_REPORT_STYLE_H
#define SMRF_REPORT_STYLE_H

#include "claims.h"

/* Up to the main part's first element, and what comes behind its last. */
void smrf_style_begin(FILE *out, const char *title);
void smrf_style_end(FILE *out);
/* Class of a verdict's colour. */
const char *smrf_style_verdict(enum smrf_verdict verdict);
/* How many claims of each kind have which verdict. */
void smrf_style_cards(FILE *out, smrf_claim_counts count);

#endif
