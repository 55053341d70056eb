/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "svg.h"

#include "html.h"
#include "plot.h"

#include <math.h>
#include <stdint.h>

/* --- dots: a row a line, around the value that means no difference ---------------------------- */

static void extent_(const struct plot *p, double *least, double *most)
{
    const struct smrf_figure *f = p->t->figure;
    plot_widen(least, most, f->neutral);
    for (size_t k = 0; k < f->num_marks; k++) {
        plot_widen(least, most, f->mark[k].at);
    }
    for (size_t r = 0; r < p->t->num_rows; r++) {
        for (size_t c = 0; c < plot_columns(p->t); c++) {
            const struct smrf_spread *v = &p->t->row[r].value[c];
            plot_widen(least, most, v->mean);
            plot_widen(least, most, v->least);
            plot_widen(least, most, v->most);
        }
    }
}

/* The marks of a column, and the range over the seeds where the mark does not hide it. */
static void dots_of_(const struct plot *p, size_t c, const struct plot_axis *a, double top)
{
    const struct smrf_table *t = p->t;
    fprintf(p->out, "<path class=\"range c%zu\" d=\"", c % PLOT_COLOURS);
    for (size_t r = 0; r < t->num_rows; r++) {
        const struct smrf_spread *v = &t->row[r].value[c];
        if (isfinite(v->most - v->least) && plot_at(a, v->most) - plot_at(a, v->least) > 6) {
            smrf_html(p->out, "M%.1f %.1fH%.1f", plot_at(a, v->least),
                      top + PLOT_ROW * ((double)r + 0.5), plot_at(a, v->most));
        }
    }
    fputs("\"/>", p->out);
    plot_begin_marks(p, c);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double mean = plot_value(t, r, c);
        if (!isnan(mean)) {
            plot_mark(p, c, plot_at(a, mean), top + PLOT_ROW * ((double)r + 0.5),
                      t->row[r].mean ? 4 : 3);
        }
    }
    plot_end_marks(p, c);
}

static void dots_(const struct plot *p)
{
    const struct smrf_table *t = p->t;
    const struct smrf_figure *f = t->figure;
    const size_t columns = plot_columns(t);
    const double legend = plot_legend(p, t->column, columns, 0, true), left = plot_label_width(p);
    const double top = legend + 4, bottom = top + PLOT_ROW * (double)t->num_rows;
    const double right = p->width - PLOT_RIGHT;
    double least = INFINITY, most = -INFINITY;
    extent_(p, &least, &most);
    const struct plot_axis a = plot_axis(least, most, left + 4, right, p->width / 95);
    plot_begin(p, bottom + 34,
               smrf_pool_text(t->pool, "rows %.1f %.1f %.4f %.1f %.9g %.9g", top, PLOT_ROW, left,
                              right, a.least, a.most));
    plot_legend(p, t->column, columns, 0, false);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double y = top + PLOT_ROW * (double)r;
        if (t->row[r].mean) {
            smrf_html(p->out,
                      "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\"/>",
                      left, y, right - left, PLOT_ROW);
        }
    }
    plot_x_ticks(p, &a, top, bottom);
    for (size_t r = 0; r < t->num_rows; r++) {
        plot_row_label(p, &t->row[r], left, top + PLOT_ROW * ((double)r + 0.5));
    }
    if (!isnan(f->neutral)) {
        smrf_html(p->out, "<path class=\"rule\" d=\"M%.1f %.1fV%.1f\"/>\n", plot_at(&a, f->neutral),
                  top, bottom);
    }
    for (size_t k = 0; k < f->num_marks; k++) {
        smrf_html(p->out, "<path class=\"rule dash\" d=\"M%.1f %.1fV%.1f\"/>\n",
                  plot_at(&a, f->mark[k].at), top, bottom);
    }
    for (size_t c = 0; c < columns; c++) {
        dots_of_(p, c, &a, top);
    }
    plot_text(p, "middle", (left + right) / 2, bottom + 28, f->axis, SIZE_MAX);
    plot_end(p);
}

/* --- stacked: a row a bar, of parts of a whole or of counts ----------------------------------- */

static double sum_(const struct smrf_table *t, size_t row)
{
    double sum = 0;
    for (size_t c = 0; c < plot_columns(t); c++) {
        const double v = plot_value(t, row, c);
        sum += v > 0 ? v : 0;
    }
    return sum;
}

