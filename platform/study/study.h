/* SPDX-License-Identifier: Apache-2.0 */
/* A study: many runs of this program over the traced suite (or the user's traces), and the tables
 * that come of them, each beside what the papers say. */
#ifndef SMRF_STUDY_H
#define SMRF_STUDY_H

#include "jobs.h"
#include "table.h"

#include "platform/energy/energy.h"

#include <stdio.h>

#define SMRF_STUDY_SETS 8 /* settings of a variant */

struct smrf_study_options {
    const char *folder; /* everything is written below it */
    const char *size;   /* "small", "medium", "large": of the suite's programs */
    const char *preset;
    unsigned parallel; /* processes at a time */
    char **sets;       /* "key=value" of every run, after the variant's own */
    size_t num_sets;
    char **programs; /* of the suite; none: all that the study is about */
    size_t num_programs;
    char **traces; /* the user's; given: instead of the suite */
    size_t num_traces;
    bool no_sweeps; /* leave out the sensitivity studies */
    FILE *summary;  /* the papers' numbers beside ours are printed here; NULL: nowhere */
    void (*told)(void *ctx, const char *phase, size_t done, size_t all);
    void *told_ctx;
};

struct smrf_study_bench {
    char *name, *group, *trace;
    bool suite;      /* traced by the study */
    uint64_t digest; /* of the trace; 0: not asked for yet */
};

/* A way to run every benchmark. */
struct smrf_study_variant {
    const char *name, *mechanism;
    const char *set[SMRF_STUDY_SETS]; /* "key=value", NULL-terminated */
};

/* What a run found. */
struct smrf_study_result {
    bool ok;
    double cycles, ipc, hit_ratio, l1d_hit_ratio, write_ratio;
    double tensor_ratio;                 /* tensor-core instructions / warp instructions */
    char trace[24];                      /* digest of the trace, "" = unknown */
    double energy[SMRF_ENERGY_BUILT_IN]; /* pJ, in the order of the built-in sets */
};

struct smrf_study {
    const struct smrf_study_options *options;
    struct smrf_study_bench *bench;
    size_t num_bench, room;
    struct smrf_jobs traces, runs;
    struct smrf_tables tables;
    struct smrf_claim claim[96];
    size_t num_claims;
    char *error;
    size_t error_size;
};

/* The benchmarks: the programs of these groups (NULL-terminated), or what the options name. */
int smrf_study_open(struct smrf_study *s, const struct smrf_study_options *options,
                    const char *const *groups, char *error, size_t size);
void smrf_study_close(struct smrf_study *s);

/* Plan a run of a benchmark; plan the measurement of its reuse distances. */
int smrf_study_plan(struct smrf_study *s, const struct smrf_study_bench *bench,
                    const struct smrf_study_variant *variant);
int smrf_study_plan_reuse(struct smrf_study *s, const struct smrf_study_bench *bench);
/* Trace what has to be traced, then run what is planned. */
int smrf_study_execute(struct smrf_study *s);

/* What a planned run found; ok false where it failed. */
struct smrf_study_result smrf_study_result(const struct smrf_study *s,
                                           const struct smrf_study_bench *bench,
                                           const struct smrf_study_variant *variant);
/* Paths of what a run and a measurement left. Valid until the next call. */
const char *smrf_study_run_file(const struct smrf_study *s, const struct smrf_study_bench *bench,
                                const struct smrf_study_variant *variant);
const char *smrf_study_reuse_file(const struct smrf_study *s, const struct smrf_study_bench *bench);

/* Set error's text and return code. */
__attribute__((format(printf, 3, 4))) int smrf_study_fail(struct smrf_study *s, int code,
                                                          const char *fmt, ...);

void smrf_study_claim(struct smrf_study *s, const char *what, const char *source, const char *unit,
                      double paper, double ours);

/* The studies. Returns 0 or an error with text; some failed runs leave gaps and a note. */
int smrf_study_malekeh(const struct smrf_study_options *options, char *text, size_t size);

#endif
