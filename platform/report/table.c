/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "table.h"

#include "platform/config/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct making {
    struct smrf_data *d;
    struct smrf_pool *pool;
    struct smrf_tables *tables;
    const struct smrf_figure *f;
    int err;
};

static struct smrf_table *begin_(struct making *m, const char *id, const char *title,
                                 const char *row_title)
{
    const struct smrf_table t = {.figure = m->f,
                                 .id = id,
                                 .title = title,
                                 .row_title = row_title,
                                 .y_title = m->f->axis,
                                 .pool = m->pool};
    SMRF_POOL_ADD(m->pool, m->tables->table, m->tables->count, t);
    return &m->tables->table[m->tables->count - 1];
}

static struct smrf_table_row *add_row_(struct making *m, struct smrf_table *t, const char *name)
{
    struct smrf_table_row row = {.name = name};
    row.value = smrf_pool_take(m->pool, (t->num_columns + 1) * sizeof *row.value);
    row.missing = smrf_pool_take(m->pool, (t->num_columns + 1) * sizeof *row.missing);
    for (size_t c = 0; c < t->num_columns; c++) {
        row.value[c] = (struct smrf_spread){NAN, NAN, NAN};
    }
    SMRF_POOL_ADD(m->pool, t->row, t->num_rows, row);
    return &t->row[t->num_rows - 1];
}

static bool is_planned_(const struct smrf_data *d, size_t variant, size_t trace)
{
    return smrf_data_place(d, variant, trace, 0) != NULL;
}

/* --- rows that are traces --------------------------------------------------------------------- */

/* Is the trace the same as one of a row before? Programs of several names are one in a mean. */
static bool again_(const struct making *m, const struct smrf_table *t, size_t row,
                   const char *group)
{
    for (size_t r = 0; r < row; r++) {
        const size_t trace = t->row[r].trace;
        if (smrf_data_equal(m->d, trace, t->row[row].trace) &&
            (!group || strcmp(m->d->x->trace[trace].group, group) == 0)) {
            return true;
        }
    }
    return false;
}

/* Mean of a column over the rows of traces of a group, NULL: over all. */
static double mean_(const struct making *m, const struct smrf_table *t, size_t column,
                    const char *group)
{
    const bool geometric = m->f->mean == SMRF_MEAN_GEOMETRIC;
    double sum = 0;
    size_t n = 0;
    for (size_t r = 0; r < t->num_rows; r++) {
        double v = t->row[r].value[column].mean;
        const struct smrf_trace_of *trace = &m->d->x->trace[t->row[r].trace];
        const bool counts = !isnan(v) && (!geometric || v > 0);
        if (group && strcmp(trace->group, group) != 0) {
            continue;
        }
        if (t->row[r].missing[column]) {
            return NAN; /* a mean of the others would look like one of all */
        }
        if (counts && !again_(m, t, r, group)) {
            sum += geometric ? log(v) : v;
            n++;
        }
    }
    return n == 0 ? NAN : geometric ? exp(sum / (double)n) : sum / (double)n;
}

/* "mean", then that of each group where there are several: before the traces. */
static void add_means_(struct making *m, struct smrf_table *t)
{
    struct smrf_table means = *t;
    const char **groups = NULL;
    size_t num_groups = 0;
    means.row = NULL;
    means.num_rows = 0;
    for (size_t k = 0; k < m->d->x->num_traces; k++) {
        bool known = false;
        for (size_t g = 0; g < num_groups; g++) {
            known = known || strcmp(groups[g], m->d->x->trace[k].group) == 0;
        }
        if (!known) {
            SMRF_POOL_ADD(m->pool, groups, num_groups, m->d->x->trace[k].group);
        }
    }
    for (size_t g = 0; g <= (num_groups > 1 ? num_groups : 0); g++) {
        const char *group = g ? groups[g - 1] : NULL;
        struct smrf_table_row *row =
            add_row_(m, &means, group ? smrf_pool_text(m->pool, "mean %s", group) : "mean");
        row->mean = true;
        for (size_t c = 0; c < t->num_columns; c++) {
            row->value[c].mean = mean_(m, t, c, group);
        }
    }
    for (size_t r = 0; r < t->num_rows; r++) {
        SMRF_POOL_ADD(m->pool, means.row, means.num_rows, t->row[r]);
    }
    *t = means;
}

