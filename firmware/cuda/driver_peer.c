/* SPDX-License-Identifier: Apache-2.0 */
/* Calls for several devices. There is one, and it is no peer of its own. */
#include "driver.h"

SMRF_CUDA_API int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (can == NULL || device != 0 || peer != 0) {
        return can == NULL ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE;
    }
    *can = 0;
    return CUDA_OK;
}

SMRF_CUDA_API int cuCtxEnablePeerAccess(const struct smrf_driver_context *peer, unsigned flags)
{
    const int rc = smrf_driver_ready();
    return rc != CUDA_OK                   ? rc
           : peer == NULL                  ? (int)CUDA_INVALID_CONTEXT
           : flags != 0                    ? (int)CUDA_INVALID_VALUE
           : peer == smrf_driver_current() ? (int)CUDA_INVALID_CONTEXT
                                           : CUDA_PEER_UNSUPPORTED;
}

SMRF_CUDA_API int cuCtxDisablePeerAccess(const struct smrf_driver_context *peer)
{
    return peer == NULL ? CUDA_INVALID_CONTEXT : CUDA_PEER_NOT_ENABLED;
}

SMRF_CUDA_API int cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    (void)device;
    (void)peer;
    return value == NULL || attribute <= 0 ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE;
}

SMRF_CUDA_API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream);

SMRF_CUDA_API int cuMemcpyPeerAsync(uint64_t to, const void *to_context, uint64_t from,
                                    const void *from_context, size_t bytes, void *stream)
{
    (void)to_context;
    (void)from_context;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
SMRF_ALSO(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz);

SMRF_CUDA_API int cuMemcpyPeer(uint64_t to, const void *to_context, uint64_t from,
                               const void *from_context, size_t bytes)
{
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
}
SMRF_ALSO(cuMemcpyPeer, cuMemcpyPeer_ptds);

SMRF_CUDA_API int cuMemcpy3DAsync_v2(const struct smrf_driver_copy3d *copy, void *stream);

/* CUDA_MEMCPY3D_PEER has contexts where CUDA_MEMCPY3D has reserved words. */
SMRF_CUDA_API int cuMemcpy3DPeerAsync(const struct smrf_driver_copy3d *copy, void *stream)
{
    return copy == NULL ? (int)CUDA_INVALID_VALUE : cuMemcpy3DAsync_v2(copy, stream);
}
SMRF_ALSO(cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync_ptsz);

SMRF_CUDA_API int cuMemcpy3DPeer(const struct smrf_driver_copy3d *copy)
{
    return cuMemcpy3DPeerAsync(copy, NULL);
}
SMRF_ALSO(cuMemcpy3DPeer, cuMemcpy3DPeer_ptds);

struct launch_params { /* CUDA_LAUNCH_PARAMS */
    struct smrf_cuda_kernel *kernel;
    unsigned grid[3], block[3], shared;
    void *stream;
    void **args;
};

SMRF_CUDA_API int cuLaunchCooperativeKernel(struct smrf_cuda_kernel *k, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned x,
                                            unsigned y, unsigned z, unsigned shared, void *stream,
                                            void **args);

SMRF_CUDA_API int cuLaunchCooperativeKernelMultiDevice(const struct launch_params *l,
                                                       unsigned devices, unsigned flags)
{
    (void)flags; /* how devices wait for one another */
    return l == NULL || devices != 1
               ? (int)CUDA_INVALID_VALUE
               : cuLaunchCooperativeKernel(l->kernel, l->grid[0], l->grid[1], l->grid[2],
                                           l->block[0], l->block[1], l->block[2], l->shared,
                                           l->stream, l->args);
}
