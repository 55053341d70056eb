/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of an experiment, each a table and mostly a picture. */
#define _GNU_SOURCE
#include "experiment.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static int fail_(struct smrf_experiment *x, const struct smrf_figure *f, unsigned line,
                 const char *what)
{
    return smrf_tree_fail(&x->source, line, "%s: %s", f->id, what);
}

/* One of the words (NULL-terminated); its index. */
static int choice_(struct smrf_experiment *x, const struct smrf_tree *map, const char *key,
                   const char *const *words, int otherwise)
{
    const struct smrf_tree *item = smrf_tree_get(map, key);
    const char *text = item ? smrf_tree_text(&x->source, item, key) : NULL;
    if (!item) {
        return otherwise;
    }
    const char *all = "";
    for (int i = 0; text && words[i]; i++) {
        if (strcasecmp(words[i], text) == 0) {
            return i;
        }
        all = smrf_pool_text(&x->pool, "%s%s%s", all, i ? ", " : "", words[i]);
    }
    return smrf_tree_fail(&x->source, item->line, "%s: one of %s, not '%s'", key, all,
                          text ? text : "");
}

static const struct smrf_expression *expression_(struct smrf_experiment *x,
                                                 const struct smrf_tree *item, const char *what)
{
    const struct smrf_expression_names names = smrf_experiment_names(x);
    const char *text = smrf_tree_text(&x->source, item, what);
    return text ? smrf_expression_parse(&x->source, item->line, text, &names) : NULL;
}

/* {label: expression, ..}, or [variant, ..]. */
static int named_(struct smrf_experiment *x, const struct smrf_figure *f,
                  const struct smrf_tree *tree, struct smrf_named **list, size_t *count)
{
    const struct smrf_tree *one;
    for (size_t i = 0; tree->kind == SMRF_TREE_MAP && i < tree->count; i++) {
        const struct smrf_expression *e = expression_(x, tree->item[i], tree->key[i]);
        if (!e) {
            return SMRF_ERR_INVAL;
        }
        SMRF_POOL_ADD(&x->pool, *list, *count, (struct smrf_named){tree->key[i], e, -1});
    }
    for (size_t k = 0; tree->kind != SMRF_TREE_MAP && (one = smrf_tree_each(tree, k)) != NULL;
         k++) {
        const char *name = smrf_tree_text(&x->source, one, "a variant");
        long variant = name ? smrf_experiment_variant(x, name) : -1;
        if (variant < 0) {
            const struct smrf_expression_names names = smrf_experiment_names(x);
            return smrf_tree_fail(&x->source, one->line, "%s: there is no variant '%s'%s", f->id,
                                  name ? name : "",
                                  name ? smrf_tree_near(&x->pool, name, names.near(x, 'v')) : "");
        }
        SMRF_POOL_ADD(&x->pool, *list, *count, (struct smrf_named){name, NULL, variant});
    }
    return *count ? SMRF_OK : fail_(x, f, tree->line, "expected at least one");
}

/* rows: traces, launches, the name of a sweep, or {label: expression}. */
static int rows_(struct smrf_experiment *x, struct smrf_figure *f, const struct smrf_tree *item)
{
    if (!item) {
        f->rows = SMRF_ROWS_TRACES;
        return SMRF_OK;
    }
    if (item->kind == SMRF_TREE_MAP) {
        f->rows = SMRF_ROWS_NAMED;
        return named_(x, f, item, &f->row, &f->num_rows);
    }
    const char *name = smrf_tree_text(&x->source, item, "rows"), **names = NULL;
    size_t count = 0;
    if (name && strcmp(name, "traces") == 0) {
        f->rows = SMRF_ROWS_TRACES;
        return SMRF_OK;
    }
    if (name && strcmp(name, "launches") == 0) {
        f->rows = SMRF_ROWS_LAUNCHES;
        return f->mean == SMRF_MEAN_NONE
                   ? SMRF_OK
                   : fail_(x, f, item->line, "launches of a trace have no mean: leave it out");
    }
    SMRF_POOL_ADD(&x->pool, names, count, "traces");
    SMRF_POOL_ADD(&x->pool, names, count, "launches");
    for (size_t i = 0; name && i < x->num_sweeps; i++) {
        if (strcmp(x->sweep[i].name, name) == 0) {
            f->rows = SMRF_ROWS_SWEEP;
            f->sweep = i;
            return SMRF_OK;
        }
        SMRF_POOL_ADD(&x->pool, names, count, x->sweep[i].name);
    }
    SMRF_POOL_ADD(&x->pool, names, count, NULL);
    return smrf_tree_fail(&x->source, item->line,
                          "%s: rows: traces, launches or a sweep, not '%s'%s", f->id,
                          name ? name : "", name ? smrf_tree_near(&x->pool, name, names) : "");
}

