/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an experiment as its expressions ask for them: read from the store once. */
#ifndef SMRF_REPORT_DATA_H
#define SMRF_REPORT_DATA_H

#include "platform/runner/runner.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_data {
    struct smrf_experiment *x;
    struct smrf_store *store;
    struct smrf_runner *runner;
    struct smrf_data_run *run;       /* [variants x traces x seeds] */
    const char **digest;             /* [traces] of the trace; NULL: not known */
    struct smrf_expression_data ask; /* for smrf_expression_value */
    size_t planned, whole;           /* places of the plan, and those that have a result */
};

/* After the plan has been made. Returns 0 or an error with text of the store. */
int smrf_data_open(struct smrf_data *d, struct smrf_runner *runner);
/* The planned place of indices, NULL: it is not planned. */
const struct smrf_planned *smrf_data_place(const struct smrf_data *d, size_t variant, size_t trace,
                                           size_t seed);
/* Are two traces equal, byte by byte? False where one's digest is not known. */
bool smrf_data_equal(const struct smrf_data *d, size_t a, size_t b);
bool smrf_data_is_whole(const struct smrf_data *d, size_t variant, size_t trace, size_t seed);

#ifdef __cplusplus
}
#endif

#endif
