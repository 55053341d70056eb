/* SPDX-License-Identifier: Apache-2.0 */
/* smrf trace */
#define _GNU_SOURCE
#include "cli.h"
#include "document.h"
#include "nvcc.h"
#include "program.h"
#include "trace_kernels.h"
#include "trace_options.h"

#include "platform/config/suggest.h"
#include "platform/results/json_text.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- what to run ----------------------------------------------------------------------------- */

/* What is no machine code as text, and how it becomes that. NULL: it is not known. */
static const char *recipe_(const char *word)
{
    static const struct {
        const char *suffix, *recipe;
    } kinds[] = {
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

static const char *program_at_(size_t i)
{
    const struct smrf_suite_program *p = smrf_suite_at((unsigned)i);
    return p ? p->name : NULL;
}

static int unknown_program_(const char *word)
{
    char near[256];
    smrf_suggest(word, program_at_, 4, near, sizeof near); /* at four edits it is another one */
    smrf_cli_error(
        "smrf trace: the suite has no program '%s'%s; smrf trace --list shows all, and a "
        "file of machine code ends in .sass",
        word, near);
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

static int resolve_(struct smrf_cli_trace *o)
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
        o->job.arch = o->program_options.arch;
        if (!o->job.launch) {
            return usage_("FILE.sass needs --launch FILE.yaml, which says what to launch on what");
        }
        if (o->size_given || o->job.depth || o->job.scale) {
            return usage_("--size, --depth and --scale are for programs of the suite; a launch "
                          "file says everything itself");
        }
    } else {
        o->job.program = smrf_suite_find(word);
        if (!o->job.program) {
            return unknown_program_(word);
        }
        if (o->job.scale && !o->job.program->has_scale) {
            return usage_("this program has no scale; give --size small, medium or large");
        }
        if (o->job.launch) {
            return usage_("--launch goes with FILE.sass; a program of the suite launches itself");
        }
    }
    return SMRF_EXIT_OK;
}

static int check_output_(struct smrf_cli_trace *o, bool compress_given)
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
                                           .fraction = -1, /* the number of launches is not known */
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

static void summarise_(FILE *out, const struct smrf_cli_trace *o,
                       const struct smrf_trace_outcome *r)
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

static int write_json_(const struct smrf_cli_trace *o, const struct smrf_trace_outcome *r)
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

static int trace_(struct smrf_cli_trace *o)
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

static bool is_group_(const char *word)
{
    const struct smrf_suite_program *p;
    for (unsigned i = 0; (p = smrf_suite_at(i)) != NULL; i++) {
        if (strcmp(word, p->group) == 0) {
            return true;
        }
    }
    return false;
}

static int list_(const struct smrf_cli_trace *o)
{
    for (size_t i = 0; i < o->num_names; i++) {
        if (!smrf_suite_find(o->names[i]) && !is_group_(o->names[i])) {
            return unknown_program_(o->names[i]);
        }
    }
    if (o->json && strcmp(o->json, "-") != 0) {
        return usage_("--list writes JSON to standard output: --list --json");
    }
    if (o->num_names == 0 && !o->all && !o->json) {
        return smrf_cli_trace_groups();
    }
    return smrf_cli_trace_list(o->json != NULL, o->names, o->num_names);
}

static int kernels_(const struct smrf_cli_trace *o)
{
    if (o->num_names != 1) {
        return usage_("--kernels takes one FILE: a program, cubin, fat binary or listing");
    }
    return smrf_cli_trace_kernels(o->names[0], o->program_options.arch);
}

static int program_(struct smrf_cli_trace *o)
{
    struct smrf_cli_program program = {.argv = o->program,
                                       .command = "smrf trace",
                                       .options = &o->program_options,
                                       .capture = &o->job.capture,
                                       .blocks = o->blocks,
                                       .warps = o->warps,
                                       .json = o->json,
                                       .quiet = o->quiet};
    if (o->num_names != 0 || o->job.launch || o->size_given || o->job.depth || o->job.scale) {
        return usage_("only options for a CUDA program may come before --; --launch, --size, "
                      "--depth and --scale are for other programs");
    }
    const int status = smrf_cli_program_preset(&program, o->preset);
    return status ? status : smrf_cli_program_run(&program);
}

/* "smrf trace foo.cu": a program without arguments. */
static bool take_source_(struct smrf_cli_trace *o)
{
    if (o->num_names != 1 || o->job.launch || !smrf_cli_is_source(o->names[0])) {
        return false;
    }
    o->source[0] = o->names[0];
    o->program = o->source;
    o->num_names = 0;
    return true;
}

int smrf_cli_trace(int argc, char **argv)
{
    const enum smrf_trace_compression unset = (enum smrf_trace_compression) - 1;
    struct smrf_cli_trace o = {.values = -1};
    o.job.capture.compression = unset;
    int status = SMRF_EXIT_USAGE;
    const int dashes = smrf_cli_program_at(argc, argv);
    o.program = dashes + 1 < argc ? argv + dashes + 1 : NULL;
    if (argp_parse(&smrf_cli_trace_argp, dashes, argv, 0, NULL, &o) == 0) {
        bool compress_given = o.job.capture.compression != unset;
        if (!compress_given) {
            o.job.capture.compression = SMRF_COMPRESS_ZSTD;
        }
        if (o.list) {
            status = list_(&o);
        } else if (o.kernels) {
            status = kernels_(&o);
        } else if (dashes < argc && !o.program) {
            status = usage_("no program after --");
        } else if (o.program || take_source_(&o)) {
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
    smrf_cli_program_options_free(&o.program_options);
    return status;
}