static int columns_(struct smrf_experiment *x, struct smrf_figure *f, const struct smrf_tree *item)
{
    if (!item) {
        return fail_(x, f, 0, "columns: variants, {label: expression} or traces");
    }
    if (item->kind == SMRF_TREE_TEXT && strcmp(item->text, "traces") == 0) {
        f->traces_across = f->together = true;
        return SMRF_OK;
    }
    return named_(x, f, item, &f->column, &f->num_columns);
}

/* Blocks of columns, each with one a variant: see enum smrf_roofline_block. */
static int roofline_(struct smrf_experiment *x, struct smrf_figure *f, unsigned line)
{
    static const struct {
        const char *name, *value;
    } block[SMRF_ROOFLINE_BLOCKS] = {
        {"%s", "instructions.warp / counters.sm.active_cycles"},
        {"intensity of %s", "instructions.warp / (rf.bank_reads + rf.bank_writes)"},
        {"banks' roof of %s",
         "instructions.warp / counters.sm.active_cycles / rf.bank_utilisation"},
        {"issue's roof of %s", "issue.scheduler_cycles / counters.sm.active_cycles"},
    };
    const struct smrf_expression_names names = smrf_experiment_names(x);
    const struct smrf_named *variant = f->column;
    const size_t count = f->num_columns;
    f->column = NULL;
    f->num_columns = 0;
    f->plotted = count;
    for (size_t i = 0; i < SMRF_ROOFLINE_BLOCKS * count; i++) {
        const struct smrf_named *of = &variant[i % count];
        const char *name = smrf_pool_text(&x->pool, block[i / count].name, of->name);
        const struct smrf_expression *e =
            smrf_expression_parse(&x->source, line, block[i / count].value, &names);
        if (!e || of->value || f->rows != SMRF_ROWS_TRACES) {
            return fail_(x, f, line, "a roofline's rows are traces, and its columns variants");
        }
        SMRF_POOL_ADD(&x->pool, f->column, f->num_columns,
                      (struct smrf_named){name, e, of->variant});
    }
    return count ? SMRF_OK : fail_(x, f, line, "a roofline's columns are variants");
}

/* Is everything known that a cell needs? */
static int check_cells_(struct smrf_experiment *x, const struct smrf_figure *f, unsigned line)
{
    const bool trace =
        f->rows == SMRF_ROWS_TRACES || f->rows == SMRF_ROWS_LAUNCHES || f->traces_across;
    for (size_t c = 0; c < f->num_columns || (f->traces_across && c == 0); c++) {
        const struct smrf_named *column = f->traces_across ? NULL : &f->column[c];
        const struct smrf_expression *e = column && column->value ? column->value : f->value;
        if (!e && f->rows != SMRF_ROWS_NAMED) {
            return fail_(x, f, line, "columns that are variants or traces need a value:");
        }
        for (size_t r = 0; r < (f->rows == SMRF_ROWS_NAMED ? f->num_rows : 1); r++) {
            const bool variant = f->rows == SMRF_ROWS_SWEEP || (column && column->variant >= 0);
            const struct smrf_expression *own = f->rows == SMRF_ROWS_NAMED ? f->row[r].value : e;
            if (own && ((!trace && smrf_expression_of_trace(own)) ||
                        (!variant && smrf_expression_of_variant(own)))) {
                return smrf_tree_fail(&x->source, line,
                                      "%s: a cell of '%s' is not one number: say of which variant "
                                      "(ipc@NAME), and over which traces (mean(..))",
                                      f->id, column ? column->name : "traces");
            }
        }
    }
    return SMRF_OK;
}

