/* SPDX-License-Identifier: Apache-2.0 */
/* The plan: which runs answer for which place of the experiment. The suite's traces are made first,
 * as the key of a run holds the digest of its trace. */
#define _GNU_SOURCE
#include "runner.h"

#include "platform/crew/crew.h"
#include "platform/store/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int smrf_runner_fail(struct smrf_runner *r, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!r->error[0]) {
        vsnprintf(r->error, sizeof r->error, format, args);
    }
    va_end(args);
    return code;
}

const char *smrf_runner_file(struct smrf_runner *r, const char *key, const char *ending)
{
    return smrf_pool_text(&r->x->pool, "%s/runs/%s%s", r->x->folder, key, ending);
}

void smrf_runner_report(struct smrf_runner *r, bool now)
{
    double clock = smrf_runner_clock();
    if (r->options->told && (now || clock - r->told >= r->options->interval_s)) {
        r->told = clock;
        r->progress.seconds = clock - r->began;
        r->options->told(r->options->told_ctx, &r->progress);
    }
}

static void begin_phase_(struct smrf_runner *r, const char *phase, size_t all)
{
    r->progress = (struct smrf_progress_of_runs){.phase = phase, .all = all};
    r->began = smrf_runner_clock();
    smrf_runner_report(r, true);
}

/* --- the suite's traces ----------------------------------------------------------------------- */

struct tracing {
    size_t trace; /* index */
    int pid;
};

/* A trace of the suite as the store calls it: below the folder, wherever that is. */
static const char *made_name_(struct smrf_runner *r, const struct smrf_trace_of *t)
{
    return smrf_pool_text(&r->x->pool, "traces/%s-%s", t->program, t->value);
}

/* Is what lies there what this program made? */
static bool is_made_(struct smrf_runner *r, const struct smrf_trace_of *t, const char *program)
{
    char text[512], digest[SMRF_DIGEST_TEXT];
    if (!program[0] || smrf_digest_trace(digest, NULL, t->path, text, sizeof text)) {
        return false;
    }
    return strcmp(smrf_store_made(r->store, made_name_(r, t), program), digest) == 0;
}

static int start_tracing_(struct smrf_runner *r, const struct smrf_trace_of *t)
{
    const char *const words[] = {"trace",   t->program, t->option, t->value,
                                 "--force", "--output", t->path,   NULL};
    mkdir(smrf_pool_text(&r->x->pool, "%s/traces", r->x->folder), 0777);
    return smrf_runner_start(words, smrf_pool_text(&r->x->pool, "%s.log", t->path), NULL);
}

static int end_tracing_(struct smrf_runner *r, const struct smrf_trace_of *t, int status,
                        const char *program)
{
    char text[512] = "", digest[SMRF_DIGEST_TEXT];
    r->progress.done++;
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                smrf_digest_trace(digest, NULL, t->path, text, sizeof text) == SMRF_OK;
    if (!good) {
        r->progress.failed++;
        return SMRF_OK; /* its runs tell */
    }
    int err = smrf_store_set_made(r->store, made_name_(r, t), program, digest);
    return err ? smrf_runner_fail(r, err, "%s", smrf_store_error(r->store)) : SMRF_OK;
}

/* Another runner in this folder traces the same programs: one after the other, and the second finds
 * them made. Returns a descriptor, to be closed, or an error. */
static int wait_for_tracers_(struct smrf_runner *r)
{
    const char *path = smrf_runner_file(r, ".tracing", "");
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0) {
        if (errno != EINTR || smrf_runner_stopped()) {
            (void)close(lock);
            lock = -1;
        }
    }
    return lock >= 0 ? lock : smrf_runner_fail(r, SMRF_ERR_IO, "%s: %s", path, strerror(errno));
}

static int make_traces_(struct smrf_runner *r, const char *program)
{
    struct tracing *running = smrf_pool_take(&r->x->pool, (r->options->jobs + 1) * sizeof *running);
    size_t num = 0, next = 0, all = 0;
    int err = SMRF_OK;
    for (size_t i = 0; i < r->x->num_traces; i++) {
        all += r->x->trace[i].program != NULL;
    }
    if (all == 0) {
        return SMRF_OK;
    }
    begin_phase_(r, "tracing", all);
    while (!err && !smrf_runner_stopped() && (next < r->x->num_traces || num)) {
        while (next < r->x->num_traces && num < r->options->jobs) {
            const struct smrf_trace_of *t = &r->x->trace[next];
            if (!t->program || is_made_(r, t, program)) {
                r->progress.done += t->program != NULL;
                r->progress.found += t->program != NULL;
                next++;
                continue;
            }
            int pid = start_tracing_(r, t);
            if (pid < 0) {
                return smrf_runner_fail(r, SMRF_ERR_IO,
                                        "%s.log: cannot be written, or no further "
                                        "process",
                                        t->path);
            }
            running[num++] = (struct tracing){next++, pid};
        }
        int status;
        pid_t pid = num ? waitpid(-1, &status, 0) : 0;
        for (size_t i = 0; pid > 0 && i < num; i++) {
            if (running[i].pid == pid) {
                err = end_tracing_(r, &r->x->trace[running[i].trace], status, program);
                running[i] = running[--num];
                break;
            }
        }
        smrf_runner_report(r, false);
    }
    smrf_runner_report(r, true);
    return err                     ? err
           : smrf_runner_stopped() ? smrf_runner_fail(r, SMRF_ERR_STATE,
                                                      "interrupted; the same command goes on from "
                                                      "here")
                                   : SMRF_OK;
}

