/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an experiment from its file: the head and the traces; other parts have their own files. */
#define _GNU_SOURCE
#include "experiment.h"

#include "platform/config/config.h"
#include "traces/files/input_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void smrf_experiment_init(struct smrf_experiment *x, const char *name,
                          const struct smrf_experiment_options *options)
{
    *x = (struct smrf_experiment){.name = name, .title = name, .summary = "", .baseline = -1};
    x->source = (struct smrf_source){.pool = &x->pool, .name = "smrf"};
    x->folder = options->folder;
    x->preset = options->preset ? options->preset : SMRF_DEFAULT_PRESET;
    x->no_sweeps = options->no_sweeps;
    x->size = options->size ? options->size : "small";
    for (size_t i = 0; i < options->num_sets; i++) {
        SMRF_POOL_ADD(&x->pool, x->set, x->num_set, options->sets[i]);
    }
}

void smrf_experiment_free(struct smrf_experiment *x)
{
    smrf_pool_free(&x->pool);
}

/* Beside the experiment's file, unless it begins with '/' or '~'. */
static const char *beside_(struct smrf_experiment *x, const char *path)
{
    const char *slash = strrchr(x->source.name, '/');
    return path[0] == '/' || path[0] == '~' || !slash
               ? path
               : smrf_pool_text(&x->pool, "%.*s/%s", (int)(slash - x->source.name), x->source.name,
                                path);
}

static int head_(struct smrf_experiment *x, const struct smrf_tree *root,
                 const struct smrf_experiment_options *options)
{
    const struct smrf_tree *item, *one;
    int err = smrf_tree_part(&x->source, root, "title", &x->title);
    err = err ? err : smrf_tree_part(&x->source, root, "summary", &x->summary);
    err = err || options->preset ? err : smrf_tree_part(&x->source, root, "preset", &x->preset);
    err = err || options->size ? err : smrf_tree_part(&x->source, root, "size", &x->size);
    item = options->size ? NULL : smrf_tree_get(root, "size");
    err = err ? err : smrf_experiment_check_size(x, item ? item->line : 0, x->size);
    item = smrf_tree_get(root, "config");
    for (size_t k = 0; !err && item && (one = smrf_tree_each(item, k)) != NULL; k++) {
        const char *path = smrf_tree_text(&x->source, one, "config");
        err = path ? SMRF_OK : SMRF_ERR_INVAL;
        char *full = err ? NULL : realpath(beside_(x, path), NULL); /* runs may start elsewhere */
        if (!err && !full) {
            err = smrf_tree_fail(&x->source, one->line, "%s: %s", path, strerror(errno));
        }
        if (!err) {
            SMRF_POOL_ADD(&x->pool, x->config, x->num_config, smrf_pool_text(&x->pool, "%s", full));
        }
        free(full);
    }
    item = smrf_tree_get(root, "set");
    if (!err && item) { /* before those of the command line, which win */
        const char **set = NULL;
        size_t count = 0;
        err = smrf_experiment_read_set(x, item, "", &set, &count);
        for (size_t i = 0; i < options->num_sets; i++) {
            SMRF_POOL_ADD(&x->pool, set, count, options->sets[i]);
        }
        x->set = set;
        x->num_set = count;
    }
    item = options->seeds ? NULL : smrf_tree_get(root, "seeds");
    for (unsigned n = 1; !err && n <= options->seeds; n++) {
        err = smrf_experiment_add_seed(x, 0, smrf_pool_text(&x->pool, "%u", n));
    }
    for (size_t k = 0; !err && item && (one = smrf_tree_each(item, k)) != NULL; k++) {
        const char *seed = smrf_tree_text(&x->source, one, "seeds");
        err = seed ? smrf_experiment_add_seed(x, one->line, seed) : SMRF_ERR_INVAL;
    }
    x->statistics = smrf_tree_get(root, "statistics");
    return err;
}

