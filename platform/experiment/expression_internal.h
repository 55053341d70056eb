/* SPDX-License-Identifier: Apache-2.0 */
/* An expression as the parser leaves it for the evaluation. */
#ifndef SMRF_EXPERIMENT_EXPRESSION_INTERNAL_H
#define SMRF_EXPERIMENT_EXPRESSION_INTERNAL_H

#include "expression.h"

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
    BEST, /* left: X, right: a PAIR */
    PAIR, /* left: Y, right: the next BEST, NULL: none */
    EACH, /* of OVER_TRACES; left: X, right: the next EACH or the last one's X */
    OTHER,
    LAUNCH,   /* left: X; first: number of the launch */
    BY_TRACE, /* one number a trace: count of patterns and numbers */
    OVER_TRACES,
    AT
};
enum fold { FOLD_MEAN, FOLD_GEOMEAN, FOLD_SUM, FOLD_MIN, FOLD_MAX, FOLD_COUNT, FOLD_MEDIAN };

struct smrf_expression {
    enum kind kind;
    enum fold fold;
    double number;
    const char *name, *pattern;     /* pattern NULL: every trace */
    long variant;                   /* below 0: the one at hand */
    unsigned first, last;           /* of a range; last 0: open */
    const struct smrf_known *known; /* of BY_TRACE: values by trace */
    size_t num_known;
    const struct smrf_expression *left, *right;
};

typedef const struct smrf_expression node;

#endif
