/* SPDX-License-Identifier: Apache-2.0 */
#include "svg.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 380.0
#define RIGHT 20.0
#define ROW 15.0 /* height of a row */
#define LABEL 22 /* letters of a row's name */
#define LEGEND_ROW 15.0
#define PANEL 120.0
#define DOTS 30    /* rows of a line that get a mark each */
#define POINTS 400 /* of a line */

/* Okabe and Ito's colours. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000", "#7f7f7f"};
#define COLOURS (sizeof colours / sizeof *colours)
/* A stack goes from dark to light. */
static const char *const shades[] = {"#08306b", "#2171b5", "#6baed6", "#c6dbef",
                                     "#fdbe85", "#e6550d", "#a63603", "#7f7f7f"};

void smrf_html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* Of text of 11 units, roughly, on the wide side. */
static double width_(const char *text, size_t most, bool bold)
{
    double width = 0;
    for (size_t i = 0; text[i] && i < most; i++) {
        width += strchr("mwMW_@%", text[i]) ? 10 : strchr("ijlftr.,:;-' ", text[i]) ? 4.6 : 7;
    }
    return bold ? 1.12 * width : width;
}

static size_t columns_(const struct smrf_table *t)
{
    size_t plotted = t->figure->plotted;
    return plotted && plotted < t->num_columns ? plotted : t->num_columns;
}

bool smrf_svg_can(const struct smrf_table *t)
{
    for (size_t r = 0; t->figure->plot != SMRF_PLOT_NONE && r < t->num_rows; r++) {
        for (size_t c = 0; c < columns_(t); c++) {
            if (!isnan(t->row[r].value[c].mean)) {
                return true;
            }
        }
    }
    return false;
}

/* --- axes ------------------------------------------------------------------------------------- */

struct axis {
    double least, most, step; /* step between ticks */
    double from, to;          /* where they are drawn */
    int digits;
};

static double at_(const struct axis *a, double value)
{
    return a->from + (value - a->least) / (a->most - a->least) * (a->to - a->from);
}

static void widen_(double *least, double *most, double value)
{
    if (!isnan(value)) {
        *least = *least < value ? *least : value;
        *most = *most > value ? *most : value;
    }
}

/* Ticks at 1, 2 or 5 times a power of ten, some four of them. */
static struct axis axis_(double least, double most, double from, double to, double ticks)
{
    struct axis a = {.from = from, .to = to};
    if (!(most > least)) {
        const double around = fabs(least) > 0 ? fabs(least) * 0.1 : 1;
        most = least + around;
        least -= around;
    }
    const double raw = (most - least) / ticks, power = pow(10, floor(log10(raw)));
    a.step = raw / power < 1.5   ? power
             : raw / power < 3.5 ? 2 * power
             : raw / power < 7.5 ? 5 * power
                                 : 10 * power;
    a.least = floor(least / a.step + 1e-9) * a.step;
    a.most = ceil(most / a.step - 1e-9) * a.step;
    a.digits = a.step >= 1 ? 0 : (int)ceil(-log10(a.step) - 1e-9);
    return a;
}

/* Ticks along x, with lines through the height. */
static void x_ticks_(FILE *out, const struct axis *a, double top, double bottom)
{
    const int ticks = (int)((a->most - a->least) / a->step + 1.5);
    fputs("<g stroke=\"#ddd\" stroke-width=\".7\">", out);
    for (int i = 0; i < ticks; i++) {
        double x = at_(a, a->least + i * a->step);
        fprintf(out, "<path d=\"M%.1f %.1fV%.1f\"/>", x, top, bottom);
    }
    fputs("</g><g text-anchor=\"middle\" fill=\"#444\">", out);
    for (int i = 0; i < ticks; i++) {
        double value = a->least + i * a->step;
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%.*f</text>", at_(a, value), bottom + 13,
                a->digits, fabs(value) < a->step / 1e6 ? 0 : value);
    }
    fputs("</g>\n", out);
}

static void y_ticks_(FILE *out, const struct axis *a, double left, double right)
{
    const int ticks = (int)((a->most - a->least) / a->step + 1.5);
    fputs("<g stroke=\"#ddd\" stroke-width=\".7\">", out);
    for (int i = 0; i < ticks; i++) {
        fprintf(out, "<path d=\"M%.1f %.1fH%.1f\"/>", left, at_(a, a->least + i * a->step), right);
    }
    fputs("</g><g text-anchor=\"end\" fill=\"#444\">", out);
    for (int i = 0; i < ticks; i++) {
        double value = a->least + i * a->step;
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%.*f</text>", left - 4, at_(a, value) + 4,
                a->digits, fabs(value) < a->step / 1e6 ? 0 : value);
    }
    fputs("</g>\n", out);
}

