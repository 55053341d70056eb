/* SPDX-License-Identifier: Apache-2.0 */
/* Which mechanisms there are: the families of families.def, and those that a program adds of its
 * own. A family's options are parameters like any other, under the family's name. */
#ifndef SMRF_REGISTRY_H
#define SMRF_REGISTRY_H

#include "models/seam/mechanism.h"
#include "smrf_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_FAMILIES_MAX 32

/* Make the mechanisms of a family, and its options, known by their names. Kept by pointer. Call it
 * before the first configuration is made. Returns 0, or SMRF_ERR_INVAL where a name is taken, or
 * SMRF_ERR_LIMIT: more than SMRF_FAMILIES_MAX families or SMRF_OPTIONS_MAX options. */
int smrf_family_add(const struct smrf_family *family);

/* index from 0; NULL past the last. */
const struct smrf_family *smrf_family_at(unsigned index);
/* Index of a family's first option in struct smrf_config's option[]. */
unsigned smrf_family_first(unsigned index);

/* index from 0 over all families; NULL past the last. */
const struct smrf_mechanism *smrf_mechanism_at(unsigned index);
/* By its name in any case of letters; NULL if there is none. */
const struct smrf_mechanism *smrf_mechanism_find(const char *name);

/* The options of a mechanism's family in a configuration, as its struct. NULL: it has none. */
void *smrf_config_options(struct smrf_config *cfg, const struct smrf_mechanism *mechanism);

/* The SM's part of a configuration, with what the mechanism adds to it. */
struct smrf_sm_config smrf_mechanism_sm_config(const struct smrf_config *cfg,
                                               const struct smrf_mechanism *mechanism);

/* Does it give registers places that are known to be wrong at times? */
bool smrf_mechanism_unsound(const struct smrf_config *cfg, const struct smrf_mechanism *mechanism);

/* What a mechanism is built for. Its options point into *cfg. */
struct smrf_mechanism_setup smrf_mechanism_setup_of(const struct smrf_config *cfg,
                                                    const struct smrf_mechanism *mechanism);

#ifdef __cplusplus
}
#endif

#endif
