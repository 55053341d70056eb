/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA arrays and copies to and from them. */
#include "graph.h"
#include "runtime.h"

#include "textures.h"

static int done_(int rc)
{
    return smrf_runtime_done(rc);
}

SMRF_CUDA_API struct smrf_cuda_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct smrf_cuda_channels){{x, y, z, w}, kind};
}

SMRF_CUDA_API int cudaMalloc3DArray(void **array, const struct smrf_cuda_channels *channels,
                                    struct cuda_extent extent, unsigned flags)
{
    const uint64_t size[3] = {extent.width, extent.height, extent.depth};
    return done_(smrf_cuda_array_create(array, channels, size, flags));
}

SMRF_CUDA_API int cudaMallocArray(void **array, const struct smrf_cuda_channels *channels,
                                  size_t width, size_t height, unsigned flags)
{
    return cudaMalloc3DArray(array, channels, (struct cuda_extent){width, height, 0}, flags);
}

SMRF_CUDA_API int cudaFreeArray(void *array)
{
    return done_(smrf_cuda_array_destroy(array));
}

SMRF_CUDA_API int cudaMallocMipmappedArray(void **mipmap, const struct smrf_cuda_channels *channels,
                                           struct cuda_extent extent, unsigned levels,
                                           unsigned flags)
{
    const uint64_t size[3] = {extent.width, extent.height, extent.depth};
    return done_(smrf_cuda_mipmap_create(mipmap, channels, size, levels, flags));
}

SMRF_CUDA_API int cudaGetMipmappedArrayLevel(void **array, const void *mipmap, unsigned level)
{
    return done_(smrf_cuda_mipmap_level(array, mipmap, level));
}

SMRF_CUDA_API int cudaFreeMipmappedArray(void *mipmap)
{
    return cudaFreeArray(mipmap);
}

SMRF_CUDA_API int cudaGetChannelDesc(struct smrf_cuda_channels *channels, const void *array)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    if (a == NULL || channels == NULL) {
        return done_(a == NULL ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE);
    }
    *channels = a->channels;
    return CUDA_OK;
}

SMRF_CUDA_API int cudaArrayGetInfo(struct smrf_cuda_channels *channels, struct cuda_extent *extent,
                                   unsigned *flags, void *array)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    if (a == NULL) {
        return done_(CUDA_INVALID_HANDLE);
    }
    if (channels != NULL) {
        *channels = a->channels;
    }
    if (extent != NULL) {
        *extent = (struct cuda_extent){a->width, a->height, a->depth};
    }
    if (flags != NULL) {
        *flags = a->flags;
    }
    return CUDA_OK;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* x and width in bytes. */
static int plane_(const void *array, uint64_t x, uint64_t y, uint64_t width, uint64_t height,
                  struct smrf_cuda_place *place)
{
    return smrf_cuda_array_box(array, (const uint64_t[]){x, y, 0},
                               (const uint64_t[]){width, height, 1}, place);
}

SMRF_CUDA_API int cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y, const void *from,
                                           size_t pitch, size_t width, size_t height, int direction,
                                           void *stream)
{
    const struct smrf_cuda_place memory = {(uint8_t *)(uintptr_t)from, pitch, 0};
    struct smrf_cuda_place place;
    const int rc = plane_(array, x, y, width, height, &place);
    return done_(rc == CUDA_OK
                     ? smrf_cuda_submit_copy(stream, place, memory, width, height, 1, direction)
                     : rc);
}
SMRF_ALSO(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz);

SMRF_CUDA_API int cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *from,
                                      size_t pitch, size_t width, size_t height, int direction)
{
    return cudaMemcpy2DToArrayAsync(array, x, y, from, pitch, width, height, direction, NULL);
}
SMRF_ALSO(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds);

SMRF_CUDA_API int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *array, size_t x,
                                             size_t y, size_t width, size_t height, int direction,
                                             void *stream)
{
    const struct smrf_cuda_place memory = {to, pitch, 0};
    struct smrf_cuda_place place;
    const int rc = plane_(array, x, y, width, height, &place);
    return done_(rc == CUDA_OK
                     ? smrf_cuda_submit_copy(stream, memory, place, width, height, 1, direction)
                     : rc);
}
SMRF_ALSO(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz);

