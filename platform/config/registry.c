/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include "models/common/smrf_err.h"

#include <string.h>
#include <strings.h>

#define FAMILY(name) extern const struct smrf_family smrf_##name##_family;
#include "families.def"
#undef FAMILY

/* Known families, those of the list first. The list is part of the program; what is added later
 * stays for its life. */
static const struct smrf_family *families[SMRF_FAMILIES_MAX] = {
#define FAMILY(name) &smrf_##name##_family,
#include "families.def"
#undef FAMILY
};

const struct smrf_family *smrf_family_at(unsigned index)
{
    return index < SMRF_FAMILIES_MAX ? families[index] : NULL;
}

unsigned smrf_family_first(unsigned index)
{
    unsigned first = 0;
    for (unsigned i = 0; i < index && smrf_family_at(i); i++) {
        first += (unsigned)families[i]->options.num_params;
    }
    return first;
}

const struct smrf_mechanism *smrf_mechanism_at(unsigned index)
{
    const struct smrf_family *f;
    for (unsigned i = 0; (f = smrf_family_at(i)) != NULL; i++) {
        for (unsigned m = 0; f->mechanism[m]; m++) {
            if (index-- == 0) {
                return f->mechanism[m];
            }
        }
    }
    return NULL;
}

const struct smrf_mechanism *smrf_mechanism_find(const char *name)
{
    const struct smrf_mechanism *m;
    for (unsigned i = 0; (m = smrf_mechanism_at(i)) != NULL; i++) {
        if (strcasecmp(m->name, name) == 0) {
            return m;
        }
    }
    return NULL;
}

/* Index of the family of a mechanism, SMRF_FAMILIES_MAX: not one that is known. */
static unsigned family_of_(const struct smrf_mechanism *mechanism)
{
    const struct smrf_family *f;
    for (unsigned i = 0; (f = smrf_family_at(i)) != NULL; i++) {
        if (f == mechanism->family) {
            return i;
        }
    }
    return SMRF_FAMILIES_MAX;
}

/* Is the name of a section or of a family taken? */
static bool section_taken_(const char *name)
{
#define SECTION_NAME(section, SECTION) #section,
    static const char *const sections[] = {SMRF_SECTIONS(SECTION_NAME)};
#undef SECTION_NAME
    const struct smrf_family *f;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(sections[i], name) == 0) {
            return true;
        }
    }
    for (unsigned i = 0; (f = smrf_family_at(i)) != NULL; i++) {
        if (strcmp(f->name, name) == 0) {
            return true;
        }
    }
    return false;
}

int smrf_family_add(const struct smrf_family *family)
{
    unsigned n = 0;
    while (smrf_family_at(n)) {
        n++;
    }
    if (n == SMRF_FAMILIES_MAX ||
        smrf_family_first(n) + family->options.num_params > SMRF_OPTIONS_MAX) {
        return SMRF_ERR_LIMIT;
    }
    if (section_taken_(family->name)) {
        return SMRF_ERR_INVAL;
    }
    for (unsigned m = 0; family->mechanism[m]; m++) {
        if (smrf_mechanism_find(family->mechanism[m]->name)) {
            return SMRF_ERR_INVAL;
        }
    }
    families[n] = family;
    return SMRF_OK;
}

/* Place of the options of a mechanism's family, -1: it has none. */
static int options_at_(const struct smrf_mechanism *mechanism)
{
    unsigned i = family_of_(mechanism);
    return i < SMRF_FAMILIES_MAX && families[i]->options.num_params ? (int)smrf_family_first(i)
                                                                    : -1;
}

void *smrf_config_options(struct smrf_config *cfg, const struct smrf_mechanism *mechanism)
{
    int at = options_at_(mechanism);
    return at < 0 ? NULL : &cfg->option[at];
}

struct smrf_sm_config smrf_mechanism_sm_config(const struct smrf_config *cfg,
                                               const struct smrf_mechanism *mechanism)
{
    struct smrf_sm_config sm = smrf_config_sm(cfg);
    if (mechanism->latency) {
        const struct smrf_mechanism_setup setup = smrf_mechanism_setup_of(cfg, mechanism);
        sm.issue.extra_latency += mechanism->latency(&setup);
    }
    return sm;
}

bool smrf_mechanism_unsound(const struct smrf_config *cfg, const struct smrf_mechanism *mechanism)
{
    if (!mechanism->unsound) {
        return false;
    }
    const struct smrf_mechanism_setup setup = smrf_mechanism_setup_of(cfg, mechanism);
    return mechanism->unsound(&setup);
}

struct smrf_mechanism_setup smrf_mechanism_setup_of(const struct smrf_config *cfg,
                                                    const struct smrf_mechanism *mechanism)
{
    int at = options_at_(mechanism);
    return (struct smrf_mechanism_setup){
        .gpu = cfg->gpu,
        .sm = cfg->sm,
        .rf = cfg->rf,
        .sim = cfg->sim,
        .war = cfg->scoreboard.war != 0,
        .two_level = cfg->issue.scheduler == SMRF_SCHED_TWO_LEVEL,
        .options = at < 0 ? NULL : &cfg->option[at],
    };
}
