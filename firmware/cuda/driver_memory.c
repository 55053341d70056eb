/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"
#include "graph.h"
#include "textures.h"

#include <string.h>

#define PITCH_ALIGN 512U

static void *pointer_(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* The driver has one code for what the runtime has several for. */
static int code_(int rc)
{
    return rc == CUDA_INVALID_PITCH || rc == CUDA_INVALID_DIRECTION ? (int)CUDA_INVALID_VALUE : rc;
}

static int alloc_(uint64_t *address, size_t bytes, enum smrf_cuda_memory kind, unsigned flags)
{
    void *at = NULL;
    int rc = smrf_driver_ready();
    if (rc == CUDA_OK && (address == NULL || bytes == 0)) {
        rc = CUDA_INVALID_VALUE;
    }
    rc = rc == CUDA_OK ? smrf_cuda_alloc(&at, bytes, kind, flags) : rc;
    if (rc == CUDA_OK) {
        *address = (uint64_t)(uintptr_t)at;
    }
    return rc;
}

SMRF_CUDA_API int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    return alloc_(address, bytes, SMRF_MEMORY_DEVICE, 0);
}

SMRF_CUDA_API int cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream)
{
    int captures = 0;
    void *at = NULL;
    int rc = smrf_cuda_capture_info(stream, &captures, NULL, NULL, NULL, NULL);
    if (rc != CUDA_OK || captures == 0) {
        return rc == CUDA_OK ? cuMemAlloc_v2(address, bytes) : rc;
    }
    rc = smrf_cuda_capture_alloc(address != NULL ? &at : NULL, bytes, stream);
    if (rc == CUDA_OK) {
        *address = (uint64_t)(uintptr_t)at;
    }
    return rc;
}
SMRF_ALSO(cuMemAllocAsync, cuMemAllocAsync_ptsz);

SMRF_CUDA_API int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags)
{
    return alloc_(address, bytes, SMRF_MEMORY_MANAGED, flags);
}

SMRF_CUDA_API int cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height,
                                     unsigned element)
{
    (void)element;
    *pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    return cuMemAlloc_v2(address, *pitch * height);
}

SMRF_CUDA_API int cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    return smrf_cuda_alloc(address, bytes, SMRF_MEMORY_HOST, flags);
}

SMRF_CUDA_API int cuMemAllocHost_v2(void **address, size_t bytes)
{
    return cuMemHostAlloc(address, bytes, 0);
}

SMRF_CUDA_API int cuMemFree_v2(uint64_t address)
{
    return smrf_cuda_free(pointer_(address), SMRF_MEMORY_DEVICE);
}

SMRF_CUDA_API int cuMemFreeAsync(uint64_t address, void *stream)
{
    const struct smrf_cuda_work w = {.kind = SMRF_WORK_FREE,
                                     .memory = {.address = pointer_(address)}};
    int captures = 0;
    int rc = smrf_cuda_capture_info(stream, &captures, NULL, NULL, NULL, NULL);
    if (rc == CUDA_OK && captures == 0) {
        return cuMemFree_v2(address);
    }
    return rc == CUDA_OK ? smrf_cuda_submit(stream, &w) : rc;
}
SMRF_ALSO(cuMemFreeAsync, cuMemFreeAsync_ptsz);

SMRF_CUDA_API int cuMemFreeHost(void *address)
{
    return smrf_cuda_free(address, SMRF_MEMORY_HOST);
}

SMRF_CUDA_API int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags)
{
    return smrf_cuda_register(address, bytes, flags);
}

SMRF_CUDA_API int cuMemHostUnregister(void *address)
{
    return smrf_cuda_unregister(address);
}

static enum smrf_cuda_memory find_(const void *address, void **base, uint64_t *bytes,
                                   unsigned *flags)
{
    smrf_cuda_lock();
    const enum smrf_cuda_memory kind = smrf_cuda_memory_at(address, base, bytes, flags);
    smrf_cuda_unlock();
    return kind;
}

SMRF_CUDA_API int cuMemHostGetDevicePointer_v2(uint64_t *device, void *host, unsigned unused)
{
    void *base;
    uint64_t bytes;
    unsigned flags;
    (void)unused;
    if (find_(host, &base, &bytes, &flags) != SMRF_MEMORY_HOST) {
        return CUDA_INVALID_VALUE;
    }
    *device = (uint64_t)(uintptr_t)host;
    return CUDA_OK;
}

SMRF_CUDA_API int cuMemHostGetFlags(unsigned *flags, void *host)
{
    void *base;
    uint64_t bytes;
    return find_(host, &base, &bytes, flags) == SMRF_MEMORY_HOST ? CUDA_OK : CUDA_INVALID_VALUE;
}

