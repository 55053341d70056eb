/* SPDX-License-Identifier: Apache-2.0 */
#include "program_options.h"

#include "machine.h"

#include <inttypes.h>

enum option_key {
    KEY_KERNEL = 2048,
    KEY_LAUNCHES,
    KEY_SKIP,
    KEY_FIRST,
    KEY_ARCH,
    KEY_STACK,
    KEY_HEAP,
    KEY_RUNAWAY
};

#define SMRF_ARCHITECTURE(sm, ...) sm,
#define SMRF_ARCHITECTURE_CODE(sm)
static const unsigned architectures[] = {
#include "firmware/sass/architectures.def"
};
#undef SMRF_ARCHITECTURE
#define SMRF_ARCHITECTURE(sm, ...) "sm_" #sm,
static const char *const architecture_names[] = {
#include "firmware/sass/architectures.def"
    NULL};
#undef SMRF_ARCHITECTURE
#define SMRF_ARCHITECTURE(sm, ...) "sm_" #sm " "
#define ARCHITECTURES                                                                              \
    "architecture of the device that a CUDA program finds (default: the preset's, or the oldest "  \
    "for which the program has code): "
static const struct argp_option option_table[] = {
    {"arch", KEY_ARCH, "SM", 0, ARCHITECTURES
#include "firmware/sass/architectures.def"
     ,
     1},
    {"stack", KEY_STACK, "BYTES", 0,
     "local memory of a thread (default: what the kernel states, else 16 KiB)", 1},
    {"heap", KEY_HEAP, "BYTES", 0,
     "memory that kernels may allocate with malloc (default: "
     "8 MiB)",
     1},
    {"runaway", KEY_RUNAWAY, "N", 0,
     "end a launch in which a warp executes more than N instructions (default: 2^28)", 1},
    {"kernel", KEY_KERNEL, "REGEX", 0, "take only launches of kernels whose mangled name matches",
     2},
    {"launches", KEY_LAUNCHES, "LIST", 0, "take only these launches, by number from 1: 3-10", 2},
    {"skip", KEY_SKIP, "N", 0, "skip the first N of the selected launches", 2},
    {"first", KEY_FIRST, "N", 0, "take at most N launches of each kernel", 2},
    {0},
};
#undef SMRF_ARCHITECTURE
#undef SMRF_ARCHITECTURE_CODE

void smrf_cli_ranges(struct argp_state *state, const char *option, const char *text,
                     struct smrf_capture_ranges *ranges)
{
    char error[SMRF_SASS_ERROR_BYTES];
    smrf_capture_ranges_free(ranges);
    if (smrf_capture_ranges_parse(ranges, text, error) != 0) {
        argp_error(state, "--%s: %s", option, error);
    }
}

static uint64_t at_most_(struct argp_state *state, const char *option, const char *text,
                         uint64_t most)
{
    const uint64_t value = smrf_cli_number(state, option, text);
    if (value > most) {
        argp_error(state, "--%s takes at most %" PRIu64 ", not '%s'", option, most, text);
    }
    return value;
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct smrf_cli_program_options *o = state->input;
    o->given = o->given || (key >= KEY_KERNEL && key <= KEY_RUNAWAY);
    switch (key) {
    case KEY_KERNEL:
        o->launches.kernel = arg;
        return 0;
    case KEY_LAUNCHES:
        o->numbers = arg;
        smrf_cli_ranges(state, "launches", arg, &o->launches.numbers);
        return 0;
    case KEY_SKIP:
        o->launches.skip = smrf_cli_number(state, "skip", arg);
        return 0;
    case KEY_FIRST:
        o->launches.first = smrf_cli_number(state, "first", arg);
        return 0;
    case KEY_ARCH:
        o->arch = architectures[smrf_cli_choose(state, "arch", arg, architecture_names)];
        return 0;
    case KEY_STACK:
        o->limits.stack_bytes = (uint32_t)at_most_(state, "stack", arg, SMRF_EXEC_MAX_STACK);
        return 0;
    case KEY_HEAP:
        o->limits.heap_bytes = at_most_(state, "heap", arg, UINT64_C(1) << 32);
        return 0;
    case KEY_RUNAWAY:
        o->limits.max_insts_per_warp = smrf_cli_number(state, "runaway", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp smrf_cli_program_argp = {option_table, parse_, NULL, NULL, NULL, NULL, NULL};

void smrf_cli_program_options_free(struct smrf_cli_program_options *o)
{
    smrf_capture_ranges_free(&o->launches.numbers);
}