/* series: {interval: 1000, by: sm, of: [ipc, "rf.*"]} */
static int series_(struct smrf_experiment *x, const struct smrf_tree *root)
{
    static const char *const keys[] = {"interval", "by", "of", NULL};
    const struct smrf_tree *tree = smrf_tree_get(root, "series"), *item, *one;
    const char *by = "gpu", *of = NULL;
    double interval = SMRF_SERIES_INTERVAL;
    char text[512] = "";
    if (!tree) {
        return SMRF_OK;
    }
    int err = smrf_tree_keys(&x->source, tree, "series", keys);
    item = err ? NULL : smrf_tree_get(tree, "interval");
    err = item ? smrf_tree_number(&x->source, item, "interval", &interval) : err;
    err = err ? err : smrf_tree_part(&x->source, tree, "by", &by);
    item = err ? NULL : smrf_tree_get(tree, "of");
    for (size_t k = 0; item && (one = smrf_tree_each(item, k)) != NULL; k++) {
        const char *name = smrf_tree_text(&x->source, one, "of");
        err = name ? err : SMRF_ERR_INVAL;
        of = smrf_pool_text(&x->pool, "%s%s%s", of ? of : "", of ? "," : "", name ? name : "");
    }
    if (err) {
        return err;
    }
    const enum smrf_part part = smrf_part_find(by);
    if (!(interval >= 1 && interval < 1e15) || interval != (double)(uint64_t)interval) {
        return smrf_tree_fail(&x->source, tree->line,
                              "series: interval: a whole number of cycles from 1");
    }
    if (part == SMRF_PARTS) {
        return smrf_tree_fail(&x->source, tree->line,
                              "series: by: gpu, sm, subcore or bank, not '%s'", by);
    }
    x->series = (struct smrf_series_wish){
        .interval = (uint64_t)interval, .part = part, .names = of ? of : SMRF_SERIES_DEFAULT};
    return smrf_series_check(&x->series, text, sizeof text)
               ? smrf_tree_fail(&x->source, tree->line, "series: of: %s", text)
               : SMRF_OK;
}

/* Programs of a pattern, at a size or at each scale; group: the entry's, or NULL. */
static int read_programs_(struct smrf_experiment *x, const struct smrf_tree *entry,
                          const char *size, unsigned line, const char *pattern, const char *group)
{
    const struct smrf_tree *scale = smrf_tree_get(entry, "scale"), *one;
    int err = scale ? SMRF_OK : smrf_experiment_add_programs(x, line, pattern, size, group);
    for (size_t k = 0; !err && scale && (one = smrf_tree_each(scale, k)) != NULL; k++) {
        const char *value = smrf_tree_text(&x->source, one, "scale");
        err = value ? smrf_experiment_add_scaled(x, one->line, pattern, value, group)
                    : SMRF_ERR_INVAL;
    }
    return err;
}

/* suite: [rodinia, gemm*], size: medium, or scale: [9, 10]; or path: [glob, ..]; group: mine */
static int read_traces_(struct smrf_experiment *x, const struct smrf_tree *entry,
                        const struct smrf_experiment_options *options)
{
    static const char *const keys[] = {"suite", "size", "scale", "path", "group", NULL};
    const struct smrf_tree *suite = smrf_tree_get(entry, "suite"), *one;
    const struct smrf_tree *path = smrf_tree_get(entry, "path");
    const char *size = x->size, *group = NULL;
    if (entry->kind == SMRF_TREE_TEXT) {
        return smrf_experiment_add_traces(x, entry->line, beside_(x, entry->text), "traces", true);
    }
    int err = smrf_tree_keys(&x->source, entry, "an entry of traces", keys);
    err = err || options->size ? err : smrf_tree_part(&x->source, entry, "size", &size);
    err = err ? err : smrf_tree_part(&x->source, entry, "group", &group);
    if (!err && !suite == !path) {
        err = smrf_tree_fail(&x->source, entry->line, "traces: give suite: or path:");
    }
    for (size_t k = 0; !err && (one = smrf_tree_each(suite ? suite : path, k)) != NULL; k++) {
        const char *name = smrf_tree_text(&x->source, one, suite ? "suite" : "path");
        err = !name   ? SMRF_ERR_INVAL
              : suite ? read_programs_(x, entry, size, one->line, name, group)
                      : smrf_experiment_add_traces(x, one->line, beside_(x, name),
                                                   group ? group : "traces", true);
    }
    return err;
}