SMRF_CUDA_API int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    uint64_t left, all;
    smrf_cuda_lock();
    smrf_cuda_memory_sizes(&left, &all);
    smrf_cuda_unlock();
    *free_bytes = left;
    *total = all;
    return CUDA_OK;
}

SMRF_CUDA_API int cuMemGetAddressRange_v2(uint64_t *start, size_t *size, uint64_t address)
{
    void *base;
    uint64_t bytes;
    unsigned flags;
    if (find_(pointer_(address), &base, &bytes, &flags) == SMRF_MEMORY_UNKNOWN) {
        return CUDA_NOT_FOUND;
    }
    if (start != NULL) {
        *start = (uint64_t)(uintptr_t)base;
    }
    if (size != NULL) {
        *size = bytes;
    }
    return CUDA_OK;
}

/* CU_POINTER_ATTRIBUTE_... */
enum {
    POINTER_CONTEXT = 1,
    POINTER_TYPE,
    POINTER_DEVICE,
    POINTER_HOST,
    POINTER_SYNC = 6,
    POINTER_BUFFER = 7,
    POINTER_MANAGED = 8,
    POINTER_ORDINAL = 9,
    POINTER_START = 11,
    POINTER_SIZE = 12,
    POINTER_MAPPED = 13
};

SMRF_CUDA_API int cuPointerGetAttribute(void *data, int attribute, uint64_t address)
{
    void *base;
    uint64_t bytes;
    unsigned flags;
    const enum smrf_cuda_memory kind = find_(pointer_(address), &base, &bytes, &flags);
    const uint64_t start = (uint64_t)(uintptr_t)base;
    struct smrf_driver_context *context = smrf_driver_primary();
    const int zero = 0;
    if (kind == SMRF_MEMORY_UNKNOWN) {
        return CUDA_INVALID_VALUE;
    }
    switch (attribute) {
    case POINTER_CONTEXT:
        memcpy(data, &context, sizeof context);
        return CUDA_OK;
    case POINTER_TYPE: { /* host 1, device 2; managed memory is the device's */
        const unsigned type = kind == SMRF_MEMORY_HOST ? 1 : 2;
        memcpy(data, &type, sizeof type);
        return CUDA_OK;
    }
    case POINTER_DEVICE:
        memcpy(data, &address, sizeof address);
        return CUDA_OK;
    case POINTER_HOST:
        if (kind == SMRF_MEMORY_DEVICE) {
            return CUDA_INVALID_VALUE;
        }
        memcpy(data, &address, sizeof address);
        return CUDA_OK;
    case POINTER_SYNC:
    case POINTER_ORDINAL:
        memcpy(data, &zero, sizeof zero);
        return CUDA_OK;
    case POINTER_BUFFER:
    case POINTER_START:
        memcpy(data, &start, sizeof start);
        return CUDA_OK;
    case POINTER_SIZE:
        memcpy(data, &bytes, sizeof bytes);
        return CUDA_OK;
    case POINTER_MANAGED:
    case POINTER_MAPPED: {
        const unsigned char is = attribute == POINTER_MAPPED || kind == SMRF_MEMORY_MANAGED;
        memcpy(data, &is, sizeof is);
        return CUDA_OK;
    }
    default:
        return CUDA_NOT_SUPPORTED;
    }
}

/* Attributes of an address that belongs to no allocation are zeros. */
SMRF_CUDA_API int cuPointerGetAttributes(unsigned number, const int *attributes, void **data,
                                         uint64_t address)
{
    for (unsigned i = 0; i < number; i++) {
        const int a = attributes[i];
        const bool is_word = a == POINTER_TYPE || a == POINTER_SYNC || a == POINTER_ORDINAL;
        const bool is_byte = a == POINTER_MANAGED || a == POINTER_MAPPED;
        if (cuPointerGetAttribute(data[i], a, address) != CUDA_OK) {
            memset(data[i], 0, is_word ? 4 : is_byte ? 1 : 8);
            if (a == POINTER_ORDINAL) {
                const int none = -2;
                memcpy(data[i], &none, sizeof none);
            }
        }
    }
    return CUDA_OK;
}

/* Only that copies are synchronous can be set, as they are. */
SMRF_CUDA_API int cuPointerSetAttribute(const void *value, int attribute, uint64_t address)
{
    void *base;
    uint64_t bytes;
    unsigned flags;
    return value == NULL || attribute != POINTER_SYNC ||
                   find_(pointer_(address), &base, &bytes, &flags) == SMRF_MEMORY_UNKNOWN
               ? CUDA_INVALID_VALUE
               : CUDA_OK;
}

SMRF_CUDA_API int cuMemPrefetchAsync(uint64_t address, size_t bytes, int device, void *stream)
{
    (void)address;
    (void)bytes;
    (void)device;
    (void)stream;
    return CUDA_OK;
}
SMRF_ALSO(cuMemPrefetchAsync, cuMemPrefetchAsync_ptsz);

