/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters stand beside the block or the mechanism that owns them, once, as a list
 *   X(section, name, kind, default, min, max, unit, source, meaning)
 * from which its struct, the parser, the --explain text and the echo of the effective configuration
 * are made. kind: NUM (uint32_t), FLAG (0 or 1), KBSET (bit k = 4 x k KiB), KBSET_128 (bit k = 128
 * + 4 x k KiB; the parameter behind a KBSET, which is set with it), or the name of an
 * enumeration, whose values stand in a list E(kind, symbol, text). Defaults are those of the preset
 * rtx2060-paper. */
#ifndef SMRF_PARAM_H
#define SMRF_PARAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The field of a parameter in its section's struct, which is exactly an array of uint32_t. */
#define SMRF_PARAM_FIELD(section, name, ...) uint32_t name;

/* One parameter. All strings are constant. */
struct smrf_param {
    const char *key;        /* "rf.banks" */
    const char *section;    /* "rf" */
    const char *name;       /* "banks" */
    const char *kind;       /* "NUM", "FLAG", "KBSET", "KBSET_128" or an enumeration */
    uint32_t def, min, max; /* default and legal range, inclusive */
    const char *unit;       /* "" = none */
    const char *source;     /* where the default comes from; "" = a choice of this model */
    const char *meaning;
};
#define SMRF_PARAM_ROW(section, name, kind, def, min, max, unit, source, meaning)                  \
    {#section "." #name, #section, #name, #kind, def, min, max, unit, source, meaning},

/* One value of an enumeration. */
struct smrf_param_value {
    const char *kind;
    uint32_t value;
    const char *text;
};
#define SMRF_PARAM_VALUE_ROW(kind, symbol, text) {#kind, symbol, text},

/* The parameters of an owner, in the order of its struct. */
struct smrf_param_table {
    const struct smrf_param *param;
    size_t num_params;
    const struct smrf_param_value *value;
    size_t num_values;
};

#ifdef __cplusplus
}
#endif

#endif
