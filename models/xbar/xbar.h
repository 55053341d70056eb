/* SPDX-License-Identifier: Apache-2.0 */
/* Crossbar from the banks of a sub-core to its collector units: each collector takes a limited
 * number of operands a step (its port S). Source: Malekeh (long) sec. II; rf.collector_ports. */
#ifndef SMRF_XBAR_H
#define SMRF_XBAR_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_xbar {
    uint32_t ports;     /* operands a collector takes in a step; 0 = no limit */
    uint32_t free_mask; /* bit c: collector c can take one more operand in this step */
    uint8_t used[SMRF_MAX_COLLECTORS];
    uint64_t transfers; /* operands moved so far */
};

int smrf_xbar_init(struct smrf_xbar *x, uint32_t collectors, uint32_t ports);

/* A new step: every port is free again. */
static inline void smrf_xbar_begin_step(struct smrf_xbar *x)
{
    /* With one operand a step, a port that was used is a port that is full. */
    if (x->ports > 1 || x->free_mask != UINT32_MAX) {
        x->free_mask = UINT32_MAX;
        for (unsigned c = 0; c < SMRF_MAX_COLLECTORS; c++) {
            x->used[c] = 0;
        }
    }
}

/* Collectors whose port can take an operand in this step. */
static inline uint32_t smrf_xbar_probe_free(const struct smrf_xbar *x)
{
    return x->free_mask;
}

/* Reserve the port of a collector for one operand of this step. Precondition: it is free. */
static inline void smrf_xbar_reserve(struct smrf_xbar *x, unsigned collector)
{
    if (x->ports && ++x->used[collector] >= x->ports) {
        x->free_mask &= ~(UINT32_C(1) << collector);
    }
}

/* Count one operand moved. */
static inline void smrf_xbar_transfer(struct smrf_xbar *x)
{
    x->transfers++;
}

#ifdef __cplusplus
}
#endif

#endif
