/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct named_value {
    const char *name;
    uint32_t launch; /* 0: of the whole run */
    double value;
};

struct smrf_data_run {
    const struct smrf_planned *planned;
    struct named_value *value; /* by launch and name; read when first asked for */
    size_t num_values;
    bool whole, failed, read, read_launches;
};

static size_t index_(const struct smrf_data *d, size_t variant, size_t trace, size_t seed)
{
    /* Those that are run with fewer seeds answer for the others with their first. */
    const bool run = seed < smrf_experiment_seeds(d->x, &d->x->variant[variant]);
    return (variant * d->x->num_traces + trace) * d->x->num_seeds + (run ? seed : 0);
}

struct filling {
    struct smrf_pool *pool;
    struct smrf_data_run *run;
};

static void add_(void *ctx, uint32_t launch, const char *name, double value)
{
    struct filling *f = ctx;
    SMRF_POOL_ADD(f->pool, f->run->value, f->run->num_values,
                  (struct named_value){smrf_pool_text(f->pool, "%s", name), launch, value});
}

static int by_name_(const void *a, const void *b)
{
    const struct named_value *x = a, *y = b;
    return x->launch != y->launch ? (x->launch > y->launch) - (x->launch < y->launch)
                                  : strcmp(x->name, y->name);
}

static void read_(struct smrf_data *d, struct smrf_data_run *run)
{
    bool *read = d->launch ? &run->read_launches : &run->read;
    struct filling f = {&d->x->pool, run};
    const size_t before = run->num_values;
    if (*read) {
        return;
    }
    *read = true;
    if (smrf_store_each(d->store, run->planned->run.key, d->launch != 0, add_, &f)) {
        run->num_values = before;
    }
    if (run->num_values > before) {
        qsort(run->value, run->num_values, sizeof *run->value, by_name_);
    }
}

static double statistic_(void *ctx, size_t variant, size_t trace, size_t seed, const char *name)
{
    struct smrf_data *d = ctx;
    struct smrf_data_run *run = &d->run[index_(d, variant, trace, seed)];
    const struct named_value wanted = {name, d->launch, 0};
    if (!run->whole) {
        d->gaps.missing += run->planned != NULL && !run->failed;
        d->gaps.failed += run->failed;
        return NAN;
    }
    read_(d, run);
    const struct named_value *found =
        run->num_values
            ? bsearch(&wanted, run->value, run->num_values, sizeof *run->value, by_name_)
            : NULL;
    return found ? found->value : NAN;
}

static unsigned launch_(void *ctx, unsigned launch)
{
    struct smrf_data *d = ctx;
    const unsigned before = d->launch;
    d->launch = launch;
    return before;
}

static bool fits_(void *ctx, size_t trace, const char *pattern)
{
    const struct smrf_data *d = ctx;
    return smrf_experiment_fits(&d->x->trace[trace], pattern);
}

bool smrf_data_equal(const struct smrf_data *d, size_t a, size_t b)
{
    return d->digest[a] && d->digest[b] && strcmp(d->digest[a], d->digest[b]) == 0;
}

static long named_(void *ctx, size_t trace, const char *behind)
{
    const struct smrf_experiment *x = ((const struct smrf_data *)ctx)->x;
    const char *name = x->trace[trace].name;
    const size_t length = strlen(name);
    for (size_t t = 0; t < x->num_traces; t++) {
        if (strncmp(x->trace[t].name, name, length) == 0 &&
            strcmp(x->trace[t].name + length, behind) == 0) {
            return (long)t;
        }
    }
    return -1;
}

static bool again_(void *ctx, size_t trace, const char *pattern)
{
    for (size_t t = 0; t < trace; t++) {
        if (smrf_data_equal(ctx, t, trace) && (!pattern || fits_(ctx, t, pattern))) {
            return true;
        }
    }
    return false;
}

int smrf_data_open(struct smrf_data *d, struct smrf_runner *runner)
{
    struct smrf_experiment *x = runner->x;
    *d = (struct smrf_data){.x = x, .store = runner->store, .runner = runner};
    d->run = smrf_pool_take(&x->pool,
                            (x->num_variants * x->num_traces * x->num_seeds + 1) * sizeof *d->run);
    d->digest = smrf_pool_take(&x->pool, (x->num_traces + 1) * sizeof *d->digest);
    for (size_t i = 0; i < runner->num_planned; i++) {
        const struct smrf_planned *p = &runner->planned[i];
        struct smrf_data_run *run = &d->run[index_(d, p->variant, p->trace, p->seed)];
        int state = p->why ? SMRF_STORE_NONE : smrf_store_state(d->store, p->run.key);
        if (state < 0) {
            return smrf_runner_fail(runner, state, "%s", smrf_store_error(d->store));
        }
        run->planned = p;
        d->digest[p->trace] = p->why ? NULL : p->run.trace_digest;
        run->whole = state == SMRF_STORE_WHOLE;
        run->failed = state == SMRF_STORE_FAILED;
        d->planned++;
        d->whole += run->whole;
    }
    d->ask = (struct smrf_expression_data){x->num_traces, x->num_seeds, statistic_, fits_, d,
                                           again_,        named_,       launch_};
    return SMRF_OK;
}

struct smrf_spread smrf_data_value(const struct smrf_data *d, const struct smrf_expression *e,
                                   long variant, long trace, struct smrf_data_gaps *gaps)
{
    struct smrf_data *own = d->ask.ctx;
    own->gaps = (struct smrf_data_gaps){0, 0};
    const struct smrf_spread spread = smrf_expression_value(e, &d->ask, variant, trace);
    *gaps = own->gaps;
    return spread;
}

struct smrf_spread smrf_data_cell(const struct smrf_data *d, const struct smrf_expression *e,
                                  long variant, long trace, bool *missing)
{
    struct smrf_data_gaps gaps;
    const struct smrf_spread spread = smrf_data_value(d, e, variant, trace, &gaps);
    *missing = gaps.missing != 0;
    return *missing ? (struct smrf_spread){NAN, NAN, NAN} : spread;
}

const struct smrf_planned *smrf_data_place(const struct smrf_data *d, size_t variant, size_t trace,
                                           size_t seed)
{
    return d->run[index_(d, variant, trace, seed)].planned;
}

bool smrf_data_is_whole(const struct smrf_data *d, size_t variant, size_t trace, size_t seed)
{
    return d->run[index_(d, variant, trace, seed)].whole;
}
