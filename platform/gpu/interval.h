/* SPDX-License-Identifier: Apache-2.0 */
/* A mechanism's part of the GPU (struct smrf_gpu_seam), for the engines: the ends of its intervals
 * of time, and the beginnings and ends of kernels. Each of them ends a window. When the mechanism
 * is called, every SM has been simulated up to that cycle and none further. So its decisions do not
 * depend on how the run is cut into windows. */
#ifndef SMRF_INTERVAL_H
#define SMRF_INTERVAL_H

#include "platform/config/registry.h"
#include "platform/gpu/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_interval {
    const struct smrf_config *cfg;
    const struct smrf_gpu_seam *seam;            /* NULL: the mechanism has none */
    struct smrf_mechanism_setup setup;           /* set-up that it is built for */
    struct smrf_sm **sm;                         /* [cfg->gpu.sms] */
    void **state;                                /* [cfg->gpu.sms] of the mechanism */
    void *gpu_state;                             /* of the mechanism */
    uint64_t length;                             /* cycles; 0 = no edges */
    uint64_t next;                               /* cycle of the next edge, SMRF_NEVER: none */
    uint64_t thread_insts;                       /* issued before the last edge */
    uint64_t launches;                           /* begun so far */
    void (*row)(void *ctx, const uint64_t *row); /* may be NULL */
    void *row_ctx;
};

/* sm, state: need not be filled yet. Returns 0, SMRF_ERR_NOMEM or what the mechanism says. */
int smrf_interval_init(struct smrf_interval *i, const struct smrf_config *cfg,
                       const struct smrf_mechanism *mechanism, struct smrf_sm **sm, void **state);
void smrf_interval_free(struct smrf_interval *i);
/* As after init. A table that took the place of the mechanism's own is forgotten. */
int smrf_interval_reset(struct smrf_interval *i);

/* Pass every edge up to `cycle`, before which everything has been simulated. Returns whether there
 * was one. */
bool smrf_interval_pass(struct smrf_interval *i, uint64_t cycle);

/* A launch begins, or ends, in `cycle`, before which everything has been simulated. */
void smrf_interval_kernel_begin(struct smrf_interval *i, const struct smrf_gpu *gpu,
                                uint64_t cycle);
void smrf_interval_kernel_end(struct smrf_interval *i, const struct smrf_gpu *gpu, uint64_t cycle);

/* A window that begins at or after the last edge passed: its end, no further than the next. */
static inline uint64_t smrf_interval_bound(const struct smrf_interval *i, uint64_t until)
{
    return until < i->next ? until : i->next;
}

#ifdef __cplusplus
}
#endif

#endif
