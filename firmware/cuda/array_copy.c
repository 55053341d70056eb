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

static uint64_t row_(const struct smrf_cuda_array *a)
{
    return (uint64_t)a->shape.width * smrf_cuda_texel_bytes(a);
}

static bool holds_run_(const struct smrf_cuda_array *a, uint64_t x, uint64_t y, uint64_t count)
{
    return x <= row_(a) && y <= a->shape.height && count <= row_(a) * (a->shape.height - y) - x;
}

int smrf_cuda_array_run(const void *array, uint64_t x, uint64_t y, void *memory, uint64_t count,
                        int direction, bool to_array, void *stream)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(array);
    uint8_t *at = memory;
    if (a == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    const uint64_t row = row_(a);
    if (!holds_run_(a, x, y, count)) {
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

int smrf_cuda_array_to_array(const void *to, uint64_t to_x, uint64_t to_y, const void *from,
                             uint64_t x, uint64_t y, uint64_t count)
{
    const struct smrf_cuda_array *a = smrf_cuda_array(to), *b = smrf_cuda_array(from);
    if (a == NULL || b == NULL) {
        return CUDA_INVALID_HANDLE;
    }
    if (!holds_run_(a, to_x, to_y, count) || !holds_run_(b, x, y, count)) {
        return CUDA_INVALID_VALUE;
    }
    int rc = CUDA_OK;
    for (uint64_t part; rc == CUDA_OK && count != 0; count -= part) {
        part = count < row_(a) - to_x ? count : row_(a) - to_x;
        part = part < row_(b) - x ? part : row_(b) - x;
        rc = smrf_cuda_copy_box(smrf_cuda_array_place(a, to_x, to_y, 0),
                                smrf_cuda_array_place(b, x, y, 0), part, 1, 1,
                                SMRF_DEVICE_TO_DEVICE);
        to_x += part;
        x += part;
        to_y += to_x == row_(a);
        y += x == row_(b);
        to_x = to_x == row_(a) ? 0 : to_x;
        x = x == row_(b) ? 0 : x;
    }
    return rc;
}
