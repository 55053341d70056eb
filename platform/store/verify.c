/* SPDX-License-Identifier: Apache-2.0 */
/* A run's numbers and what they are of, summed up when they are kept, so that a store that was
 * edited is not believed. */
#include "internal.h"

#include "digest.h"

#include <string.h>

static void value_(struct smrf_content *sum, sqlite3_stmt *q, int column)
{
    const int type = sqlite3_column_type(q, column);
    smrf_content_add(sum, &type, sizeof type);
    if (type == SQLITE_INTEGER) {
        const int64_t number = sqlite3_column_int64(q, column);
        smrf_content_add(sum, &number, sizeof number);
    } else if (type == SQLITE_FLOAT) {
        const double number = sqlite3_column_double(q, column);
        smrf_content_add(sum, &number, sizeof number);
    } else {
        const char *text = (const char *)sqlite3_column_text(q, column);
        smrf_content_add_string(sum, text ? text : "");
    }
}

/* Every row of an answer about run `id`. */
static int rows_(struct smrf_store *s, int64_t id, const char *sql, struct smrf_content *sum)
{
    sqlite3_stmt *q = smrf_store_ask(s, sql, "i", id);
    int rc = SQLITE_ERROR;
    while (q && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(q); i++) {
            value_(sum, q, i);
        }
    }
    const int err = rc == SQLITE_DONE ? SMRF_OK : smrf_store_failed(s);
    sqlite3_finalize(q);
    return err;
}

static const char *const tables[] = {
    "SELECT launch, names.name, value FROM numbers JOIN names ON names.id = numbers.name "
    "WHERE run = ? ORDER BY 1, 2",
    "SELECT name, position, field, value FROM series WHERE run = ? ORDER BY 1, 2, 3",
    "SELECT launch, cycle, cycles, sm, subcore, bank, name, value FROM samples WHERE run = ? "
    "ORDER BY rowid",
    "SELECT launch, kernel FROM launches WHERE run = ? ORDER BY 1",
    "SELECT key, tool, trace_digest, program_digest, preset, mechanism, seed, provenance "
    "FROM runs WHERE id = ?",
    "SELECT DISTINCT names.name, unit FROM numbers JOIN names ON names.id = numbers.name "
    "WHERE run = ? ORDER BY 1",
    "SELECT key, value FROM configurations WHERE machine = "
    "(SELECT configuration FROM runs WHERE id = ?) ORDER BY 1"};

int smrf_store_sum(struct smrf_store *s, int64_t id, char text[SMRF_DIGEST_TEXT])
{
    struct smrf_content sum;
    int err = SMRF_OK;
    smrf_content_begin(&sum);
    for (size_t i = 0; !err && i < sizeof tables / sizeof *tables; i++) {
        smrf_content_add(&sum, &i, sizeof i);
        err = rows_(s, id, tables[i], &sum);
    }
    smrf_content_text(&sum, text);
    return err;
}

/* Nothing of a run is left but that it has failed. */
static int forget_(struct smrf_store *s, int64_t id)
{
    static const char *const changes[] = {
        "DELETE FROM numbers WHERE run = ?", "DELETE FROM series WHERE run = ?",
        "DELETE FROM samples WHERE run = ?", "DELETE FROM launches WHERE run = ?",
        ("UPDATE runs SET status = 'failed', digest = NULL, why = 'its numbers in the store are "
         "not those that it left: they were changed' WHERE id = ?")};
    int err = smrf_store_begin(s);
    if (err) {
        return err;
    }
    for (size_t i = 0; !err && i < sizeof changes / sizeof *changes; i++) {
        err = smrf_store_execute(s, changes[i], "i", id);
    }
    return smrf_store_end(s, err);
}

int smrf_store_verify(struct smrf_store *store, const char *key)
{
    char kept[SMRF_DIGEST_TEXT] = "", now[SMRF_DIGEST_TEXT];
    store->error[0] = '\0';
    sqlite3_stmt *q = smrf_store_ask(store,
                                     "SELECT id, ifnull(digest, '') FROM runs WHERE key = ? AND "
                                     "status = 'whole'",
                                     "t", key);
    const int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
    const int64_t id = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    if (rc == SQLITE_ROW) {
        snprintf(kept, sizeof kept, "%s", (const char *)sqlite3_column_text(q, 1));
    }
    int err = rc == SQLITE_ROW || rc == SQLITE_DONE ? SMRF_OK : smrf_store_failed(store);
    sqlite3_finalize(q);
    err = err || id < 0 ? err : smrf_store_sum(store, id, now);
    return err || id < 0 || strcmp(kept, now) == 0 ? err : forget_(store, id);
}
