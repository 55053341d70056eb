/* SPDX-License-Identifier: Apache-2.0 */
#include "expression_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct scope {
    const struct smrf_expression_data *data;
    long variant, trace;
    size_t seed;
    bool one_seed; /* that one alone, not the mean */
};

static double value_(node *e, struct scope s);

static double over_seeds_(node *e, struct scope s)
{
    double sum = 0;
    size_t n = 0;
    if (s.one_seed) {
        return value_(e, s);
    }
    for (s.seed = 0; s.seed < s.data->seeds; s.seed++) {
        double v = value_(e, s);
        if (!isnan(v)) {
            sum += v;
            n++;
        }
    }
    return n ? sum / (double)n : NAN;
}

/* Programs of which the suite has several names are one in a mean. */
static bool counted_(const node *e, const struct smrf_expression_data *data, size_t trace)
{
    const bool mean = e->kind == OVER_TRACES &&
                      (e->fold == FOLD_MEAN || e->fold == FOLD_GEOMEAN || e->fold == FOLD_MEDIAN);
    return (!e->pattern || data->fits(data->ctx, trace, e->pattern)) &&
           !(mean && data->again && data->again(data->ctx, trace, e->pattern));
}

static int ascending_(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static node *first_(node *list)
{
    return list->kind == EACH ? list->left : list;
}

static node *behind_(node *list)
{
    return list->kind == EACH ? list->right : NULL;
}

static double median_(node *e, struct scope s)
{
    size_t columns = 1, n = 0;
    for (node *x = behind_(e->left); x; x = behind_(x)) {
        columns++;
    }
    double *values = malloc((s.data->traces ? s.data->traces : 1) * columns * sizeof *values);
    for (size_t t = 0; values && t < s.data->traces; t++) {
        for (node *x = counted_(e, s.data, t) ? e->left : NULL; x; x = behind_(x)) {
            s.trace = (long)t;
            values[n] = over_seeds_(first_(x), s);
            n += isnan(values[n]) ? 0 : 1;
        }
    }
    if (n) {
        qsort(values, n, sizeof *values, ascending_);
    }
    const double median = n ? (values[(n - 1) / 2] + values[n / 2]) / 2 : NAN;
    free(values);
    return median;
}

struct sums {
    double sum, least, most;
    size_t n;
};

static void add_(struct sums *of, node *e, double v)
{
    const bool geometric = e->kind == OVER_TRACES && e->fold == FOLD_GEOMEAN;
    if (isnan(v) || (geometric && v <= 0)) {
        return;
    }
    of->sum += geometric ? log(v) : v;
    of->least = of->n && of->least < v ? of->least : v;
    of->most = of->n && of->most > v ? of->most : v;
    of->n++;
}

static double over_traces_(node *e, struct scope s)
{
    if (e->kind == OVER_TRACES && e->fold == FOLD_MEDIAN) {
        return median_(e, s);
    }
    struct sums of = {0, NAN, NAN, 0};
    for (size_t t = 0; t < s.data->traces; t++) {
        for (node *x = counted_(e, s.data, t) ? e->left : NULL; x; x = behind_(x)) {
            s.trace = (long)t;
            add_(&of, e, over_seeds_(first_(x), s));
        }
        if (e->kind == AT && of.n) {
            return of.sum;
        }
    }
    switch (e->fold) {
    case FOLD_COUNT:
        return (double)of.n;
    case FOLD_MIN:
        return of.least;
    case FOLD_MAX:
        return of.most;
    case FOLD_SUM:
        return of.n ? of.sum : NAN;
    case FOLD_GEOMEAN:
        return of.n ? exp(of.sum / (double)of.n) : NAN;
    default:
        return of.n && e->kind != AT ? of.sum / (double)of.n : NAN;
    }
}

/* The Y of the largest X that is there. */
static double best_value_(node *e, struct scope s)
{
    double most = NAN, best = NAN;
    for (; e; e = e->right->right) {
        const double x = value_(e->left, s);
        if (!isnan(x) && !(most >= x)) {
            most = x;
            best = value_(e->right->left, s);
        }
    }
    return best;
}

static double other_value_(node *e, struct scope s)
{
    s.trace = s.trace < 0 || !s.data->named
                  ? -1
                  : s.data->named(s.data->ctx, (size_t)s.trace, e->pattern);
    return s.trace < 0 ? NAN : value_(e->left, s);
}

/* Means over traces do not lose the launch. */
static double launch_value_(node *e, struct scope s)
{
    if (!s.data->launch) {
        return NAN;
    }
    const unsigned before = s.data->launch(s.data->ctx, e->first);
    const double value = value_(e->left, s);
    s.data->launch(s.data->ctx, before);
    return value;
}

static double known_(node *e, struct scope s)
{
    for (size_t i = 0; s.trace >= 0 && i < e->num_known; i++) {
        if (s.data->fits(s.data->ctx, (size_t)s.trace, e->known[i].pattern)) {
            return e->known[i].number;
        }
    }
    return NAN;
}

static double statistic_(node *e, struct scope s, const char *name)
{
    long variant = e->variant >= 0 ? e->variant : s.variant;
    return variant < 0 || s.trace < 0
               ? NAN
               : s.data->statistic(s.data->ctx, (size_t)variant, (size_t)s.trace, s.seed, name);
}

static double range_value_(node *e, struct scope s)
{
    char name[256];
    double sum = NAN;
    snprintf(name, sizeof name, "%s.1", e->name);
    if (!isnan(statistic_(e, s, name))) {
        sum = 0; /* the list exists: its missing entries are 0 */
    }
    for (unsigned i = e->first; !isnan(sum) && (!e->last || i <= e->last); i++) {
        snprintf(name, sizeof name, "%s.%u", e->name, i);
        double v = statistic_(e, s, name);
        if (isnan(v)) {
            break;
        }
        sum += v;
    }
    return sum;
}

static double value_(node *e, struct scope s)
{
    double left, right;
    switch (e->kind) {
    case NUMBER:
        return e->number;
    case STATISTIC:
        return statistic_(e, s, e->name);
    case DERIVED:
        s.variant = e->variant >= 0 ? e->variant : s.variant;
        return value_(e->left, s);
    case RANGE:
        return range_value_(e, s);
    case NEGATIVE:
        return -value_(e->left, s);
    case OVER_TRACES:
    case AT:
        return over_traces_(e, s);
    case BEST:
        return best_value_(e, s);
    case OTHER:
        return other_value_(e, s);
    case LAUNCH:
        return launch_value_(e, s);
    case BY_TRACE:
        return known_(e, s);
    default:
        break;
    }
    left = value_(e->left, s);
    right = value_(e->right, s);
    return e->kind == PLUS      ? left + right
           : e->kind == MINUS   ? left - right
           : e->kind == TIMES   ? left * right
           : e->kind == LARGEST ? fmax(left, right) /* of those that are there */
           : right == 0         ? NAN
                                : left / right;
}

struct smrf_spread smrf_expression_value(node *e, const struct smrf_expression_data *data,
                                         long variant, long trace)
{
    struct scope s = {data, variant, trace, 0, false};
    struct smrf_spread spread = {over_seeds_(e, s), NAN, NAN};
    s.one_seed = true;
    for (s.seed = 0; s.seed < data->seeds; s.seed++) {
        double v = value_(e, s);
        if (!isnan(v)) {
            spread.least = spread.least < v ? spread.least : v;
            spread.most = spread.most > v ? spread.most : v;
        }
    }
    return spread;
}