/* sm: 0, subcore: 1, bank: 0: of which part a series by parts is shown. */
static int part_(struct smrf_experiment *x, struct smrf_figure *f, const struct smrf_tree *tree,
                 unsigned line)
{
    int err = SMRF_OK;
    for (unsigned level = SMRF_PART_SM; !err && level <= SMRF_PART_BANK; level++) {
        const char *key = smrf_part_name((enum smrf_part)level);
        const struct smrf_tree *item = smrf_tree_get(tree, key);
        double number = 0;
        err = item ? smrf_tree_number(&x->source, item, key, &number) : SMRF_OK;
        if (!err && item && level > (unsigned)x->series.part) {
            err = smrf_tree_fail(&x->source, line, "%s: the series is by %s: leave %s: out", f->id,
                                 smrf_part_name(x->series.part), key);
        }
        f->part[level - SMRF_PART_SM] = level <= (unsigned)x->series.part ? (long)number : -1;
    }
    return err;
}

/* series: mechanism.sthld_walk (x: a field of it) or time; of: VARIANT or [VARIANT, ..],
 * columns: [field, ..] */
static int series_(struct smrf_experiment *x, struct smrf_figure *f, const struct smrf_tree *tree,
                   unsigned line)
{
    const struct smrf_tree *columns = smrf_tree_get(tree, "columns"),
                           *of = smrf_tree_get(tree, "of"), *one;
    f->rows = SMRF_ROWS_SERIES;
    int err = smrf_tree_part(&x->source, tree, "series", &f->series);
    if (err) {
        return err;
    }
    const bool time = strcmp(f->series, "time") == 0;
    if (time && x->series.interval == 0) {
        return fail_(x, f, line, "a figure over time needs a section series: {interval: 1000}");
    }
    f->x = time && !f->x[0] ? "cycle" : f->x;
    if (!of || !columns || !f->x[0]) {
        return fail_(x, f, line, "a series has of: (a variant), x: and columns: (fields)");
    }
    err = named_(x, f, of, &f->of, &f->num_of);
    err = err || !time ? err : part_(x, f, tree, line);
    for (size_t k = 0; !err && (one = smrf_tree_each(columns, k)) != NULL; k++) {
        const char *name = smrf_tree_text(&x->source, one, "columns");
        if (!name) {
            return SMRF_ERR_INVAL;
        }
        SMRF_POOL_ADD(&x->pool, f->column, f->num_columns, (struct smrf_named){name, NULL, -1});
    }
    f->together = f->num_of > 1 && f->num_columns == 1;
    f->axis = f->together && !f->axis[0] ? f->column[0].name : f->axis;
    return err;
}

static int marks_(struct smrf_experiment *x, struct smrf_figure *f, const struct smrf_tree *marks)
{
    static const char *const keys[] = {"at", "label", NULL};
    const struct smrf_tree *one, *at;
    for (size_t k = 0; marks && (one = smrf_tree_each(marks, k)) != NULL; k++) {
        struct smrf_mark mark = {0, ""};
        int err = smrf_tree_keys(&x->source, one, "a mark", keys);
        err = err ? err : smrf_tree_part(&x->source, one, "label", &mark.label);
        at = smrf_tree_get(one, "at");
        if (!err && !at) {
            err = fail_(x, f, one->line, "a mark has at: and label:");
        }
        err = err ? err : smrf_tree_number(&x->source, at, "at", &mark.at);
        if (err) {
            return err;
        }
        SMRF_POOL_ADD(&x->pool, f->mark, f->num_marks, mark);
    }
    return SMRF_OK;
}

static int small_number_(struct smrf_experiment *x, const struct smrf_tree *tree, const char *key,
                         double otherwise, double *value)
{
    const struct smrf_tree *item = smrf_tree_get(tree, key);
    *value = otherwise;
    return item ? smrf_tree_number(&x->source, item, key, value) : SMRF_OK;
}

