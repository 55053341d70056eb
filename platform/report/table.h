/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of an experiment as tables of numbers. */
#ifndef SMRF_REPORT_TABLE_H
#define SMRF_REPORT_TABLE_H

#include "data.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_table_row {
    const char *name;
    bool mean;                 /* of other rows */
    size_t trace;              /* of the experiment, where rows are traces */
    struct smrf_spread *value; /* [num_columns]; NAN: none */
    bool *missing;             /* true: a run that the value needs is missing */
    double *cycles;            /* of a series over time: how long each interval is; else NULL */
};

struct smrf_table_axis { /* of a sweep: all combinations of its axes' values are the rows */
    const char *title;   /* the option and its unit */
    const char *meaning; /* "" where it is no option */
    const char *const *value;
    size_t count;
};

struct smrf_table {
    const struct smrf_figure *figure;
    const char *id, *title; /* of a series: also whose it is */
    const char *row_title;
    const char *y_title; /* of columns in one panel: what they have in common */
    const char **column;
    size_t num_columns;
    struct smrf_table_row *row;
    size_t num_rows;
    struct smrf_table_axis *axis; /* the last axis' value changes from row to row */
    size_t num_axes;              /* 0: rows are no combinations */
    bool steps;                   /* rows are intervals of time, each up to the next */
    double end;                   /* end of the last interval */
    struct smrf_pool *pool;
    const struct smrf_table
        *drawn; /* what is drawn and shown: itself, or fewer, longer intervals */
};

struct smrf_tables {
    struct smrf_table *table;
    size_t count;
};

/* Everything is in the experiment's pool. A figure without any row is left out. Returns 0 or an
 * error of the store. */
int smrf_tables_make(struct smrf_tables *tables, struct smrf_data *d);

/* What of a series can be distinguished in a picture. Over time: intervals of one length, none
 * shorter than those that were sampled; a value counts as long as its interval lasts, so that a
 * short one at a launch's end is no spike; counts become counts a cycle. Else the table itself. */
const struct smrf_table *smrf_table_drawn(const struct smrf_table *t);

#ifdef __cplusplus
}
#endif

#endif
