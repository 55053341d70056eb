/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of this program as processes, several at a time, each of which leaves one file. A file that
 * is there already and still good is not made again, so that an interrupted study goes on where it
 * stopped. */
#ifndef SMRF_STUDY_JOBS_H
#define SMRF_STUDY_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_JOB_ARGS 32
#define SMRF_JOB_TEXT 512

struct smrf_job {
    char *arg[SMRF_JOB_ARGS]; /* of the program, from its command on; NULL-terminated */
    char *output;             /* what it leaves; appears only when complete */
    char *log;                /* its standard output and error */
    bool done;                /* output was there, or has been made */
};

struct smrf_jobs {
    struct smrf_job *job;
    size_t num, room;
    /* Is the output good? fresh: a process has just made it and ended well; else it lay there. One
     * that is not is made again, or is a failure. NULL: any is. */
    bool (*good)(void *ctx, const struct smrf_job *job, bool fresh);
    void *ctx;
};

/* Add a job; every text is copied. args ends with NULL. Returns 0 or SMRF_ERR_NOMEM. A job with an
 * output that is in the list already is left out. */
int smrf_jobs_add(struct smrf_jobs *jobs, const char *output, const char *log,
                  const char *const *args);
/* Run what is missing, at most `parallel` at a time. told: after each end, NULL = nobody. Goes on
 * after a failure; returns the number of failed jobs, or a negative error with text. A signal ends
 * the children and the call with SMRF_ERR_STATE. */
int smrf_jobs_run(struct smrf_jobs *jobs, unsigned parallel,
                  void (*told)(void *ctx, size_t done, size_t all, const struct smrf_job *job),
                  void *ctx, char text[SMRF_JOB_TEXT]);
void smrf_jobs_free(struct smrf_jobs *jobs);

#ifdef __cplusplus
}
#endif

#endif
