/* SPDX-License-Identifier: Apache-2.0 */
/* What the host programs of this group share. */
#ifndef SMRF_RODINIA_H
#define SMRF_RODINIA_H

#include "firmware/kernels/suite.h"
#include "models/common/smrf_err.h"

extern const struct smrf_suite_program smrf_rodinia_btree, smrf_rodinia_backprop, smrf_rodinia_bfs,
    smrf_rodinia_dwt2d, smrf_rodinia_gaussian, smrf_rodinia_hotspot, smrf_rodinia_kmeans,
    smrf_rodinia_lavamd, smrf_rodinia_lud, smrf_rodinia_nn, smrf_rodinia_particlefilter_float,
    smrf_rodinia_particlefilter_naive, smrf_rodinia_pathfinder, smrf_rodinia_srad;

/* Host memory of one run, freed together at its end. */
struct smrf_rodinia_host {
    struct smrf_rodinia_chunk *last;
    bool failed; /* some take found no memory */
};

/* Zeroed memory for count elements; NULL with host->failed set when there is none. */
void *smrf_rodinia_take(struct smrf_rodinia_host *host, size_t count, size_t bytes_each);
/* Runs body with host memory that is freed when it returns. */
int smrf_rodinia_with_host(struct smrf_suite_run *run,
                           int (*body)(struct smrf_suite_run *run, struct smrf_rodinia_host *host));

/* n floats from [min, max). */
void smrf_rodinia_fill(struct smrf_suite_rng *rng, float *to, size_t n, float min, float max);

static inline uint32_t smrf_rodinia_blocks(size_t threads, uint32_t per_block)
{
    return (uint32_t)((threads + per_block - 1) / per_block);
}

static inline struct smrf_exec_dim smrf_rodinia_dim(uint32_t x, uint32_t y)
{
    return (struct smrf_exec_dim){x, y, 1};
}

/* Launch without dynamic shared memory; the arguments' addresses follow. */
#define SMRF_RODINIA_LAUNCH(run, kernel, grid, block, ...)                                         \
    SMRF_TRY(smrf_suite_launch(run, kernel, grid, block, 0, (void *const[]){__VA_ARGS__},          \
                               (unsigned)(sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))))

#endif
