/* SPDX-License-Identifier: Apache-2.0 */
/* smrf at */
#define _GNU_SOURCE
#include "machine.h"
#include "window.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct at {
    struct smrf_cli_machine machine;
    uint64_t cycle, sm;
    int bank; /* below 0: everything */
    bool has_cycle;
};

enum option_key { KEY_CYCLE = 256, KEY_SM, KEY_BANK };

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What is shown:", 4},
    {"cycle", KEY_CYCLE, "C", 0, "the cycle", 4},
    {"sm", KEY_SM, "N", 0, "the SM (default: the one with the most warps in that cycle)", 4},
    {"bank", KEY_BANK, "B", 0, "only this bank of every sub-core, a line each", 4},
    {0},
};

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct at *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->machine;
        return 0;
    case KEY_CYCLE:
        o->cycle = smrf_cli_index(state, "cycle", arg, UINT64_MAX - 1);
        o->has_cycle = true;
        return 0;
    case KEY_SM:
        o->sm = smrf_cli_index(state, "sm", arg, UINT16_MAX);
        return 0;
    case KEY_BANK:
        o->bank = (int)smrf_cli_index(state, "bank", arg, UINT8_MAX);
        return 0;
    case ARGP_KEY_END:
        if (!o->has_cycle && !o->machine.explain) {
            argp_error(state, "no --cycle C: the cycle to look at");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&smrf_cli_machine_argp, 0, NULL, 0}, {0}};

const struct argp smrf_cli_at_argp = {
    option_table,
    parse_,
    "TRACE..",
    "Replay up to a cycle and show an SM in it: what every warp does, what the collector units "
    "hold, and which instructions read, write and wait for each bank.\v"
    "  smrf at --cycle 1234 my-trace\n"
    "  smrf at --cycle 1234 --bank 1 -m malekeh-long my-trace",
    children,
    NULL,
    NULL};

static int replay_(struct at *o, struct smrf_platform *p, struct smrf_timeline *t)
{
    const struct smrf_observer observer = smrf_timeline_observer(t);
    smrf_platform_engine(p, "direct");
    smrf_platform_observe(p, &observer);
    int status = smrf_cli_machine_configure(p, &o->machine, SIZE_MAX);
    if (status) {
        return status;
    }
    int end = smrf_cli_run_window(p, t, o->cycle + 1);
    if (end < 0) {
        return smrf_cli_complain(p, smrf_cli_status(end));
    }
    status = end == SMRF_RUN_DONE ? smrf_cli_window_reached(p, t, "--cycle") : SMRF_EXIT_OK;
    if (status) {
        return status;
    }
    if (o->bank >= (int)t->banks) {
        smrf_cli_error("smrf at: --bank %d: a sub-core has %" PRIu32 " banks, from 0", o->bank,
                       t->banks);
        return SMRF_EXIT_USAGE;
    }
    if (smrf_timeline_end(t)) {
        fputs("smrf: out of memory\n", stderr);
        return SMRF_EXIT_FAILURE;
    }
    smrf_timeline_print(t, o->cycle, o->bank, stdout);
    return SMRF_EXIT_OK;
}

int smrf_cli_at(int argc, char **argv)
{
    struct at o = {.bank = -1, .sm = SMRF_TIMELINE_BUSIEST};
    if (argp_parse(&smrf_cli_at_argp, argc, argv, 0, NULL, &o)) {
        return SMRF_EXIT_USAGE;
    }
    const struct smrf_timeline_window window = {(uint32_t)o.sm, o.cycle, o.cycle + 1};
    struct smrf_timeline *t = NULL;
    struct smrf_platform *p = NULL;
    int status = SMRF_EXIT_FAILURE;
    if (o.machine.explain) {
        status = smrf_cli_explain(o.machine.explain);
    } else if (smrf_platform_create(&p) || !(t = smrf_timeline_create(&window))) {
        fputs("smrf: out of memory\n", stderr);
    } else {
        status = replay_(&o, p, t);
    }
    smrf_platform_destroy(p);
    smrf_timeline_free(t);
    smrf_cli_machine_free(&o.machine);
    return status;
}
