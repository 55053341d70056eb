/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include <sqlite3.h>
#include <string.h>

#define WAIT_MS 2000 /* for another process's change */

static void add_(struct smrf_store_progress *p, const char *status, size_t count)
{
    p->planned += count;
    p->whole += strcmp(status, "whole") == 0 ? count : 0;
    p->failed += strcmp(status, "failed") == 0 ? count : 0;
    p->claimed += strcmp(status, "claimed") == 0 ? count : 0;
}

int smrf_store_look(const char *folder, struct smrf_store_progress *progress, char *text,
                    size_t size)
{
    char path[4096];
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    *progress = (struct smrf_store_progress){0, 0, 0, 0};
    snprintf(path, sizeof path, "%s/%s", folder, SMRF_STORE_FILE);
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_busy_timeout(db, WAIT_MS);
        rc =
            sqlite3_prepare_v2(db,
                               "SELECT ifnull(r.status, ''), count(*) FROM plan p LEFT JOIN runs r "
                               "ON r.key = p.key GROUP BY 1",
                               -1, &q, NULL);
    }
    while (rc == SQLITE_OK && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        add_(progress, (const char *)sqlite3_column_text(q, 0), (size_t)sqlite3_column_int64(q, 1));
        rc = SQLITE_OK;
    }
    const bool done = rc == SQLITE_DONE;
    if (!done) {
        snprintf(text, size, "%s: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
    }
    sqlite3_finalize(q);
    sqlite3_close(db);
    return done ? SMRF_OK : rc == SQLITE_NOTADB ? SMRF_ERR_FORMAT : SMRF_ERR_IO;
}