/* --- marks and legend ------------------------------------------------------------------------- */

/* A circle, square, triangle, diamond or cross: they differ in more than colour. Circles
 * are elements, the others parts of one path a series. */
static void begin_marks_(FILE *out, size_t shape)
{
    fputs(shape % 5 == 0   ? ""
          : shape % 5 == 4 ? "<path fill=\"none\" stroke-width=\"1.8\" d=\""
                           : "<path d=\"",
          out);
}

static void mark_(FILE *out, size_t shape, double x, double y, double r)
{
    switch (shape % 5) {
    case 0:
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.3g\"/>", x, y, r);
        break;
    case 1:
        fprintf(out, "M%.1f %.1fh%.3gv%.3gh-%.3gz", x - r, y - r, 2 * r, 2 * r, 2 * r);
        break;
    case 2:
        fprintf(out, "M%.1f %.1fl%.3g %.3gh-%.3gz", x, y - 1.2 * r, 1.2 * r, 2 * r, 2.4 * r);
        break;
    case 3:
        fprintf(out, "M%.1f %.1fl%.3g %.3gl-%.3g %.3gl-%.3g -%.3gz", x, y - 1.3 * r, 1.3 * r,
                1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r, 1.3 * r);
        break;
    default:
        fprintf(out, "M%.1f %.1fl%.3g %.3gm0 -%.3gl-%.3g %.3g", x - r, y - r, 2 * r, 2 * r, 2 * r,
                2 * r, 2 * r);
    }
}

static void end_marks_(FILE *out, size_t shape)
{
    fputs(shape % 5 == 0 ? "" : "\"/>", out);
}

static void point_(FILE *out, size_t shape, double x, double y, double r)
{
    begin_marks_(out, shape);
    mark_(out, shape, x, y, r);
    end_marks_(out, shape);
}

/* As many letters of a name as fit. Bytes of UTF-8 count as letters. */
static void short_text_(FILE *out, const char *text, size_t most)
{
    char cut[64];
    const size_t length = strlen(text);
    snprintf(cut, sizeof cut, "%.*s%s", (int)(length > most ? most - 2 : most), text,
             length > most ? ".." : "");
    smrf_html_text(out, cut);
}

/* Rows of entries; returns its height. measure: draws nothing. */
static double legend_(FILE *out, const struct smrf_table *t, double top, bool measure)
{
    const struct smrf_figure *f = t->figure;
    const bool stacked = f->plot == SMRF_PLOT_STACKED;
    double x = 4, y = top + 10;
    for (size_t c = 0; c < columns_(t); c++) {
        const double width = 20 + width_(t->column[c], SIZE_MAX, false);
        if (x > 4 && x + width > WIDTH) {
            x = 4;
            y += LEGEND_ROW;
        }
        if (!measure) {
            const char *colour = stacked ? shades[c % COLOURS] : colours[c % COLOURS];
            fprintf(out, "<g fill=\"%s\" stroke=\"%s\" stroke-width=\"0\">", colour, colour);
            point_(out, stacked ? 1 : c, x + 5, y - 4, 4);
            fprintf(out, "</g><text x=\"%.1f\" y=\"%.1f\">", x + 14, y);
            smrf_html_text(out, t->column[c]);
            fputs("</text>\n", out);
        }
        x += width;
    }
    for (size_t k = 0; k < f->num_marks; k++) {
        y += LEGEND_ROW;
        if (!measure) {
            fprintf(out,
                    "<path d=\"M4 %.1fh12\" stroke=\"#000\" stroke-dasharray=\"3 2\"/>"
                    "<text x=\"20\" y=\"%.1f\">",
                    y - 4, y);
            smrf_html_text(out, f->mark[k].label);
            fputs("</text>\n", out);
        }
    }
    return y - top + 6;
}

static void begin_(FILE *out, const struct smrf_table *t, double height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\"><title>",
            WIDTH, height, WIDTH, height);
    smrf_html_text(out, t->title);
    fprintf(out, "</title>\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", WIDTH, height);
}

static void caption_(FILE *out, const char *text, double x, double y)
{
    if (text && *text) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y);
        smrf_html_text(out, text);
        fputs("</text>\n", out);
    }
}

