/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution as an implicit matrix product on tensor cores: no matrix of image patches is built,
 * the readers gather it from the image. forward: C is filters x pixels; data gradient: channels x
 * pixels of the image, a forward convolution of the results' gradient with mirrored filters
 * (stride 1); filter gradient: filter elements x filters, summed over all pixels. */
#include "conv_shape.h"
#include "tensor_tile.cuh"

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

/* Patches of an image, k = (r, s, channel) along the line: one line a result pixel. */
template <class PANEL, int THREADS, int BK> struct patch_reader {
    static constexpr int step = THREADS / PANEL::vecs;
    static constexpr int count = (PANEL::lines + step - 1) / step;
    const half *base[count]; /* of the patch's first element, perhaps outside the image */
    int y[count], x[count];
    odometer k, delta; /* channel, s, r */
    int h, w, c, r, s;

    __device__ patch_reader(const half *image, const conv_shape &shape, int first)
        : h(shape.h), w(shape.w), c(shape.c), r(shape.r), s(shape.s)
    {
        k.set((int)threadIdx.x % PANEL::vecs * PANEL::vec, c, s);
        delta.set(BK, c, s);
#pragma unroll
        for (int i = 0; i < count; i++) {
            int pixel = first + (int)threadIdx.x / PANEL::vecs + i * step;
            odometer at; /* q, p, image */
            at.set(pixel, shape.q, shape.p);
            y[i] = at.y * shape.stride - shape.pad;
            x[i] = at.x * shape.stride - shape.pad;
            base[i] = image + (((long)at.z * h + y[i]) * w + x[i]) * c;
            if (at.z >= shape.n) {
                y[i] = h; /* past the last pixel: never inside */
            }
        }
    }
    __device__ uint4 get(int i) const
    {
        uint4 value = make_uint4(0, 0, 0, 0);
        if ((unsigned)(y[i] + k.z) < (unsigned)h && (unsigned)(x[i] + k.y) < (unsigned)w &&
            k.z < r) {
            value = *reinterpret_cast<const uint4 *>(base[i] + (k.z * w + k.y) * c + k.x);
        }
        return value;
    }
    template <int> __device__ void advance()
    {
        k.add(delta, c, s);
    }
};

/* Patches of an image, k = pixel counts the lines: positions are the (r, s, channel). */
template <class PANEL, int THREADS, int BK> struct pixel_reader {
    static constexpr int step = THREADS / PANEL::vecs;
    static constexpr int count = (PANEL::lines + step - 1) / step;
    const half *image;
    odometer pixel[count], delta; /* q, p, image */
    int dy, dx, channel, n, h, w, c, p, q, stride;
    bool inside;

    __device__ pixel_reader(const half *image, const conv_shape &shape, int first)
        : image(image), n(shape.n), h(shape.h), w(shape.w), c(shape.c), p(shape.p), q(shape.q),
          stride(shape.stride)
    {
        odometer at; /* channel, s, r */
        at.set(first + (int)threadIdx.x % PANEL::vecs * PANEL::vec, c, shape.s);
        channel = at.x;
        dx = at.y - shape.pad;
        dy = at.z - shape.pad;
        inside = at.z < shape.r;
        delta.set(BK, q, p);
#pragma unroll
        for (int i = 0; i < count; i++) {
            pixel[i].set((int)threadIdx.x / PANEL::vecs + i * step, q, p);
        }
    }
    __device__ uint4 get(int i) const
    {
        uint4 value = make_uint4(0, 0, 0, 0);
        int y = pixel[i].y * stride + dy, x = pixel[i].x * stride + dx;
        if (inside && pixel[i].z < n && (unsigned)y < (unsigned)h && (unsigned)x < (unsigned)w) {
            value = *reinterpret_cast<const uint4 *>(
                image + (((long)pixel[i].z * h + y) * w + x) * c + channel);
        }
        return value;
    }
    template <int> __device__ void advance()
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            pixel[i].add(delta, q, p);
        }
    }
};

