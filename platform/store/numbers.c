/* SPDX-License-Identifier: Apache-2.0 */
/* A run's numbers: from its document into tidy rows, and out again. */
#define _GNU_SOURCE
#include "internal.h"

#include "platform/config/registry.h"
#include "platform/counters/counters.h"
#include "platform/results/csv_text.h"

#include <string.h>

#define NAME 192 /* bytes of a dotted name */

struct writer {
    struct smrf_store *s;
    sqlite3_stmt *name, *number, *point;
    int64_t run, launch;
    const struct smrf_mechanism *mechanism;
    int err;
};

static const char *unit_(const struct writer *w, const char *name)
{
    const struct smrf_stat *stat = smrf_stat_find(name);
    const struct smrf_mechanism_stat *own =
        w->mechanism ? smrf_mechanism_stat_find(w->mechanism, name) : NULL;
    return stat                                   ? stat->unit
           : own                                  ? own->unit
           : strncmp(name, "energy.", 7) == 0     ? "pJ"
           : strncmp(name, "distances_", 10) == 0 ? "reuses"
                                                  : "";
}

static void step_(struct writer *w, sqlite3_stmt *q)
{
    if (sqlite3_step(q) != SQLITE_DONE) {
        w->err = smrf_store_failed(w->s);
    }
    sqlite3_reset(q);
}

static void bind_value_(sqlite3_stmt *q, int at, const json_t *value)
{
    if (json_is_integer(value)) {
        sqlite3_bind_int64(q, at, json_integer_value(value));
    } else {
        sqlite3_bind_double(q, at, json_real_value(value));
    }
}

static void number_(struct writer *w, const char *name, const json_t *value)
{
    sqlite3_bind_text(w->name, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(w->name, 2, unit_(w, name), -1, SQLITE_TRANSIENT);
    step_(w, w->name);
    sqlite3_bind_int64(w->number, 1, w->run);
    sqlite3_bind_int64(w->number, 2, w->launch);
    bind_value_(w->number, 3, value);
    sqlite3_bind_text(w->number, 4, name, -1, SQLITE_TRANSIENT);
    if (!w->err) {
        step_(w, w->number);
    }
}

/* {"columns": [..], "rows": [[..], ..]} */
static void series_(struct writer *w, const char *name, const json_t *columns, const json_t *rows)
{
    size_t r, c;
    json_t *row, *value;
    json_array_foreach(rows, r, row)
    {
        json_array_foreach(row, c, value)
        {
            const char *field = json_string_value(json_array_get(columns, c));
            if (w->err || !json_is_number(value) || !field) {
                continue;
            }
            sqlite3_bind_int64(w->point, 1, w->run);
            sqlite3_bind_text(w->point, 2, name, -1, SQLITE_TRANSIENT);
            sqlite3_bind_int64(w->point, 3, (int64_t)r);
            sqlite3_bind_text(w->point, 4, field, -1, SQLITE_TRANSIENT);
            bind_value_(w->point, 5, value);
            step_(w, w->point);
        }
    }
}

/* Numbers below a name: "" at the top. */
static void below_(struct writer *w, const char *prefix, const json_t *from)
{
    static const char *const apart[] = {"provenance", "sim", "checks", "kernels", "series", NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(size_t)from, key, value)
    {
        char name[NAME];
        bool skip = false;
        for (size_t i = 0; !prefix[0] && apart[i]; i++) {
            skip = skip || strcmp(key, apart[i]) == 0;
        }
        if (skip || w->err ||
            snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] ? "." : "", key) >= NAME) {
            continue;
        }
        const json_t *columns = json_object_get(value, "columns");
        const json_t *rows = json_object_get(value, "rows");
        if (json_is_number(value)) {
            number_(w, name, value);
        } else if (json_is_array(columns) && json_is_array(rows)) {
            series_(w, name, columns, rows);
        } else if (json_is_object(value)) {
            below_(w, name, value);
        } else if (json_is_array(value) && w->launch == 0) {
            size_t i;
            json_t *item;
            json_array_foreach(value, i, item)
            {
                char one[NAME + 24];
                snprintf(one, sizeof one, "%s.%zu", name, i + 1);
                if (json_is_number(item) && !w->err) {
                    number_(w, one, item);
                }
            }
        }
    }
}

