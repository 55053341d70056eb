/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as tasks of arrays of Slurm's, over a folder that all nodes see. A task is a shell script of
 * some runs, each of which leaves its document, its log and, at its end, its status; this process
 * alone writes to the store. A runner that follows a killed one finds the jobs in the queue and
 * waits for them. */
#define _GNU_SOURCE
#include "runner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#define PILOTS 8        /* tasks of one run each, where nothing is known of how long one takes */
#define TASK_S 30.0     /* what a task should take: far above what Slurm takes to start one */
#define TASKS_A_CPU 2   /* rather than fewer and longer ones: work for all, and none ends last */
#define USUAL_CPUS 16   /* where Slurm does not say */
#define MOST_TASKS 1000 /* of an array, as Slurm has it unless told otherwise */
#define QUEUE_S 2.0     /* an answer about the queue is good for so long */
#define AGAIN_S 0.1
#define GRACE_S 5.0 /* files come later than the news of a job's end */

/* --- the queue -------------------------------------------------------------------------------- */

/* Output of a shell command, to be freed; NULL: it failed. */
static char *output_of_(const char *command)
{
    char *text = NULL, block[4096];
    size_t size = 0, n;
    FILE *in = popen(command, "re"), *out = in ? open_memstream(&text, &size) : NULL;
    while (out && (n = fread(block, 1, sizeof block, in)) > 0) {
        fwrite(block, 1, n, out);
    }
    bool good = out && fclose(out) == 0;
    good = in && pclose(in) == 0 && good;
    if (!good) {
        free(text);
    }
    return good ? text : NULL;
}

/* Asked again where the last answer, which may be from before the job, does not name it. */
bool smrf_runner_slurm_lives(const char *job)
{
    static char *queue; /* the last answer */
    static double asked = -1e9;
    char line[64];
    snprintf(line, sizeof line, "|%.60s|", job);
    const double age = smrf_runner_clock() - asked;
    if (age > QUEUE_S || (age > AGAIN_S && queue && !strstr(queue, line))) {
        free(queue);
        queue = output_of_("squeue --me -h -r -o '|%i|' 2>/dev/null");
        asked = smrf_runner_clock();
    }
    return queue == NULL || strstr(queue, line) != NULL; /* no answer says nothing */
}

/* --- submitting ------------------------------------------------------------------------------- */

/* A word for the shell, and a space. */
static void quote_(struct smrf_runner *r, FILE *out, const char *word)
{
    fprintf(out, "%s ", smrf_pool_quoted(&r->x->pool, word));
}

static void write_run_(struct smrf_runner *r, const struct smrf_planned *p, const char *program,
                       FILE *out)
{
    const char **words = smrf_runner_words(r, p);
    const char *end = smrf_runner_file(r, p->run.key, ".end");
    fputs("began=$(date +%s%N)\n", out);
    quote_(r, out, program);
    for (; *words; words++) {
        quote_(r, out, *words);
    }
    fputs(">", out);
    quote_(r, out, smrf_runner_file(r, p->run.key, ".log"));
    fputs("2>&1 </dev/null\necho $? $began $(date +%s%N) >", out);
    quote_(r, out, smrf_pool_text(&r->x->pool, "%s.part", end));
    fputs("\nmv ", out);
    quote_(r, out, smrf_pool_text(&r->x->pool, "%s.part", end));
    quote_(r, out, end);
    fputc('\n', out);
}

/* This very program: another may lie in its place when the tasks start. */
static int copy_program_(const char *to)
{
    char block[4096];
    ssize_t n = -1;
    int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0777);
    bool good = in >= 0 && out >= 0;
    while (good && (n = read(in, block, sizeof block)) > 0) {
        good = write(out, block, (size_t)n) == n;
    }
    if (in >= 0) {
        (void)close(in);
    }
    good = out >= 0 && close(out) == 0 && good && n == 0;
    return good ? SMRF_OK : SMRF_ERR_IO;
}

struct waiting {
    size_t planned;
    const char *owner; /* "slurm-<job>_<task>" */
    double gone;       /* when it was first missed in the queue; 0: it was not */
};

