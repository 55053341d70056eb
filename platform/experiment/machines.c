/* SPDX-License-Identifier: Apache-2.0 */
/* The variants of an experiment: mechanisms and settings, and sweeps over them. */
#define _GNU_SOURCE
#include "experiment.h"

#include "platform/config/config.h"
#include "platform/platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The platform as `smrf run` would put it together. */
static int configure_(struct smrf_experiment *x, struct smrf_platform *p,
                      const struct smrf_variant *v, uint32_t seed)
{
    char pair[32];
    int err = smrf_platform_preset(p, v->preset ? v->preset : x->preset);
    err = err ? err : smrf_platform_mechanism(p, v->mechanism);
    for (size_t i = 0; !err && i < x->num_config; i++) {
        err = smrf_platform_config_file(p, x->config[i]);
    }
    for (size_t i = 0; !err && i < v->num_set; i++) {
        err = smrf_platform_set(p, v->set[i]);
    }
    for (size_t i = 0; !err && i < x->num_set; i++) {
        err = smrf_platform_set(p, x->set[i]);
    }
    snprintf(pair, sizeof pair, "sim.seed=%u", seed);
    err = err ? err : smrf_platform_set(p, pair);
    return err ? err : smrf_platform_check(p);
}

const char *smrf_experiment_machine(struct smrf_experiment *x, const struct smrf_variant *variant,
                                    uint32_t seed)
{
    struct smrf_platform *p = NULL;
    const char *text = NULL;
    if (strcmp(variant->tool, "run") != 0) {
        return "";
    }
    if (smrf_platform_create(&p)) {
        smrf_tree_fail(&x->source, 0, "out of memory");
    } else if (configure_(x, p, variant, seed)) {
        const char *why = smrf_platform_error(p);
        const bool set = strncmp(why, "--set: ", 7) == 0; /* here it is not the command's option */
        smrf_tree_fail(&x->source, variant->line, "%s: %s", variant->name, why + (set ? 7 : 0));
    } else {
        const char *key;
        char value[512], *all = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&all, &size);
        for (size_t i = 0;
             out && smrf_platform_config_at(p, i, &key, value, sizeof value) == SMRF_OK; i++) {
            fprintf(out, "%s=%s\n", key, value);
        }
        if (out && fclose(out) == 0) {
            text = smrf_pool_text(&x->pool, "%s", all);
        } else {
            smrf_tree_fail(&x->source, 0, "out of memory");
        }
        free(all);
    }
    smrf_platform_destroy(p);
    return text;
}

long smrf_experiment_variant(const struct smrf_experiment *x, const char *name)
{
    for (size_t i = 0; i < x->num_variants; i++) {
        if (strcmp(x->variant[i].name, name) == 0) {
            return (long)i;
        }
    }
    return -1;
}

long smrf_experiment_add_variant(struct smrf_experiment *x, const struct smrf_variant *variant)
{
    struct smrf_variant v = *variant;
    v.settings = "";
    v.sweep = v.sweep ? v.sweep : "";
    v.point = v.point ? v.point : "";
    if (smrf_experiment_variant(x, v.name) >= 0) {
        return smrf_tree_fail(&x->source, v.line,
                              "there are two variants '%s'; choose another name", v.name);
    }
    for (size_t i = 0; i < v.num_set; i++) {
        v.settings = smrf_pool_text(&x->pool, "%s%s%s", v.settings, i ? " " : "", v.set[i]);
    }
    if (!smrf_experiment_machine(x, &v, x->num_seeds ? x->seed[0] : 1)) {
        return SMRF_ERR_INVAL;
    }
    SMRF_POOL_ADD(&x->pool, x->variant, x->num_variants, v);
    return (long)x->num_variants - 1;
}

int smrf_experiment_add_seed(struct smrf_experiment *x, unsigned line, const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || text[0] == '-' || value > UINT32_MAX) {
        return smrf_tree_fail(&x->source, line, "a seed is a whole number, not '%s'", text);
    }
    for (size_t i = 0; i < x->num_seeds; i++) {
        if (x->seed[i] == value) {
            return smrf_tree_fail(&x->source, line, "the seed %lu is given twice", value);
        }
    }
    SMRF_POOL_ADD(&x->pool, x->seed, x->num_seeds, (uint32_t)value);
    return SMRF_OK;
}

size_t smrf_experiment_seeds(const struct smrf_experiment *x, const struct smrf_variant *v)
{
    const size_t seeds = strcmp(v->tool, "run") == 0 ? v->seeds : 1;
    return seeds && seeds < x->num_seeds ? seeds : x->num_seeds;
}

