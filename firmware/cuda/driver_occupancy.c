/* SPDX-License-Identifier: Apache-2.0 */
/* How many blocks an SM holds, and which blocks fill it. */
#include "driver.h"

#define WARP 32
#define MOST_THREADS 1024

SMRF_CUDA_API int
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const struct smrf_cuda_kernel *k,
                                                     int threads, size_t dynamic_shared,
                                                     unsigned flags)
{
    (void)flags;
    if (threads <= 0) {
        return CUDA_INVALID_VALUE;
    }
    *blocks = (int)smrf_cuda_occupancy(k, (uint32_t)threads, dynamic_shared);
    return CUDA_OK;
}

SMRF_CUDA_API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                              const struct smrf_cuda_kernel *k,
                                                              int threads, size_t dynamic_shared)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, k, threads, dynamic_shared,
                                                                0);
}

SMRF_CUDA_API int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                          const struct smrf_cuda_kernel *k,
                                                          int blocks, int threads)
{
    if (bytes == NULL || k == NULL || blocks <= 0 || threads <= 0) {
        return CUDA_INVALID_VALUE;
    }
    *bytes = smrf_cuda_available_shared(k, (uint32_t)blocks);
    return CUDA_OK;
}

/* The largest block with which an SM has the most threads, as CUDA's own header finds it for the
 * runtime. shared_of gives the dynamic shared memory of a block, NULL: each has `shared`. */
SMRF_CUDA_API int cuOccupancyMaxPotentialBlockSizeWithFlags(int *least_blocks, int *threads,
                                                            const struct smrf_cuda_kernel *k,
                                                            size_t (*shared_of)(int threads),
                                                            size_t shared, int limit,
                                                            unsigned flags)
{
    (void)flags;
    if (least_blocks == NULL || threads == NULL || k == NULL || limit < 0) {
        return CUDA_INVALID_VALUE;
    }
    const struct smrf_cuda_properties *p = smrf_cuda_properties();
    int most = (int)smrf_cuda_kernel_max_threads(k), best = 0;
    most = most < MOST_THREADS ? most : MOST_THREADS;
    most = limit != 0 && limit < most ? limit : most;
    *least_blocks = *threads = 0;
    for (int up = (most + WARP - 1) / WARP * WARP; up > 0 && best < (int)p->sm_threads;
         up -= WARP) {
        const int n = up < most ? up : most;
        const int blocks =
            (int)smrf_cuda_occupancy(k, (uint32_t)n, shared_of != NULL ? shared_of(n) : shared);
        if (n * blocks > best) {
            best = n * blocks;
            *threads = n;
            *least_blocks = blocks * (int)p->sms;
        }
    }
    return CUDA_OK;
}

SMRF_CUDA_API int cuOccupancyMaxPotentialBlockSize(int *least_blocks, int *threads,
                                                   const struct smrf_cuda_kernel *k,
                                                   size_t (*shared_of)(int threads), size_t shared,
                                                   int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(least_blocks, threads, k, shared_of, shared,
                                                     limit, 0);
}
