/* SPDX-License-Identifier: Apache-2.0 */
/* Lines over a number, steps over time; with different units a panel a column. */
#define _GNU_SOURCE
#include "html.h"
#include "plot.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define LEFT 48.0
#define PANEL 126.0
#define HEAD 22.0 /* of a panel: what is drawn */
#define DOTS 30   /* rows of a line that get a mark each */

/* Are the rows' names numbers? */
static bool numbers_(const struct smrf_table *t)
{
    for (size_t r = 0; r < t->num_rows; r++) {
        char *end;
        (void)strtod(t->row[r].name, &end);
        if (end == t->row[r].name || *end) {
            return false;
        }
    }
    return true;
}

static double x_of_(const struct smrf_table *t, size_t row, bool numbers)
{
    return numbers ? strtod(t->row[row].name, NULL) : (double)row;
}

/* Where an interval ends: where the next begins. */
static double end_of_(const struct smrf_table *t, size_t row)
{
    return row + 1 < t->num_rows ? x_of_(t, row + 1, true) : t->end;
}

static void line_(const struct plot *p, const struct smrf_table *t, size_t c,
                  const struct plot_axis *x, const struct plot_axis *y, bool numbers)
{
    bool drawn = false;
    fprintf(p->out, "<path class=\"path c%zu\" d=\"", c % PLOT_COLOURS);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double v = plot_value(t, r, c);
        if (isnan(v)) {
            drawn = drawn && !t->steps; /* time without a value is a gap */
            continue;
        }
        smrf_html(p->out, drawn ? "L%.1f %.1f" : "M%.1f %.1f", plot_at(x, x_of_(t, r, numbers)),
                  plot_at(y, v));
        if (t->steps) {
            smrf_html(p->out, "H%.1f", plot_at(x, end_of_(t, r)));
        }
        drawn = true;
    }
    fputs("\"/>", p->out);
    if (t->num_rows <= DOTS && !t->steps) {
        plot_begin_marks(p, c);
        for (size_t r = 0; r < t->num_rows; r++) {
            const double v = plot_value(t, r, c);
            if (!isnan(v)) {
                plot_mark(p, c, plot_at(x, x_of_(t, r, numbers)), plot_at(y, v), 3);
            }
        }
        plot_end_marks(p, c);
    }
    fputc('\n', p->out);
}

/* Names below the axis, as many as there is room for. */
static void names_(const struct plot *p, const struct smrf_table *t, const struct plot_axis *x,
                   double y)
{
    size_t letters = 12;
    double widest = 0;
    for (size_t r = 0; r < t->num_rows; r++) {
        const double width = plot_text_width(t->row[r].name, letters, false);
        widest = width > widest ? width : widest;
    }
    const double room = (x->to - x->from) / (double)t->num_rows;
    const size_t each = (size_t)ceil((widest + 6) / room);
    for (size_t r = 0; r < t->num_rows; r += each) {
        plot_text(p, "tick middle", plot_at(x, (double)r), y, t->row[r].name, letters);
    }
}

static struct plot_axis x_axis_(const struct plot *p, const struct smrf_table *t, bool numbers)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t r = 0; r < t->num_rows; r++) {
        plot_widen(&least, &most, x_of_(t, r, numbers));
    }
    if (t->steps) {
        plot_widen(&least, &most, t->end);
    }
    struct plot_axis x = plot_axis(least, most, LEFT, p->width - PLOT_RIGHT, p->width / 76);
    if (!numbers) {
        x.least = -0.5;
        x.most = (double)t->num_rows - 0.5;
    }
    return x;
}

/* Columns first .. last in one panel. */
static void panel_(const struct plot *p, const struct smrf_table *t, size_t first, size_t last,
                   double top, const char *label)
{
    const double bottom = top + PANEL, right = p->width - PLOT_RIGHT;
    const bool numbers = numbers_(t);
    double least = INFINITY, most = -INFINITY;
    plot_widen(&least, &most, t->figure->neutral);
    for (size_t r = 0; r < t->num_rows; r++) {
        for (size_t c = first; c <= last; c++) {
            plot_widen(&least, &most, t->row[r].value[c].mean);
        }
    }
    plot_text(p, "start", 4, top + 9, label, SIZE_MAX);
    if (!(most >= least)) {
        plot_text(p, "start", LEFT, top + 30, "no number to draw", SIZE_MAX);
        return;
    }
    const struct plot_axis x = x_axis_(p, t, numbers);
    const struct plot_axis y = plot_axis(least, most, bottom, top + HEAD, 4);
    if (numbers) {
        plot_x_ticks(p, &x, top + HEAD, bottom);
    } else {
        names_(p, t, &x, bottom + 13);
    }
    plot_y_ticks(p, &y, LEFT, right);
    if (!isnan(t->figure->neutral)) {
        const double at = plot_at(&y, t->figure->neutral);
        smrf_html(p->out, "<path class=\"rule\" d=\"M%.1f %.1fH%.1f\"/>", LEFT, at, right);
    }
    for (size_t c = first; c <= last; c++) {
        line_(p, t, c, &x, &y, numbers);
    }
}

/* How the page finds a row: by its place along x. of: rows of the table a place. */
static const char *hover_(const struct plot *p, const struct smrf_table *t, size_t of)
{
    const bool numbers = numbers_(t);
    const struct plot_axis x = x_axis_(p, t, numbers);
    return smrf_pool_text(t->pool, "x %s %.9g %.9g %.1f %.1f %zu",
                          t->steps  ? "steps"
                          : numbers ? "numbers"
                                    : "names",
                          x.least, x.most, x.from, x.to, of);
}

void plot_lines(const struct plot *p)
{
    const struct smrf_table *t = p->t;
    const size_t columns = plot_columns(t);
    const bool pivoted = t->num_axes == 2;
    const struct smrf_table *own = pivoted ? smrf_table_pivot(t, 0) : t;
    const bool one = t->figure->together && !pivoted; /* one unit: one panel, and a legend */
    const size_t panels = one ? 1 : columns, lines = plot_columns(own);
    const double legend = one || pivoted ? plot_legend(p, own->column, lines, 0, true) + 4 : 2;
    const double each = PANEL + 24;
    plot_begin(p, legend + each * (double)panels + 20,
               hover_(p, own, pivoted ? own->num_columns : 1));
    if (one || pivoted) {
        plot_legend(p, own->column, lines, 0, false);
    }
    for (size_t i = 0; i < panels; i++) {
        const struct smrf_table *of = pivoted ? smrf_table_pivot(t, i) : t;
        panel_(p, of, one || pivoted ? 0 : i, one || pivoted ? lines - 1 : i,
               legend + each * (double)i, one ? t->y_title : t->column[i]);
    }
    plot_text(p, "middle", p->width / 2, legend + each * (double)panels + 14, own->row_title,
              SIZE_MAX);
    plot_end(p);
}
