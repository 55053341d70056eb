/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "trace_options.h"

#include "machine.h"

#include <string.h>
#include <unistd.h>

enum option_key {
    KEY_OUTPUT = 'o',
    KEY_LAUNCH = 'l',
    KEY_FORMAT = 'f',
    KEY_QUIET = 'q',
    KEY_SIZE = 256,
    KEY_COMPRESS,
    KEY_JSON,
    KEY_LIST,
    KEY_ALL,
    KEY_DEPTH,
    KEY_SCALE,
    KEY_VALUES,
    KEY_EXACT,
    KEY_BLOCKS,
    KEY_WARPS,
    KEY_MAX_INSTS,
    KEY_NO_TRACE,
    KEY_PRESET,
    KEY_KERNELS,
    KEY_FORCE,
    KEY_OUTSIDE,
    KEY_THREADS
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What to run:", 1},
    {"size", KEY_SIZE, "S", 0, "small (default), medium or large, of a program of the suite", 1},
    {"depth", KEY_DEPTH, "N", 0, "call depth, for programs with a selectable depth", 1},
    {"scale", KEY_SCALE, "N", 0,
     "size of programs of group desktop, in place of --size: 2^N along an axis, or 2^N values of a "
     "histogram or a line",
     1},
    {"launch", KEY_LAUNCH, "FILE", 0,
     "launch file (YAML) for FILE.sass: buffers, grids, "
     "arguments",
     1},
    {"preset", KEY_PRESET, "NAME", 0,
     "machine that a CUDA program sees: its number of SMs and its clock (default: the default "
     "preset)",
     1},
    {"threads", KEY_THREADS, "N|auto", 0,
     "execute blocks on N threads (at most 8), auto: one a processor (the default); changes no "
     "result",
     1},
    {"list", KEY_LIST, 0, 0,
     "list the suite by group; with names of programs or groups: what each does, its sizes, and "
     "what the small size executes",
     1},
    {"all", KEY_ALL, 0, 0, "with --list: every program as if it were named", 1},
    {"kernels", KEY_KERNELS, 0, 0,
     "print the kernels of FILE (a program, cubin, fat binary or listing), whether they can be "
     "executed, and a launch file to fill in",
     1},
    {0, 0, 0, 0, "What to write:", 2},
    {"output", KEY_OUTPUT, "DIR", 0,
     "folder for kernelslist.g and, for each launch, a trace file and an operand file", 2},
    {"allow-outside", KEY_OUTSIDE, 0, 0,
     "a launch file's dumps may be outside of the working folder", 2},
    {"force", KEY_FORCE, 0, 0,
     "replace a trace that is in DIR, and files that dumps of\nthe launch file name", 2},
    {"format", KEY_FORMAT, "F", 0,
     "v5 (default; Accel-Sim 1.x reads it), v6 (uniform registers, register values) or tracez "
     "(Accel-Sim 2.0)",
     2},
    {"compress", KEY_COMPRESS, "C", 0,
     "zstd (default), gz, xz or none. Accel-Sim reads none and xz only. tracez has its own", 2},
    {"values", KEY_VALUES, "on|off", 0,
     "values of the registers read and written (default: on for v6, off for tracez; v5 has none)",
     2},
    {"exact", KEY_EXACT, 0, 0,
     "lines exactly as NVIDIA's tracer writes them, even the few at which Accel-Sim stops "
     "(docs/accel-sim.md)",
     2},
    {"blocks", KEY_BLOCKS, "LIST", 0,
     "write only these thread blocks, by linear number: "
     "0,3,8-15",
     2},
    {"warps", KEY_WARPS, "LIST", 0, "write only these warps of each block", 2},
    {"max-insts", KEY_MAX_INSTS, "N", 0,
     "of each launch, start no further block after N warp instructions", 2},
    {"no-trace", KEY_NO_TRACE, 0, 0, "run and check only", 2},
    {0, 0, 0, 0, "Report:", 3},
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "write the summary, or with --list the list, as JSON: to a .json file, else (or -) to "
     "standard "
     "output",
     3},
    {"quiet", KEY_QUIET, 0, 0, "no summary and no progress", 3},
    {0},
};

/* ---- the command line ------------------------------------------------------------------------ */

static uint32_t number_(struct argp_state *state, const char *option, uint32_t most,
                        const char *text)
{
    const uint64_t value = smrf_cli_number(state, option, text);
    if (value > most) {
        argp_error(state, "--%s takes at most %u, not '%s'", option, most, text);
    }
    return (uint32_t)value;
}

/* "--json" alone, or with a file behind it, as smrf info and smrf run have it. */
static const char *json_file_(struct argp_state *state)
{
    const char *next = state->next < state->argc ? state->argv[state->next] : "";
    size_t n = strlen(next);
    if (strcmp(next, "-") == 0 || (n > 5 && strcmp(next + n - 5, ".json") == 0)) {
        state->next++;
        return next;
    }
    return "-";
}

/* Processors of this computer, as far as the executor has use for them. */
static unsigned processors_(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n < (long)SMRF_EXEC_MOST_THREADS ? (unsigned)n : SMRF_EXEC_MOST_THREADS;
}

static unsigned threads_(struct argp_state *state, const char *text)
{
    return strcmp(text, "auto") == 0 ? processors_()
                                     : number_(state, "threads", SMRF_EXEC_MOST_THREADS, text);
}

