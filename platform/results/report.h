/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's documents contain, and the two forms they are written in.
 *
 * JSON: one object. First the statistics of stats.c, nested by their dotted names; then those of
 * the mechanism under `mechanism`, with its series (columns, rows); `energy` (pJ, by set of
 * constants and component), `partial`, `end` and `checks`; `series`, where one was wanted;
 * `kernels`, one launch a line, with the same statistics; `provenance`; `sim`, the only part that
 * differs between runs of the same input and seed.
 *
 * CSV: a header, a row for the whole run (first column "total"), and a row a launch (its number).
 * Columns: the launch, the statistics under their dotted names, mechanism.*, energy.<set>.*,
 * provenance.*, config.*, sim.* (the last only in the row "total"). Rows of several runs of one
 * mechanism can be put together. */
#ifndef SMRF_REPORT_H
#define SMRF_REPORT_H

#include "platform/counters/counters.h"

#include "findings.h"
#include "platform/energy/energy.h"
#include "platform/series/series.h"

#include "platform/config/smrf_config.h"
#include "traces/trace.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One launch. */
struct smrf_launch {
    char *name;
    const char *limit; /* parameter that limits its occupancy */
    struct smrf_dim3 grid, block;
    uint64_t start, end;     /* first and last cycle of its blocks; end 0: cut off */
    uint32_t id;             /* as its trace numbers it */
    uint32_t binary_version; /* sm_ that it was compiled for; 0: the trace does not say */
    uint64_t stream;         /* CUDA stream that it was launched in */
    unsigned occupancy;
    bool partial;
    struct smrf_counters counters;
};

struct smrf_report {
    struct smrf_counters total;
    const struct smrf_launch *launches;
    size_t num_launches;
    bool partial;
    const char *end;     /* "finished", "limit", "stopped", "failed" */
    const char *failure; /* NULL = none */
    const struct smrf_findings *findings;
    size_t laws; /* conservation laws checked; 0: the run is not complete */
    const struct smrf_mechanism *machinery; /* what `mechanism` names */
    const uint64_t *series;                 /* [num_rows][columns of the mechanism's series] */
    size_t num_rows;
    const struct smrf_series *samples; /* NULL: none were taken */
    const char *version, *commit, *preset, *mechanism, *memory;
    uint64_t table;         /* digest of the table that replaced the mechanism's; 0 = none did */
    const char *reuse_file; /* side file of the reuse bits, NULL = none was read */
    uint64_t digest;        /* of every trace, in order */
    const struct smrf_config *config;
    const struct smrf_energy_set *const *energy; /* [num_energy] */
    size_t num_energy;
    struct smrf_energy_shape shape;
    /* sim */
    const char *engine;
    unsigned threads;
    const char *const *traces;
    size_t num_traces;
    double wall_s;
    uint64_t payloads_peak;
    const uint64_t *transactions; /* [SMRF_PORT_KINDS] */
};

/* Write to an open file. Returns 0, SMRF_ERR_IO or SMRF_ERR_NOMEM. */
int smrf_report_json(const struct smrf_report *r, FILE *out);
int smrf_report_csv(const struct smrf_report *r, FILE *out);
/* Lines as Accel-Sim prints them, a section a launch; totals grow from launch to launch. */
int smrf_report_accelsim(const struct smrf_report *r, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
