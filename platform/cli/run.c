/* SPDX-License-Identifier: Apache-2.0 */
/* smrf run */
#define _GNU_SOURCE
#include "cli.h"

#include "traces/files/output_file.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An option that configures the platform: given again, each counts. */
struct setting {
    int key;
    const char *text;
};

struct options {
    struct setting *settings;
    size_t num_settings;
    char **traces;
    size_t num_traces;
    const char *json, *csv, *explain;
    uint64_t max_cycles, max_insts; /* SMRF_NO_LIMIT = none */
    bool quiet, strict, outside;
};

enum option_key {
    KEY_JSON = 'j',
    KEY_QUIET = 'q',
    KEY_PRESET = 'p',
    KEY_MECHANISM = 'm',
    KEY_CONFIG = 'c',
    KEY_SET = 's',
    KEY_GPGPUSIM = 'g',
    KEY_CSV = 256,
    KEY_SEED,
    KEY_MAX_CYCLES,
    KEY_MAX_INSTS,
    KEY_CHECK,
    KEY_ENGINE,
    KEY_TABLE,
    KEY_STRICT,
    KEY_OUTSIDE,
    KEY_ENERGY,
    KEY_REUSE,
    KEY_EXPLAIN
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "The machine:", 1},
    {"preset", KEY_PRESET, "P", 0,
     "start from preset P (default: rtx2060-paper); smrf list presets", 1},
    {"mechanism", KEY_MECHANISM, "M", 0,
     "register-file mechanism (default: baseline); smrf list mechanisms", 1},
    {"mechanism-table", KEY_TABLE, "FILE", 0,
     "replace the mechanism's table (malekeh-*: the STHLD machine) by that of a file", 1},
    {"gpgpusim", KEY_GPGPUSIM, "FILE", 0,
     "read a gpgpusim.config or trace.config of Accel-Sim; repeatable", 1},
    {"config", KEY_CONFIG, "FILE", 0, "read options from a YAML file; repeatable", 1},
    {"set", KEY_SET, "K=V", 0, "set one option; repeatable; smrf list options", 1},
    {"seed", KEY_SEED, "N", 0, "of every random choice (default 1)", 1},
    {"reuse", KEY_REUSE, "FILE", 0,
     "which operands are reused soon, from smrf annotate, for mechanisms that want to know "
     "(default: found on the fly, --explain reuse.mode)",
     1},
    {"check", KEY_CHECK, "on|off", 0,
     "value oracle: compare every operand with program order (default on; off is faster and "
     "changes no result)",
     1},
    {"explain", KEY_EXPLAIN, "KEY", 0, "tell what an option means, and stop", 1},
    {0, 0, 0, 0, "The run:", 2},
    {"max-cycles", KEY_MAX_CYCLES, "N", 0, "stop after N core cycles", 2},
    {"max-insts", KEY_MAX_INSTS, "N", 0, "stop after about N warp instructions", 2},
    {"engine", KEY_ENGINE, "E", 0, "systemc (default) or direct: the same model without SystemC",
     2},
    {"strict", KEY_STRICT, 0, 0,
     "an unknown opcode, missing or repeated blocks, a list without kernels are errors, not "
     "warnings",
     2},
    {"allow-outside", KEY_OUTSIDE, 0, 0, "lines of a list may name files outside of its folder", 2},
    {0, 0, 0, 0, "Results:", 3},
    {"json", KEY_JSON, "FILE", 0, "write everything as JSON; - is standard output", 3},
    {"csv", KEY_CSV, "FILE", 0, "write a row for the run and one for each launch; - as above", 3},
    {"energy", KEY_ENERGY, "FILE", 0,
     "also compute energy with the constants of a YAML file; repeatable; smrf list energy", 3},
    {"quiet", KEY_QUIET, 0, 0, "no summary and no progress", 3},
    {0},
};

static void add_setting_(struct argp_state *state, struct options *o, int key, const char *text)
{
    struct setting *grown = realloc(o->settings, (o->num_settings + 1) * sizeof *grown);
    if (!grown) {
        argp_failure(state, SMRF_EXIT_FAILURE, 0, "out of memory");
        return;
    }
    o->settings = grown;
    o->settings[o->num_settings++] = (struct setting){key, text};
}

static uint64_t number_(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || text[0] == '+' || value == 0) {
        argp_error(state, "--%s takes a whole number above 0, not '%s'", option, text);
    }
    return value;
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case KEY_PRESET:
    case KEY_MECHANISM:
    case KEY_CONFIG:
    case KEY_SET:
    case KEY_GPGPUSIM:
    case KEY_ENGINE:
    case KEY_SEED:
    case KEY_CHECK:
    case KEY_ENERGY:
    case KEY_TABLE:
    case KEY_REUSE:
        add_setting_(state, o, key, arg);
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_CSV:
        o->csv = arg;
        return 0;
    case KEY_MAX_CYCLES:
        o->max_cycles = number_(state, "max-cycles", arg);
        return 0;
    case KEY_MAX_INSTS:
        o->max_insts = number_(state, "max-insts", arg);
        return 0;
    case KEY_STRICT:
        o->strict = true;
        return 0;
    case KEY_OUTSIDE:
        o->outside = true;
        return 0;
    case KEY_QUIET:
        o->quiet = true;
        return 0;
    case KEY_EXPLAIN:
        o->explain = arg;
        return 0;
    case ARGP_KEY_ARGS:
        o->traces = state->argv + state->next;
        o->num_traces = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!o->explain) {
            argp_error(state, "no TRACE: name a kernelslist.g, a trace file or a folder");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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
    NULL,
    NULL,
    NULL};

