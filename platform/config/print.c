/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for the user: one parameter, all parameters, all presets. */
#include "internal.h"

#include <string.h>

#define RANGE_TEXT 64

static void range_text_(const struct smrf_param *info, char *buf, size_t size)
{
    switch (smrf_param_type(info)) {
    case SMRF_PARAM_FLAG:
        snprintf(buf, size, "off, on");
        return;
    case SMRF_PARAM_KBSET:
        snprintf(buf, size, "0 to 252 in steps of 4");
        return;
    case SMRF_PARAM_KBSET_128:
        snprintf(buf, size, "128 to 252 in steps of 4");
        return;
    case SMRF_PARAM_ENUM: {
        size_t used = 0;
        for (uint32_t v = info->min; v <= info->max && used < size; v++) {
            used += (size_t)snprintf(buf + used, size - used, "%s%s", v == info->min ? "" : ", ",
                                     smrf_param_enum_name(info, v));
        }
        return;
    }
    case SMRF_PARAM_NUM:
        break;
    }
    snprintf(buf, size, "%u to %u", info->min, info->max);
}

static const char *unit_text_(const struct smrf_param *info)
{
    return info->unit[0] ? info->unit : "none";
}

static void explain_presets_(size_t index, FILE *out)
{
    const struct smrf_param *info = smrf_param_at(index);
    fprintf(out, "  presets ");
    for (size_t p = 0; p < smrf_preset_count(); p++) {
        struct smrf_config cfg;
        char text[RANGE_TEXT * 3];
        if (smrf_preset_apply(&cfg, smrf_preset_name(p), NULL) == SMRF_OK) {
            smrf_value_text(info, smrf_config_get(&cfg, index), text, sizeof text);
            fprintf(out, "%s %-16s %s\n", p ? "          " : "", smrf_preset_name(p), text);
        }
    }
}

int smrf_config_explain(const char *key, FILE *out, struct smrf_config_error *err)
{
    struct smrf_config unused;
    int index = smrf_param_find(key);
    if (index < 0) {
        smrf_config_default(&unused);
        return smrf_config_set(&unused, key, "", "--explain", err);
    }
    const struct smrf_param *info = smrf_param_at((size_t)index);
    char def[RANGE_TEXT * 3], range[RANGE_TEXT * 3];
    smrf_value_text(info, info->def, def, sizeof def);
    range_text_(info, range, sizeof range);
    fprintf(out, "%s: %s\n", info->key, info->meaning);
    fprintf(out, "  unit     %s\n", unit_text_(info));
    fprintf(out, "  range    %s\n", range);
    fprintf(out, "  default  %s\n", def);
    fprintf(out, "  source   %s\n", info->source[0] ? info->source : "a choice of this model");
    explain_presets_((size_t)index, out);
    return SMRF_OK;
}

/* Widths of the columns key, default and range within one section. */
struct widths {
    int key, def, range;
};

static int wider_(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static struct widths measure_(void)
{
    struct widths w = {0, 0, 0};
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const struct smrf_param *info = smrf_param_at(i);
        char text[RANGE_TEXT * 3];
        w.key = wider_(w.key, info->key);
        smrf_value_text(info, info->def, text, sizeof text);
        w.def = wider_(w.def, text);
        range_text_(info, text, sizeof text);
        w.range = wider_(w.range, text);
    }
    return w;
}

void smrf_config_list_options(FILE *out, const char *only)
{
    struct widths w = measure_();
    const char *section = "";
    for (size_t i = 0; i < smrf_param_count(); i++) {
        const struct smrf_param *info = smrf_param_at(i);
        char def[RANGE_TEXT * 3], range[RANGE_TEXT * 3];
        if (only && strcmp(only, info->section) != 0) {
            continue;
        }
        if (strcmp(section, info->section) != 0) {
            fprintf(out, "%s%s\n", section[0] ? "\n" : "", info->section);
            section = info->section;
        }
        smrf_value_text(info, info->def, def, sizeof def);
        range_text_(info, range, sizeof range);
        fprintf(out, "  %-*s  %-*s  %-*s  %s%s%s%s\n", w.key, info->key, w.def, def, w.range, range,
                info->meaning, info->unit[0] ? " (" : "", info->unit, info->unit[0] ? ")" : "");
    }
}

void smrf_config_list_presets(FILE *out)
{
    int width = 0;
    for (size_t p = 0; p < smrf_preset_count(); p++) {
        width = wider_(width, smrf_preset_name(p));
    }
    for (size_t p = 0; p < smrf_preset_count(); p++) {
        fprintf(out, "  %-*s  %s\n", width, smrf_preset_name(p), smrf_preset_description(p));
    }
}
