/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to and from CUDA arrays. */
#include "graph.h"
#include "textures.h"

/* Whether the box lies in the array; x and width in bytes. */
static bool holds_(const struct smrf_cuda_array *a, const uint64_t at[3], const uint64_t size[3])
{
    const struct smrf_exec_texture *t = &a->shape;
    const uint64_t most[3] = {(uint64_t)t->width * smrf_cuda_texel_bytes(a), t->height,
                              t->layers != 0 ? t->layers : t->depth};
    for (unsigned i = 0; i < 3; i++) {
        if (at[i] > most[i] || size[i] > most[i] - at[i]) {
            return false;
        }
    }
    return true;
}

int smrf_cuda_array_box(const void *array, const uint64_t at[3], const uint64_t size[3],
                        struct smrf_cuda_place *place)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    if (a == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    *place = smrf_cuda_array_place(a, at[0], at[1], at[2]);
    return holds_(a, at, size) ? CUDA_OK : CUDA_INVALID_VALUE;
}

int smrf_cuda_array_run(const void *array, uint64_t x, uint64_t y, void *memory, uint64_t count,
                        int direction, bool to_array, void *stream)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    uint8_t *at = memory;
    if (a == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    const uint64_t row = (uint64_t)a->shape.width * smrf_cuda_texel_bytes(a);
    if (x > row || y > a->shape.height || count > row * (a->shape.height - y) - x) {
        return CUDA_INVALID_VALUE;
    }
    for (int rc; count != 0; x = 0, y++) {
        const uint64_t part = count < row - x ? count : row - x;
        const struct smrf_cuda_place p = smrf_cuda_array_place(a, x, y, 0), m = {at, 0, 0};
        rc = smrf_cuda_submit_copy(stream, to_array ? p : m, to_array ? m : p, part, 1, 1,
                                   direction);
        if (rc != CUDA_OK) {
            return rc;
        }
        at += part;
        count -= part;
    }
    return CUDA_OK;
}
