/* SPDX-License-Identifier: Apache-2.0 */
/* Values of parameters from and to text, and error messages. */
#define _POSIX_C_SOURCE 200809L
#include "internal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

int smrf_config_fail(struct smrf_config_error *err, int code, const char *where, const char *fmt,
                     ...)
{
    if (err == NULL) {
        return code;
    }
    int used = snprintf(err->text, sizeof err->text, "%.*s: ", SMRF_CONFIG_WHERE, where);
    if (used > 0 && (size_t)used < sizeof err->text) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(err->text + used, sizeof err->text - (size_t)used, fmt, args);
        va_end(args);
    }
    return code;
}

static int digit_value_(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* Read digits at *text, advance it past them. Returns false if there are none or on overflow of
 * 32 bits. */
static bool take_number_(const char **text, uint64_t *value)
{
    const char *p = *text;
    int base = 10;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        base = 16;
        p += 2;
    }
    const char *first = p;
    *value = 0;
    for (int d = digit_value_(*p); d < base; d = digit_value_(*++p)) {
        *value = *value * (uint64_t)base + (uint64_t)d;
        if (*value > UINT32_MAX) {
            return false;
        }
    }
    *text = p;
    return p != first;
}

int smrf_number_parse(const char *text, uint32_t *value)
{
    uint64_t number;
    if (!take_number_(&text, &number) || *text != '\0') {
        return SMRF_ERR_INVAL;
    }
    *value = (uint32_t)number;
    return SMRF_OK;
}

static int parse_num_(const struct smrf_param *info, const char *text, uint32_t *value, char *why,
                      size_t why_size)
{
    bool bytes = strcmp(info->unit, "bytes") == 0;
    const char *p = text;
    uint64_t number;
    bool ok = take_number_(&p, &number);
    if (ok && bytes && (*p == 'K' || *p == 'M')) {
        number <<= *p == 'K' ? 10 : 20;
        p++;
    }
    if (!ok || *p != '\0') {
        snprintf(why, why_size, "'%.60s' is not a number (decimal or 0x%s), expected %u to %u%s%s",
                 text, bytes ? ", with K or M for powers of 1024" : "", info->min, info->max,
                 info->unit[0] ? " " : "", info->unit);
        return SMRF_ERR_INVAL;
    }
    if (number < info->min || number > info->max) {
        snprintf(why, why_size, "%.60s is out of range, expected %u to %u%s%s", text, info->min,
                 info->max, info->unit[0] ? " " : "", info->unit);
        return SMRF_ERR_INVAL;
    }
    *value = (uint32_t)number;
    return SMRF_OK;
}

static int parse_flag_(const char *text, uint32_t *value, char *why, size_t why_size)
{
    static const char *const names[] = {"off", "on", "false", "true", "0", "1"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(text, names[i]) == 0) {
            *value = i % 2;
            return SMRF_OK;
        }
    }
    snprintf(why, why_size, "'%.60s' is neither on nor off (on, off, true, false, 1, 0)", text);
    return SMRF_ERR_INVAL;
}

static int parse_enum_(const struct smrf_param *info, const char *text, uint32_t *value, char *why,
                       size_t why_size)
{
    const char *name, *nearest = NULL;
    unsigned best = 3; /* at three edits a name is no longer a likely slip */
    char names[160] = "";
    for (uint32_t v = info->min; v <= info->max; v++) {
        name = smrf_param_enum_name(info, v);
        if (strcasecmp(name, text) == 0) {
            *value = v;
            return SMRF_OK;
        }
        unsigned distance = smrf_edit_distance(name, text);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    }
    snprintf(why, why_size, "'%.60s' is not one of %s%s%s%s", text, names,
             nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return SMRF_ERR_INVAL;
}

/* "[32, 64]", "32,64" or "[]": multiples of 4 from `first` up to 252; bit k stands for 4 x k KiB.
 */
static int parse_kbset_(const char *text, unsigned first, uint64_t *value, char *why,
                        size_t why_size)
{
    const char *p = text;
    bool bracket = *p == '[';
    p += bracket;
    uint64_t set = 0;
    bool ok = true, more = true;
    p += strspn(p, " ");
    if (bracket && *p == ']') {
        more = false;
    }
    while (ok && more) {
        uint64_t kib = 0;
        p += strspn(p, " ");
        ok = take_number_(&p, &kib);
        if (ok && (kib % 4 != 0 || kib < first || kib > SMRF_KBSET_MAX)) {
            snprintf(why, why_size, "%u KiB in '%.60s' is not a multiple of 4 from %u to %u",
                     (unsigned)kib, text, first, SMRF_KBSET_MAX);
            return SMRF_ERR_INVAL;
        }
        set |= UINT64_C(1) << kib / 4 % 64;
        p += strspn(p, " ");
        more = *p == ',';
        p += more;
    }
    if (ok && bracket) {
        ok = *p == ']';
        p += ok;
    }
    if (!ok || *p != '\0') {
        snprintf(why, why_size, "'%.60s' is not a list of sizes in KiB, such as [32, 64]", text);
        return SMRF_ERR_INVAL;
    }
    *value = set;
    return SMRF_OK;
}

/* A value of a parameter; of a KBSET the sizes from 128 KiB on stand in the upper half. */
static int parse_(const struct smrf_param *info, const char *text, uint64_t *wide, char *why,
                  size_t why_size)
{
    uint32_t value = 0;
    int rc = SMRF_OK;
    switch (smrf_param_type(info)) {
    case SMRF_PARAM_KBSET:
        return parse_kbset_(text, 0, wide, why, why_size);
    case SMRF_PARAM_KBSET_128:
        rc = parse_kbset_(text, 128, wide, why, why_size);
        *wide >>= 32;
        return rc;
    case SMRF_PARAM_FLAG:
        rc = parse_flag_(text, &value, why, why_size);
        break;
    case SMRF_PARAM_ENUM:
        rc = parse_enum_(info, text, &value, why, why_size);
        break;
    case SMRF_PARAM_NUM:
        rc = parse_num_(info, text, &value, why, why_size);
        break;
    }
    *wide = value;
    return rc;
}

static size_t kbset_text_(uint32_t value, unsigned first, char *buf, size_t size)
{
    char text[32 * 5 + 3] = "[";
    size_t used = 1;
    for (unsigned k = 0; k < 32; k++) {
        if (value >> k & 1) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", used > 1 ? ", " : "",
                                     first + k * 4);
        }
    }
    return (size_t)snprintf(buf, size, "%s]", text);
}

