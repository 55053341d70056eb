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
    bool *missing;             /* .. as a run that it needs is missing */
};

struct smrf_table {
    const struct smrf_figure *figure;
    const char *id, *title; /* of a series: also whose it is */
    const char *row_title;
    const char **column;
    size_t num_columns;
    struct smrf_table_row *row;
    size_t num_rows;
};

struct smrf_tables {
    struct smrf_table *table;
    size_t count;
};

/* Everything is in the experiment's pool. A figure without any row is left out. Returns 0 or an
 * error of the store. */
int smrf_tables_make(struct smrf_tables *tables, struct smrf_data *d);

#ifdef __cplusplus
}
#endif

#endif
