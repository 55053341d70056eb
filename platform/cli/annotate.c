/* SPDX-License-Identifier: Apache-2.0 */
/* smrf annotate */
#define _GNU_SOURCE
#include "cli.h"
#include "document.h"

#include "firmware/annotate/reuse_file.h"
#include "platform/config/internal.h"
#include "traces/files/output_file.h"

#include "smrf_version.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES 20 /* launches shown to people */

struct launch {
    char *name;
    struct smrf_reuse_launch result; /* its profiles are freed */
};

struct annotate {
    const char *path, *side_file, *csv, *json; /* NULL = not wanted */
    enum smrf_reuse_mode mode;
    bool outside;
    struct smrf_reuse_options options;
    struct launch *launches;
    size_t num_launches;
    struct smrf_reuse_launch total;
    uint64_t digest; /* of the trace */
    struct smrf_reuse_writer *writer;
};

enum option_key {
    KEY_OUTPUT = 'o',
    KEY_RTHLD = 't',
    KEY_JSON = 256,
    KEY_MODE,
    KEY_PROFILE,
    KEY_CSV,
    KEY_OUTSIDE
};

static const struct argp_option option_table[] = {
    {"output", KEY_OUTPUT, "FILE", 0, "write the side file that smrf run --reuse reads", 0},
    {"mode", KEY_MODE, "M", 0,
     "bits of the side file: profile (default: one bit for each static operand, by the majority of "
     "the launch's first warps), majority (of all warps), dynamic (one bit for each execution)",
     0},
    {"rthld", KEY_RTHLD, "N", 0,
     "near = read again within N instructions of the warp, 1 to 255 (default 12)", 0},
    {"profile", KEY_PROFILE, "PPM", 0,
     "warps that are profiled, in millionths of a launch's (default 100 = 0.01 %; at least one)",
     0},
    {"allow-outside", KEY_OUTSIDE, 0, 0, "lines of a list may name files outside of its folder", 0},
    {"csv", KEY_CSV, "FILE", 0, "write the distribution of reuse distances; - is standard output",
     0},
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "everything as one JSON document, on standard output without a FILE", 0},
    {0},
};

static uint32_t number_(struct argp_state *state, const char *option, const char *text,
                        uint32_t max)
{
    uint32_t value = 0;
    if (smrf_number_parse(text, &value) || value < 1 || value > max) {
        argp_error(state, "--%s takes a whole number from 1 to %u, not '%s'", option, max, text);
    }
    return value;
}

