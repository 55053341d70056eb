/* SPDX-License-Identifier: Apache-2.0 */
/* Other forms of a table, for its picture. */
#define _GNU_SOURCE
#include "table.h"

#include "platform/platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 400 /* more cannot be distinguished */

static struct smrf_table *empty_(const struct smrf_table *t, size_t columns, size_t rows)
{
    struct smrf_table *made = smrf_pool_take(t->pool, sizeof *made);
    *made = *t;
    made->drawn = made;
    made->num_axes = 0;
    made->num_columns = columns;
    made->num_rows = rows;
    made->column = smrf_pool_take(t->pool, (columns + 1) * sizeof *made->column);
    made->row = smrf_pool_take(t->pool, (rows + 1) * sizeof *made->row);
    for (size_t r = 0; r < rows; r++) {
        struct smrf_table_row *row = &made->row[r];
        row->value = smrf_pool_take(t->pool, (columns + 1) * sizeof *row->value);
        row->missing = smrf_pool_take(t->pool, (columns + 1) * sizeof *row->missing);
    }
    return made;
}

/* Sums of a column: values times the cycles they count for, and these cycles, by interval. */
struct sums {
    double *value, *cycles;
};

/* "rf.bank_reads" is a count: it is shown a cycle. "ipc (thread instructions/cycle)" is not. */
static bool is_count_(const struct smrf_table *t, const char *name, const char **title)
{
    struct smrf_stat_info info;
    bool is_count = strncmp(name, "energy.", 7) == 0;
    const char *unit = "";
    for (size_t i = 0; smrf_stat_at(i, &info) == 0; i++) {
        if (strcmp(info.name, name) == 0) {
            is_count = info.is_count;
            unit = info.unit;
        }
    }
    *title = is_count  ? smrf_pool_text(t->pool, "%s a cycle", *title)
             : unit[0] ? smrf_pool_text(t->pool, "%s (%s)", *title, unit)
                       : *title;
    return is_count;
}

/* The statistic of a column: variants lie beside one another, each with all fields. */
static const char *field_(const struct smrf_table *t, size_t column)
{
    return t->figure->column[column % t->figure->num_columns].name;
}

/* Share a row's value out to the intervals that it covers. */
static void share_(struct sums *s, double value, double from, double cycles, double each,
                   size_t count)
{
    const double to = from + cycles;
    for (size_t k = (size_t)(from / each); k < count && (double)k * each < to; k++) {
        const double begin = fmax(from, (double)k * each);
        const double part = fmin(to, (double)(k + 1) * each) - begin;
        if (part > 0) {
            s->value[k] += value * part;
            s->cycles[k] += part;
        }
    }
}

static void column_(struct smrf_table *made, const struct smrf_table *t, size_t c, double each)
{
    const size_t count = made->num_rows;
    const char *title = t->figure->together ? t->y_title : t->column[c];
    const bool is_count = is_count_(t, field_(t, c), &title);
    struct sums s = {smrf_pool_take(t->pool, count * sizeof(double)),
                     smrf_pool_take(t->pool, count * sizeof(double))};
    size_t last = 0;
    for (size_t r = 0; r < t->num_rows; r++) {
        const struct smrf_table_row *row = &t->row[r];
        const double v = row->value[c].mean, cycles = row->cycles[c];
        if (isfinite(v) && cycles > 0) {
            share_(&s, is_count ? v / cycles : v, strtod(row->name, NULL), cycles, each, count);
        }
    }
    for (size_t k = 0; k < count; k++) {
        last = s.cycles[k] > 0 ? k : last;
    }
    if (last > 0 && s.cycles[last] < each / 2) { /* the run's end belongs to what is before it */
        s.value[last - 1] += s.value[last];
        s.cycles[last - 1] += s.cycles[last];
        s.cycles[last] = 0;
    }
    for (size_t k = 0; k < count; k++) {
        const double v = s.cycles[k] > 0 ? s.value[k] / s.cycles[k] : NAN;
        made->row[k].value[c] = (struct smrf_spread){v, v, v};
    }
    made->column[c] = t->figure->together ? t->column[c] : title;
    made->y_title = t->figure->together ? title : t->y_title;
}

static const struct smrf_table *intervals_(const struct smrf_table *t)
{
    double longest = 0, end = 0;
    for (size_t r = 0; r < t->num_rows; r++) {
        for (size_t c = 0; c < t->num_columns; c++) {
            const double cycles = t->row[r].cycles[c];
            longest = fmax(longest, cycles);
            end = fmax(end, strtod(t->row[r].name, NULL) + cycles);
        }
    }
    if (!(longest > 0)) {
        return t;
    }
    const double each = fmax(longest, end / POINTS);
    const size_t count = end / each < 1.5 ? 1 : (size_t)(end / each + 0.5);
    struct smrf_table *made = empty_(t, t->num_columns, count);
    for (size_t k = 0; k < count; k++) {
        made->row[k].name = smrf_pool_text(t->pool, "%.9g", round((double)k * end / (double)count));
    }
    made->end = end;
    for (size_t c = 0; c < t->num_columns; c++) {
        column_(made, t, c, end / (double)count);
    }
    return made;
}

/* Replaces groups of neighbouring rows by their means, so that at most POINTS rows are left. */
static const struct smrf_table *thinned_(const struct smrf_table *t)
{
    const size_t each = (t->num_rows + POINTS - 1) / POINTS;
    struct smrf_table *made = empty_(t, t->num_columns, (t->num_rows + each - 1) / each);
    for (size_t c = 0; c < t->num_columns; c++) {
        made->column[c] = t->column[c];
        for (size_t k = 0; k < made->num_rows; k++) {
            double sum = 0, n = 0;
            for (size_t r = k * each; r < (k + 1) * each && r < t->num_rows; r++) {
                const double v = t->row[r].value[c].mean;
                sum += isfinite(v) ? v : 0;
                n += isfinite(v);
            }
            const double mean = n > 0 ? sum / n : NAN;
            made->row[k].name = t->row[k * each].name;
            made->row[k].value[c] = (struct smrf_spread){mean, mean, mean};
        }
    }
    return made;
}

const struct smrf_table *smrf_table_drawn(const struct smrf_table *t)
{
    if (t->steps) {
        return intervals_(t);
    }
    return t->figure->rows == SMRF_ROWS_SERIES && t->num_rows > POINTS ? thinned_(t) : t;
}
