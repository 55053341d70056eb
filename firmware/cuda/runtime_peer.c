/* SPDX-License-Identifier: Apache-2.0 */
/* Calls for several devices. There is one, and it is no peer of its own. */
#include "graph.h"
#include "runtime.h"

#include "textures.h"

static int done_(int rc)
{
    return smrf_runtime_done(rc);
}

SMRF_CUDA_API int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (can == NULL || device != 0 || peer != 0) {
        return done_(can == NULL ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE);
    }
    *can = 0;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer;
    (void)flags;
    return done_(CUDA_INVALID_DEVICE);
}

SMRF_CUDA_API int cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    return done_(CUDA_PEER_NOT_ENABLED);
}

SMRF_CUDA_API int cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    (void)device;
    (void)peer;
    return done_(value == NULL || attribute <= 0 ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE);
}

SMRF_CUDA_API int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                      size_t bytes, void *stream)
{
    const struct smrf_cuda_place a = {to, 0, 0}, b = {(uint8_t *)(uintptr_t)from, 0, 0};
    return done_(to_device != 0 || from_device != 0
                     ? (int)CUDA_INVALID_DEVICE
                     : smrf_cuda_submit_copy(stream, a, b, bytes, 1, 1, SMRF_DEVICE_TO_DEVICE));
}

SMRF_CUDA_API int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                 size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

struct peer_copy3d { /* cudaMemcpy3DPeerParms */
    void *from_array;
    struct cuda_position from_position;
    struct cuda_pitched from;
    int from_device;
    void *to_array;
    struct cuda_position to_position;
    struct cuda_pitched to;
    int to_device;
    struct cuda_extent extent;
};

SMRF_CUDA_API int cudaMemcpy3DPeerAsync(const struct peer_copy3d *c, void *stream)
{
    struct smrf_cuda_work work;
    if (c == NULL || c->from_device != 0 || c->to_device != 0) {
        return done_(c == NULL ? CUDA_INVALID_VALUE : CUDA_INVALID_DEVICE);
    }
    const struct cuda_copy3d copy = {.from_array = c->from_array,
                                     .from_position = c->from_position,
                                     .from = c->from,
                                     .to_array = c->to_array,
                                     .to_position = c->to_position,
                                     .to = c->to,
                                     .extent = c->extent,
                                     .direction = SMRF_DEVICE_TO_DEVICE};
    const int rc = smrf_runtime_copy_3d(&copy, &work);
    return done_(rc == CUDA_OK ? smrf_cuda_submit(stream, &work) : rc);
}
SMRF_ALSO(cudaMemcpy3DPeerAsync, cudaMemcpy3DPeerAsync_ptsz);

SMRF_CUDA_API int cudaMemcpy3DPeer(const struct peer_copy3d *c)
{
    return cudaMemcpy3DPeerAsync(c, NULL);
}
SMRF_ALSO(cudaMemcpy3DPeer, cudaMemcpy3DPeer_ptds);

struct launch_params { /* cudaLaunchParams */
    const void *function;
    struct cuda_dim3 grid, block;
    void **args;
    size_t shared;
    void *stream;
};

SMRF_CUDA_API int cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid,
                                              struct cuda_dim3 block, void **args, size_t shared,
                                              void *stream);

SMRF_CUDA_API int cudaLaunchCooperativeKernelMultiDevice(const struct launch_params *list,
                                                         unsigned devices, unsigned flags)
{
    (void)flags; /* how devices wait for one another */
    return list == NULL || devices != 1
               ? done_(CUDA_INVALID_VALUE)
               : cudaLaunchCooperativeKernel(list->function, list->grid, list->block, list->args,
                                             list->shared, list->stream);
}
