/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "earlier.h"

#include "firmware/kernels/suite.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 1024

int smrf_study_fail(struct smrf_study *s, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->error, s->error_size, fmt, args);
    va_end(args);
    return code;
}

static int folder_(struct smrf_study *s, const char *path)
{
    char part[PATH_BYTES];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1;; at++) {
        char kept = *at;
        if (kept == '/' || kept == '\0') {
            *at = '\0';
            if (mkdir(part, 0777) && errno != EEXIST) {
                return smrf_study_fail(s, SMRF_ERR_IO, "%s: cannot make the folder: %s", part,
                                       strerror(errno));
            }
            *at = kept;
        }
        if (kept == '\0') {
            return SMRF_OK;
        }
    }
}

/* --- benchmarks ------------------------------------------------------------------------------- */

static int add_bench_(struct smrf_study *s, const char *name, const char *group, const char *trace,
                      bool suite)
{
    if (s->num_bench == s->room) {
        size_t room = s->room ? 2 * s->room : 32;
        struct smrf_study_bench *grown = realloc(s->bench, room * sizeof *grown);
        if (!grown) {
            return smrf_study_fail(s, SMRF_ERR_NOMEM, "out of memory");
        }
        s->bench = grown;
        s->room = room;
    }
    struct smrf_study_bench *b = &s->bench[s->num_bench++];
    *b = (struct smrf_study_bench){strdup(name), strdup(group), strdup(trace), suite, 0};
    return b->name && b->group && b->trace ? SMRF_OK
                                           : smrf_study_fail(s, SMRF_ERR_NOMEM, "out of memory");
}

