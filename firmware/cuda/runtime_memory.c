/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"
#include "runtime.h"

#include <string.h>

#define PITCH_ALIGN 512U /* as cudaMallocPitch pads rows */

static int done_(int rc)
{
    return smrf_runtime_done(rc);
}

/* ---- allocation ------------------------------------------------------------------------------ */

SMRF_CUDA_API int cudaMalloc(void **address, size_t bytes)
{
    return done_(smrf_cuda_alloc(address, bytes, SMRF_MEMORY_DEVICE, 0));
}

SMRF_CUDA_API int cudaMallocAsync(void **address, size_t bytes, void *stream)
{
    int captures = 0;
    const int rc = smrf_cuda_capture_info(stream, &captures, NULL, NULL, NULL, NULL);
    return done_(rc != CUDA_OK   ? rc
                 : captures == 0 ? smrf_cuda_alloc(address, bytes, SMRF_MEMORY_DEVICE, 0)
                                 : smrf_cuda_capture_alloc(address, bytes, stream));
}
SMRF_ALSO(cudaMallocAsync, cudaMallocAsync_ptsz);

SMRF_CUDA_API int cudaMallocManaged(void **address, size_t bytes, unsigned flags)
{
    if (bytes == 0 || (flags != 1 && flags != 2)) { /* attached to all, or to the host */
        return done_(CUDA_INVALID_VALUE);
    }
    return done_(smrf_cuda_alloc(address, bytes, SMRF_MEMORY_MANAGED, flags));
}

SMRF_CUDA_API int cudaHostAlloc(void **address, size_t bytes, unsigned flags)
{
    return done_(smrf_cuda_alloc(address, bytes, SMRF_MEMORY_HOST, flags));
}

SMRF_CUDA_API int cudaMallocHost(void **address, size_t bytes)
{
    return cudaHostAlloc(address, bytes, 0);
}

SMRF_CUDA_API int cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height)
{
    if (pitch == NULL) {
        return done_(CUDA_INVALID_VALUE);
    }
    *pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    return done_(smrf_cuda_alloc(address, *pitch * height, SMRF_MEMORY_DEVICE, 0));
}

SMRF_CUDA_API int cudaMalloc3D(struct cuda_pitched *pitched, struct cuda_extent extent)
{
    if (pitched == NULL) {
        return done_(CUDA_INVALID_VALUE);
    }
    pitched->width = extent.width;
    pitched->height = extent.height;
    return cudaMallocPitch(&pitched->at, &pitched->pitch, extent.width,
                           extent.height * extent.depth);
}

SMRF_CUDA_API int cudaFree(void *address)
{
    return done_(smrf_cuda_free(address, SMRF_MEMORY_DEVICE));
}

SMRF_CUDA_API int cudaFreeAsync(void *address, void *stream)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_FREE, .memory = {.address = address}};
    int captures = 0;
    int rc = smrf_cuda_capture_info(stream, &captures, NULL, NULL, NULL, NULL);
    if (rc == CUDA_OK && captures == 0) {
        return cudaFree(address);
    }
    return done_(rc == CUDA_OK ? smrf_cuda_submit(stream, &w) : rc);
}
SMRF_ALSO(cudaFreeAsync, cudaFreeAsync_ptsz);

SMRF_CUDA_API int cudaFreeHost(void *address)
{
    return done_(smrf_cuda_free(address, SMRF_MEMORY_HOST));
}

SMRF_CUDA_API int cudaHostRegister(void *address, size_t bytes, unsigned flags)
{
    return done_(smrf_cuda_register(address, bytes, flags));
}

SMRF_CUDA_API int cudaHostUnregister(void *address)
{
    return done_(smrf_cuda_unregister(address));
}

static int host_flags_(const void *host, unsigned *flags)
{
    void *base;
    uint64_t bytes;
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && smrf_cuda_memory_at(host, &base, &bytes, flags) != SMRF_MEMORY_HOST) {
        rc = CUDA_INVALID_VALUE;
    }
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cudaHostGetDevicePointer(void **device, void *host, unsigned unused)
{
    unsigned flags;
    int rc = unused != 0 || device == NULL ? (int)CUDA_INVALID_VALUE : host_flags_(host, &flags);
    if (rc == CUDA_OK) {
        *device = host;
    }
    return done_(rc);
}

SMRF_CUDA_API int cudaHostGetFlags(unsigned *flags, void *host)
{
    return done_(flags == NULL ? (int)CUDA_INVALID_VALUE : host_flags_(host, flags));
}

