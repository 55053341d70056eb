/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "internal.h"

#include "digest.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#define APPLICATION 0x736d7266 /* "smrf": what the file is, for file(1) and for us */
#define VERSION 3              /* of the tables; 3: digests are XXH3's */
#define WAIT_MS 60000          /* for another process's change */

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS runs(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, "
    "status TEXT NOT NULL CHECK(status IN ('claimed','whole','failed')), owner TEXT, why TEXT, "
    "tool TEXT NOT NULL, trace TEXT NOT NULL, trace_digest TEXT NOT NULL, "
    "program_digest TEXT NOT NULL, preset TEXT, mechanism TEXT, seed INTEGER, seconds REAL, "
    "finished TEXT, configuration INTEGER, provenance TEXT, digest TEXT);"
    "CREATE TABLE IF NOT EXISTS names(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
    "unit TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS numbers(run INTEGER NOT NULL, launch INTEGER NOT NULL, "
    "name INTEGER NOT NULL, value NUMERIC NOT NULL, PRIMARY KEY(run, launch, name)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS launches(run INTEGER NOT NULL, launch INTEGER NOT NULL, "
    "kernel TEXT NOT NULL, PRIMARY KEY(run, launch)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS series(run INTEGER NOT NULL, name TEXT NOT NULL, "
    "position INTEGER NOT NULL, field TEXT NOT NULL, value NUMERIC NOT NULL, "
    "PRIMARY KEY(run, name, position, field)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS samples(run INTEGER NOT NULL, launch INTEGER NOT NULL, "
    "cycle INTEGER NOT NULL, cycles INTEGER NOT NULL, sm INTEGER, subcore INTEGER, bank INTEGER, "
    "name TEXT NOT NULL, value NUMERIC NOT NULL);"
    "CREATE INDEX IF NOT EXISTS samples_of_run ON samples(run, name);"
    "CREATE TABLE IF NOT EXISTS machines(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE IF NOT EXISTS configurations(machine INTEGER NOT NULL, key TEXT NOT NULL, "
    "value TEXT NOT NULL, PRIMARY KEY(machine, key)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS plan(trace TEXT NOT NULL, grouped TEXT NOT NULL, "
    "variant TEXT NOT NULL, sweep TEXT NOT NULL, settings TEXT NOT NULL, seed INTEGER NOT NULL, "
    "key TEXT NOT NULL, PRIMARY KEY(trace, variant, seed)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS made(path TEXT PRIMARY KEY, program TEXT NOT NULL, "
    "digest TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE VIEW IF NOT EXISTS statistics AS SELECT n.run, n.launch, names.name, n.value, "
    "names.unit FROM numbers n JOIN names ON names.id = n.name;"
    "CREATE VIEW IF NOT EXISTS results AS SELECT p.trace, p.grouped AS \"group\", p.variant, "
    "p.sweep, r.preset, r.mechanism, p.settings, p.seed, s.launch, l.kernel, s.name, s.value, "
    "s.unit, r.id AS run, r.trace_digest, r.program_digest FROM plan p "
    "JOIN runs r ON r.key = p.key AND r.status = 'whole' JOIN statistics s ON s.run = r.id "
    "LEFT JOIN launches l ON l.run = r.id AND l.launch = s.launch;"
    "CREATE VIEW IF NOT EXISTS over_time AS SELECT p.trace, p.grouped AS \"group\", p.variant, "
    "p.sweep, r.preset, r.mechanism, p.settings, p.seed, s.launch, l.kernel, s.cycle, s.cycles, "
    "s.sm, s.subcore, s.bank, s.name, s.value, r.id AS run FROM plan p "
    "JOIN runs r ON r.key = p.key AND r.status = 'whole' JOIN samples s ON s.run = r.id "
    "LEFT JOIN launches l ON l.run = r.id AND l.launch = s.launch;";

const char *smrf_store_error(const struct smrf_store *store)
{
    return store && store->error[0] ? store->error : "out of memory";
}

int smrf_store_failed(struct smrf_store *s)
{
    int code = sqlite3_errcode(s->db);
    if (!s->error[0]) {
        snprintf(s->error, sizeof s->error, "%s: %s%s", s->path, sqlite3_errmsg(s->db),
                 code == SQLITE_FULL
                     ? "; nothing is lost: make room and go on with the same command"
                     : "");
    }
    return code == SQLITE_NOMEM    ? SMRF_ERR_NOMEM
           : code == SQLITE_NOTADB ? SMRF_ERR_FORMAT
                                   : SMRF_ERR_IO;
}

int smrf_store_do(struct smrf_store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? SMRF_OK : smrf_store_failed(s);
}

static sqlite3_stmt *ask_(struct smrf_store *s, const char *sql, const char *types, va_list args)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
    for (int i = 0; rc == SQLITE_OK && types[i]; i++) {
        switch (types[i]) {
        case 't':
            rc = sqlite3_bind_text(q, i + 1, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
            break;
        case 'i':
            rc = sqlite3_bind_int64(q, i + 1, va_arg(args, int64_t));
            break;
        default:
            rc = sqlite3_bind_double(q, i + 1, va_arg(args, double));
        }
    }
    if (rc != SQLITE_OK) {
        smrf_store_failed(s);
        sqlite3_finalize(q);
        q = NULL;
    }
    return q;
}

sqlite3_stmt *smrf_store_ask(struct smrf_store *s, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *q = ask_(s, sql, types, args);
    va_end(args);
    return q;
}

int smrf_store_execute(struct smrf_store *s, const char *sql, const char *types, ...)
{
    va_list args;
    va_start(args, types);
    sqlite3_stmt *q = ask_(s, sql, types, args);
    va_end(args);
    int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
    int err = rc == SQLITE_DONE || rc == SQLITE_ROW ? SMRF_OK : smrf_store_failed(s);
    sqlite3_finalize(q);
    return err;
}

int smrf_store_begin(struct smrf_store *s)
{
    s->error[0] = '\0';
    return smrf_store_do(s, "BEGIN IMMEDIATE");
}

int smrf_store_end(struct smrf_store *s, int err)
{
    if (!err) {
        err = smrf_store_do(s, "COMMIT");
    }
    if (err && !sqlite3_get_autocommit(s->db)) {
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return err;
}

static int64_t number_(struct smrf_store *s, const char *sql)
{
    sqlite3_stmt *q = smrf_store_ask(s, sql, "");
    int64_t value = q && sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    sqlite3_finalize(q);
    return value;
}

/* Is the file on a disk of this machine? Processes that share a write-ahead log must share
 * memory. */
static bool is_near_(const char *path)
{
    static const unsigned long far[] = {0x6969,     0x517b,     0xff534d42, 0xfe534d42,
                                        0x0bd00bd0, 0x47504653, 0x65735546, 0x19830326,
                                        0x5346414f, 0x00c36400, 0x01021997, 0x73757245};
    struct statfs fs;
    bool near = statfs(path, &fs) == 0;
    for (size_t i = 0; near && i < sizeof far / sizeof *far; i++) {
        near = (unsigned long)fs.f_type != far[i];
    }
    return near;
}

/* A commit is on the disk when it returns: by a write-ahead log, for which one write is enough, or,
 * where other machines may share the file (NFS, SMB, Lustre, ..), by a rollback journal. */
static int choose_journal_(struct smrf_store *s)
{
    const char *sql = is_near_(s->path) ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
                                        : "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL";
    int err;
    for (unsigned waited = 0;; waited += 10) { /* another process may be about the same */
        s->error[0] = '\0';
        err = smrf_store_do(s, sql);
        if (!err || sqlite3_errcode(s->db) != SQLITE_BUSY || waited >= WAIT_MS) {
            return err;
        }
        sqlite3_sleep(10);
    }
}

/* The tables, made where the file is new. */
static int prepare_(struct smrf_store *s)
{
    char pragma[96];
    sqlite3_busy_timeout(s->db, WAIT_MS);
    int err = choose_journal_(s);
    err = err ? err : smrf_store_begin(s);
    if (err) {
        return err;
    }
    int64_t tables = number_(s, "SELECT count(*) FROM sqlite_master");
    int64_t application = number_(s, "PRAGMA application_id");
    int64_t version = number_(s, "PRAGMA user_version");
    if (tables != 0 && application == APPLICATION && version >= 1 && version < VERSION) {
        snprintf(s->error, sizeof s->error,
                 "%s: an earlier version of smrf wrote this file, with other digests of programs "
                 "and traces. This version cannot tell which runs it holds: run the study again "
                 "in another folder",
                 s->path);
        return smrf_store_end(s, SMRF_ERR_FORMAT);
    }
    if (tables != 0 && (application != APPLICATION || version != VERSION)) {
        snprintf(s->error, sizeof s->error,
                 "%s: is no experiment of this program's (tables of version %d); choose another "
                 "folder",
                 s->path, (int)version);
        return smrf_store_end(s, SMRF_ERR_FORMAT);
    }
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             APPLICATION, VERSION);
    err = err || tables ? err : smrf_store_do(s, schema);
    err = err ? err : smrf_store_do(s, pragma);
    return smrf_store_end(s, err);
}

int smrf_store_open(struct smrf_store **store, const char *folder)
{
    struct smrf_store *s = *store = calloc(1, sizeof **store);
    if (!s) {
        return SMRF_ERR_NOMEM;
    }
    snprintf(s->path, sizeof s->path, "%s/%s", folder, SMRF_STORE_FILE);
    if (sqlite3_open(s->path, &s->db) != SQLITE_OK) {
        return smrf_store_failed(s);
    }
    return prepare_(s);
}

void smrf_store_close(struct smrf_store *store)
{
    if (store) {
        sqlite3_close(store->db);
        free(store);
    }
}

void smrf_store_make_key(struct smrf_store_run *run)
{
    struct smrf_content key;
    _Static_assert(SMRF_STORE_KEY == SMRF_DIGEST_TEXT, "a key is a digest");
    smrf_content_begin(&key);
    smrf_content_add_string(&key, run->tool);
    smrf_content_add_string(&key, run->trace_digest);
    smrf_content_add_string(&key, run->program);
    smrf_content_add_string(&key, run->mechanism);
    smrf_content_add_string(&key, run->configuration);
    if (run->series && run->series[0]) {
        smrf_content_add_string(&key, run->series);
    }
    smrf_content_text(&key, run->key);
}

/* --- claims ----------------------------------------------------------------------------------- */

static const char *column_(sqlite3_stmt *q, int i)
{
    const char *text = (const char *)sqlite3_column_text(q, i);
    return text ? text : "";
}

/* One text, or "". */
static const char *text_(struct smrf_store *s, sqlite3_stmt *q)
{
    bool found = q && sqlite3_step(q) == SQLITE_ROW;
    snprintf(s->text, sizeof s->text, "%s", found ? column_(q, 0) : "");
    sqlite3_finalize(q);
    return s->text;
}

int smrf_store_state(struct smrf_store *store, const char *key)
{
    store->error[0] = '\0';
    sqlite3_stmt *q = smrf_store_ask(store, "SELECT status FROM runs WHERE key = ?", "t", key);
    int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
    int state = rc == SQLITE_DONE  ? SMRF_STORE_NONE
                : rc != SQLITE_ROW ? smrf_store_failed(store)
                                   : (column_(q, 0)[0] == 'w'   ? SMRF_STORE_WHOLE
                                      : column_(q, 0)[0] == 'f' ? SMRF_STORE_FAILED
                                                                : SMRF_STORE_CLAIMED);
    sqlite3_finalize(q);
    return state;
}

/* The effective configuration, once for all runs that have it: its text, and a row a parameter. */
static int machine_(struct smrf_store *s, const char *text, int64_t *id)
{
    int err = smrf_store_execute(s, "INSERT OR IGNORE INTO machines(text) VALUES(?)", "t", text);
    bool made = !err && sqlite3_changes(s->db) == 1;
    sqlite3_stmt *q =
        err ? NULL : smrf_store_ask(s, "SELECT id FROM machines WHERE text = ?", "t", text);
    *id = q && sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    sqlite3_finalize(q);
    for (const char *line = text; made && !err && *line;) {
        char key[128], value[512];
        const char *equals = strchr(line, '='), *end = strchrnul(line, '\n');
        snprintf(key, sizeof key, "%.*s", equals ? (int)(equals - line) : 0, line);
        snprintf(value, sizeof value, "%.*s", equals ? (int)(end - equals - 1) : 0, equals + 1);
        err = smrf_store_execute(s, "INSERT INTO configurations VALUES(?,?,?)", "itt", *id, key,
                                 value);
        line = *end ? end + 1 : end;
    }
    return err ? err : *id < 0 ? smrf_store_failed(s) : SMRF_OK;
}

/* May it be taken? Copies the present owner's name. */
static int is_free_(struct smrf_store *s, const char *key, char owner[256], bool *claimed)
{
    int state = smrf_store_state(s, key);
    *claimed = state == SMRF_STORE_CLAIMED;
    if (*claimed) {
        snprintf(owner, 256, "%.255s", smrf_store_owner(s, key));
    }
    return state < 0 ? state : state != SMRF_STORE_WHOLE;
}

int smrf_store_claim(struct smrf_store *store, const struct smrf_store_run *run, const char *owner,
                     bool (*lives)(void *ctx, const char *owner), void *ctx)
{
    char other[256];
    bool claimed;
    int64_t machine;
    int err = smrf_store_begin(store);
    int free = err ? err : is_free_(store, run->key, other, &claimed);
    if (free > 0 && claimed && lives(ctx, other)) {
        free = 0;
    }
    if (free <= 0) {
        return err ? err : smrf_store_end(store, SMRF_OK) < 0 ? SMRF_ERR_IO : free;
    }
    err = machine_(store, run->configuration, &machine);
    err = err ? err : smrf_store_execute(store, "DELETE FROM runs WHERE key = ?", "t", run->key);
    err = err ? err
              : smrf_store_execute(
                    store,
                    "INSERT INTO runs(key, status, owner, tool, trace, trace_digest, "
                    "program_digest, preset, mechanism, seed, configuration) "
                    "VALUES(?,'claimed',?,?,?,?,?,?,?,?,?)",
                    "ttttttttii", run->key, owner, run->tool, run->trace, run->trace_digest,
                    run->program, run->preset, run->mechanism, (int64_t)run->seed, machine);
    err = smrf_store_end(store, err);
    return err ? err : 1;
}

int smrf_store_hand_over(struct smrf_store *store, const char *const *keys,
                         const char *const *owners, size_t count)
{
    int err = smrf_store_begin(store);
    for (size_t i = 0; !err && i < count; i++) {
        err = smrf_store_execute(store,
                                 "UPDATE runs SET owner = ? WHERE key = ? AND status = 'claimed'",
                                 "tt", owners[i], keys[i]);
    }
    return smrf_store_end(store, err);
}

const char *smrf_store_owner(struct smrf_store *store, const char *key)
{
    return text_(store, smrf_store_ask(store, "SELECT owner FROM runs WHERE key = ?", "t", key));
}

double smrf_store_mean_seconds(struct smrf_store *store)
{
    sqlite3_stmt *q =
        smrf_store_ask(store, "SELECT avg(seconds) FROM runs WHERE status = 'whole'", "");
    const bool found =
        q && sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL;
    const double mean = found ? sqlite3_column_double(q, 0) : -1;
    sqlite3_finalize(q);
    return mean;
}

int smrf_store_fail(struct smrf_store *store, const char *key, const char *why)
{
    store->error[0] = '\0';
    return smrf_store_execute(store,
                              "UPDATE runs SET status = 'failed', owner = NULL, why = ? "
                              "WHERE key = ? AND status = 'claimed'",
                              "tt", why, key);
}

int smrf_store_release(struct smrf_store *store, const char *owner)
{
    store->error[0] = '\0';
    return smrf_store_execute(store, "DELETE FROM runs WHERE owner = ? AND status = 'claimed'", "t",
                              owner);
}

const char *smrf_store_why(struct smrf_store *store, const char *key)
{
    return text_(store,
                 smrf_store_ask(store, "SELECT why FROM runs WHERE key = ? AND status = 'failed'",
                                "t", key));
}

long long smrf_store_foreign(struct smrf_store *store, const char *program)
{
    sqlite3_stmt *q = smrf_store_ask(store,
                                     "SELECT count(*) FROM runs WHERE status = 'whole' AND "
                                     "program_digest <> ? AND key NOT IN (SELECT key FROM plan)",
                                     "t", program);
    const long long count = q && sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    sqlite3_finalize(q);
    return count;
}

int smrf_store_keep(struct smrf_store *store, const char *key, const json_t *document,
                    double seconds)
{
    int err = smrf_store_begin(store);
    if (err) {
        return err;
    }
    sqlite3_stmt *q =
        smrf_store_ask(store, "SELECT id FROM runs WHERE key = ? AND status <> 'whole'", "t", key);
    int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
    int64_t id = rc == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    err = rc == SQLITE_ROW || rc == SQLITE_DONE ? SMRF_OK : smrf_store_failed(store);
    sqlite3_finalize(q);
    if (!err && id >= 0) {
        char *provenance =
            json_dumps(json_object_get(document, "provenance"), JSON_COMPACT | JSON_SORT_KEYS);
        char digest[SMRF_DIGEST_TEXT];
        err = smrf_store_document(store, id, document);
        err = err ? err
                  : smrf_store_execute(store, "UPDATE runs SET provenance = ? WHERE id = ?", "ti",
                                       provenance ? provenance : "", id);
        err = err ? err : smrf_store_sum(store, id, digest);
        err = err ? err
                  : smrf_store_execute(store,
                                       "UPDATE runs SET status = 'whole', owner = NULL, why = "
                                       "NULL, seconds = ?, digest = ?, "
                                       "finished = strftime('%Y-%m-%dT%H:%M:%SZ') WHERE id = ?",
                                       "dti", seconds, digest, id);
        free(provenance);
    }
    return smrf_store_end(store, err);
}

/* --- the plan --------------------------------------------------------------------------------- */

int smrf_store_plan(struct smrf_store *store, const struct smrf_store_place *places, size_t count)
{
    int err = smrf_store_begin(store);
    if (err) {
        return err;
    }
    err = smrf_store_do(store, "DELETE FROM plan");
    for (size_t i = 0; !err && i < count; i++) {
        const struct smrf_store_place *p = &places[i];
        err = smrf_store_execute(store, "INSERT INTO plan VALUES(?,?,?,?,?,?,?)", "tttttit",
                                 p->trace, p->group, p->variant, p->sweep, p->settings,
                                 (int64_t)p->seed, p->key);
    }
    return smrf_store_end(store, err);
}

const char *smrf_store_made(struct smrf_store *store, const char *name, const char *program)
{
    return text_(store,
                 smrf_store_ask(store, "SELECT digest FROM made WHERE path = ? AND program = ?",
                                "tt", name, program));
}

int smrf_store_set_made(struct smrf_store *store, const char *name, const char *program,
                        const char *digest)
{
    store->error[0] = '\0';
    return smrf_store_execute(store, "INSERT OR REPLACE INTO made VALUES(?,?,?)", "ttt", name,
                              program, digest);
}
