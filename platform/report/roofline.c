/* SPDX-License-Identifier: Apache-2.0 */
/* Roofline: how many instructions the banks and the schedulers let pass, and how many do. */
#include "html.h"
#include "plot.h"

#include <math.h>
#include <stdint.h>

#define HEIGHT 230.0

static double cell_(const struct smrf_table *t, size_t row, enum smrf_roofline_block block,
                    size_t variant)
{
    return t->row[row].value[(size_t)block * plot_columns(t) + variant].mean;
}

/* The two roofs of a variant: of its first row that has both. False: there is none. */
static bool roofs_(const struct smrf_table *t, size_t variant, double *slope, double *flat)
{
    for (size_t r = 0; r < t->num_rows; r++) {
        *slope = cell_(t, r, SMRF_ROOFLINE_BANKS, variant) /
                 cell_(t, r, SMRF_ROOFLINE_INTENSITY, variant);
        *flat = cell_(t, r, SMRF_ROOFLINE_ISSUE, variant);
        if (isfinite(*slope) && isfinite(*flat) && *slope > 0) {
            return true;
        }
    }
    return false;
}

/* Up along the banks' roof, then along the schedulers'. Variants of one machine share it. */
static void draw_roofs_(const struct plot *p, const struct plot_axis *x, const struct plot_axis *y)
{
    double drawn_slope = 0, drawn_flat = 0, slope, flat;
    fputs("<g class=\"rule\" stroke-width=\"1.3\">", p->out);
    for (size_t v = 0; v < plot_columns(p->t); v++) {
        if (!roofs_(p->t, v, &slope, &flat) ||
            (fabs(slope - drawn_slope) < 1e-6 * slope && fabs(flat - drawn_flat) < 1e-6 * flat)) {
            continue;
        }
        const double corner = flat / slope < x->most ? flat / slope : x->most;
        smrf_html(p->out, "<path d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>", plot_at(x, 0), plot_at(y, 0),
                  plot_at(x, corner), plot_at(y, corner * slope), plot_at(x, x->most));
        drawn_slope = slope;
        drawn_flat = flat;
    }
    fputs("</g>\n", p->out);
    if (drawn_flat > 0) {
        plot_text(p, "end", plot_at(x, x->most) - 4, plot_at(y, drawn_flat) + 14,
                  "every scheduler issues", SIZE_MAX);
        plot_text(p, "start", plot_at(x, 0.7 * drawn_flat / drawn_slope) + 8,
                  plot_at(y, 0.7 * drawn_flat) + 4, "banks are full", SIZE_MAX);
    }
}

static void points_(const struct plot *p, size_t v, const struct plot_axis *x,
                    const struct plot_axis *y)
{
    for (size_t r = 0; r < p->t->num_rows; r++) {
        const double px = cell_(p->t, r, SMRF_ROOFLINE_INTENSITY, v);
        const double py = cell_(p->t, r, SMRF_ROOFLINE_IPC, v);
        if (isfinite(px) && isfinite(py)) {
            smrf_html(p->out, "<g><title>%s, %s</title>", p->t->row[r].name, p->t->column[v]);
            plot_begin_marks(p, v);
            plot_mark(p, v, plot_at(x, px), plot_at(y, py), 3);
            plot_end_marks(p, v);
            fputs("</g>", p->out);
        }
    }
}

void plot_roofline(const struct plot *p)
{
    const struct smrf_table *t = p->t;
    const size_t columns = plot_columns(t);
    const double legend = plot_legend(p, t->column, columns, 0, true), left = 44, top = legend + 20;
    const double bottom = top + HEIGHT, right = p->width - PLOT_RIGHT;
    double x_most = 0, y_most = 0, zero = 0, slope, flat;
    for (size_t v = 0; v < columns; v++) {
        for (size_t r = 0; r < t->num_rows; r++) {
            plot_widen(&zero, &x_most, cell_(t, r, SMRF_ROOFLINE_INTENSITY, v));
            plot_widen(&zero, &y_most, cell_(t, r, SMRF_ROOFLINE_IPC, v));
        }
        if (roofs_(t, v, &slope, &flat)) { /* the corner is in the picture */
            plot_widen(&zero, &x_most, 1.2 * flat / slope);
            plot_widen(&zero, &y_most, flat);
        }
    }
    const struct plot_axis x = plot_axis(0, x_most, left, right, 5);
    const struct plot_axis y = plot_axis(0, y_most, bottom, top, 4);
    plot_begin(p, bottom + 34, "title");
    plot_legend(p, t->column, columns, 0, false);
    plot_text(p, "start", 4, top - 7, "warp instructions a cycle and SM", SIZE_MAX);
    plot_x_ticks(p, &x, top, bottom);
    plot_y_ticks(p, &y, left, right);
    draw_roofs_(p, &x, &y);
    for (size_t v = 0; v < columns; v++) {
        points_(p, v, &x, &y);
    }
    plot_text(p, "middle", (left + right) / 2, bottom + 28,
              "warp instructions an access of the banks", SIZE_MAX);
    plot_end(p);
}
