/* SPDX-License-Identifier: Apache-2.0 */
/* What lies there from an earlier study: is it a whole result of this trace, on this machine, by this
 * program? */
#ifndef SMRF_STUDY_EARLIER_H
#define SMRF_STUDY_EARLIER_H

#include "study.h"

/* For struct smrf_jobs; ctx: the study. fresh: this study has just made it, of the trace as it is. */
bool smrf_study_trace_is_good(void *ctx, const struct smrf_job *job, bool fresh);
bool smrf_study_run_is_good(void *ctx, const struct smrf_job *job, bool fresh);

#endif