static bool is_bench_(const struct smrf_study *s, const char *name)
{
    for (size_t i = 0; i < s->num_bench; i++) {
        if (strcmp(s->bench[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int add_program_(struct smrf_study *s, const struct smrf_suite_program *program)
{
    char trace[PATH_BYTES];
    if (is_bench_(s, program->name)) {
        return SMRF_OK; /* named twice, or with its group */
    }
    snprintf(trace, sizeof trace, "%s/traces/%s-%s", s->options->folder, program->name,
             s->options->size);
    return add_bench_(s, program->name, program->group, trace, true);
}

/* A program's name, or a group's: all of it. */
static int add_programs_(struct smrf_study *s, const char *name)
{
    const struct smrf_suite_program *program = smrf_suite_find(name);
    bool found = program != NULL;
    int err = found ? add_program_(s, program) : SMRF_OK;
    for (unsigned i = 0; !err && (program = smrf_suite_at(i)) != NULL; i++) {
        if (strcmp(program->group, name) == 0) {
            found = true;
            err = add_program_(s, program);
        }
    }
    return found ? err
                 : smrf_study_fail(s, SMRF_ERR_UNKNOWN,
                                   "the suite has no program or group '%s'; smrf trace --list "
                                   "shows all",
                                   name);
}

/* "traces/bfs-sm70-v3/" -> "bfs-sm70-v3"; a second one of that name: "bfs-sm70-v3-2". */
static int add_trace_(struct smrf_study *s, const char *path)
{
    char name[256], full[PATH_BYTES];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    const char *start = memrchr(path, '/', length);
    start = start ? start + 1 : path;
    snprintf(name, sizeof name, "%.*s", (int)(length - (size_t)(start - path)), start);
    for (unsigned k = 2; is_bench_(s, name); k++) {
        snprintf(name, sizeof name, "%.*s-%u", (int)(length - (size_t)(start - path)), start, k);
    }
    if (!realpath(path, full)) {
        return smrf_study_fail(s, SMRF_ERR_IO, "%s: %s", path, strerror(errno));
    }
    return add_bench_(s, name, "traces", full, false);
}

static bool is_in_(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0) {
        list++;
    }
    return *list != NULL;
}

static int find_benches_(struct smrf_study *s, const char *const *groups)
{
    const struct smrf_study_options *o = s->options;
    const struct smrf_suite_program *program;
    int err = SMRF_OK;
    for (size_t i = 0; !err && i < o->num_traces; i++) {
        err = add_trace_(s, o->traces[i]);
    }
    for (size_t i = 0; !err && i < o->num_programs; i++) {
        err = add_programs_(s, o->programs[i]);
    }
    bool all = o->num_traces + o->num_programs == 0;
    for (unsigned i = 0; !err && all && (program = smrf_suite_at(i)) != NULL; i++) {
        if (is_in_(program->group, groups)) {
            err = add_program_(s, program);
        }
    }
    return err            ? err
           : s->num_bench ? SMRF_OK
                          : smrf_study_fail(s, SMRF_ERR_INVAL, "there is nothing to run");
}

int smrf_study_open(struct smrf_study *s, const struct smrf_study_options *options,
                    const char *const *groups, char *error, size_t size)
{
    *s = (struct smrf_study){.options = options, .error = error, .error_size = size};
    if (strlen(options->folder) > 400) {
        return smrf_study_fail(s, SMRF_ERR_LIMIT, "the path of the output folder is too long");
    }
    size_t length = 0;
    for (size_t i = 0; i < options->num_sets; i++) {
        length += strlen(options->sets[i]);
        if (strchr(options->sets[i], '/') || options->num_sets > 6 || length > 200) {
            return smrf_study_fail(s, SMRF_ERR_INVAL,
                                   "--set: at most 6 settings, 200 characters, no '/'");
        }
    }
    int err = folder_(s, options->folder);
    return err ? err : find_benches_(s, groups);
}

void smrf_study_close(struct smrf_study *s)
{
    for (size_t i = 0; i < s->num_bench; i++) {
        free(s->bench[i].name);
        free(s->bench[i].group);
        free(s->bench[i].trace);
    }
    free(s->bench);
    smrf_jobs_free(&s->traces);
    smrf_jobs_free(&s->runs);
    smrf_tables_free(&s->tables);
}

/* --- planning --------------------------------------------------------------------------------- */

/* runs/<preset>[,<setting>..]/<benchmark>[-<size>]/<stem>.json: runs of another machine lie apart.
 */
static const char *file_(const struct smrf_study *s, const struct smrf_study_bench *bench,
                         const char *stem, const char *ending)
{
    static char path[PATH_BYTES];
    const struct smrf_study_options *o = s->options;
    int used = snprintf(path, sizeof path, "%s/runs/%s", o->folder, o->preset);
    for (size_t i = 0; i < o->num_sets; i++) {
        used += snprintf(path + used, sizeof path - (size_t)used, ",%s", o->sets[i]);
    }
    snprintf(path + used, sizeof path - (size_t)used, "/%s%s%s/%s%s", bench->name,
             bench->suite ? "-" : "", bench->suite ? o->size : "", stem, ending);
    return path;
}

const char *smrf_study_run_file(const struct smrf_study *s, const struct smrf_study_bench *bench,
                                const struct smrf_study_variant *variant)
{
    return file_(s, bench, variant->name, ".json");
}

const char *smrf_study_reuse_file(const struct smrf_study *s, const struct smrf_study_bench *bench)
{
    return file_(s, bench, "reuse-distances", ".json");
}

static int add_(struct smrf_study *s, const struct smrf_study_bench *bench, const char *stem,
                const char *const *args)
{
    char log[PATH_BYTES], folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", file_(s, bench, stem, ""));
    *strrchr(folder, '/') = '\0';
    int err = folder_(s, folder);
    snprintf(log, sizeof log, "%s", file_(s, bench, stem, ".log"));
    if (!err && smrf_jobs_add(&s->runs, file_(s, bench, stem, ".json"), log, args)) {
        err = smrf_study_fail(s, SMRF_ERR_NOMEM, "out of memory for the plan of runs");
    }
    return err;
}

int smrf_study_plan(struct smrf_study *s, const struct smrf_study_bench *bench,
                    const struct smrf_study_variant *variant)
{
    char output[PATH_BYTES];
    const char *args[SMRF_JOB_ARGS];
    size_t n = 0;
    snprintf(output, sizeof output, "%s", smrf_study_run_file(s, bench, variant));
    args[n++] = "run";
    args[n++] = "--quiet";
    args[n++] = "--preset";
    args[n++] = s->options->preset;
    args[n++] = "--mechanism";
    args[n++] = variant->mechanism;
    args[n++] = "--json";
    args[n++] = output;
    for (size_t i = 0; i < SMRF_STUDY_SETS && variant->set[i]; i++) {
        args[n++] = "--set";
        args[n++] = variant->set[i];
    }
    for (size_t i = 0; i < s->options->num_sets; i++) {
        args[n++] = "--set";
        args[n++] = s->options->sets[i];
    }
    args[n++] = bench->trace;
    args[n] = NULL;
    return add_(s, bench, variant->name, args);
}

int smrf_study_plan_reuse(struct smrf_study *s, const struct smrf_study_bench *bench)
{
    char option[PATH_BYTES + 16];
    snprintf(option, sizeof option, "--json=%s", smrf_study_reuse_file(s, bench));
    const char *const args[] = {"annotate", option, bench->trace, NULL};
    return add_(s, bench, "reuse-distances", args);
}

/* --- executing -------------------------------------------------------------------------------- */

static int plan_traces_(struct smrf_study *s)
{
    char path[PATH_BYTES], log[PATH_BYTES], list[PATH_BYTES];
    int err = SMRF_OK;
    for (size_t i = 0; !err && i < s->num_bench; i++) {
        const struct smrf_study_bench *b = &s->bench[i];
        if (!b->suite) {
            continue;
        }
        snprintf(path, sizeof path, "%s/traces", s->options->folder);
        err = folder_(s, path);
        snprintf(list, sizeof list, "%s/kernelslist.g", b->trace);
        snprintf(log, sizeof log, "%s.log", b->trace);
        const char *const args[] = {"trace",   b->name,    "--size", s->options->size,
                                    "--force", "--output", b->trace, NULL};
        if (!err && smrf_jobs_add(&s->traces, list, log, args)) {
            err = smrf_study_fail(s, SMRF_ERR_NOMEM, "out of memory for the plan of traces");
        }
    }
    return err;
}

struct telling {
    struct smrf_study *s;
    const char *phase;
};

static void told_(void *ctx, size_t done, size_t all, const struct smrf_job *job)
{
    const struct telling *t = ctx;
    (void)job;
    if (t->s->options->told) {
        t->s->options->told(t->s->options->told_ctx, t->phase, done, all);
    }
}

static int phase_(struct smrf_study *s, struct smrf_jobs *jobs, const char *phase)
{
    char text[SMRF_JOB_TEXT];
    struct telling t = {s, phase};
    int failed = smrf_jobs_run(jobs, s->options->parallel, told_, &t, text);
    if (failed < 0) {
        return smrf_study_fail(s, failed, "%s", text);
    }
    if (failed && (size_t)failed == jobs->num) {
        return smrf_study_fail(s, SMRF_ERR_CHECK, "%s: all %d failed, the first: %s", phase, failed,
                               text);
    }
    if (failed) {
        fprintf(stderr, "smrf study: %s: %d of %zu failed and leave gaps, the first: %s\n", phase,
                failed, jobs->num, text);
    }
    return SMRF_OK;
}

int smrf_study_execute(struct smrf_study *s)
{
    int err = plan_traces_(s);
    s->traces.good = smrf_study_trace_is_good;
    s->runs.good = smrf_study_run_is_good;
    s->traces.ctx = s->runs.ctx = s;
    if (!err && s->traces.num) {
        err = phase_(s, &s->traces, "tracing");
    }
    return err ? err : phase_(s, &s->runs, "replaying");
}

/* --- results ---------------------------------------------------------------------------------- */

static double at_(const json_t *root, const char *path)
{
    char key[64];
    for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        root = json_object_get(root, key);
    }
    return json_number_value(json_object_get(root, path));
}

struct smrf_study_result smrf_study_result(const struct smrf_study *s,
                                           const struct smrf_study_bench *bench,
                                           const struct smrf_study_variant *variant)
{
    struct smrf_study_result r = {0};
    json_t *root = json_load_file(smrf_study_run_file(s, bench, variant), 0, NULL);
    if (!root) {
        return r;
    }
    r.ok = true;
    r.cycles = at_(root, "cycles");
    r.ipc = at_(root, "ipc");
    r.hit_ratio = at_(root, "rf.hit_ratio");
    r.l1d_hit_ratio = at_(root, "l1d.hit_ratio");
    double writes = at_(root, "rf.bank_writes");
    r.write_ratio = writes > 0 ? at_(root, "rf.cache_writes") / writes : 0;
    double insts = at_(root, "instructions.warp");
    r.tensor_ratio = insts > 0 ? at_(root, "instructions.by_class.tensor") / insts : 0;
    const char *digest =
        json_string_value(json_object_get(json_object_get(root, "provenance"), "trace_digest"));
    snprintf(r.trace, sizeof r.trace, "%s", digest ? digest : "");
    for (unsigned i = 0; i < SMRF_ENERGY_BUILT_IN; i++) {
        char path[64];
        snprintf(path, sizeof path, "energy.%s.total", smrf_energy_set_at(i)->name);
        r.energy[i] = at_(root, path);
    }
    json_decref(root);
    return r;
}

void smrf_study_claim(struct smrf_study *s, const char *what, const char *source, const char *unit,
                      double paper, double ours)
{
    if (s->num_claims < sizeof s->claim / sizeof *s->claim) {
        s->claim[s->num_claims++] = (struct smrf_claim){what, source, unit, paper, ours};
    }
}