static int read_figure_(struct smrf_experiment *x, const char *id, unsigned line,
                        const struct smrf_tree *tree)
{
    static const char *const keys[] = {"title",   "note",    "rows",    "columns", "value",
                                       "mean",    "plot",    "axis",    "x",       "marks",
                                       "digits",  "neutral", "traces",  "series",  "of",
                                       "plotted", "sm",      "subcore", "bank",    NULL};
    static const char *const means[] = {"none", "arithmetic", "geometric", NULL};
    static const char *const plots[] = {"none",     "dots", "stacked", "lines",
                                        "roofline", "map",  NULL};
    const struct smrf_tree *value = smrf_tree_get(tree, "value");
    struct smrf_figure f = {.id = id, .title = id, .note = "", .axis = "", .x = "", .series = ""};
    double digits, plotted;
    int err = smrf_tree_keys(&x->source, tree, id, keys);
    if (!err && id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_-")]) {
        err = fail_(x, &f, line,
                    "a figure's name is the stem of files: small letters, digits, - and _");
    }
    err = err ? err : smrf_tree_part(&x->source, tree, "title", &f.title);
    err = err ? err : smrf_tree_part(&x->source, tree, "note", &f.note);
    err = err ? err : smrf_tree_part(&x->source, tree, "axis", &f.axis);
    err = err ? err : smrf_tree_part(&x->source, tree, "x", &f.x);
    err = err ? err : small_number_(x, tree, "digits", 3, &digits);
    err = err ? err : small_number_(x, tree, "plotted", 0, &plotted);
    err = err ? err : small_number_(x, tree, "neutral", NAN, &f.neutral);
    err = err ? err : marks_(x, &f, smrf_tree_get(tree, "marks"));
    if (err) {
        return err;
    }
    int mean = choice_(x, tree, "mean", means, SMRF_MEAN_NONE);
    int plot = choice_(x, tree, "plot", plots, SMRF_PLOT_NONE);
    if (mean < 0 || plot < 0) {
        return SMRF_ERR_INVAL;
    }
    f.mean = (enum smrf_mean)mean;
    f.plot = (enum smrf_plot)plot;
    f.digits = digits < 0 ? 0 : digits > 9 ? 9 : (unsigned)digits;
    f.plotted = plotted > 0 ? (size_t)plotted : 0;
    f.traces = smrf_tree_get(tree, "traces");
    if (smrf_experiment_check_patterns(x, f.traces)) {
        return SMRF_ERR_INVAL;
    }
    f.value = value ? expression_(x, value, "value") : NULL;
    err = value && !f.value ? SMRF_ERR_INVAL : SMRF_OK;
    if (!err && smrf_tree_get(tree, "series")) {
        err = f.plot == SMRF_PLOT_ROOFLINE
                  ? fail_(x, &f, line, "a roofline's rows are traces, not a series")
              : f.plot == SMRF_PLOT_MAP
                  ? fail_(x, &f, line, "a map's rows are a sweep over two axes, not a series")
                  : series_(x, &f, tree, line);
    } else if (!err) {
        err = rows_(x, &f, smrf_tree_get(tree, "rows"));
        if (!err && f.rows == SMRF_ROWS_NAMED) { /* each row is its value */
            SMRF_POOL_ADD(&x->pool, f.column, f.num_columns,
                          (struct smrf_named){"value", NULL, -1});
        } else if (!err) {
            err = columns_(x, &f, smrf_tree_get(tree, "columns"));
        }
        if (!err && f.plot == SMRF_PLOT_ROOFLINE) {
            err = roofline_(x, &f, line);
        }
        if (!err && f.plot == SMRF_PLOT_MAP &&
            (f.rows != SMRF_ROWS_SWEEP || x->sweep[f.sweep].num_axes != 2)) {
            err = fail_(x, &f, line, "a map's rows are a sweep over two axes");
        }
        err = err ? err : check_cells_(x, &f, line);
    }
    if (!err) {
        SMRF_POOL_ADD(&x->pool, x->figure, x->num_figures, f);
    }
    return err;
}

int smrf_experiment_load_figures(struct smrf_experiment *x, const struct smrf_tree *root)
{
    const struct smrf_tree *all = smrf_tree_get(root, "figures");
    int err = SMRF_OK;
    if (all && all->kind != SMRF_TREE_MAP) {
        return smrf_tree_fail(&x->source, all->line,
                              "figures: expected lines of the form name: ..");
    }
    for (size_t i = 0; !err && all && i < all->count; i++) {
        err = read_figure_(x, all->key[i], all->key_line[i], all->item[i]);
    }
    return err;
}