struct batch {
    struct smrf_runner *r;
    const char *options; /* for sbatch, quoted */
    size_t *mine;        /* indices of runs that are claimed and not submitted */
    size_t num_mine;
    size_t *others; /* of runs that another process has claimed */
    size_t num_others;
    struct waiting *waiting;
    size_t num_waiting;
};

static int write_tasks_(struct batch *b, const char *folder, size_t each, size_t tasks)
{
    struct smrf_runner *r = b->r;
    struct smrf_pool *pool = &r->x->pool;
    const char *program = smrf_pool_text(pool, "%s/smrf", folder);
    mkdir(smrf_pool_text(pool, "%s/slurm", r->x->folder), 0777);
    if (mkdir(folder, 0777) || copy_program_(program)) {
        return smrf_runner_fail(r, SMRF_ERR_IO, "%s: cannot be written: %s", folder,
                                strerror(errno));
    }
    bool good = true;
    for (size_t k = 0; good && k <= tasks; k++) {
        const char *path = k < tasks ? smrf_pool_text(pool, "%s/%zu.sh", folder, k)
                                     : smrf_pool_text(pool, "%s/job.sh", folder);
        FILE *out = fopen(path, "we");
        if (out && k == tasks) {
            fputs("#!/bin/sh\ncd ", out);
            quote_(r, out, folder);
            fputs("&& exec sh ./$SLURM_ARRAY_TASK_ID.sh\n", out);
        } else if (out) {
            for (size_t i = k * each; i < (k + 1) * each && i < b->num_mine; i++) {
                write_run_(r, &r->planned[b->mine[i]], program, out);
            }
        }
        good = out && fclose(out) == 0;
    }
    return good ? SMRF_OK
                : smrf_runner_fail(r, SMRF_ERR_IO, "%s: cannot be written: %s", folder,
                                   strerror(errno));
}

/* The user's options, as words for a shell: split as a shell splits them, but nothing in them is
 * run. */
static int read_options_(struct smrf_runner *r, const char **out)
{
    wordexp_t words;
    const char *text = r->options->slurm_options;
    const char *memory = r->options->memory_mb
                             ? smrf_pool_text(&r->x->pool, "--mem=%uM ", r->options->memory_mb)
                             : "";
    *out = memory;
    if (!text) {
        return SMRF_OK;
    }
    const int rc = wordexp(text, &words, WRDE_NOCMD | WRDE_UNDEF);
    if (rc != 0) {
        return smrf_runner_fail(r, rc == WRDE_NOSPACE ? SMRF_ERR_NOMEM : SMRF_ERR_INVAL,
                                "--slurm-options \"%.200s\": words for sbatch are wanted; %s", text,
                                rc == WRDE_CMDSUB   ? "a command in them is not run"
                                : rc == WRDE_BADVAL ? "a variable in them is not set"
                                : rc == WRDE_SYNTAX
                                    ? "a quote or a brace has no end"
                                    : "a line break and | & ; < > ( ) { } must be quoted");
    }
    for (size_t i = 0; i < words.we_wordc; i++) {
        *out = smrf_pool_text(&r->x->pool, "%s%s ", *out,
                              smrf_pool_quoted(&r->x->pool, words.we_wordv[i]));
    }
    wordfree(&words);
    return SMRF_OK;
}

