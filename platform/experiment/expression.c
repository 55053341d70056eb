/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 64

enum kind {
    NUMBER,
    STATISTIC,
    DERIVED,
    RANGE,
    NEGATIVE,
    PLUS,
    MINUS,
    TIMES,
    OVER,
    LARGEST,
    OVER_TRACES,
    AT
};
enum fold { FOLD_MEAN, FOLD_GEOMEAN, FOLD_SUM, FOLD_MIN, FOLD_MAX, FOLD_COUNT };

struct smrf_expression {
    enum kind kind;
    enum fold fold;
    double number;
    const char *name, *pattern; /* pattern NULL: every trace */
    long variant;               /* below 0: the one at hand */
    unsigned first, last;       /* of a range; last 0: open */
    const struct smrf_expression *left, *right;
};

/* --- parsing ---------------------------------------------------------------------------------- */

struct parser {
    struct smrf_source *source;
    unsigned line, depth;
    const char *text, *at;
    const struct smrf_expression_names *names;
};

typedef const struct smrf_expression node;

static node *sum_(struct parser *p);

static node *fail_(struct parser *p, const char *what, const char *word, const char *more)
{
    smrf_tree_fail(p->source, p->line, "'%.200s': %s%s%s%s%s", p->text, what, *word ? " '" : "",
                   word, *word ? "'" : "", more);
    return NULL;
}

static node *unknown_(struct parser *p, const char *what, const char *word, char kind)
{
    return fail_(p, what, word,
                 smrf_tree_near(p->source->pool, word, p->names->near(p->names->ctx, kind)));
}

static char peek_(struct parser *p)
{
    while (isspace((unsigned char)*p->at)) {
        p->at++;
    }
    return *p->at;
}

static bool take_(struct parser *p, char c)
{
    bool found = peek_(p) == c;
    p->at += found;
    return found;
}

/* Letters, digits and these; "" if none follows. In the pool. */
static const char *word_(struct parser *p, const char *also)
{
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || (*p->at && strchr(also, *p->at))) {
        p->at++;
    }
    return smrf_pool_text(p->source->pool, "%.*s", (int)(p->at - start), start);
}

/* "text" */
static const char *quoted_(struct parser *p)
{
    if (!take_(p, '"')) {
        return NULL;
    }
    const char *start = p->at;
    p->at += strcspn(p->at, "\"");
    const char *text = smrf_pool_text(p->source->pool, "%.*s", (int)(p->at - start), start);
    return take_(p, '"') ? text : NULL;
}

static struct smrf_expression *node_(struct parser *p, enum kind kind)
{
    struct smrf_expression *e = smrf_pool_take(p->source->pool, sizeof *e);
    e->kind = kind;
    e->variant = -1;
    return e;
}

/* "@baseline" behind a name. */
static bool variant_(struct parser *p, struct smrf_expression *e)
{
    if (*p->at != '@') {
        return true;
    }
    p->at++;
    const char *name = *p->at == '"' ? quoted_(p) : word_(p, "_.-");
    e->variant = name ? p->names->variant(p->names->ctx, name) : -1;
    return e->variant >= 0 || unknown_(p, "there is no variant", name ? name : "", 'v');
}

static node *name_(struct parser *p, const char *name)
{
    const struct smrf_expression *derived = p->names->derived(p->names->ctx, name);
    if (!derived && !p->names->statistic(p->names->ctx, name)) {
        return unknown_(p, "there is no statistic or derived value", name, 'n');
    }
    struct smrf_expression *e = node_(p, derived ? DERIVED : STATISTIC);
    e->left = derived;
    e->name = name;
    return variant_(p, e) ? e : NULL;
}

/* range(NAME, 4, 10)@variant */
static node *range_(struct parser *p)
{
    struct smrf_expression *e = node_(p, RANGE);
    char *end;
    peek_(p);
    e->name = word_(p, "_.");
    const char *one = smrf_pool_text(p->source->pool, "%s.1", e->name);
    if (!p->names->statistic(p->names->ctx, one)) {
        return unknown_(p, "there is no numbered statistic", e->name, 'n');
    }
    if (!take_(p, ',')) {
        return fail_(p, "expected range(NAME, FIRST, LAST)", "", "");
    }
    e->first = (unsigned)strtoul(p->at, &end, 10);
    p->at = end;
    if (take_(p, ',')) {
        e->last = (unsigned)strtoul(p->at, &end, 10);
        p->at = end;
    }
    if (e->first < 1 || (e->last && e->last < e->first) || !take_(p, ')')) {
        return fail_(p, "expected range(NAME, FIRST, LAST), counted from 1", "", "");
    }
    return variant_(p, e) ? e : NULL;
}

/* Behind "mean(". */
static node *fold_(struct parser *p, int fold)
{
    struct smrf_expression *e = node_(p, fold < 0 ? AT : OVER_TRACES);
    e->fold = (enum fold)(fold < 0 ? 0 : fold);
    e->left = sum_(p);
    if (!e->left) {
        return NULL;
    }
    bool given = take_(p, ',');
    peek_(p);
    e->pattern = given ? quoted_(p) : NULL;
    if ((given || fold < 0) && !e->pattern) {
        return fail_(p, "a trace or a group is named in \"quotes\"", "", "");
    }
    if (e->pattern && !p->names->trace(p->names->ctx, e->pattern)) {
        return unknown_(p, "there is no trace or group", e->pattern, 't');
    }
    return take_(p, ')') ? e : fail_(p, "expected ) here:", p->at, "");
}