static error_t parse_(int key, char *arg, struct argp_state *state)
{
    struct annotate *o = state->input;
    unsigned mode = 0;
    switch (key) {
    case KEY_JSON:
        o->json = arg ? arg : "-";
        return 0;
    case KEY_OUTPUT:
        o->side_file = arg;
        return 0;
    case KEY_OUTSIDE:
        o->outside = true;
        return 0;
    case KEY_CSV:
        o->csv = arg;
        return 0;
    case KEY_RTHLD:
        o->options.rthld = number_(state, "rthld", arg, SMRF_REUSE_MAX_RTHLD);
        return 0;
    case KEY_PROFILE:
        o->options.profile_ppm = number_(state, "profile", arg, 1000000);
        return 0;
    case KEY_MODE:
        while (smrf_reuse_mode_name(mode) && strcmp(smrf_reuse_mode_name(mode), arg) != 0) {
            mode++;
        }
        if (!smrf_reuse_mode_name(mode)) {
            argp_error(state, "--mode is profile, majority or dynamic, not '%s'", arg);
        }
        o->mode = (enum smrf_reuse_mode)mode;
        return 0;
    case ARGP_KEY_ARG:
        if (o->path) {
            argp_error(state, "one TRACE at a time, not also '%s'", arg);
        }
        o->path = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no TRACE: name a kernelslist.g, a trace file or a folder");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp smrf_cli_annotate_argp = {
    option_table,
    parse_,
    "TRACE",
    "Measure how soon registers are read again, and mark each operand near or far as a compiler "
    "would.\vThe reuse distance runs from an access to a register (read or write) to the next read "
    "of it, in instructions of the warp; a value that is overwritten or never read again has none. "
    "What a profile loses is reported as the share of executed operands whose static bit is not "
    "their own.\n\n"
    "  smrf annotate my-trace                       distances, quality of a profile\n"
    "  smrf annotate -o my-trace.reuse my-trace     and keep the bits\n"
    "  smrf run --mechanism malekeh-long --reuse my-trace.reuse my-trace",
    NULL,
    NULL,
    NULL};

/* --- measuring -------------------------------------------------------------------------------- */

static int each_(void *ctx, struct smrf_trace_block *block, uint32_t warp,
                 const struct smrf_reuse_marked *m)
{
    return smrf_reuse_writer_inst(ctx, block, warp, m);
}

static int launch_(struct annotate *o, struct smrf_trace *trace,
                   const struct smrf_kernel_info *info)
{
    struct launch *grown = realloc(o->launches, (o->num_launches + 1) * sizeof *grown);
    if (!grown) {
        return SMRF_ERR_NOMEM;
    }
    o->launches = grown;
    struct launch *l = &o->launches[o->num_launches++];
    *l = (struct launch){.name = strdup(info->name)};
    bool dynamic = o->writer && o->mode == SMRF_REUSE_DYNAMIC;
    int err = l->name ? SMRF_OK : SMRF_ERR_NOMEM;
    if (!err && o->writer) {
        err = smrf_reuse_writer_launch(o->writer, info);
    }
    err = err ? err
              : smrf_reuse_measure(&l->result, trace, info, &o->options, dynamic ? each_ : NULL,
                                   o->writer);
    if (!err && o->writer && !dynamic) {
        err = smrf_reuse_writer_profile(
            o->writer, o->mode == SMRF_REUSE_PROFILE ? &l->result.profile : &l->result.all);
    }
    if (!err && o->writer) {
        err = smrf_reuse_writer_end_launch(o->writer);
    }
    smrf_reuse_launch_free(&l->result);
    if (!err) {
        smrf_reuse_add(&o->total, &l->result);
    }
    return err;
}

static int measure_(struct annotate *o)
{
    struct smrf_trace *trace = NULL;
    struct smrf_kernel_info info;
    char text[SMRF_REUSE_TEXT] = "";
    int err = SMRF_OK, written = SMRF_OK;
    if (o->side_file) {
        err = smrf_reuse_writer_open(&o->writer, o->side_file, o->mode, o->options.rthld);
    }
    const struct smrf_trace_options options = {.outside = o->outside};
    int got = err ? err : smrf_trace_open(&trace, o->path, &options);
    while (got >= 0 && (got = smrf_trace_next_kernel(trace, &info)) > 0) {
        got = launch_(o, trace, &info);
    }
    if (o->side_file) {
        const bool given_up = got < 0 && !smrf_reuse_writer_failed(o->writer);
        written = given_up ? (smrf_reuse_writer_abandon(o->writer), SMRF_OK)
                           : smrf_reuse_writer_close(o->writer, text);
    }
    if (written) {
        smrf_cli_error("smrf: %s", text);
    } else if (got < 0) {
        smrf_cli_error("smrf: %s",
                       got == SMRF_ERR_NOMEM || !trace ? "out of memory" : smrf_trace_error(trace));
    }
    const char *warning;
    for (size_t i = 0; trace && (warning = smrf_trace_warning(trace, i)) != NULL; i++) {
        smrf_cli_error("smrf: note: %s", warning);
    }
    if (trace) {
        o->digest = smrf_trace_totals_get(trace)->digest;
        smrf_trace_close(trace);
    }
    return written ? written : got;
}

/* --- reports ---------------------------------------------------------------------------------- */

static double percent_(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Reuses at distances from..to. */
static uint64_t between_(const struct smrf_reuse_distances *d, unsigned from, unsigned to)
{
    uint64_t sum = 0;
    for (unsigned i = from; i <= to && i < SMRF_REUSE_BINS; i++) {
        sum += d->bin[i];
    }
    return sum;
}

static void print_(const struct annotate *o)
{
    const struct smrf_reuse_launch *t = &o->total;
    const struct smrf_reuse_distances *d = &t->distances;
    static const unsigned edges[] = {1, 2, 3, 4, 6, 9, 11, 13, 17, 33, 65, SMRF_REUSE_BINS};
    printf("warps               %s, %s of them profiled\n", smrf_cli_count(t->warps),
           smrf_cli_count(t->profiled_warps));
    printf("register accesses   %s, %s of them (%.1f %%) with a reuse\n",
           smrf_cli_count(d->accesses), smrf_cli_count(d->reuses),
           percent_(d->reuses, d->accesses));
    printf("reuse distances     above 3: %.1f %%, above 10: %.1f %%\n\n",
           100.0 - percent_(between_(d, 1, 3), d->reuses),
           100.0 - percent_(between_(d, 1, 10), d->reuses));
    printf("%12s %16s %8s %8s\n", "distance", "reuses", "share", "up to");
    for (size_t i = 0; i + 1 < sizeof edges / sizeof *edges; i++) {
        char range[32];
        unsigned last = edges[i + 1] - 1;
        bool open = edges[i + 1] == SMRF_REUSE_BINS;
        uint64_t n = between_(d, edges[i], last) + (open ? d->bin[0] : 0);
        if (open) {
            snprintf(range, sizeof range, "%u..", edges[i]);
        } else if (last == edges[i]) {
            snprintf(range, sizeof range, "%u", last);
        } else {
            snprintf(range, sizeof range, "%u..%u", edges[i], last);
        }
        printf("%12s %16s %6.1f %% %6.1f %%\n", range, smrf_cli_count(n), percent_(n, d->reuses),
               percent_(between_(d, 1, last) + (open ? d->bin[0] : 0), d->reuses));
    }
    printf("\n%6s %-24s %14s %8s   static bits that are wrong\n", "launch", "kernel", "operands",
           "near");
    for (size_t i = 0; i <= o->num_launches; i++) {
        bool sum = i == o->num_launches;
        const struct smrf_reuse_launch *l = sum ? t : &o->launches[i].result;
        if (!sum && i >= LAUNCHES) {
            continue;
        }
        printf("%6s %-24s %14s %6.1f %%   profile %.2f %%, majority %.2f %%, never profiled %.2f "
               "%%\n",
               sum ? "all" : smrf_cli_count(i + 1),
               sum ? "" : smrf_cli_name(o->launches[i].name, 24), smrf_cli_count(l->operands),
               percent_(l->near_operands, l->operands), percent_(l->profile_wrong, l->operands),
               percent_(l->all_wrong, l->operands), percent_(l->unprofiled, l->operands));
    }
    if (o->side_file) {
        printf("\nside file           %s (%s)\n", o->side_file, smrf_reuse_mode_name(o->mode));
    }
}

static json_t *json_one_(const struct smrf_reuse_launch *l)
{
    json_t *o = json_object(), *bins = json_array();
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"warps", l->warps},
        {"profiled_warps", l->profiled_warps},
        {"accesses", l->distances.accesses},
        {"reuses", l->distances.reuses},
        {"operands", l->operands},
        {"near_operands", l->near_operands},
        {"profile_wrong", l->profile_wrong},
        {"majority_wrong", l->all_wrong},
        {"never_profiled", l->unprofiled},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_object_set_new(o, rows[i].name, json_integer((json_int_t)rows[i].value));
    }
    unsigned last = SMRF_REUSE_BINS - 1;
    while (last > 1 && l->distances.bin[last] == 0) {
        last--;
    }
    for (unsigned i = 1; i <= last; i++) {
        json_array_append_new(bins, json_integer((json_int_t)l->distances.bin[i]));
    }
    json_object_set_new(o, "distances_from_1", bins);
    json_object_set_new(o, "distances_above_4095", json_integer((json_int_t)l->distances.bin[0]));
    return o;
}

