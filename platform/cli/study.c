/* SPDX-License-Identifier: Apache-2.0 */
/* smrf study */
#define _GNU_SOURCE
#include "experiment.h"

#include "platform/config/embedded.h"
#include "platform/report/claims.h"
#include "platform/report/front.h"
#include "platform/store/digest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct study {
    struct smrf_cli_experiment e;
    const char *name;
    const char *front; /* the page over several studies; NULL: not wanted */
};

enum { KEY_PROGRAM = 256, KEY_NO_SWEEPS, KEY_FRONT };

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "The study:", 1},
    {"output", SMRF_KEY_OUTPUT, "DIR", 0,
     "folder of the store, traces and report (default: study-NAME)", 1},
    {"report", SMRF_KEY_REPORT, 0, 0, "run nothing: report what there is, also while others run",
     1},
    {"page", SMRF_KEY_PAGE, "FILE", 0,
     "write only the page, to FILE, instead of the report in the folder", 1},
    {"no-sweeps", KEY_NO_SWEEPS, 0, 0, "skip the sweeps", 1},
    {"front", KEY_FRONT, "FILE", 0,
     "run nothing: write a front page over the studies in the named folders", 1},
    {0, 0, 0, 0, "In place of what the file says:", 2},
    {"size", SMRF_KEY_SIZE, "S", 0, "size of the suite's programs: small, medium or large", 2},
    {"program", KEY_PROGRAM, "NAME", 0,
     "only these programs or groups of the suite; "
     "repeatable",
     2},
    {"preset", SMRF_KEY_PRESET, "P", 0, "the machine", 2},
    {"set", SMRF_KEY_SET, "K=V", 0, "change the machine of every run; repeatable", 2},
    {"seeds", SMRF_KEY_SEEDS, "N", 0,
     "run with the seeds 1 to N; with more than one, report the spread of means", 2},
    {0, 0, 0, 0, "The runs:", 3},
    {"jobs", SMRF_KEY_JOBS, "N", 0, "processes at a time (default: the machine's processors)", 3},
    {"memory", SMRF_KEY_MEMORY, "MB", 0, "a run that uses more fails (default: no limit)", 3},
    {"runner", SMRF_KEY_RUNNER, "R", 0,
     "local (default): processes of this machine; slurm: arrays of jobs over a folder that all "
     "nodes see",
     3},
    {"slurm-options", SMRF_KEY_SLURM, "WORDS", 0,
     "for sbatch, for instance \"--partition=cpu --time=1:00:00\"", 3},
    {"launches", SMRF_KEY_LAUNCHES, 0, 0,
     "put each launch into results.csv, too; the store has them in any case", 3},
    {0},
};

/* Of the studies that come with the program: "cars, larf". */
static void names_(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct smrf_embedded *s = smrf_studies; s->name && used < size; s++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", s->name);
    }
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    char names[200];
    struct study *o = state->input;
    switch (key) {
    case KEY_PROGRAM:
        o->e.options.programs[o->e.options.num_programs++] = arg;
        return 0;
    case KEY_NO_SWEEPS:
        o->e.options.no_sweeps = true;
        return 0;
    case KEY_FRONT:
        o->front = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (!o->name && !o->front) {
            o->name = arg;
        } else {
            o->e.options.traces[o->e.options.num_traces++] = arg;
        }
        return 0;
    case ARGP_KEY_NO_ARGS:
        names_(names, sizeof names);
        argp_error(state, "which study? A file, or: %s", names);
        return 0;
    default:
        return smrf_cli_experiment_parse(&o->e, key, arg, state);
    }
}

const struct argp smrf_cli_study_argp = {
    option_table,
    parse_,
    "FILE|NAME [TRACE..]\n--front=PAGE DIR..",
    "Run an experiment that a YAML file describes (docs/experiments.md), or a paper's study that "
    "comes with the program (smrf study alone names them), and report it: report.html, tables as "
    "CSV, every number in experiment.sqlite and results.csv.\v"
    "The programs of the suite are traced first; with TRACEs these are used instead. An "
    "interrupted study goes on where it stopped, and runs only what its store does not have: "
    "whole, of the same trace, machine and program. Status 0: everything is there; 1: some runs "
    "failed and leave "
    "gaps. A claim that needs a run that is not there has no verdict.\n"
    "\n"
    "  smrf study malekeh                           the whole, small sizes\n"
    "  smrf study malekeh --size medium -o m        larger inputs: minutes\n"
    "  smrf study mine.yaml                         an experiment of your own\n"
    "  smrf study mine.yaml --report                what is there by now\n"
    "  smrf serve study-mine                        the same in a browser, live\n"
    "  smrf study --front=index.html m study-mine   all claims, and their verdicts",
    NULL,
    NULL,
    NULL};

