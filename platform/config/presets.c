/* SPDX-License-Identifier: Apache-2.0 */
/* Presets: platform/presets/<name>.yaml, embedded by CMake, applied over the defaults. */
#include "internal.h"
#include "suggest.h"

#include <string.h>
#include <strings.h>

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

static const struct smrf_preset_data *find_(const char *name)
{
    for (size_t i = 0; i < smrf_preset_data_count; i++) {
        if (strcasecmp(smrf_preset_data[i].name, name) == 0) {
            return &smrf_preset_data[i];
        }
    }
    return NULL;
}

const char *smrf_preset_find(const char *name)
{
    const struct smrf_preset_data *found = find_(name);
    return found ? found->name : NULL;
}

int smrf_preset_apply(struct smrf_config *cfg, const char *name, struct smrf_config_error *err)
{
    const struct smrf_preset_data *preset = find_(name);
    struct smrf_config next;
    char near[256];
    if (!preset) {
        smrf_suggest(name, smrf_preset_name, 6, near, sizeof near); /* at six it is another one */
        return smrf_config_fail(err, SMRF_ERR_UNKNOWN, "preset", "no preset is called '%.60s'%s",
                                name, near[0] ? near : "; smrf list presets shows all");
    }
    smrf_config_default(&next);
    const int rc =
        smrf_config_load_text(&next, preset->file, (const char *)preset->text, preset->size, err);
    if (rc == SMRF_OK) {
        *cfg = next;
    }
    return rc;
}