SMRF_CUDA_API int cuMemAdvise(uint64_t address, size_t bytes, int advice, int device)
{
    (void)advice;
    return cuMemPrefetchAsync(address, bytes, device, NULL);
}

SMRF_CUDA_API int cuStreamAttachMemAsync(void *stream, uint64_t address, size_t bytes,
                                         unsigned flags)
{
    (void)flags;
    return cuMemPrefetchAsync(address, bytes, 0, stream);
}
SMRF_ALSO(cuStreamAttachMemAsync, cuStreamAttachMemAsync_ptsz);

/* ---- copies ---------------------------------------------------------------------------------- */

static int copy_(void *to, const void *from, size_t bytes, int direction, void *stream)
{
    const struct smrf_cuda_place a = {to, 0, 0}, b = {(uint8_t *)(uintptr_t)from, 0, 0};
    return code_(smrf_cuda_submit_copy(stream, a, b, bytes, 1, 1, direction));
}

SMRF_CUDA_API int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
    return copy_(pointer_(to), from, bytes, SMRF_HOST_TO_DEVICE, stream);
}
SMRF_ALSO(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz);

SMRF_CUDA_API int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    return cuMemcpyHtoDAsync_v2(to, from, bytes, NULL);
}
SMRF_ALSO(cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds);

SMRF_CUDA_API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    return copy_(to, pointer_(from), bytes, SMRF_DEVICE_TO_HOST, stream);
}
SMRF_ALSO(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz);

SMRF_CUDA_API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    return cuMemcpyDtoHAsync_v2(to, from, bytes, NULL);
}
SMRF_ALSO(cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds);

SMRF_CUDA_API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return copy_(pointer_(to), pointer_(from), bytes, SMRF_DEVICE_TO_DEVICE, stream);
}
SMRF_ALSO(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz);

SMRF_CUDA_API int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    return cuMemcpyDtoDAsync_v2(to, from, bytes, NULL);
}
SMRF_ALSO(cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds);

SMRF_CUDA_API int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return copy_(pointer_(to), pointer_(from), bytes, SMRF_COPY_ANY, stream);
}
SMRF_ALSO(cuMemcpyAsync, cuMemcpyAsync_ptsz);

SMRF_CUDA_API int cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    return cuMemcpyAsync(to, from, bytes, NULL);
}
SMRF_ALSO(cuMemcpy, cuMemcpy_ptds);

/* One side of CUDA_MEMCPY2D and CUDA_MEMCPY3D. */
enum { SIDE_HOST = 1, SIDE_DEVICE, SIDE_ARRAY, SIDE_UNIFIED };

struct copy2d {
    size_t from_x, from_y;
    int from_type;
    const void *from_host;
    uint64_t from_device;
    void *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_type;
    void *to_host;
    uint64_t to_device;
    void *to_array;
    size_t to_pitch;
    size_t width, height;
};

static int direction_(int to, int from)
{
    const bool to_device = to == SIDE_DEVICE || to == SIDE_ARRAY;
    const bool from_device = from == SIDE_DEVICE || from == SIDE_ARRAY;
    return to_device && from_device ? SMRF_DEVICE_TO_DEVICE
           : to_device              ? SMRF_HOST_TO_DEVICE
           : from_device            ? SMRF_DEVICE_TO_HOST
                                    : SMRF_COPY_ANY;
}

/* One side: where it begins. x in bytes. */
struct side {
    int type;
    size_t x, y, z;
    void *host, *array;
    uint64_t device;
    size_t pitch, rows; /* 0: as many as are copied */
};

static int side_(const struct side *s, const uint64_t size[3], struct smrf_cuda_place *place)
{
    if (s->type == SIDE_ARRAY) {
        return smrf_cuda_array_box(s->array, (const uint64_t[]){s->x, s->y, s->z}, size, place);
    }
    const size_t pitch = s->pitch != 0 ? s->pitch : size[0] + s->x;
    const size_t rows = s->rows != 0 ? s->rows : size[1];
    uint8_t *at = s->type == SIDE_HOST ? s->host : pointer_(s->device);
    *place = (struct smrf_cuda_place){at + (s->z * rows + s->y) * pitch + s->x, pitch, rows};
    return CUDA_OK;
}

