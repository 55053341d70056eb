/* SPDX-License-Identifier: Apache-2.0 */
/* Presets: platform/presets/<name>.yaml, embedded by CMake, applied over the defaults. */
#include "internal.h"

#include <string.h>

size_t smrf_preset_count(void)
{
    return smrf_preset_data_count;
}

const char *smrf_preset_name(size_t index)
{
    return index < smrf_preset_data_count ? smrf_preset_data[index].name : NULL;
}

const char *smrf_preset_description(size_t index)
{
    return index < smrf_preset_data_count ? smrf_preset_data[index].description : NULL;
}

static const struct smrf_preset_data *nearest_preset_(const char *name)
{
    const struct smrf_preset_data *best = NULL;
    unsigned best_distance = 6; /* at six edits the name is another one */
    for (size_t i = 0; i < smrf_preset_data_count; i++) {
        unsigned distance = smrf_edit_distance(name, smrf_preset_data[i].name);
        if (distance < best_distance) {
            best_distance = distance;
            best = &smrf_preset_data[i];
        }
    }
    return best;
}

int smrf_preset_apply(struct smrf_config *cfg, const char *name, struct smrf_config_error *err)
{
    for (size_t i = 0; i < smrf_preset_data_count; i++) {
        const struct smrf_preset_data *preset = &smrf_preset_data[i];
        if (strcmp(preset->name, name) == 0) {
            struct smrf_config next;
            smrf_config_default(&next);
            int rc = smrf_config_load_text(&next, preset->file, (const char *)preset->text,
                                           preset->size, err);
            if (rc == SMRF_OK) {
                *cfg = next;
            }
            return rc;
        }
    }
    const struct smrf_preset_data *near = nearest_preset_(name);
    if (near != NULL) {
        return smrf_config_fail(err, SMRF_ERR_UNKNOWN, "preset",
                                "no preset is called '%.60s'; did you mean %s?", name, near->name);
    }
    return smrf_config_fail(err, SMRF_ERR_UNKNOWN, "preset",
                            "no preset is called '%.60s'; smrf list shows all", name);
}
