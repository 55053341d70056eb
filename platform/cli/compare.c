/* SPDX-License-Identifier: Apache-2.0 */
/* smrf compare */
#define _GNU_SOURCE
#include "document.h"
#include "experiment.h"

#include "platform/report/comparison.h"
#include "traces/files/output_file.h"

#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAUNCHES 10 /* shown to people */

struct compare {
    struct smrf_cli_experiment e;
    double fail_below; /* NAN: no threshold */
    bool bound;
    bool kept; /* the runs, in a folder that was named */
};

enum { KEY_FAIL_BELOW = 256, KEY_BOUND };

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is compared:", 1},
    {"mechanism", SMRF_KEY_MECHANISM, "M", 0,
     "a mechanism; repeatable; the others are compared with the first (a single one: with "
     "baseline)",
     1},
    {"bound", KEY_BOUND, 0, 0,
     "also run the first mechanism with a perfect register file (rf.perfect): no bank conflicts, "
     "no port limits",
     1},
    {"preset", SMRF_KEY_PRESET, "P", 0, "the machine (default: rtx2060-paper)", 1},
    {"set", SMRF_KEY_SET, "K=V", 0, "set one option in every run; repeatable", 1},
    {"seeds", SMRF_KEY_SEEDS, "N", 0, "run with the seeds 1 to N, and report the spread", 1},
    {0, 0, 0, 0, "The runs:", 2},
    {"output", SMRF_KEY_OUTPUT, "DIR", 0,
     "keep the runs and a report in DIR; a later command does not repeat them (default: keep "
     "nothing)",
     2},
    {"jobs", SMRF_KEY_JOBS, "N", 0, "processes at a time (default: the machine's processors)", 2},
    {"memory", SMRF_KEY_MEMORY, "MB", 0, "a run that uses more fails (default: no limit)", 2},
    {"report", SMRF_KEY_REPORT, 0, 0,
     "run nothing: report what the folder of --output has, also while others run", 2},
    {0, 0, 0, 0, "Results:", 3},
    {"page", SMRF_KEY_PAGE, "FILE", 0, "write the page to FILE, instead of a report in a folder",
     3},
    {"json", SMRF_KEY_JSON, "FILE", 0, "write everything as JSON; - is standard output", 3},
    {"csv", SMRF_KEY_CSV, "FILE", 0, "the same as CSV, a line a trace or launch and variant", 3},
    {"fail-below", KEY_FAIL_BELOW, "RATIO", 0,
     "status 4 if a geometric mean of IPC ratios is below this", 3},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct compare *o = state->input;
    char *end;
    switch (key) {
    case KEY_FAIL_BELOW:
        o->fail_below = strtod(arg, &end);
        if (end == arg || *end || !(o->fail_below > 0)) {
            argp_error(state, "--fail-below takes a ratio above 0, not '%s'", arg);
        }
        return 0;
    case KEY_BOUND:
        o->bound = true;
        return 0;
    case ARGP_KEY_ARG:
        o->e.options.traces[o->e.options.num_traces++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no TRACE and no results: smrf compare -m malekeh-long my-trace");
        return 0;
    default:
        return smrf_cli_experiment_parse(&o->e, key, arg, state);
    }
}

const struct argp smrf_cli_compare_argp = {
    option_table,
    parse_,
    "TRACE..\nA.json B.json..",
    "Replay traces under several mechanisms, or take the results of earlier runs (smrf run "
    "--json), "
    "and show them side by side: IPC relative to the first by trace, geometric mean, spread over "
    "seeds, launches that differ most.\v"
    "  smrf compare -m malekeh-long my-trace other-trace\n"
    "  smrf compare -m baseline -m gto-lru -m malekeh-long --seeds 5 my-trace\n"
    "  smrf compare --fail-below 0.98 before.json after.json",
    NULL,
    NULL,
    NULL};

/* --- reports ---------------------------------------------------------------------------------- */