/* --- the platform from the options ---------------------------------------------------------- */

static int complain_(const struct smrf_platform *p, int status)
{
    smrf_cli_error("smrf: %s", smrf_platform_error(p));
    return status;
}

static int apply_one_(struct smrf_platform *p, const struct setting *s, int *status)
{
    char pair[256];
    *status = SMRF_EXIT_USAGE;
    switch (s->key) {
    case KEY_PRESET:
        return smrf_platform_preset(p, s->text);
    case KEY_MECHANISM:
        return smrf_platform_mechanism(p, s->text);
    case KEY_ENGINE:
        return smrf_platform_engine(p, s->text);
    case KEY_SEED:
        snprintf(pair, sizeof pair, "sim.seed=%s", s->text);
        return smrf_platform_set(p, pair);
    case KEY_CHECK:
        snprintf(pair, sizeof pair, "sim.check=%s", s->text);
        return smrf_platform_set(p, pair);
    case KEY_SET:
        return smrf_platform_set(p, s->text);
    case KEY_GPGPUSIM:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_gpgpusim(p, s->text);
    case KEY_TABLE:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_mechanism_table(p, s->text);
    case KEY_REUSE:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_reuse_file(p, s->text);
    case KEY_ENERGY:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_energy_file(p, s->text);
    default:
        *status = SMRF_EXIT_INPUT;
        return smrf_platform_config_file(p, s->text);
    }
}

static int configure_(struct smrf_platform *p, const struct options *o)
{
    for (size_t i = 0; i < o->num_settings; i++) {
        int status;
        int err = apply_one_(p, &o->settings[i], &status);
        if (err) {
            return complain_(p, err == SMRF_ERR_NOMEM ? SMRF_EXIT_FAILURE : status);
        }
    }
    smrf_platform_strict(p, o->strict);
    smrf_platform_allow_outside(p, o->outside);
    smrf_platform_limit_insts(p, o->max_insts);
    for (size_t i = 0; i < o->num_traces; i++) {
        int err = smrf_platform_add_trace(p, o->traces[i]);
        if (err) {
            return complain_(p, smrf_cli_status(err));
        }
    }
    return SMRF_EXIT_OK;
}

/* Better to know now than after an hour. */
static int check_outputs_(const struct options *o)
{
    const char *const paths[] = {o->json, o->csv};
    char text[1024];
    const char **inputs = calloc(o->num_settings + 1, sizeof *inputs);
    struct smrf_cli_files files = {paths, inputs, o->traces, 2, 0, o->num_traces};
    for (size_t i = 0; inputs && i < o->num_settings; i++) {
        const int key = o->settings[i].key;
        bool file = key == KEY_CONFIG || key == KEY_GPGPUSIM || key == KEY_TABLE ||
                    key == KEY_REUSE || key == KEY_ENERGY;
        inputs[i] = file ? o->settings[i].text : NULL;
        files.num_inputs = i + 1;
    }
    int clash = smrf_cli_check_files(&files);
    free(inputs);
    if (clash) {
        return clash;
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] && smrf_output_probe(paths[i], text, sizeof text)) {
            smrf_cli_error("smrf: %s", text);
            return SMRF_EXIT_INPUT;
        }
    }
    return SMRF_EXIT_OK;
}

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
    return err ? complain_(p, smrf_cli_status(err)) : SMRF_EXIT_OK;
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
        return complain_(p, smrf_cli_status(err));
    }
    if (!o->quiet && isatty(STDERR_FILENO)) {
        smrf_cli_progress_start(p);
    }
    int end = smrf_platform_run(p, o->max_cycles);
    smrf_cli_progress_end();
    release_signals_();
    int status = end < 0 ? complain_(p, smrf_cli_status(end)) : SMRF_EXIT_OK;
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
    if (o.explain) {
        status = smrf_cli_explain(o.explain);
    } else if (smrf_platform_create(&p)) {
        fputs("smrf: out of memory\n", stderr);
    } else {
        smrf_platform_on_note(p, note_, NULL);
        catch_signals_(p);
        status = configure_(p, &o);
        status = status ? status : check_outputs_(&o);
        status = status ? status : replay_(p, &o);
    }
    smrf_platform_destroy(p);
    free(o.settings);
    return status;
}