static void traces_(struct making *m)
{
    const struct smrf_figure *f = m->f;
    struct smrf_experiment *x = m->d->x;
    struct smrf_table *t = begin_(m, f->id, f->title, "trace");
    for (size_t c = 0; c < f->num_columns; c++) {
        SMRF_POOL_ADD(m->pool, t->column, t->num_columns, f->column[c].name);
    }
    for (size_t k = 0; k < x->num_traces; k++) {
        bool planned = false;
        for (size_t v = 0; v < x->num_variants; v++) {
            planned = planned || is_planned_(m->d, v, k);
        }
        if (!planned || !smrf_experiment_is_of(&x->trace[k], f->traces)) {
            continue;
        }
        struct smrf_table_row *row = add_row_(m, t, x->trace[k].name);
        row->trace = k;
        for (size_t c = 0; c < f->num_columns; c++) {
            const struct smrf_named *column = &f->column[c];
            row->value[c] = smrf_data_cell(m->d, column->value ? column->value : f->value,
                                           column->variant, (long)k, &row->missing[c]);
        }
    }
    if (f->mean != SMRF_MEAN_NONE && t->num_rows > 1) {
        add_means_(m, t);
    }
}

/* --- rows that are launches ------------------------------------------------------------------- */

/* Key of a whole run of the trace, NULL: there is none. */
static const char *run_of_(const struct making *m, size_t trace)
{
    for (size_t v = 0; v < m->d->x->num_variants; v++) {
        if (is_planned_(m->d, v, trace) && smrf_data_is_whole(m->d, v, trace, 0)) {
            return smrf_data_place(m->d, v, trace, 0)->run.key;
        }
    }
    return NULL;
}

static void launches_of_(struct making *m, struct smrf_table *t, size_t trace, const char *key)
{
    const struct smrf_figure *f = m->f;
    const char *kernel;
    for (uint32_t n = 1; *(kernel = smrf_store_kernel(m->d->store, key, n)); n++) {
        struct smrf_table_row *row =
            add_row_(m, t, smrf_pool_text(m->pool, "%u %s", (unsigned)n, kernel));
        row->trace = trace;
        m->d->launch = n;
        for (size_t c = 0; c < f->num_columns; c++) {
            const struct smrf_named *column = &f->column[c];
            row->value[c] = smrf_data_cell(m->d, column->value ? column->value : f->value,
                                           column->variant, (long)trace, &row->missing[c]);
        }
    }
    m->d->launch = 0;
}

static void launches_(struct making *m)
{
    const struct smrf_figure *f = m->f;
    const struct smrf_experiment *x = m->d->x;
    for (size_t k = 0; k < x->num_traces; k++) {
        const char *key = smrf_experiment_is_of(&x->trace[k], f->traces) ? run_of_(m, k) : NULL;
        if (key == NULL) {
            continue;
        }
        struct smrf_table *t =
            begin_(m, smrf_pool_text(m->pool, "%s-%s", f->id, x->trace[k].name),
                   smrf_pool_text(m->pool, "%s: %s", f->title, x->trace[k].name), "launch");
        for (size_t c = 0; c < f->num_columns; c++) {
            SMRF_POOL_ADD(m->pool, t->column, t->num_columns, f->column[c].name);
        }
        launches_of_(m, t, k, key);
    }
}

/* --- rows that are a sweep's points ----------------------------------------------------------- */

