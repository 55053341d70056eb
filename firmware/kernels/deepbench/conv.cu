/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution as an implicit matrix product on tensor cores: no matrix of image patches is built,
 * the readers gather it from the image. forward: C is filters x pixels; data gradient: channels x
 * pixels of the image, a forward convolution of the results' gradient with mirrored filters
 * (stride 1); filter gradient: filter elements x filters, summed over all pixels. */
#include "patches.cuh"
#include "tensor_tile.cuh"

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
        int at = ((pixel[i].z * h + y) * w + x) * c + channel;
        if (inside & (pixel[i].z < n) & ((unsigned)y < (unsigned)h) & ((unsigned)x < (unsigned)w)) {
            value = *reinterpret_cast<const uint4 *>(image + at);
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

/* Mirrored filters, k = (r, s, filter) counts the lines: positions are the channels. The number of
 * filters is a multiple of BK, so that all lines of a panel have r and s in common. */
template <class PANEL, int THREADS, int BK> struct mirror_reader {
    static constexpr int step = THREADS / PANEL::vecs;
    static constexpr int count = (PANEL::lines + step - 1) / step;
    const half *filters;
    odometer k; /* first filter of the panel, s, r */
    int offset, c, num_k, r, s;

    __device__ mirror_reader(const half *filters, const conv_shape &shape, int first)
        : filters(filters), c(shape.c), num_k(shape.k), r(shape.r), s(shape.s)
    {
        int channel = min(first + (int)threadIdx.x % PANEL::vecs * PANEL::vec, c - PANEL::vec);
        offset = (int)threadIdx.x / PANEL::vecs * r * s * c + channel;
        k.set(0, num_k, s);
    }
    __device__ uint4 get(int i) const
    {
        int tap = (r - 1 - k.z) * s + (s - 1 - k.y);
        int at = offset + ((k.x + i * step) * r * s + tap) * c;
        return *reinterpret_cast<const uint4 *>(filters + at);
    }
    template <int> __device__ void advance()
    {
        odometer delta = {BK, 0, 0};
        k.add(delta, num_k, s);
    }
};

template <class TILE, bool GUARD>
static __device__ __forceinline__ void forward(const half *image, const half *filters, half *out,
                                               const conv_shape &shape)
{
    const int num_k = shape.r * shape.s * shape.c;
    const int i = (int)blockIdx.x * TILE::BM, j = (int)blockIdx.y * TILE::BN;
    matrix_reader<half, typename TILE::a_panel, true, TILE::threads, GUARD> a(filters, num_k, i,
                                                                              shape.k, num_k);
    patch_reader<typename TILE::b_panel, TILE::threads, TILE::BK> b(image, shape, j);
    result<half> to = {out, shape.k, shape.k, shape.n * shape.p * shape.q, 1.0f, 0.0f};
    TILE::run(a, b, num_k, to);
}

/* Training. The big tile wants c and k that are multiples of its BK, the small one only such a k.
 */
template <bool A_ALONG, bool B_ALONG>
using big = tile<half, float, SMRF_TILE_128X128, 16, 16, A_ALONG, B_ALONG>;
template <bool A_ALONG, bool B_ALONG>
using small = tile<half, float, SMRF_TILE_64X64, 16, 16, A_ALONG, B_ALONG>;
/* Inference: few filters, many pixels. */
using forward_32x256 = tile<half, half, SMRF_TILE_32X256, 16, 16, true, true>;
using forward_16x256 = tile<half, half, SMRF_TILE_16X256, 16, 16, true, true>;

#define FORWARD(NAME, GUARD, ...)                                                                  \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__::threads, 2)                          \
        NAME(const half *image, const half *filters, half *out, conv_shape shape)                  \
    {                                                                                              \
        forward<__VA_ARGS__, GUARD>(image, filters, out, shape);                                   \
    }

FORWARD(conv_forward, false, big<true, true>)
FORWARD(conv_forward_64x64, true, small<true, true>)
FORWARD(conv_forward_f16_32, true, forward_32x256)
FORWARD(conv_forward_f16_16, true, forward_16x256)

template <class TILE>
static __device__ __forceinline__ void data_gradient(const half *out_gradient, const half *filters,
                                                     half *image_gradient, const conv_shape &shape)
{
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

template <class TILE>
static __device__ __forceinline__ void filter_gradient(const half *image, const half *out_gradient,
                                                       half *gradient, const conv_shape &shape)
{
    const int elements = shape.r * shape.s * shape.c, pixels = shape.n * shape.p * shape.q;
    pixel_reader<typename TILE::a_panel, TILE::threads, TILE::BK> a(image, shape,
                                                                    (int)blockIdx.x * TILE::BM);
    matrix_reader<half, typename TILE::b_panel, false, TILE::threads, true> b(
        out_gradient, shape.k, (int)blockIdx.y * TILE::BN, shape.k, pixels);
    result<half> to = {gradient, elements, elements, shape.k, 1.0f, 0.0f};
    TILE::run(a, b, pixels, to);
}

/* The data gradient: of the layer's input, from the gradient of its results and the filters. The
 * filter gradient: from the input and the gradient of the results. */
#define GRADIENT(NAME, BODY, ...)                                                                  \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__::threads, 2)                          \
        NAME(const half *a, const half *b, half *gradient, conv_shape shape)                       \
    {                                                                                              \
        BODY<__VA_ARGS__>(a, b, gradient, shape);                                                  \
    }

GRADIENT(conv_data_gradient, data_gradient, big<false, true>)
GRADIENT(conv_data_gradient_64x64, data_gradient, small<false, true>)
GRADIENT(conv_filter_gradient, filter_gradient, big<false, false>)
GRADIENT(conv_filter_gradient_64x64, filter_gradient, small<false, false>)