/* group: of entries with suite:, for programs that the command line names, too. */
static int groups_(struct smrf_experiment *x, const struct smrf_tree *entries)
{
    const struct smrf_tree *one, *name;
    for (size_t k = 0; entries && (one = smrf_tree_each(entries, k)) != NULL; k++) {
        const struct smrf_tree *suite =
            one->kind == SMRF_TREE_MAP ? smrf_tree_get(one, "suite") : NULL;
        const char *group = NULL;
        if (!suite || !smrf_tree_get(one, "group")) {
            continue;
        }
        int err = smrf_tree_part(&x->source, one, "group", &group);
        for (size_t i = 0; !err && (name = smrf_tree_each(suite, i)) != NULL; i++) {
            const char *text = smrf_tree_text(&x->source, name, "suite");
            err = text ? SMRF_OK : SMRF_ERR_INVAL;
            SMRF_POOL_ADD(&x->pool, x->group, x->num_groups, (struct smrf_group_of){text, group});
        }
        if (err) {
            return err;
        }
    }
    return SMRF_OK;
}

static int traces_(struct smrf_experiment *x, const struct smrf_tree *root,
                   const struct smrf_experiment_options *options)
{
    const struct smrf_tree *entries = smrf_tree_get(root, "traces"), *one;
    int err = groups_(x, entries);
    bool given = options->num_traces + options->num_programs > 0;
    for (size_t i = 0; !err && i < options->num_traces; i++) {
        err = smrf_experiment_add_traces(x, 0, options->traces[i], "traces", false);
    }
    for (size_t i = 0; !err && i < options->num_programs; i++) {
        err = smrf_experiment_add_programs(x, 0, options->programs[i], x->size, NULL);
    }
    for (size_t k = 0; !err && !given && entries && (one = smrf_tree_each(entries, k)) != NULL;
         k++) {
        err = read_traces_(x, one, options);
    }
    return err || x->num_traces ? err
                                : smrf_tree_fail(&x->source, entries ? entries->line : 0,
                                                 "there is no trace: traces: [{suite: rodinia}]");
}

static int baseline_(struct smrf_experiment *x, const struct smrf_tree *root)
{
    const struct smrf_tree *item = smrf_tree_get(root, "baseline");
    const char *name = item ? smrf_tree_text(&x->source, item, "baseline") : "baseline";
    x->baseline = name ? smrf_experiment_variant(x, name) : -1;
    return !item || x->baseline >= 0
               ? SMRF_OK
               : smrf_tree_fail(&x->source, item->line, "baseline: there is no variant '%s'",
                                name ? name : "");
}

int smrf_experiment_load_text(struct smrf_experiment *x, const char *name, const char *text,
                              size_t size, const struct smrf_experiment_options *options)
{
    static const char *const keys[] = {"title",  "summary", "preset",     "config",   "set",
                                       "seeds",  "size",    "traces",     "variants", "sweeps",
                                       "known",  "derived", "statistics", "series",   "baseline",
                                       "claims", "untried", "figures",    NULL};
    x->source.name = name;
    const struct smrf_tree *root = smrf_tree_read(&x->source, text, size);
    int err = root ? smrf_tree_keys(&x->source, root, "an experiment", keys) : SMRF_ERR_INVAL;
    err = err ? err : head_(x, root, options);
    err = err ? err : series_(x, root);
    if (!err && x->num_seeds == 0) {
        err = smrf_experiment_add_seed(x, 0, "1");
    }
    err = err ? err : traces_(x, root, options);
    err = err ? err : smrf_experiment_load_machines(x, root);
    err = err ? err : baseline_(x, root);
    err = err ? err : smrf_experiment_load_values(x, root);
    return err ? err : smrf_experiment_load_figures(x, root);
}

int smrf_experiment_load(struct smrf_experiment *x, const char *path,
                         const struct smrf_experiment_options *options)
{
    char *text, why[512];
    size_t size;
    x->source.name = path;
    int err = smrf_input_read(path, SMRF_INPUT_TEXT_MAX, &text, &size, why, sizeof why);
    if (err) {
        snprintf(x->source.error, sizeof x->source.error, "%s", why);
        return err;
    }
    err = smrf_experiment_load_text(x, path, text, size, options);
    free(text);
    return err;
}
