/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "runs.h"

#include "figure.h"

#include "platform/platform.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 10000       /* runs of a page */
#define MOST_STALLS 2000 /* with more runs, the stalls are left out */
#define STALLS "issue.stalls."

static const char *const numbers[] = {"cycles", "ipc", "rf.hit_ratio"};
#define NUMBERS (sizeof numbers / sizeof *numbers)

/* Mean over the seeds; NAN: there is no whole run. */
static double mean_(struct smrf_data *d, size_t variant, size_t trace, const char *name)
{
    const size_t seeds = smrf_experiment_seeds(d->x, &d->x->variant[variant]);
    double sum = 0;
    size_t n = 0;
    for (size_t s = 0; s < seeds && s < d->x->num_seeds; s++) {
        const double v = d->ask.statistic(d->ask.ctx, variant, trace, s, name);
        sum += isfinite(v) ? v : 0;
        n += isfinite(v) ? 1 : 0;
    }
    return n ? sum / (double)n : NAN;
}

/* In quotes where the shell needs them. */
static const char *quoted_(struct smrf_pool *pool, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,-";
    return word[strspn(word, plain)] ? smrf_pool_quoted(pool, word) : word;
}

/* What a command says to have the variant's machine. */
static const char *words_(struct smrf_experiment *x, const struct smrf_variant *v)
{
    const char *text =
        smrf_pool_text(&x->pool, "-m %s --preset %s", quoted_(&x->pool, v->mechanism),
                       quoted_(&x->pool, v->preset ? v->preset : x->preset));
    for (size_t i = 0; i < x->num_config; i++) {
        text = smrf_pool_text(&x->pool, "%s --config %s", text, quoted_(&x->pool, x->config[i]));
    }
    for (size_t i = 0; i < v->num_set; i++) {
        text = smrf_pool_text(&x->pool, "%s --set %s", text, quoted_(&x->pool, v->set[i]));
    }
    for (size_t i = 0; i < x->num_set; i++) {
        text = smrf_pool_text(&x->pool, "%s --set %s", text, quoted_(&x->pool, x->set[i]));
    }
    return text;
}

/* The columns behind the fixed ones: where the schedulers' cycles went. */
static size_t stalls_(json_t *columns)
{
    struct smrf_stat_info info;
    size_t count = 0;
    for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
        if (strncmp(info.name, STALLS, sizeof STALLS - 1) == 0) {
            json_array_append_new(columns, json_string(info.name));
            count++;
        }
    }
    return count;
}

static json_t *run_(struct smrf_data *d, size_t v, size_t t, const json_t *columns)
{
    const bool whole = smrf_data_is_whole(d, v, t, 0);
    const struct smrf_planned *p = smrf_data_place(d, v, t, 0);
    const bool failed =
        p->why || (!whole && smrf_store_state(d->store, p->run.key) == SMRF_STORE_FAILED);
    json_t *run = json_pack("[I,I,i]", (json_int_t)v, (json_int_t)t, whole ? 0 : failed ? 1 : 2);
    for (size_t c = 0; whole && c < json_array_size(columns); c++) {
        json_array_append_new(
            run, smrf_figure_number(mean_(d, v, t, json_string_value(json_array_get(columns, c)))));
    }
    return run;
}

static json_t *figures_(const struct smrf_tables *tables)
{
    json_t *figures = json_array();
    for (size_t i = 0; i < tables->count; i++) {
        const struct smrf_table *t = tables->table[i].drawn;
        if (smrf_figure_can(t)) {
            json_array_append_new(figures, smrf_figure_json(t));
        }
    }
    return figures;
}

static json_t *document_(struct smrf_data *d, const struct smrf_tables *tables)
{
    struct smrf_experiment *x = d->x;
    json_t *traces = json_array(), *variants = json_array(), *columns = json_array(),
           *runs = json_array();
    size_t count = 0, left_out = 0;
    for (size_t t = 0; t < x->num_traces; t++) {
        const struct smrf_trace_of *of = &x->trace[t];
        json_array_append_new(traces, json_pack("[s,s,s]", of->name, of->group,
                                                quoted_(&x->pool, of->path ? of->path : of->name)));
    }
    for (size_t v = 0; v < x->num_variants; v++) {
        const struct smrf_variant *of = &x->variant[v];
        json_array_append_new(
            variants, json_pack("[s,s,s,s]", of->name, of->mechanism[0] ? of->mechanism : of->tool,
                                of->settings, strcmp(of->tool, "run") ? "" : words_(x, of)));
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        json_array_append_new(columns, json_string(numbers[i]));
    }
    const size_t stalls = d->planned <= MOST_STALLS ? stalls_(columns) : 0;
    for (size_t v = 0; v < x->num_variants; v++) {
        for (size_t t = 0; t < x->num_traces; t++) {
            if (!smrf_data_place(d, v, t, 0)) {
                continue;
            }
            if (count++ < MOST) {
                json_array_append_new(runs, run_(d, v, t, columns));
            } else {
                left_out++;
            }
        }
    }
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:I,s:I,s:I}", "figures", figures_(tables), "traces",
                     traces, "variants", variants, "columns", columns, "runs", runs, "stalls",
                     (json_int_t)stalls, "left_out", (json_int_t)left_out, "base",
                     (json_int_t)(x->baseline < 0 ? 0 : x->baseline));
}

void smrf_runs_write(struct smrf_data *d, const struct smrf_tables *tables, FILE *out)
{
    json_t *root = document_(d, tables);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    fputs("<script type=\"application/json\" id=\"data\">", out);
    for (const char *at = text ? text : "{}"; *at; at++) {
        if (*at == '<') { /* it ends no element */
            fputs("\\u003c", out);
        } else {
            fputc(*at, out);
        }
    }
    fputs("</script>\n", out);
    free(text);
    json_decref(root);
}
