/* SPDX-License-Identifier: Apache-2.0 */
/* What is run, and with which settings. */
#include "malekeh_runs.h"

#include <string.h>

#define PRECISE "reuse.mode=dynamic" /* traces annotated with exact distances: long version, V */

const struct smrf_study_variant smrf_malekeh_run[SMRF_MALEKEH_RUNS] = {
    [SMRF_RUN_BASELINE] = {"baseline", "baseline", {NULL}},
    [SMRF_RUN_LONG] = {"malekeh-long", "malekeh-long", {PRECISE}},
    [SMRF_RUN_SHORT] = {"malekeh-short", "malekeh-short", {PRECISE}},
    [SMRF_RUN_PRIVATE] = {"malekeh-private", "malekeh-private", {PRECISE}},
    [SMRF_RUN_BOW_LONG] = {"bow-long", "bow-long", {NULL}},
    [SMRF_RUN_BOW_SHORT] = {"bow-short", "bow-short", {NULL}},
    [SMRF_RUN_GTO_LRU] = {"gto-lru", "gto-lru", {NULL}},
    [SMRF_RUN_PROFILED] = {"malekeh-long-profile", "malekeh-long", {"reuse.mode=profile"}},
};

#define POINT(name, ...)                                                                           \
    {                                                                                              \
        name, {"sweep-" name, "malekeh-long", {PRECISE, __VA_ARGS__}}, NULL                        \
    }

static const struct smrf_study_variant collectors_base[] = {
    {"baseline-collectors-4", "baseline", {"rf.collectors=4"}},
    {"baseline-collectors-8", "baseline", {"rf.collectors=8"}},
    {"baseline-collectors-16", "baseline", {"rf.collectors=16"}},
};