/* A whole number of a variant or a sweep. */
static int read_count_(struct smrf_experiment *x, const struct smrf_tree *tree, const char *key,
                       const char *what, uint64_t *count)
{
    const struct smrf_tree *item = smrf_tree_get(tree, key);
    double number = 0;
    int err = item ? smrf_tree_number(&x->source, item, key, &number) : SMRF_OK;
    if (!err && item && !(number >= 1 && number <= UINT32_MAX && number == floor(number))) {
        return smrf_tree_fail(&x->source, item->line, "%s: %s, at least 1", key, what);
    }
    *count = item ? (uint64_t)number : *count;
    return err;
}

static int read_counts_(struct smrf_experiment *x, const struct smrf_tree *tree,
                        struct smrf_variant *v)
{
    int err = read_count_(x, tree, "seeds", "with how many of the experiment's seeds", &v->seeds);
    err = err ? err : read_count_(x, tree, "cycles", "after how many cycles runs end", &v->cycles);
    if (!err && v->cycles && strcmp(v->tool, "run") != 0) {
        return smrf_tree_fail(&x->source, tree->line, "cycles: of runs, not of tool: %s", v->tool);
    }
    return err;
}

/* --- sweeps ----------------------------------------------------------------------------------- */

static int add_point_(struct smrf_experiment *x, unsigned line, const char *name,
                      const struct smrf_variant *of, const struct smrf_axis *axes, size_t num_axes,
                      const size_t *at)
{
    struct smrf_variant v = *of;
    v.sweep = name;
    v.line = line;
    v.point = "";
    v.set = smrf_pool_take(&x->pool, (of->num_set + num_axes) * sizeof *v.set);
    for (size_t i = 0; i < of->num_set; i++) {
        v.set[i] = of->set[i];
    }
    for (size_t a = 0; a < num_axes; a++) {
        const char *value = axes[a].value[at[a]];
        if (strcmp(axes[a].key, "mechanism") == 0) {
            v.mechanism = value;
        } else if (strcmp(axes[a].key, "preset") == 0) {
            v.preset = value;
        } else {
            v.set[v.num_set++] = smrf_pool_text(&x->pool, "%s=%s", axes[a].key, value);
        }
        v.point = smrf_pool_text(&x->pool, "%s%s%s", v.point, a ? "-" : "", value);
    }
    v.name = smrf_pool_text(&x->pool, "%s-%s", name, v.point);
    long added = smrf_experiment_add_variant(x, &v);
    return added < 0 ? (int)added : SMRF_OK;
}

int smrf_experiment_add_sweep(struct smrf_experiment *x, unsigned line, const char *name,
                              const struct smrf_variant *of, const struct smrf_axis *axes,
                              size_t num_axes, bool zipped)
{
    size_t at[16] = {0}, points = 1;
    if (num_axes < 1 || num_axes > sizeof at / sizeof *at) {
        return smrf_tree_fail(&x->source, line, "%s: a sweep has 1 to 16 axes", name);
    }
    for (size_t a = 0; a < num_axes; a++) {
        if (zipped && axes[a].count != axes[0].count) {
            return smrf_tree_fail(&x->source, line,
                                  "%s: zipped axes are of one length; %s has %zu values, %s %zu",
                                  name, axes[0].key, axes[0].count, axes[a].key, axes[a].count);
        }
        points = zipped ? axes[0].count : points * axes[a].count;
    }
    SMRF_POOL_ADD(&x->pool, x->sweep, x->num_sweeps,
                  (struct smrf_sweep){name, x->num_variants, points, zipped ? NULL : axes,
                                      zipped ? 0 : num_axes});
    int err = SMRF_OK;
    for (size_t k = 0; !err && k < points; k++) {
        for (size_t a = num_axes, rest = k; a-- > 0;) {
            at[a] = zipped ? k : rest % axes[a].count;
            rest /= axes[a].count;
        }
        err = add_point_(x, line, name, of, axes, num_axes, at);
    }
    return err;
}

/* --- from the file ---------------------------------------------------------------------------- */

/* Is there such a parameter, and may it have this value? Errors name the line. */
static int check_pair_(struct smrf_experiment *x, unsigned line, const char *key, const char *value)
{
    struct smrf_config scratch;
    struct smrf_config_error error = {{0}};
    char where[320];
    smrf_config_default(&scratch);
    snprintf(where, sizeof where, "%.280s:%u", x->source.name, line);
    int err = smrf_config_set(&scratch, key, value, where, &error);
    if (err && !x->source.error[0]) {
        snprintf(x->source.error, sizeof x->source.error, "%s", error.text);
    }
    return err ? SMRF_ERR_INVAL : SMRF_OK;
}