/* The first `count` of ours as an array of tasks. */
static int submit_(struct batch *b, size_t count, size_t each)
{
    struct smrf_runner *r = b->r;
    struct timespec now;
    const size_t tasks = (count + each - 1) / each, all = b->num_mine;
    clock_gettime(CLOCK_REALTIME, &now);
    const char *folder = smrf_pool_text(&r->x->pool, "%s/slurm/%lld%09ld", r->x->folder,
                                        (long long)now.tv_sec, now.tv_nsec);
    b->num_mine = count;
    int err = write_tasks_(b, folder, each, tasks);
    b->num_mine = all;
    if (err) {
        return err;
    }
    char *answer = output_of_(smrf_pool_text(
        &r->x->pool, "sbatch --parsable --job-name=smrf --output=/dev/null --array=0-%zu %s %s",
        tasks - 1, b->options,
        smrf_pool_quoted(&r->x->pool, smrf_pool_text(&r->x->pool, "%s/job.sh", folder))));
    if (!answer || !strtoul(answer, NULL, 10)) {
        free(answer);
        return smrf_runner_fail(r, SMRF_ERR_STATE,
                                "sbatch took nothing; its message is above; is Slurm there "
                                "(sinfo)?");
    }
    const unsigned long job = strtoul(answer, NULL, 10);
    free(answer);
    for (size_t i = 0; i < count; i++) {
        const char *owner = smrf_pool_text(&r->x->pool, "slurm-%lu_%zu", job, i / each);
        b->waiting[b->num_waiting++] = (struct waiting){b->mine[i], owner, 0};
    }
    const char **keys = smrf_pool_take(&r->x->pool, count * sizeof *keys);
    const char **owners = smrf_pool_take(&r->x->pool, count * sizeof *owners);
    for (size_t i = 0; i < count; i++) {
        keys[i] = r->planned[b->mine[i]].run.key;
        owners[i] = b->waiting[b->num_waiting - count + i].owner;
    }
    err = smrf_store_hand_over(r->store, keys, owners, count);
    b->num_mine -= count;
    memmove(b->mine, b->mine + count, b->num_mine * sizeof *b->mine);
    return err ? smrf_runner_fail(r, err, "%s", smrf_store_error(r->store)) : SMRF_OK;
}

/* All processors of the cluster: the last number of "allocated/idle/other/total". */
static size_t cpus_(void)
{
    char *text = output_of_("sinfo -h -o %C 2>/dev/null");
    const char *last = text ? strrchr(text, '/') : NULL;
    const unsigned long cpus = last ? strtoul(last + 1, NULL, 10) : 0;
    free(text);
    return cpus ? cpus : USUAL_CPUS;
}

/* Starting a task costs Slurm about as long as a second's run (measured: 96 runs of 0.2 s on two
 * nodes take 21 s in tasks of three, 15 s in tasks of eleven and 10 s without Slurm). The first
 * runs have a task each. Once their time is known, a task gets as many runs as take TASK_S. */
static int submit_round_(struct batch *b)
{
    const double seconds = smrf_store_mean_seconds(b->r->store);
    if (b->num_mine == 0 || (seconds < 0 && b->num_waiting)) {
        return SMRF_OK; /* the pilots are flying */
    }
    if (seconds < 0) {
        return submit_(b, b->num_mine < PILOTS ? b->num_mine : PILOTS, 1);
    }
    size_t each = seconds > 0 ? (size_t)(TASK_S / seconds) : b->num_mine;
    const size_t tasks = TASKS_A_CPU * cpus_();
    const size_t fair = (b->num_mine + tasks - 1) / tasks;
    const size_t least = (b->num_mine + MOST_TASKS - 1) / MOST_TASKS;
    each = each > fair ? fair : each;
    each = each < least ? least : each;
    return submit_(b, b->num_mine, each ? each : 1);
}

/* --- waiting ---------------------------------------------------------------------------------- */

int smrf_runner_collect(struct smrf_runner *r, const struct smrf_planned *p)
{
    const char *path = smrf_runner_file(r, p->run.key, ".end");
    int status = 0;
    long long began = 0, ended = 0;
    FILE *in = fopen(path, "re");
    if (!in) {
        return 0;
    }
    const bool whole = fscanf(in, "%d %lld %lld", &status, &began, &ended) == 3;
    fclose(in);
    if (!whole) {
        return 0;
    }
    /* A shell's exit code for a signal, as waitpid reports it. */
    status = status > 128 ? status - 128 : (int)((unsigned)status << 8);
    const double seconds = (double)(ended - began) * 1e-9;
    int err = smrf_runner_ended(r, p, status, seconds, seconds, NULL);
    unlink(path);
    return err ? err : 1;
}