/* What to write: an option of struct smrf_capture_options. */
static error_t parse_capture_(int key, char *arg, struct argp_state *state)
{
    static const char *const formats[] = {"v5", "v6", "tracez", NULL};
    static const char *const compressions[] = {"none", "xz", "gz", "zstd", NULL};
    struct smrf_cli_trace *o = state->input;
    struct smrf_capture_options *c = &o->job.capture;
    switch (key) {
    case KEY_OUTPUT:
        c->dir = arg;
        return 0;
    case KEY_FORCE:
        c->replace = true;
        return 0;
    case KEY_FORMAT:
        c->format = (enum smrf_trace_format)smrf_cli_choose(state, "format", arg, formats);
        return 0;
    case KEY_COMPRESS:
        c->compression =
            (enum smrf_trace_compression)smrf_cli_choose(state, "compress", arg, compressions);
        return 0;
    case KEY_EXACT:
        c->exact = true;
        return 0;
    case KEY_BLOCKS:
        o->blocks = arg;
        smrf_cli_ranges(state, "blocks", arg, &c->blocks);
        return 0;
    case KEY_WARPS:
        o->warps = arg;
        smrf_cli_ranges(state, "warps", arg, &c->warps);
        return 0;
    case KEY_MAX_INSTS:
        c->max_insts = smrf_cli_number(state, "max-insts", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    static const char *const sizes[] = {"small", "medium", "large", NULL};
    static const char *const switches[] = {"off", "on", NULL};
    struct smrf_cli_trace *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->program_options;
        return 0;
    case ARGP_KEY_SUCCESS:
        o->job.capture.launches = o->program_options.launches;
        o->program_options.limits.threads = o->threads != 0 ? o->threads : processors_();
        o->job.limits = o->program_options.limits;
        return 0;
    case KEY_THREADS:
        o->threads = threads_(state, arg);
        return 0;
    case KEY_SIZE:
        o->job.size = (enum smrf_size)smrf_cli_choose(state, "size", arg, sizes);
        o->size_given = true;
        return 0;
    case KEY_DEPTH:
        o->job.depth = number_(state, "depth", UINT32_MAX, arg);
        return 0;
    case KEY_SCALE:
        o->job.scale = number_(state, "scale", 99, arg);
        return 0;
    case KEY_LAUNCH:
        o->job.launch = arg;
        return 0;
    case KEY_PRESET:
        o->preset = arg;
        return 0;
    case KEY_LIST:
        o->list = true;
        return 0;
    case KEY_ALL:
        o->all = true;
        return 0;
    case KEY_KERNELS:
        o->kernels = true;
        return 0;
    case KEY_OUTSIDE:
        o->job.outside = true;
        return 0;
    case KEY_VALUES:
        o->values = smrf_cli_choose(state, "values", arg, switches);
        return 0;
    case KEY_NO_TRACE:
        o->no_trace = true;
        return 0;
    case KEY_JSON:
        o->json = arg ? arg : json_file_(state);
        return 0;
    case KEY_QUIET:
        o->quiet = true;
        return 0;
    case ARGP_KEY_ARGS:
        o->names = state->argv + state->next;
        o->num_names = (size_t)(state->argc - state->next);
        return 0;
    default:
        return parse_capture_(key, arg, state);
    }
}

static const struct argp_child children[] = {{&smrf_cli_program_argp, 0, NULL, 0}, {0}};

const struct argp smrf_cli_trace_argp = {
    option_table,
    parse_,
    "[-o DIR] -- CUDA-PROGRAM|FILE.cu [ARGUMENT..]\nFILE.cu -o DIR\nPROGRAM -o "
    "DIR\nFILE.sass|FILE.cubin --launch "
    "FILE.yaml -o "
    "DIR\n--list [PROGRAM..]",
    "Run real GPU machine code (NVIDIA sm_75 to sm_90) on this computer and write what it does as "
    "an "
    "Accel-Sim trace. PROGRAM is one of the suite, whose results are compared with a plain C "
    "reference; FILE is machine code: a cubin, a fat binary, or the disassembly of a cubin as "
    "text, "
    "compressed or not (xz, gz, zstd).\v"
    "First steps:\n"
    "  smrf trace --list                           what there is\n"
    "  smrf trace hotspot -o hotspot               trace it, small size\n"
    "  smrf run hotspot                            replay the trace\n"
    "  smrf trace hotspot --size medium -o medium  up to 2 million instructions\n"
    "\n"
    "A kernel of your own:\n"
    "  nvcc -arch=sm_75 -cubin -o k.cubin k.cu\n"
    "  smrf trace --kernels k.cubin > k.yaml       a launch file to fill in\n"
    "  smrf trace k.cubin --launch k.yaml -o out\n"
    "For source lines in a profile, trace a listing:\n"
    "  nvcc -arch=sm_75 -lineinfo -cubin -o k.cubin k.cu\n"
    "  nvdisasm -hex -g k.cubin > k.sass\n"
    "k.yaml is, for example,\n"
    "  launches:\n"
    "    - {kernel: saxpy, grid: [8, 1, 1], block: [256, 1, 1],\n"
    "       args: [x, y, {f32: 2}, {i32: 2048}]}\n"
    "  buffers:\n"
    "    x: {type: f32, count: 2048, init: {random: {seed: 1, min: -1, max: 1}}}\n"
    "    y: {type: f32, count: 2048, init: {iota: [0, 1]}}\n"
    "  dump: {y: y.bin}\n"
    "\n"
    "The whole program is always executed, so that its results can be checked; --blocks, --warps "
    "and --max-insts choose what is written. DIR gets its name when the trace is complete and "
    "checked. After a failure, a signal or a crash there is no DIR.\n"
    "\n"
    "Exit status: 0 success, 1 out of memory or stopped by a signal, 2 wrong usage, 3 a file is "
    "missing, wrong or cannot be written, or the machine code is not supported, 4 a result differs "
    "from its reference.",
    children,
    NULL,
    NULL};
