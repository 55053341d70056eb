/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as processes of this machine. */
#define _GNU_SOURCE
#include "cgroup.h"
#include "runner.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct child {
    int pid;
    size_t planned; /* index */
    double began;
    uint64_t most;     /* bytes that it was seen to use */
    const char *group; /* control group that holds it to its memory; NULL: it is watched */
};

struct crew {
    struct smrf_runner *r;
    struct child *child;
    size_t running, next;
    size_t *others; /* indices of runs that another process has claimed */
    size_t num_others;
    const char *groups; /* where control groups of runs are made; NULL: none are */
};

/* A run that answers for several places is looked at once a place: the second time it is there. */
static int settle_(struct crew *c, size_t i)
{
    struct smrf_runner *r = c->r;
    const struct smrf_planned *p = &r->planned[i];
    int state = smrf_store_state(r->store, p->run.key);
    if (state == SMRF_STORE_WHOLE) {
        r->progress.done++;
        r->progress.found++;
    }
    return state < 0 ? smrf_runner_fail(r, state, "%s", smrf_store_error(r->store)) : state;
}

/* Is one of our children at it? */
static bool is_ours_(const struct crew *c, const char *key)
{
    for (size_t i = 0; i < c->running; i++) {
        if (strcmp(c->r->planned[c->child[i].planned].run.key, key) == 0) {
            return true;
        }
    }
    return false;
}

/* Failed in this very call: not again. */
static bool has_failed_(const struct crew *c, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(c->r->planned[k].run.key, c->r->planned[i].run.key) == 0) {
            return true;
        }
    }
    return false;
}

/* A control group for run i; NULL: there is no limit, or none can be made. */
static const char *make_group_(struct crew *c, size_t i)
{
    struct smrf_pool *pool = &c->r->x->pool;
    if (!c->groups) {
        return NULL;
    }
    return smrf_cgroup_make(pool, c->groups, smrf_pool_text(pool, "smrf-%d-%zu", (int)getpid(), i),
                            (uint64_t)c->r->options->memory_mb << 20);
}

static int begin_(struct crew *c, size_t i)
{
    struct smrf_runner *r = c->r;
    struct smrf_planned *p = &r->planned[i];
    if (p->why) {
        r->progress.done++;
        r->progress.failed++;
        return SMRF_OK;
    }
    int state = settle_(c, i);
    if (state < 0 || state == SMRF_STORE_WHOLE) {
        return state < 0 ? state : SMRF_OK;
    }
    if (state == SMRF_STORE_FAILED && has_failed_(c, i)) {
        r->progress.done++;
        r->progress.failed++;
        return SMRF_OK;
    }
    int collected = state == SMRF_STORE_CLAIMED ? smrf_runner_collect(r, p) : 0;
    if (collected) {
        return collected < 0 ? collected : SMRF_OK;
    }
    int taken = is_ours_(c, p->run.key) ? 0 : smrf_runner_claim(r, p);
    if (taken == 0) {
        c->others[c->num_others++] = i;
    }
    if (taken <= 0) {
        return taken;
    }
    unlink(smrf_runner_file(r, p->run.key, ".json"));
    const char *group = make_group_(c, i);
    int pid =
        smrf_runner_start(smrf_runner_words(r, p), smrf_runner_file(r, p->run.key, ".log"), group);
    if (pid < 0 && group) {
        smrf_cgroup_remove(group);
    }
    if (pid < 0) {
        return smrf_runner_fail(r, SMRF_ERR_IO, "%s: cannot be written, or no further process",
                                smrf_runner_file(r, p->run.key, ".log"));
    }
    c->child[c->running++] = (struct child){pid, i, smrf_runner_clock(), 0, group};
    return SMRF_OK;
}

static double processor_time_(const struct rusage *used)
{
    return (double)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) +
           1e-6 * (double)(used->ru_utime.tv_usec + used->ru_stime.tv_usec);
}

/* Without a control group, the runner checks the resident memory of its processes every few
 * milliseconds and ends those above the limit. Reserved but unused memory does not count. */
static void watch_memory_(struct crew *c)
{
    const uint64_t limit = (uint64_t)c->r->options->memory_mb << 20;
    for (size_t i = 0; limit && i < c->running; i++) {
        struct child *child = &c->child[i];
        if (child->group) {
            continue;
        }
        const uint64_t now = smrf_runner_resident(child->pid);
        child->most = now > child->most ? now : child->most;
        if (now > limit) {
            kill(child->pid, SIGKILL);
        }
    }
}

