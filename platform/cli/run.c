/* SPDX-License-Identifier: Apache-2.0 */
/* smrf run */
#define _GNU_SOURCE
#include "document.h"
#include "machine.h"
#include "nvcc.h"
#include "run_program.h"
#include "window.h"

#include "platform/series/series.h"

#include "traces/files/output_file.h"

#include <string.h>
#include <unistd.h>

struct options {
    struct smrf_cli_machine machine;
    struct smrf_cli_run_program program;
    char *source[2]; /* a program: foo.cu and NULL */
    const char *json, *csv, *accelsim, *series;
    uint64_t interval;    /* of the series; 0: not given */
    const char *of, *by;  /* .. its statistics and parts; NULL: not given */
    const char *timeline; /* NULL: not wanted */
    struct smrf_timeline_window window;
    struct smrf_timeline *recorder; /* NULL: no timeline */
    uint64_t max_cycles, max_insts; /* SMRF_NO_LIMIT = none */
    bool quiet;
};

#define TIMELINE_CYCLES 10000

enum option_key {
    KEY_QUIET = 'q',
    KEY_JSON = 256,
    KEY_CSV,
    KEY_ACCELSIM,
    KEY_MAX_CYCLES,
    KEY_MAX_INSTS,
    KEY_SERIES,
    KEY_INTERVAL,
    KEY_OF,
    KEY_BY,
    KEY_TIMELINE,
    KEY_FROM,
    KEY_TO,
    KEY_SM,
    KEY_FORMAT = 'f'
};

static const struct argp_option option_table[] = {
    {"max-cycles", KEY_MAX_CYCLES, "N", 0, "stop after N core cycles", 2},
    {"max-insts", KEY_MAX_INSTS, "N", 0,
     "stop after about N warp instructions; with a CUDA program, start no further block of a "
     "launch after N",
     2},
    {"format", KEY_FORMAT, "F", 0,
     "form of a CUDA program's trace: v5 (default), or v6 with uniform registers and register "
     "values",
     2},
    {"json", KEY_JSON, "FILE", 0, "write everything as JSON; - is standard output", 3},
    {"csv", KEY_CSV, "FILE", 0,
     "write a row for the run and one for each launch; - is "
     "standard output",
     3},
    {"accelsim-stats", KEY_ACCELSIM, "FILE", OPTION_ARG_OPTIONAL,
     "write the statistics as Accel-Sim prints them, for get_stats.py and scripts like it: a "
     "section a launch, with growing totals; without FILE to standard output",
     3},
    {"series", KEY_SERIES, "FILE", 0,
     "write statistics by interval, one number a line; - is standard output; --json has them, too",
     3},
    {"interval", KEY_INTERVAL, "CYCLES", 0, "length of an interval (default 1000)", 3},
    {"of", KEY_OF, "NAME,..", 0,
     "statistics of the series, energy.SET.COMPONENT among them; * stands for any letters "
     "(default: " SMRF_SERIES_DEFAULT "); smrf list statistics, smrf list energy",
     3},
    {"by", KEY_BY, "PART", 0,
     "parts of the machine in the series: gpu (default), sm, "
     "subcore or bank",
     3},
    {"timeline", KEY_TIMELINE, "FILE", 0,
     "write what happens in one SM: trace events for Perfetto and Chrome, or a waveform if FILE "
     "ends "
     "in .vcd",
     3},
    {"from", KEY_FROM, "C", 0, "first cycle of the timeline (default 0)", 3},
    {"to", KEY_TO, "C", 0, "first cycle after the timeline (default: 10,000 after --from)", 3},
    {"sm", KEY_SM, "N", 0,
     "SM of the timeline (default: the one with the most warps at "
     "its first cycle)",
     3},
    {"quiet", KEY_QUIET, 0, 0, "no summary and no progress", 3},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    static const char *const formats[] = {"v5", "v6", NULL};
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->machine;
        state->child_inputs[1] = &o->program.options;
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_CSV:
        o->csv = arg;
        return 0;
    case KEY_ACCELSIM:
        o->accelsim = arg ? arg : "-";
        return 0;
    case KEY_MAX_CYCLES:
        o->max_cycles = smrf_cli_number(state, "max-cycles", arg);
        return 0;
    case KEY_MAX_INSTS:
        o->max_insts = smrf_cli_number(state, "max-insts", arg);
        return 0;
    case KEY_SERIES:
        o->series = arg;
        return 0;
    case KEY_INTERVAL:
        o->interval = smrf_cli_number(state, "interval", arg);
        return 0;
    case KEY_OF:
        o->of = arg;
        return 0;
    case KEY_BY:
        o->by = arg;
        return 0;
    case KEY_TIMELINE:
        o->timeline = arg;
        return 0;
    case KEY_FROM:
        o->window.from = smrf_cli_index(state, "from", arg, UINT64_MAX / 2);
        return 0;
    case KEY_TO:
        o->window.to = smrf_cli_number(state, "to", arg);
        return 0;
    case KEY_SM:
        o->window.sm = (uint32_t)smrf_cli_index(state, "sm", arg, UINT16_MAX);
        return 0;
    case KEY_FORMAT:
        o->program.capture.values = smrf_cli_choose(state, "format", arg, formats) != 0;
        o->program.capture.format = o->program.capture.values ? SMRF_TRACE_V6 : SMRF_TRACE_V5;
        o->program.options.given = true;
        return 0;
    case ARGP_KEY_END:
        if (!o->window.to) {
            o->window.to = o->window.from + TIMELINE_CYCLES;
        }
        if (o->window.to <= o->window.from) {
            argp_error(state, "--to must be after --from");
        }
        if ((o->interval || o->of || o->by) && !o->series && !o->json) {
            argp_error(state,
                       "--interval, --of and --by are of a series: --series FILE, or --json");
        }
        return 0;
    case KEY_QUIET:
        o->quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&smrf_cli_machine_argp, 0, NULL, 0}, {&smrf_cli_program_argp, 0, NULL, 0}, {0}};