/* "dir/mine.yaml" -> "mine" */
static void stem_(const char *name, char stem[128])
{
    const char *slash = strrchr(name, '/');
    snprintf(stem, 128, "%.127s", slash ? slash + 1 : name);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) {
        *dot = '\0';
    }
}

static const struct smrf_embedded *find_(const char *name)
{
    const struct smrf_embedded *s = smrf_studies;
    while (s->name && strcmp(s->name, name) != 0) {
        s++;
    }
    return s->name ? s : NULL;
}

static int load_(struct study *o, struct smrf_experiment *x)
{
    const struct smrf_embedded *known = find_(o->name);
    int err = SMRF_ERR_UNKNOWN;
    o->e.options.seeds = o->e.seeds;
    if (known) {
        const char *file = smrf_pool_text(&x->pool, "%s.yaml", known->name);
        err = smrf_experiment_load_text(x, file, known->text, known->size, &o->e.options);
    } else if (!strchr(o->name, '/') && !strchr(o->name, '.') && access(o->name, F_OK) != 0) {
        char all[200];
        names_(all, sizeof all);
        snprintf(x->source.error, sizeof x->source.error,
                 "there is no study of '%.100s', and no such file; there is: %s", o->name, all);
    } else {
        err = smrf_experiment_load(x, o->name, &o->e.options);
    }
    if (err) {
        smrf_cli_error("smrf study: %s", x->source.error);
    }
    return err ? SMRF_EXIT_USAGE : SMRF_EXIT_OK;
}

static int report_(const struct study *o, struct smrf_runner *r)
{
    struct smrf_data d;
    int err = smrf_data_open(&d, r);
    if (err) {
        smrf_cli_error("smrf study: %s", smrf_store_error(r->store));
        return smrf_cli_status(err);
    }
    int status = smrf_cli_experiment_report(&o->e, &d);
    if (o->e.page && strcmp(o->e.page, "-") == 0) {
        return status; /* standard output is the page's */
    }
    if (!status && r->x->num_claims) {
        smrf_claims_print(stdout, &d);
        fputc('\n', stdout);
    }
    if (!status && d.whole < d.planned) {
        smrf_cli_experiment_missing(r);
        char program[SMRF_DIGEST_TEXT];
        long long foreign =
            smrf_digest_program(program) ? smrf_store_foreign(r->store, program) : 0;
        if (foreign > 0) {
            printf("of another program  %lld runs in the store, not shown: the program has changed "
                   "since\n",
                   foreign);
        }
    }
    if (!status) {
        const char *folder = r->x->folder;
        printf("runs                %zu of %zu\nreport              %s%s\nevery number        "
               "%s%s%s/%s\n",
               d.whole, d.planned, o->e.page ? o->e.page : folder, o->e.page ? "" : "/report.html",
               o->e.page ? "" : folder, o->e.page ? "" : "/results.csv, ", folder, SMRF_STORE_FILE);
    }
    return status;
}

static int front_(const struct study *o)
{
    char text[1024] = "";
    int err =
        smrf_front_write(o->front, o->e.options.traces, o->e.options.num_traces, text, sizeof text);
    if (err) {
        smrf_cli_error("smrf study: %s", text);
        return smrf_cli_status(err);
    }
    return SMRF_EXIT_OK;
}

static int run_(struct study *o)
{
    char stem[128], folder[160];
    struct smrf_experiment x;
    struct smrf_runner r;
    size_t failed = 0;
    const int clash = smrf_cli_experiment_outputs(&o->e, NULL, 0);
    if (clash) {
        return clash;
    }
    stem_(o->name, stem);
    snprintf(folder, sizeof folder, "study-%s", stem);
    o->e.options.folder = o->e.options.folder ? o->e.options.folder : folder;
    smrf_experiment_init(&x, stem, &o->e.options);
    int status = load_(o, &x);
    if (!status) {
        status = smrf_cli_experiment_run(&o->e, &r, &x, &failed);
        status = status ? status : report_(o, &r);
        smrf_runner_close(&r);
    }
    smrf_experiment_free(&x);
    return status ? status : failed ? SMRF_EXIT_FAILURE : SMRF_EXIT_OK;
}

int smrf_cli_study(int argc, char **argv)
{
    struct study o = {0};
    int status = SMRF_EXIT_FAILURE;
    if (smrf_cli_experiment_begin(&o.e, "smrf study", argc, argv)) {
        status = argp_parse(&smrf_cli_study_argp, argc, argv, 0, NULL, &o) ? SMRF_EXIT_USAGE
                 : o.front                                                 ? front_(&o)
                                                                           : run_(&o);
    }
    smrf_cli_experiment_end(&o.e);
    return status;
}
