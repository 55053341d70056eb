/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "comparison.h"

#include "platform/results/csv_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 22

static struct smrf_comparison_row *add_row_(struct smrf_comparison *c, const char *trace,
                                            uint32_t launch, const char *kernel)
{
    struct smrf_comparison_row row = {trace, kernel, launch, NULL};
    row.of = smrf_pool_take(c->pool, c->num_variants * sizeof *row.of);
    for (size_t v = 0; v < c->num_variants; v++) {
        row.of[v] = (struct smrf_compared){NAN, NAN, NAN, {NAN, NAN, NAN}};
    }
    SMRF_POOL_ADD(c->pool, c->row, c->num_rows, row);
    return &c->row[c->num_rows - 1];
}

/* --- of an experiment ------------------------------------------------------------------------- */

/* Sums over the seeds, by launch. */
struct launch_sums {
    double cycles, ipc, hits;
    size_t seeds;
};

struct launches {
    struct smrf_pool *pool;
    struct launch_sums *of;
    size_t count; /* one more than the last launch's number */
};

static void add_launch_(void *ctx, uint32_t launch, const char *name, double value)
{
    struct launches *l = ctx;
    while (l->count <= launch) {
        SMRF_POOL_ADD(l->pool, l->of, l->count, (struct launch_sums){0});
    }
    l->of[launch].cycles += strcmp(name, "cycles") == 0 ? value : 0;
    l->of[launch].ipc += strcmp(name, "ipc") == 0 ? value : 0;
    l->of[launch].hits += strcmp(name, "rf.hit_ratio") == 0 ? value : 0;
    l->of[launch].seeds += strcmp(name, "cycles") == 0;
}

static struct launches launches_of_(struct smrf_data *d, size_t variant, size_t trace, int *err)
{
    struct launches l = {.pool = &d->x->pool};
    for (size_t s = 0; !*err && s < d->x->num_seeds; s++) {
        const struct smrf_planned *p = smrf_data_place(d, variant, trace, s);
        if (p && smrf_data_is_whole(d, variant, trace, s)) {
            *err = smrf_store_each(d->store, p->run.key, true, add_launch_, &l);
        }
    }
    return l;
}

static const char *kernel_(struct smrf_data *d, size_t trace, uint32_t launch)
{
    for (size_t v = 0; v < d->x->num_variants; v++) {
        const struct smrf_planned *p = smrf_data_place(d, v, trace, 0);
        if (p && smrf_data_is_whole(d, v, trace, 0)) {
            return smrf_pool_text(&d->x->pool, "%s",
                                  smrf_store_kernel(d->store, p->run.key, launch));
        }
    }
    return "";
}

static double ratio_(double a, double b)
{
    return a > 0 && b > 0 ? a / b : NAN;
}

/* Ratios over the seeds of the whole trace. */
static struct smrf_spread spread_(struct smrf_data *d, size_t variant, size_t trace)
{
    struct smrf_spread s = {NAN, NAN, NAN};
    double sum = 0;
    size_t n = 0;
    for (size_t seed = 0; seed < d->x->num_seeds; seed++) {
        double r = ratio_(d->ask.statistic(d, variant, trace, seed, "ipc"),
                          d->ask.statistic(d, 0, trace, seed, "ipc"));
        if (!isnan(r)) {
            sum += r;
            n++;
            s.least = s.least < r ? s.least : r;
            s.most = s.most > r ? s.most : r;
        }
    }
    s.mean = n ? sum / (double)n : NAN;
    return s;
}

static int trace_rows_(struct smrf_comparison *c, struct smrf_data *d, size_t trace)
{
    struct launches *of = smrf_pool_take(c->pool, c->num_variants * sizeof *of);
    size_t most = 1;
    int err = SMRF_OK;
    for (size_t v = 0; v < c->num_variants; v++) {
        of[v] = launches_of_(d, v, trace, &err);
        most = of[v].count > most ? of[v].count : most;
    }
    for (uint32_t l = 0; l < most; l++) {
        struct smrf_comparison_row *row =
            add_row_(c, d->x->trace[trace].name, l, l ? kernel_(d, trace, l) : "");
        for (size_t v = 0; v < c->num_variants; v++) {
            const struct launch_sums *sums = l < of[v].count ? &of[v].of[l] : NULL;
            if (sums && sums->seeds) {
                const double n = (double)sums->seeds;
                row->of[v].cycles = sums->cycles / n;
                row->of[v].ipc = sums->ipc / n;
                row->of[v].hits = sums->hits / n;
            }
        }
        for (size_t v = 0; v < c->num_variants; v++) {
            double r = ratio_(row->of[v].ipc, row->of[0].ipc);
            row->of[v].ratio = l ? (struct smrf_spread){r, r, r} : spread_(d, v, trace);
        }
    }
    return err;
}

