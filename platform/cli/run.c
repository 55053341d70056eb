/* SPDX-License-Identifier: Apache-2.0 */
/* smrf run */
#define _GNU_SOURCE
#include "machine.h"

#include "traces/files/output_file.h"

#include <string.h>
#include <unistd.h>

struct options {
    struct smrf_cli_machine machine;
    const char *json, *csv;
    uint64_t max_cycles, max_insts; /* SMRF_NO_LIMIT = none */
    bool quiet;
};

enum option_key { KEY_JSON = 'j', KEY_QUIET = 'q', KEY_CSV = 256, KEY_MAX_CYCLES, KEY_MAX_INSTS };

static const struct argp_option option_table[] = {
    {"max-cycles", KEY_MAX_CYCLES, "N", 0, "stop after N core cycles", 2},
    {"max-insts", KEY_MAX_INSTS, "N", 0, "stop after about N warp instructions", 2},
    {"json", KEY_JSON, "FILE", 0, "write everything as JSON; - is standard output", 3},
    {"csv", KEY_CSV, "FILE", 0, "write a row for the run and one for each launch; - as above", 3},
    {"quiet", KEY_QUIET, 0, 0, "no summary and no progress", 3},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->machine;
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_CSV:
        o->csv = arg;
        return 0;
    case KEY_MAX_CYCLES:
        o->max_cycles = smrf_cli_number(state, "max-cycles", arg);
        return 0;
    case KEY_MAX_INSTS:
        o->max_insts = smrf_cli_number(state, "max-insts", arg);
        return 0;
    case KEY_QUIET:
        o->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&smrf_cli_machine_argp, 0, NULL, 0}, {0}};

static const struct argp run_argp = {
    option_table,
    parse_,
    "TRACE..",
    "Replay traces on a modelled GPU and report what happened. Several traces run one after the "
    "other on the same machine.\v"
    "Later options win over earlier ones of the same kind; across kinds the order is fixed: "
    "default "
    "< --preset < the mechanism's own < --gpgpusim < --config < --set (with --seed and "
    "--check).\n\n"
    "Ctrl-C, SIGTERM, --max-cycles and --max-insts end a run early: results up to there are "
    "written "
    "and marked \"partial\": true, and the exit status is 0.",
    children,
    NULL,
    NULL};

static void note_(void *ctx, const char *text)
{
    (void)ctx;
    smrf_cli_error("smrf: note: %s", text);
}

/* --- signals ---------------------------------------------------------------------------------- */

static struct smrf_platform *volatile signalled;

/* The second signal ends the program. */
static void on_signal_(int number)
{
    (void)number;
    smrf_cli_catch(NULL);
    if (signalled) {
        smrf_platform_stop(signalled);
    }
}

static void catch_signals_(struct smrf_platform *p)
{
    signalled = p;
    smrf_cli_catch(on_signal_);
}

static void release_signals_(void)
{
    smrf_cli_catch(NULL);
    signalled = NULL;
}

/* --- the run ---------------------------------------------------------------------------------- */

static int write_results_(struct smrf_platform *p, const struct options *o)
{
    int err = o->json ? smrf_platform_write_json(p, o->json) : SMRF_OK;
    if (!err && o->csv) {
        err = smrf_platform_write_csv(p, o->csv);
    }
    return err ? smrf_cli_complain(p, smrf_cli_status(err)) : SMRF_EXIT_OK;
}

static void summarise_(struct smrf_platform *p, const struct options *o)
{
    bool to_stdout =
        (o->json && smrf_output_is_stdout(o->json)) || (o->csv && smrf_output_is_stdout(o->csv));
    FILE *out = to_stdout ? stderr : stdout;
    if (o->quiet) {
        return;
    }
    smrf_cli_summary(p, out);
    if (o->json && strcmp(o->json, "-") != 0) {
        fprintf(out, "JSON                %s\n", o->json);
    }
    if (o->csv && strcmp(o->csv, "-") != 0) {
        fprintf(out, "CSV                 %s\n", o->csv);
    }
}

static int replay_(struct smrf_platform *p, const struct options *o)
{
    int err = smrf_platform_build(p);
    if (err) {
        return smrf_cli_complain(p, smrf_cli_status(err));
    }
    if (!o->quiet && isatty(STDERR_FILENO)) {
        smrf_cli_progress_start(p);
    }
    int end = smrf_platform_run(p, o->max_cycles);
    smrf_cli_progress_end();
    release_signals_();
    int status = end < 0 ? smrf_cli_complain(p, smrf_cli_status(end)) : SMRF_EXIT_OK;
    if (end == SMRF_RUN_HALTED) {
        fputs("smrf: stopped by a signal: the results are partial\n", stderr);
    } else if (end == SMRF_RUN_MORE) {
        fputs("smrf: limit reached: the results are partial\n", stderr);
    }
    int written = write_results_(p, o);
    if ((end >= 0 || end == SMRF_ERR_CHECK) && !written) {
        summarise_(p, o);
    }
    return status ? status : written;
}

int smrf_cli_run(int argc, char **argv)
{
    struct options o = {.max_cycles = SMRF_NO_LIMIT, .max_insts = SMRF_NO_LIMIT};
    struct smrf_platform *p = NULL;
    if (argp_parse(&run_argp, argc, argv, 0, NULL, &o)) {
        return SMRF_EXIT_USAGE;
    }
    int status = SMRF_EXIT_FAILURE;
    const char *const outputs[] = {o.json, o.csv};
    if (o.machine.explain) {
        status = smrf_cli_explain(o.machine.explain);
    } else if (smrf_platform_create(&p)) {
        fputs("smrf: out of memory\n", stderr);
    } else {
        smrf_platform_on_note(p, note_, NULL);
        catch_signals_(p);
        smrf_platform_limit_insts(p, o.max_insts);
        status = smrf_cli_machine_configure(p, &o.machine, SIZE_MAX);
        status = status ? status : smrf_cli_machine_outputs(&o.machine, outputs, 2);
        status = status ? status : replay_(p, &o);
    }
    smrf_platform_destroy(p);
    smrf_cli_machine_free(&o.machine);
    return status;
}