SMRF_CUDA_API int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *array, size_t x,
                                        size_t y, size_t width, size_t height, int direction)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, array, x, y, width, height, direction, NULL);
}
SMRF_ALSO(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds);

SMRF_CUDA_API int cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, const void *from,
                                           size_t x, size_t y, size_t width, size_t height,
                                           int direction)
{
    struct smrf_cuda_place a, b;
    int rc = plane_(to, to_x, to_y, width, height, &a);
    rc = rc == CUDA_OK ? plane_(from, x, y, width, height, &b) : rc;
    return done_(rc == CUDA_OK ? smrf_cuda_copy_box(a, b, width, height, 1, direction) : rc);
}
SMRF_ALSO(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds);

SMRF_CUDA_API int cudaMemcpyArrayToArray(void *to, size_t to_x, size_t to_y, const void *from,
                                         size_t x, size_t y, size_t count, int direction)
{
    (void)direction; /* arrays are the device's */
    return done_(smrf_cuda_array_to_array(to, to_x, to_y, from, x, y, count));
}
SMRF_ALSO(cudaMemcpyArrayToArray, cudaMemcpyArrayToArray_ptds);

SMRF_CUDA_API int cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *from,
                                         size_t count, int direction, void *stream)
{
    return done_(
        smrf_cuda_array_run(array, x, y, (void *)(uintptr_t)from, count, direction, true, stream));
}
SMRF_ALSO(cudaMemcpyToArrayAsync, cudaMemcpyToArrayAsync_ptsz);

SMRF_CUDA_API int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *from, size_t count,
                                    int direction)
{
    return cudaMemcpyToArrayAsync(array, x, y, from, count, direction, NULL);
}
SMRF_ALSO(cudaMemcpyToArray, cudaMemcpyToArray_ptds);

SMRF_CUDA_API int cudaMemcpyFromArrayAsync(void *to, const void *array, size_t x, size_t y,
                                           size_t count, int direction, void *stream)
{
    return done_(smrf_cuda_array_run(array, x, y, to, count, direction, false, stream));
}
SMRF_ALSO(cudaMemcpyFromArrayAsync, cudaMemcpyFromArrayAsync_ptsz);

SMRF_CUDA_API int cudaMemcpyFromArray(void *to, const void *array, size_t x, size_t y, size_t count,
                                      int direction)
{
    return cudaMemcpyFromArrayAsync(to, array, x, y, count, direction, NULL);
}
SMRF_ALSO(cudaMemcpyFromArray, cudaMemcpyFromArray_ptds);

/* One side of a copy in three dimensions: where it begins. `texel`: bytes of the texels that the
 * extent counts. */
static int side_(const void *array, struct cuda_position at, const struct cuda_pitched *memory,
                 const uint64_t size[3], struct smrf_cuda_place *place)
{
    if (array == NULL) {
        *place = (struct smrf_cuda_place){(uint8_t *)memory->at + at.x +
                                              (at.z * memory->height + at.y) * memory->pitch,
                                          memory->pitch, memory->height};
        return CUDA_OK;
    }
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    if (a == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    const uint64_t from[3] = {at.x * smrf_cuda_texel_bytes(a), at.y, at.z};
    return smrf_cuda_array_box(array, from, size, place);
}

int smrf_runtime_copy_3d(const struct cuda_copy3d *c, struct smrf_cuda_work *w)
{
    if (c == NULL) {
        return CUDA_INVALID_VALUE;
    }
    const void *one = c->to_array != NULL ? c->to_array : c->from_array;
    const struct smrf_cuda_array *a = one != NULL ? smrf_cuda_array(one) : NULL;
    if (one != NULL && a == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    const uint64_t texel = a != NULL ? smrf_cuda_texel_bytes(a) : 1;
    const uint64_t size[3] = {c->extent.width * texel, c->extent.height, c->extent.depth};
    *w = (struct smrf_cuda_work){
        .kind = SMRF_WORK_COPY,
        .copy = {.width = size[0], .height = size[1], .depth = size[2], .direction = c->direction}};
    const int rc = side_(c->to_array, c->to_position, &c->to, size, &w->copy.to);
    return rc == CUDA_OK ? side_(c->from_array, c->from_position, &c->from, size, &w->copy.from)
                         : rc;
}