/* --- the plan --------------------------------------------------------------------------------- */

struct known_trace {
    const char *digest, *why;
    uint64_t stamp;
};

/* The first line of the log of what made it, or why it cannot be read. */
static const char *why_not_(struct smrf_runner *r, const struct smrf_trace_of *t, const char *text)
{
    char line[256] = "";
    FILE *log = t->program ? fopen(smrf_pool_text(&r->x->pool, "%s.log", t->path), "r") : NULL;
    if (log) {
        line[0] = fgets(line, sizeof line, log) ? line[0] : '\0';
        line[strcspn(line, "\n")] = '\0';
        fclose(log);
    }
    return smrf_pool_text(&r->x->pool, "no trace of it: %s", line[0] ? line : text);
}

static void know_traces_(struct smrf_runner *r, struct known_trace *known, const char *program)
{
    for (size_t i = 0; i < r->x->num_traces; i++) {
        const struct smrf_trace_of *t = &r->x->trace[i];
        char text[512] = "", digest[SMRF_DIGEST_TEXT];
        int err = smrf_digest_trace(digest, &known[i].stamp, t->path, text, sizeof text);
        bool ours = !t->program ||
                    strcmp(smrf_store_made(r->store, made_name_(r, t), program), digest) == 0;
        if (err || !ours) {
            known[i].why = why_not_(r, t, err ? text : "it is another program's");
        }
        known[i].digest = smrf_pool_text(&r->x->pool, "%s", digest);
    }
}

/* What is sampled, and where a run ends; "": nothing, and with its trace. */
static const char *series_text_(struct smrf_experiment *x, const struct smrf_variant *v)
{
    const struct smrf_series_wish *s = &x->series;
    const char *text = s->interval && strcmp(v->tool, "run") == 0
                           ? smrf_pool_text(&x->pool, "%llu %s %s", (unsigned long long)s->interval,
                                            smrf_part_name(s->part), s->names)
                           : "";
    return v->cycles
               ? smrf_pool_text(&x->pool, "%s, %llu cycles", text, (unsigned long long)v->cycles)
               : text;
}

static int plan_one_(struct smrf_runner *r, size_t v, size_t s, const char *machine,
                     const struct known_trace *known, const char *program)
{
    const struct smrf_variant *variant = &r->x->variant[v];
    for (size_t t = 0; t < r->x->num_traces; t++) {
        if (!smrf_experiment_is_of(&r->x->trace[t], variant->only)) {
            continue;
        }
        struct smrf_planned p = {.variant = v, .trace = t, .seed = s, .why = known[t].why};
        p.stamp = known[t].stamp;
        p.run = (struct smrf_store_run){.tool = variant->tool,
                                        .trace = r->x->trace[t].name,
                                        .trace_digest = known[t].digest,
                                        .program = program,
                                        .preset = variant->preset ? variant->preset : r->x->preset,
                                        .mechanism = variant->mechanism,
                                        .configuration = machine,
                                        .series = series_text_(r->x, variant),
                                        .seed = r->x->seed[s]};
        smrf_store_make_key(&p.run);
        const int err = p.why ? SMRF_OK : smrf_store_verify(r->store, p.run.key);
        if (err) {
            return smrf_runner_fail(r, err, "%s", smrf_store_error(r->store));
        }
        SMRF_POOL_ADD(&r->x->pool, r->planned, r->num_planned, p);
    }
    return SMRF_OK;
}

static int keep_plan_(struct smrf_runner *r)
{
    struct smrf_store_place *places =
        smrf_pool_take(&r->x->pool, (r->num_planned + 1) * sizeof *places);
    size_t count = 0;
    for (size_t i = 0; i < r->num_planned; i++) {
        const struct smrf_planned *p = &r->planned[i];
        const struct smrf_variant *v = &r->x->variant[p->variant];
        const struct smrf_trace_of *t = &r->x->trace[p->trace];
        if (!p->why) {
            places[count++] = (struct smrf_store_place){
                t->name, t->group, v->name, v->sweep, v->settings, p->run.key, p->run.seed};
        }
    }
    int err = smrf_store_plan(r->store, places, count);
    return err ? smrf_runner_fail(r, err, "%s", smrf_store_error(r->store)) : SMRF_OK;
}

