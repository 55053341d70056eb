/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void free_table_(struct smrf_table *t)
{
    free(t->id);
    free(t->title);
    free(t->note);
    free(t->row_title);
    for (size_t i = 0; i < t->num_columns; i++) {
        free(t->column[i]);
    }
    for (size_t i = 0; i < t->num_rows; i++) {
        free(t->row[i].name);
    }
    free(t->row);
    free(t);
}

static char *copy_(struct smrf_tables *tables, const char *text)
{
    char *copy = strdup(text);
    tables->failed |= copy == NULL;
    return copy;
}

struct smrf_table *smrf_table_add(struct smrf_tables *tables, const char *id, const char *title,
                                  const char *note, const char *row_title,
                                  const char *const *columns)
{
    if (tables->num == tables->room) {
        size_t room = tables->room ? 2 * tables->room : 16;
        struct smrf_table **grown = realloc(tables->table, room * sizeof(struct smrf_table *));
        if (!grown) {
            tables->failed = true;
            return NULL;
        }
        tables->table = grown;
        tables->room = room;
    }
    struct smrf_table *t = calloc(1, sizeof *t);
    if (!t) {
        tables->failed = true;
        return NULL;
    }
    t->id = copy_(tables, id);
    t->title = copy_(tables, title);
    t->note = copy_(tables, note);
    t->row_title = copy_(tables, row_title);
    for (; columns[t->num_columns] && t->num_columns < SMRF_TABLE_COLUMNS; t->num_columns++) {
        t->column[t->num_columns] = copy_(tables, columns[t->num_columns]);
    }
    t->digits = 3;
    t->mark = NAN;
    tables->table[tables->num++] = t;
    return t;
}

double *smrf_table_row(struct smrf_tables *tables, struct smrf_table *table, const char *name)
{
    static double scratch[SMRF_TABLE_COLUMNS];
    if (!table) {
        return scratch;
    }
    if (table->num_rows == table->room) {
        size_t room = table->room ? 2 * table->room : 32;
        struct smrf_table_row *grown = realloc(table->row, room * sizeof *grown);
        if (!grown) {
            tables->failed = true;
            return scratch;
        }
        table->row = grown;
        table->room = room;
    }
    struct smrf_table_row *row = &table->row[table->num_rows++];
    row->name = copy_(tables, name);
    for (size_t i = 0; i < SMRF_TABLE_COLUMNS; i++) {
        row->value[i] = NAN;
    }
    return row->value;
}

double smrf_table_mean(const struct smrf_table *table, size_t column, bool geometric)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; table && i < table->num_rows; i++) {
        double value = table->row[i].value[column];
        if (!isnan(value) && !(geometric && value <= 0)) {
            sum += geometric ? log(value) : value;
            n++;
        }
    }
    return n == 0 ? NAN : geometric ? exp(sum / (double)n) : sum / (double)n;
}

void smrf_table_mark(struct smrf_table *table, double value, const char *label)
{
    if (table) {
        table->mark = value;
        table->mark_label = label;
    }
}

void smrf_tables_free(struct smrf_tables *tables)
{
    for (size_t i = 0; i < tables->num; i++) {
        free_table_(tables->table[i]);
    }
    free(tables->table);
    *tables = (struct smrf_tables){0};
}
