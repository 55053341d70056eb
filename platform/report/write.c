/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "write.h"

#include "claims.h"

#include "platform/results/csv_text.h"
#include "traces/files/output_file.h"

#include <jansson.h>
#include <math.h>

/* A file of the experiment's folder. */
static int file_(const struct smrf_report_parts *r, const char *stem, const char *ending,
                 int (*fill)(FILE *out, const void *what), const void *what, char *text,
                 size_t size)
{
    struct smrf_output out;
    const char *path = smrf_pool_text(&r->d->x->pool, "%s/%s%s", r->d->x->folder, stem, ending);
    int err = smrf_output_open(&out, path, text, size);
    if (!err) {
        int filled = fill(out.file, what);
        err = smrf_output_close(&out, !filled || ferror(out.file), text, size);
        if (!err && filled) {
            snprintf(text, size, "%s: cannot be made", path);
            err = filled;
        }
    }
    return err;
}

static int csv_(FILE *out, const void *what)
{
    const struct smrf_table *t = what;
    smrf_csv_text(out, t->row_title);
    for (size_t c = 0; c < t->num_columns; c++) {
        fputc(',', out);
        smrf_csv_text(out, t->column[c]);
    }
    fputc('\n', out);
    for (size_t r = 0; r < t->num_rows; r++) {
        smrf_csv_text(out, t->row[r].name);
        for (size_t c = 0; c < t->num_columns; c++) {
            fputc(',', out);
            smrf_csv_number(out, t->row[r].value[c].mean);
        }
        fputc('\n', out);
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

static int claims_csv_(FILE *out, const void *what)
{
    const struct smrf_report_parts *r = what;
    fputs(
        "claim,kind,place,unit,paper,ours,ours_least,ours_most,difference,tolerance,verdict,note\n",
        out);
    for (size_t i = 0; i < r->d->x->num_claims; i++) {
        const struct smrf_claim *c = &r->d->x->claim[i];
        const struct smrf_spread spread = smrf_claim_ours(c, r->d);
        const double ours = spread.mean;
        const double numbers[] = {c->paper,        ours,        spread.least, spread.most,
                                  ours - c->paper, c->tolerance};
        smrf_csv_text(out, c->what);
        fprintf(out, ",%s,", smrf_claim_kind_name(c->kind));
        smrf_csv_text(out, c->place);
        fputc(',', out);
        smrf_csv_text(out, c->unit);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            fputc(',', out);
            smrf_csv_number(out, numbers[k]);
        }
        fprintf(out, ",%s,", smrf_verdict_name(smrf_claim_verdict(c, ours)));
        smrf_csv_text(out, smrf_claim_note(c, r->d));
        fputc('\n', out);
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

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
            json_array_append_new(values, number_(t->row[r].value[c].mean));
        }
        json_object_set_new(rows, t->row[r].name, values);
    }
    return json_pack("{s:s,s:s,s:o,s:o}", "title", t->title, "note", t->figure->note, "columns",
                     columns, "rows", rows);
}

static int json_(FILE *out, const void *what)
{
    const struct smrf_report_parts *r = what;
    const struct smrf_experiment *x = r->d->x;
    json_t *claims = json_array(), *tables = json_object(), *seeds = json_array();
    json_t *untried = json_array();
    for (size_t i = 0; i < x->num_seeds; i++) {
        json_array_append_new(seeds, json_integer(x->seed[i]));
    }
    for (size_t i = 0; i < x->num_claims; i++) {
        const struct smrf_claim *c = &x->claim[i];
        const struct smrf_spread spread = smrf_claim_ours(c, r->d);
        const double ours = spread.mean;
        json_array_append_new(
            claims,
            json_pack("{s:s,s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:s}", "claim", c->what, "kind",
                      smrf_claim_kind_name(c->kind), "note", smrf_claim_note(c, r->d), "place",
                      c->place, "unit", c->unit, "paper", number_(c->paper), "ours", number_(ours),
                      "ours_least", number_(spread.least), "ours_most", number_(spread.most),
                      "difference", number_(ours - c->paper), "tolerance", number_(c->tolerance),
                      "verdict", smrf_verdict_name(smrf_claim_verdict(c, ours))));
    }
    for (size_t i = 0; i < r->tables->count; i++) {
        json_object_set_new(tables, r->tables->table[i].id, json_table_(&r->tables->table[i]));
    }
    for (size_t i = 0; i < x->num_untried; i++) {
        json_array_append_new(untried, json_pack("{s:s,s:s,s:s}", "what", x->untried[i].what, "why",
                                                 x->untried[i].why, "place", x->untried[i].place));
    }
    json_t *root =
        json_pack("{s:s,s:s,s:I,s:I,s:o,s:o,s:o,s:o}", "name", x->name, "title", x->title,
                  "planned", (json_int_t)r->d->planned, "whole", (json_int_t)r->d->whole, "seeds",
                  seeds, "claims", claims, "untried", untried, "tables", tables);
    int rc = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    fputc('\n', out);
    return rc || ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

int smrf_report_all(const struct smrf_report_parts *r, char *text, size_t size)
{
    int err = SMRF_OK;
    for (size_t i = 0; !err && i < r->tables->count; i++) {
        const struct smrf_table *t = &r->tables->table[i];
        err = file_(r, t->id, ".csv", csv_, t, text, size);
    }
    if (!err && r->d->x->num_claims) {
        err = file_(r, "claims", ".csv", claims_csv_, r, text, size);
    }
    err = err ? err : file_(r, "study", ".json", json_, r, text, size);
    return err ? err : file_(r, "report", ".html", smrf_report_page, r, text, size);
}
