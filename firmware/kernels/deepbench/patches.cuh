/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of image patches for convolutions that build no matrix of them. */
#ifndef SMRF_PATCHES_CUH
#define SMRF_PATCHES_CUH

#include "conv_shape.h"

#include <cuda_fp16.h>

/* Three nested counters (x fastest) that advance together by a fixed amount, without division. */
struct odometer {
    int x, y, z;

    __device__ void set(int value, int size_x, int size_y)
    {
        x = value % size_x;
        y = value / size_x % size_y;
        z = value / size_x / size_y;
    }
    __device__ void add(const odometer &by, int size_x, int size_y)
    {
        x += by.x;
        y += by.y;
        z += by.z;
        if (x >= size_x) {
            x -= size_x;
            y++;
        }
        if (y >= size_y) {
            y -= size_y;
            z++;
        }
    }
};

/* Patches of an image, k = (r, s, channel) along the line: one line a result pixel. At most 32 rows
 * and columns of a filter. Fewer than 2^31 elements. */
template <class PANEL, int THREADS, int BK> struct patch_reader {
    static constexpr int step = THREADS / PANEL::vecs;
    static constexpr int count = (PANEL::lines + step - 1) / step;
    const half *image;
    int offset[count]; /* of the patch's corner, perhaps outside the image */
    unsigned rows_in[count], columns_in[count]; /* bit r, s: that row, column is in the image */
    odometer k, delta;                          /* channel, s, r */
    int w, c, s;

    __device__ patch_reader(const half *image, const conv_shape &shape, int first)
        : image(image), w(shape.w), c(shape.c), s(shape.s)
    {
        k.set((int)threadIdx.x % PANEL::vecs * PANEL::vec, c, s);
        delta.set(BK, c, s);
#pragma unroll
        for (int i = 0; i < count; i++) {
            odometer at; /* q, p, image */
            at.set(first + (int)threadIdx.x / PANEL::vecs + i * step, shape.q, shape.p);
            int y = at.y * shape.stride - shape.pad, x = at.x * shape.stride - shape.pad;
            offset[i] = ((at.z * shape.h + y) * w + x) * c;
            rows_in[i] = at.z < shape.n ? inside(y, shape.r, shape.h) : 0;
            columns_in[i] = inside(x, s, w);
        }
    }
    /* Bits of those of `size` places from `from` on that lie in [0, end). */
    static __device__ unsigned inside(int from, int size, int end)
    {
        int low = max(-from, 0), high = min(end - from, size);
        unsigned below_low = low > 31 ? ~0u : (1u << low) - 1u;
        unsigned below_high = high > 31 ? ~0u : high < 0 ? 0u : (1u << high) - 1u;
        return below_high & ~below_low;
    }
    __device__ uint4 get(int i) const
    {
        uint4 value = make_uint4(0, 0, 0, 0);
        int at = offset[i] + (k.z * w + k.y) * c + k.x;
        if ((rows_in[i] >> k.z) & (columns_in[i] >> k.y) & 1u) {
            value = *reinterpret_cast<const uint4 *>(image + at);
        }
        return value;
    }
    template <int> __device__ void advance()
    {
        k.add(delta, c, s);
    }
};

#endif