/* What an axis is called: "rf.banks", "ldst.latency (cycles)". */
static void name_axes_(struct making *m, struct smrf_table *t, const struct smrf_sweep *s)
{
    const char *all = "";
    for (size_t a = 0; a < s->num_axes; a++) {
        const struct smrf_axis *axis = &s->axis[a];
        const int index = smrf_param_find(axis->key);
        const struct smrf_param *info = index < 0 ? NULL : smrf_param_at((size_t)index);
        const char *title = info && info->unit[0]
                                ? smrf_pool_text(m->pool, "%s (%s)", axis->key, info->unit)
                                : axis->key;
        SMRF_POOL_ADD(
            m->pool, t->axis, t->num_axes,
            (struct smrf_table_axis){title, info ? info->meaning : "", axis->value, axis->count});
        all = smrf_pool_text(m->pool, "%s%s%s", all, a ? " - " : "", title);
    }
    t->row_title = s->num_axes && !m->f->x[0] ? all : t->row_title;
}

static void sweep_(struct making *m)
{
    const struct smrf_figure *f = m->f;
    struct smrf_experiment *x = m->d->x;
    const struct smrf_sweep *s = &x->sweep[f->sweep];
    size_t *across = smrf_pool_take(m->pool, (x->num_traces + 1) * sizeof *across);
    if (s->count == 0 || x->no_sweeps) {
        return;
    }
    struct smrf_table *t = begin_(m, f->id, f->title, f->x[0] ? f->x : s->name);
    name_axes_(m, t, s);
    for (size_t k = 0; f->traces_across && k < x->num_traces; k++) {
        if (is_planned_(m->d, s->first, k) && smrf_experiment_is_of(&x->trace[k], f->traces)) {
            across[t->num_columns] = k;
            SMRF_POOL_ADD(m->pool, t->column, t->num_columns, x->trace[k].name);
        }
    }
    for (size_t c = 0; c < f->num_columns; c++) {
        SMRF_POOL_ADD(m->pool, t->column, t->num_columns, f->column[c].name);
    }
    for (size_t p = 0; p < s->count; p++) {
        const size_t v = s->first + p;
        struct smrf_table_row *row = add_row_(m, t, x->variant[v].point);
        for (size_t c = 0; c < t->num_columns; c++) {
            const struct smrf_named *column = f->traces_across ? NULL : &f->column[c];
            row->value[c] =
                smrf_data_cell(m->d, column && column->value ? column->value : f->value,
                               column && column->variant >= 0 ? column->variant : (long)v,
                               f->traces_across ? (long)across[c] : -1, &row->missing[c]);
        }
    }
}

/* --- rows with names; series ------------------------------------------------------------------ */

static void named_(struct making *m)
{
    struct smrf_table *t = begin_(m, m->f->id, m->f->title, "");
    SMRF_POOL_ADD(m->pool, t->column, t->num_columns, m->f->column[0].name);
    for (size_t r = 0; r < m->f->num_rows; r++) {
        struct smrf_table_row *row = add_row_(m, t, m->f->row[r].name);
        row->value[0] = smrf_data_cell(m->d, m->f->row[r].value, -1, -1, &row->missing[0]);
    }
}

struct points {
    struct making *m;
    struct smrf_table *t;
    size_t first, count; /* of the variant's columns */
    size_t row;          /* where the present point stands */
    uint64_t position;
    bool any;
};

/* The row of a position: a further variant's points lie among those that are there. */
static void seek_(struct points *p, double x)
{
    struct smrf_table *t = p->t;
    size_t at = t->num_rows;
    while (at > 0 && strtod(t->row[at - 1].name, NULL) > x) {
        at--;
    }
    if (at > 0 && strtod(t->row[at - 1].name, NULL) >= x) {
        p->row = at - 1;
        return;
    }
    struct smrf_table_row *added = add_row_(p->m, t, smrf_pool_text(p->m->pool, "%.9g", x));
    added->cycles = smrf_pool_take(p->m->pool, (t->num_columns + 1) * sizeof *added->cycles);
    const struct smrf_table_row row = t->row[t->num_rows - 1];
    memmove(&t->row[at + 1], &t->row[at], (t->num_rows - 1 - at) * sizeof row);
    t->row[at] = row;
    p->row = at;
}