static int csv_(void *ctx, FILE *out, char *text, size_t size)
{
    (void)text;
    (void)size;
    return smrf_comparison_csv(ctx, out);
}

static int print_(const struct compare *o, struct smrf_comparison *c)
{
    const bool taken = (o->e.json && smrf_output_is_stdout(o->e.json)) ||
                       (o->e.csv && smrf_output_is_stdout(o->e.csv)) ||
                       (o->e.page && smrf_output_is_stdout(o->e.page));
    int status = SMRF_EXIT_OK;
    if (!taken) {
        smrf_comparison_print(c, stdout, LAUNCHES);
    }
    if (o->e.json) {
        status = smrf_cli_document(smrf_comparison_json(c), o->e.json);
    }
    if (!status && o->e.csv) {
        status = smrf_cli_file(o->e.csv, csv_, c);
    }
    for (size_t v = 1; !status && v < c->num_variants; v++) {
        double mean = smrf_comparison_mean(c, v);
        if (!isnan(o->fail_below) && !(mean >= o->fail_below)) {
            smrf_cli_error("smrf compare: %s: the mean ratio %.4f is below %g", c->variant[v], mean,
                           o->fail_below);
            status = SMRF_EXIT_CHECK;
        }
    }
    return status;
}

/* --- results of earlier runs ------------------------------------------------------------------ */

static bool is_document_(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static int documents_(const struct compare *o)
{
    struct smrf_pool pool = {0};
    struct smrf_comparison c;
    json_t **document = NULL;
    const char **name = NULL;
    size_t count = 0, names = 0;
    int status = SMRF_EXIT_OK;
    if (o->e.page || o->e.report) {
        smrf_cli_error("smrf compare: --page and --report are for traces, not for results");
        return SMRF_EXIT_USAGE;
    }
    for (size_t i = 0; !status && i < o->e.options.num_traces; i++) {
        const char *path = o->e.options.traces[i];
        json_error_t error;
        json_t *root = json_load_file(path, 0, &error);
        SMRF_POOL_ADD(&pool, document, count, root);
        SMRF_POOL_ADD(&pool, name, names, path);
        if (!root || !json_is_number(json_object_get(root, "ipc"))) {
            smrf_cli_error("smrf compare: %s: is no result of smrf run --json%s%s", path,
                           root ? "" : ": ", root ? "" : error.text);
            status = SMRF_EXIT_INPUT;
        }
    }
    if (!status && count < 2) {
        smrf_cli_error("smrf compare: %s: name a second result to compare it with", name[0]);
        status = SMRF_EXIT_USAGE;
    }
    if (!status) {
        smrf_comparison_of_documents(&c, &pool, name, document, count);
        status = smrf_cli_experiment_outputs(&o->e, name, count);
        status = status ? status : print_(o, &c);
    }
    for (size_t i = 0; i < count; i++) {
        json_decref(document[i]);
    }
    smrf_pool_free(&pool);
    return status;
}

/* --- runs ------------------------------------------------------------------------------------- */

static int add_variants_(struct compare *o, struct smrf_experiment *x)
{
    static char baseline[] = "baseline";
    char *list[2] = {baseline, NULL}, **mechanism = o->e.mechanisms;
    size_t count = o->e.num_mechanisms;
    if (count == 1) {
        list[1] = mechanism[0];
    }
    mechanism = count < 2 ? list : mechanism;
    count = count == 0 ? 1 : count == 1 ? 2 : count;
    for (size_t i = 0; i < count; i++) {
        const struct smrf_variant v = {
            .name = mechanism[i], .tool = "run", .mechanism = mechanism[i]};
        long added = smrf_experiment_add_variant(x, &v);
        if (added < 0) {
            return (int)added;
        }
    }
    static const char *perfect[] = {"rf.perfect=on"};
    const struct smrf_variant bound = {.name = "perfect-rf",
                                       .tool = "run",
                                       .mechanism = mechanism[0],
                                       .set = perfect,
                                       .num_set = 1};
    const long added = o->bound ? smrf_experiment_add_variant(x, &bound) : 0;
    return added < 0 ? (int)added : SMRF_OK;
}

static int put_together_(struct compare *o, struct smrf_experiment *x)
{
    int err = SMRF_OK;
    for (unsigned s = 1; !err && s <= (o->e.seeds ? o->e.seeds : 1); s++) {
        err = smrf_experiment_add_seed(x, 0, smrf_pool_text(&x->pool, "%u", s));
    }
    for (size_t i = 0; !err && i < o->e.options.num_traces; i++) {
        err = smrf_experiment_add_traces(x, 0, o->e.options.traces[i], "traces", false);
    }
    err = err ? err : add_variants_(o, x);
    err = err ? err : smrf_experiment_add_overview(x);
    if (err) {
        smrf_cli_error("%s", x->source.error);
    }
    return err ? (err == SMRF_ERR_INVAL ? SMRF_EXIT_USAGE : smrf_cli_status(err)) : SMRF_EXIT_OK;
}

/* Where the runs are kept. */
static int report_(const struct compare *o, struct smrf_data *d)
{
    return o->kept || o->e.page ? smrf_cli_experiment_report(&o->e, d) : SMRF_EXIT_OK;
}

static int runs_in_(struct compare *o, const char *folder)
{
    struct smrf_experiment x;
    struct smrf_runner r;
    struct smrf_data d;
    struct smrf_comparison c;
    size_t failed = 0;
    o->e.options.folder = folder;
    smrf_experiment_init(&x, "smrf compare", &o->e.options);
    x.source.name = "smrf compare";
    int status = put_together_(o, &x);
    if (!status) {
        status = smrf_cli_experiment_run(&o->e, &r, &x, &failed);
        if (!status && (smrf_data_open(&d, &r) || smrf_comparison_of_data(&c, &d))) {
            smrf_cli_error("smrf compare: %s", smrf_store_error(r.store));
            status = SMRF_EXIT_INPUT;
        }
        status = status ? status : report_(o, &d);
        if (!status && !(o->e.report && o->e.page)) {
            status = print_(o, &c);
        }
        smrf_runner_close(&r);
    }
    smrf_experiment_free(&x);
    return status ? status : failed ? SMRF_EXIT_FAILURE : SMRF_EXIT_OK;
}

static int remove_one_(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)type;
    (void)walk;
    return remove(path);
}

