/* SPDX-License-Identifier: Apache-2.0 */
/* The one place that lists the mechanisms. */
#include "mechanism.h"

#include "models/bow/bow.h"
#include "models/malekeh/malekeh.h"

#include <string.h>

static const struct smrf_mechanism baseline = {
    .name = "baseline",
    .summary = "operand collector units that read every operand from the banks",
};

static const struct smrf_mechanism *const mechanisms[] = {
    &baseline,     &smrf_malekeh_long, &smrf_malekeh_short, &smrf_malekeh_private,
    &smrf_gto_lru, &smrf_bow_long,     &smrf_bow_short,
};

const struct smrf_mechanism *smrf_mechanism_at(unsigned index)
{
    return index < sizeof mechanisms / sizeof *mechanisms ? mechanisms[index] : NULL;
}

const struct smrf_mechanism *smrf_mechanism_find(const char *name)
{
    for (unsigned i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
        if (strcmp(mechanisms[i]->name, name) == 0) {
            return mechanisms[i];
        }
    }
    return NULL;
}
