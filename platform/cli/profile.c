/* SPDX-License-Identifier: Apache-2.0 */
/* smrf profile */
#define _GNU_SOURCE
#include "document.h"
#include "machine.h"

#include "platform/observe/profile_report.h"
#include "traces/files/output_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS 2
#define TOP 20

struct profile {
    struct smrf_cli_machine machine;
    const char *json, *csv;
    struct smrf_profile_view view;
    struct smrf_platform *platform[RUNS];
    struct smrf_profile *profile[RUNS];
    struct smrf_profile_run run[RUNS];
    size_t runs;
};

enum option_key { KEY_TOP = 'n', KEY_JSON = 256, KEY_LISTING, KEY_CSV, KEY_BY };

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is shown:", 4},
    {"top", KEY_TOP, "N", 0, "instructions of each kernel (default 20; 0: all)", 4},
    {"by", KEY_BY, "cycles|conflicts|pc", 0, "what comes first (default cycles)", 4},
    {"listing", KEY_LISTING, 0, 0,
     "all instructions in the order of the program, with the lines of their source", 4},
    {"json", KEY_JSON, "FILE", 0, "write everything as JSON; - is standard output", 4},
    {"csv", KEY_CSV, "FILE", 0, "write a row an instruction; - as above", 4},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    static const char *const orders[] = {[SMRF_PROFILE_BY_CYCLES] = "cycles",
                                         [SMRF_PROFILE_BY_CONFLICTS] = "conflicts",
                                         [SMRF_PROFILE_BY_PC] = "pc",
                                         NULL};
    struct profile *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->machine;
        return 0;
    case KEY_TOP:
        o->view.top = strcmp(arg, "0") == 0 ? 0 : smrf_cli_number(state, "top", arg);
        return 0;
    case KEY_BY:
        o->view.order = (enum smrf_profile_order)smrf_cli_choose(state, "by", arg, orders);
        return 0;
    case KEY_LISTING:
        o->view.order = SMRF_PROFILE_BY_PC;
        o->view.top = 0;
        o->view.source = true;
        return 0;
    case KEY_JSON:
        o->json = arg;
        return 0;
    case KEY_CSV:
        o->csv = arg;
        return 0;
    case ARGP_KEY_END:
        if (smrf_cli_machine_mechanisms(&o->machine) > RUNS) {
            argp_error(state, "at most two mechanisms: the second is compared with the first");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&smrf_cli_machine_argp, 0, NULL, 0}, {0}};

const struct argp smrf_cli_profile_argp = {
    option_table,
    parse_,
    "TRACE..",
    "Replay traces and show where time goes, by instruction: what every resident warp does in "
    "every "
    "cycle is booked to the instruction at which it stands. With two --mechanism the second is "
    "compared with the first.\v"
    "Columns: line, of the source, where the trace knows it (smrf trace does, from a listing that "
    "nvdisasm -g has made of code compiled with -lineinfo); time, share of the kernel's "
    "warp-cycles; lanes, active ones in the mean; cached, "
    "operands "
    "that did not come from a bank; conflicts, operand cycles of waiting for a bank, and behind "
    "whose "
    "reads most; sectors a warp instruction; what a warp does that stands there. The states are "
    "those "
    "of smrf run's stalls, by warp: issued, unselected (another warp was chosen), unit, collector, "
    "inactive, memory, data, war, rename, blocked, membar, barrier, fetch, drain.\n\n"
    "  smrf profile my-trace\n"
    "  smrf profile --listing -m malekeh-long my-trace\n"
    "  smrf profile -m baseline -m malekeh-long my-trace    why is it slower here?\n\n"
    "The engine is direct unless --engine says otherwise: both count the same.",
    children,
    NULL,
    NULL};

/* --- a run ------------------------------------------------------------------------------------ */

