/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays and mipmaps, and copies of a run of their bytes. */
#include "driver.h"
#include "graph.h"

#include "driver_texture.h"

#include <string.h>

/* CU_AD_FORMAT_..: kind and bits of a channel. */
static const struct {
    int format, bits, kind;
} formats_[] = {
    {0x01, 8, SMRF_TEXEL_UNSIGNED},  {0x02, 16, SMRF_TEXEL_UNSIGNED},
    {0x03, 32, SMRF_TEXEL_UNSIGNED}, {0x08, 8, SMRF_TEXEL_SIGNED},
    {0x09, 16, SMRF_TEXEL_SIGNED},   {0x0a, 32, SMRF_TEXEL_SIGNED},
    {0x10, 16, SMRF_TEXEL_FLOAT},    {0x20, 32, SMRF_TEXEL_FLOAT},
};

int smrf_driver_channels(struct smrf_cuda_channels *channels, int format, unsigned number)
{
    *channels = (struct smrf_cuda_channels){0};
    for (size_t i = 0; i < sizeof formats_ / sizeof *formats_ && number <= 4; i++) {
        if (formats_[i].format == format) {
            channels->kind = formats_[i].kind;
            for (unsigned c = 0; c < number; c++) {
                channels->bits[c] = formats_[i].bits;
            }
            return CUDA_OK;
        }
    }
    return CUDA_INVALID_VALUE;
}

int smrf_driver_format(const struct smrf_cuda_channels *channels)
{
    for (size_t i = 0; i < sizeof formats_ / sizeof *formats_; i++) {
        if (formats_[i].bits == channels->bits[0] && formats_[i].kind == channels->kind) {
            return formats_[i].format;
        }
    }
    return 0;
}

struct description { /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

/* levels 0: an array, else a mipmap. */
static int create_(void **array, const struct description *d, unsigned levels, bool mipmap)
{
    struct smrf_cuda_channels channels;
    int rc = smrf_driver_ready();
    if (rc != CUDA_OK || array == NULL || d == NULL) {
        return rc != CUDA_OK ? rc : CUDA_INVALID_VALUE;
    }
    const uint64_t size[3] = {d->width, d->height, d->depth};
    rc = smrf_driver_channels(&channels, d->format, d->channels);
    if (rc == CUDA_OK) {
        rc = mipmap ? smrf_cuda_mipmap_create(array, &channels, size, levels, d->flags)
                    : smrf_cuda_array_create(array, &channels, size, d->flags);
    }
    return rc == CUDA_INVALID_CHANNEL ? (int)CUDA_INVALID_VALUE : rc;
}

SMRF_CUDA_API int cuArray3DCreate_v2(void **array, const struct description *d)
{
    return create_(array, d, 0, false);
}

SMRF_CUDA_API int cuMipmappedArrayCreate(void **mipmap, const struct description *d,
                                         unsigned levels)
{
    return create_(mipmap, d, levels, true);
}

SMRF_CUDA_API int cuArrayCreate_v2(void **array, const struct smrf_driver_plane *d)
{
    const struct description all = {.width = d != NULL ? d->width : 0,
                                    .height = d != NULL ? d->height : 0,
                                    .format = d != NULL ? d->format : 0,
                                    .channels = d != NULL ? d->channels : 0};
    return cuArray3DCreate_v2(array, &all);
}

SMRF_CUDA_API int cuArray3DGetDescriptor_v2(struct description *d, const void *array)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    if (d == NULL || a == NULL) {
        return a == NULL ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE;
    }
    *d = (struct description){.width = a->width,
                              .height = a->height,
                              .depth = a->depth,
                              .format = smrf_driver_format(&a->channels),
                              .channels = a->shape.channels,
                              .flags = a->flags};
    return CUDA_OK;
}

SMRF_CUDA_API int cuArrayGetDescriptor_v2(struct smrf_driver_plane *d, const void *array)
{
    struct description all;
    const int rc = cuArray3DGetDescriptor_v2(d != NULL ? &all : NULL, array);
    if (rc == CUDA_OK) {
        *d = (struct smrf_driver_plane){all.width, all.height, all.format, all.channels};
    }
    return rc;
}