const struct argp smrf_cli_run_argp = {
    option_table,
    parse_,
    "TRACE..\n-- CUDA-PROGRAM|FILE.cu [ARGUMENT..]\nFILE.cu",
    "Replay traces on a modelled GPU and report what happened. Several traces run one after the "
    "other on the same machine. A CUDA program after -- is executed on this computer, unmodified "
    "and without a GPU, and each of its launches is replayed as it ends; no trace is written.\v"
    "Later options win over earlier ones of the same kind; across kinds the order is fixed: "
    "default "
    "< --preset < the mechanism's own < --gpgpusim < --config < --set (with --seed and "
    "--check).\n\n"
    "Ctrl-C, SIGTERM, --max-cycles and --max-insts end a run early: results up to there are "
    "written "
    "and marked \"partial\": true, and the exit status is 0.\n\n"
    "A CUDA program's output, files and exit status are its own; the summary goes to standard "
    "error. While a launch is replayed, the next one waits in memory and a third executes.",
    children,
    NULL,
    NULL};

/* --- signals ---------------------------------------------------------------------------------- */

static struct smrf_platform *volatile signalled;

/* The memory is freed when the process ends. Taking a machine of SystemC modules apart would take
 * as long as building it. */
static struct smrf_platform *left_to_exit;

/* The second signal ends the program. */
static void on_signal_(int number)
{
    smrf_cli_catch(NULL);
    smrf_cli_run_stop = number;
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

static bool ends_in_vcd_(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".vcd") == 0;
}

static int timeline_(void *ctx, FILE *out, char *text, size_t size)
{
    struct options *o = ctx;
    const int err = smrf_timeline_end(o->recorder);
    if (err == SMRF_ERR_LIMIT) {
        snprintf(text, size, "%s: too much happens in these cycles: choose fewer", o->timeline);
    }
    return err                         ? err
           : ends_in_vcd_(o->timeline) ? smrf_timeline_vcd(o->recorder, out)
                                       : smrf_timeline_json(o->recorder, out);
}

/* done: the run has come to its end. */
static int write_timeline_(struct smrf_platform *p, struct options *o, bool done)
{
    int status = done ? smrf_cli_window_reached(p, o->recorder, "--from") : SMRF_EXIT_OK;
    status = status ? status : smrf_cli_file(o->timeline, timeline_, o);
    if (!status && o->recorder->window.sm != SMRF_TIMELINE_BUSIEST &&
        !smrf_timeline_has_warps(o->recorder)) {
        smrf_cli_error("smrf: note: no warp is on SM %u in these cycles: the timeline is empty",
                       (unsigned)o->recorder->window.sm);
    }
    return status;
}

static int write_results_(struct smrf_platform *p, const struct options *o)
{
    int err = o->json ? smrf_platform_write_json(p, o->json) : SMRF_OK;
    if (!err && o->csv) {
        err = smrf_platform_write_csv(p, o->csv);
    }
    if (!err && o->accelsim) {
        err = smrf_platform_write_accelsim(p, o->accelsim);
    }
    if (!err && o->series) {
        err = smrf_platform_write_series(p, o->series);
    }
    return err ? smrf_cli_complain(p, smrf_cli_status(err)) : SMRF_EXIT_OK;
}

static void summarise_(struct smrf_platform *p, const struct options *o)
{
    bool to_stdout = o->program.argv || (o->json && smrf_output_is_stdout(o->json)) ||
                     (o->csv && smrf_output_is_stdout(o->csv)) ||
                     (o->accelsim && smrf_output_is_stdout(o->accelsim)) ||
                     (o->series && smrf_output_is_stdout(o->series)) ||
                     (o->timeline && smrf_output_is_stdout(o->timeline));
    FILE *out = to_stdout ? stderr : stdout;
    if (o->quiet) {
        return;
    }
    smrf_cli_summary(p, o->machine.verbose, out);
    if (o->json && strcmp(o->json, "-") != 0) {
        fprintf(out, "JSON                %s\n", o->json);
    }
    if (o->csv && strcmp(o->csv, "-") != 0) {
        fprintf(out, "CSV                 %s\n", o->csv);
    }
    if (o->series && strcmp(o->series, "-") != 0) {
        fprintf(out, "Series              %s\n", o->series);
    }
    if (o->timeline && strcmp(o->timeline, "-") != 0) {
        fprintf(out, "Timeline            %s\n", o->timeline);
    }
}

