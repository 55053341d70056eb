/* SPDX-License-Identifier: Apache-2.0 */
/* The table of parameters, made from the lists of their owners, and look-ups. */
#include "internal.h"
#include "registry.h"

#include "models/common/smrf_types.h"

#include <stdbool.h>
#include <string.h>

#define SECTION_ROWS(name, NAME) SMRF_##NAME##_PARAMS(SMRF_PARAM_ROW)
static const struct smrf_param params[SMRF_SECTION_PARAMS] = {SMRF_SECTIONS(SECTION_ROWS)};
#undef SECTION_ROWS
static const struct smrf_param_value values[] = {SMRF_SECTION_VALUES(SMRF_PARAM_VALUE_ROW)};

/* The sections are read and written as an array of uint32_t. */
_Static_assert(offsetof(struct smrf_config, option) == SMRF_SECTION_PARAMS * sizeof(uint32_t),
               "struct smrf_config has one uint32_t a parameter");

/* The lists' upper bounds must stay inside the arrays of the cores. */
#define PARAM_MAX(section, name, kind, def, min, max, ...)                                         \
    LIMIT_##section##_##name = (int)((max)&0x7fffffff),
#define SECTION_MAX(name, NAME) SMRF_##NAME##_PARAMS(PARAM_MAX)
enum param_limit { SMRF_SECTIONS(SECTION_MAX) };
#undef SECTION_MAX
#undef PARAM_MAX
_Static_assert((int)LIMIT_gpu_sms <= SMRF_MAX_SMS, "gpu.sms");
_Static_assert((int)LIMIT_sm_warps <= SMRF_MAX_WARPS, "sm.warps");
_Static_assert((int)LIMIT_sm_blocks <= SMRF_MAX_BLOCKS, "sm.blocks");
_Static_assert((int)LIMIT_sm_subcores <= SMRF_MAX_SUBCORES, "sm.subcores");
_Static_assert((int)LIMIT_rf_banks <= SMRF_MAX_BANKS, "rf.banks");
_Static_assert((int)LIMIT_rf_collectors <= SMRF_MAX_COLLECTORS, "rf.collectors");

size_t smrf_param_count(void)
{
    return SMRF_SECTION_PARAMS + smrf_family_first(SMRF_FAMILIES_MAX);
}

const struct smrf_param *smrf_param_at(size_t index)
{
    const struct smrf_family *f;
    if (index < SMRF_SECTION_PARAMS) {
        return &params[index];
    }
    index -= SMRF_SECTION_PARAMS;
    for (unsigned i = 0; (f = smrf_family_at(i)) != NULL; i++) {
        if (index < f->options.num_params) {
            return &f->options.param[index];
        }
        index -= f->options.num_params;
    }
    return NULL;
}

enum smrf_param_type smrf_param_type(const struct smrf_param *info)
{
    if (strcmp(info->kind, "NUM") == 0) {
        return SMRF_PARAM_NUM;
    }
    if (strcmp(info->kind, "FLAG") == 0) {
        return SMRF_PARAM_FLAG;
    }
    if (strcmp(info->kind, "KBSET") == 0) {
        return SMRF_PARAM_KBSET;
    }
    return strcmp(info->kind, "KBSET_128") == 0 ? SMRF_PARAM_KBSET_128 : SMRF_PARAM_ENUM;
}

int smrf_param_find(const char *key)
{
    const struct smrf_param *info;
    for (size_t i = 0; (info = smrf_param_at(i)) != NULL; i++) {
        if (strcmp(info->key, key) == 0) {
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
static unsigned key_distance_(const struct smrf_param *info, const char *key)
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
    const struct smrf_param *info;
    for (size_t i = 0; (info = smrf_param_at(i)) != NULL; i++) {
        unsigned distance = key_distance_(info, key);
        bool same_length = distance == best_distance && best != NULL && strlen(best) != length &&
                           strlen(info->key) == length; /* a swap rather than a lost letter */
        if (distance < best_distance || same_length) {
            best_distance = distance;
            best = info->key;
        }
    }
    return best;
}

/* The values of the enumerations of a parameter's owner. */
static const struct smrf_param_value *values_of_(const struct smrf_param *info, size_t *count)
{
    const struct smrf_family *f;
    for (unsigned i = 0; (f = smrf_family_at(i)) != NULL; i++) {
        if (f->options.num_params && info >= f->options.param &&
            info < f->options.param + f->options.num_params) {
            *count = f->options.num_values;
            return f->options.value;
        }
    }
    *count = sizeof values / sizeof *values;
    return values;
}

const char *smrf_param_enum_name(const struct smrf_param *info, uint32_t value)
{
    size_t count;
    const struct smrf_param_value *v = values_of_(info, &count);
    for (size_t i = 0; i < count; i++) {
        if (v[i].value == value && strcmp(v[i].kind, info->kind) == 0) {
            return v[i].text;
        }
    }
    return NULL;
}

void smrf_config_default(struct smrf_config *cfg)
{
    const struct smrf_param *info;
    memset(cfg, 0, sizeof *cfg);
    for (size_t i = 0; (info = smrf_param_at(i)) != NULL; i++) {
        smrf_config_put(cfg, i, info->def);
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
    return smrf_value_text(smrf_param_at(index), smrf_config_get(cfg, index), buf, size);
}
