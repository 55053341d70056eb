/* SPDX-License-Identifier: Apache-2.0 */
/* smrf sweep */
#define _GNU_SOURCE
#include "experiment.h"

#include <math.h>
#include <string.h>

struct sweep {
    struct smrf_cli_experiment e;
    char **axes;
    size_t num_axes;
    bool zipped;
};

enum { KEY_AXIS = 'a', KEY_ZIP = 256 };

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is varied:", 1},
    {"axis", KEY_AXIS, "K=V,V,V", 0,
     "an option and its values; repeatable: all combinations, unless --zip", 1},
    {"zip", KEY_ZIP, 0, 0, "the first values of all axes together, then the second, ..", 1},
    {"mechanism", SMRF_KEY_MECHANISM, "M", 0, "repeatable: each is swept (default: baseline)", 1},
    {"preset", SMRF_KEY_PRESET, "P", 0, "the machine (default: rtx2060-paper)", 1},
    {"set", SMRF_KEY_SET, "K=V", 0, "set one option in every run; repeatable", 1},
    {"seeds", SMRF_KEY_SEEDS, "N", 0, "run with the seeds 1 to N", 1},
    {0, 0, 0, 0, "The runs:", 2},
    {"output", SMRF_KEY_OUTPUT, "DIR", 0,
     "folder of the store and the report (default: sweep); runs that it has are not repeated", 2},
    {"report", SMRF_KEY_REPORT, 0, 0, "run nothing: report what there is, also while others run",
     2},
    {"page", SMRF_KEY_PAGE, "FILE", 0,
     "write only the page, to FILE, instead of the report in the folder", 2},
    {"jobs", SMRF_KEY_JOBS, "N", 0, "processes at a time (default: the machine's processors)", 2},
    {"memory", SMRF_KEY_MEMORY, "MB", 0, "a run that uses more fails (default: no limit)", 2},
    {"runner", SMRF_KEY_RUNNER, "R", 0,
     "local (default): processes of this machine; slurm: arrays of jobs over a folder that all "
     "nodes see",
     2},
    {"slurm-options", SMRF_KEY_SLURM, "WORDS", 0,
     "for sbatch, for instance \"--partition=cpu --time=1:00:00\"", 2},
    {"launches", SMRF_KEY_LAUNCHES, 0, 0,
     "put each launch into results.csv, too; the store has them in any case", 2},
    {"csv", SMRF_KEY_CSV, "FILE", 0, "every number as tidy CSV (default: DIR/results.csv)", 2},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct sweep *o = state->input;
    switch (key) {
    case KEY_AXIS:
        o->axes[o->num_axes++] = arg;
        return 0;
    case KEY_ZIP:
        o->zipped = true;
        return 0;
    case ARGP_KEY_ARG:
        o->e.options.traces[o->e.options.num_traces++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no TRACE: smrf sweep --axis rf.banks=2,4,8 my-trace");
        return 0;
    case ARGP_KEY_END:
        if (o->num_axes == 0) {
            argp_error(state, "no axis: --axis rf.banks=2,4,8");
        }
        return 0;
    default:
        return smrf_cli_experiment_parse(&o->e, key, arg, state);
    }
}

const struct argp smrf_cli_sweep_argp = {
    option_table,
    parse_,
    "TRACE..",
    "Replay traces on machines that differ in some options.\v"
    "  smrf sweep --axis rf.banks=2,4 --axis rf.collectors=2,4,8 my-trace\n"
    "  smrf sweep -m malekeh-long -s malekeh.sthld_mode=fixed \\\n"
    "             --axis malekeh.sthld=0,8,64 my-trace\n\n"
    "DIR/report.html shows the points: a line over one axis, a map over two. Every number is in "
    "DIR/experiment.sqlite and in DIR/results.csv. smrf serve DIR shows the page while it runs.",
    NULL,
    NULL,
    NULL};

/* "rf.banks=2,4,8" */
static int read_axis_(struct smrf_experiment *x, const char *text, struct smrf_axis *axis)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        return smrf_tree_fail(&x->source, 0, "--axis takes KEY=VALUE,VALUE,.., not '%s'", text);
    }
    axis->key = smrf_pool_text(&x->pool, "%.*s", (int)(equals - text), text);
    for (const char *at = equals + 1; at;) {
        const char *comma = strchrnul(at, ',');
        SMRF_POOL_ADD(&x->pool, axis->value, axis->count,
                      smrf_pool_text(&x->pool, "%.*s", (int)(comma - at), at));
        at = *comma ? comma + 1 : NULL;
    }
    return SMRF_OK;
}

static int put_together_(struct sweep *o, struct smrf_experiment *x)
{
    const struct smrf_variant base = {.name = "sweep", .tool = "run", .mechanism = "baseline"};
    struct smrf_axis *axes = smrf_pool_take(&x->pool, (o->num_axes + 1) * sizeof *axes);
    int err = SMRF_OK;
    for (unsigned s = 1; !err && s <= (o->e.seeds ? o->e.seeds : 1); s++) {
        err = smrf_experiment_add_seed(x, 0, smrf_pool_text(&x->pool, "%u", s));
    }
    for (size_t i = 0; !err && i < o->e.options.num_traces; i++) {
        err = smrf_experiment_add_traces(x, 0, o->e.options.traces[i], "traces", false);
    }
    for (size_t i = 0; !err && i < o->num_axes; i++) {
        err = read_axis_(x, o->axes[i], &axes[i]);
    }
    for (size_t m = 0; !err && m < (o->e.num_mechanisms ? o->e.num_mechanisms : 1); m++) {
        struct smrf_variant of = base;
        of.mechanism = o->e.num_mechanisms ? o->e.mechanisms[m] : "baseline";
        err = smrf_experiment_add_sweep(x, 0, of.mechanism, &of, axes, o->num_axes, o->zipped);
    }
    err = err ? err : smrf_experiment_add_overview(x);
    if (err) {
        smrf_cli_error("%s", x->source.error);
    }
    return err ? (err == SMRF_ERR_INVAL ? SMRF_EXIT_USAGE : smrf_cli_status(err)) : SMRF_EXIT_OK;
}