static int runs_(struct compare *o)
{
    const int clash = smrf_cli_experiment_outputs(&o->e, NULL, 0);
    if (clash) {
        return clash;
    }
    o->kept = o->e.options.folder != NULL;
    if (o->e.report && !o->kept) {
        smrf_cli_error("smrf compare: --report tells what a folder has: --output DIR names it");
        return SMRF_EXIT_USAGE;
    }
    if (o->kept) {
        return runs_in_(o, o->e.options.folder);
    }
    const char *base = getenv("TMPDIR");
    char folder[512];
    snprintf(folder, sizeof folder, "%.400s/smrf-compare-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        smrf_cli_error("smrf compare: %s: no folder for the runs; -o DIR names one", folder);
        return SMRF_EXIT_INPUT;
    }
    int status = runs_in_(o, folder);
    nftw(folder, remove_one_, 16, FTW_DEPTH | FTW_PHYS);
    return status;
}

int smrf_cli_compare(int argc, char **argv)
{
    struct compare o = {.fail_below = NAN};
    int status = SMRF_EXIT_FAILURE;
    if (smrf_cli_experiment_begin(&o.e, "smrf compare", argc, argv)) {
        if (argp_parse(&smrf_cli_compare_argp, argc, argv, 0, NULL, &o)) {
            status = SMRF_EXIT_USAGE;
        } else {
            status = is_document_(o.e.options.traces[0]) ? documents_(&o) : runs_(&o);
        }
    }
    smrf_cli_experiment_end(&o.e);
    return status;
}