/* {rf.banks: 4, rf: {collectors: 2}}: appended to the list, checked where they stand. */
int smrf_experiment_read_set(struct smrf_experiment *x, const struct smrf_tree *tree,
                             const char *prefix, const char ***set, size_t *count)
{
    int err = SMRF_OK;
    if (tree->kind != SMRF_TREE_MAP) {
        return smrf_tree_fail(&x->source, tree->line, "set: expected lines of the form key: value");
    }
    for (size_t i = 0; !err && i < tree->count; i++) {
        const struct smrf_tree *item = tree->item[i], *one;
        const char *key =
            smrf_pool_text(&x->pool, "%s%s%s", prefix, prefix[0] ? "." : "", tree->key[i]);
        const char *value = item->kind == SMRF_TREE_TEXT ? item->text : "";
        if (item->kind == SMRF_TREE_MAP) {
            err = smrf_experiment_read_set(x, item, key, set, count);
            continue;
        }
        for (size_t k = 0; item->kind == SMRF_TREE_LIST && (one = smrf_tree_each(item, k)) != NULL;
             k++) {
            value = smrf_pool_text(&x->pool, "%s%s%s", value, k ? "," : "",
                                   one->kind == SMRF_TREE_TEXT ? one->text : "?");
        }
        const char *pair = smrf_pool_text(&x->pool, "%s=%s", key, value);
        SMRF_POOL_ADD(&x->pool, *set, *count, pair);
        err = check_pair_(x, tree->key_line[i], key, value);
    }
    return err;
}

/* A variant's mapping, or a text: its mechanism. */
static int read_variant_(struct smrf_experiment *x, const char *name, unsigned line,
                         const struct smrf_tree *tree, struct smrf_variant *v)
{
    static const char *const keys[] = {"mechanism", "set",   "preset", "traces",
                                       "tool",      "seeds", "cycles", NULL};
    const struct smrf_tree *item;
    *v = (struct smrf_variant){.name = name, .tool = "run", .mechanism = name, .line = line};
    if (tree->kind == SMRF_TREE_TEXT) {
        v->mechanism = tree->text[0] ? tree->text : name;
        return SMRF_OK;
    }
    int err = smrf_tree_keys(&x->source, tree, name, keys);
    if (!err && (item = smrf_tree_get(tree, "mechanism")) != NULL) {
        v->mechanism = smrf_tree_text(&x->source, item, "mechanism");
        err = v->mechanism ? SMRF_OK : SMRF_ERR_INVAL;
    }
    if (!err && (item = smrf_tree_get(tree, "preset")) != NULL) {
        v->preset = smrf_tree_text(&x->source, item, "preset");
        err = v->preset ? SMRF_OK : SMRF_ERR_INVAL;
    }
    if (!err && (item = smrf_tree_get(tree, "tool")) != NULL) {
        v->tool = smrf_tree_text(&x->source, item, "tool");
        err = v->tool ? SMRF_OK : SMRF_ERR_INVAL;
        if (!err && strcmp(v->tool, "run") && strcmp(v->tool, "annotate")) {
            err =
                smrf_tree_fail(&x->source, item->line, "tool: run or annotate, not '%s'", v->tool);
        }
        v->mechanism = !err && v->tool[0] == 'a' ? "" : v->mechanism;
    }
    if (!err && (item = smrf_tree_get(tree, "set")) != NULL) {
        err = smrf_experiment_read_set(x, item, "", &v->set, &v->num_set);
    }
    v->only = smrf_tree_get(tree, "traces");
    err = err ? err : read_counts_(x, tree, v);
    return err ? err : smrf_experiment_check_patterns(x, v->only);
}

static int read_axes_(struct smrf_experiment *x, const struct smrf_tree *tree, const char *what,
                      struct smrf_axis **axes)
{
    if (tree->kind != SMRF_TREE_MAP) {
        return smrf_tree_fail(&x->source, tree->line,
                              "%s: expected lines of the form key: [values]", what);
    }
    *axes = smrf_pool_take(&x->pool, (tree->count + 1) * sizeof **axes);
    for (size_t i = 0; i < tree->count; i++) {
        const struct smrf_tree *one;
        (*axes)[i].key = tree->key[i];
        for (size_t k = 0; (one = smrf_tree_each(tree->item[i], k)) != NULL; k++) {
            if (one->kind != SMRF_TREE_TEXT) {
                return smrf_tree_fail(&x->source, one->line, "%s: expected a plain value",
                                      tree->key[i]);
            }
            SMRF_POOL_ADD(&x->pool, (*axes)[i].value, (*axes)[i].count, one->text);
            if (strcmp(tree->key[i], "mechanism") && strcmp(tree->key[i], "preset") &&
                check_pair_(x, one->line, tree->key[i], one->text)) {
                return SMRF_ERR_INVAL;
            }
        }
        if ((*axes)[i].count == 0) {
            return smrf_tree_fail(&x->source, tree->key_line[i], "%s: expected a list of values",
                                  tree->key[i]);
        }
    }
    return SMRF_OK;
}

