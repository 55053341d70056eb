/* SPDX-License-Identifier: Apache-2.0 */
/* Settings without effect: an option of mechanisms of which no variant has one. */
#define _GNU_SOURCE
#include "experiment.h"

#include "platform/config/registry.h"

#include <string.h>

static const struct smrf_family *family_of_(const char *pair)
{
    const struct smrf_family *f;
    const size_t section = strcspn(pair, ".=");
    for (unsigned i = 0; (f = smrf_family_at(i)) != NULL; i++) {
        if (strlen(f->name) == section && strncmp(f->name, pair, section) == 0) {
            return f;
        }
    }
    return NULL;
}

static bool same_key_(const char *a, const char *b)
{
    const size_t n = strcspn(a, "=");
    return strncmp(a, b, n) == 0 && b[n] == '=';
}

static bool has_key_(const char *const *set, size_t count, const char *pair)
{
    for (size_t i = 0; i < count; i++) {
        if (same_key_(pair, set[i])) {
            return true;
        }
    }
    return false;
}

/* Does a variant that has it look at it? */
static bool heeded_(const struct smrf_experiment *x, const char *pair,
                    const struct smrf_family *family)
{
    const bool of_all = has_key_(x->set, x->num_set, pair);
    for (size_t v = 0; v < x->num_variants; v++) {
        const struct smrf_variant *variant = &x->variant[v];
        const struct smrf_mechanism *m = smrf_mechanism_find(variant->mechanism);
        if (m && m->family == family &&
            (of_all || has_key_(variant->set, variant->num_set, pair))) {
            return true;
        }
    }
    return false;
}

void smrf_experiment_ignored(struct smrf_experiment *x, void (*tell)(void *ctx, const char *text),
                             void *ctx)
{
    const char **told = NULL;
    size_t count = 0;
    for (size_t v = 0; v <= x->num_variants; v++) {
        const char **set = v < x->num_variants ? x->variant[v].set : x->set;
        const size_t num = v < x->num_variants ? x->variant[v].num_set : x->num_set;
        for (size_t i = 0; i < num; i++) {
            const struct smrf_family *family = family_of_(set[i]);
            if (family && !has_key_(told, count, set[i]) && !heeded_(x, set[i], family)) {
                SMRF_POOL_ADD(&x->pool, told, count, set[i]);
                tell(ctx, smrf_pool_text(&x->pool, "%.*s: no mechanism here looks at it",
                                         (int)strcspn(set[i], "="), set[i]));
            }
        }
    }
}
