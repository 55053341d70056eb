/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution as an implicit matrix product with warp tiles of 64 x 64, which ask shared memory for
 * least and leave most of a warp's instructions to the tensor cores: pixels x filters, fragments by
 * LDSM of four matrices, sums in single precision. As in the vendor's libraries for big layers, a block
 * of 128 threads makes 128 pixels x 128 filters, and gathering patches costs next to nothing: k runs over
 * the channels of a tap, then of the next one in its row, which lies just behind, so that a pointer
 * moves by constants but at the ends of rows; whether a tap is in the image is a bit of a mask. c, k:
 * multiples of 64; r s: at most 32; fewer than 65,536 result pixels, at least two a row. by_q, by_pq: 2^32
 * over q and over p q, rounded up, which divide a pixel's number as in libraries. */
#include "../deepbench/conv_shape.h"
#include "../deepbench/tensor_tile.cuh"

static constexpr int BM = 128, BN = 128, BK = 32, WARP = 64, THREADS = 128;

using lines = panel<half, true, BM, BK>; /* of pixels, and of filters: k runs along them */

struct fragments {
    uint32_t row[WARP / 16][4]; /* 16 pixels x 16 k each: two steps of k */
    uint32_t column[WARP / 8][2]; /* 16 k x 8 filters each, likewise */
};

static __device__ __forceinline__ void four(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d,
                                            const half *at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"((uint32_t)__cvta_generic_to_shared(at)));
}

static __device__ __forceinline__ void load(fragments &f, const half *pixels, const half *filters,
                                            int k)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < WARP / 16; i++) {
        four(f.row[i][0], f.row[i][1], f.row[i][2], f.row[i][3],
             pixels + lines::offset(16 * i + lane % 16, k + lane / 16 * 8));
    }
#pragma unroll
    for (int j = 0; j < WARP / 8; j += 2) {
        four(f.column[j][0], f.column[j][1], f.column[j + 1][0], f.column[j + 1][1],
             filters + lines::offset(8 * j + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8));
    }
}

static __device__ __forceinline__ void multiply(float (&acc)[WARP / 16][WARP / 8][4],
                                                const fragments &f)
{
#pragma unroll
    for (int step = 0; step < 2; step++) {
#pragma unroll
        for (int i = 0; i < WARP / 16; i++) {
#pragma unroll
            for (int j = 0; j < WARP / 8; j++) {
                float(&c)[4] = acc[i][j];
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                             "{%4, %5}, {%6}, {%0, %1, %2, %3};"
                             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                             : "r"(f.row[i][2 * step]), "r"(f.row[i][2 * step + 1]),
                               "r"(f.column[j][step]));
            }
        }
    }
}

/* The lines of a panel that a thread fetches. */
static constexpr int STEP = THREADS / lines::vecs, COUNT = BM / STEP;

struct pixels {
    const half *at[COUNT];
    int taps[COUNT]; /* from the sign bit on: is the t-th tap from now on in the image? */
    uint4 next[COUNT];
    int line_end, column, s; /* from the end of a row of taps to the next; the tap's place in it */

