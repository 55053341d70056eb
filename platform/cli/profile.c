/* SPDX-License-Identifier: Apache-2.0 */
/* smrf profile */
#define _GNU_SOURCE
#include "document.h"
#include "profiled.h"

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
    const char *kernel; /* only those whose name has it, NULL: all */
    size_t launch;      /* only this one, 0: all */
    struct smrf_cli_profiled replay[RUNS];
    struct smrf_profile_run run[RUNS]; /* what is shown of them */
    size_t runs;
};

enum option_key {
    KEY_TOP = 'n',
    KEY_JSON = 256,
    KEY_LISTING,
    KEY_CSV,
    KEY_BY,
    KEY_KERNEL,
    KEY_LAUNCH
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is shown:", 4},
    {"top", KEY_TOP, "N", 0, "instructions of each kernel (default 20; 0: all)", 4},
    {"by", KEY_BY, "cycles|slower|conflicts|pc", 0,
     "order of the rows (default cycles); slower: for two mechanisms, what takes longer under the "
     "second comes first",
     4},
    {"kernel", KEY_KERNEL, "TEXT", 0, "only kernels with TEXT in their name", 4},
    {"launch", KEY_LAUNCH, "N", 0, "only the N-th launch of the traces, from 1", 4},
    {"listing", KEY_LISTING, 0, 0,
     "all instructions in the order of the program, with the lines of their source", 4},
    {"json", KEY_JSON, "FILE", 0, "write everything as JSON; - is standard output", 4},
    {"csv", KEY_CSV, "FILE", 0, "write a row for each instruction; - is standard output", 4},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    static const char *const orders[] = {[SMRF_PROFILE_BY_CYCLES] = "cycles",
                                         [SMRF_PROFILE_BY_SLOWER] = "slower",
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
    case KEY_KERNEL:
        o->kernel = arg;
        return 0;
    case KEY_LAUNCH:
        o->launch = smrf_cli_number(state, "launch", arg);
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
        if (o->view.order == SMRF_PROFILE_BY_SLOWER &&
            smrf_cli_machine_mechanisms(&o->machine) < RUNS) {
            argp_error(state, "--by slower compares two mechanisms: name them, -m baseline -m rfc");
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
    "Replay traces and show where time goes, by instruction. Every cycle of every resident warp "
    "counts for the instruction that the warp issues next. With two --mechanism the second is "
    "compared with the first.\v"
    "Columns: line of the source, if the trace has it (smrf trace writes it for a listing by "
    "nvdisasm -g of code compiled with -lineinfo); time, share of the kernel's warp-cycles; lanes, "
    "mean of active ones; cached, operands that did not come from a bank; conflicts, operand "
    "cycles of waiting for a bank; behind, the instruction whose reads were most often ahead; "
    "sectors a warp instruction; what a warp there does. The states are those of smrf run's "
    "stalls, by warp: issued, unselected (another warp was chosen), unit, collector, withheld, "
    "inactive, memory, data, war, rename, blocked, membar, barrier, fetch, constant, drain.\n\n"
    "  smrf profile my-trace\n"
    "  smrf profile --listing -m malekeh-long my-trace\n"
    "  smrf profile -m baseline -m malekeh-long my-trace    why is it slower here?\n\n"
    "The engine is direct unless --engine says otherwise; both give the same counts.",
    children,
    NULL,
    NULL};

/* --- what is shown -----------------------------------------------------------------------------
 */

/* The kernels of a run that are asked for. Returns an enum smrf_exit. */
static int choose_(struct profile *o, size_t i)
{
    const struct smrf_profile_run *all = &o->replay[i].run;
    struct smrf_profile_kernel *chosen = calloc(all->num_kernels + 1, sizeof *chosen);
    struct smrf_profile_run *run = &o->run[i];
    *run = (struct smrf_profile_run){all->mechanism, chosen, 0};
    if (!chosen) {
        smrf_cli_error("smrf: out of memory");
        return SMRF_EXIT_FAILURE;
    }
    for (size_t k = 0; k < all->num_kernels; k++) {
        if (!o->kernel || strstr(all->kernel[k].name, o->kernel)) {
            chosen[run->num_kernels++] = all->kernel[k];
        }
    }
    if (o->kernel && run->num_kernels == 0) {
        smrf_cli_error("smrf: --kernel: no kernel's name has '%.60s'; smrf info lists them",
                       o->kernel);
        return SMRF_EXIT_USAGE;
    }
    return SMRF_EXIT_OK;
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
        status = smrf_cli_profiled_run(&o.replay[i], &o.machine, i, o.launch);
        status = status ? status : choose_(&o, i);
    }
    if (!o.machine.explain && !status) {
        status = report_(&o);
    }
    for (size_t i = 0; i < RUNS; i++) {
        free((void *)o.run[i].kernel);
        smrf_cli_profiled_free(&o.replay[i]);
    }
    smrf_cli_machine_free(&o.machine);
    return status;
}