static void bar_(const struct plot *p, size_t r, const struct plot_axis *a, double y)
{
    double sum = 0;
    for (size_t c = 0; c < plot_columns(p->t); c++) {
        const double v = plot_value(p->t, r, c);
        if (v > 0) {
            smrf_html(p->out,
                      "<rect class=\"s%z\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
                      c % PLOT_COLOURS, plot_at(a, sum), y + 2, plot_at(a, v) - plot_at(a, 0),
                      PLOT_ROW - 4);
            sum += v;
        }
    }
    fputc('\n', p->out);
}

/* The axis ends at the longest bar; where bars are parts of 1, it ends there. */
static void stacked_(const struct plot *p)
{
    const struct smrf_table *t = p->t;
    const size_t columns = plot_columns(t);
    const double legend = plot_legend(p, t->column, columns, 0, true), left = plot_label_width(p);
    const double top = legend + 4, bottom = top + PLOT_ROW * (double)t->num_rows;
    const double right = p->width - PLOT_RIGHT;
    double longest = 0;
    for (size_t r = 0; r < t->num_rows; r++) {
        const double sum = sum_(t, r);
        longest = sum > longest ? sum : longest;
    }
    if (longest > 0.5 && longest < 1 + 1e-6) {
        longest = 1;
    }
    const struct plot_axis a = plot_axis(0, longest, left + 4, right, p->width / 80);
    plot_begin(p, bottom + 34, smrf_pool_text(t->pool, "rows %.1f %.1f", top, PLOT_ROW));
    plot_legend(p, t->column, columns, 0, false);
    plot_x_ticks(p, &a, top, bottom);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double y = top + PLOT_ROW * (double)r;
        plot_row_label(p, &t->row[r], left, y + PLOT_ROW / 2);
        bar_(p, r, &a, y);
    }
    plot_text(p, "middle", (left + right) / 2, bottom + 28, t->figure->axis, SIZE_MAX);
    plot_end(p);
}

/* --- any -------------------------------------------------------------------------------------- */

/* The first cell below zero; false: there is none. */
static bool negative_(const struct smrf_table *t, size_t *row, size_t *column)
{
    for (*row = 0; *row < t->num_rows; ++*row) {
        for (*column = 0; *column < plot_columns(t); ++*column) {
            if (plot_value(t, *row, *column) < 0) {
                return true;
            }
        }
    }
    return false;
}

const char *smrf_svg_hindrance(const struct smrf_table *t)
{
    const struct smrf_figure *f = t->figure;
    size_t row, column, numbers = 0;
    for (row = 0; row < t->num_rows; row++) {
        for (column = 0; column < plot_columns(t); column++) {
            numbers += isnan(plot_value(t, row, column)) ? 0 : 1;
        }
    }
    if (f->plot == SMRF_PLOT_NONE) {
        return NULL;
    }
    if (numbers == 0) {
        return "There is no number to draw: the runs are missing, or do not have this statistic.";
    }
    if (f->plot == SMRF_PLOT_STACKED && negative_(t, &row, &column)) {
        return smrf_pool_text(t->pool,
                              "Bars of parts cannot show a number below 0: %s of %s is %.9g.",
                              t->column[column], t->row[row].name, t->row[row].value[column].mean);
    }
    if (f->plot == SMRF_PLOT_STACKED && plot_columns(t) > PLOT_COLOURS) {
        return smrf_pool_text(t->pool,
                              "Bars of %zu parts cannot be distinguished: there are %d colours. "
                              "plotted: says how many columns are drawn.",
                              plot_columns(t), PLOT_COLOURS);
    }
    if (f->plot == SMRF_PLOT_LINES && t->num_axes > 2) {
        return smrf_pool_text(t->pool,
                              "Lines cannot show a sweep over %zu options: its points have no "
                              "order. plot: dots shows each.",
                              t->num_axes);
    }
    return NULL;
}

bool smrf_svg_can(const struct smrf_table *t)
{
    return t->figure->plot != SMRF_PLOT_NONE && !smrf_svg_hindrance(t);
}

void smrf_svg_write(const struct smrf_table *t, double width, bool alone, FILE *out)
{
    static void (*const plots[])(const struct plot *p) = {
        [SMRF_PLOT_DOTS] = dots_,       [SMRF_PLOT_STACKED] = stacked_,
        [SMRF_PLOT_MAP] = plot_map,     [SMRF_PLOT_ROOFLINE] = plot_roofline,
        [SMRF_PLOT_LINES] = plot_lines,
    };
    const struct plot p = {out, t, width, alone};
    plots[t->figure->plot](&p);
}
