/* SPDX-License-Identifier: Apache-2.0 */
/* smrf trace */
#define _GNU_SOURCE
#include "cli.h"
#include "document.h"
#include "machine.h"
#include "program.h"
#include "trace_job.h"
#include "trace_kernels.h"

#include "platform/config/internal.h"
#include "platform/results/json_text.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
    struct smrf_trace_job job;
    const char *word; /* PROGRAM or FILE.sass */
    char **names;     /* with --list */
    size_t num_names;
    const char *json;
    const char *blocks, *warps, *launches;
    const char *preset;
    unsigned arch;
    char **program; /* "-- PROGRAM ..": NULL: none */
    int values;     /* -1 = the format's default */
    bool list, kernels, no_trace, quiet, size_given;
};

enum option_key {
    KEY_OUTPUT = 'o',
    KEY_LAUNCH = 'l',
    KEY_FORMAT = 'f',
    KEY_QUIET = 'q',
    KEY_SIZE = 256,
    KEY_COMPRESS,
    KEY_JSON,
    KEY_LIST,
    KEY_DEPTH,
    KEY_STACK,
    KEY_HEAP,
    KEY_RUNAWAY,
    KEY_VALUES,
    KEY_EXACT,
    KEY_BLOCKS,
    KEY_WARPS,
    KEY_MAX_INSTS,
    KEY_NO_TRACE,
    KEY_KERNEL,
    KEY_LAUNCHES,
    KEY_SKIP,
    KEY_FIRST,
    KEY_PRESET,
    KEY_ARCH,
    KEY_KERNELS,
    KEY_FORCE,
    KEY_OUTSIDE
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "What to run:", 1},
    {"size", KEY_SIZE, "S", 0, "small (default), medium or large, of a program of the suite", 1},
    {"depth", KEY_DEPTH, "N", 0, "call depth of programs that have one to choose", 1},
    {"launch", KEY_LAUNCH, "FILE", 0, "launch file (YAML) for FILE.sass: buffers, grids, arguments",
     1},
    {"stack", KEY_STACK, "BYTES", 0,
     "local memory of a thread (default: what the kernel states, else 16 KiB)", 1},
    {"heap", KEY_HEAP, "BYTES", 0, "memory that kernels may allocate with malloc (default: 8 MiB)",
     1},
    {"runaway", KEY_RUNAWAY, "N", 0,
     "instructions of a warp that are taken for a runaway loop (default: 2^28)", 1},
    {"preset", KEY_PRESET, "NAME", 0,
     "the device that a CUDA program finds: SMs and clock of this machine (default: the default "
     "machine)",
     1},
    {"arch", KEY_ARCH, "SM", 0,
     "architecture of the device that a CUDA program finds: sm_75, sm_80, sm_86, sm_89 or sm_90 "
     "(default: the oldest that its code runs on)",
     1},
    {"list", KEY_LIST, 0, 0,
     "list the suite, or the programs named, with sizes and with what the small size executes", 1},
    {"kernels", KEY_KERNELS, 0, 0,
     "print the kernels of FILE (a program, cubin, fat binary or listing), whether they can be "
     "executed, and a launch file to fill in",
     1},
    {0, 0, 0, 0, "What to write:", 2},
    {"output", KEY_OUTPUT, "DIR", 0,
     "folder for kernelslist.g, a trace file and a file of operands a launch", 2},
    {"allow-outside", KEY_OUTSIDE, 0, 0,
     "a launch file's dumps may lie outside of the working folder", 2},
    {"force", KEY_FORCE, 0, 0,
     "replace a trace that is in DIR, and files that dumps of\nthe launch file name", 2},
    {"format", KEY_FORMAT, "F", 0,
     "v5 (default; Accel-Sim 1.x reads it), v6 (uniform registers, register values) or tracez "
     "(Accel-Sim 2.0)",
     2},
    {"compress", KEY_COMPRESS, "C", 0,
     "none, xz (default), or gz or zstd (default with values), which Accel-Sim does not read; "
     "tracez has its own",
     2},
    {"values", KEY_VALUES, "on|off", 0,
     "values of the registers read and written (default: on for v6, off for tracez; v5 has none)",
     2},
    {"exact", KEY_EXACT, 0, 0,
     "lines exactly as NVIDIA's tracer writes them, even the few at which Accel-Sim stops "
     "(docs/accel-sim.md)",
     2},
    {"blocks", KEY_BLOCKS, "LIST", 0, "write only these thread blocks, by linear number: 0,3,8-15",
     2},
    {"warps", KEY_WARPS, "LIST", 0, "write only these warps of each block", 2},
    {"max-insts", KEY_MAX_INSTS, "N", 0,
     "of each launch, start no further block after N warp instructions", 2},
    {"kernel", KEY_KERNEL, "REGEX", 0, "write only launches of kernels whose mangled name matches",
     2},
    {"launches", KEY_LAUNCHES, "LIST", 0, "write only these launches, by number from 1: 3-10", 2},
    {"skip", KEY_SKIP, "N", 0, "leave out the first N launches of those that would be written", 2},
    {"first", KEY_FIRST, "N", 0, "write at most N launches of each kernel", 2},
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