SMRF_CUDA_API int cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    int rc = smrf_cuda_enter();
    uint64_t left, all;
    smrf_cuda_memory_sizes(&left, &all);
    if (rc == CUDA_OK && (free_bytes == NULL || total == NULL)) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK) {
        *free_bytes = left;
        *total = all;
    }
    return done_(smrf_cuda_leave(rc));
}

struct pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
};

SMRF_CUDA_API int cudaPointerGetAttributes(struct pointer_attributes *a, const void *pointer)
{
    static const int types[] = {0, 1, 2, 3}; /* cudaMemoryType of enum smrf_cuda_memory */
    void *base, *same = (void *)(uintptr_t)pointer;
    uint64_t bytes;
    unsigned flags;
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK && a == NULL) {
        rc = CUDA_INVALID_VALUE;
    }
    if (rc == CUDA_OK) {
        const enum smrf_cuda_memory kind = smrf_cuda_memory_at(pointer, &base, &bytes, &flags);
        *a = (struct pointer_attributes){.type = types[kind],
                                         .device = kind == SMRF_MEMORY_UNKNOWN ? -2 : 0};
        a->device_pointer = kind != SMRF_MEMORY_UNKNOWN ? same : NULL;
        a->host_pointer = kind != SMRF_MEMORY_DEVICE ? same : NULL;
    }
    return done_(smrf_cuda_leave(rc));
}

/* Where managed memory lies makes no difference here. */
SMRF_CUDA_API int cudaMemPrefetchAsync(const void *address, size_t bytes, int device, void *stream)
{
    (void)bytes;
    (void)device;
    (void)stream;
    void *base;
    uint64_t size;
    unsigned flags;
    int rc = smrf_cuda_enter();
    if (rc == CUDA_OK &&
        smrf_cuda_memory_at(address, &base, &size, &flags) != SMRF_MEMORY_MANAGED) {
        rc = CUDA_INVALID_VALUE;
    }
    return done_(smrf_cuda_leave(rc));
}
SMRF_ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz);

SMRF_CUDA_API int cudaMemAdvise(const void *address, size_t bytes, int advice, int device)
{
    (void)advice;
    return cudaMemPrefetchAsync(address, bytes, device, NULL);
}

SMRF_CUDA_API int cudaStreamAttachMemAsync(void *stream, void *address, size_t bytes,
                                           unsigned flags)
{
    (void)flags;
    return cudaMemPrefetchAsync(address, bytes, 0, stream);
}
SMRF_ALSO(cudaStreamAttachMemAsync, cudaStreamAttachMemAsync_ptsz);

/* ---- copies ---------------------------------------------------------------------------------- */

SMRF_CUDA_API int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction,
                                  void *stream)
{
    const struct smrf_cuda_place a = {to, 0, 0}, b = {(uint8_t *)(uintptr_t)from, 0, 0};
    return done_(smrf_cuda_submit_copy(stream, a, b, bytes, 1, 1, direction));
}
SMRF_ALSO(cudaMemcpyAsync, cudaMemcpyAsync_ptsz);

SMRF_CUDA_API int cudaMemcpy(void *to, const void *from, size_t bytes, int direction)
{
    return cudaMemcpyAsync(to, from, bytes, direction, NULL);
}
SMRF_ALSO(cudaMemcpy, cudaMemcpy_ptds);

SMRF_CUDA_API int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                    size_t width, size_t height, int direction, void *stream)
{
    const struct smrf_cuda_place a = {to, to_pitch, 0};
    const struct smrf_cuda_place b = {(uint8_t *)(uintptr_t)from, from_pitch, 0};
    if (width > to_pitch || width > from_pitch) {
        return done_(CUDA_INVALID_PITCH);
    }
    return done_(smrf_cuda_submit_copy(stream, a, b, width, height, 1, direction));
}
SMRF_ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);

SMRF_CUDA_API int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t width, size_t height, int direction)
{
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, direction, NULL);
}
SMRF_ALSO(cudaMemcpy2D, cudaMemcpy2D_ptds);

SMRF_CUDA_API int cudaMemcpy3DAsync(const struct cuda_copy3d *c, void *stream)
{
    struct smrf_cuda_work w;
    const int rc = smrf_runtime_copy_3d(c, &w);
    return done_(rc == CUDA_OK ? smrf_cuda_submit(stream, &w) : rc);
}
SMRF_ALSO(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz);

SMRF_CUDA_API int cudaMemcpy3D(const struct cuda_copy3d *c)
{
    return cudaMemcpy3DAsync(c, NULL);
}
SMRF_ALSO(cudaMemcpy3D, cudaMemcpy3D_ptds);

