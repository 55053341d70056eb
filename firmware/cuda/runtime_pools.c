/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of device memory (pools.c). */
#include "runtime.h"

SMRF_CUDA_API int cudaMallocAsync(void **address, size_t bytes, void *stream);

SMRF_CUDA_API int cudaDeviceGetDefaultMemPool(void **pool, int device)
{
    if (pool == NULL || device != 0) {
        return smrf_runtime_done(device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    *pool = smrf_cuda_pool_default();
    return CUDA_OK;
}

SMRF_CUDA_API int cudaDeviceGetMemPool(void **pool, int device)
{
    if (pool == NULL || device != 0) {
        return smrf_runtime_done(device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE);
    }
    return smrf_runtime_done(smrf_cuda_pool_current(pool));
}

SMRF_CUDA_API int cudaDeviceSetMemPool(int device, void *pool)
{
    return smrf_runtime_done(device != 0 ? (int)CUDA_INVALID_DEVICE : smrf_cuda_pool_choose(pool));
}

SMRF_CUDA_API int cudaMemPoolCreate(void **pool, const void *properties)
{
    (void)properties;
    return smrf_runtime_done(smrf_cuda_pool_create(pool));
}

SMRF_CUDA_API int cudaMemPoolDestroy(void *pool)
{
    return smrf_runtime_done(smrf_cuda_pool_destroy(pool));
}

SMRF_CUDA_API int cudaMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    return smrf_runtime_done(smrf_cuda_pool_attribute(pool, attribute, value, true));
}

SMRF_CUDA_API int cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    return smrf_runtime_done(smrf_cuda_pool_attribute(pool, attribute, value, false));
}

/* What is free is the device's already. */
SMRF_CUDA_API int cudaMemPoolTrimTo(void *pool, size_t least)
{
    (void)least;
    return smrf_runtime_done(smrf_cuda_pool_check(pool));
}

SMRF_CUDA_API int cudaMallocFromPoolAsync(void **address, size_t bytes, void *pool, void *stream)
{
    const int rc = smrf_cuda_pool_check(pool);
    return rc == CUDA_OK ? cudaMallocAsync(address, bytes, stream) : smrf_runtime_done(rc);
}
SMRF_ALSO(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz);

SMRF_CUDA_API int cudaMemPoolSetAccess(void *pool, const struct smrf_cuda_access *list,
                                       size_t number)
{
    return smrf_runtime_done(smrf_cuda_pool_access(pool, list, number));
}

SMRF_CUDA_API int cudaMemPoolGetAccess(int *flags, void *pool,
                                       const struct smrf_cuda_location *location)
{
    return smrf_runtime_done(smrf_cuda_pool_access_of(flags, pool, location));
}
