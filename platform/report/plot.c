/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include "html.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LEGEND_ROW 15.0

size_t plot_columns(const struct smrf_table *t)
{
    const size_t plotted = t->figure->plotted;
    return plotted && plotted < t->num_columns ? plotted : t->num_columns;
}

double plot_value(const struct smrf_table *t, size_t row, size_t column)
{
    const double v = t->row[row].value[column].mean;
    return isfinite(v) ? v : NAN;
}

/* --- axes ------------------------------------------------------------------------------------- */

double plot_at(const struct plot_axis *a, double value)
{
    return a->from + (value - a->least) / (a->most - a->least) * (a->to - a->from);
}

void plot_widen(double *least, double *most, double value)
{
    if (isfinite(value)) {
        *least = *least < value ? *least : value;
        *most = *most > value ? *most : value;
    }
}

struct plot_axis plot_axis(double least, double most, double from, double to, double ticks)
{
    struct plot_axis a = {.from = from, .to = to};
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

static int ticks_(const struct plot_axis *a)
{
    return (int)((a->most - a->least) / a->step + 1.5);
}

/* "0.5", "2000", "3 M": large numbers with a unit, so that they do not run into one another. */
static void tick_(const struct plot *p, const struct plot_axis *a, int i, const char *class,
                  double x, double y)
{
    static const char *const units[] = {"", " M", " G", " T"};
    double value = a->least + i * a->step, scale = 1;
    size_t unit = 0;
    while (unit < 3 && a->step / scale >= (unit ? 1e3 : 1e5)) {
        scale *= unit ? 1e3 : 1e6;
        unit++;
    }
    const double step = a->step / scale;
    const int digits = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    value = fabs(value) < a->step / 1e6 ? 0 : value;
    smrf_html(p->out, "<text class=\"tick %r\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
    fprintf(p->out, "%.*f%s</text>", digits, value / scale, value != 0 ? units[unit] : "");
}

void plot_x_ticks(const struct plot *p, const struct plot_axis *a, double top, double bottom)
{
    const int ticks = ticks_(a);
    fputs("<path class=\"grid\" d=\"", p->out);
    for (int i = 0; i < ticks; i++) {
        smrf_html(p->out, "M%.1f %.1fV%.1f", plot_at(a, a->least + i * a->step), top, bottom);
    }
    fputs("\"/>", p->out);
    for (int i = 0; i < ticks; i++) {
        tick_(p, a, i, "middle", plot_at(a, a->least + i * a->step), bottom + 13);
    }
    fputc('\n', p->out);
}

void plot_y_ticks(const struct plot *p, const struct plot_axis *a, double left, double right)
{
    const int ticks = ticks_(a);
    fputs("<path class=\"grid\" d=\"", p->out);
    for (int i = 0; i < ticks; i++) {
        smrf_html(p->out, "M%.1f %.1fH%.1f", left, plot_at(a, a->least + i * a->step), right);
    }
    fputs("\"/>", p->out);
    for (int i = 0; i < ticks; i++) {
        tick_(p, a, i, "end", left - 4, plot_at(a, a->least + i * a->step) + 4);
    }
    fputc('\n', p->out);
}

/* --- text ------------------------------------------------------------------------------------- */

double plot_text_width(const char *text, size_t most, bool bold)
{
    double width = 0;
    for (size_t i = 0; text[i] && i < most; i++) {
        width += strchr("mwMW_@%", text[i]) ? 10 : strchr("ijlftr.,:;-' ", text[i]) ? 4.6 : 7;
    }
    return bold ? 1.12 * width : width;
}

/* As many letters of a text as fit. Bytes of UTF-8 count as letters. */
static void short_text_(FILE *out, const char *text, size_t most)
{
    char cut[64];
    const size_t length = strlen(text);
    if (length <= most) {
        smrf_html_text(out, text);
        return;
    }
    size_t kept = most - 2 < sizeof cut - 3 ? most - 2 : sizeof cut - 3;
    while (kept && ((unsigned char)text[kept] & 0xc0) == 0x80) { /* not within a letter */
        kept--;
    }
    snprintf(cut, sizeof cut, "%.*s..", (int)kept, text);
    smrf_html_text(out, cut);
}

void plot_text(const struct plot *p, const char *class, double x, double y, const char *text,
               size_t most)
{
    if (text && *text) {
        smrf_html(p->out, "<text class=\"%r\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
        short_text_(p->out, text, most);
        fputs("</text>\n", p->out);
    }
}

size_t plot_label_letters(const struct plot *p)
{
    return p->width < 500 ? 22 : 34;
}

double plot_label_width(const struct plot *p)
{
    double widest = 24;
    for (size_t r = 0; r < p->t->num_rows; r++) {
        const struct smrf_table_row *row = &p->t->row[r];
        const double width = plot_text_width(row->name, plot_label_letters(p), row->mean);
        widest = width > widest ? width : widest;
    }
    return 8 + widest;
}

void plot_row_label(const struct plot *p, const struct smrf_table_row *row, double x, double y)
{
    plot_text(p, row->mean ? "end mean" : "end", x - 5, y + 4, row->name, plot_label_letters(p));
}

/* --- the element ------------------------------------------------------------------------------ */

void plot_begin(const struct plot *p, double height, const char *hover)
{
    smrf_html(p->out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 %.0f %.0f\" "
              "width=\"%.0f\" height=\"%.0f\" role=\"img\" data-hover=\"%r\"><title>%s</title>\n",
              p->width, height, p->width, height, hover, p->t->title);
    if (p->alone) {
        smrf_html(p->out, "<style>%r</style>\n", smrf_page_plot_css);
    }
    smrf_html(p->out, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", p->width, height);
}

void plot_end(const struct plot *p)
{
    fputs("</svg>\n", p->out);
}

/* --- marks and legend ------------------------------------------------------------------------- */

/* A circle, square, triangle, diamond or cross. Circles are elements, the others parts of one path
 * a series. */
void plot_begin_marks(const struct plot *p, size_t series)
{
    fprintf(p->out, "<g class=\"marks c%zu\">", series % PLOT_COLOURS);
    if (series % 5) {
        fprintf(p->out, "<path%s d=\"", series % 5 == 4 ? " class=\"cross\"" : "");
    }
}

void plot_mark(const struct plot *p, size_t series, double x, double y, double r)
{
    FILE *out = p->out;
    switch (series % 5) {
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
        fprintf(out, "M%.1f %.1fl%.3g %.3g-%.3g %.3g-%.3g-%.3gz", x, y - 1.4 * r, 1.4 * r, 1.4 * r,
                1.4 * r, 1.4 * r, 1.4 * r, 1.4 * r);
        break;
    default:
        fprintf(out, "M%.1f %.1fl%.3g %.3gm0-%.3gl-%.3g %.3g", x - r, y - r, 2 * r, 2 * r, 2 * r,
                2 * r, 2 * r);
    }
}

void plot_end_marks(const struct plot *p, size_t series)
{
    fputs(series % 5 ? "\"/></g>\n" : "</g>\n", p->out);
}

static void entry_(const struct plot *p, const char *name, size_t c, double x, double y)
{
    if (p->t->figure->plot == SMRF_PLOT_STACKED) {
        smrf_html(p->out, "<rect class=\"s%z\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"/>",
                  c % PLOT_COLOURS, x + 1, y - 8);
    } else {
        plot_begin_marks(p, c);
        plot_mark(p, c, x + 5, y - 4, 4);
        plot_end_marks(p, c);
    }
    plot_text(p, "start", x + 14, y, name, SIZE_MAX);
}

double plot_legend(const struct plot *p, const char *const *names, size_t count, double top,
                   bool measure)
{
    const struct smrf_figure *f = p->t->figure;
    double x = 4, y = top + 10;
    for (size_t c = 0; c < count; c++) {
        const double width = 20 + plot_text_width(names[c], SIZE_MAX, false);
        if (x > 4 && x + width > p->width) {
            x = 4;
            y += LEGEND_ROW;
        }
        if (!measure) {
            entry_(p, names[c], c, x, y);
        }
        x += width;
    }
    for (size_t k = 0; k < f->num_marks; k++) {
        y += LEGEND_ROW;
        if (!measure) {
            smrf_html(p->out, "<path class=\"rule dash\" d=\"M4 %.1fh12\"/>", y - 4);
            plot_text(p, "start", 20, y, f->mark[k].label, SIZE_MAX);
        }
    }
    return y - top + 6;
}