static void put_(struct points *p, const char *field, double value, double cycles)
{
    struct smrf_table_row *row = &p->t->row[p->row];
    for (size_t c = 0; c < p->count; c++) {
        if (strcmp(field, p->m->f->column[c].name) == 0) {
            row->value[p->first + c] = (struct smrf_spread){value, value, value};
            if (row->cycles) {
                row->cycles[p->first + c] = cycles;
            }
        }
    }
}

static void sample_(void *ctx, uint64_t cycle, uint64_t cycles, const char *field, double value)
{
    struct points *p = ctx;
    if (!p->any || p->position != cycle) {
        p->any = true;
        p->position = cycle;
        seek_(p, (double)cycle);
    }
    put_(p, field, value, (double)cycles);
}

static void point_(void *ctx, uint32_t position, const char *field, double value)
{
    struct points *p = ctx;
    if (!p->any || p->position != position) {
        p->any = true;
        p->position = position;
        add_row_(p->m, p->t, "");
        p->row = p->t->num_rows - 1;
    }
    if (strcmp(field, p->m->f->x) == 0) {
        p->t->row[p->row].name = smrf_pool_text(p->m->pool, "%.9g", value);
    }
    put_(p, field, value, 0);
}

static void name_columns_(struct making *m, struct smrf_table *t)
{
    const struct smrf_figure *f = m->f;
    for (size_t v = 0; v < f->num_of; v++) {
        for (size_t c = 0; c < f->num_columns; c++) {
            const char *field = f->column[c].name, *of = f->of[v].name;
            SMRF_POOL_ADD(m->pool, t->column, t->num_columns,
                          f->num_of == 1 ? field
                          : f->together  ? of
                                         : smrf_pool_text(m->pool, "%s, %s", field, of));
        }
    }
}

/* Over time the variants share their rows, else each has its own. */
static void series_of_(struct making *m, struct smrf_table *t, size_t trace)
{
    const struct smrf_figure *f = m->f;
    for (size_t v = 0; !m->err && v < f->num_of; v++) {
        const size_t variant = (size_t)f->of[v].variant;
        struct points p = {m, t, v * f->num_columns, f->num_columns, 0, 0, false};
        if (!is_planned_(m->d, variant, trace) || !smrf_data_is_whole(m->d, variant, trace, 0)) {
            continue;
        }
        const char *key = smrf_data_place(m->d, variant, trace, 0)->run.key;
        m->err = strcmp(f->series, "time") == 0
                     ? smrf_store_samples(m->d->store, key, f->part, sample_, &p)
                     : smrf_store_series(m->d->store, key, f->series, point_, &p);
    }
}

static void series_(struct making *m)
{
    const struct smrf_figure *f = m->f;
    struct smrf_experiment *x = m->d->x;
    for (size_t k = 0; !m->err && k < x->num_traces; k++) {
        if (!smrf_experiment_is_of(&x->trace[k], f->traces)) {
            continue;
        }
        struct smrf_table *t =
            begin_(m, smrf_pool_text(m->pool, "%s-%s", f->id, x->trace[k].name),
                   smrf_pool_text(m->pool, "%s: %s", f->title, x->trace[k].name), f->x);
        name_columns_(m, t);
        t->steps = strcmp(f->series, "time") == 0;
        series_of_(m, t, k);
        m->tables->count -= t->num_rows == 0;
    }
}

int smrf_tables_make(struct smrf_tables *tables, struct smrf_data *d)
{
    struct making m = {.d = d, .pool = &d->x->pool, .tables = tables};
    *tables = (struct smrf_tables){0};
    for (size_t i = 0; !m.err && i < d->x->num_figures; i++) {
        m.f = &d->x->figure[i];
        switch (m.f->rows) {
        case SMRF_ROWS_TRACES:
            traces_(&m);
            break;
        case SMRF_ROWS_LAUNCHES:
            launches_(&m);
            break;
        case SMRF_ROWS_SWEEP:
            sweep_(&m);
            break;
        case SMRF_ROWS_NAMED:
            named_(&m);
            break;
        default:
            series_(&m);
        }
    }
    for (size_t i = 0; !m.err && i < tables->count; i++) {
        tables->table[i].drawn = smrf_table_drawn(&tables->table[i]);
    }
    return m.err;
}
