/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the store; not for its users. */
#ifndef SMRF_STORE_INTERNAL_H
#define SMRF_STORE_INTERNAL_H

#include "digest.h"
#include "store.h"

#include <sqlite3.h>

struct smrf_store {
    sqlite3 *db;
    char path[4096];
    char error[4608];
    char text[4608]; /* of the latest answer */
};

/* Say what the database says, and why. Returns SMRF_ERR_IO, or SMRF_ERR_NOMEM. */
int smrf_store_failed(struct smrf_store *s);
int smrf_store_do(struct smrf_store *s, const char *sql);
/* Prepare with bound parameters, a letter each: t text, i int64, d double. NULL after a failure. */
sqlite3_stmt *smrf_store_ask(struct smrf_store *s, const char *sql, const char *types, ...);
/* The same, without an answer. */
int smrf_store_execute(struct smrf_store *s, const char *sql, const char *types, ...);
/* Begin a change; end it: keep it where err is 0, else undo it. Returns err or that of keeping
 * it. */
int smrf_store_begin(struct smrf_store *s);
int smrf_store_end(struct smrf_store *s, int err);

/* Digest of all that the store has of run `id`: what smrf_store_verify compares. */
int smrf_store_sum(struct smrf_store *s, int64_t id, char text[SMRF_DIGEST_TEXT]);
/* Write the document's numbers for run `id`. */
int smrf_store_document(struct smrf_store *s, int64_t id, const json_t *document);

#endif