static double label_width_(const struct smrf_table *t)
{
    double widest = 24;
    for (size_t r = 0; r < t->num_rows; r++) {
        const double width = width_(t->row[r].name, LABEL, t->row[r].mean);
        widest = width > widest ? width : widest;
    }
    return 8 + widest;
}

#define LABELS "<g text-anchor=\"end\">"

static void row_label_(FILE *out, const struct smrf_table_row *row, double x, double y)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x - 5, y + 4,
            row->mean ? " font-weight=\"bold\"" : "");
    short_text_(out, row->name, LABEL);
    fputs("</text>", out);
}

/* --- dots: a row a line, around the value that means no difference ---------------------------- */

static void dots_(const struct smrf_table *t, FILE *out)
{
    const struct smrf_figure *f = t->figure;
    double least = INFINITY, most = -INFINITY;
    const double legend = legend_(out, t, 0, true), left = label_width_(t);
    const double top = legend + 4, bottom = top + ROW * (double)t->num_rows;
    widen_(&least, &most, f->neutral);
    for (size_t k = 0; k < f->num_marks; k++) {
        widen_(&least, &most, f->mark[k].at);
    }
    for (size_t r = 0; r < t->num_rows; r++) {
        for (size_t c = 0; c < columns_(t); c++) {
            const struct smrf_spread *v = &t->row[r].value[c];
            widen_(&least, &most, v->mean);
            widen_(&least, &most, v->least);
            widen_(&least, &most, v->most);
        }
    }
    const struct axis a = axis_(least, most, left + 4, WIDTH - RIGHT, 4);
    begin_(out, t, bottom + 34);
    legend_(out, t, 0, false);
    x_ticks_(out, &a, top, bottom);
    fputs(LABELS, out);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double y = top + ROW * ((double)r + 0.5);
        if (t->row[r].mean) {
            fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#f2f2f2\" stroke-width=\"%.0f\"/>",
                    left, y, WIDTH - RIGHT, ROW);
        }
        row_label_(out, &t->row[r], left, y);
    }
    fputs("</g>\n", out);
    if (!isnan(f->neutral)) {
        fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#000\"/>\n", at_(&a, f->neutral), top,
                bottom);
    }
    for (size_t k = 0; k < f->num_marks; k++) {
        fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#000\" stroke-dasharray=\"3 2\"/>\n",
                at_(&a, f->mark[k].at), top, bottom);
    }
    for (size_t c = 0; c < columns_(t); c++) {
        const char *colour = colours[c % COLOURS];
        fprintf(out, "<g fill=\"%s\" stroke=\"%s\" stroke-width=\"0\" fill-opacity=\".85\">",
                colour, colour);
        for (size_t r = 0; r < t->num_rows; r++) {
            const struct smrf_spread *v = &t->row[r].value[c];
            if (at_(&a, v->most) - at_(&a, v->least) > 6) { /* else the mark hides it */
                fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke-width=\"1.2\"/>",
                        at_(&a, v->least), top + ROW * ((double)r + 0.5), at_(&a, v->most));
            }
        }
        begin_marks_(out, c);
        for (size_t r = 0; r < t->num_rows; r++) {
            const double mean = t->row[r].value[c].mean;
            if (!isnan(mean)) {
                mark_(out, c, at_(&a, mean), top + ROW * ((double)r + 0.5), t->row[r].mean ? 4 : 3);
            }
        }
        end_marks_(out, c);
        fputs("</g>\n", out);
    }
    caption_(out, f->axis, (left + WIDTH - RIGHT) / 2, bottom + 28);
    fputs("</svg>\n", out);
}

/* --- stacked: a row a bar, of parts of a whole ------------------------------------------------ */

static void stacked_(const struct smrf_table *t, FILE *out)
{
    const double legend = legend_(out, t, 0, true), left = label_width_(t);
    const double top = legend + 4, bottom = top + ROW * (double)t->num_rows;
    const struct axis a = axis_(0, 1, left + 4, WIDTH - RIGHT, 5);
    begin_(out, t, bottom + 34);
    legend_(out, t, 0, false);
    x_ticks_(out, &a, top, bottom);
    fputs(LABELS, out);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double y = top + ROW * (double)r;
        double sum = 0;
        row_label_(out, &t->row[r], left, y + ROW / 2);
        for (size_t c = 0; c < columns_(t); c++) {
            const double v = t->row[r].value[c].mean;
            if (!isnan(v) && v > 0) {
                fprintf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                        at_(&a, sum), y + 2, at_(&a, v) - at_(&a, 0), ROW - 4, shades[c % COLOURS]);
                sum += v;
            }
        }
        fputc('\n', out);
    }
    fputs("</g>\n", out);
    caption_(out, t->figure->axis, (left + WIDTH - RIGHT) / 2, bottom + 28);
    fputs("</svg>\n", out);
}

