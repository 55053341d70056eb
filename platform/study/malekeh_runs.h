/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of Malekeh's studies, and the tables made of them. */
#ifndef SMRF_STUDY_MALEKEH_RUNS_H
#define SMRF_STUDY_MALEKEH_RUNS_H

#include "study.h"

/* Ways to run every benchmark. */
enum smrf_malekeh_run {
    SMRF_RUN_BASELINE,
    SMRF_RUN_LONG,
    SMRF_RUN_SHORT,
    SMRF_RUN_PRIVATE,
    SMRF_RUN_BOW_LONG,
    SMRF_RUN_BOW_SHORT,
    SMRF_RUN_GTO_LRU,
    SMRF_RUN_PROFILED,
    SMRF_MALEKEH_RUNS
};
extern const struct smrf_study_variant smrf_malekeh_run[SMRF_MALEKEH_RUNS];

/* Malekeh's own variants of a sweep, and the baseline where the machine itself changes. */
struct smrf_malekeh_point {
    const char *name;
    struct smrf_study_variant variant;
    const struct smrf_study_variant *against;
};
struct smrf_malekeh_sweep {
    const char *id, *title, *note;
    const struct smrf_malekeh_point *point;
    size_t num;
};
#define SMRF_MALEKEH_SWEEPS 4
extern const struct smrf_malekeh_sweep smrf_malekeh_sweep[SMRF_MALEKEH_SWEEPS];

/* Fixed values of STHLD, and the benchmarks that are run with each. */
#define SMRF_MALEKEH_STHLDS 11
#define SMRF_MALEKEH_STHLD_BENCHES 3
extern const unsigned smrf_malekeh_sthld[SMRF_MALEKEH_STHLDS];
/* name: room for what the variant points to. */
struct smrf_study_variant smrf_malekeh_sthld_run(unsigned value, char name[2][32]);
/* Their number. */
size_t smrf_malekeh_sthld_benches(const struct smrf_study *s,
                                  const struct smrf_study_bench **chosen);
/* The run whose walk of the adaptive STHLD is shown; whether its intervals are shortened. */
const struct smrf_study_variant *smrf_malekeh_walk_run(const struct smrf_study *s);
bool smrf_malekeh_walk_is_short(const struct smrf_study *s);

int smrf_malekeh_plan(struct smrf_study *s);

/* --- results, and the tables made of them ----------------------------------------------------- */

struct smrf_malekeh_grid {
    struct smrf_study_result (*of)[SMRF_MALEKEH_RUNS]; /* [num_bench] */
};

enum smrf_malekeh_quantity {
    SMRF_QUANTITY_IPC,
    SMRF_QUANTITY_HITS,
    SMRF_QUANTITY_L1D,
    SMRF_QUANTITY_WRITES,
    SMRF_QUANTITY_ENERGY
};

/* IPC and energy (of a set of constants) relative to base. NAN where a run failed. */
double smrf_malekeh_value(const struct smrf_study_result *own, const struct smrf_study_result *base,
                          enum smrf_malekeh_quantity what, unsigned set);

/* Figs. 12 to 17: a row a benchmark. */
void smrf_malekeh_figures(struct smrf_study *s, const struct smrf_malekeh_grid *g);
/* Fig. 1, and what a profile of it loses. */
void smrf_malekeh_reuse(struct smrf_study *s, const struct smrf_malekeh_grid *g);
/* Fig. 7, the adaptive machine over time, and the sensitivity studies. */
void smrf_malekeh_sthld_curves(struct smrf_study *s);
void smrf_malekeh_walks(struct smrf_study *s);
void smrf_malekeh_sweeps(struct smrf_study *s, const struct smrf_malekeh_grid *g);

#endif