/* points: [{rf.banks: 2, rf.collectors: 4}, ..]: a list of settings. */
static int read_points_(struct smrf_experiment *x, const char *name, const struct smrf_tree *points,
                        const struct smrf_variant *of)
{
    const struct smrf_tree *one;
    SMRF_POOL_ADD(&x->pool, x->sweep, x->num_sweeps,
                  (struct smrf_sweep){.name = name, .first = x->num_variants});
    int err = SMRF_OK;
    for (size_t k = 0; !err && (one = smrf_tree_each(points, k)) != NULL; k++) {
        struct smrf_axis *axes;
        size_t at[16] = {0};
        err = read_axes_(x, one, name, &axes);
        if (!err && (one->count < 1 || one->count > 16)) {
            err = smrf_tree_fail(&x->source, one->line, "%s: a point has 1 to 16 settings", name);
        }
        err = err ? err : add_point_(x, one->line, name, of, axes, one->count, at);
        x->sweep[x->num_sweeps - 1].count += !err;
    }
    return err;
}

static int read_sweep_(struct smrf_experiment *x, const char *name, unsigned line,
                       const struct smrf_tree *tree)
{
    static const char *const keys[] = {"of",     "axes",  "zip",    "points",
                                       "traces", "seeds", "cycles", NULL};
    const struct smrf_tree *of = smrf_tree_get(tree, "of"), *axes = smrf_tree_get(tree, "axes");
    const struct smrf_tree *zip = smrf_tree_get(tree, "zip");
    const struct smrf_tree *points = smrf_tree_get(tree, "points");
    struct smrf_axis *list;
    int err = smrf_tree_keys(&x->source, tree, name, keys);
    if (err) {
        return err;
    }
    if (!of || !!axes + !!zip + !!points != 1) {
        return smrf_tree_fail(
            &x->source, line,
            "%s: a sweep says of which variant (of:), and has axes:, zip: or points:", name);
    }
    const char *base = smrf_tree_text(&x->source, of, "of");
    long index = base ? smrf_experiment_variant(x, base) : -1;
    if (index < 0) {
        return smrf_tree_fail(&x->source, of->line, "%s: there is no variant '%s' above it", name,
                              base ? base : "");
    }
    struct smrf_variant v = x->variant[index];
    const struct smrf_tree *only = smrf_tree_get(tree, "traces");
    v.only = only ? only : v.only;
    if (read_counts_(x, tree, &v) || smrf_experiment_check_patterns(x, only)) {
        return SMRF_ERR_INVAL;
    }
    if (points) {
        return read_points_(x, name, points, &v);
    }
    err = read_axes_(x, axes ? axes : zip, name, &list);
    return err ? err
               : smrf_experiment_add_sweep(x, line, name, &v, list, (axes ? axes : zip)->count,
                                           zip != NULL);
}

int smrf_experiment_load_machines(struct smrf_experiment *x, const struct smrf_tree *root)
{
    const struct smrf_tree *all = smrf_tree_get(root, "variants"), *item;
    int err = all && all->kind == SMRF_TREE_MAP && all->count
                  ? SMRF_OK
                  : smrf_tree_fail(&x->source, all ? all->line : 0,
                                   "variants: expected at least one, for instance "
                                   "variants: {baseline: , malekeh-long: }");
    for (size_t i = 0; !err && i < all->count; i++) {
        struct smrf_variant v;
        err = read_variant_(x, all->key[i], all->key_line[i], all->item[i], &v);
        long added = err ? err : smrf_experiment_add_variant(x, &v);
        err = added < 0 ? (int)added : SMRF_OK;
    }
    item = smrf_tree_get(root, "sweeps");
    if (!err && item && item->kind != SMRF_TREE_MAP) {
        err = smrf_tree_fail(&x->source, item->line, "sweeps: expected lines of the form name: ..");
    }
    for (size_t i = 0; !err && item && i < item->count; i++) {
        err = read_sweep_(x, item->key[i], item->key_line[i], item->item[i]);
    }
    return err;
}