int smrf_driver_copy_3d(const struct smrf_driver_copy3d *c, struct smrf_cuda_work *w)
{
    if (c == NULL) {
        return CUDA_INVALID_VALUE;
    }
    const uint64_t size[3] = {c->width, c->height, c->depth};
    const struct side to = {.type = c->to_type,
                            .x = c->to_x,
                            .y = c->to_y,
                            .z = c->to_z,
                            .host = c->to_host,
                            .array = c->to_array,
                            .device = c->to_device,
                            .pitch = c->to_pitch,
                            .rows = c->to_height};
    const struct side from = {.type = c->from_type,
                              .x = c->from_x,
                              .y = c->from_y,
                              .z = c->from_z,
                              .host = (void *)(uintptr_t)c->from_host,
                              .array = c->from_array,
                              .device = c->from_device,
                              .pitch = c->from_pitch,
                              .rows = c->from_height};
    *w = (struct smrf_cuda_work){.kind = SMRF_WORK_COPY,
                                 .copy = {.width = size[0],
                                          .height = size[1],
                                          .depth = size[2],
                                          .direction = direction_(c->to_type, c->from_type)}};
    const int rc = side_(&to, size, &w->copy.to);
    return rc == CUDA_OK ? side_(&from, size, &w->copy.from) : rc;
}

SMRF_CUDA_API int cuMemcpy3DAsync_v2(const struct smrf_driver_copy3d *c, void *stream)
{
    struct smrf_cuda_work w;
    const int rc = smrf_driver_copy_3d(c, &w);
    return code_(rc == CUDA_OK ? smrf_cuda_submit(stream, &w) : rc);
}
SMRF_ALSO(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz);

SMRF_CUDA_API int cuMemcpy3D_v2(const struct smrf_driver_copy3d *c)
{
    return cuMemcpy3DAsync_v2(c, NULL);
}
SMRF_ALSO(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds);

SMRF_CUDA_API int cuMemcpy2DAsync_v2(const struct copy2d *c, void *stream)
{
    const struct smrf_driver_copy3d all = {.from_x = c->from_x,
                                           .from_y = c->from_y,
                                           .from_type = c->from_type,
                                           .from_host = c->from_host,
                                           .from_device = c->from_device,
                                           .from_array = c->from_array,
                                           .from_pitch = c->from_pitch,
                                           .to_x = c->to_x,
                                           .to_y = c->to_y,
                                           .to_type = c->to_type,
                                           .to_host = c->to_host,
                                           .to_device = c->to_device,
                                           .to_array = c->to_array,
                                           .to_pitch = c->to_pitch,
                                           .width = c->width,
                                           .height = c->height,
                                           .depth = 1};
    return cuMemcpy3DAsync_v2(&all, stream);
}
SMRF_ALSO(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz);

SMRF_CUDA_API int cuMemcpy2D_v2(const struct copy2d *c)
{
    return cuMemcpy2DAsync_v2(c, NULL);
}
SMRF_ALSO(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds);
SMRF_ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2);
SMRF_ALSO(cuMemcpy2D_v2, cuMemcpy2DUnaligned_v2_ptds);

/* ---- filling --------------------------------------------------------------------------------- */

static int fill_(uint64_t to, size_t pitch, uint32_t value, unsigned size, size_t width,
                 size_t height, void *stream)
{
    const struct smrf_cuda_place at = {pointer_(to), pitch, 0};
    return smrf_cuda_submit_fill(stream, at, value, size, width * size, height, 1);
}

/* X(name of the bits, bytes, C type) */
#define FILLS(X) X(8, 1, unsigned char) X(16, 2, unsigned short) X(32, 4, unsigned)
#define FILL(bits, bytes, type)                                                                    \
    SMRF_CUDA_API int cuMemsetD##bits##_v2(uint64_t to, type value, size_t number)                 \
    {                                                                                              \
        return fill_(to, 0, value, bytes, number, 1, NULL);                                        \
    }                                                                                              \
    SMRF_ALSO(cuMemsetD##bits##_v2, cuMemsetD##bits##_v2_ptds);                                    \
    SMRF_CUDA_API int cuMemsetD##bits##Async(uint64_t to, type value, size_t number, void *stream) \
    {                                                                                              \
        return fill_(to, 0, value, bytes, number, 1, stream);                                      \
    }                                                                                              \
    SMRF_ALSO(cuMemsetD##bits##Async, cuMemsetD##bits##Async_ptsz);                                \
    SMRF_CUDA_API int cuMemsetD2D##bits##_v2(uint64_t to, size_t pitch, type value, size_t width,  \
                                             size_t height)                                        \
    {                                                                                              \
        return fill_(to, pitch, value, bytes, width, height, NULL);                                \
    }                                                                                              \
    SMRF_ALSO(cuMemsetD2D##bits##_v2, cuMemsetD2D##bits##_v2_ptds);                                \
    SMRF_CUDA_API int cuMemsetD2D##bits##Async(uint64_t to, size_t pitch, type value,              \
                                               size_t width, size_t height, void *stream)          \
    {                                                                                              \
        return fill_(to, pitch, value, bytes, width, height, stream);                              \
    }                                                                                              \
    SMRF_ALSO(cuMemsetD2D##bits##Async, cuMemsetD2D##bits##Async_ptsz);
FILLS(FILL)