/* The document's series: columns launch, cycle, cycles, sm, subcore, bank, then the statistics. */
static int samples_(struct smrf_store *s, int64_t id, const json_t *series)
{
    enum { FIRST = 6 };
    const json_t *columns = json_object_get(series, "columns");
    size_t r;
    json_t *row;
    int err = smrf_store_execute(s, "DELETE FROM samples WHERE run = ?", "i", id);
    sqlite3_stmt *q = smrf_store_ask(s, "INSERT INTO samples VALUES(?,?,?,?,?,?,?,?,?)", "");
    err = q ? err : SMRF_ERR_IO;
    json_array_foreach(json_object_get(series, "rows"), r, row)
    {
        for (size_t c = FIRST; !err && c < json_array_size(row); c++) {
            const char *name = json_string_value(json_array_get(columns, c));
            sqlite3_bind_int64(q, 1, id);
            for (int i = 0; i < FIRST; i++) {
                const json_t *number = json_array_get(row, (size_t)i);
                if (json_is_integer(number)) {
                    sqlite3_bind_int64(q, i + 2, json_integer_value(number));
                } else {
                    sqlite3_bind_null(q, i + 2);
                }
            }
            sqlite3_bind_text(q, FIRST + 2, name ? name : "", -1, SQLITE_TRANSIENT);
            bind_value_(q, FIRST + 3, json_array_get(row, c));
            err = sqlite3_step(q) == SQLITE_DONE ? SMRF_OK : smrf_store_failed(s);
            sqlite3_reset(q);
        }
    }
    sqlite3_finalize(q);
    return err;
}

int smrf_store_document(struct smrf_store *s, int64_t id, const json_t *document)
{
    const char *mechanism =
        json_string_value(json_object_get(json_object_get(document, "provenance"), "mechanism"));
    struct writer w = {.s = s, .run = id};
    w.mechanism = mechanism ? smrf_mechanism_find(mechanism) : NULL;
    w.name = smrf_store_ask(s, "INSERT OR IGNORE INTO names(name, unit) VALUES(?,?)", "");
    w.number = smrf_store_ask(
        s, "INSERT OR REPLACE INTO numbers SELECT ?1, ?2, id, ?3 FROM names WHERE name = ?4", "");
    w.point = smrf_store_ask(s, "INSERT OR REPLACE INTO series VALUES(?,?,?,?,?)", "");
    w.err = w.name && w.number && w.point ? SMRF_OK : SMRF_ERR_IO;
    if (!w.err) {
        below_(&w, "", document);
    }
    const json_t *series = json_object_get(document, "series");
    w.err = w.err || !series ? w.err : samples_(s, id, series);
    size_t i;
    json_t *kernel;
    json_array_foreach(json_object_get(document, "kernels"), i, kernel)
    {
        const char *name = json_string_value(json_object_get(kernel, "name"));
        w.launch = (int64_t)i + 1;
        if (!w.err) {
            below_(&w, "", kernel);
        }
        if (!w.err) {
            w.err = smrf_store_execute(s, "INSERT OR REPLACE INTO launches VALUES(?,?,?)", "iit",
                                       id, w.launch, name ? name : "");
        }
    }
    sqlite3_finalize(w.name);
    sqlite3_finalize(w.number);
    sqlite3_finalize(w.point);
    return w.err;
}

/* --- out again -------------------------------------------------------------------------------- */

int smrf_store_each(struct smrf_store *store, const char *key, bool launches,
                    void (*each)(void *ctx, uint32_t launch, const char *name, double value),
                    void *ctx)
{
    store->error[0] = '\0';
    sqlite3_stmt *q = smrf_store_ask(
        store,
        launches
            ? "SELECT launch, names.name, value FROM numbers JOIN runs ON runs.id = run JOIN names "
              "ON names.id = numbers.name WHERE key = ? AND status = 'whole' ORDER BY 1, 2"
            : "SELECT launch, names.name, value FROM numbers JOIN runs ON runs.id = run JOIN names "
              "ON names.id = numbers.name WHERE key = ? AND status = 'whole' AND launch = 0 "
              "ORDER BY 2",
        "t", key);
    int rc = SQLITE_ERROR;
    while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        each(ctx, (uint32_t)sqlite3_column_int64(q, 0), (const char *)sqlite3_column_text(q, 1),
             sqlite3_column_double(q, 2));
    }
    int err = rc == SQLITE_DONE ? SMRF_OK : smrf_store_failed(store);
    sqlite3_finalize(q);
    return err;
}

int smrf_store_series(struct smrf_store *store, const char *key, const char *name,
                      void (*each)(void *ctx, uint32_t position, const char *field, double value),
                      void *ctx)
{
    store->error[0] = '\0';
    sqlite3_stmt *q = smrf_store_ask(
        store,
        "SELECT position, field, value FROM series JOIN runs ON runs.id = run WHERE key = ? AND "
        "status = 'whole' AND name = ? ORDER BY position",
        "tt", key, name);
    int rc = SQLITE_ERROR;
    while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        each(ctx, (uint32_t)sqlite3_column_int64(q, 0), (const char *)sqlite3_column_text(q, 1),
             sqlite3_column_double(q, 2));
    }
    int err = rc == SQLITE_DONE ? SMRF_OK : smrf_store_failed(store);
    sqlite3_finalize(q);
    return err;
}

