/* SPDX-License-Identifier: Apache-2.0 */
/* For the files that define a mechanism: what all definitions have in common. */
#ifndef SMRF_MECHANISM_DEFINE_H
#define SMRF_MECHANISM_DEFINE_H

#include "mechanism.h"
#include "mechanism_stats.h"

/* Fields of struct smrf_mechanism: the tables `stats` and `laws` of the file, whose enum of
 * counters ends with COUNTERS. */
#define SMRF_MECHANISM_TABLES                                                                      \
    .num_counters = COUNTERS, .stats = stats, .num_stats = sizeof stats / sizeof *stats,           \
    .laws = laws, .num_laws = sizeof laws / sizeof *laws

/* Initializer of one of several mechanisms that share the fields `common`, with defaults
 * "key=value" of its own. */
#define SMRF_MECHANISM_VARIANT(text, what, common, ...)                                            \
    {                                                                                              \
        common, .name = text, .summary = what, .defaults = (const char *const[])                   \
        {                                                                                          \
            __VA_ARGS__, NULL                                                                      \
        }                                                                                          \
    }

/* A family: the section of its options, their X lists, and its mechanisms. */
#define SMRF_MECHANISM_FAMILY(symbol, section, PARAMS, ...)                                        \
    static const struct smrf_param symbol##_params[] = {PARAMS(SMRF_PARAM_ROW)};                   \
    static const struct smrf_mechanism *const symbol##_members[] = {__VA_ARGS__, NULL};            \
    const struct smrf_family symbol = {                                                            \
        .name = section,                                                                           \
        .options = {symbol##_params, sizeof symbol##_params / sizeof *symbol##_params, NULL, 0},   \
        .mechanism = symbol##_members,                                                             \
    }

/* The same with options whose values have names. */
#define SMRF_MECHANISM_FAMILY_OF_VALUES(symbol, section, PARAMS, VALUES, ...)                      \
    static const struct smrf_param symbol##_params[] = {PARAMS(SMRF_PARAM_ROW)};                   \
    static const struct smrf_param_value symbol##_values[] = {VALUES(SMRF_PARAM_VALUE_ROW)};       \
    static const struct smrf_mechanism *const symbol##_members[] = {__VA_ARGS__, NULL};            \
    const struct smrf_family symbol = {                                                            \
        .name = section,                                                                           \
        .options = {symbol##_params, sizeof symbol##_params / sizeof *symbol##_params,             \
                    symbol##_values, sizeof symbol##_values / sizeof *symbol##_values},            \
        .mechanism = symbol##_members,                                                             \
    }

#endif
