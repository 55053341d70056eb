/* SPDX-License-Identifier: Apache-2.0 */
/* Heat map: a sweep over two axes, a panel a column; the darker, the larger. Around a value that
 * means no difference, what is below it has the other colour. */
#define _GNU_SOURCE
#include "html.h"
#include "plot.h"

#include <math.h>
#include <stdint.h>

#define CELL 22.0
#define AXES 32.0 /* their names */
#define HEAD 34.0 /* the panel's name and the second axis' values */

struct shade {
    double red, green, blue;
};

/* From the paper's colour to full blue or orange. */
static struct shade shade_(double share)
{
    static const struct shade blue = {8, 69, 148}, orange = {166, 70, 0}, paper = {247, 247, 245};
    const struct shade to = share < 0 ? orange : blue;
    const double f = fmin(fabs(share), 1);
    return (struct shade){paper.red + f * (to.red - paper.red),
                          paper.green + f * (to.green - paper.green),
                          paper.blue + f * (to.blue - paper.blue)};
}

static void cell_(const struct plot *p, double value, double share, double x, double y, double wide)
{
    const struct shade s = shade_(share);
    char text[32];
    snprintf(text, sizeof text, "%.*f", (int)p->t->figure->digits, value);
    fprintf(p->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "fill=\"#%02x%02x%02x\"/>",
            x, y, wide - 1, CELL - 1, (unsigned)s.red, (unsigned)s.green, (unsigned)s.blue);
    if (plot_text_width(text, SIZE_MAX, false) < wide) {
        plot_text(p, fabs(share) > 0.55 ? "middle on-dark" : "middle on-light", x + wide / 2,
                  y + CELL / 2 + 4, text, SIZE_MAX);
    }
}

/* One column of the figure: rows are the first axis, columns the second. */
static void panel_(const struct plot *p, const struct smrf_table *t, double left, double top,
                   double wide)
{
    const double neutral = t->figure->neutral;
    double least = INFINITY, most = -INFINITY;
    plot_widen(&least, &most, neutral);
    for (size_t r = 0; r < t->num_rows; r++) {
        for (size_t c = 0; c < t->num_columns; c++) {
            plot_widen(&least, &most, t->row[r].value[c].mean);
        }
    }
    const double far = fmax(most - neutral, neutral - least);
    for (size_t c = 0; c < t->num_columns; c++) {
        plot_text(p, "tick middle", left + wide * ((double)c + 0.5), top - 4, t->column[c],
                  (size_t)(wide / 6));
    }
    for (size_t r = 0; r < t->num_rows; r++) {
        const double y = top + CELL * (double)r;
        plot_text(p, "end", left - 5, y + CELL / 2 + 4, t->row[r].name, plot_label_letters(p));
        for (size_t c = 0; c < t->num_columns; c++) {
            const double v = plot_value(t, r, c), x = left + wide * (double)c;
            if (isnan(v)) {
                plot_text(p, "tick middle", x + wide / 2, y + CELL / 2 + 4, "-", 1);
            } else {
                const double share = !isnan(neutral) ? (far > 0 ? (v - neutral) / far : 0)
                                     : most > least  ? (v - least) / (most - least)
                                                     : 0.5;
                cell_(p, v, share, x, y, wide);
            }
        }
    }
}

void plot_map(const struct plot *p)
{
    const struct smrf_table *t = p->t, *first = smrf_table_pivot(t, 0);
    const struct plot labels = {p->out, first, p->width, p->alone};
    const double left = plot_label_width(&labels);
    const double wide = fmin((p->width - left - 4) / (double)first->num_columns, 140);
    const double each = HEAD + CELL * (double)first->num_rows + 8;
    const size_t columns = plot_columns(t);
    const double bottom = AXES + each * (double)columns;
    plot_begin(p, bottom + 18,
               smrf_pool_text(t->pool, "map %.1f %.1f %.4f %.1f %zu %zu %.1f", left, AXES + HEAD,
                              wide, CELL, first->num_rows, first->num_columns, each));
    plot_text(p, "start", 4, 12, smrf_pool_text(t->pool, "down: %s", t->axis[0].title), SIZE_MAX);
    plot_text(p, "start", 4, 26, smrf_pool_text(t->pool, "across: %s", t->axis[1].title), SIZE_MAX);
    for (size_t c = 0; c < columns; c++) {
        const double top = AXES + each * (double)c;
        plot_text(p, "start mean", 4, top + 12, t->column[c], SIZE_MAX);
        panel_(p, smrf_table_pivot(t, c), left, top + HEAD, wide);
    }
    plot_text(p, "start tick", 4, bottom + 10,
              isnan(t->figure->neutral)
                  ? "the darker, the larger"
                  : smrf_pool_text(t->pool, "blue: above %.9g; orange: below", t->figure->neutral),
              SIZE_MAX);
    plot_end(p);
}