static const char *const architecture_names[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", NULL};
static const unsigned architectures[] = {75, 80, 86, 89, 90};

/* ---- the command line ------------------------------------------------------------------------ */

static uint64_t number_(struct argp_state *state, const char *option, const char *text,
                        uint64_t most)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || text[0] == '+' || value == 0) {
        argp_error(state, "--%s takes a whole number above 0, not '%s'", option, text);
    } else if (value > most) {
        argp_error(state, "--%s takes at most %" PRIu64 ", not '%s'", option, most, text);
    }
    return value;
}

static void ranges_(struct argp_state *state, const char *option, const char *text,
                    struct smrf_capture_ranges *ranges)
{
    char error[SMRF_SASS_ERROR_BYTES];
    smrf_capture_ranges_free(ranges);
    if (smrf_capture_ranges_parse(ranges, text, error) != 0) {
        argp_error(state, "--%s: %s", option, error);
    }
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

/* What to write: an option of struct smrf_capture_options. */
static error_t parse_capture_(int key, char *arg, struct argp_state *state)
{
    static const char *const formats[] = {"v5", "v6", "tracez", NULL};
    static const char *const compressions[] = {"none", "xz", "gz", "zstd", NULL};
    struct options *o = state->input;
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
    case KEY_KERNEL:
        c->launches.kernel = arg;
        return 0;
    case KEY_LAUNCHES:
        o->launches = arg;
        ranges_(state, "launches", arg, &c->launches.numbers);
        return 0;
    case KEY_SKIP:
        c->launches.skip = number_(state, "skip", arg, UINT64_MAX);
        return 0;
    case KEY_FIRST:
        c->launches.first = number_(state, "first", arg, UINT64_MAX);
        return 0;
    case KEY_BLOCKS:
        o->blocks = arg;
        ranges_(state, "blocks", arg, &c->blocks);
        return 0;
    case KEY_WARPS:
        o->warps = arg;
        ranges_(state, "warps", arg, &c->warps);
        return 0;
    case KEY_MAX_INSTS:
        c->max_insts = number_(state, "max-insts", arg, UINT64_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    static const char *const sizes[] = {"small", "medium", "large", NULL};
    static const char *const switches[] = {"off", "on", NULL};
    struct options *o = state->input;
    switch (key) {
    case KEY_SIZE:
        o->job.size = (enum smrf_size)smrf_cli_choose(state, "size", arg, sizes);
        o->size_given = true;
        return 0;
    case KEY_DEPTH:
        o->job.depth = (uint32_t)number_(state, "depth", arg, UINT32_MAX);
        return 0;
    case KEY_STACK:
        o->job.limits.stack_bytes = (uint32_t)number_(state, "stack", arg, SMRF_EXEC_MAX_STACK);
        return 0;
    case KEY_HEAP:
        o->job.limits.heap_bytes = number_(state, "heap", arg, UINT64_C(1) << 32);
        return 0;
    case KEY_RUNAWAY:
        o->job.limits.max_insts_per_warp = number_(state, "runaway", arg, UINT64_MAX);
        return 0;
    case KEY_LAUNCH:
        o->job.launch = arg;
        return 0;
    case KEY_PRESET:
        o->preset = arg;
        return 0;
    case KEY_ARCH:
        o->arch = architectures[smrf_cli_choose(state, "arch", arg, architecture_names)];
        return 0;
    case KEY_LIST:
        o->list = true;
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

const struct argp smrf_cli_trace_argp = {
    option_table,
    parse_,
    "[-o DIR] -- CUDA-PROGRAM [ARGUMENT..]\nPROGRAM -o DIR\nFILE.sass|FILE.cubin --launch "
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
    "  smrf trace hotspot -o hotspot               trace it, small\n"
    "  smrf run hotspot                            and replay it\n"
    "  smrf trace hotspot --size medium -o medium  0.1 to 2 million warp instructions\n"
    "\n"
    "A kernel of your own:\n"
    "  nvcc -arch=sm_75 -cubin -o k.cubin k.cu\n"
    "  smrf trace --kernels k.cubin > k.yaml       a launch file to fill in\n"
    "  smrf trace k.cubin --launch k.yaml -o out\n"
    "(with lines of source for a profile: nvcc -lineinfo, nvdisasm -hex -g k.cubin > k.sass)\n"
    "where k.yaml reads, say,\n"
    "  launches:\n"
    "    - {kernel: saxpy, grid: [8, 1, 1], block: [256, 1, 1], args: [x, y, {f32: 2}, {i32: "
    "2048}]}\n"
    "  buffers:\n"
    "    x: {type: f32, count: 2048, init: {random: {seed: 1, min: -1, max: 1}}}\n"
    "    y: {type: f32, count: 2048, init: {iota: [0, 1]}}\n"
    "  dump: {y: y.bin}\n"
    "\n"
    "Everything is always executed, so that the check means something; --blocks, --warps and "
    "--max-insts choose what is written. DIR gets its name when the trace is complete and checked: "
    "after a failure, a signal or a crash there is none.\n"
    "\n"
    "Exit status: 0 success, 1 out of memory or stopped by a signal, 2 wrong usage, 3 a file is "
    "missing, wrong or cannot be written, or the machine code is not supported, 4 a result differs "
    "from its reference.",
    NULL,
    NULL,
    NULL};

/* ---- what to run ----------------------------------------------------------------------------- */

/* What is no machine code as text, and how it becomes that. NULL: it is not known. */
static const char *recipe_(const char *word)
{
    static const struct {
        const char *suffix, *recipe;
    } kinds[] = {
        {".cu",
         "nvcc -arch=sm_75 -lineinfo -cubin FILE.cu; nvdisasm -hex -g FILE.cubin > FILE.sass"},
        {".ptx", "ptxas -arch=sm_75 -lineinfo FILE.ptx -o FILE.cubin; nvdisasm -hex -g FILE.cubin "
                 "> FILE.sass"},
        {".cuasm", "cuasm FILE.cuasm -o FILE.cubin; nvdisasm -hex -g FILE.cubin > FILE.sass"},
    };
    const size_t n = strlen(word);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].suffix);
        if (n > length && strcmp(word + n - length, kinds[i].suffix) == 0) {
            return kinds[i].recipe;
        }
    }
    return NULL;
}

static int unknown_program_(const char *word)
{
    const struct smrf_suite_program *p, *near = NULL;
    unsigned best = 4; /* at four edits the name is another one */
    for (unsigned i = 0; (p = smrf_suite_at(i)) != NULL; i++) {
        unsigned distance = smrf_edit_distance(word, p->name);
        if (distance < best) {
            best = distance;
            near = p;
        }
    }
    smrf_cli_error(
        "smrf trace: the suite has no program '%s'%s%s%s; smrf trace --list shows all, and a "
        "file of machine code ends in .sass",
        word, near ? "; did you mean " : "", near ? near->name : "", near ? "?" : "");
    return SMRF_EXIT_USAGE;
}

static int usage_(const char *text)
{
    smrf_cli_error("smrf trace: %s; smrf trace --help tells more", text);
    return SMRF_EXIT_USAGE;
}

/* Is it named as machine code is, a listing compressed or not? */
static bool is_code_(const char *word)
{
    static const char *const endings[] = {".sass",     ".sass.xz", ".sass.gz",
                                          ".sass.zst", ".cubin",   ".fatbin"};
    const size_t n = strlen(word);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t k = strlen(endings[i]);
        if (n > k && strcmp(word + n - k, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int resolve_(struct options *o)
{
    if (o->num_names != 1) {
        return usage_(o->num_names == 0 ? "no PROGRAM: name one of smrf trace --list, or FILE.sass"
                                        : "one PROGRAM at a time");
    }
    const char *word = o->names[0];
    const char *recipe = recipe_(word);
    if (recipe) {
        smrf_cli_error(
            "smrf trace: %s: is no machine code as text; make it so: %s; then smrf trace "
            "FILE.sass --launch FILE.yaml",
            word, recipe);
        return SMRF_EXIT_USAGE;
    }
    bool file = strchr(word, '/') != NULL || is_code_(word);
    o->word = word;
    if (file) {
        o->job.sass = word;
        o->job.arch = o->arch;
        if (!o->job.launch) {
            return usage_("FILE.sass needs --launch FILE.yaml, which says what to launch on what");
        }
        if (o->size_given || o->job.depth) {
            return usage_("--size and --depth are for programs of the suite; a launch file says "
                          "everything itself");
        }
    } else {
        o->job.program = smrf_suite_find(word);
        if (!o->job.program) {
            return unknown_program_(word);
        }
        if (o->job.launch) {
            return usage_("--launch goes with FILE.sass; a program of the suite launches itself");
        }
    }
    return SMRF_EXIT_OK;
}

static int check_output_(struct options *o, bool compress_given)
{
    struct smrf_capture_options *c = &o->job.capture;
    if (o->no_trace && c->dir) {
        return usage_("--no-trace writes nothing, so it takes no -o DIR");
    }
    if (!o->no_trace && !c->dir) {
        return usage_("where to? Give -o DIR, or --no-trace to run and check only");
    }
    if (c->format == SMRF_TRACE_TRACEZ) {
        if (compress_given && c->compression != SMRF_COMPRESS_NONE &&
            c->compression != SMRF_COMPRESS_ZSTD) {
            return usage_("a .tracez is compressed inside with zstd; leave --compress out");
        }
        c->compression = SMRF_COMPRESS_NONE;
    }
    if (o->values == 1 && c->format == SMRF_TRACE_V5) {
        return usage_("version 5 has no register values; add --format v6");
    }
    c->values = c->dir && (o->values == 1 || (o->values < 0 && c->format == SMRF_TRACE_V6));
    if (!compress_given && c->values && c->format == SMRF_TRACE_V6) {
        c->compression = SMRF_COMPRESS_ZSTD; /* a hundred times the text, and xz is slow at it */
    }
    return SMRF_EXIT_OK;
}

/* ---- signals and progress -------------------------------------------------------------------- */

static volatile sig_atomic_t stop_;

/* The second signal ends the program. */
static void on_signal_(int number)
{
    (void)number;
    smrf_cli_catch(NULL);
    stop_ = 1;
}

struct clock {
    double start, drawn;
};

static double now_(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_progress_(void *ctx, const struct smrf_capture_progress *p)
{
    struct clock *clock = ctx;
    double now = now_();
    if (now - clock->drawn < SMRF_CLI_PROGRESS_S) {
        return;
    }
    clock->drawn = now;
    const struct smrf_progress progress = {.warp_insts = p->warp_insts,
                                           .launch = p->launch,
                                           .kernel = p->kernel,
                                           .blocks = p->blocks,
                                           .blocks_total = p->blocks_total,
                                           .fraction = -1, /* nobody knows the launches to come */
                                           .seconds = now - clock->start};
    smrf_cli_progress_draw(NULL, &progress);
}

/* ---- the report ------------------------------------------------------------------------------ */

static void print_mix_(FILE *out, const struct smrf_capture_totals *t)
{
    int shown = 0;
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        if (t->by_class[c] != 0) {
            fprintf(out, "%s%s %.1f %%", shown && shown % 6 == 0 ? "\n                    " : "  ",
                    smrf_cli_class(c), smrf_cli_share(t, c));
            shown++;
        }
    }
    fputc('\n', out);
}

static uint64_t rate_(uint64_t count, double seconds)
{
    return seconds > 0 ? (uint64_t)((double)count / seconds) : 0;
}

static void summarise_(FILE *out, const struct options *o, const struct smrf_trace_outcome *r)
{
    static const char *const sizes[] = {"small", "medium", "large"};
    const struct smrf_capture_totals *t = &r->captured;
    const struct smrf_suite_program *p = o->job.program;
    if (p) {
        fprintf(out, "%s, %s: %s\n", p->name, sizes[o->job.size], p->size_text[o->job.size]);
    } else {
        fprintf(out, "%s, launched by %s\n", o->job.sass, o->job.launch);
    }
    fprintf(out, "Executed            %s launches, %s thread blocks, %s warps\n",
            smrf_cli_count(t->launches), smrf_cli_count(r->executed.blocks),
            smrf_cli_count(r->executed.warps));
    fprintf(out, "Warp instructions   %s\n", smrf_cli_count(t->warp_insts));
    fprintf(out, "Thread instructions %s (%.1f lanes a warp instruction)\n",
            smrf_cli_count(t->thread_insts),
            t->warp_insts ? (double)t->thread_insts / (double)t->warp_insts : 0);
    fprintf(out, "Mix               ");
    print_mix_(out, t);
    if (r->executed.calls) {
        fprintf(out, "Calls               %.1f per thousand warp instructions, %u deep\n",
                1000.0 * (double)r->executed.calls / (double)t->warp_insts, r->executed.call_depth);
    }
    if (p) {
        fprintf(out, "Checked             %s values equal the reference's\n",
                smrf_cli_count(r->compared));
    }
    if (o->job.capture.dir) {
        fprintf(out, "Trace               %s: %s warp instructions of %s blocks\n",
                o->job.capture.dir, smrf_cli_count(t->written_insts),
                smrf_cli_count(t->written_blocks));
        if (t->written_insts < t->warp_insts) {
            fprintf(out,
                    "                    a part, for the replay: Accel-Sim wants every block and "
                    "warp\n");
        }
        fprintf(out, "Next                smrf run %s\n", o->job.capture.dir);
    }
    fprintf(out, "traced in           %.2f s, %s warp instructions a second; ", r->seconds,
            smrf_cli_count(rate_(t->warp_insts, r->seconds)));
    fprintf(out, "in the launches %.2f s, %s a second\n", r->launch_seconds,
            smrf_cli_count(rate_(t->warp_insts, r->launch_seconds)));
}

static void set_count_(json_t *object, const char *key, uint64_t n)
{
    json_object_set_new(object, key, json_integer((json_int_t)n));
}

static int write_json_(const struct options *o, const struct smrf_trace_outcome *r)
{
    const struct smrf_capture_totals *t = &r->captured;
    json_t *root = json_object(), *classes = json_object();
    json_object_set_new(root, "program", smrf_json_text(o->word));
    set_count_(root, "launches", t->launches);
    set_count_(root, "thread_blocks", r->executed.blocks);
    set_count_(root, "warps", r->executed.warps);
    set_count_(root, "warp_insts", t->warp_insts);
    set_count_(root, "thread_insts", t->thread_insts);
    for (unsigned c = 0; c < SMRF_CLASS_COUNT; c++) {
        set_count_(classes, smrf_cli_class(c), t->by_class[c]);
    }
    json_object_set_new(root, "classes", classes);
    set_count_(root, "calls", r->executed.calls);
    set_count_(root, "call_depth", r->executed.call_depth);
    set_count_(root, "divergent_branches", r->executed.divergent_branches);
    set_count_(root, "values_compared", r->compared);
    set_count_(root, "copies", t->copies);
    set_count_(root, "copied_bytes", t->copied_bytes);
    set_count_(root, "written_warp_insts", t->written_insts);
    set_count_(root, "written_blocks", t->written_blocks);
    return smrf_cli_document(root, o->json);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int status_(int err)
{
    return err == SMRF_ERR_INVAL ? SMRF_EXIT_INPUT : smrf_cli_status(err);
}

static int trace_(struct options *o)
{
    struct clock clock = {.start = now_()};
    struct smrf_trace_outcome outcome;
    smrf_cli_catch(on_signal_);
    o->job.capture.stop = &stop_;
    o->job.json = o->json;
    if (!o->quiet && isatty(STDERR_FILENO)) {
        clock.drawn = clock.start;
        o->job.capture.progress = on_progress_;
        o->job.capture.progress_ctx = &clock;
    }
    int rc = smrf_trace_job_run(&o->job, &outcome);
    smrf_cli_catch(NULL);
    smrf_cli_progress_end();
    if (rc < 0) {
        smrf_cli_error("smrf trace: %s", outcome.error);
        return status_(rc);
    }
    int status = o->json ? write_json_(o, &outcome) : SMRF_EXIT_OK;
    if (!o->quiet) {
        summarise_(o->json && strcmp(o->json, "-") == 0 ? stderr : stdout, o, &outcome);
    }
    return status;
}

static int list_(const struct options *o)
{
    for (size_t i = 0; i < o->num_names; i++) {
        if (!smrf_suite_find(o->names[i])) {
            return unknown_program_(o->names[i]);
        }
    }
    if (o->json && strcmp(o->json, "-") != 0) {
        return usage_("--list writes JSON to standard output: --list --json");
    }
    return smrf_cli_trace_list(o->json != NULL, o->names, o->num_names);
}

static int kernels_(const struct options *o)
{
    if (o->num_names != 1) {
        return usage_("--kernels takes one FILE: a program, cubin, fat binary or listing");
    }
    return smrf_cli_trace_kernels(o->names[0], o->arch);
}

static int program_(struct options *o)
{
    const struct smrf_cli_program program = {.argv = o->program,
                                             .job = &o->job,
                                             .launches = o->launches,
                                             .blocks = o->blocks,
                                             .warps = o->warps,
                                             .preset = o->preset,
                                             .arch = o->arch,
                                             .json = o->json,
                                             .quiet = o->quiet};
    if (o->num_names != 0 || o->job.launch || o->size_given || o->job.depth) {
        return usage_("what stands before -- are options for the CUDA program behind it; --launch, "
                      "--size and --depth are for others");
    }
    return smrf_cli_program_run(&program);
}

int smrf_cli_trace(int argc, char **argv)
{
    const enum smrf_trace_compression unset = (enum smrf_trace_compression) - 1;
    struct options o = {.values = -1};
    o.job.capture.compression = unset;
    int status = SMRF_EXIT_USAGE;
    const int dashes = smrf_cli_program_at(argc, argv);
    o.program = dashes + 1 < argc ? argv + dashes + 1 : NULL;
    if (argp_parse(&smrf_cli_trace_argp, dashes, argv, 0, NULL, &o) == 0) {
        bool compress_given = o.job.capture.compression != unset;
        if (!compress_given) {
            o.job.capture.compression = SMRF_COMPRESS_XZ;
        }
        if (o.list) {
            status = list_(&o);
        } else if (o.kernels) {
            status = kernels_(&o);
        } else if (dashes < argc && !o.program) {
            status = usage_("no program behind --");
        } else if (o.program) {
            status = check_output_(&o, compress_given);
            status = status ? status : program_(&o);
        } else {
            status = resolve_(&o);
            status = status ? status : check_output_(&o, compress_given);
            const char *const inputs[] = {o.job.sass, o.job.launch};
            const struct smrf_cli_files files = {&o.json, inputs, NULL, 1, 2, 0};
            status = status ? status : smrf_cli_check_files(&files);
            status = status ? status : trace_(&o);
        }
    }
    smrf_capture_ranges_free(&o.job.capture.blocks);
    smrf_capture_ranges_free(&o.job.capture.warps);
    smrf_capture_ranges_free(&o.job.capture.launches.numbers);
    return status;
}