/* What is counted by instruction must be what the run has counted as a whole. */
static int check_(struct smrf_platform *p, const struct smrf_profile_run *run)
{
    struct smrf_profile_counts sum = {0};
    for (size_t k = 0; k < run->num_kernels; k++) {
        for (size_t i = 0; i < run->kernel[k].num_inst; i++) {
            const struct smrf_profile_counts *c = &run->kernel[k].inst[i].counts;
            sum.issued += c->issued;
            sum.lanes += c->lanes;
            sum.reads += c->reads;
            sum.bank_reads += c->bank_reads;
            sum.conflicts += c->conflicts;
        }
    }
    const struct {
        const char *name;
        uint64_t sum;
    } law[] = {
        {"instructions.warp", sum.issued},
        {"instructions.thread", sum.lanes},
        {"rf.operand_reads", sum.reads},
        {"rf.bank_reads", sum.bank_reads},
        {"rf.bank_conflict_cycles", sum.conflicts},
    };
    for (size_t i = 0; i < sizeof law / sizeof *law; i++) {
        uint64_t whole = 0;
        int err = smrf_platform_count(p, law[i].name, &whole);
        if (err || whole != law[i].sum) {
            smrf_cli_error("smrf profile: %s is %" PRIu64 ", by instruction %" PRIu64
                           ", which is a bug of smrf",
                           law[i].name, whole, law[i].sum);
            return SMRF_EXIT_CHECK;
        }
    }
    return SMRF_EXIT_OK;
}

static int replay_(struct profile *o, size_t i)
{
    if (smrf_platform_create(&o->platform[i]) || !(o->profile[i] = smrf_profile_create())) {
        fputs("smrf: out of memory\n", stderr);
        return SMRF_EXIT_FAILURE;
    }
    struct smrf_platform *p = o->platform[i];
    const struct smrf_observer observer = smrf_profile_observer(o->profile[i]);
    o->machine.silent = i > 0; /* the second run has the same to say */
    smrf_platform_engine(p, "direct");
    smrf_platform_observe(p, &observer);
    int status = smrf_cli_machine_configure(p, &o->machine, i);
    if (status) {
        return status;
    }
    if (isatty(STDERR_FILENO)) {
        smrf_cli_progress_start(p);
    }
    int end = smrf_platform_run(p, SMRF_NO_LIMIT);
    smrf_cli_progress_end();
    if (end < 0) {
        return smrf_cli_complain(p, smrf_cli_status(end));
    }
    struct smrf_profile_run *run = &o->run[i];
    int kernels = smrf_profile_get(o->profile[i], &run->kernel);
    if (kernels < 0) {
        fputs("smrf: out of memory\n", stderr);
        return SMRF_EXIT_FAILURE;
    }
    run->mechanism = smrf_cli_machine_mechanism(&o->machine, i);
    run->num_kernels = (size_t)kernels;
    return check_(p, run);
}

/* --- reports ---------------------------------------------------------------------------------- */

static int csv_(void *ctx, FILE *out, char *text, size_t size)
{
    const struct profile *o = ctx;
    (void)text;
    (void)size;
    smrf_profile_csv(o->run, o->runs, out);
    return SMRF_OK;
}

static int report_(struct profile *o)
{
    const bool taken =
        (o->json && smrf_output_is_stdout(o->json)) || (o->csv && smrf_output_is_stdout(o->csv));
    int status = SMRF_EXIT_OK;
    if (!taken) {
        smrf_profile_print(o->run, o->runs, &o->view, stdout);
    }
    if (o->json) {
        status = smrf_cli_document(smrf_profile_json(o->run, o->runs), o->json);
    }
    return !status && o->csv ? smrf_cli_file(o->csv, csv_, o) : status;
}

int smrf_cli_profile(int argc, char **argv)
{
    struct profile o = {.view = {.top = TOP, .name = smrf_cli_name}};
    if (argp_parse(&smrf_cli_profile_argp, argc, argv, 0, NULL, &o)) {
        return SMRF_EXIT_USAGE;
    }
    const char *const outputs[] = {o.json, o.csv};
    const size_t given = smrf_cli_machine_mechanisms(&o.machine);
    o.runs = given > 1 ? given : 1;
    int status = o.machine.explain ? smrf_cli_explain(o.machine.explain)
                                   : smrf_cli_machine_outputs(&o.machine, outputs, 2);
    for (size_t i = 0; !o.machine.explain && !status && i < o.runs; i++) {
        status = replay_(&o, i);
    }
    if (!o.machine.explain && !status) {
        status = report_(&o);
    }
    for (size_t i = 0; i < RUNS; i++) {
        smrf_platform_destroy(o.platform[i]);
        smrf_profile_free(o.profile[i]);
    }
    smrf_cli_machine_free(&o.machine);
    return status;
}