/* --- lines: rows are points; with different units a panel a column ---------------------------- */

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

/* Rows that a point stands for: more than some hundreds cannot be distinguished. */
static size_t rows_a_point_(const struct smrf_table *t, bool numbers)
{
    return numbers ? (t->num_rows + POINTS - 1) / POINTS : 1;
}

static void line_(const struct smrf_table *t, size_t c, const struct axis *x, const struct axis *y,
                  bool numbers, FILE *out)
{
    const size_t each = rows_a_point_(t, numbers);
    bool drawn = false;
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"",
            colours[c % COLOURS]);
    for (size_t r = 0; r < t->num_rows; r += each) {
        double sum = 0, n = 0;
        for (size_t i = r; i < r + each && i < t->num_rows; i++) {
            const double v = t->row[i].value[c].mean;
            sum += isnan(v) ? 0 : v;
            n += !isnan(v);
        }
        if (n > 0) {
            fprintf(out, "%c%.1f %.1f", drawn ? 'L' : 'M', at_(x, x_of_(t, r, numbers)),
                    at_(y, sum / n));
        }
        drawn = drawn || n > 0;
    }
    fprintf(out, "\"/><g fill=\"%s\" stroke=\"%s\" stroke-width=\"0\">", colours[c % COLOURS],
            colours[c % COLOURS]);
    for (size_t r = 0; t->num_rows <= DOTS && r < t->num_rows; r++) {
        const double v = t->row[r].value[c].mean;
        if (!isnan(v)) {
            point_(out, c, at_(x, x_of_(t, r, numbers)), at_(y, v), 3);
        }
    }
    fputs("</g>\n", out);
}

/* Columns first .. last in one panel. */
static void panel_(const struct smrf_table *t, size_t first, size_t last, double top,
                   const char *label, FILE *out)
{
    const double left = 44, bottom = top + PANEL;
    double least = INFINITY, most = -INFINITY, x_least = INFINITY, x_most = -INFINITY;
    const bool numbers = numbers_(t);
    widen_(&least, &most, t->figure->neutral);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double x = x_of_(t, r, numbers);
        widen_(&x_least, &x_most, x);
        for (size_t c = first; c <= last; c++) {
            widen_(&least, &most, t->row[r].value[c].mean);
        }
    }
    if (!(most >= least)) {
        return;
    }
    struct axis x = axis_(x_least, x_most, left, WIDTH - RIGHT, 5);
    const struct axis y = axis_(least, most, bottom, top + 16, 4);
    if (!numbers) {
        x.least = -0.5;
        x.most = (double)t->num_rows - 0.5;
        for (size_t r = 0; r < t->num_rows; r++) {
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"#444\">",
                    at_(&x, (double)r), bottom + 13);
            short_text_(out, t->row[r].name, 12);
            fputs("</text>", out);
        }
    } else {
        x_ticks_(out, &x, top + 16, bottom);
    }
    y_ticks_(out, &y, left, WIDTH - RIGHT);
    fprintf(out, "<text x=\"4\" y=\"%.1f\">", top + 9);
    smrf_html_text(out, label);
    fputs("</text>\n", out);
    for (size_t c = first; c <= last; c++) {
        line_(t, c, &x, &y, numbers, out);
    }
}

static void lines_(const struct smrf_table *t, FILE *out)
{
    const bool one = t->figure->together; /* one unit: one panel, and a legend */
    const size_t panels = one ? 1 : columns_(t);
    const double legend = one ? legend_(out, t, 0, true) : 0, each = PANEL + 24;
    begin_(out, t, legend + each * (double)panels + 20);
    if (one) {
        legend_(out, t, 0, false);
        panel_(t, 0, columns_(t) - 1, legend + 4, t->figure->axis, out);
    }
    for (size_t c = 0; !one && c < panels; c++) {
        panel_(t, c, c, each * (double)c + 2, t->column[c], out);
    }
    caption_(out, t->figure->x && *t->figure->x ? t->figure->x : t->row_title, WIDTH / 2,
             legend + each * (double)panels + 14);
    fputs("</svg>\n", out);
}

/* --- roofline: how many instructions the banks and the schedulers let pass, and how many do --- */

#define ROOFLINE 230.0