static int write_json_(const struct annotate *o)
{
    json_t *root = json_one_(&o->total), *kernels = json_array();
    json_object_set_new(root, "rthld", json_integer(o->options.rthld));
    json_object_set_new(root, "profile_ppm", json_integer(o->options.profile_ppm));
    for (size_t i = 0; i < o->num_launches; i++) {
        json_t *l = json_one_(&o->launches[i].result);
        json_object_set_new(l, "name", json_string(o->launches[i].name));
        json_array_append_new(kernels, l);
    }
    json_object_set_new(root, "kernels", kernels);
    char digest[24];
    snprintf(digest, sizeof digest, "0x%016llx", (unsigned long long)o->digest);
    json_object_set_new(root, "provenance",
                        json_pack("{s:s,s:s,s:s,s:s}", "program", "smrf", "version", SMRF_VERSION,
                                  "commit", SMRF_COMMIT, "trace_digest", digest));
    return smrf_cli_document(root, o->json);
}

static int write_csv_(const struct annotate *o)
{
    struct smrf_output out;
    char text[1024] = "";
    const struct smrf_reuse_distances *d = &o->total.distances;
    int err = smrf_output_open(&out, o->csv, text, sizeof text);
    if (!err) {
        fputs("distance,reuses\n", out.file);
        for (unsigned i = 1; i < SMRF_REUSE_BINS; i++) {
            if (d->bin[i]) {
                fprintf(out.file, "%u,%llu\n", i, (unsigned long long)d->bin[i]);
            }
        }
        fprintf(out.file, ">%d,%llu\n", SMRF_REUSE_BINS - 1, (unsigned long long)d->bin[0]);
        fprintf(out.file, "none,%llu\n", (unsigned long long)(d->accesses - d->reuses));
        err = smrf_output_close(&out, true, text, sizeof text);
    }
    if (err) {
        smrf_cli_error("smrf: %s", text);
    }
    return err;
}