/* Which runs are done, ours to submit, part of a living job, or another process's. */
static int sort_(struct batch *b, size_t i)
{
    struct smrf_runner *r = b->r;
    const struct smrf_planned *p = &r->planned[i];
    if (p->why) {
        r->progress.done++;
        r->progress.failed++;
        return SMRF_OK;
    }
    int state = smrf_store_state(r->store, p->run.key);
    if (state == SMRF_STORE_CLAIMED) {
        int collected = smrf_runner_collect(r, p);
        if (collected) {
            return collected < 0 ? collected : SMRF_OK;
        }
    }
    if (state == SMRF_STORE_WHOLE) {
        r->progress.done++;
        r->progress.found++;
        return SMRF_OK;
    }
    for (size_t k = 0; k < b->num_mine; k++) {
        if (strcmp(r->planned[b->mine[k]].run.key, p->run.key) == 0) {
            b->others[b->num_others++] = i; /* the same run in another place */
            return SMRF_OK;
        }
    }
    int taken = state < 0 ? state : smrf_runner_claim(r, p);
    if (taken > 0) {
        unlink(smrf_runner_file(r, p->run.key, ".json"));
        unlink(smrf_runner_file(r, p->run.key, ".end"));
        b->mine[b->num_mine++] = i;
    } else if (taken == 0) {
        const char *owner = smrf_store_owner(r->store, p->run.key);
        if (strncmp(owner, "slurm-", 6) == 0) {
            b->waiting[b->num_waiting++] =
                (struct waiting){i, smrf_pool_text(&r->x->pool, "%s", owner), 0};
        } else {
            b->others[b->num_others++] = i;
        }
    }
    return taken < 0 ? taken : SMRF_OK;
}

/* What has ended; a task that has left the queue for a while without a word has failed. */
static int look_(struct batch *b)
{
    struct smrf_runner *r = b->r;
    size_t left = 0;
    int err = SMRF_OK;
    for (size_t i = 0; i < b->num_waiting; i++) {
        struct waiting w = b->waiting[i];
        const struct smrf_planned *p = &r->planned[w.planned];
        int collected = err ? 0 : smrf_runner_collect(r, p);
        if (collected < 0) {
            err = collected;
        }
        if (collected > 0) {
            continue;
        }
        const bool gone = !smrf_runner_slurm_lives(w.owner + 6);
        const double now = smrf_runner_clock();
        if (!err && gone && w.gone > 0 && now - w.gone > GRACE_S) {
            err = smrf_store_fail(r->store, p->run.key, "its job left the queue without a word");
            r->progress.done++;
            r->progress.failed++;
            continue;
        }
        w.gone = !gone ? 0 : w.gone > 0 ? w.gone : now;
        b->waiting[left++] = w;
    }
    b->num_waiting = left;
    return err;
}

static int look_at_others_(struct batch *b)
{
    const size_t num = b->num_others;
    int err = SMRF_OK;
    b->num_others = 0;
    for (size_t k = 0; k < num; k++) {
        if (err) {
            b->others[b->num_others++] = b->others[k];
        } else {
            err = sort_(b, b->others[k]);
        }
    }
    return err;
}

int smrf_runner_slurm(struct smrf_runner *r)
{
    struct batch b = {.r = r};
    const struct timespec moment = {0, 500000000};
    b.mine = smrf_pool_take(&r->x->pool, (r->num_planned + 1) * sizeof *b.mine);
    b.others = smrf_pool_take(&r->x->pool, (r->num_planned + 1) * sizeof *b.others);
    b.waiting = smrf_pool_take(&r->x->pool, (r->num_planned + 1) * sizeof *b.waiting);
    int err = read_options_(r, &b.options);
    if (err) {
        return err;
    }
    char *version = output_of_("sbatch --version 2>/dev/null");
    free(version);
    err = version ? SMRF_OK
                  : smrf_runner_fail(r, SMRF_ERR_STATE,
                                     "there is no sbatch here: --runner slurm wants a machine "
                                     "that may submit jobs");
    for (size_t i = 0; !err && i < r->num_planned; i++) {
        err = sort_(&b, i);
    }
    while (!err && (b.num_mine || b.num_waiting || b.num_others) && !smrf_runner_stopped()) {
        err = submit_round_(&b);
        nanosleep(&moment, NULL);
        err = err ? err : look_(&b);
        if (!err && b.num_others) {
            err = look_at_others_(&b);
        }
        smrf_runner_report(r, false);
    }
    if (!err && smrf_runner_stopped()) {
        err =
            smrf_runner_fail(r, SMRF_ERR_STATE,
                             "interrupted; jobs in the queue go on, and the same command takes up "
                             "from here");
    }
    return err;
}