/* Mirrored filters, k = (r, s, filter) counts the lines: positions are the channels. */
template <class PANEL, int THREADS, int BK> struct mirror_reader {
    static constexpr int step = THREADS / PANEL::vecs;
    static constexpr int count = (PANEL::lines + step - 1) / step;
    const half *filters;
    odometer k[count], delta; /* filter, s, r */
    int channel, c, num_k, r, s;

    __device__ mirror_reader(const half *filters, const conv_shape &shape, int first)
        : filters(filters), c(shape.c), num_k(shape.k), r(shape.r), s(shape.s)
    {
        channel = first + (int)threadIdx.x % PANEL::vecs * PANEL::vec;
        delta.set(BK, num_k, s);
#pragma unroll
        for (int i = 0; i < count; i++) {
            k[i].set((int)threadIdx.x / PANEL::vecs + i * step, num_k, s);
        }
    }
    __device__ uint4 get(int i) const
    {
        uint4 value = make_uint4(0, 0, 0, 0);
        if (channel < c && k[i].z < r) {
            int at = (k[i].x * r + (r - 1 - k[i].z)) * s + (s - 1 - k[i].y);
            value = *reinterpret_cast<const uint4 *>(filters + (long)at * c + channel);
        }
        return value;
    }
    template <int> __device__ void advance()
    {
#pragma unroll
        for (int i = 0; i < count; i++) {
            k[i].add(delta, num_k, s);
        }
    }
};

template <class TILE>
static __device__ __forceinline__ void forward(const half *image, const half *filters, half *out,
                                               const conv_shape &shape)
{
    const int num_k = shape.r * shape.s * shape.c;
    const int i = (int)blockIdx.x * TILE::BM, j = (int)blockIdx.y * TILE::BN;
    matrix_reader<half, typename TILE::a_panel, true, TILE::threads> a(filters, num_k, i, shape.k,
                                                                       num_k);
    patch_reader<typename TILE::b_panel, TILE::threads, TILE::BK> b(image, shape, j);
    result<half> to = {out, shape.k, shape.k, shape.n * shape.p * shape.q, 1.0f, 0.0f};
    TILE::run(a, b, num_k, to);
}

/* Training. */
using forward_64x64 = tile<half, float, 64, 64, 32, 32, 32, 16, 16, true, true>;
using data_64x64 = tile<half, float, 64, 64, 32, 32, 32, 16, 16, false, true>;
using filter_128x64 = tile<half, float, 128, 64, 32, 64, 32, 16, 16, false, false>;
/* Inference: few filters, many pixels. */
using forward_32x128 = tile<half, half, 32, 128, 32, 32, 32, 16, 16, true, true>;
using forward_16x128 = tile<half, half, 16, 128, 32, 16, 32, 16, 16, true, true>;

extern "C" __global__ void __launch_bounds__(forward_64x64::threads)
    conv_forward(const half *image, const half *filters, half *out, conv_shape shape)
{
    forward<forward_64x64>(image, filters, out, shape);
}

extern "C" __global__ void __launch_bounds__(forward_32x128::threads)
    conv_forward_f16_32(const half *image, const half *filters, half *out, conv_shape shape)
{
    forward<forward_32x128>(image, filters, out, shape);
}

extern "C" __global__ void __launch_bounds__(forward_16x128::threads)
    conv_forward_f16_16(const half *image, const half *filters, half *out, conv_shape shape)
{
    forward<forward_16x128>(image, filters, out, shape);
}

/* image_gradient: of the layer's input, from the gradient of its results. */
extern "C" __global__ void __launch_bounds__(data_64x64::threads)
    conv_data_gradient(const half *out_gradient, const half *filters, half *image_gradient,
                       conv_shape shape)
{
    using TILE = data_64x64;
    conv_shape back = shape; /* the convolution that leads back from results to the image */
    back.h = shape.p;
    back.w = shape.q;
    back.c = shape.k;
    back.p = shape.h;
    back.q = shape.w;
    back.pad = shape.r - 1 - shape.pad;
    mirror_reader<typename TILE::a_panel, TILE::threads, TILE::BK> a(filters, shape,
                                                                     (int)blockIdx.x * TILE::BM);
    patch_reader<typename TILE::b_panel, TILE::threads, TILE::BK> b(out_gradient, back,
                                                                    (int)blockIdx.y * TILE::BN);
    result<half> to = {image_gradient, shape.c, shape.c, shape.n * shape.h * shape.w, 1.0f, 0.0f};
    TILE::run(a, b, shape.r * shape.s * shape.k, to);
}

extern "C" __global__ void __launch_bounds__(filter_128x64::threads)
    conv_filter_gradient(const half *image, const half *out_gradient, half *filter_gradient,
                         conv_shape shape)
{
    using TILE = filter_128x64;
    const int elements = shape.r * shape.s * shape.c, pixels = shape.n * shape.p * shape.q;
    pixel_reader<typename TILE::a_panel, TILE::threads, TILE::BK> a(image, shape,
                                                                    (int)blockIdx.x * TILE::BM);
    matrix_reader<half, typename TILE::b_panel, false, TILE::threads> b(
        out_gradient, shape.k, (int)blockIdx.y * TILE::BN, shape.k, pixels);
    result<half> to = {filter_gradient, elements, elements, shape.k, 1.0f, 0.0f};
    TILE::run(a, b, pixels, to);
}
