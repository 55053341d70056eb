/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment makes of its numbers: derived values, and the claims of a paper. */
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

static bool trace_(void *ctx, const char *pattern)
{
    const struct smrf_experiment *x = ctx;
    const struct smrf_suite_program *program;
    for (size_t i = 0; i < x->num_traces; i++) {
        if (smrf_experiment_fits(&x->trace[i], pattern)) {
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

static int read_derived_(struct smrf_experiment *x, const char *name, unsigned line,
                         const struct smrf_tree *tree)
{
    const struct smrf_expression_names names = smrf_experiment_names(x);
    const char *text = smrf_tree_text(&x->source, tree, name);
    if (text &&
        (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ||
         strchr("0123456789", name[0]) || statistic_(x, name))) {
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

/* --- claims ----------------------------------------------------------------------------------- */

/* paper: 6.1, or ">40": more than, "<2": less than. */
static int paper_(struct smrf_experiment *x, const struct smrf_tree *item, struct smrf_claim *c)
{
    struct smrf_tree number = *item;
    if (item->kind == SMRF_TREE_TEXT && (item->text[0] == '>' || item->text[0] == '<')) {
        c->bound = item->text[0] == '>' ? SMRF_BOUND_ABOVE : SMRF_BOUND_BELOW;
        number.text++;
    }
    return smrf_tree_number(&x->source, &number, "paper", &c->paper);
}

/* tolerance: 2 (in the claim's unit), or 10% of the paper's number. */
static int tolerance_(struct smrf_experiment *x, const struct smrf_tree *item, struct smrf_claim *c)
{
    struct smrf_tree number = *item;
    size_t length = item->kind == SMRF_TREE_TEXT ? strlen(item->text) : 0;
    bool share = length && item->text[length - 1] == '%';
    if (share) {
        number.text = smrf_pool_text(&x->pool, "%.*s", (int)length - 1, item->text);
    }
    int err = smrf_tree_number(&x->source, &number, "tolerance", &c->tolerance);
    if (!err && c->tolerance < 0) {
        err = smrf_tree_fail(&x->source, item->line, "tolerance: at least 0");
    }
    c->tolerance *= share ? fabs(c->paper) / 100 : 1;
    return err;
}

static int read_claim_(struct smrf_experiment *x, const struct smrf_tree *tree)
{
    static const char *const keys[] = {"claim", "place",     "paper",   "unit", "value",
                                       "note",  "tolerance", "neutral", NULL};
    const struct smrf_expression_names names = smrf_experiment_names(x);
    const struct smrf_tree *paper, *value, *item;
    struct smrf_claim c = {.what = "", .place = "", .unit = "", .note = ""};
    int err = smrf_tree_keys(&x->source, tree, "a claim", keys);
    err = err ? err : smrf_tree_part(&x->source, tree, "claim", &c.what);
    err = err ? err : smrf_tree_part(&x->source, tree, "place", &c.place);
    err = err ? err : smrf_tree_part(&x->source, tree, "unit", &c.unit);
    err = err ? err : smrf_tree_part(&x->source, tree, "note", &c.note);
    if (err) {
        return err;
    }
    paper = smrf_tree_get(tree, "paper");
    value = smrf_tree_get(tree, "value");
    if (!c.what[0] || !paper || !value) {
        return smrf_tree_fail(&x->source, tree->line,
                              "a claim has claim: (what), paper: (its number) and value: (ours)");
    }
    err = paper_(x, paper, &c);
    c.tolerance = fabs(c.paper) / 10;
    if (!err && (item = smrf_tree_get(tree, "tolerance")) != NULL) {
        err = tolerance_(x, item, &c);
    }
    if (!err && (item = smrf_tree_get(tree, "neutral")) != NULL) {
        err = smrf_tree_number(&x->source, item, "neutral", &c.neutral);
    }
    const char *text = err ? NULL : smrf_tree_text(&x->source, value, "value");
    c.ours = text ? smrf_expression_parse(&x->source, value->line, text, &names) : NULL;
    if (c.ours && (smrf_expression_of_trace(c.ours) || smrf_expression_of_variant(c.ours))) {
        return smrf_tree_fail(
            &x->source, value->line,
            "'%.200s' is not one number: say of which variant (ipc@NAME) and over "
            "which traces (mean(..), at(.., \"NAME\"))",
            text);
    }
    if (c.ours) {
        SMRF_POOL_ADD(&x->pool, x->claim, x->num_claims, c);
    }
    return c.ours ? SMRF_OK : SMRF_ERR_INVAL;
}

static int read_untried_(struct smrf_experiment *x, const struct smrf_tree *tree)
{
    static const char *const keys[] = {"what", "place", "why", NULL};
    struct smrf_untried u = {"", "", ""};
    int err = smrf_tree_keys(&x->source, tree, "what is untried", keys);
    err = err ? err : smrf_tree_part(&x->source, tree, "what", &u.what);
    err = err ? err : smrf_tree_part(&x->source, tree, "place", &u.place);
    err = err ? err : smrf_tree_part(&x->source, tree, "why", &u.why);
    if (!err && (!u.what[0] || !u.why[0])) {
        return smrf_tree_fail(&x->source, tree->line, "what is untried has what: and why:");
    }
    SMRF_POOL_ADD(&x->pool, x->untried, x->num_untried, u);
    return err;
}

int smrf_experiment_load_values(struct smrf_experiment *x, const struct smrf_tree *root)
{
    const struct smrf_tree *all = smrf_tree_get(root, "derived"), *one;
    int err = check_statistics_(x);
    if (!err && all && all->kind != SMRF_TREE_MAP) {
        return smrf_tree_fail(&x->source, all->line,
                              "derived: expected lines of the form name: value");
    }
    for (size_t i = 0; !err && all && i < all->count; i++) {
        err = read_derived_(x, all->key[i], all->key_line[i], all->item[i]);
    }
    all = smrf_tree_get(root, "claims");
    for (size_t k = 0; !err && all && (one = smrf_tree_each(all, k)) != NULL; k++) {
        err = read_claim_(x, one);
    }
    all = smrf_tree_get(root, "untried");
    for (size_t k = 0; !err && all && (one = smrf_tree_each(all, k)) != NULL; k++) {
        err = read_untried_(x, one);
    }
    return err;
}
