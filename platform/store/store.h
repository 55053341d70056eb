/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment's results: one SQLite file, experiment.sqlite in the experiment's folder.
 *
 *   runs            what was run, by the digest of everything that it depends on; status 'claimed'
 *                   (a process works on it), 'whole' or 'failed'. Only a whole run has numbers.
 *   statistics      tidy: run, launch (0: the run as a whole), name, value, unit
 *   series          what a run remembers by interval: run, name, position, field, value
 *   samples         statistics by interval: run, launch, cycle, cycles, sm, subcore, bank, name,
 *                   value
 *   over_time       .. with the columns of `results`
 *   launches        names of a run's kernels
 *   configurations  the effective configuration, a row a parameter; provenance as JSON
 *   plan            which run answers for which trace, variant and seed of the experiment
 *   results         all of it beside one another, for a spreadsheet or pandas.read_sql
 *
 * Every change is one transaction and is on the disk before the call returns. A process that is
 * killed in between has changed nothing. Several processes may share a store, also over NFS. */
#ifndef SMRF_STORE_H
#define SMRF_STORE_H

#include "models/common/smrf_err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_STORE_FILE "experiment.sqlite"
#define SMRF_STORE_KEY 33 /* bytes of a run's key: 32 hexadecimal digits with terminator */

struct smrf_store;

/* Open or make folder/experiment.sqlite. *store is set unless memory is short; close it in every
 * case. Returns 0, SMRF_ERR_IO, or SMRF_ERR_FORMAT for a file that is something else. */
int smrf_store_open(struct smrf_store **store, const char *folder);
void smrf_store_close(struct smrf_store *store);
/* Text of the last failure. */
const char *smrf_store_error(const struct smrf_store *store);

/* What is run. Its key is made of tool, trace_digest, program, configuration and series. */
struct smrf_store_run {
    char key[SMRF_STORE_KEY];
    const char *tool; /* "run" or "annotate" */
    const char *trace, *trace_digest, *program;
    const char *preset, *mechanism;
    const char *configuration; /* lines "key=value", of every parameter */
    const char *series;        /* what is sampled by interval; NULL or "": nothing */
    uint32_t seed;
};
void smrf_store_make_key(struct smrf_store_run *run);

enum smrf_store_state {
    SMRF_STORE_NONE, /* never run, or released */
    SMRF_STORE_CLAIMED,
    SMRF_STORE_WHOLE,
    SMRF_STORE_FAILED
};
/* Returns an enum smrf_store_state or an error. */
int smrf_store_state(struct smrf_store *store, const char *key);

/* Claims a run unless it is whole or a living owner has it. lives: is that owner alive? Returns 1:
 * the caller has it now; 0: it has not; or an error. */
int smrf_store_claim(struct smrf_store *store, const struct smrf_store_run *run, const char *owner,
                     bool (*lives)(void *ctx, const char *owner), void *ctx);
/* Hand claims to other owners, jobs of a batch system: all of them or none. */
int smrf_store_hand_over(struct smrf_store *store, const char *const *keys,
                         const char *const *owners, size_t count);
/* The owner of the claim, "": none. Valid until the next call. */
const char *smrf_store_owner(struct smrf_store *store, const char *key);
/* Mean time of whole runs; below 0: there are none. */
double smrf_store_mean_seconds(struct smrf_store *store);
/* Keep what a whole run left, its JSON document; seconds: how long it took. Keeping it twice is
 * keeping it once. */
int smrf_store_keep(struct smrf_store *store, const char *key, const json_t *document,
                    double seconds);
int smrf_store_fail(struct smrf_store *store, const char *key, const char *why);
/* Are a whole run's numbers those that were kept? If not, it has failed from now on. Returns 0 or
 * an error of the database. */
int smrf_store_verify(struct smrf_store *store, const char *key);
/* Release all claims of an owner that no longer works at them. */
int smrf_store_release(struct smrf_store *store, const char *owner);
/* Why a run failed, "" if it did not. Valid until the next call. */
const char *smrf_store_why(struct smrf_store *store, const char *key);

/* How far the plan is, without a store of one's own: the file is only read. */
struct smrf_store_progress {
    size_t planned, whole, failed, claimed;
};
/* Returns 0, SMRF_ERR_IO or SMRF_ERR_FORMAT with text. */
int smrf_store_look(const char *folder, struct smrf_store_progress *progress, char *text,
                    size_t size);

/* Whole runs that the plan does not name and another program made; below 0: an error. */
long long smrf_store_foreign(struct smrf_store *store, const char *program);

/* A line of the plan. group, point and settings are for the reader. */
struct smrf_store_place {
    const char *trace, *group, *variant, *sweep, *settings, *key;
    uint32_t seed;
};
/* Make it the plan, in place of the one that was. */
int smrf_store_plan(struct smrf_store *store, const struct smrf_store_place *places, size_t count);

/* The digest that the trace `name` had when `program` made it; "" if that is not known. The name is
 * relative to the store's folder, which may be moved. Valid until the next call. */
const char *smrf_store_made(struct smrf_store *store, const char *name, const char *program);
int smrf_store_set_made(struct smrf_store *store, const char *name, const char *program,
                        const char *digest);

/* Numbers of a whole run, each once: launch 0, or all launches; in order of launch. */
int smrf_store_each(struct smrf_store *store, const char *key, bool launches,
                    void (*each)(void *ctx, uint32_t launch, const char *name, double value),
                    void *ctx);
/* Points of a series: field's value at each position. */
int smrf_store_series(struct smrf_store *store, const char *key, const char *name,
                      void (*each)(void *ctx, uint32_t position, const char *field, double value),
                      void *ctx);
/* Samples of one part (-1: it has none of that kind), in order of time: where each begins, and how
 * many cycles it covers. */
int smrf_store_samples(struct smrf_store *store, const char *key, const long part[3],
                       void (*each)(void *ctx, uint64_t cycle, uint64_t cycles, const char *name,
                                    double value),
                       void *ctx);
/* All samples of what the plan names, as CSV with one number a line. Returns their number or an
 * error. */
long long smrf_store_export_samples(struct smrf_store *store, FILE *out);
/* Kernel of a launch, "" if there is none. Valid until the next call. */
const char *smrf_store_kernel(struct smrf_store *store, const char *key, uint32_t launch);

/* Everything that the plan names, as CSV with one number a line; launches: by launch, too. wanted:
 * is a statistic? NULL: all. */
int smrf_store_export(struct smrf_store *store, FILE *out, bool launches,
                      bool (*wanted)(void *ctx, const char *name), void *ctx);

#ifdef __cplusplus
}
#endif

#endif
