/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "jobs.h"

#include "models/common/smrf_err.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PARALLEL 256

static void free_job_(struct smrf_job *job)
{
    for (size_t i = 0; i < SMRF_JOB_ARGS; i++) {
        free(job->arg[i]);
    }
    free(job->output);
    free(job->log);
}

int smrf_jobs_add(struct smrf_jobs *jobs, const char *output, const char *log,
                  const char *const *args)
{
    for (size_t i = 0; i < jobs->num; i++) {
        if (strcmp(jobs->job[i].output, output) == 0) {
            return SMRF_OK;
        }
    }
    if (jobs->num == jobs->room) {
        size_t room = jobs->room ? 2 * jobs->room : 64;
        struct smrf_job *grown = realloc(jobs->job, room * sizeof *grown);
        if (!grown) {
            return SMRF_ERR_NOMEM;
        }
        jobs->job = grown;
        jobs->room = room;
    }
    struct smrf_job *job = &jobs->job[jobs->num];
    *job = (struct smrf_job){.output = strdup(output), .log = strdup(log)};
    bool whole = job->output && job->log;
    size_t n = 0;
    for (; whole && args[n] && n + 1 < SMRF_JOB_ARGS; n++) {
        job->arg[n] = strdup(args[n]);
        whole = job->arg[n] != NULL;
    }
    if (!whole || args[n]) {
        free_job_(job);
        return whole ? SMRF_ERR_LIMIT : SMRF_ERR_NOMEM;
    }
    jobs->num++;
    return SMRF_OK;
}

void smrf_jobs_free(struct smrf_jobs *jobs)
{
    for (size_t i = 0; i < jobs->num; i++) {
        free_job_(&jobs->job[i]);
    }
    free(jobs->job);
    *jobs = (struct smrf_jobs){0};
}

/* A new file in the place of an earlier log, which other names of it keep. What is no plain file, a
 * symbolic link for instance, is not ours. Returns a descriptor, or -1 with errno. */
static int open_log_(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && unlink(path) != 0) {
        return -1;
    }
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* In the child: does not return. */
static void become_(const struct smrf_job *job, int log)
{
    char *argv[SMRF_JOB_ARGS + 1];
    size_t n = 0;
    static char name[] = "smrf";
    argv[n++] = name;
    for (size_t i = 0; i < SMRF_JOB_ARGS && job->arg[i]; i++) {
        argv[n++] = job->arg[i];
    }
    argv[n] = NULL;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever is left alone would work beside its successor */
    if (null >= 0 && dup2(null, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        execv("/proc/self/exe", argv);
    }
    _exit(127);
}

static volatile sig_atomic_t interrupted;

static void on_signal_(int number)
{
    (void)number;
    interrupted = 1;
}

struct pool {
    struct smrf_jobs *jobs;
    pid_t pid[MAX_PARALLEL];
    size_t of[MAX_PARALLEL]; /* job of a child */
    unsigned running;
    size_t next, done, failed;
    char *text;
};

static bool is_good_(const struct pool *p, const struct smrf_job *job, bool fresh)
{
    return access(job->output, F_OK) == 0 &&
           (!p->jobs->good || p->jobs->good(p->jobs->ctx, job, fresh));
}

/* The first one is told. */
static void count_failure_(struct pool *p, const char *what, const char *why)
{
    p->done++;
    if (p->failed++ == 0) {
        snprintf(p->text, SMRF_JOB_TEXT, "%.200s: %s", what, why);
    }
}

static void start_(struct pool *p)
{
    struct smrf_job *job = &p->jobs->job[p->next++];
    job->done = is_good_(p, job, false);
    if (job->done) {
        p->done++;
        return;
    }
    unlink(job->output);
    int log = open_log_(job->log);
    if (log < 0) {
        count_failure_(p, job->log, strerror(errno));
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        become_(job, log);
    }
    (void)close(log);
    if (pid < 0) {
        count_failure_(p, "no further process", strerror(errno));
        return;
    }
    p->pid[p->running] = pid;
    p->of[p->running++] = (size_t)(job - p->jobs->job);
}

/* First line of a log, for the error. */
static void first_line_(const char *path, char *line, size_t size)
{
    FILE *in = fopen(path, "r");
    line[0] = '\0';
    if (in) {
        if (fgets(line, (int)size, in)) {
            line[strcspn(line, "\n")] = '\0';
        }
        fclose(in);
    }
}

static struct smrf_job *reap_(struct pool *p)
{
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    for (unsigned i = 0; pid > 0 && i < p->running; i++) {
        if (p->pid[i] != pid) {
            continue;
        }
        struct smrf_job *job = &p->jobs->job[p->of[i]];
        p->running--;
        p->pid[i] = p->pid[p->running];
        p->of[i] = p->of[p->running];
        job->done = WIFEXITED(status) && WEXITSTATUS(status) == 0 && is_good_(p, job, true);
        if (!job->done) {
            unlink(job->output); /* what a failed run could still tell is no result */
        }
        if (!job->done && !interrupted) {
            char line[SMRF_JOB_TEXT / 2];
            first_line_(job->log, line, sizeof line);
            count_failure_(p, job->log, line[0] ? line : "a run ended without a word");
        } else {
            p->done++;
        }
        return job;
    }
    return NULL;
}

int smrf_jobs_run(struct smrf_jobs *jobs, unsigned parallel,
                  void (*told)(void *ctx, size_t done, size_t all, const struct smrf_job *job),
                  void *ctx, char text[SMRF_JOB_TEXT])
{
    struct pool p = {.jobs = jobs, .text = text};
    struct sigaction catch = {.sa_handler = on_signal_}, old_int, old_term;
    sigemptyset(&catch.sa_mask);
    text[0] = '\0';
    parallel = parallel < 1 ? 1 : parallel > MAX_PARALLEL ? MAX_PARALLEL : parallel;
    interrupted = 0;
    sigaction(SIGINT, &catch, &old_int);
    sigaction(SIGTERM, &catch, &old_term);
    while ((!interrupted && p.next < jobs->num) || p.running) {
        while (!interrupted && p.next < jobs->num && p.running < parallel) {
            start_(&p);
        }
        for (unsigned i = 0; interrupted && i < p.running; i++) {
            kill(p.pid[i], SIGKILL); /* what it wrote is not under its name yet */
        }
        const struct smrf_job *job = p.running ? reap_(&p) : NULL;
        if (told) {
            told(ctx, p.done, jobs->num, job);
        }
    }
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    if (interrupted) {
        snprintf(text, SMRF_JOB_TEXT, "interrupted; the same command goes on from here");
        return SMRF_ERR_STATE;
    }
    return (int)p.failed;
}