size_t smrf_value_text(const struct smrf_param *info, uint32_t value, char *buf, size_t size)
{
    switch (smrf_param_type(info)) {
    case SMRF_PARAM_FLAG:
        return (size_t)snprintf(buf, size, "%s", value ? "on" : "off");
    case SMRF_PARAM_KBSET:
        return kbset_text_(value, 0, buf, size);
    case SMRF_PARAM_KBSET_128:
        return kbset_text_(value, 128, buf, size);
    case SMRF_PARAM_ENUM: {
        const char *name = smrf_param_enum_name(info, value);
        return (size_t)snprintf(buf, size, "%s", name ? name : "?");
    }
    case SMRF_PARAM_NUM:
        break;
    }
    return (size_t)snprintf(buf, size, "%u", value);
}

static int unknown_key_(const char *key, const char *where, struct smrf_config_error *err)
{
    for (size_t i = 0; i < smrf_param_count(); i++) {
        if (strcmp(smrf_param_at(i)->section, key) == 0) {
            return smrf_config_fail(err, SMRF_ERR_UNKNOWN, where,
                                    "%s is a section, not a key; a key is, for instance, %s", key,
                                    smrf_param_at(i)->key);
        }
    }
    const char *nearest = smrf_param_nearest(key);
    if (nearest != NULL) {
        return smrf_config_fail(err, SMRF_ERR_UNKNOWN, where,
                                "unknown key '%.60s'; did you mean %s?", key, nearest);
    }
    return smrf_config_fail(err, SMRF_ERR_UNKNOWN, where,
                            "unknown key '%.60s'; smrf list options --all shows all", key);
}

int smrf_config_set(struct smrf_config *cfg, const char *key, const char *value, const char *where,
                    struct smrf_config_error *err)
{
    int index = smrf_param_find(key);
    if (index < 0) {
        return unknown_key_(key, where, err);
    }
    char why[256];
    uint64_t number = 0;
    const struct smrf_param *info = smrf_param_at((size_t)index);
    int rc = parse_(info, value, &number, why, sizeof why);
    if (rc < 0) {
        return smrf_config_fail(err, rc, where, "%s: %s", key, why);
    }
    smrf_config_put(cfg, (size_t)index, (uint32_t)number);
    if (smrf_param_type(info) == SMRF_PARAM_KBSET) {
        smrf_config_put(cfg, (size_t)index + 1, (uint32_t)(number >> 32));
    }
    return SMRF_OK;
}

int smrf_config_set_pairs(struct smrf_config *cfg, const char *const *pairs, size_t count,
                          const char *where, struct smrf_config_error *err)
{
    struct smrf_config next = *cfg;
    for (size_t i = 0; i < count; i++) {
        char key[64];
        const char *equal = strchr(pairs[i], '=');
        size_t length = equal ? (size_t)(equal - pairs[i]) : 0;
        if (length == 0) {
            return smrf_config_fail(err, SMRF_ERR_INVAL, where,
                                    "'%.60s' is not of the form key=value", pairs[i]);
        }
        if (length >= sizeof key) {
            return unknown_key_(pairs[i], where, err);
        }
        memcpy(key, pairs[i], length);
        key[length] = '\0';
        int rc = smrf_config_set(&next, key, equal + 1, where, err);
        if (rc < 0) {
            return rc;
        }
    }
    *cfg = next;
    return SMRF_OK;
}