int smrf_comparison_of_data(struct smrf_comparison *c, struct smrf_data *d)
{
    *c = (struct smrf_comparison){.pool = &d->x->pool, .num_seeds = d->x->num_seeds};
    for (size_t v = 0; v < d->x->num_variants; v++) {
        SMRF_POOL_ADD(c->pool, c->variant, c->num_variants, d->x->variant[v].name);
    }
    int err = SMRF_OK;
    for (size_t t = 0; !err && t < d->x->num_traces; t++) {
        err = trace_rows_(c, d, t);
    }
    return err;
}

/* --- of documents ----------------------------------------------------------------------------- */

static double number_(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The traces of a document by their last names: "bfs", or "bfs, srad". */
static const char *traces_of_(struct smrf_pool *pool, const json_t *document)
{
    const json_t *traces = json_object_get(json_object_get(document, "sim"), "traces");
    const char *text = "";
    for (size_t i = 0; i < json_array_size(traces); i++) {
        const char *path = json_string_value(json_array_get(traces, i));
        size_t length = path ? strlen(path) : 0;
        while (length > 1 && path[length - 1] == '/') {
            length--;
        }
        size_t from = length;
        while (from > 0 && path[from - 1] != '/') {
            from--;
        }
        text = smrf_pool_text(pool, "%s%s%.*s", text, i ? ", " : "", (int)(length - from),
                              path ? path + from : "");
    }
    return text;
}

/* What all documents ran; documents of several traces name each: "bfs | srad". */
static const char *traces_(struct smrf_pool *pool, json_t *const *documents, size_t count)
{
    const char *first = traces_of_(pool, documents[0]), *text = first;
    bool differ = false;
    for (size_t v = 1; v < count; v++) {
        const char *own = traces_of_(pool, documents[v]);
        differ |= strcmp(own, first) != 0;
        text = smrf_pool_text(pool, "%s | %s", text, own);
    }
    text = differ ? text : first;
    return text[0] ? text : "whole";
}

static void document_row_(struct smrf_comparison *c, const char *trace, const char *kernel,
                          uint32_t launch, json_t *const *part)
{
    struct smrf_comparison_row *row = add_row_(c, trace, launch, kernel);
    for (size_t v = 0; v < c->num_variants; v++) {
        struct smrf_compared *o = &row->of[v];
        o->cycles = number_(part[v], "cycles");
        o->ipc = number_(part[v], "ipc");
        o->hits = number_(json_object_get(part[v], "rf"), "hit_ratio");
        double r = ratio_(o->ipc, row->of[0].ipc);
        o->ratio = (struct smrf_spread){r, r, r};
    }
}

void smrf_comparison_of_documents(struct smrf_comparison *c, struct smrf_pool *pool,
                                  const char **names, json_t *const *documents, size_t count)
{
    json_t **part = smrf_pool_take(pool, count * sizeof *part);
    size_t launches = 0;
    *c = (struct smrf_comparison){
        .pool = pool, .variant = names, .num_variants = count, .num_seeds = 1};
    const char *trace = traces_(pool, documents, count);
    document_row_(c, trace, "", 0, documents);
    for (size_t v = 0; v < count; v++) {
        size_t own = json_array_size(json_object_get(documents[v], "kernels"));
        launches = own > launches ? own : launches;
    }
    for (size_t l = 0; l < launches; l++) {
        const char *kernel = "";
        for (size_t v = 0; v < count; v++) {
            part[v] = json_array_get(json_object_get(documents[v], "kernels"), l);
            const char *own = json_string_value(json_object_get(part[v], "name"));
            kernel = !kernel[0] && own ? own : kernel;
        }
        document_row_(c, trace, smrf_pool_text(pool, "%s", kernel), (uint32_t)l + 1, part);
    }
}

/* --- reports ---------------------------------------------------------------------------------- */

double smrf_comparison_mean(const struct smrf_comparison *c, size_t variant)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < c->num_rows; i++) {
        double r = c->row[i].of[variant].ratio.mean;
        if (c->row[i].launch == 0 && r > 0) {
            sum += log(r);
            n++;
        }
    }
    return n ? exp(sum / (double)n) : NAN;
}

static void cell_(FILE *out, const struct smrf_compared *o, bool spread)
{
    char text[64] = "-", around[32] = "";
    if (!isnan(o->ratio.mean)) {
        if (spread) {
            snprintf(around, sizeof around, " %.3f..%.3f", o->ratio.least, o->ratio.most);
        }
        snprintf(text, sizeof text, "%.3f%s", o->ratio.mean, around);
    }
    fprintf(out, "  %*s", spread ? 20 : 16, text);
}

