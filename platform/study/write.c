/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of a study. */
#define _GNU_SOURCE
#include "table.h"

#include "models/common/smrf_err.h"
#include "traces/files/output_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file of the folder, written by `fill`, that appears when it is complete. */
static int file_(const char *folder, const char *stem, const char *ending,
                 int (*fill)(FILE *out, const void *what), const void *what, char *text,
                 size_t size)
{
    char path[1024];
    struct smrf_output out;
    snprintf(path, sizeof path, "%s/%s%s", folder, stem, ending);
    int err = smrf_output_open(&out, path, text, size);
    if (!err) {
        int filled = fill(out.file, what);
        bool whole = !filled || ferror(out.file); /* of which the closing tells */
        err = smrf_output_close(&out, whole, text, size);
        if (!err && !whole) {
            snprintf(text, size, "%.400s: cannot be made", path);
            err = filled;
        }
    }
    return err;
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void csv_text_(FILE *out, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fputs(quoted ? "\"" : "", out);
}

static void csv_number_(FILE *out, double value)
{
    fputc(',', out);
    if (!isnan(value)) {
        fprintf(out, "%.9g", value);
    }
}

static int csv_(FILE *out, const void *what)
{
    const struct smrf_table *t = what;
    csv_text_(out, t->row_title);
    for (size_t c = 0; c < t->num_columns; c++) {
        fputc(',', out);
        csv_text_(out, t->column[c]);
    }
    fputc('\n', out);
    for (size_t r = 0; r < t->num_rows; r++) {
        csv_text_(out, t->row[r].name);
        for (size_t c = 0; c < t->num_columns; c++) {
            csv_number_(out, t->row[r].value[c]);
        }
        fputc('\n', out);
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

/* --- SVG -------------------------------------------------------------------------------------- */

struct picture {
    const struct smrf_table *table;
    const char *folder;
};

/* A name as gnuplot's string. */
static void plot_text_(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        fputs(*text == '\'' ? "''" : "", out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void label_(FILE *out, const char *which, const char *text)
{
    fprintf(out, "set %s ", which);
    plot_text_(out, text ? text : "");
    fputc('\n', out);
}

static void plot_(FILE *out, const struct picture *p, bool bars)
{
    const struct smrf_table *t = p->table;
    size_t columns = t->plot_columns ? t->plot_columns : t->num_columns;
    fputs("plot ", out);
    for (size_t c = 0; c < columns; c++) {
        fprintf(out, "%s'%s/%s.csv' every ::1 using ", c ? ", " : "", p->folder, t->id);
        fprintf(out, bars ? "%zu:xtic(1)" : "1:%zu", c + 2);
        fputs(t->plot == SMRF_PLOT_TWO_AXES && c ? " axes x1y2 title " : " title ", out);
        plot_text_(out, t->column[c]);
    }
    if (!isnan(t->mark)) {
        fprintf(out, ", %g with lines lw 1.5 dt 2 lc rgb 'black' title ", t->mark);
        plot_text_(out, t->mark_label);
    }
    fputc('\n', out);
}

static int script_(FILE *out, const void *what)
{
    const struct picture *p = what;
    const struct smrf_table *t = p->table;
    bool bars = t->plot == SMRF_PLOT_BARS || t->plot == SMRF_PLOT_STACKED;
    double thick = t->plot == SMRF_PLOT_STACKED ? 8 : 6 * (double)t->num_columns;
    double width = bars ? 160 + (double)t->num_rows * (14 + thick) : 860;
    fprintf(out,
            "set terminal svg size %.0f,%d font 'sans-serif,12' background 'white' noenhanced\n"
            "set datafile separator ','\nset key outside top center horizontal Left reverse\n"
            "set grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror out\n"
            "set key maxrows 2\n",
            width < 860 ? 860 : width, bars ? 460 : 400);
    label_(out, "ylabel", t->y_label);
    if (bars) {
        fprintf(out,
                "set style data histograms\nset style histogram %s\nset style fill solid 0.9\n"
                "set boxwidth 0.9\nset xtics rotate by -45\nset rmargin 10\n",
                t->plot == SMRF_PLOT_STACKED ? "rowstacked" : "clustered gap 1");
        if (t->y_floor > 0) {
            fprintf(out, "set yrange [*<%g:*]\n", t->y_floor);
        } else {
            fprintf(out, "set yrange [0:%s]\n", t->plot == SMRF_PLOT_STACKED ? "1" : "*");
        }
    } else {
        fputs("set style data linespoints\nset format x '%.0f'\n", out);
        label_(out, "xlabel", t->x_label ? t->x_label : t->row_title);
    }
    if (t->plot == SMRF_PLOT_TWO_AXES) {
        fputs("set border 11\nset y2tics\nset y2range [0:*]\nset yrange [0:*]\n", out);
        label_(out, "y2label", t->y2_label);
    }
    plot_(out, p, bars);
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

/* What the command prints. */
static int copy_(FILE *out, const void *what)
{
    char buffer[4096];
    size_t n, sum = 0;
    FILE *in = popen(what, "re");
    while (in && (n = fread(buffer, 1, sizeof buffer, in)) > 0) {
        sum += fwrite(buffer, 1, n, out);
    }
    return in && pclose(in) == 0 && sum > 0 ? SMRF_OK : SMRF_ERR_IO;
}

/* gnuplot makes <id>.svg from <id>.csv by <id>.gp. */
static bool draw_(const struct smrf_table *t, const char *folder)
{
    char command[600];
    struct picture p = {t, folder};
    char text[512];
    if (strchr(folder, '\'') || file_(folder, t->id, ".gp", script_, &p, text, sizeof text)) {
        return false;
    }
    snprintf(command, sizeof command, "gnuplot '%.500s/%s.gp' 2>/dev/null", folder, t->id);
    return file_(folder, t->id, ".svg", copy_, command, text, sizeof text) == SMRF_OK;
}

/* --- JSON ------------------------------------------------------------------------------------- */

struct document {
    const struct smrf_tables *tables;
    const struct smrf_claim *claims;
    size_t num_claims;
    const char *folder, *title, *introduction;
    bool pictures;
};

static json_t *number_(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *json_table_(const struct smrf_table *t)
{
    json_t *columns = json_array(), *rows = json_object();
    for (size_t c = 0; c < t->num_columns; c++) {
        json_array_append_new(columns, json_string(t->column[c]));
    }
    for (size_t r = 0; r < t->num_rows; r++) {
        json_t *values = json_array();
        for (size_t c = 0; c < t->num_columns; c++) {
            json_array_append_new(values, number_(t->row[r].value[c]));
        }
        json_object_set_new(rows, t->row[r].name, values);
    }
    return json_pack("{s:s,s:s,s:o,s:o}", "title", t->title, "note", t->note, "columns", columns,
                     "rows", rows);
}

static int json_(FILE *out, const void *what)
{
    const struct document *d = what;
    json_t *root = json_object(), *claims = json_array(), *tables = json_object();
    for (size_t i = 0; i < d->num_claims; i++) {
        const struct smrf_claim *c = &d->claims[i];
        json_array_append_new(claims, json_pack("{s:s,s:s,s:s,s:o,s:o,s:o}", "claim", c->what,
                                                "source", c->source, "unit", c->unit, "paper",
                                                number_(c->paper), "ours", number_(c->ours),
                                                "difference", number_(c->ours - c->paper)));
    }
    for (size_t i = 0; i < d->tables->num; i++) {
        const struct smrf_table *t = d->tables->table[i];
        json_object_set_new(tables, t->id, json_table_(t));
    }
    json_object_set_new(root, "study", json_string(d->title));
    json_object_set_new(root, "claims", claims);
    json_object_set_new(root, "tables", tables);
    int rc = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    fputc('\n', out);
    return rc || ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

/* --- HTML ------------------------------------------------------------------------------------- */

static void html_text_(FILE *out, const char *text)
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
        default:
            fputc(*text, out);
        }
    }
}

static void html_number_(FILE *out, double value, unsigned digits)
{
    if (isnan(value)) {
        fputs("<td>&ndash;</td>", out);
    } else {
        fprintf(out, "<td>%.*f</td>", (int)digits, value);
    }
}

/* The picture itself, so that the page needs no other file. */
static void html_picture_(FILE *out, const struct document *d, const struct smrf_table *t)
{
    char path[1024], buffer[4096];
    size_t n;
    snprintf(path, sizeof path, "%s/%s.svg", d->folder, t->id);
    FILE *in = t->plot != SMRF_PLOT_NONE && d->pictures ? fopen(path, "rb") : NULL;
    if (!in) {
        return;
    }
    fputs("<figure>", out);
    bool inside = false; /* an XML head has no place within a page */
    while (fgets(buffer, sizeof buffer, in)) {
        inside |= strncmp(buffer, "<svg", 4) == 0;
        n = strlen(buffer);
        if (inside) {
            fwrite(buffer, 1, n, out);
        }
    }
    fputs("</figure>\n", out);
    fclose(in);
}

static void html_table_(FILE *out, const struct document *d, const struct smrf_table *t)
{
    fprintf(out, "<h2 id=\"%s\">", t->id);
    html_text_(out, t->title);
    fputs("</h2>\n<p>", out);
    html_text_(out, t->note);
    fputs("</p>\n", out);
    html_picture_(out, d, t);
    fputs("<details open><summary>numbers</summary><table><tr><th>", out);
    html_text_(out, t->row_title);
    fputs("</th>", out);
    for (size_t c = 0; c < t->num_columns; c++) {
        fputs("<th>", out);
        html_text_(out, t->column[c]);
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    for (size_t r = 0; r < t->num_rows; r++) {
        fputs("<tr><th>", out);
        html_text_(out, t->row[r].name);
        fputs("</th>", out);
        for (size_t c = 0; c < t->num_columns; c++) {
            html_number_(out, t->row[r].value[c], t->digits);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></details>\n", out);
}

void smrf_claims_print(FILE *out, const struct smrf_claim *claims, size_t num_claims)
{
    fprintf(out, "%-46s %-6s %9s %9s %9s\n", "", "", "paper", "ours", "differ");
    for (size_t i = 0; i < num_claims; i++) {
        const struct smrf_claim *c = &claims[i];
        fprintf(out, "%-46s %-6s", c->what, c->unit);
        if (isnan(c->ours)) {
            fprintf(out, " %9.2f %9s %9s", c->paper, "-", "-");
        } else {
            fprintf(out, " %9.2f %9.2f %+9.2f", c->paper, c->ours, c->ours - c->paper);
        }
        fprintf(out, "  %s\n", c->source);
    }
}

static int claims_csv_(FILE *out, const void *what)
{
    const struct document *d = what;
    fputs("claim,source,unit,paper,ours,difference\n", out);
    for (size_t i = 0; i < d->num_claims; i++) {
        const struct smrf_claim *c = &d->claims[i];
        csv_text_(out, c->what);
        fprintf(out, ",%s,%s", c->source, c->unit);
        csv_number_(out, c->paper);
        csv_number_(out, c->ours);
        csv_number_(out, c->ours - c->paper);
        fputc('\n', out);
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

static void html_claims_(FILE *out, const struct document *d)
{
    fputs("<h2 id=\"claims\">The papers' numbers beside ours</h2>\n<table><tr><th>claim</th>"
          "<th>source</th><th>unit</th><th>paper</th><th>ours</th><th>ours - paper</th></tr>\n",
          out);
    for (size_t i = 0; i < d->num_claims; i++) {
        const struct smrf_claim *c = &d->claims[i];
        fputs("<tr><th>", out);
        html_text_(out, c->what);
        fprintf(out, "</th><td>%s</td><td>%s</td>", c->source, c->unit);
        html_number_(out, c->paper, 2);
        html_number_(out, c->ours, 2);
        html_number_(out, c->ours - c->paper, 2);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static int html_(FILE *out, const void *what)
{
    const struct document *d = what;
    fputs("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    html_text_(out, d->title);
    fputs(
        "</title><style>body{font:15px/1.5 sans-serif;max-width:75em;margin:2em auto;padding:0 "
        "1em}table{border-collapse:collapse;font-size:13px}td,th{border-bottom:1px solid "
        "#ddd;padding:.2em .7em;text-align:right}th:first-child{text-align:left}figure{margin:1em "
        "0;overflow-x:auto}h2{margin-top:2em}</style></head><body>\n<h1>",
        out);
    html_text_(out, d->title);
    fputs("</h1>\n<p>", out);
    html_text_(out, d->introduction);
    fputs("</p>\n", out);
    html_claims_(out, d);
    for (size_t i = 0; i < d->tables->num; i++) {
        html_table_(out, d, d->tables->table[i]);
    }
    fputs("</body></html>\n", out);
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

int smrf_tables_write(const struct smrf_tables *tables, const struct smrf_claim *claims,
                      size_t num_claims, const char *folder, const char *title,
                      const char *introduction, bool *svg_made, char *text, size_t size)
{
    struct document d = {tables, claims, num_claims, folder, title, introduction, false};
    int err = tables->failed ? SMRF_ERR_NOMEM : SMRF_OK;
    if (err) {
        snprintf(text, size, "out of memory for the tables of the study");
    }
    for (size_t i = 0; !err && i < tables->num; i++) {
        const struct smrf_table *t = tables->table[i];
        err = file_(folder, t->id, ".csv", csv_, t, text, size);
        if (!err && t->plot != SMRF_PLOT_NONE && t->num_rows) {
            d.pictures |= draw_(t, folder);
        }
    }
    err = err ? err : file_(folder, "claims", ".csv", claims_csv_, &d, text, size);
    err = err ? err : file_(folder, "study", ".json", json_, &d, text, size);
    err = err ? err : file_(folder, "index", ".html", html_, &d, text, size);
    *svg_made = d.pictures;
    return err;
}
