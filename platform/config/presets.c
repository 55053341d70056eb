/* SPDX-License-Identifier: Apache-2.0 */
/* Presets: platform/presets/<name>.yaml, embedded by CMake, applied over the defaults. */
#include "embedded.h"
#include "internal.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

size_t smrf_preset_count(void)
{
    size_t count = 0;
    while (smrf_presets[count].name) {
        count++;
    }
    return count;
}

const char *smrf_preset_name(size_t index)
{
    return index < smrf_preset_count() ? smrf_presets[index].name : NULL;
}

const char *smrf_preset_description(size_t index)
{
    return index < smrf_preset_count() ? smrf_presets[index].description : NULL;
}

static const struct smrf_embedded *find_(const char *name)
{
    const struct smrf_embedded *preset = smrf_presets;
    while (preset->name && strcasecmp(preset->name, name) != 0) {
        preset++;
    }
    return preset->name ? preset : NULL;
}

const char *smrf_preset_find(const char *name)
{
    const struct smrf_embedded *found = find_(name);
    return found ? found->name : NULL;
}

int smrf_preset_apply(struct smrf_config *cfg, const char *name, struct smrf_config_error *err)
{
    const struct smrf_embedded *preset = find_(name);
    struct smrf_config next;
    char near[256], file[128];
    if (!preset) {
        smrf_suggest(name, smrf_preset_name, 6, near, sizeof near); /* at six it is another one */
        return smrf_config_fail(err, SMRF_ERR_UNKNOWN, "preset", "no preset is called '%.60s'%s",
                                name, near[0] ? near : "; smrf list presets shows all");
    }
    smrf_config_default(&next);
    snprintf(file, sizeof file, "presets/%s.yaml", preset->name);
    const int rc = smrf_config_load_text(&next, file, preset->text, preset->size, err);
    if (rc == SMRF_OK) {
        *cfg = next;
    }
    return rc;
}
