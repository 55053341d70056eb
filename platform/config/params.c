/* SPDX-License-Identifier: Apache-2.0 */
/* The table of parameters, made from the list in models/common/smrf_params.h, and look-ups. */
#include "internal.h"

#include "models/common/smrf_types.h"

#include <stdbool.h>
#include <string.h>

#define PARAM_ROW(section, name, kind, def, min, max, unit, source, meaning)                       \
    {#section "." #name, #section, #name, #kind, def, min, max, unit, source, meaning},
static const struct smrf_param_info params[SMRF_PARAM_COUNT] = {SMRF_PARAMS(PARAM_ROW)};
#undef PARAM_ROW

struct enum_name {
    const char *kind;
    uint32_t value;
    const char *text;
};
#define ENUM_ROW(kind, symbol, text) {#kind, symbol, text},
static const struct enum_name enum_names[] = {SMRF_PARAM_ENUMS(ENUM_ROW)};
#undef ENUM_ROW
#define ENUM_NAMES (sizeof enum_names / sizeof enum_names[0])

/* The struct is read and written as an array of uint32_t. */
_Static_assert(sizeof(struct smrf_config) == SMRF_PARAM_COUNT * sizeof(uint32_t),
               "struct smrf_config has one uint32_t a parameter");

/* The list's upper bounds must stay inside the arrays of the cores. */
#define PARAM_MAX(section, name, kind, def, min, max, ...)                                         \
    LIMIT_##section##_##name = (int)((max)&0x7fffffff),
enum param_limit { SMRF_PARAMS(PARAM_MAX) };
#undef PARAM_MAX
_Static_assert((int)LIMIT_gpu_sms <= SMRF_MAX_SMS, "gpu.sms");
_Static_assert((int)LIMIT_sm_warps <= SMRF_MAX_WARPS, "sm.warps");
_Static_assert((int)LIMIT_sm_blocks <= SMRF_MAX_BLOCKS, "sm.blocks");
_Static_assert((int)LIMIT_sm_subcores <= SMRF_MAX_SUBCORES, "sm.subcores");
_Static_assert((int)LIMIT_rf_banks <= SMRF_MAX_BANKS, "rf.banks");
_Static_assert((int)LIMIT_rf_collectors <= SMRF_MAX_COLLECTORS, "rf.collectors");

const struct smrf_param_info *smrf_param_at(size_t index)
{
    return index < SMRF_PARAM_COUNT ? &params[index] : NULL;
}

enum smrf_param_type smrf_param_type(const struct smrf_param_info *info)
{
    if (strcmp(info->kind, "NUM") == 0) {
        return SMRF_PARAM_NUM;
    }
    if (strcmp(info->kind, "FLAG") == 0) {
        return SMRF_PARAM_FLAG;
    }
    return strcmp(info->kind, "KBSET") == 0 ? SMRF_PARAM_KBSET : SMRF_PARAM_ENUM;
}

int smrf_param_find(const char *key)
{
    for (size_t i = 0; i < SMRF_PARAM_COUNT; i++) {
        if (strcmp(params[i].key, key) == 0) {
            return (int)i;
        }
    }
    return SMRF_ERR_UNKNOWN;
}

#define MAX_WORD 64 /* longer texts are not compared */

static unsigned min3_(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

unsigned smrf_edit_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la >= MAX_WORD || lb >= MAX_WORD) {
        return MAX_WORD;
    }
    unsigned rows[3][MAX_WORD]; /* this row and the two before it, in turn */
    for (size_t j = 0; j <= lb; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= la; i++) {
        unsigned *row = rows[i % 3], *up = rows[(i - 1) % 3], *up2 = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            row[j] = min3_(up[j] + 1, row[j - 1] + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                up2[j - 2] + 1 < row[j]) {
                row[j] = up2[j - 2] + 1;
            }
        }
    }
    return rows[la % 3][lb];
}

/* Edits between a key and what the user wrote, the section left out or not. */
static unsigned key_distance_(const struct smrf_param_info *info, const char *key)
{
    unsigned whole = smrf_edit_distance(key, info->key);
    unsigned name = smrf_edit_distance(key, info->name) + 1;
    return whole < name ? whole : name;
}

const char *smrf_param_nearest(const char *key)
{
    size_t length = strlen(key);
    const char *best = NULL;
    unsigned best_distance = length < MAX_WORD ? (unsigned)(length / 3 + 2) : 0; /* not near */
    for (size_t i = 0; i < SMRF_PARAM_COUNT; i++) {
        unsigned distance = key_distance_(&params[i], key);
        bool same_length = distance == best_distance && best != NULL && strlen(best) != length &&
                           strlen(params[i].key) == length; /* a swap rather than a lost letter */
        if (distance < best_distance || same_length) {
            best_distance = distance;
            best = params[i].key;
        }
    }
    return best;
}

const char *smrf_param_enum_name(const char *kind, uint32_t value)
{
    for (size_t i = 0; i < ENUM_NAMES; i++) {
        if (enum_names[i].value == value && strcmp(enum_names[i].kind, kind) == 0) {
            return enum_names[i].text;
        }
    }
    return NULL;
}

void smrf_config_default(struct smrf_config *cfg)
{
    for (size_t i = 0; i < SMRF_PARAM_COUNT; i++) {
        smrf_config_put(cfg, i, params[i].def);
    }
}

uint32_t smrf_config_get(const struct smrf_config *cfg, size_t index)
{
    uint32_t value;
    memcpy(&value, (const char *)cfg + index * sizeof value, sizeof value);
    return value;
}

void smrf_config_put(struct smrf_config *cfg, size_t index, uint32_t value)
{
    memcpy((char *)cfg + index * sizeof value, &value, sizeof value);
}

size_t smrf_config_text(const struct smrf_config *cfg, size_t index, char *buf, size_t size)
{
    return smrf_value_text(&params[index], smrf_config_get(cfg, index), buf, size);
}
