/* SPDX-License-Identifier: Apache-2.0 */
/* smrf study */
#define _GNU_SOURCE
#include "cli.h"

#include "platform/config/config.h"
#include "platform/config/internal.h"
#include "platform/study/study.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct study {
    const char *name, *folder;
    struct smrf_study_options options;
};

enum option_key {
    KEY_OUTPUT = 'o',
    KEY_SIZE = 's',
    KEY_JOBS = 'j',
    KEY_PRESET = 'p',
    KEY_SET = 'S',
    KEY_PROGRAM = 256,
    KEY_NO_SWEEPS
};

static const struct argp_option option_table[] = {
    {"output", KEY_OUTPUT, "DIR", 0, "folder for traces, runs and tables (default: study-NAME)", 0},
    {"size", KEY_SIZE, "S", 0, "of the suite's programs: small (default), medium or large", 0},
    {"jobs", KEY_JOBS, "N", 0, "processes at a time (default: the machine's processors)", 0},
    {"preset", KEY_PRESET, "P", 0, "the machine (default: rtx2060-paper)", 0},
    {"set", KEY_SET, "K=V", 0, "change the machine of every run; repeatable; at most 6", 0},
    {"program", KEY_PROGRAM, "NAME", 0, "only this program, or group, of the suite; repeatable", 0},
    {"no-sweeps", KEY_NO_SWEEPS, 0, 0, "leave out the sensitivity studies", 0},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct study *o = state->input;
    uint32_t jobs = 0;
    switch (key) {
    case KEY_OUTPUT:
        o->folder = arg;
        return 0;
    case KEY_SIZE:
        if (strcmp(arg, "small") && strcmp(arg, "medium") && strcmp(arg, "large")) {
            argp_error(state, "--size is small, medium or large, not '%s'", arg);
        }
        o->options.size = arg;
        return 0;
    case KEY_JOBS:
        if (smrf_number_parse(arg, &jobs) || jobs < 1 || jobs > 256) {
            argp_error(state, "--jobs takes a whole number from 1 to 256, not '%s'", arg);
        }
        o->options.parallel = jobs;
        return 0;
    case KEY_PRESET:
        o->options.preset = arg;
        return 0;
    case KEY_SET:
        o->options.sets[o->options.num_sets++] = arg;
        return 0;
    case KEY_PROGRAM:
        o->options.programs[o->options.num_programs++] = arg;
        return 0;
    case KEY_NO_SWEEPS:
        o->options.no_sweeps = true;
        return 0;
    case ARGP_KEY_ARG:
        if (!o->name) {
            o->name = arg;
        } else {
            o->options.traces[o->options.num_traces++] = arg;
        }
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which study? There is: malekeh");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp study_argp = {
    option_table,
    parse_,
    "NAME [TRACE..]",
    "Repeat a paper's measurements and put its numbers beside ours: tables as CSV and JSON, "
    "pictures "
    "as SVG, and one page, index.html. Studies: malekeh.\v"
    "The programs of the suite are traced first; with TRACEs these are used instead. Every run is "
    "a "
    "process that leaves a file, so that an interrupted study goes on where it stopped, and a "
    "second "
    "one with other tables runs only what is new.\n\n"
    "  smrf study malekeh                           the whole, small sizes\n"
    "  smrf study malekeh --size medium -o m        larger inputs: minutes\n"
    "  smrf study malekeh my-trace other-trace      on traces of your own",
    NULL,
    NULL,
    NULL};

/* A line that is drawn over itself, on a terminal only. */
static void told_(void *ctx, const char *phase, size_t done, size_t all)
{
    char bar[25];
    (void)ctx;
    for (size_t i = 0; i < 24; i++) {
        bar[i] = i * all < done * 24 ? '#' : '.';
    }
    bar[24] = '\0';
    fprintf(stderr, "\r\033[K[%s] %s %zu of %zu%s", bar, phase, done, all, done == all ? "\n" : "");
    fflush(stderr);
}

static int run_(struct study *o)
{
    char folder[512], text[1024] = "";
    if (strcmp(o->name, "malekeh") != 0) {
        smrf_cli_error("smrf study: there is no study of '%s'; there is: malekeh", o->name);
        return SMRF_EXIT_USAGE;
    }
    snprintf(folder, sizeof folder, "study-%s", o->name);
    o->options.folder = o->folder ? o->folder : folder;
    struct smrf_config cfg;
    struct smrf_config_error err;
    if (smrf_preset_apply(&cfg, o->options.preset, &err)) {
        smrf_cli_error("smrf study: %s", err.text);
        return SMRF_EXIT_USAGE;
    }
    o->options.summary = stdout;
    int failed = smrf_study_malekeh(&o->options, text, sizeof text);
    if (failed) {
        smrf_cli_error("smrf study: %s", text);
        return smrf_cli_status(failed);
    }
    printf("\ntables and pictures %s/index.html\nnumbers             %s/study.json, %s/*.csv\n",
           o->options.folder, o->options.folder, o->options.folder);
    return SMRF_EXIT_OK;
}

int smrf_cli_study(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct study o = {.options = {.size = "small",
                                  .preset = SMRF_DEFAULT_PRESET,
                                  .parallel = processors > 0 ? (unsigned)processors : 1}};
    o.options.programs = calloc((size_t)argc + 1, sizeof *o.options.programs);
    o.options.sets = calloc((size_t)argc + 1, sizeof *o.options.sets);
    o.options.traces = calloc((size_t)argc + 1, sizeof *o.options.traces);
    int status = SMRF_EXIT_FAILURE;
    if (!o.options.programs || !o.options.sets || !o.options.traces) {
        fputs("smrf: out of memory\n", stderr);
    } else if (argp_parse(&study_argp, argc, argv, 0, NULL, &o)) {
        status = SMRF_EXIT_USAGE;
    } else {
        o.options.told = isatty(STDERR_FILENO) ? told_ : NULL;
        status = run_(&o);
    }
    free(o.options.sets);
    free(o.options.programs);
    free(o.options.traces);
    return status;
}