/* .. according to its control group, which goes. */
static const char *struck_group_(const struct crew *c, const struct child *child)
{
    const unsigned limit = c->r->options->memory_mb;
    const struct smrf_cgroup_events events = smrf_cgroup_events(child->group);
    smrf_cgroup_remove(child->group);
    if (!events.oom_kill) {
        return NULL;
    }
    if (!events.oom) {
        return smrf_pool_text(&c->r->x->pool,
                              "the kernel ended it for want of memory, at less than --memory=%u "
                              "allows: the machine, or a control group around this one, had no "
                              "more",
                              limit);
    }
    return smrf_pool_text(&c->r->x->pool,
                          "it needed more memory than --memory=%u allows: its control group's "
                          "memory.max ended it%s",
                          limit,
                          events.peak ? smrf_pool_text(&c->r->x->pool, ", at %llu MB",
                                                       (unsigned long long)(events.peak >> 20))
                                      : "");
}

/* The limit that a child struck; NULL: none. */
static const char *struck_(const struct crew *c, const struct child *child,
                           const struct rusage *used)
{
    const unsigned limit = c->r->options->memory_mb;
    struct rusage own;
    if (child->group) {
        return struck_group_(c, child);
    }
    getrusage(RUSAGE_SELF, &own);
    /* Of its whole life, in which it was a copy of this process for a moment. */
    const uint64_t kept = used->ru_maxrss > own.ru_maxrss ? (uint64_t)used->ru_maxrss << 10 : 0;
    const uint64_t most = kept > child->most ? kept : child->most;
    return limit && most > (uint64_t)limit << 20
               ? smrf_pool_text(&c->r->x->pool,
                                "it used %llu MB of memory, more than --memory=%u allows",
                                (unsigned long long)(most >> 20), limit)
               : NULL;
}

/* Wait for a child a while. */
static int reap_(struct crew *c)
{
    int status = 0;
    struct rusage used = {0};
    pid_t pid = wait4(-1, &status, WNOHANG, &used);
    if (pid == 0) {
        watch_memory_(c);
        const struct timespec moment = {0, 2000000};
        nanosleep(&moment, NULL);
        return SMRF_OK;
    }
    for (size_t i = 0; i < c->running; i++) {
        if (c->child[i].pid == pid) {
            const struct child ended = c->child[i];
            c->child[i] = c->child[--c->running];
            if (smrf_runner_stopped()) {
                (void)struck_(c, &ended, &used); /* its group goes */
                return SMRF_OK;                  /* of our own hand */
            }
            return smrf_runner_ended(c->r, &c->r->planned[ended.planned], status,
                                     smrf_runner_clock() - ended.began, processor_time_(&used),
                                     struck_(c, &ended, &used));
        }
    }
    return SMRF_OK;
}

/* Checks the runs that another process had claimed. */
static int look_again_(struct crew *c)
{
    size_t num = c->num_others;
    const struct timespec moment = {0, 100000000};
    int err = SMRF_OK;
    if (c->running == 0) {
        nanosleep(&moment, NULL);
    }
    c->num_others = 0;
    for (size_t k = 0; k < num; k++) {
        size_t i = c->others[k];
        bool room = c->running < c->r->options->jobs;
        if (err || !room || smrf_runner_stopped()) {
            c->others[c->num_others++] = i;
        } else {
            err = begin_(c, i); /* appends to the part of the list that has been read */
        }
    }
    return err;
}

static int work_(struct crew *c)
{
    struct smrf_runner *r = c->r;
    int err = SMRF_OK;
    while (!err && !smrf_runner_stopped() &&
           (c->next < r->num_planned || c->running || c->num_others)) {
        while (!err && c->next < r->num_planned && c->running < r->options->jobs &&
               !smrf_runner_stopped()) {
            err = begin_(c, c->next++);
            smrf_runner_report(r, false);
        }
        if (!err && c->running) {
            err = reap_(c);
        } else if (!err && c->num_others && c->next == r->num_planned) {
            err = look_again_(c);
        }
        smrf_runner_report(r, false);
    }
    return err;
}

int smrf_runner_local(struct smrf_runner *r)
{
    struct crew c = {.r = r};
    c.child = smrf_pool_take(&r->x->pool, (r->options->jobs + 1) * sizeof *c.child);
    c.groups = r->options->memory_mb ? smrf_cgroup_parent(&r->x->pool) : NULL;
    c.others = smrf_pool_take(&r->x->pool, (r->num_planned + 1) * sizeof *c.others);
    int err = work_(&c);
    for (size_t i = 0; i < c.running; i++) {
        kill(c.child[i].pid, SIGKILL); /* what it wrote is no result yet */
    }
    while (c.running) {
        const struct child *child = &c.child[--c.running];
        (void)waitpid(child->pid, NULL, 0);
        if (child->group) {
            smrf_cgroup_remove(child->group);
        }
    }
    if (!err && smrf_runner_stopped()) {
        err =
            smrf_runner_fail(r, SMRF_ERR_STATE, "interrupted; the same command goes on from here");
    }
    return err;
}