/* A variant's value in a column of that width; "-" where there is none. */
static void print_value_(const struct smrf_data *d, const struct smrf_expression *e, long variant,
                         double scale, int width, int digits)
{
    bool missing;
    const double value = smrf_data_cell(d, e, variant, -1, &missing).mean;
    if (isnan(value)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.*f", width, digits, scale * value);
    }
}

/* A line a point: IPC relative to the first point's, and reads served by the mechanism. */
static int print_(struct smrf_experiment *x, struct smrf_data *d)
{
    const struct smrf_expression_names names = smrf_experiment_names(x);
    const char *ratio = smrf_pool_text(&x->pool, "geomean(ipc / ipc@\"%s\")", x->variant[0].name);
    const struct smrf_expression *ipc = smrf_expression_parse(&x->source, 0, ratio, &names);
    const struct smrf_expression *hits =
        smrf_expression_parse(&x->source, 0, "mean(rf.hit_ratio)", &names);
    const struct smrf_expression *cycles =
        smrf_expression_parse(&x->source, 0, "sum(cycles)", &names);
    if (!ipc || !hits || !cycles) {
        smrf_cli_error("%s", x->source.error);
        return SMRF_EXIT_FAILURE;
    }
    printf(
        "over %zu trace%s; IPC: geometric mean of ratios to the first line's\n\n%-28s %-34s %14s "
        "%8s %8s\n",
        x->num_traces, x->num_traces == 1 ? "" : "s", "", "settings", "cycles", "IPC", "hits");
    for (size_t v = 0; v < x->num_variants; v++) {
        const long at = (long)v;
        printf("%-28.28s %-34.34s", x->variant[v].name, x->variant[v].settings);
        print_value_(d, cycles, at, 1, 14, 0);
        print_value_(d, ipc, at, 1, 8, 3);
        print_value_(d, hits, at, 100, 6, 1);
        puts(" %");
    }
    return SMRF_EXIT_OK;
}

/* The report, the lines and where the rest is. */
static int report_(struct sweep *o, struct smrf_runner *r)
{
    struct smrf_experiment *x = r->x;
    struct smrf_data d;
    if (smrf_data_open(&d, r)) {
        smrf_cli_error("smrf sweep: %s", r->error);
        return SMRF_EXIT_INPUT;
    }
    int status = smrf_cli_experiment_report(&o->e, &d);
    if (status || (o->e.report && o->e.page)) {
        return status;
    }
    const char *csv = o->e.csv ? o->e.csv : smrf_pool_text(&x->pool, "%s/results.csv", x->folder);
    if (o->e.csv || o->e.page) { /* else the report has written it */
        status = smrf_cli_experiment_export(&o->e, r, csv);
    }
    if (o->e.page && strcmp(o->e.page, "-") == 0) {
        return status; /* standard output is the page's */
    }
    status = status ? status : print_(x, &d);
    if (!status) {
        printf("\nreport              %s%s\nevery number        %s, %s/%s\n",
               o->e.page ? o->e.page : x->folder, o->e.page ? "" : "/report.html", csv, x->folder,
               SMRF_STORE_FILE);
    }
    return status;
}

static int run_(struct sweep *o)
{
    struct smrf_experiment x;
    struct smrf_runner r;
    size_t failed = 0;
    const int clash = smrf_cli_experiment_outputs(&o->e, NULL, 0);
    if (clash) {
        return clash;
    }
    o->e.options.folder = o->e.options.folder ? o->e.options.folder : "sweep";
    smrf_experiment_init(&x, "smrf sweep", &o->e.options);
    x.source.name = "smrf sweep";
    int status = put_together_(o, &x);
    if (!status) {
        status = smrf_cli_experiment_run(&o->e, &r, &x, &failed);
        status = status ? status : report_(o, &r);
        smrf_runner_close(&r);
    }
    smrf_experiment_free(&x);
    return status ? status : failed ? SMRF_EXIT_FAILURE : SMRF_EXIT_OK;
}

int smrf_cli_sweep(int argc, char **argv)
{
    struct sweep o = {0};
    char *axes[256];
    int status = SMRF_EXIT_FAILURE;
    if (argc > (int)(sizeof axes / sizeof *axes)) {
        smrf_cli_error("smrf sweep: too many words; a study's file holds more");
        return SMRF_EXIT_USAGE;
    }
    o.axes = axes;
    if (smrf_cli_experiment_begin(&o.e, "smrf sweep", argc, argv)) {
        status =
            argp_parse(&smrf_cli_sweep_argp, argc, argv, 0, NULL, &o) ? SMRF_EXIT_USAGE : run_(&o);
    }
    smrf_cli_experiment_end(&o.e);
    return status;
}
