/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "experiment.h"

#include "document.h"
#include "machine.h"

#include "platform/config/internal.h"
#include "platform/report/write.h"
#include "traces/files/output_file.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILURES 8 /* failed runs that are reported one by one */

/* The words of the command line, with blanks between them. NULL: out of memory. */
static char *line_(int argc, char **argv)
{
    size_t bytes = 1;
    for (int i = 0; i < argc; i++) {
        bytes += strlen(argv[i]) + 1;
    }
    char *line = calloc(1, bytes), *at = line;
    for (int i = 0; line && i < argc; i++) {
        at = stpcpy(stpcpy(at, i ? " " : ""), argv[i]);
    }
    return line;
}

bool smrf_cli_experiment_begin(struct smrf_cli_experiment *e, const char *command, int argc,
                               char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t room = (size_t)argc + 1;
    e->command = command;
    e->runner.jobs = processors > 0 ? (unsigned)processors : 1;
    e->options.sets = calloc(room, sizeof *e->options.sets);
    e->options.programs = calloc(room, sizeof *e->options.programs);
    e->options.traces = calloc(room, sizeof *e->options.traces);
    e->mechanisms = calloc(room, sizeof *e->mechanisms);
    e->line = line_(argc, argv);
    e->argc = argc;
    e->argv = argv;
    bool whole =
        e->line && e->options.sets && e->options.programs && e->options.traces && e->mechanisms;
    if (!whole) {
        fputs("smrf: out of memory\n", stderr);
    }
    return whole;
}

void smrf_cli_experiment_end(struct smrf_cli_experiment *e)
{
    free(e->line);
    free(e->options.sets);
    free(e->options.programs);
    free(e->options.traces);
    free(e->mechanisms);
}

static unsigned number_(struct argp_state *state, const char *option, const char *text,
                        uint32_t most)
{
    uint32_t value = 0;
    if (smrf_number_parse(text, &value) || value < 1 || value > most) {
        argp_error(state, "--%s takes a whole number from 1 to %u, not '%s'", option, most, text);
    }
    return value;
}

