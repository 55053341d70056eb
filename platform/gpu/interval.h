/* SPDX-License-Identifier: Apache-2.0 */
/* The edges of a mechanism's intervals of time (struct smrf_gpu_seam), for the engines. An edge
 * bounds a window: when it is passed, every SM has been simulated up to it and none further, so
 * that what the mechanism decides does not depend on how the run was cut into windows. */
#ifndef SMRF_INTERVAL_H
#define SMRF_INTERVAL_H

#include "models/sm/sm.h"
#include "platform/config/registry.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_interval {
    const struct smrf_config *cfg;
    const struct smrf_gpu_seam *seam;            /* NULL: the mechanism has none */
    struct smrf_sm **sm;                         /* [cfg->gpu.sms] */
    void **state;                                /* [cfg->gpu.sms] of the mechanism */
    void *gpu_state;                             /* of the mechanism */
    uint64_t length;                             /* cycles; 0 = no edges */
    uint64_t next;                               /* cycle of the next edge, SMRF_NEVER: none */
    uint64_t thread_insts;                       /* issued before the last edge */
    uint64_t launches;                           /* begun so far; the engine counts them */
    void (*row)(void *ctx, const uint64_t *row); /* may be NULL */
    void *row_ctx;
};

/* sm, state: need not be filled yet. Returns 0, SMRF_ERR_NOMEM or what the mechanism says. */
int smrf_interval_init(struct smrf_interval *i, const struct smrf_config *cfg,
                       const struct smrf_mechanism *mechanism, struct smrf_sm **sm, void **state);
void smrf_interval_free(struct smrf_interval *i);

/* Pass every edge up to `cycle`, before which everything has been simulated. */
void smrf_interval_pass(struct smrf_interval *i, uint64_t cycle);

/* A window that begins at or after the last edge passed: its end, no further than the next. */
static inline uint64_t smrf_interval_bound(const struct smrf_interval *i, uint64_t until)
{
    return until < i->next ? until : i->next;
}

#ifdef __cplusplus
}
#endif

#endif
