/* SPDX-License-Identifier: Apache-2.0 */
/* Processes, signals, and who is alive. */
#define _GNU_SOURCE
#include "cgroup.h"
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WORDS 256

double smrf_runner_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- signals ---------------------------------------------------------------------------------- */

static volatile sig_atomic_t stopped;
static struct sigaction before[2];

static void on_signal_(int number)
{
    (void)number;
    stopped = 1;
}

static void catch_(bool catch)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = on_signal_};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; i++) {
        sigaction(numbers[i], catch ? &action : &before[i], catch ? &before[i] : NULL);
    }
}

bool smrf_runner_stopped(void)
{
    return stopped != 0;
}

/* --- a child ---------------------------------------------------------------------------------- */

/* Makes a new file instead of an earlier log; hard links of the log keep it. Anything but a plain
 * file, a symbolic link for instance, is not ours. */
static int open_log_(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && unlink(path) != 0) {
        return -1;
    }
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* In the child: does not return. */
static void become_(char **words, int log, const char *group)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a child that outlived us would work beside its successor */
    if (group && !smrf_cgroup_enter(group)) {
        _exit(127);
    }
    if (null >= 0 && dup2(null, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        execv("/proc/self/exe", words);
    }
    _exit(127);
}

int smrf_runner_start(const char *const *words, const char *log, const char *group)
{
    static char name[] = "smrf";
    char *own[WORDS] = {name};
    size_t n = 1;
    for (; words[n - 1] && n + 1 < WORDS; n++) {
        own[n] = (char *)(size_t)words[n - 1];
    }
    int out = open_log_(log);
    pid_t pid = out < 0 ? -1 : fork();
    if (pid == 0) {
        become_(own, out, group);
    }
    if (out >= 0) {
        (void)close(out);
    }
    return (int)pid;
}

/* The second number of statm: resident pages. */
uint64_t smrf_runner_resident(int pid)
{
    char path[48];
    unsigned long long pages[2] = {0, 0};
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    FILE *in = fopen(path, "re");
    const bool known = in && fscanf(in, "%llu %llu", &pages[0], &pages[1]) == 2;
    if (in) {
        fclose(in);
    }
    return known ? pages[1] * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* --- who is alive ----------------------------------------------------------------------------- */

static const char *lock_file_(struct smrf_runner *r, const char *owner)
{
    return smrf_pool_text(&r->x->pool, "%s/runs/.%s", r->x->folder, owner);
}

bool smrf_runner_lives(void *ctx, const char *owner)
{
    struct smrf_runner *r = ctx;
    if (strncmp(owner, "slurm-", 6) == 0) {
        return smrf_runner_slurm_lives(owner + 6);
    }
    if (strcmp(owner, r->owner) == 0) {
        return false; /* our own: to be done again */
    }
    int fd = open(lock_file_(r, owner), O_RDWR | O_CLOEXEC);
    bool lives = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (fd >= 0 && !lives) {
        unlink(lock_file_(r, owner));
    }
    return lives;
}

/* A file that stays locked while this process lives: the system unlocks it even after a crash. */
static int take_lock_(struct smrf_runner *r)
{
    char host[128] = "";
    struct timespec now;
    gethostname(host, sizeof host - 1);
    clock_gettime(CLOCK_REALTIME, &now);
    r->owner = smrf_pool_text(&r->x->pool, "runner-%s-%d-%lld%09ld", host, (int)getpid(),
                              (long long)now.tv_sec, now.tv_nsec);
    const char *path = lock_file_(r, r->owner);
    r->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return r->lock >= 0 && flock(r->lock, LOCK_EX | LOCK_NB) == 0
               ? SMRF_OK
               : smrf_runner_fail(r, SMRF_ERR_IO, "%s: %s", path, strerror(errno));
}

/* --- opening and closing ---------------------------------------------------------------------- */

static int make_folder_(struct smrf_runner *r, const char *path)
{
    char *part = smrf_pool_text(&r->x->pool, "%s", path);
    for (char *at = part + 1;; at++) {
        const char kept = *at;
        if (kept == '/' || kept == '\0') {
            *at = '\0';
            if (mkdir(part, 0777) && errno != EEXIST) {
                return smrf_runner_fail(r, SMRF_ERR_IO, "%s: cannot make the folder: %s", part,
                                        strerror(errno));
            }
            *at = kept;
        }
        if (kept == '\0') {
            return SMRF_OK;
        }
    }
}

int smrf_runner_open(struct smrf_runner *r, struct smrf_experiment *x,
                     const struct smrf_runner_options *options)
{
    *r = (struct smrf_runner){.x = x, .options = options, .lock = -1};
    stopped = 0;
    catch_(true);
    int err = make_folder_(r, smrf_pool_text(&x->pool, "%s/runs", x->folder));
    char *full = err ? NULL : realpath(x->folder, NULL); /* for those who run elsewhere */
    if (full) {
        x->folder = smrf_pool_text(&x->pool, "%s", full);
        free(full);
    }
    if (!err) {
        err = smrf_store_open(&r->store, x->folder);
        if (err) {
            smrf_runner_fail(r, err, "%s", smrf_store_error(r->store));
        }
    }
    return err ? err : take_lock_(r);
}

void smrf_runner_close(struct smrf_runner *r)
{
    if (r->lock >= 0) {
        smrf_store_release(r->store, r->owner);
        unlink(lock_file_(r, r->owner));
        (void)close(r->lock);
    }
    smrf_store_close(r->store);
    catch_(false);
}
