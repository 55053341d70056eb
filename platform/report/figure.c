/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "figure.h"

#include <math.h>
#include <stdlib.h>

#define COLOURS 8 /* of page/plot.js */

/* How many columns are drawn. */
static size_t columns_(const struct smrf_table *t)
{
    const size_t plotted = t->figure->plotted;
    return plotted && plotted < t->num_columns ? plotted : t->num_columns;
}

/* --- can it be drawn? ------------------------------------------------------------------------- */

static size_t numbers_(const struct smrf_table *t)
{
    size_t numbers = 0;
    for (size_t r = 0; r < t->num_rows; r++) {
        for (size_t c = 0; c < columns_(t); c++) {
            numbers += isfinite(t->row[r].value[c].mean) ? 1 : 0;
        }
    }
    return numbers;
}

/* What is wrong with bars of parts, NULL: nothing. */
static const char *stacked_hindrance_(const struct smrf_table *t)
{
    for (size_t r = 0; r < t->num_rows; r++) {
        for (size_t c = 0; c < columns_(t); c++) {
            const double v = t->row[r].value[c].mean;
            if (isfinite(v) && v < 0) {
                return smrf_pool_text(
                    t->pool, "Bars of parts cannot show a number below 0: %s of %s is %.9g.",
                    t->column[c], t->row[r].name, v);
            }
        }
    }
    if (columns_(t) > COLOURS) {
        return smrf_pool_text(t->pool,
                              "Bars of %zu parts cannot be distinguished: there are %d colours. "
                              "plotted: says how many columns are drawn.",
                              columns_(t), COLOURS);
    }
    return NULL;
}

const char *smrf_figure_hindrance(const struct smrf_table *t)
{
    const enum smrf_plot plot = t->figure->plot;
    if (plot == SMRF_PLOT_NONE) {
        return NULL;
    }
    if (numbers_(t) == 0) {
        return "There is no number to draw: the runs are missing, or do not have this statistic.";
    }
    if (plot == SMRF_PLOT_LINES && t->num_axes > 2) {
        return smrf_pool_text(t->pool,
                              "Lines cannot show a sweep over %zu options: its points have no "
                              "order. plot: dots shows each.",
                              t->num_axes);
    }
    return plot == SMRF_PLOT_STACKED ? stacked_hindrance_(t) : NULL;
}

bool smrf_figure_can(const struct smrf_table *t)
{
    return t->figure->plot != SMRF_PLOT_NONE && !smrf_figure_hindrance(t);
}

/* --- what is drawn ---------------------------------------------------------------------------- */

json_t *smrf_figure_number(double value)
{
    char text[32];
    snprintf(text, sizeof text, fabs(value) >= 1e6 ? "%.0f" : "%.7g", value);
    return isfinite(value) ? json_real(strtod(text, NULL)) : json_null();
}

/* name, v: the values; low and high: over the seeds, where they differ; mean: of other rows. */
static json_t *row_(const struct smrf_table_row *row, size_t columns)
{
    json_t *v = json_array(), *low = json_array(), *high = json_array();
    bool spreads = false;
    for (size_t c = 0; c < columns; c++) {
        const struct smrf_spread *of = &row->value[c];
        spreads = spreads || of->most > of->least;
        json_array_append_new(v, smrf_figure_number(of->mean));
        json_array_append_new(low, smrf_figure_number(of->least));
        json_array_append_new(high, smrf_figure_number(of->most));
    }
    json_t *made = json_pack("{s:s,s:o}", "name", row->name, "v", v);
    if (spreads) {
        json_object_set(made, "low", low);
        json_object_set(made, "high", high);
    }
    if (row->mean) {
        json_object_set_new(made, "mean", json_true());
    }
    json_decref(low);
    json_decref(high);
    return made;
}

static json_t *axes_(const struct smrf_table *t)
{
    json_t *axes = json_array();
    for (size_t a = 0; a < t->num_axes; a++) {
        json_t *values = json_array();
        for (size_t i = 0; i < t->axis[a].count; i++) {
            json_array_append_new(values, json_string(t->axis[a].value[i]));
        }
        json_array_append_new(axes,
                              json_pack("{s:s,s:o}", "title", t->axis[a].title, "values", values));
    }
    return axes;
}

/* A row of a roofline has a block of columns for each number of a variant: all are drawn. */
json_t *smrf_figure_json(const struct smrf_table *t)
{
    static const char *const plots[] = {[SMRF_PLOT_DOTS] = "dots",
                                        [SMRF_PLOT_STACKED] = "stacked",
                                        [SMRF_PLOT_LINES] = "lines",
                                        [SMRF_PLOT_ROOFLINE] = "roofline",
                                        [SMRF_PLOT_MAP] = "map"};
    const struct smrf_figure *f = t->figure;
    const size_t columns = f->plot == SMRF_PLOT_ROOFLINE ? t->num_columns : columns_(t);
    json_t *names = json_array(), *marks = json_array(), *rows = json_array();
    for (size_t c = 0; c < columns_(t); c++) {
        json_array_append_new(names, json_string(t->column[c]));
    }
    for (size_t k = 0; k < f->num_marks; k++) {
        json_array_append_new(
            marks, json_pack("[o,s]", smrf_figure_number(f->mark[k].at), f->mark[k].label));
    }
    for (size_t r = 0; r < t->num_rows; r++) {
        json_array_append_new(rows, row_(&t->row[r], columns));
    }
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:b,s:b,s:o,s:i}", "id", t->id,
                     "plot", plots[f->plot], "title", t->title, "down",
                     t->num_axes == 2 && f->plot == SMRF_PLOT_LINES ? t->axis[0].title
                                                                    : t->row_title,
                     "axis", f->axis ? f->axis : "", "unit", t->y_title ? t->y_title : "",
                     "columns", names, "marks", marks, "axes", axes_(t), "rows", rows, "neutral",
                     smrf_figure_number(f->neutral), "together", f->together, "steps", t->steps,
                     "end", smrf_figure_number(t->end), "digits", (int)f->digits);
}