int smrf_store_samples(struct smrf_store *store, const char *key, const long part[3],
                       void (*each)(void *ctx, uint64_t cycle, uint64_t cycles, const char *name,
                                    double value),
                       void *ctx)
{
    store->error[0] = '\0';
    sqlite3_stmt *q =
        smrf_store_ask(store,
                       "SELECT cycle, name, value, cycles FROM samples JOIN runs ON runs.id = run "
                       "WHERE key = ? AND "
                       "status = 'whole' AND ifnull(sm, -1) = ? AND ifnull(subcore, -1) = ? AND "
                       "ifnull(bank, -1) = ? ORDER BY cycle",
                       "tiii", key, (int64_t)part[0], (int64_t)part[1], (int64_t)part[2]);
    int rc = SQLITE_ERROR;
    while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        const uint64_t cycle = (uint64_t)sqlite3_column_int64(q, 0);
        const uint64_t cycles = (uint64_t)sqlite3_column_int64(q, 3);
        each(ctx, cycle, cycles, (const char *)sqlite3_column_text(q, 1),
             sqlite3_column_double(q, 2));
    }
    int err = rc == SQLITE_DONE ? SMRF_OK : smrf_store_failed(store);
    sqlite3_finalize(q);
    return err;
}

const char *smrf_store_kernel(struct smrf_store *store, const char *key, uint32_t launch)
{
    sqlite3_stmt *q = smrf_store_ask(store,
                                     "SELECT kernel FROM launches JOIN runs ON runs.id = run "
                                     "WHERE key = ? AND launch = ?",
                                     "ti", key, (int64_t)launch);
    bool found = q && sqlite3_step(q) == SQLITE_ROW;
    snprintf(store->text, sizeof store->text, "%s",
             found ? (const char *)sqlite3_column_text(q, 0) : "");
    sqlite3_finalize(q);
    return store->text;
}

/* Rows of an answer as lines of CSV. wanted is asked for the text of a column. Returns their
 * number, or an error. */
static long long lines_(struct smrf_store *store, sqlite3_stmt *q, FILE *out, int column,
                        bool (*wanted)(void *ctx, const char *name), void *ctx)
{
    int rc = SQLITE_ERROR;
    long long count = 0;
    while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        if (wanted && !wanted(ctx, (const char *)sqlite3_column_text(q, column))) {
            continue;
        }
        for (int i = 0; i < sqlite3_column_count(q); i++) {
            const char *text = (const char *)sqlite3_column_text(q, i);
            fputs(i ? "," : "", out);
            smrf_csv_text(out, text ? text : "");
        }
        fputc('\n', out);
        count++;
    }
    int err = rc == SQLITE_DONE ? SMRF_OK : smrf_store_failed(store);
    sqlite3_finalize(q);
    return err ? err : ferror(out) ? SMRF_ERR_IO : count;
}

int smrf_store_export(struct smrf_store *store, FILE *out, bool launches,
                      bool (*wanted)(void *ctx, const char *name), void *ctx)
{
    enum { NAME_COLUMN = 10 };
    store->error[0] = '\0';
    sqlite3_stmt *q = smrf_store_ask(
        store,
        "SELECT trace, \"group\", variant, sweep, preset, mechanism, settings, seed, launch, "
        "kernel, name, value, unit FROM results WHERE launch <= ? ORDER BY trace, variant, seed, "
        "launch, name",
        "i", launches ? INT64_MAX : (int64_t)0);
    fputs(
        "trace,group,variant,sweep,preset,mechanism,settings,seed,launch,kernel,name,value,unit\n",
        out);
    const long long count = lines_(store, q, out, NAME_COLUMN, wanted, ctx);
    return count < 0 ? (int)count : SMRF_OK;
}

long long smrf_store_export_samples(struct smrf_store *store, FILE *out)
{
    store->error[0] = '\0';
    sqlite3_stmt *q = smrf_store_ask(
        store,
        "SELECT trace, \"group\", variant, sweep, preset, mechanism, settings, seed, launch, "
        "kernel, cycle, cycles, sm, subcore, bank, name, value FROM over_time ORDER BY trace, "
        "variant, seed, launch, cycle, sm, subcore, bank, name",
        "");
    fputs("trace,group,variant,sweep,preset,mechanism,settings,seed,launch,kernel,cycle,cycles,sm,"
          "subcore,bank,name,value\n",
          out);
    return lines_(store, q, out, 0, NULL, NULL);
}