SMRF_CUDA_API int cuMipmappedArrayGetLevel(void **array, const void *mipmap, unsigned level)
{
    return smrf_cuda_mipmap_level(array, mipmap, level);
}

SMRF_CUDA_API int cuArrayDestroy(void *array)
{
    return array == NULL ? (int)CUDA_INVALID_HANDLE : smrf_cuda_array_destroy(array);
}
SMRF_ALSO(cuArrayDestroy, cuMipmappedArrayDestroy);

/* ---- copies: a run of bytes from an offset on ------------------------------------------------ */

static uint64_t row_(const struct smrf_cuda_array *a)
{
    return (uint64_t)a->shape.width * smrf_cuda_texel_bytes(a);
}

static int run_(const void *array, size_t offset, void *memory, size_t bytes, int direction,
                bool to_array, void *stream)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    if (a == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    const uint64_t row = row_(a);
    return smrf_cuda_array_run(array, offset % row, offset / row, memory, bytes, direction,
                               to_array, stream);
}

SMRF_CUDA_API int cuMemcpyHtoAAsync_v2(void *array, size_t offset, const void *from, size_t bytes,
                                       void *stream)
{
    return run_(array, offset, (void *)(uintptr_t)from, bytes, SMRF_HOST_TO_DEVICE, true, stream);
}
SMRF_ALSO(cuMemcpyHtoAAsync_v2, cuMemcpyHtoAAsync_v2_ptsz);

SMRF_CUDA_API int cuMemcpyHtoA_v2(void *array, size_t offset, const void *from, size_t bytes)
{
    return cuMemcpyHtoAAsync_v2(array, offset, from, bytes, NULL);
}
SMRF_ALSO(cuMemcpyHtoA_v2, cuMemcpyHtoA_v2_ptds);

SMRF_CUDA_API int cuMemcpyAtoHAsync_v2(void *to, const void *array, size_t offset, size_t bytes,
                                       void *stream)
{
    return run_(array, offset, to, bytes, SMRF_DEVICE_TO_HOST, false, stream);
}
SMRF_ALSO(cuMemcpyAtoHAsync_v2, cuMemcpyAtoHAsync_v2_ptsz);

SMRF_CUDA_API int cuMemcpyAtoH_v2(void *to, const void *array, size_t offset, size_t bytes)
{
    return cuMemcpyAtoHAsync_v2(to, array, offset, bytes, NULL);
}
SMRF_ALSO(cuMemcpyAtoH_v2, cuMemcpyAtoH_v2_ptds);

SMRF_CUDA_API int cuMemcpyDtoA_v2(void *array, size_t offset, uint64_t from, size_t bytes)
{
    return run_(array, offset, (void *)(uintptr_t)from, bytes, SMRF_DEVICE_TO_DEVICE, true, NULL);
}
SMRF_ALSO(cuMemcpyDtoA_v2, cuMemcpyDtoA_v2_ptds);

SMRF_CUDA_API int cuMemcpyAtoD_v2(uint64_t to, const void *array, size_t offset, size_t bytes)
{
    return run_(array, offset, (void *)(uintptr_t)to, bytes, SMRF_DEVICE_TO_DEVICE, false, NULL);
}
SMRF_ALSO(cuMemcpyAtoD_v2, cuMemcpyAtoD_v2_ptds);

SMRF_CUDA_API int cuMemcpyAtoA_v2(void *to, size_t to_offset, const void *from, size_t offset,
                                  size_t bytes)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(to), *b = smrf_cuda_array(from);
    return a == NULL || b == NULL
               ? (int)CUDA_INVALID_HANDLE
               : smrf_cuda_array_to_array(to, to_offset % row_(a), to_offset / row_(a), from,
                                          offset % row_(b), offset / row_(b), bytes);
}
SMRF_ALSO(cuMemcpyAtoA_v2, cuMemcpyAtoA_v2_ptds);