/* Behind "largest(" or a comma of it. */
static node *largest_(struct parser *p)
{
    struct smrf_expression *e = node_(p, LARGEST);
    e->left = sum_(p);
    if (!e->left || take_(p, ')')) {
        return e->left;
    }
    e->right = take_(p, ',') ? largest_(p) : fail_(p, "expected , or ) here:", p->at, "");
    return e->right ? e : NULL;
}

static node *factor_(struct parser *p)
{
    static const char *const folds[] = {"mean", "geomean", "sum", "min", "max", "count"};
    char c = peek_(p);
    if (isdigit((unsigned char)c) || c == '.') {
        char *end;
        struct smrf_expression *e = node_(p, NUMBER);
        e->number = strtod(p->at, &end);
        p->at = end;
        return e;
    }
    if (take_(p, '-')) {
        struct smrf_expression *e = node_(p, NEGATIVE);
        e->left = factor_(p);
        return e->left ? e : NULL;
    }
    if (take_(p, '(')) {
        node *inner = sum_(p);
        return inner && !take_(p, ')') ? fail_(p, "expected ) here:", p->at, "") : inner;
    }
    const char *name = word_(p, "_.");
    if (!*name) {
        return fail_(p, *p->at ? "expected a value here:" : "a value is missing at the end", p->at,
                     "");
    }
    if (!take_(p, '(')) {
        return name_(p, name);
    }
    for (int i = 0; i < (int)(sizeof folds / sizeof *folds); i++) {
        if (strcmp(folds[i], name) == 0) {
            return fold_(p, i);
        }
    }
    return strcmp(name, "at") == 0      ? fold_(p, -1)
           : strcmp(name, "range") == 0 ? range_(p)
           : strcmp(name, "largest") == 0
               ? largest_(p)
               : fail_(p, "there is no function", name,
                       "; there are mean, geomean, sum, min, max, count, "
                       "at, range and largest");
}

static node *binary_(struct parser *p, node *(*operand)(struct parser *p), const char *operators,
                     const enum kind *kinds)
{
    node *left = operand(p);
    const char *found;
    while (left && (peek_(p)) && (found = strchr(operators, *p->at)) != NULL) {
        struct smrf_expression *e = node_(p, kinds[found - operators]);
        p->at++;
        e->left = left;
        e->right = operand(p);
        left = e->right ? e : NULL;
    }
    return left;
}

static node *product_(struct parser *p)
{
    static const enum kind kinds[] = {TIMES, OVER};
    return binary_(p, factor_, "*/", kinds);
}

static node *sum_(struct parser *p)
{
    static const enum kind kinds[] = {PLUS, MINUS};
    if (++p->depth > DEEPEST) {
        return fail_(p, "too many parentheses", "", "");
    }
    node *e = binary_(p, product_, "+-", kinds);
    p->depth--;
    return e;
}

node *smrf_expression_parse(struct smrf_source *source, unsigned line, const char *text,
                            const struct smrf_expression_names *names)
{
    struct parser p = {source, line, 0, text, text, names};
    node *e = sum_(&p);
    return e && peek_(&p) ? fail_(&p, "expected an operator here:", p.at, "") : e;
}

bool smrf_expression_of_trace(node *e)
{
    switch (e->kind) {
    case NUMBER:
    case OVER_TRACES:
    case AT:
        return false;
    case STATISTIC:
    case RANGE:
        return true;
    default:
        return smrf_expression_of_trace(e->left) ||
               (e->right && smrf_expression_of_trace(e->right));
    }
}

bool smrf_expression_of_variant(node *e)
{
    switch (e->kind) {
    case NUMBER:
        return false;
    case STATISTIC:
    case RANGE:
        return e->variant < 0;
    default:
        return (e->kind != DERIVED || e->variant < 0) &&
               (smrf_expression_of_variant(e->left) ||
                (e->right && smrf_expression_of_variant(e->right)));
    }
}

/* --- evaluating ------------------------------------------------------------------------------- */

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
    const bool mean = e->kind == OVER_TRACES && (e->fold == FOLD_MEAN || e->fold == FOLD_GEOMEAN);
    return (!e->pattern || data->fits(data->ctx, trace, e->pattern)) &&
           !(mean && data->again && data->again(data->ctx, trace, e->pattern));
}

static double over_traces_(node *e, struct scope s)
{
    double sum = 0, least = NAN, most = NAN;
    size_t n = 0;
    for (size_t t = 0; t < s.data->traces; t++) {
        if (!counted_(e, s.data, t)) {
            continue;
        }
        s.trace = (long)t;
        double v = over_seeds_(e->left, s);
        if (isnan(v) || (e->kind == OVER_TRACES && e->fold == FOLD_GEOMEAN && v <= 0)) {
            continue;
        }
        if (e->kind == AT) {
            return v;
        }
        sum += e->fold == FOLD_GEOMEAN ? log(v) : v;
        least = n && least < v ? least : v;
        most = n && most > v ? most : v;
        n++;
    }
    switch (e->fold) {
    case FOLD_COUNT:
        return (double)n;
    case FOLD_MIN:
        return least;
    case FOLD_MAX:
        return most;
    case FOLD_SUM:
        return n ? sum : NAN;
    case FOLD_GEOMEAN:
        return n ? exp(sum / (double)n) : NAN;
    default:
        return n && e->kind != AT ? sum / (double)n : NAN;
    }
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
        sum = 0; /* there is such a list: what it does not have is 0 */
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
