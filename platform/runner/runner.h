/* SPDX-License-Identifier: Apache-2.0 */
/* Runs what an experiment plans, by processes of this machine or of a batch system, and keeps the
 * results in the store. A whole run of the same traces, machine and program is not repeated.
 * Several runners may work in one folder. */
#ifndef SMRF_RUNNER_H
#define SMRF_RUNNER_H

#include "platform/experiment/experiment.h"
#include "platform/store/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_progress_of_runs {
    const char *phase; /* "tracing", "replaying" */
    size_t done, all, failed;
    size_t found; /* of the done: were there already */
    double seconds;
};

struct smrf_runner_options {
    unsigned jobs;      /* processes at a time */
    unsigned memory_mb; /* a run may use so much, not only reserve it; 0: no limit */
    bool slurm;
    const char *slurm_options; /* further options for sbatch, words as in a shell; NULL: none */
    double interval_s;         /* between two calls of the progress function */
    void (*told)(void *ctx, const struct smrf_progress_of_runs *progress); /* NULL: none */
    void *told_ctx;
};

/* A place in the plan: a variant on a trace with a seed. */
struct smrf_planned {
    size_t variant, trace, seed; /* indices in the experiment */
    struct smrf_store_run run;
    const char *why; /* it cannot be run: its trace is missing; NULL: it can */
    uint64_t stamp;  /* of the trace's files */
};

struct smrf_runner {
    struct smrf_experiment *x;
    struct smrf_store *store;
    const struct smrf_runner_options *options;
    char *owner; /* by which this process's claims go */
    int lock;    /* held as long as it lives */
    struct smrf_planned *planned;
    size_t num_planned;
    struct smrf_progress_of_runs progress;
    double began, told;
    char error[1024];
};

/* Open the folder and its store. Close it in every case. Returns 0 or an error with text. */
int smrf_runner_open(struct smrf_runner *r, struct smrf_experiment *x,
                     const struct smrf_runner_options *options);
void smrf_runner_close(struct smrf_runner *r);

/* Make the suite's traces, and the plan. make: else only what there is (a report). */
int smrf_runner_plan(struct smrf_runner *r, bool make);
/* Run what is missing. Returns the number of failed runs, or an error: SMRF_ERR_STATE after a
 * signal. */
int smrf_runner_run(struct smrf_runner *r);

/* --- for the parts of the runner -------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) int smrf_runner_fail(struct smrf_runner *r, int code,
                                                           const char *format, ...);
double smrf_runner_clock(void);
void smrf_runner_report(struct smrf_runner *r, bool now);
/* Has a signal asked for the end? */
bool smrf_runner_stopped(void);

/* DIR/runs/<key><ending>, in the pool. */
const char *smrf_runner_file(struct smrf_runner *r, const char *key, const char *ending);
/* The words of a planned run's command after the program's name, NULL-terminated, in the pool. */
const char **smrf_runner_words(struct smrf_runner *r, const struct smrf_planned *p);
/* A run's process has ended: keeps its document, or says why there is none. status: from waitpid.
 * Its files are removed; the log of a failure stays. seconds: how long it took; processor: its
 * processor time, for the statistic run.seconds, which does not depend on what else the machine
 * does. limit: the one that it struck; NULL: none. */
int smrf_runner_ended(struct smrf_runner *r, const struct smrf_planned *p, int status,
                      double seconds, double processor, const char *limit);
/* Keep what a batch system's task left of a run: 1 there was something, 0 not yet, or an error. */
int smrf_runner_collect(struct smrf_runner *r, const struct smrf_planned *p);
/* Take a planned run: 1 taken, 0 not to be taken now, or an error. */
int smrf_runner_claim(struct smrf_runner *r, const struct smrf_planned *p);
/* Does an owner of claims live? */
bool smrf_runner_lives(void *ctx, const char *owner);
/* Wait until those at work here or elsewhere have ended what is planned. */
int smrf_runner_local(struct smrf_runner *r);
int smrf_runner_slurm(struct smrf_runner *r);
/* Is the job in the batch system's queue? */
bool smrf_runner_slurm_lives(const char *job);

/* A process of this program that writes to `log`, in a control group unless that is NULL. Returns
 * its id, or -1. */
int smrf_runner_start(const char *const *words, const char *log, const char *group);
/* Bytes of a process's memory that are in use now; 0: not known, or it has ended. */
uint64_t smrf_runner_resident(int pid);

#ifdef __cplusplus
}
#endif

#endif