static void print_traces_(const struct smrf_comparison *c, FILE *out)
{
    const bool spread = c->num_seeds > 1;
    const int width = spread ? 20 : 16;
    fprintf(out, "IPC relative to %s%s\n\n%-*s  %12s", c->variant[0],
            spread ? ", mean over the seeds, least..most" : "", NAME_WIDTH, "", "cycles");
    for (size_t v = 1; v < c->num_variants; v++) {
        fprintf(out, "  %*.*s", width, width, c->variant[v]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < c->num_rows; i++) {
        const struct smrf_comparison_row *row = &c->row[i];
        if (row->launch) {
            continue;
        }
        fprintf(out, "%-*.*s  %12.0f", NAME_WIDTH, NAME_WIDTH, row->trace, row->of[0].cycles);
        for (size_t v = 1; v < c->num_variants; v++) {
            cell_(out, &row->of[v], spread);
        }
        fputc('\n', out);
    }
    fprintf(out, "%-*s  %12s", NAME_WIDTH, "geometric mean", "");
    for (size_t v = 1; v < c->num_variants; v++) {
        double mean = smrf_comparison_mean(c, v);
        cell_(out, &(struct smrf_compared){.ratio = {mean, NAN, NAN}}, false);
        fprintf(out, "%*s", width - 16, "");
    }
    fputc('\n', out);
}

/* A launch under a variant. */
struct difference {
    const struct smrf_comparison_row *row;
    size_t variant;
    double cycles;
};

static int by_size_(const void *a, const void *b)
{
    const struct difference *x = a, *y = b;
    const double dx = fabs(x->cycles), dy = fabs(y->cycles);
    return dx > dy ? -1 : dx < dy ? 1 : x->row < y->row ? -1 : x->row > y->row;
}

void smrf_comparison_print(const struct smrf_comparison *c, FILE *out, size_t launches)
{
    struct difference *all = NULL;
    size_t count = 0;
    print_traces_(c, out);
    for (size_t i = 0; i < c->num_rows; i++) {
        const struct smrf_comparison_row *row = &c->row[i];
        for (size_t v = 1; row->launch && v < c->num_variants; v++) {
            double d = row->of[v].cycles - row->of[0].cycles;
            if (!isnan(d) && d != 0) {
                SMRF_POOL_ADD(c->pool, all, count, (struct difference){row, v, d});
            }
        }
    }
    if (count == 0) {
        return;
    }
    qsort(all, count, sizeof *all, by_size_);
    fprintf(out, "\nlaunches that differ most, of %zu that do\n\n%-*s %6s  %-24s %-18s %12s %9s\n",
            count, NAME_WIDTH, "trace", "launch", "kernel", "variant", "cycles", "");
    for (size_t i = 0; i < count && i < launches; i++) {
        const struct difference *d = &all[i];
        fprintf(out, "%-*.*s %6u  %-24.24s %-18.18s %+12.0f %+8.1f %%\n", NAME_WIDTH, NAME_WIDTH,
                d->row->trace, d->row->launch, d->row->kernel, c->variant[d->variant], d->cycles,
                100 * d->cycles / d->row->of[0].cycles);
    }
}

int smrf_comparison_csv(const struct smrf_comparison *c, FILE *out)
{
    fputs("trace,launch,kernel,variant,cycles,ipc,hit_ratio,ipc_ratio,ipc_ratio_least,"
          "ipc_ratio_most\n",
          out);
    for (size_t i = 0; i < c->num_rows; i++) {
        const struct smrf_comparison_row *row = &c->row[i];
        for (size_t v = 0; v < c->num_variants; v++) {
            const struct smrf_compared *o = &row->of[v];
            const double values[] = {o->cycles,     o->ipc,         o->hits,
                                     o->ratio.mean, o->ratio.least, o->ratio.most};
            smrf_csv_text(out, row->trace);
            fprintf(out, ",%u,", row->launch);
            smrf_csv_text(out, row->kernel);
            fputc(',', out);
            smrf_csv_text(out, c->variant[v]);
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
                fputc(',', out);
                smrf_csv_number(out, values[k]);
            }
            fputc('\n', out);
        }
    }
    return ferror(out) ? SMRF_ERR_IO : SMRF_OK;
}

static json_t *real_(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

json_t *smrf_comparison_json(const struct smrf_comparison *c)
{
    json_t *rows = json_array(), *means = json_object();
    for (size_t v = 0; v < c->num_variants; v++) {
        json_object_set_new(means, c->variant[v], real_(smrf_comparison_mean(c, v)));
    }
    for (size_t i = 0; i < c->num_rows; i++) {
        const struct smrf_comparison_row *row = &c->row[i];
        for (size_t v = 0; v < c->num_variants; v++) {
            const struct smrf_compared *o = &row->of[v];
            json_array_append_new(
                rows, json_pack("{s:s,s:I,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "trace", row->trace,
                                "launch", (json_int_t)row->launch, "kernel", row->kernel, "variant",
                                c->variant[v], "cycles", real_(o->cycles), "ipc", real_(o->ipc),
                                "hit_ratio", real_(o->hits), "ipc_ratio", real_(o->ratio.mean),
                                "ipc_ratio_least", real_(o->ratio.least), "ipc_ratio_most",
                                real_(o->ratio.most)));
        }
    }
    return json_pack("{s:s,s:o,s:o}", "base", c->variant[0], "geometric_means", means, "rows",
                     rows);
}
