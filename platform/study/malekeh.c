/* SPDX-License-Identifier: Apache-2.0 */
/* The studies of Malekeh, long version (figures by its numbering) and short. */
#include "malekeh_claims.h"
#include "malekeh_runs.h"

#include <stdlib.h>
#include <string.h>

/* Arithmetic of the long version III-C and the short version 9.4, from the default machine. */
static void overhead_(struct smrf_study *s)
{
    static const char *const columns[] = {"bytes", "of the register file, %", NULL};
    const double units = 4 * 2, file = 256 * 1024;
    const double tag = 8, lock = 1, reuse = 1, lru = 3, index = 3, entries = 8;
    struct smrf_table *t = smrf_table_add(
        &s->tables, "overhead", "Hardware that Malekeh adds to an SM",
        "4 sub-cores of 2 collectors; 8 entries where an operand collector has 6; tag 8, lock 1, "
        "reuse 1, LRU 3 bits an entry, index 3 bits an operand slot.",
        "part", columns);
    const struct {
        const char *name;
        double bytes;
    } parts[] = {
        {"data: 2 entries more", units * 2 * 128},
        {"control, 6 slots", units * (entries * (tag + lock + reuse + lru) + 6 * index) / 8},
        {"control, 7 slots", units * (entries * (tag + lock + reuse + lru) + 7 * index) / 8},
        {"BOW: 8 collectors of 24 words, all", 4 * 8 * 24 * 128.0},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double *row = smrf_table_row(&s->tables, t, parts[i].name);
        row[0] = parts[i].bytes;
        row[1] = 100 * parts[i].bytes / file;
    }
    smrf_study_claim(s, "storage added, data", SMRF_MALEKEH_LONG, "KB", 2.0, parts[0].bytes / 1024);
    smrf_study_claim(s, "storage added, data, of the register file", SMRF_MALEKEH_LONG, "%", 0.78,
                     100 * parts[0].bytes / file);
    smrf_study_claim(s, "cache storage, of BOW's", SMRF_MALEKEH_LONG, "%", 8.3,
                     100.0 * 8 * units / (4 * 8 * 24));
    smrf_study_claim(s, "cache storage of the private form, of BOW's", SMRF_MALEKEH_LONG, "%", 33,
                     100.0 * 8 / 24);
    smrf_study_claim(s, "control added, of the register file", SMRF_MALEKEH_SHORT, "%", 0.04,
                     100 * parts[2].bytes / file);
    smrf_study_claim(s, "control added", SMRF_MALEKEH_SHORT, "bytes", 128, parts[2].bytes);
}

/* Benchmarks whose trace is that of one before them: small sizes of the suite's may coincide. */
static size_t repeated_(const struct smrf_study *s, const struct smrf_malekeh_grid *g)
{
    size_t count = 0;
    for (size_t b = 0; b < s->num_bench; b++) {
        const char *own = g->of[b][SMRF_RUN_BASELINE].trace;
        bool again = false;
        for (size_t k = 0; k < b && own[0]; k++) {
            again |= strcmp(own, g->of[k][SMRF_RUN_BASELINE].trace) == 0;
        }
        count += again;
    }
    return count;
}

static int report_(struct smrf_study *s)
{
    char introduction[1536], settings[256] = "", repeated[128] = "";
    bool pictures = false;
    struct smrf_malekeh_grid g = {calloc(s->num_bench, sizeof *g.of)};
    if (!g.of) {
        return smrf_study_fail(s, SMRF_ERR_NOMEM, "out of memory");
    }
    for (size_t b = 0; b < s->num_bench; b++) {
        for (size_t v = 0; v < SMRF_MALEKEH_RUNS; v++) {
            g.of[b][v] = smrf_study_result(s, &s->bench[b], &smrf_malekeh_run[v]);
        }
    }
    smrf_malekeh_figures(s, &g);
    smrf_malekeh_reuse(s, &g);
    smrf_malekeh_walks(s);
    if (!s->options->no_sweeps) {
        smrf_malekeh_sthld_curves(s);
        smrf_malekeh_sweeps(s, &g);
    }
    overhead_(s);
    for (size_t i = 0, used = 0; i < s->options->num_sets; i++) {
        used +=
            (size_t)snprintf(settings + used, sizeof settings - used, ", %s", s->options->sets[i]);
    }
    size_t again = repeated_(s, &g);
    free(g.of);
    if (again) {
        snprintf(repeated, sizeof repeated,
                 " %zu of them replay%s the same trace as another one, so that it counts again in "
                 "the means.",
                 again, again == 1 ? "s" : "");
    }
    snprintf(introduction, sizeof introduction,
             "%zu benchmarks, %s%s, preset %s%s. The papers' numbers come from their own traces of "
             "Rodinia and DeepBench; ours from %s, so that the programs are alike and their inputs "
             "are not. Hit ratios are means over the benchmarks, IPC and energy geometric means of "
             "ratios to the baseline.%s",
             s->num_bench, s->options->num_traces ? "traces given by the user" : "size ",
             s->options->num_traces ? "" : s->options->size, s->options->preset, settings,
             s->options->num_traces ? "those" : "the suite's kernels", repeated);
    int err = smrf_tables_write(&s->tables, s->claim, s->num_claims, s->options->folder,
                                "Malekeh: register-file caching in collector units", introduction,
                                &pictures, s->error, s->error_size);
    if (!err && s->options->summary) {
        smrf_claims_print(s->options->summary, s->claim, s->num_claims);
    }
    if (!err && !pictures) {
        fputs("smrf study: no pictures: gnuplot is not installed (apt install gnuplot-nox)\n",
              stderr);
    }
    return err;
}

int smrf_study_malekeh(const struct smrf_study_options *options, char *text, size_t size)
{
    static const char *const groups[] = {"rodinia", "deepbench", NULL};
    struct smrf_study s;
    int err = smrf_study_open(&s, options, groups, text, size);
    err = err ? err : smrf_malekeh_plan(&s);
    err = err ? err : smrf_study_execute(&s);
    err = err ? err : report_(&s);
    smrf_study_close(&s);
    return err;
}
