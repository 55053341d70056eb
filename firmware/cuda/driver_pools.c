/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of device memory (pools.c). */
#include "driver.h"

SMRF_CUDA_API int cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream);

SMRF_CUDA_API int cuDeviceGetDefaultMemPool(void **pool, int device)
{
    if (pool == NULL || device != 0) {
        return device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    }
    *pool = smrf_cuda_pool_default();
    return CUDA_OK;
}

SMRF_CUDA_API int cuDeviceGetMemPool(void **pool, int device)
{
    if (pool == NULL || device != 0) {
        return device != 0 ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
    }
    return smrf_cuda_pool_current(pool);
}

SMRF_CUDA_API int cuDeviceSetMemPool(int device, void *pool)
{
    return device != 0 ? (int)CUDA_INVALID_DEVICE : smrf_cuda_pool_choose(pool);
}

SMRF_CUDA_API int cuMemPoolCreate(void **pool, const void *properties)
{
    (void)properties;
    return smrf_cuda_pool_create(pool);
}

SMRF_CUDA_API int cuMemPoolDestroy(void *pool)
{
    return smrf_cuda_pool_destroy(pool);
}

SMRF_CUDA_API int cuMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    return smrf_cuda_pool_attribute(pool, attribute, value, true);
}

SMRF_CUDA_API int cuMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    return smrf_cuda_pool_attribute(pool, attribute, value, false);
}

/* What is free is the device's already. */
SMRF_CUDA_API int cuMemPoolTrimTo(void *pool, size_t least)
{
    (void)least;
    return smrf_cuda_pool_check(pool);
}

SMRF_CUDA_API int cuMemAllocFromPoolAsync(uint64_t *address, size_t bytes, void *pool, void *stream)
{
    const int rc = smrf_cuda_pool_check(pool);
    return rc == CUDA_OK ? cuMemAllocAsync(address, bytes, stream) : rc;
}
SMRF_ALSO(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync_ptsz);

SMRF_CUDA_API int cuMemPoolSetAccess(void *pool, const struct smrf_cuda_access *list, size_t number)
{
    return smrf_cuda_pool_access(pool, list, number);
}

SMRF_CUDA_API int cuMemPoolGetAccess(int *flags, void *pool,
                                     const struct smrf_cuda_location *location)
{
    return smrf_cuda_pool_access_of(flags, pool, location);
}
