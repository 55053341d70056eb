/* SPDX-License-Identifier: Apache-2.0 */
/* How long an instruction of fixed latency takes its unit: what the issue stage and the read stages
 * before the units reserve. Source: Huerta MICRO 2025 5.1. */
#ifndef SMRF_INTERVALS_H
#define SMRF_INTERVALS_H

#include "exec_params.h"

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does an instruction of this unit wait in a queue before it, for a time that is not known at
 * issue? */
static inline bool smrf_unit_queues(unsigned unit)
{
    return unit == SMRF_UNIT_MEM || unit == SMRF_UNIT_SFU || unit == SMRF_UNIT_DP ||
           unit == SMRF_UNIT_TEX || unit == SMRF_UNIT_MERGE;
}

/* Cycles; 0: its unit has a queue. */
static inline uint32_t smrf_unit_interval(const struct smrf_exec_params *e,
                                          const struct smrf_flight *f)
{
    const uint32_t tensor[] = {e->imma_interval, e->hmma_f16_interval, e->hmma_f32_interval};
    switch (f->unit) {
    case SMRF_UNIT_SP:
        if (f->op->flags & SMRF_INST_HMUL2 && e->hmul2_interval) {
            return e->hmul2_interval;
        }
        return f->op->op_class == SMRF_CLASS_HALF ? e->half_interval : e->sp_interval;
    case SMRF_UNIT_INT:
        return e->int_interval;
    case SMRF_UNIT_BRANCH:
        return e->branch_interval;
    case SMRF_UNIT_UNIFORM:
        return e->uniform_interval;
    case SMRF_UNIT_TENSOR:
        return tensor[f->op->accumulators] ? tensor[f->op->accumulators] : e->tensor_interval;
    default:
        return 0;
    }
}

#ifdef __cplusplus
}
#endif

#endif
