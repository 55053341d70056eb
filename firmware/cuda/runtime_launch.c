/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"
#include "launch_attributes.h"
#include "runtime.h"

#include <string.h>

/* Configurations of launches that are being prepared: <<<...>>> pushes one, the function that nvcc
 * makes of the kernel pops it. */
#define MOST_NESTED 16

struct configuration {
    struct cuda_dim3 grid, block;
    size_t shared;
    void *stream;
};

static _Thread_local struct configuration pushed_[MOST_NESTED];
static _Thread_local unsigned num_pushed_;

SMRF_CUDA_API unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block,
                                                   size_t shared, void *stream)
{
    if (num_pushed_ == MOST_NESTED) {
        return CUDA_INVALID_CONFIGURATION;
    }
    pushed_[num_pushed_++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

SMRF_CUDA_API int __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block,
                                             size_t *shared, void **stream)
{
    if (num_pushed_ == 0) {
        return smrf_runtime_done(CUDA_MISSING_CONFIGURATION);
    }
    const struct configuration *c = &pushed_[--num_pushed_];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *stream = c->stream;
    return CUDA_OK;
}

static int launch_(struct smrf_cuda_kernel *kernel, const void *function, struct cuda_dim3 grid,
                   struct cuda_dim3 block, void **args, size_t shared, void *stream,
                   bool cooperative)
{
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && kernel == NULL) {
        rc = smrf_runtime_kernel(function, &kernel);
    }
    (void)smrf_cuda_leave(rc);
    if (rc == CUDA_OK) {
        const struct smrf_cuda_work w = {.kind = SMRF_WORK_KERNEL,
                                         .function = function != NULL ? function : kernel,
                                         .launch = {.kernel = kernel,
                                                    .grid = {grid.x, grid.y, grid.z},
                                                    .block = {block.x, block.y, block.z},
                                                    .shared = shared,
                                                    .args = args,
                                                    .cooperative = cooperative}};
        rc = smrf_cuda_submit(stream, &w);
    }
    return smrf_runtime_done(rc);
}

SMRF_CUDA_API int cudaLaunchKernel(const void *function, struct cuda_dim3 grid,
                                   struct cuda_dim3 block, void **args, size_t shared, void *stream)
{
    return launch_(NULL, function, grid, block, args, shared, stream, false);
}
SMRF_ALSO(cudaLaunchKernel, cudaLaunchKernel_ptsz);

SMRF_CUDA_API int cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid,
                                              struct cuda_dim3 block, void **args, size_t shared,
                                              void *stream)
{
    return launch_(NULL, function, grid, block, args, shared, stream, true);
}
SMRF_ALSO(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz);

/* What the functions that nvcc 13 makes of kernels call. */
SMRF_CUDA_API int __cudaGetKernel(struct smrf_cuda_kernel **kernel, const void *function)
{
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_runtime_kernel(function, kernel) : rc;
    return smrf_runtime_done(smrf_cuda_leave(rc));
}

SMRF_CUDA_API int __cudaLaunchKernel(struct smrf_cuda_kernel *kernel, struct cuda_dim3 grid,
                                     struct cuda_dim3 block, void **args, size_t shared,
                                     void *stream)
{
    return launch_(kernel, NULL, grid, block, args, shared, stream, false);
}
SMRF_ALSO(__cudaLaunchKernel, __cudaLaunchKernel_ptsz);

struct launch_config {
    struct cuda_dim3 grid, block;
    size_t shared;
    void *stream;
    struct launch_attribute *attribute;
    unsigned num_attributes;
};

SMRF_CUDA_API int cudaLaunchKernelExC(const struct launch_config *c, const void *function,
                                      void **args)
{
    const bool cooperative = smrf_cuda_cooperative(c->attribute, c->num_attributes);
    return launch_(NULL, function, c->grid, c->block, args, c->shared, c->stream, cooperative);
}
SMRF_ALSO(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz);

/* ---- functions ------------------------------------------------------------------------------- */

struct function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode_ca;
    int max_dynamic_shared, carveout;
};

SMRF_CUDA_API int cudaFuncGetAttributes(struct function_attributes *a, const void *function)
{
    struct smrf_cuda_kernel *k;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK && a == NULL ? (int)CUDA_INVALID_VALUE : rc;
    rc = rc == CUDA_OK ? smrf_runtime_kernel(function, &k) : rc;
    if (rc == CUDA_OK) {
        const struct smrf_cuda_properties *p = smrf_cuda_properties();
        const int version = (int)(10 * p->major + p->minor);
        memset(a, 0, sizeof *a);
        a->shared_bytes = smrf_cuda_kernel_shared(k);
        a->const_bytes = smrf_cuda_kernel_const_bytes(k);
        a->local_bytes = k->entry->frame_bytes;
        a->max_threads = (int)smrf_cuda_kernel_max_threads(k);
        a->registers = (int)k->entry->registers;
        a->ptx_version = version;
        a->binary_version = version;
        a->max_dynamic_shared = (int)k->max_dynamic_shared;
        a->carveout = k->carveout;
    }
    return smrf_runtime_done(smrf_cuda_leave(rc));
}

SMRF_CUDA_API int cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    struct smrf_cuda_kernel *k;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_runtime_kernel(function, &k) : rc;
    if (rc == CUDA_OK) {
        rc = smrf_cuda_kernel_set(k, attribute, value);
    }
    return smrf_runtime_done(smrf_cuda_leave(rc));
}

/* Preferences, without effect on results. */
static int prefer_(const void *function)
{
    struct smrf_cuda_kernel *k;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_runtime_kernel(function, &k) : rc;
    return smrf_runtime_done(smrf_cuda_leave(rc));
}

SMRF_CUDA_API int cudaFuncSetCacheConfig(const void *function, int config)
{
    (void)config;
    return prefer_(function);
}

SMRF_CUDA_API int cudaFuncSetSharedMemConfig(const void *function, int config)
{
    (void)config;
    return prefer_(function);
}

SMRF_CUDA_API int cudaGetFuncBySymbol(struct smrf_cuda_kernel **kernel, const void *function)
{
    return __cudaGetKernel(kernel, function);
}

SMRF_CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t dynamic_shared, unsigned flags)
{
    struct smrf_cuda_kernel *k;
    int rc = smrf_cuda_enter();
    (void)flags;
    rc = rc == CUDA_OK && (blocks == NULL || threads <= 0) ? (int)CUDA_INVALID_VALUE : rc;
    rc = rc == CUDA_OK ? smrf_runtime_kernel(function, &k) : rc;
    if (rc == CUDA_OK) {
        *blocks = (int)smrf_cuda_occupancy(k, (uint32_t)threads, dynamic_shared);
    }
    return smrf_runtime_done(smrf_cuda_leave(rc));
}

SMRF_CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                                int threads, size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                  dynamic_shared, 0);
}

SMRF_CUDA_API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                            int blocks, int threads)
{
    struct smrf_cuda_kernel *k;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK && (bytes == NULL || threads <= 0 || blocks <= 0) ? (int)CUDA_INVALID_VALUE
                                                                         : rc;
    rc = rc == CUDA_OK ? smrf_runtime_kernel(function, &k) : rc;
    if (rc == CUDA_OK) {
        *bytes = smrf_cuda_available_shared(k, (uint32_t)blocks);
    }
    return smrf_runtime_done(smrf_cuda_leave(rc));
}