static double cell_(const struct smrf_table *t, size_t row, enum smrf_roofline_block block,
                    size_t variant)
{
    return t->row[row].value[(size_t)block * columns_(t) + variant].mean;
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
static void draw_roofs_(const struct smrf_table *t, const struct axis *x, const struct axis *y,
                        FILE *out)
{
    double drawn_slope = 0, drawn_flat = 0, slope, flat;
    fputs("<g fill=\"none\" stroke=\"#000\" stroke-width=\"1.3\">", out);
    for (size_t v = 0; v < columns_(t); v++) {
        if (!roofs_(t, v, &slope, &flat) ||
            (fabs(slope - drawn_slope) < 1e-6 * slope && fabs(flat - drawn_flat) < 1e-6 * flat)) {
            continue;
        }
        const double corner = flat / slope < x->most ? flat / slope : x->most;
        fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>", at_(x, 0), at_(y, 0),
                at_(x, corner), at_(y, corner * slope), at_(x, x->most));
        drawn_slope = slope;
        drawn_flat = flat;
    }
    fputs("</g>\n", out);
    if (drawn_flat > 0) {
        fprintf(out,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">every scheduler issues</text>"
                "<text x=\"%.1f\" y=\"%.1f\">banks are full</text>\n",
                at_(x, x->most) - 4, at_(y, drawn_flat) + 14,
                at_(x, 0.7 * drawn_flat / drawn_slope) + 8, at_(y, 0.7 * drawn_flat) + 4);
    }
}

static void roofline_points_(const struct smrf_table *t, size_t v, const struct axis *x,
                             const struct axis *y, FILE *out)
{
    fprintf(out, "<g fill=\"%s\" stroke=\"%s\" stroke-width=\"0\" fill-opacity=\".85\">",
            colours[v % COLOURS], colours[v % COLOURS]);
    for (size_t r = 0; r < t->num_rows; r++) {
        const double px = cell_(t, r, SMRF_ROOFLINE_INTENSITY, v);
        const double py = cell_(t, r, SMRF_ROOFLINE_IPC, v);
        if (isfinite(px) && isfinite(py)) {
            fputs("<g><title>", out);
            smrf_html_text(out, t->row[r].name);
            fputs(", ", out);
            smrf_html_text(out, t->column[v]);
            fputs("</title>", out);
            point_(out, v, at_(x, px), at_(y, py), 3);
            fputs("</g>", out);
        }
    }
    fputs("</g>\n", out);
}

static void roofline_(const struct smrf_table *t, FILE *out)
{
    const double legend = legend_(out, t, 0, true), left = 44, top = legend + 20;
    const double bottom = top + ROOFLINE;
    double x_most = 0, y_most = 0, zero = 0, slope, flat;
    for (size_t v = 0; v < columns_(t); v++) {
        for (size_t r = 0; r < t->num_rows; r++) {
            widen_(&zero, &x_most, cell_(t, r, SMRF_ROOFLINE_INTENSITY, v));
            widen_(&zero, &y_most, cell_(t, r, SMRF_ROOFLINE_IPC, v));
        }
        if (roofs_(t, v, &slope, &flat)) { /* the corner is in the picture */
            widen_(&zero, &x_most, 1.2 * flat / slope);
            widen_(&zero, &y_most, flat);
        }
    }
    const struct axis x = axis_(0, x_most, left, WIDTH - RIGHT, 5);
    const struct axis y = axis_(0, y_most, bottom, top, 4);
    begin_(out, t, bottom + 34);
    legend_(out, t, 0, false);
    fprintf(out, "<text x=\"4\" y=\"%.1f\">warp instructions a cycle and SM</text>\n", top - 7);
    x_ticks_(out, &x, top, bottom);
    y_ticks_(out, &y, left, WIDTH - RIGHT);
    draw_roofs_(t, &x, &y, out);
    for (size_t v = 0; v < columns_(t); v++) {
        roofline_points_(t, v, &x, &y, out);
    }
    caption_(out, "warp instructions an access of the banks", (left + WIDTH - RIGHT) / 2,
             bottom + 28);
    fputs("</svg>\n", out);
}

void smrf_svg_write(const struct smrf_table *t, FILE *out)
{
    switch (t->figure->plot) {
    case SMRF_PLOT_DOTS:
        dots_(t, out);
        break;
    case SMRF_PLOT_STACKED:
        stacked_(t, out);
        break;
    case SMRF_PLOT_ROOFLINE:
        roofline_(t, out);
        break;
    default:
        lines_(t, out);
    }
}
