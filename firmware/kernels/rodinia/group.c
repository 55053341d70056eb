/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <stdlib.h>

const struct smrf_suite_program *const smrf_suite_rodinia[] = {
    &smrf_rodinia_btree,
    &smrf_rodinia_backprop,
    &smrf_rodinia_bfs,
    &smrf_rodinia_dwt2d,
    &smrf_rodinia_gaussian,
    &smrf_rodinia_hotspot,
    &smrf_rodinia_kmeans,
    &smrf_rodinia_lavamd,
    &smrf_rodinia_lud,
    &smrf_rodinia_nn,
    &smrf_rodinia_particlefilter_float,
    &smrf_rodinia_particlefilter_naive,
    &smrf_rodinia_pathfinder,
    &smrf_rodinia_srad,
    NULL,
};

struct smrf_rodinia_chunk {
    struct smrf_rodinia_chunk *before;
    max_align_t data[];
};

void *smrf_rodinia_take(struct smrf_rodinia_host *host, size_t count, size_t bytes_each)
{
    struct smrf_rodinia_chunk *chunk = NULL;
    if (count <= (SIZE_MAX - sizeof *chunk) / bytes_each) {
        chunk = calloc(1, sizeof *chunk + count * bytes_each);
    }
    if (chunk == NULL) {
        host->failed = true;
        return NULL;
    }
    chunk->before = host->last;
    host->last = chunk;
    return chunk->data;
}

int smrf_rodinia_with_host(struct smrf_suite_run *run,
                           int (*body)(struct smrf_suite_run *run, struct smrf_rodinia_host *host))
{
    struct smrf_rodinia_host host = {NULL, false};
    const int rc = body(run, &host);
    while (host.last != NULL) {
        struct smrf_rodinia_chunk *chunk = host.last;
        host.last = chunk->before;
        free(chunk);
    }
    return rc;
}

void smrf_rodinia_fill(struct smrf_suite_rng *rng, float *to, size_t n, float min, float max)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = smrf_suite_f32(rng, min, max);
    }
}