static const struct smrf_malekeh_point sweep_rthld[] = {
    POINT("rthld-2", "reuse.rthld=2"),
    POINT("rthld-4", "reuse.rthld=4"),
    POINT("rthld-8", "reuse.rthld=8"),
    {"rthld-12", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    POINT("rthld-16", "reuse.rthld=16"),
    POINT("rthld-24", "reuse.rthld=24"),
    POINT("rthld-48", "reuse.rthld=48"),
};
static const struct smrf_malekeh_point sweep_entries[] = {
    POINT("entries-6", "malekeh.ct_entries=6"),
    {"entries-8", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    POINT("entries-12", "malekeh.ct_entries=12"),
    POINT("entries-16", "malekeh.ct_entries=16"),
};
static const struct smrf_malekeh_point sweep_ports[] = {
    {"ports-1", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    POINT("ports-2", "malekeh.write_ports=2"),
    POINT("ports-any", "malekeh.write_ports=0"),
};
static const struct smrf_malekeh_point sweep_collectors[] = {
    {"collectors-2", {"malekeh-long", "malekeh-long", {PRECISE}}, NULL},
    {"collectors-4",
     {"sweep-collectors-4", "malekeh-long", {PRECISE, "rf.collectors=4"}},
     &collectors_base[0]},
    {"collectors-8",
     {"sweep-collectors-8", "malekeh-long", {PRECISE, "rf.collectors=8"}},
     &collectors_base[1]},
    {"collectors-16",
     {"sweep-collectors-16", "malekeh-long", {PRECISE, "rf.collectors=16"}},
     &collectors_base[2]},
};

const struct smrf_malekeh_sweep smrf_malekeh_sweep[SMRF_MALEKEH_SWEEPS] = {
    {"sensitivity-rthld", "Sensitivity: RTHLD",
     "Mean over all benchmarks. The papers choose 12 without showing the curve.", sweep_rthld,
     sizeof sweep_rthld / sizeof *sweep_rthld},
    {"sensitivity-entries", "Sensitivity: entries of the cache table",
     "Mean over all benchmarks. The long version calls 8 the sweet spot.", sweep_entries,
     sizeof sweep_entries / sizeof *sweep_entries},
    {"sensitivity-ports", "Sensitivity: results that port D takes in a cycle",
     "Mean over all benchmarks. The long version says that one is enough.", sweep_ports,
     sizeof sweep_ports / sizeof *sweep_ports},
    {"sensitivity-collectors", "Sensitivity: collector units of a sub-core",
     "Mean over all benchmarks, against the baseline with 2 collectors. 'baseline' is the baseline "
     "with as many. The long version quotes +7.1 % IPC and 2.83x register-file power for 2 to 8 "
     "operand collectors, 5.19x for 16.",
     sweep_collectors, sizeof sweep_collectors / sizeof *sweep_collectors},
};

const unsigned smrf_malekeh_sthld[SMRF_MALEKEH_STHLDS] = {0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64};

/* STHLD matters where more warps than collectors share a sub-core: at the small sizes, these. The
 * long version names the first (srad_v1). */
static const char *const sthld_preferred[] = {"srad", "backprop", "nn", "btree", NULL};

/* The small sizes end within few intervals of 10,000 cycles: their walk is one of shorter ones. */
static const struct smrf_study_variant walk_small = {
    "walk-500", "malekeh-long", {PRECISE, "malekeh.sthld_interval=500"}};

bool smrf_malekeh_walk_is_short(const struct smrf_study *s)
{
    return !s->options->num_traces && strcmp(s->options->size, "small") == 0;
}

const struct smrf_study_variant *smrf_malekeh_walk_run(const struct smrf_study *s)
{
    return smrf_malekeh_walk_is_short(s) ? &walk_small : &smrf_malekeh_run[SMRF_RUN_LONG];
}

struct smrf_study_variant smrf_malekeh_sthld_run(unsigned value, char name[2][32])
{
    snprintf(name[0], 32, "sthld-%u", value);
    snprintf(name[1], 32, "malekeh.sthld=%u", value);
    return (struct smrf_study_variant){
        name[0], "malekeh-long", {PRECISE, "malekeh.sthld_mode=fixed", name[1]}};
}

/* Three benchmarks for the curves and the walks: known ones first. */
size_t smrf_malekeh_sthld_benches(const struct smrf_study *s,
                                  const struct smrf_study_bench **chosen)
{
    size_t n = 0;
    for (size_t k = 0; sthld_preferred[k] && n < SMRF_MALEKEH_STHLD_BENCHES; k++) {
        for (size_t i = 0; i < s->num_bench && n < SMRF_MALEKEH_STHLD_BENCHES; i++) {
            if (strcmp(s->bench[i].name, sthld_preferred[k]) == 0) {
                chosen[n++] = &s->bench[i];
            }
        }
    }
    for (size_t i = 0; i < s->num_bench && n < SMRF_MALEKEH_STHLD_BENCHES; i++) {
        bool taken = false;
        for (size_t k = 0; k < n; k++) {
            taken |= chosen[k] == &s->bench[i];
        }
        if (!taken) {
            chosen[n++] = &s->bench[i];
        }
    }
    return n;
}

int smrf_malekeh_plan(struct smrf_study *s)
{
    const struct smrf_study_bench *chosen[SMRF_MALEKEH_STHLD_BENCHES];
    int err = SMRF_OK;
    for (size_t b = 0; !err && b < s->num_bench; b++) {
        err = smrf_study_plan_reuse(s, &s->bench[b]);
        for (size_t v = 0; !err && v < SMRF_MALEKEH_RUNS; v++) {
            err = smrf_study_plan(s, &s->bench[b], &smrf_malekeh_run[v]);
        }
        for (size_t k = 0; !err && !s->options->no_sweeps && k < SMRF_MALEKEH_SWEEPS; k++) {
            for (size_t p = 0; !err && p < smrf_malekeh_sweep[k].num; p++) {
                const struct smrf_malekeh_point *point = &smrf_malekeh_sweep[k].point[p];
                err = smrf_study_plan(s, &s->bench[b], &point->variant);
                if (!err && point->against) {
                    err = smrf_study_plan(s, &s->bench[b], point->against);
                }
            }
        }
    }
    size_t n = smrf_malekeh_sthld_benches(s, chosen);
    for (size_t b = 0; !err && b < n; b++) {
        err = smrf_study_plan(s, chosen[b], smrf_malekeh_walk_run(s));
        for (size_t k = 0; !err && !s->options->no_sweeps && k < SMRF_MALEKEH_STHLDS; k++) {
            char names[2][32];
            struct smrf_study_variant v = smrf_malekeh_sthld_run(smrf_malekeh_sthld[k], names);
            err = smrf_study_plan(s, chosen[b], &v);
        }
    }
    return err;
}
