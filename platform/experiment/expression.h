/* SPDX-License-Identifier: Apache-2.0 */
/* Values derived from statistics. An expression is made of numbers, + - * / and parentheses, and of
 *
 *     ipc                  a statistic of the run at hand, or a derived value defined before
 *     ipc@baseline         the same of another variant, on the same trace and seed
 *     range(NAME, 4, 10)   NAME.4 + .. + NAME.10; without the last number: to the end
 *     mean(X), geomean(X), sum(X), min(X), max(X), count(X)      over all traces
 *     mean(X, "rodinia")   over those whose name or group this pattern fits
 *     at(X, "hotspot")     of one trace
 *     largest(X, Y, ..)    of several, of those that are there
 *     best(X, Y, X, Y, ..) the Y of the pair whose X is the largest
 *     other(X, "-inlined") X of the trace that is called as this one, with that behind it
 *     launch(X, 2)         X of the second launch, not of the whole run
 *
 * A trace without the value is left out of a mean; a value that is not there makes every sum and
 * product that needs it not be there. Each value is the mean over the seeds. */
#ifndef SMRF_EXPERIMENT_EXPRESSION_H
#define SMRF_EXPERIMENT_EXPRESSION_H

#include "tree.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_expression;
struct smrf_experiment;

/* What may stand in one: the experiment gives it. */
struct smrf_expression_names {
    /* Derived value of a name, NULL: none. */
    const struct smrf_expression *(*derived)(void *ctx, const char *name);
    /* Index of a variant, below 0: none. */
    long (*variant)(void *ctx, const char *name);
    /* Is there, or might there be, a trace or a group that this pattern fits? */
    bool (*trace)(void *ctx, const char *pattern);
    /* Is there a statistic of this name (of runs, or of other tools)? */
    bool (*statistic)(void *ctx, const char *name);
    /* All names, for suggestions: NULL-terminated. */
    const char *const *(*near)(void *ctx,
                               char kind); /* 'n' statistic or derived, 'v' variant, 't' trace */
    void *ctx;
};

/* Parse a text that stands at a line of the source. NULL with the source's error. */
const struct smrf_expression *smrf_expression_parse(struct smrf_source *source, unsigned line,
                                                    const char *text,
                                                    const struct smrf_expression_names *names);
/* A number that was known before anything ran, of traces that a pattern fits. */
struct smrf_known {
    const char *pattern;
    double number;
};
/* The first of them that fits the trace at hand. known: kept. */
const struct smrf_expression *smrf_expression_known(struct smrf_pool *pool,
                                                    const struct smrf_known *known, size_t count);
/* Does it need a trace to be about, and a variant? */
bool smrf_expression_of_trace(const struct smrf_expression *e);
bool smrf_expression_of_variant(const struct smrf_expression *e);
/* Does it ask for a statistic that the pattern fits? */
bool smrf_expression_asks(const struct smrf_expression *e, const char *pattern);

/* What an expression is evaluated over. */
struct smrf_expression_data {
    size_t traces, seeds;
    /* NAN: it is not there. */
    double (*statistic)(void *ctx, size_t variant, size_t trace, size_t seed, const char *name);
    bool (*fits)(void *ctx, size_t trace, const char *pattern);
    void *ctx;
    /* Is the trace, byte by byte, one before it that fits the pattern (NULL: any), too? NULL: none
     * is. */
    bool (*again)(void *ctx, size_t trace, const char *pattern);
    /* The trace that is called as this one with the text behind it, below 0: there is none. */
    long (*named)(void *ctx, size_t trace, const char *behind);
    /* Statistics are of this launch from now on, 0: of the whole run. Returns what it was. NULL:
     * there are no launches. */
    unsigned (*launch)(void *ctx, unsigned launch);
};

struct smrf_spread {
    double mean, least, most; /* over the seeds; NAN: it is not there */
};
/* Value for a variant and a trace, below 0 where the expression needs none. */
struct smrf_spread smrf_expression_value(const struct smrf_expression *e,
                                         const struct smrf_expression_data *data, long variant,
                                         long trace);

#ifdef __cplusplus
}
#endif

#endif
