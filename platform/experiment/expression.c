/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "expression_internal.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 64

/* --- parsing ---------------------------------------------------------------------------------- */

struct parser {
    struct smrf_source *source;
    unsigned line, depth;
    const char *text, *at;
    const struct smrf_expression_names *names;
};

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

/* Behind "largest(", "each(" or a comma of it. */
static node *list_(struct parser *p, enum kind kind)
{
    struct smrf_expression *e = node_(p, kind);
    e->left = sum_(p);
    if (!e->left || take_(p, ')')) {
        return e->left;
    }
    e->right = take_(p, ',') ? list_(p, kind) : fail_(p, "expected , or ) here:", p->at, "");
    return e->right ? e : NULL;
}

/* X, or each(X, Y, ..): the values of all of them together. */
static node *folded_(struct parser *p)
{
    static const char each[] = "each(";
    peek_(p);
    if (strncmp(p->at, each, strlen(each)) != 0) {
        return sum_(p);
    }
    p->at += strlen(each);
    return list_(p, EACH);
}

/* Behind "mean(". */
static node *fold_(struct parser *p, int fold)
{
    struct smrf_expression *e = node_(p, fold < 0 ? AT : OVER_TRACES);
    e->fold = (enum fold)(fold < 0 ? 0 : fold);
    e->left = fold < 0 ? sum_(p) : folded_(p);
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

/* Behind "best(" or the comma before a pair. */
static node *best_(struct parser *p)
{
    struct smrf_expression *e = node_(p, BEST), *pair = node_(p, PAIR);
    e->left = sum_(p);
    e->right = pair;
    if (e->left && !take_(p, ',')) {
        return fail_(p, "expected best(X, Y, X, Y, ..)", "", "");
    }
    pair->left = e->left ? sum_(p) : NULL;
    if (!pair->left || take_(p, ')')) {
        return pair->left ? e : NULL;
    }
    pair->right = take_(p, ',') ? best_(p) : fail_(p, "expected , or ) here:", p->at, "");
    return pair->right ? e : NULL;
}

/* Behind "other(". */
static node *other_(struct parser *p)
{
    struct smrf_expression *e = node_(p, OTHER);
    e->left = sum_(p);
    if (!e->left) {
        return NULL;
    }
    const bool given = take_(p, ',');
    peek_(p);
    e->pattern = given ? quoted_(p) : NULL;
    return e->pattern && take_(p, ')') ? e : fail_(p, "expected other(X, \"-name\")", "", "");
}

/* Behind "launch(". */
static node *launch_(struct parser *p)
{
    struct smrf_expression *e = node_(p, LAUNCH);
    char *end;
    e->left = sum_(p);
    if (!e->left) {
        return NULL;
    }
    const bool given = take_(p, ',') && isdigit((unsigned char)peek_(p));
    const unsigned long number = given ? strtoul(p->at, &end, 10) : 0;
    p->at = given ? end : p->at;
    e->first = number <= 1000000 ? (unsigned)number : 0;
    return e->first && take_(p, ')')
               ? e
               : fail_(p, "expected launch(X, NUMBER), counted from 1", "", "");
}

static node *function_(struct parser *p, const char *name)
{
    static const char *const folds[] = {"mean", "geomean", "sum", "min", "max", "count", "median"};
    for (int i = 0; i < (int)(sizeof folds / sizeof *folds); i++) {
        if (strcmp(folds[i], name) == 0) {
            return fold_(p, i);
        }
    }
    return strcmp(name, "at") == 0        ? fold_(p, -1)
           : strcmp(name, "range") == 0   ? range_(p)
           : strcmp(name, "largest") == 0 ? list_(p, LARGEST)
           : strcmp(name, "best") == 0    ? best_(p)
           : strcmp(name, "other") == 0   ? other_(p)
           : strcmp(name, "launch") == 0
               ? launch_(p)
               : fail_(p, "there is no function", name,
                       "; there are mean, geomean, sum, min, max, count, "
                       "median, at, range, largest, best, other and launch, and in the first "
                       "seven each");
}

static node *factor_(struct parser *p)
{
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
    return take_(p, '(') ? function_(p, name) : name_(p, name);
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

node *smrf_expression_known(struct smrf_pool *pool, const struct smrf_known *known, size_t count)
{
    struct smrf_expression *e = smrf_pool_take(pool, sizeof *e);
    *e = (struct smrf_expression){
        .kind = BY_TRACE, .variant = -1, .known = known, .num_known = count};
    return e;
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
    case BY_TRACE:
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
    case BY_TRACE:
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

bool smrf_expression_asks(node *e, const char *pattern)
{
    if (e->kind == STATISTIC || e->kind == RANGE) {
        return fnmatch(pattern, e->name, 0) == 0;
    }
    return (e->left && smrf_expression_asks(e->left, pattern)) ||
           (e->right && smrf_expression_asks(e->right, pattern));
}
