/* SPDX-License-Identifier: Apache-2.0 */
/* What the plots are drawn with: axes, ticks, marks, legend. Colours and fonts are classes of
 * page/plot.css. */
#ifndef SMRF_REPORT_PLOT_H
#define SMRF_REPORT_PLOT_H

#include "table.h"

#include <stdio.h>

#define PLOT_COLOURS 8
#define PLOT_RIGHT 20.0
#define PLOT_ROW 15.0 /* height of a row */

struct plot {
    FILE *out;
    const struct smrf_table *t;
    double width;
    bool alone; /* a file of its own */
};

struct plot_axis {
    double least, most, step; /* step between ticks */
    double from, to;          /* where they are drawn */
    int digits;
};

/* How many columns are drawn. */
size_t plot_columns(const struct smrf_table *t);
/* The value of a cell that can be drawn, NAN: it cannot. */
double plot_value(const struct smrf_table *t, size_t row, size_t column);
void plot_widen(double *least, double *most, double value);
/* Makes about `ticks` ticks at 1, 2 or 5 times a power of ten. */
struct plot_axis plot_axis(double least, double most, double from, double to, double ticks);
double plot_at(const struct plot_axis *a, double value);
/* Ticks along x with lines through the height, and along y with lines through the width. */
void plot_x_ticks(const struct plot *p, const struct plot_axis *a, double top, double bottom);
void plot_y_ticks(const struct plot *p, const struct plot_axis *a, double left, double right);

/* The element's begin; hover: how the page finds the row below the pointer. */
void plot_begin(const struct plot *p, double height, const char *hover);
void plot_end(const struct plot *p);
/* class: of page/plot.css; most: letters, the rest is cut off. */
void plot_text(const struct plot *p, const char *class, double x, double y, const char *text,
               size_t most);
/* Width of a text in the plot's font, roughly, on the wide side. */
double plot_text_width(const char *text, size_t most, bool bold);
/* Letters of a row's name that are shown, and the width that the names take. */
size_t plot_label_letters(const struct plot *p);
double plot_label_width(const struct plot *p);
void plot_row_label(const struct plot *p, const struct smrf_table_row *row, double x, double y);

/* Marks of one series: they differ in shape and colour. */
void plot_begin_marks(const struct plot *p, size_t series);
void plot_mark(const struct plot *p, size_t series, double x, double y, double r);
void plot_end_marks(const struct plot *p, size_t series);

/* Rows of entries; returns its height. measure: draws nothing. names: [count] */
double plot_legend(const struct plot *p, const char *const *names, size_t count, double top,
                   bool measure);

/* The plots of their own files. */
void plot_lines(const struct plot *p);
void plot_map(const struct plot *p);
void plot_roofline(const struct plot *p);

#endif