error_t smrf_cli_experiment_parse(struct smrf_cli_experiment *e, int key, char *arg,
                                  struct argp_state *state)
{
    static const char *const runners[] = {"local", "slurm", NULL};
    switch (key) {
    case SMRF_KEY_OUTPUT:
        e->options.folder = arg;
        return 0;
    case SMRF_KEY_JOBS:
        e->runner.jobs = number_(state, "jobs", arg, 256);
        return 0;
    case SMRF_KEY_MEMORY:
        e->runner.memory_mb = number_(state, "memory", arg, 1u << 24);
        return 0;
    case SMRF_KEY_PRESET:
        e->options.preset = arg;
        return 0;
    case SMRF_KEY_SIZE:
        e->options.size = arg;
        return 0;
    case SMRF_KEY_SET:
        e->options.sets[e->options.num_sets++] = arg;
        return 0;
    case SMRF_KEY_MECHANISM:
        e->mechanisms[e->num_mechanisms++] = arg;
        return 0;
    case SMRF_KEY_JSON:
        e->json = arg;
        return 0;
    case SMRF_KEY_LAUNCHES:
        e->launches = true;
        return 0;
    case SMRF_KEY_CSV:
        e->csv = arg;
        return 0;
    case SMRF_KEY_PAGE:
        e->page = arg;
        return 0;
    case SMRF_KEY_REPORT:
        e->report = true;
        return 0;
    case SMRF_KEY_SEEDS:
        e->seeds = number_(state, "seeds", arg, 1000);
        return 0;
    case SMRF_KEY_RUNNER:
        e->runner.slurm = smrf_cli_choose(state, "runner", arg, runners) == 1;
        return 0;
    case SMRF_KEY_SLURM:
        e->runner.slurm_options = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- progress --------------------------------------------------------------------------------- */

/* "1 h 02 min", "3 min 05 s", "12 s" */
static const char *duration_(double seconds, char text[32])
{
    unsigned long s = seconds > 0 ? (unsigned long)(seconds + 0.5) : 0;
    if (s >= 3600) {
        snprintf(text, 32, "%lu h %02lu min", s / 3600, s % 3600 / 60);
    } else if (s >= 60) {
        snprintf(text, 32, "%lu min %02lu s", s / 60, s % 60);
    } else {
        snprintf(text, 32, "%lu s", s);
    }
    return text;
}

/* On a terminal a line that is drawn over itself, else a line now and then. */
static void told_(void *ctx, const struct smrf_progress_of_runs *p)
{
    const bool terminal = ctx != NULL, end = p->done == p->all;
    const size_t own = p->done - p->found;
    char rate[64] = "", left[32], failed[48] = "";
    if (p->all == 0 || (!terminal && p->done == 0)) {
        return;
    }
    if (own && p->seconds > 0) {
        double per_s = (double)own / p->seconds;
        snprintf(rate, sizeof rate, ", %.*f a %s", per_s < 1 ? 1 : 0,
                 per_s < 1 ? 60 * per_s : per_s, per_s < 1 ? "minute" : "second");
        if (!end) {
            size_t used = strlen(rate);
            snprintf(rate + used, sizeof rate - used, ", %s left",
                     duration_((double)(p->all - p->done) / per_s, left));
        }
    }
    if (p->failed) {
        snprintf(failed, sizeof failed, ", %zu FAILED", p->failed);
    }
    fprintf(stderr, "%s%s %zu of %zu (%zu were there)%s%s%s", terminal ? "\r\033[K" : "", p->phase,
            p->done, p->all, p->found, rate, failed, terminal && !end ? "" : "\n");
    fflush(stderr);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* Failures of one cause are reported once. */
static void tell_failures_(const struct smrf_cli_experiment *e, struct smrf_runner *r,
                           size_t failed)
{
    const char *told[FAILURES];
    size_t count = 0;
    for (size_t i = 0; i < r->num_planned && count < FAILURES; i++) {
        const struct smrf_planned *p = &r->planned[i];
        const char *why = smrf_pool_text(&r->x->pool, "%s",
                                         p->why ? p->why : smrf_store_why(r->store, p->run.key));
        bool known = !why[0];
        for (size_t k = 0; !known && k < count; k++) {
            known = strcmp(told[k], why) == 0;
        }
        if (!known) {
            told[count++] = why;
            smrf_cli_error(
                "%s: %s on %s, seed %u: %s%s%s", e->command, r->x->variant[p->variant].name,
                r->x->trace[p->trace].name, p->run.seed, why,
                p->why ? "" : "; its log: ", p->why ? "" : smrf_runner_file(r, p->run.key, ".log"));
        }
    }
    smrf_cli_error("%s: %zu of %zu runs failed and leave gaps; the same command tries them again",
                   e->command, failed, r->num_planned);
}

/* Why a planned run has no result, NULL: it has one. */
static const char *why_missing_(struct smrf_runner *r, const struct smrf_planned *p)
{
    const int state = p->why ? SMRF_STORE_NONE : smrf_store_state(r->store, p->run.key);
    return p->why                        ? p->why
           : state == SMRF_STORE_WHOLE   ? NULL
           : state == SMRF_STORE_FAILED  ? smrf_store_why(r->store, p->run.key)
           : state == SMRF_STORE_CLAIMED ? "it is being run, or was interrupted"
                                         : "it has not been run";
}

void smrf_cli_experiment_missing(struct smrf_runner *r)
{
    struct {
        const char *why;
        size_t count, first;
    } told[FAILURES];
    size_t reasons = 0, others = 0;
    for (size_t i = 0; i < r->num_planned; i++) {
        const char *why = why_missing_(r, &r->planned[i]);
        size_t k = 0;
        while (why && k < reasons && strcmp(told[k].why, why) != 0) {
            k++;
        }
        if (why && k < reasons) {
            told[k].count++;
        } else if (why && reasons < FAILURES) {
            told[reasons].why = smrf_pool_text(&r->x->pool, "%s", why);
            told[reasons].count = 1;
            told[reasons++].first = i;
        } else {
            others += why != NULL;
        }
    }
    for (size_t k = 0; k < reasons; k++) {
        const struct smrf_planned *p = &r->planned[told[k].first];
        printf("missing             %zu run%s, the first %s on %s: %s\n", told[k].count,
               told[k].count == 1 ? "" : "s", r->x->variant[p->variant].name,
               r->x->trace[p->trace].name, told[k].why);
    }
    if (others) {
        printf("missing             %zu more\n", others);
    }
}

static void note_(void *ctx, const char *text)
{
    const struct smrf_cli_experiment *e = ctx;
    smrf_cli_error("%s: note: %s", e->command, text);
}

int smrf_cli_experiment_outputs(const struct smrf_cli_experiment *e, const char *const *inputs,
                                size_t num_inputs)
{
    const char *const outputs[] = {e->json, e->csv, e->page};
    const struct smrf_cli_files files = {outputs, inputs,     e->options.traces,
                                         3,       num_inputs, inputs ? 0 : e->options.num_traces};
    return smrf_cli_outputs(&files);
}

/* The command, so that smrf serve can report it again: its words, and where they were said. */
static int keep_command_(const struct smrf_cli_experiment *e, const struct smrf_experiment *x)
{
    char here[4096];
    json_t *words = json_array();
    const char *name = strrchr(e->command, ' ');
    for (int i = 1; i < e->argc; i++) {
        json_array_append_new(words, json_string(e->argv[i]));
    }
    json_t *root = json_pack("{s:s,s:s,s:o}", "command", name ? name + 1 : e->command, "folder",
                             getcwd(here, sizeof here) ? here : ".", "words", words);
    char path[4096];
    snprintf(path, sizeof path, "%s/" SMRF_CLI_COMMAND_FILE, x->folder);
    return smrf_cli_document(root, path);
}

int smrf_cli_experiment_run(const struct smrf_cli_experiment *e, struct smrf_runner *r,
                            struct smrf_experiment *x, size_t *failed)
{
    const bool make = !e->report;
    static int terminal;
    struct smrf_runner_options options = e->runner;
    const bool drawn = isatty(STDERR_FILENO);
    options.told = told_;
    options.told_ctx = drawn ? &terminal : NULL;
    options.interval_s = drawn ? 0.2 : 60;
    *failed = 0;
    smrf_experiment_ignored(x, note_, (void *)(size_t)e);
    int err = smrf_runner_open(r, x, &options);
    int status = err || !make ? SMRF_EXIT_OK : keep_command_(e, x);
    if (status) {
        r->options = &e->runner;
        return status;
    }
    err = err ? err : smrf_runner_plan(r, make);
    int runs = err || !make ? err : smrf_runner_run(r);
    if (runs > 0) {
        *failed = (size_t)runs;
        tell_failures_(e, r, *failed);
    }
    r->options = &e->runner; /* the copy ends here */
    if (runs < 0) {
        smrf_cli_error("%s: %s", e->command, r->error);
        return smrf_cli_status(runs);
    }
    return SMRF_EXIT_OK;
}

static bool wanted_(void *ctx, const char *name)
{
    const struct smrf_tree *patterns = ctx, *one;
    for (size_t k = 0; (one = smrf_tree_each(patterns, k)) != NULL; k++) {
        if (one->kind == SMRF_TREE_TEXT && fnmatch(one->text, name, 0) == 0) {
            return true;
        }
    }
    return false;
}

struct export
{
    const struct smrf_cli_experiment *e;
    struct smrf_runner *r;
};

static int results_(void *ctx, FILE *out, char *text, size_t size)
{
    const struct export *x = ctx;
    const struct smrf_tree *patterns = x->r->x->statistics;
    int err = smrf_store_export(x->r->store, out, x->e->launches, patterns ? wanted_ : NULL,
                                (void *)(size_t)patterns);
    if (err) {
        snprintf(text, size, "%s", smrf_store_error(x->r->store));
    }
    return err;
}

static int samples_(void *ctx, FILE *out, char *text, size_t size)
{
    const struct export *x = ctx;
    const long long count = smrf_store_export_samples(x->r->store, out);
    if (count < 0) {
        snprintf(text, size, "%s", smrf_store_error(x->r->store));
    }
    return count < 0 ? (int)count : SMRF_OK;
}

int smrf_cli_experiment_export(const struct smrf_cli_experiment *e, struct smrf_runner *r,
                               const char *path)
{
    struct export x = {e, r};
    int status = smrf_cli_file(path, results_, &x);
    if (!status && r->x->series.interval) {
        const char *series = smrf_pool_text(&r->x->pool, "%s/series.csv", r->x->folder);
        status = smrf_cli_file(series, samples_, &x);
    }
    return status;
}

static int page_(void *ctx, FILE *out, char *text, size_t size)
{
    (void)text;
    (void)size;
    return smrf_report_page(out, ctx);
}

int smrf_cli_experiment_report(const struct smrf_cli_experiment *e, struct smrf_data *d)
{
    struct smrf_tables tables;
    char text[1024] = "";
    int err = smrf_tables_make(&tables, d);
    struct smrf_report_parts parts = {d, &tables, e->line, smrf_platform_version(),
                                      e->page != NULL};
    if (err) {
        snprintf(text, sizeof text, "%s", smrf_store_error(d->store));
    } else if (e->page) {
        return smrf_cli_file(e->page, page_, &parts);
    } else {
        err = smrf_report_all(&parts, text, sizeof text);
    }
    if (err) {
        smrf_cli_error("%s: %s", e->command, text);
        return smrf_cli_status(err);
    }
    const char *csv = smrf_pool_text(&d->x->pool, "%s/results.csv", d->x->folder);
    return smrf_cli_experiment_export(e, d->runner, csv);
}
