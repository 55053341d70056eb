/* SPDX-License-Identifier: Apache-2.0 */
/* Types of a launch file: numbers from text, and their bytes as the device holds them. */
#include "firmware/exec/fp16.h"
#include "firmware/launch/launch_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char launch_type_names[] = "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64";

static const struct smrf_launch_type types[] = {
    {"i8", 1, LAUNCH_SIGNED, INT8_MIN, INT8_MAX},
    {"u8", 1, LAUNCH_UNSIGNED, 0, UINT8_MAX},
    {"i16", 2, LAUNCH_SIGNED, INT16_MIN, INT16_MAX},
    {"u16", 2, LAUNCH_UNSIGNED, 0, UINT16_MAX},
    {"i32", 4, LAUNCH_SIGNED, INT32_MIN, INT32_MAX},
    {"u32", 4, LAUNCH_UNSIGNED, 0, UINT32_MAX},
    {"i64", 8, LAUNCH_SIGNED, INT64_MIN, INT64_MAX},
    {"u64", 8, LAUNCH_UNSIGNED, 0, UINT64_MAX},
    {"f16", 2, LAUNCH_FLOAT, 0, 0},
    {"f32", 4, LAUNCH_FLOAT, 0, 0},
    {"f64", 8, LAUNCH_FLOAT, 0, 0},
};

const struct smrf_launch_type *smrf_launch_type_of(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

static int parse_float_(const struct smrf_launch_plan *plan, const struct smrf_launch_type *type,
                        const char *text, unsigned line, struct smrf_launch_value *value)
{
    /* YAML writes .inf and .nan */
    const char *body = text + (*text == '-' || *text == '+');
    char *stop;
    if (strcmp(body, ".inf") == 0 || strcmp(body, ".nan") == 0) {
        value->number = body[1] == 'i' ? (double)INFINITY : (double)NAN;
    } else {
        value->number = strtod(body, &stop);
        if (*body < '.' || *body > '9' || *stop || isinf(value->number)) {
            return smrf_launch_fail(
                plan, SMRF_ERR_FORMAT, line,
                "'%.60s' is not a number: write one like 1.5, 2e-3, .inf or .nan", text);
        }
    }
    if (*text == '-') {
        value->number = -value->number;
    }
    /* halfway from the largest number to what would be the next: from there on it is infinity */
    double beyond = type->bytes == 2 ? 65520.0 : type->bytes == 4 ? 0x1.ffffffp127 : INFINITY;
    if (isfinite(value->number) && fabs(value->number) >= beyond) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, line, "%.60s is too large for %s", text,
                                type->name);
    }
    return 0;
}

int smrf_launch_parse_value(const struct smrf_launch_plan *plan,
                            const struct smrf_launch_type *type, const char *text, unsigned line,
                            struct smrf_launch_value *value)
{
    *value = (struct smrf_launch_value){0};
    if (type->kind == LAUNCH_FLOAT) {
        return parse_float_(plan, type, text, line, value);
    }
    bool negative = *text == '-';
    const char *body = text + (*text == '-' || *text == '+');
    char *stop;
    errno = 0;
    unsigned long long magnitude = strtoull(body, &stop, strncmp(body, "0x", 2) ? 10 : 16);
    if (*body < '0' || *body > '9' || *stop) {
        return smrf_launch_fail(plan, SMRF_ERR_FORMAT, line,
                                "'%.60s' is not an integer, but the type is %s", text, type->name);
    }
    uint64_t below = (uint64_t)0 - (uint64_t)type->min;
    if (errno == ERANGE || magnitude > (negative ? below : type->max)) {
        return smrf_launch_fail(plan, SMRF_ERR_INVAL, line, "%.60s does not fit %s: %lld to %llu",
                                text, type->name, (long long)type->min,
                                (unsigned long long)type->max);
    }
    value->bits = negative ? (uint64_t)0 - magnitude : magnitude;
    return 0;
}

void smrf_launch_encode(const struct smrf_launch_type *type, const struct smrf_launch_value *value,
                        uint8_t *out)
{
    uint64_t bits = value->bits;
    if (type->kind == LAUNCH_FLOAT) {
        float single = (float)value->number;
        uint32_t word;
        if (type->bytes == 8) {
            memcpy(&bits, &value->number, 8);
        } else if (type->bytes == 4) {
            memcpy(&word, &single, 4);
            bits = word;
        } else {
            bits = smrf_exec_double_to_half(value->number, SMRF_EXEC_NEAREST);
        }
    }
    for (unsigned i = 0; i < type->bytes; i++) {
        out[i] = (uint8_t)(bits >> (8 * i));
    }
}
