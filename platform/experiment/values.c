/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment makes of its numbers: the names, and derived values. */
#define _GNU_SOURCE
#include "experiment.h"

#include "firmware/kernels/suite.h"
#include "platform/config/registry.h"
#include "platform/counters/counters.h"
#include "platform/energy/energy.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- names ------------------------------------------------------------------------------------ */

/* What smrf annotate tells, and what every document has beyond the table of statistics. */
static const char *const other_statistics[] = {"warps",
                                               "profiled_warps",
                                               "accesses",
                                               "reuses",
                                               "operands",
                                               "near_operands",
                                               "profile_wrong",
                                               "majority_wrong",
                                               "never_profiled",
                                               "distances_above_4095",
                                               "distances_from_1.1",
                                               "run.seconds",
                                               NULL};

static bool is_energy_(const char *name)
{
    const struct smrf_energy_set *set;
    for (unsigned i = 0; (set = smrf_energy_set_at(i)) != NULL; i++) {
        for (unsigned k = 0; k < SMRF_ENERGY_COMPONENTS; k++) {
            char own[96];
            snprintf(own, sizeof own, "energy.%s.%s", set->name, smrf_energy_component_name(k));
            if (strcmp(own, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool statistic_(void *ctx, const char *name)
{
    const struct smrf_mechanism *m;
    (void)ctx;
    bool found = smrf_stat_find(name) != NULL || is_energy_(name);
    for (unsigned i = 0; !found && (m = smrf_mechanism_at(i)) != NULL; i++) {
        found = smrf_mechanism_stat_find(m, name) != NULL;
    }
    for (size_t i = 0; !found && other_statistics[i]; i++) {
        found = strcmp(other_statistics[i], name) == 0;
    }
    return found;
}

static const struct smrf_expression *derived_(void *ctx, const char *name)
{
    const struct smrf_experiment *x = ctx;
    for (size_t i = 0; i < x->num_derived; i++) {
        if (strcmp(x->derived[i].name, name) == 0) {
            return x->derived[i].value;
        }
    }
    return NULL;
}

static long variant_(void *ctx, const char *name)
{
    return smrf_experiment_variant(ctx, name);
}

static bool trace_(void *ctx, const char *patterns)
{
    const struct smrf_experiment *x = ctx;
    const char *more = strchr(patterns, '|');
    char pattern[256];
    snprintf(pattern, sizeof pattern, "%.*s", (int)strcspn(patterns, "|"), patterns);
    if (more && !trace_(ctx, more + 1)) {
        return false;
    }
    const struct smrf_suite_program *program;
    for (size_t i = 0; i < x->num_traces; i++) {
        if (smrf_experiment_fits(&x->trace[i], pattern)) {
            return true;
        }
    }
    for (size_t i = 0; i < x->num_groups; i++) {
        if (fnmatch(pattern, x->group[i].group, 0) == 0) {
            return true;
        }
    }
    for (unsigned i = 0; (program = smrf_suite_at(i)) != NULL; i++) {
        if (fnmatch(pattern, program->name, 0) == 0 || fnmatch(pattern, program->group, 0) == 0) {
            return true; /* of the suite: the claims of a study hold on a part of its traces, too */
        }
    }
    return false;
}

static const char *const *near_(void *ctx, char kind)
{
    struct smrf_experiment *x = ctx;
    const char **names = NULL;
    size_t count = 0;
    for (size_t i = 0; kind == 'n' && i < smrf_stats_count; i++) {
        SMRF_POOL_ADD(&x->pool, names, count, smrf_stats[i].name);
    }
    for (size_t i = 0; kind == 'n' && i < x->num_derived; i++) {
        SMRF_POOL_ADD(&x->pool, names, count, x->derived[i].name);
    }
    for (size_t i = 0; kind == 'n' && other_statistics[i]; i++) {
        SMRF_POOL_ADD(&x->pool, names, count, other_statistics[i]);
    }
    for (size_t i = 0; kind == 'v' && i < x->num_variants; i++) {
        SMRF_POOL_ADD(&x->pool, names, count, x->variant[i].name);
    }
    for (size_t i = 0; kind == 't' && i < x->num_traces; i++) {
        SMRF_POOL_ADD(&x->pool, names, count, x->trace[i].name);
        SMRF_POOL_ADD(&x->pool, names, count, x->trace[i].group);
    }
    SMRF_POOL_ADD(&x->pool, names, count, NULL);
    return names;
}

struct smrf_expression_names smrf_experiment_names(struct smrf_experiment *x)
{
    return (struct smrf_expression_names){derived_, variant_, trace_, statistic_, near_, x};
}

int smrf_experiment_check_patterns(struct smrf_experiment *x, const struct smrf_tree *patterns)
{
    const struct smrf_tree *one;
    for (size_t k = 0; patterns && (one = smrf_tree_each(patterns, k)) != NULL; k++) {
        const char *text = smrf_tree_text(&x->source, one, "traces");
        if (!text) {
            return SMRF_ERR_INVAL;
        }
        if (!trace_(x, text) && strcmp(text, "traces") != 0) {
            return smrf_tree_fail(&x->source, one->line,
                                  "traces: there is no trace or group '%s'%s", text,
                                  smrf_tree_near(&x->pool, text, near_(x, 't')));
        }
    }
    return SMRF_OK;
}

/* Does it fit a statistic? */
static bool is_pattern_(const char *pattern)
{
    const struct smrf_mechanism *m;
    const struct smrf_energy_set *set;
    char name[128];
    bool fits = false;
    for (size_t i = 0; !fits && i < smrf_stats_count; i++) {
        fits = fnmatch(pattern, smrf_stats[i].name, 0) == 0;
    }
    for (size_t i = 0; !fits && other_statistics[i]; i++) {
        fits = fnmatch(pattern, other_statistics[i], 0) == 0;
    }
    for (unsigned i = 0; !fits && (m = smrf_mechanism_at(i)) != NULL; i++) {
        for (size_t k = 0; !fits && k < m->num_stats; k++) {
            snprintf(name, sizeof name, "mechanism.%s", m->stats[k].name);
            fits = fnmatch(pattern, name, 0) == 0;
        }
    }
    for (unsigned i = 0; !fits && (set = smrf_energy_set_at(i)) != NULL; i++) {
        for (unsigned k = 0; !fits && k < SMRF_ENERGY_COMPONENTS; k++) {
            snprintf(name, sizeof name, "energy.%s.%s", set->name, smrf_energy_component_name(k));
            fits = fnmatch(pattern, name, 0) == 0;
        }
    }
    return fits;
}

static int check_statistics_(struct smrf_experiment *x)
{
    const struct smrf_tree *one;
    for (size_t k = 0; x->statistics && (one = smrf_tree_each(x->statistics, k)) != NULL; k++) {
        const char *text = smrf_tree_text(&x->source, one, "statistics");
        if (text && !is_pattern_(text)) {
            smrf_tree_fail(&x->source, one->line, "statistics: there is none that '%s' fits%s",
                           text, smrf_tree_near(&x->pool, text, near_(x, 'n')));
        }
        if (!text || x->source.error[0]) {
            return SMRF_ERR_INVAL;
        }
    }
    return SMRF_OK;
}

/* --- derived values --------------------------------------------------------------------------- */

static bool is_new_name_(struct smrf_experiment *x, const char *name)
{
    return name[0] && !strchr("0123456789", name[0]) && !statistic_(x, name) &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static int read_derived_(struct smrf_experiment *x, const char *name, unsigned line,
                         const struct smrf_tree *tree)
{
    const struct smrf_expression_names names = smrf_experiment_names(x);
    const char *text = smrf_tree_text(&x->source, tree, name);
    if (text && !is_new_name_(x, name)) {
        return smrf_tree_fail(&x->source, line,
                              "derived: '%s' is no new name of letters, digits and _", name);
    }
    const struct smrf_expression *e =
        text ? smrf_expression_parse(&x->source, tree->line, text, &names) : NULL;
    if (e) {
        SMRF_POOL_ADD(&x->pool, x->derived, x->num_derived, (struct smrf_derived){name, e});
    }
    return e ? SMRF_OK : SMRF_ERR_INVAL;
}

/* known: {name: {pattern: number, ..}, ..}, of traces: what was measured elsewhere. */
static int read_known_(struct smrf_experiment *x, const char *name, unsigned line,
                       const struct smrf_tree *tree)
{
    struct smrf_known *known = NULL;
    size_t count = 0;
    if (tree->kind != SMRF_TREE_MAP || !is_new_name_(x, name)) {
        return smrf_tree_fail(&x->source, line,
                              "known: '%s' is no new name of letters, digits and _, with "
                              "{trace or group: number, ..}",
                              name);
    }
    for (size_t i = 0; i < tree->count; i++) {
        struct smrf_known one = {tree->key[i], 0};
        if (smrf_tree_number(&x->source, tree->item[i], name, &one.number)) {
            return SMRF_ERR_INVAL;
        }
        SMRF_POOL_ADD(&x->pool, known, count, one);
    }
    SMRF_POOL_ADD(&x->pool, x->derived, x->num_derived,
                  (struct smrf_derived){name, smrf_expression_known(&x->pool, known, count)});
    return SMRF_OK;
}

/* Each line of a part of the file that names values. */
static int read_lines_(struct smrf_experiment *x, const struct smrf_tree *root, const char *part,
                       int (*read)(struct smrf_experiment *x, const char *name, unsigned line,
                                   const struct smrf_tree *tree))
{
    const struct smrf_tree *all = smrf_tree_get(root, part);
    int err = SMRF_OK;
    if (all && all->kind != SMRF_TREE_MAP) {
        return smrf_tree_fail(&x->source, all->line, "%s: expected lines of the form name: value",
                              part);
    }
    for (size_t i = 0; !err && all && i < all->count; i++) {
        err = read(x, all->key[i], all->key_line[i], all->item[i]);
    }
    return err;
}

int smrf_experiment_load_values(struct smrf_experiment *x, const struct smrf_tree *root)
{
    int err = check_statistics_(x);
    err = err ? err : read_lines_(x, root, "known", read_known_);
    err = err ? err : read_lines_(x, root, "derived", read_derived_);
    return err ? err : smrf_experiment_load_claims(x, root);
}