static int want_series_(struct smrf_platform *p, const struct options *o)
{
    const uint64_t interval = o->interval ? o->interval : SMRF_SERIES_INTERVAL;
    const bool wanted = o->series || o->interval || o->of || o->by;
    int err = wanted ? smrf_platform_series(p, interval, o->by, o->of) : SMRF_OK;
    return err ? smrf_cli_complain(p, smrf_cli_status(err)) : SMRF_EXIT_OK;
}

static int replay_(struct smrf_platform *p, struct options *o)
{
    if (o->recorder) {
        const struct smrf_observer observer = smrf_timeline_observer(o->recorder);
        smrf_platform_observe(p, &observer);
    }
    int err = smrf_platform_build(p);
    if (err) {
        return smrf_cli_complain(p, smrf_cli_status(err));
    }
    if (!o->quiet && isatty(STDERR_FILENO)) {
        smrf_cli_progress_start(p);
    }
    int end = o->recorder ? smrf_cli_run_window(p, o->recorder, o->max_cycles)
                          : smrf_platform_run(p, o->max_cycles);
    smrf_cli_progress_end();
    release_signals_();
    int status = end < 0 ? smrf_cli_complain(p, smrf_cli_status(end)) : SMRF_EXIT_OK;
    if (end == SMRF_RUN_HALTED) {
        fputs("smrf: stopped by a signal: the results are partial\n", stderr);
    } else if (end == SMRF_RUN_MORE) {
        fputs("smrf: limit reached: the results are partial\n", stderr);
    }
    int written = write_results_(p, o);
    if (!written && o->recorder) {
        written = write_timeline_(p, o, end == SMRF_RUN_DONE);
    }
    if ((end >= 0 || end == SMRF_ERR_CHECK) && !written) {
        summarise_(p, o);
    }
    return status ? status : written;
}

/* The program and its replay. */
static int run_program_(struct smrf_platform *p, struct options *o)
{
    o->program.quiet = o->quiet;
    int status = smrf_cli_run_program_begin(&o->program, p);
    if (status == SMRF_EXIT_OK) {
        status = replay_(p, o);
        const int own = smrf_cli_run_program_end(&o->program);
        status = status ? status : own;
    }
    return status;
}

/* "smrf run foo.cu": a program without arguments. False: options that only a program has, and there
 * is none, which has been said. */
static bool take_source_(struct options *o)
{
    if (!o->program.argv && o->machine.num_traces == 1 &&
        smrf_cli_is_source(o->machine.traces[0])) {
        o->source[0] = o->machine.traces[0];
        o->program.argv = o->source;
        o->machine.num_traces = 0;
    }
    if (o->program.options.given && !o->program.argv) {
        smrf_cli_error("smrf run: --format, --arch, --stack, --heap, --runaway, --kernel, "
                       "--launches, --skip and --first are of a CUDA program: smrf run -- PROGRAM");
        return false;
    }
    return true;
}

int smrf_cli_run(int argc, char **argv)
{
    struct options o = {.max_cycles = SMRF_NO_LIMIT,
                        .max_insts = SMRF_NO_LIMIT,
                        .window = {.sm = SMRF_TIMELINE_BUSIEST}};
    struct smrf_platform *p = NULL;
    const int dashes = smrf_cli_program_at(argc, argv);
    o.program.argv = dashes + 1 < argc ? argv + dashes + 1 : NULL;
    o.machine.needs_no_trace = o.program.argv != NULL;
    if (argp_parse(&smrf_cli_run_argp, dashes, argv, 0, NULL, &o)) {
        return SMRF_EXIT_USAGE;
    }
    int status = SMRF_EXIT_FAILURE;
    const char *const outputs[] = {o.json, o.csv, o.accelsim, o.series, o.timeline};
    o.program.machine = &o.machine;
    if (!take_source_(&o)) {
        status = SMRF_EXIT_USAGE;
    } else if (o.machine.explain) {
        status = smrf_cli_explain(o.machine.explain);
    } else if (smrf_platform_create(&p) ||
               (o.timeline && !(o.recorder = smrf_timeline_create(&o.window)))) {
        fputs("smrf: out of memory\n", stderr);
    } else {
        catch_signals_(p);
        o.program.capture.max_insts = o.max_insts != SMRF_NO_LIMIT ? o.max_insts : 0;
        smrf_platform_limit_insts(p, o.program.argv ? SMRF_NO_LIMIT : o.max_insts);
        status = smrf_cli_machine_configure(p, &o.machine, SIZE_MAX);
        status = status ? status : want_series_(p, &o);
        status = status ? status : smrf_cli_machine_outputs(&o.machine, outputs, 5);
        status = status ? status : o.program.argv ? run_program_(p, &o) : replay_(p, &o);
    }
    left_to_exit = p;
    smrf_timeline_free(o.recorder);
    smrf_cli_machine_free(&o.machine);
    smrf_cli_program_options_free(&o.program.options);
    return status;
}