    /* Bits of those of `size` places from `from` on that lie in [0, end). */
    static __device__ unsigned inside(int from, int size, int end)
    {
        return ((1u << max(min(end - from, size), 0)) - 1u) & (~0u << max(-from, 0));
    }
    __device__ pixels(const half *image, const conv_shape &c, unsigned by_q, unsigned by_pq,
                      unsigned first)
        : column(0), s(c.s)
    {
        unsigned rows[COUNT], columns[COUNT];
        line_end = (c.w - c.s) * c.c;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const unsigned pixel = first + threadIdx.x / lines::vecs + (unsigned)(i * STEP);
            const int n = (int)__umulhi(pixel, by_pq), rest = (int)pixel - n * c.p * c.q;
            const int p = (int)__umulhi((unsigned)rest, by_q), q = rest - p * c.q;
            const int y = p * c.stride - c.pad, x = q * c.stride - c.pad;
            at[i] = image + ((n * c.h + y) * c.w + x) * c.c +
                    (int)threadIdx.x % lines::vecs * lines::vec;
            rows[i] = n < c.n ? inside(y, c.r, c.h) : 0;
            columns[i] = __brev(inside(x, c.s, c.w));
            taps[i] = 0;
        }
#pragma unroll 1
        for (int r = c.r - 1; r >= 0; r--) {
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                taps[i] = (int)((unsigned)taps[i] >> c.s | (rows[i] >> r & 1 ? columns[i] : 0));
            }
        }
    }
    /* What is outside stays zero for the whole tap. */
    __device__ void begin()
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            next[i] = make_uint4(0, 0, 0, 0);
        }
    }
    template <int channel> __device__ void fetch()
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            asm volatile("{ .reg .pred in; setp.lt.s32 in, %5, 0;\n\t"
                         "@in ld.global.v4.u32 {%0, %1, %2, %3}, [%4 + %6]; }"
                         : "+r"(next[i].x), "+r"(next[i].y), "+r"(next[i].z), "+r"(next[i].w)
                         : "l"(at[i]), "r"(taps[i]), "n"(channel * (int)sizeof(half)));
        }
    }
    __device__ void next_tap()
    {
        column++;
        const int on = column == s ? line_end : 0;
        column = column == s ? 0 : column;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            taps[i] <<= 1;
            at[i] += on;
        }
        begin();
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    conv_wide(const half *image, const half *filters, half *out, conv_shape c, unsigned by_q,
              unsigned by_pq)
{
    __shared__ __align__(16) half pixel[lines::elements], filter[lines::elements];
    const int num_k = c.r * c.s * c.c;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int row = warp % 2 * WARP, column = warp / 2 * WARP;
    const int line = (int)threadIdx.x / lines::vecs, vector = (int)threadIdx.x % lines::vecs * lines::vec;
    const int first_filter = (int)blockIdx.x * BN;
    pixels a(image, c, by_q, by_pq, blockIdx.y * BM);
    const half *b[COUNT];
    uint4 next_b[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) { /* what lies beyond the last filter ends where nobody writes */
        b[i] = filters + min(first_filter + line + i * STEP, c.k - 1) * num_k + vector;
    }
    float acc[WARP / 16][WARP / 8][4] = {};
    auto fetch = [&](auto from) {
        constexpr int k = decltype(from)::value;
        a.template fetch<k>();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            next_b[i] = *reinterpret_cast<const uint4 *>(b[i] + k);
        }
    };
    const std::integral_constant<int, 0> here;
    const std::integral_constant<int, BK> next;
    auto keep = [&]() {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const int offset = lines::offset(line + i * STEP, vector);
            *reinterpret_cast<uint4 *>(pixel + offset) = a.next[i];
            *reinterpret_cast<uint4 *>(filter + offset) = next_b[i];
        }
        __syncthreads();
    };
    auto work = [&]() {
#pragma unroll
        for (int inner = 0; inner < BK; inner += 16) {
            fragments f;
            load(f, pixel + lines::offset(row, 0), filter + lines::offset(column, 0), inner);
            multiply(acc, f);
        }
    };
    a.begin();
    fetch(here);
    int channels = c.c; /* of the tap, still to be fetched */
#pragma unroll 1
    for (int k = num_k; k > 0; k -= 2 * BK) {
        keep();
        fetch(next);
        work();
        keep();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            a.at[i] += 2 * BK;
            b[i] += 2 * BK;
        }
        channels -= 2 * BK;
        if (channels == 0) {
            channels = c.c;
            a.next_tap();
        }
        if (k > 2 * BK) {
            fetch(here);
        }
        work();
    }
    if (first_filter + column >= c.k) {
        return;
    }
    const int num_pixels = c.n * c.p * c.q;
    const int corner = (int)blockIdx.y * BM + row + lane / 4;
    half *to = out + corner * c.k + first_filter + column + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < WARP / 8; i++) {
        if (corner + 8 * i < num_pixels) {
#pragma unroll
            for (int j = 0; j < WARP / 8; j++) {
                *reinterpret_cast<uint32_t *>(to + 8 * j) =
                    pack(acc[i / 2][j][i % 2 * 2], acc[i / 2][j][i % 2 * 2 + 1]);
            }
        }
        to += 8 * c.k;
    }
}