int smrf_cli_annotate(int argc, char **argv)
{
    struct annotate *o = calloc(1, sizeof *o); /* the distributions are large */
    if (!o) {
        fputs("smrf: out of memory\n", stderr);
        return SMRF_EXIT_FAILURE;
    }
    o->options = (struct smrf_reuse_options){.rthld = 12, .profile_ppm = 100};
    int err =
        argp_parse(&smrf_cli_annotate_argp, argc, argv, 0, NULL, o) ? SMRF_ERR_INVAL : SMRF_OK;
    const char *const outputs[] = {o->side_file, o->csv, o->json};
    char *traces[] = {(char *)(size_t)o->path};
    const struct smrf_cli_files files = {outputs, NULL, traces, 3, 0, 1};
    if (!err && smrf_cli_check_files(&files)) {
        err = SMRF_ERR_INVAL;
    }
    err = err ? err : measure_(o);
    if (!err && o->csv) {
        err = write_csv_(o);
    }
    int status = err ? smrf_cli_status(err) : SMRF_EXIT_OK;
    if (!status && o->json) {
        status = write_json_(o);
    }
    bool taken = false; /* standard output, by a document */
    for (size_t i = 0; i < 3; i++) {
        taken = taken || (outputs[i] && smrf_output_is_stdout(outputs[i]));
    }
    if (!status && !taken) {
        print_(o);
    }
    for (size_t i = 0; i < o->num_launches; i++) {
        free(o->launches[i].name);
    }
    free(o->launches);
    free(o);
    return status;
}
