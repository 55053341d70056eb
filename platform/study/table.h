/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a study, and the forms they are written in: CSV, JSON, an SVG by gnuplot, and one HTML
 * page that holds them all. */
#ifndef SMRF_STUDY_TABLE_H
#define SMRF_STUDY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SMRF_TABLE_COLUMNS 24

enum smrf_plot {
    SMRF_PLOT_NONE,
    SMRF_PLOT_BARS,    /* a group of bars a row */
    SMRF_PLOT_STACKED, /* a bar a row, its columns above one another */
    SMRF_PLOT_LINES,   /* rows are points, their names are x */
    SMRF_PLOT_TWO_AXES /* the same; the second column on the right-hand axis */
};

struct smrf_table_row {
    char *name;
    double value[SMRF_TABLE_COLUMNS]; /* NAN = none */
};

struct smrf_table {
    char *id;    /* file name's stem: "fig12-ipc" */
    char *title; /* one line */
    char *note;  /* what is measured and how, and what it does not show */
    char *row_title;
    char *column[SMRF_TABLE_COLUMNS];
    size_t num_columns;
    struct smrf_table_row *row;
    size_t num_rows, room;
    enum smrf_plot plot;
    unsigned digits;
    size_t plot_columns; /* only the first so many are drawn; 0 = all */
    const char *x_label, *y_label, *y2_label;
    double y_floor; /* bars: the axis begins here, or lower if a value does; 0 = at 0 */
    double mark;    /* a line across, what a paper says; NAN = none */
    const char *mark_label;
};

struct smrf_tables {
    struct smrf_table **table;
    size_t num, room;
    bool failed; /* out of memory somewhere: nothing will be written */
};

/* Add a table. columns ends with NULL. The result stays valid. NULL: out of memory
 * (tables->failed). */
struct smrf_table *smrf_table_add(struct smrf_tables *tables, const char *id, const char *title,
                                  const char *note, const char *row_title,
                                  const char *const *columns);
/* Values of a new row, all NAN; a scratch row if memory is short (tables->failed). */
double *smrf_table_row(struct smrf_tables *tables, struct smrf_table *table, const char *name);
/* Mean of a column over its rows that have a value: arithmetic or geometric. NAN if none has. */
double smrf_table_mean(const struct smrf_table *table, size_t column, bool geometric);
/* Draw a line across the picture, at what a paper says. */
void smrf_table_mark(struct smrf_table *table, double value, const char *label);
void smrf_tables_free(struct smrf_tables *tables);

/* A claim of a paper beside what was measured. */
struct smrf_claim {
    const char *what, *source, *unit;
    double paper, ours; /* NAN = not measured */
};

/* The claims as a table for people. */
void smrf_claims_print(FILE *out, const struct smrf_claim *claims, size_t num_claims);

/* Write claims.csv, <id>.csv and <id>.svg (where gnuplot is), study.json and index.html. svg_made:
 * whether there are pictures. Returns 0, SMRF_ERR_IO or SMRF_ERR_NOMEM with text. */
int smrf_tables_write(const struct smrf_tables *tables, const struct smrf_claim *claims,
                      size_t num_claims, const char *folder, const char *title,
                      const char *introduction, bool *svg_made, char *text, size_t size);

#endif