/* ---- symbols --------------------------------------------------------------------------------- */

int smrf_runtime_symbol_part(const void *symbol, size_t offset, size_t bytes, void **part)
{
    void *address;
    uint64_t size;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK ? smrf_runtime_symbol(symbol, &address, &size) : rc;
    if (rc == CUDA_OK && (offset > size || bytes > size - offset)) {
        rc = CUDA_INVALID_VALUE;
    }
    *part = rc == CUDA_OK ? (uint8_t *)address + offset : NULL;
    return smrf_cuda_leave(rc);
}

SMRF_CUDA_API int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                          size_t offset, int direction, void *stream)
{
    void *to;
    int rc = smrf_runtime_symbol_part(symbol, offset, bytes, &to);
    if (rc == CUDA_OK && direction != SMRF_HOST_TO_DEVICE && direction != SMRF_DEVICE_TO_DEVICE &&
        direction != SMRF_COPY_ANY) {
        rc = CUDA_INVALID_DIRECTION;
    }
    return rc == CUDA_OK ? cudaMemcpyAsync(to, from, bytes, direction, stream) : done_(rc);
}
SMRF_ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);

SMRF_CUDA_API int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                     size_t offset, int direction)
{
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, direction, NULL);
}
SMRF_ALSO(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);

SMRF_CUDA_API int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                            size_t offset, int direction, void *stream)
{
    void *from;
    int rc = smrf_runtime_symbol_part(symbol, offset, bytes, &from);
    if (rc == CUDA_OK && direction != SMRF_DEVICE_TO_HOST && direction != SMRF_DEVICE_TO_DEVICE &&
        direction != SMRF_COPY_ANY) {
        rc = CUDA_INVALID_DIRECTION;
    }
    return rc == CUDA_OK ? cudaMemcpyAsync(to, from, bytes, direction, stream) : done_(rc);
}
SMRF_ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);

SMRF_CUDA_API int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                       int direction)
{
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, direction, NULL);
}
SMRF_ALSO(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);

SMRF_CUDA_API int cudaGetSymbolAddress(void **address, const void *symbol)
{
    void *at;
    int rc =
        address == NULL ? (int)CUDA_INVALID_VALUE : smrf_runtime_symbol_part(symbol, 0, 0, &at);
    if (rc == CUDA_OK) {
        *address = at;
    }
    return done_(rc);
}

SMRF_CUDA_API int cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    void *address;
    uint64_t size;
    int rc = smrf_cuda_enter();
    rc = rc == CUDA_OK && bytes == NULL ? (int)CUDA_INVALID_VALUE : rc;
    rc = rc == CUDA_OK ? smrf_runtime_symbol(symbol, &address, &size) : rc;
    if (rc == CUDA_OK) {
        *bytes = size;
    }
    return done_(smrf_cuda_leave(rc));
}

/* ---- filling --------------------------------------------------------------------------------- */

SMRF_CUDA_API int cudaMemset3DAsync(struct cuda_pitched to, int value, struct cuda_extent extent,
                                    void *stream)
{
    const struct smrf_cuda_place at = {to.at, to.pitch, to.height};
    return done_(smrf_cuda_submit_fill(stream, at, (uint32_t)value, 1, extent.width, extent.height,
                                       extent.depth));
}
SMRF_ALSO(cudaMemset3DAsync, cudaMemset3DAsync_ptsz);

SMRF_CUDA_API int cudaMemset3D(struct cuda_pitched to, int value, struct cuda_extent extent)
{
    return cudaMemset3DAsync(to, value, extent, NULL);
}
SMRF_ALSO(cudaMemset3D, cudaMemset3D_ptds);

SMRF_CUDA_API int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                    void *stream)
{
    const struct smrf_cuda_place at = {to, pitch, 0};
    return done_(smrf_cuda_submit_fill(stream, at, (uint32_t)value, 1, width, height, 1));
}
SMRF_ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);

SMRF_CUDA_API int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}
SMRF_ALSO(cudaMemset2D, cudaMemset2D_ptds);

SMRF_CUDA_API int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
    return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}
SMRF_ALSO(cudaMemsetAsync, cudaMemsetAsync_ptsz);

SMRF_CUDA_API int cudaMemset(void *to, int value, size_t bytes)
{
    return cudaMemsetAsync(to, value, bytes, NULL);
}
SMRF_ALSO(cudaMemset, cudaMemset_ptds);
