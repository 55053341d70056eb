/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an experiment as its expressions ask for them: read from the store once. */
#ifndef SMRF_REPORT_DATA_H
#define SMRF_REPORT_DATA_H

#include "platform/runner/runner.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Planned runs without a result that a value needs. */
struct smrf_data_gaps {
    size_t missing; /* not run, or of a trace that is not there */
    size_t failed;  /* run, and failed: they are reported */
};

struct smrf_data {
    struct smrf_experiment *x;
    struct smrf_store *store;
    struct smrf_runner *runner;
    struct smrf_data_run *run;       /* [variants x traces x seeds] */
    const char **digest;             /* [traces] of the trace; NULL: not known */
    struct smrf_expression_data ask; /* for smrf_expression_value */
    size_t planned, whole;           /* places of the plan, and those that have a result */
    struct smrf_data_gaps gaps;      /* of the value that is being worked out */
    uint32_t launch;                 /* that statistics are of, from 1; 0: whole runs */
};

/* After the plan has been made. Returns 0 or an error with text of the store. */
int smrf_data_open(struct smrf_data *d, struct smrf_runner *runner);
/* The planned place of indices, NULL: it is not planned. */
const struct smrf_planned *smrf_data_place(const struct smrf_data *d, size_t variant, size_t trace,
                                           size_t seed);
/* Are two traces equal, byte by byte? False where one's digest is not known. */
bool smrf_data_equal(const struct smrf_data *d, size_t a, size_t b);
/* Value of an expression for a variant and a trace (below 0 where it needs none), and the gaps in
 * it: a mean leaves out what is not there. */
struct smrf_spread smrf_data_value(const struct smrf_data *d, const struct smrf_expression *e,
                                   long variant, long trace, struct smrf_data_gaps *gaps);
/* The same for a table, in which a failed run is a gap: no value (NAN) where a run is missing, as a
 * mean of the others would look like one of all. *missing: is that so? */
struct smrf_spread smrf_data_cell(const struct smrf_data *d, const struct smrf_expression *e,
                                  long variant, long trace, bool *missing);
bool smrf_data_is_whole(const struct smrf_data *d, size_t variant, size_t trace, size_t seed);

#ifdef __cplusplus
}
#endif

#endif