int smrf_runner_plan(struct smrf_runner *r, bool make)
{
    struct smrf_experiment *x = r->x;
    char program[SMRF_DIGEST_TEXT];
    if (!smrf_digest_program(program)) {
        return smrf_runner_fail(r, SMRF_ERR_IO, "/proc/self/exe: this program cannot read itself");
    }
    const char *kept = smrf_pool_text(&x->pool, "%s", program);
    for (size_t i = 0; i < x->num_traces; i++) { /* the folder's name is whole by now */
        struct smrf_trace_of *t = &x->trace[i];
        if (t->program) {
            t->path = smrf_pool_text(&x->pool, "%s/%s", x->folder, made_name_(r, t));
        }
    }
    int err = SMRF_OK;
    if (make) {
        int lock = wait_for_tracers_(r);
        err = lock < 0 ? lock : make_traces_(r, kept);
        if (lock >= 0) {
            (void)close(lock);
        }
    }
    struct known_trace *known = smrf_pool_take(&x->pool, (x->num_traces + 1) * sizeof *known);
    if (!err) {
        know_traces_(r, known, kept);
    }
    for (size_t v = 0; !err && v < x->num_variants; v++) {
        if (x->no_sweeps && x->variant[v].sweep[0]) {
            continue;
        }
        for (size_t s = 0; !err && s < smrf_experiment_seeds(x, &x->variant[v]); s++) {
            const char *machine = smrf_experiment_machine(x, &x->variant[v], x->seed[s]);
            err = machine ? plan_one_(r, v, s, machine, known, kept)
                          : smrf_runner_fail(r, SMRF_ERR_INVAL, "%s", x->source.error);
        }
    }
    return err ? err : keep_plan_(r);
}

/* --- running ---------------------------------------------------------------------------------- */

static void add_series_(struct smrf_experiment *x, const char ***words, size_t *n)
{
    const struct smrf_series_wish *s = &x->series;
    if (s->interval) {
        SMRF_POOL_ADD(&x->pool, *words, *n,
                      smrf_pool_text(&x->pool, "--interval=%llu", (unsigned long long)s->interval));
        SMRF_POOL_ADD(&x->pool, *words, *n,
                      smrf_pool_text(&x->pool, "--by=%s", smrf_part_name(s->part)));
        SMRF_POOL_ADD(&x->pool, *words, *n, smrf_pool_text(&x->pool, "--of=%s", s->names));
    }
}

/* Processes that run beside each other share the processors. */
static unsigned threads_each_(const struct smrf_runner *r)
{
    const size_t jobs = r->options->jobs;
    const size_t beside = jobs < r->num_planned ? jobs : r->num_planned;
    const size_t each = smrf_crew_processors() / (beside ? beside : 1);
    return each > 1 ? (unsigned)each : 1;
}

const char **smrf_runner_words(struct smrf_runner *r, const struct smrf_planned *p)
{
    struct smrf_pool *pool = &r->x->pool;
    const struct smrf_variant *v = &r->x->variant[p->variant];
    const char **words = NULL, *json = smrf_runner_file(r, p->run.key, ".json");
    size_t n = 0;
    SMRF_POOL_ADD(pool, words, n, v->tool);
    if (strcmp(v->tool, "run") == 0) {
        SMRF_POOL_ADD(pool, words, n, "--quiet");
        if (!r->options->slurm) {
            SMRF_POOL_ADD(pool, words, n, smrf_pool_text(pool, "--threads=%u", threads_each_(r)));
        }
        SMRF_POOL_ADD(pool, words, n, smrf_pool_text(pool, "--preset=%s", p->run.preset));
        SMRF_POOL_ADD(pool, words, n, smrf_pool_text(pool, "--mechanism=%s", p->run.mechanism));
        for (size_t i = 0; i < r->x->num_config; i++) {
            SMRF_POOL_ADD(pool, words, n, smrf_pool_text(pool, "--config=%s", r->x->config[i]));
        }
        for (size_t i = 0; i < v->num_set + r->x->num_set; i++) {
            SMRF_POOL_ADD(pool, words, n,
                          smrf_pool_text(pool, "--set=%s",
                                         i < v->num_set ? v->set[i] : r->x->set[i - v->num_set]));
        }
        SMRF_POOL_ADD(pool, words, n, smrf_pool_text(pool, "--set=sim.seed=%u", p->run.seed));
        add_series_(r->x, &words, &n);
        if (v->cycles) {
            SMRF_POOL_ADD(pool, words, n,
                          smrf_pool_text(pool, "--max-cycles=%llu", (unsigned long long)v->cycles));
        }
    }
    SMRF_POOL_ADD(pool, words, n, smrf_pool_text(pool, "--json=%s", json));
    SMRF_POOL_ADD(pool, words, n, r->x->trace[p->trace].path);
    SMRF_POOL_ADD(pool, words, n, NULL);
    return words;
}

int smrf_runner_claim(struct smrf_runner *r, const struct smrf_planned *p)
{
    int taken = smrf_store_claim(r->store, &p->run, r->owner, smrf_runner_lives, r);
    return taken < 0 ? smrf_runner_fail(r, taken, "%s", smrf_store_error(r->store)) : taken;
}

int smrf_runner_run(struct smrf_runner *r)
{
    begin_phase_(r, "replaying", r->num_planned);
    int err = r->options->slurm ? smrf_runner_slurm(r) : smrf_runner_local(r);
    smrf_runner_report(r, true);
    return err ? err : (int)r->progress.failed;
}
