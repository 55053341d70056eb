/* SPDX-License-Identifier: Apache-2.0 */
/* Conservation laws: equations between counters of different blocks that hold at the end of every
 * complete run. A broken law is a bug of the model, and makes its results worthless. */
#ifndef SMRF_LAWS_H
#define SMRF_LAWS_H

#include "platform/counters/counters.h"
#include "platform/gpu/machine.h"
#include "traces/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_audit {
    const struct smrf_counters *counters;
    const struct smrf_machine *machine;
    const struct smrf_trace_totals *trace; /* summed over all traces */
    uint64_t launches_ended;
};

/* Those of the model and those of its mechanism. */
size_t smrf_laws_count(const struct smrf_mechanism *mechanism);
/* Of them, those that a check compares: with counters that the run's view has. */
size_t smrf_laws_applied(const struct smrf_audit *audit);

/* Check every law. Returns 0, or SMRF_ERR_CHECK with text naming each broken one and its sides. */
int smrf_laws_check(const struct smrf_audit *audit, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
