/* SPDX-License-Identifier: Apache-2.0 */
/* A thread block's share of C = A * B on tensor cores: C is m x n, column-major as in BLAS. Tiles
 * of A and B go from global memory through registers into shared memory; the loads of the next
 * tiles are under way while the warps multiply what shared memory holds. What "A" and "B" are is up
 * to the readers: plain matrices (gemm.cu) or the images and filters of a convolution (conv.cu). */
#ifndef SMRF_TENSOR_TILE_CUH
#define SMRF_TENSOR_TILE_CUH

#include "tiles.h"

#include <cstdint>
#include <cuda_fp16.h>
#include <mma.h>
#include <type_traits>

using nvcuda::wmma::col_major;
using nvcuda::wmma::row_major;

/* How an operand lies in shared memory: LINES lines of LENGTH contiguous elements each, either
 * "k runs along the line" (a line is a row of A or a column of B) or "k counts the lines". The
 * padding of 16 bytes spreads the lines over the banks. */
template <typename T, bool ALONG, int SPAN, int BK> struct panel {
    static constexpr int lines = ALONG ? SPAN : BK;
    static constexpr int length = ALONG ? BK : SPAN;
    static constexpr int vec = 16 / (int)sizeof(T); /* elements in one 16-byte access */
    static constexpr int vecs = length / vec;       /* accesses a line */
    static constexpr int stride = length + vec;
    static constexpr int elements = lines * stride;
    static __device__ int offset(int span, int k)
    {
        return ALONG ? span * stride + k : k * stride + span;
    }
};

/* A matrix in global memory whose lines are `stride` elements apart: the panel's lines and
 * positions start at (line, position) and advance along k. What lies beyond num_span is read from
 * the last line or vector instead: it ends in results that nobody writes. Along k the panel must
 * end with the matrix (num_k a multiple of BK), or, with GUARD, elements beyond num_k read zero.
 * Lines hold whole vectors. Fewer than 2^31 elements. */
template <typename T, class PANEL, bool ALONG, int THREADS, bool GUARD> struct matrix_reader {
    static constexpr int step = THREADS / PANEL::vecs; /* lines between a thread's accesses */
    static constexpr int count = (PANEL::lines + step - 1) / step;
    const T *matrix;
    int offset[ALONG ? count : 1]; /* of each line; lines along k are step * stride apart */
    int stride, k, num_k;

    __device__ matrix_reader(const T *matrix, int stride, int span, int num_span, int num_k)
        : matrix(matrix), stride(stride), num_k(num_k)
    {
        int line = (int)threadIdx.x / PANEL::vecs;
        int position = (int)threadIdx.x % PANEL::vecs * PANEL::vec;
        if (ALONG) {
            k = position;
#pragma unroll
            for (int i = 0; i < count; i++) {
                offset[i] = min(span + line + i * step, num_span - 1) * stride + position;
            }
        } else {
            k = line;
            int last = (num_span - 1) / PANEL::vec * PANEL::vec;
            offset[0] = line * stride + min(span + position, last);
        }
    }
    __device__ uint4 get(int i) const
    {
        int at = ALONG ? offset[i] : offset[0] + i * step * stride;
        const uint4 *from = reinterpret_cast<const uint4 *>(matrix + at);
        if (!GUARD) {
            return *from;
        }
        uint4 value = make_uint4(0, 0, 0, 0);
        if ((ALONG ? k : k + i * step) < num_k) {
            value = *from;
        }
        return value;
    }
    template <int BK> __device__ void advance()
    {
        k += BK;
        if (ALONG) {
#pragma unroll
            for (int i = 0; i < count; i++) {
                offset[i] += BK;
            }
        } else {
            offset[0] += BK * stride;
        }
    }
};

/* Where results go: element (i, j) of C at c[i + j * stride]; rows in vectors of 8. */
template <typename OUT> struct result {
    OUT *c;
    int stride, m, n; /* m: a multiple of 8 (padding rows are written too) */
    float alpha, beta;
};

static __device__ __forceinline__ uint32_t pack(float low, float high)
{
    __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<uint32_t *>(&both);
}

/* Eight rows of one column: from the staging area in shared memory to C. */
static __device__ __forceinline__ void put8(const result<half> &to, half *at, const float *stage)
{
    float v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = to.alpha * stage[i];
    }
    if (to.beta != 0.0f) {
        uint4 old = *reinterpret_cast<uint4 *>(at);
        const half2 *h = reinterpret_cast<const half2 *>(&old);
        for (int i = 0; i < 4; i++) {
            v[2 * i] += to.beta * __low2float(h[i]);
            v[2 * i + 1] += to.beta * __high2float(h[i]);
        }
    }
    *reinterpret_cast<uint4 *>(at) =
        make_uint4(pack(v[0], v[1]), pack(v[2], v[3]), pack(v[4], v[5]), pack(v[6], v[7]));
}

static __device__ __forceinline__ void put8(const result<half> &to, half *at, const half *stage)
{
    uint4 value = *reinterpret_cast<const uint4 *>(stage);
    half2 *v = reinterpret_cast<half2 *>(&value);
    half2 alpha = __float2half2_rn(to.alpha), beta = __float2half2_rn(to.beta);
    uint4 old = make_uint4(0, 0, 0, 0);
    if (to.beta != 0.0f) {
        old = *reinterpret_cast<uint4 *>(at);
    }
    const half2 *h = reinterpret_cast<const half2 *>(&old);
    for (int i = 0; i < 4; i++) {
        v[i] = __hfma2(alpha, v[i], __hmul2(beta, h[i]));
    }
    *reinterpret_cast<uint4 *>(at) = value;
}

static __device__ __forceinline__ void put8(const result<int> &, int *at, const int *stage)
{
    reinterpret_cast<int4 *>(at)[0] = reinterpret_cast<const int4 *>(stage)[0];
    reinterpret_cast<int4 *>(at)[1] = reinterpret_cast<const int4 *>(stage)[1];
}

/* Shape of the work: a tile of tiles.h (block tile BM x BN x BK, warp tile WM x WN, SLICES groups
 * of warps that take equal parts of BK), fragments FM x FN x 16. A_ALONG and B_ALONG: k runs along
 * the lines of A or B. */
template <typename T, typename ACC, int BM_, int BN_, int BK_, int WM, int WN, int SLICES, int FM,
          int FN, bool A_ALONG_, bool B_ALONG_>
struct tile {
    static constexpr int BM = BM_, BN = BN_, BK = BK_;
    static constexpr bool A_ALONG = A_ALONG_, B_ALONG = B_ALONG_;
    static constexpr int threads = SMRF_TILE_THREADS(BM, BN, BK, WM, WN, SLICES);
    static constexpr int warps = threads / 32 / SLICES; /* of a slice */
    static constexpr bool sliced = SLICES > 1;
    using a_panel = panel<T, A_ALONG, BM, BK>;
    using b_panel = panel<T, B_ALONG, BN, BK>;
    using a_layout = typename std::conditional<A_ALONG, row_major, col_major>::type;
    using b_layout = typename std::conditional<B_ALONG, col_major, row_major>::type;
    static constexpr int fm = WM / FM, fn = WN / FN;

    using accumulator = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, FM, FN, 16, ACC>;
    static constexpr int values = fm * fn * accumulator::num_elements; /* sums of a lane */

    struct shared {
        union {
            struct {
                __align__(32) T a[a_panel::elements];
                __align__(32) T b[b_panel::elements];
            };
            struct {
                __align__(32) ACC stage[warps][FM * FN];
                ACC part[sliced ? SLICES - 1 : 1][warps][sliced ? values : 1][32];
            };
        };
    };

    template <class PANEL, class READER>
    static __device__ __forceinline__ void keep(T *to, const uint4 (&from)[READER::count])
    {
        int line = (int)threadIdx.x / PANEL::vecs, vector = (int)threadIdx.x % PANEL::vecs;
#pragma unroll
        for (int i = 0; i < READER::count; i++) {
            if (PANEL::lines % READER::step != 0 && line + i * READER::step >= PANEL::lines) {
                continue; /* a panel too small for all threads */
            }
            *reinterpret_cast<uint4 *>(to + (line + i * READER::step) * PANEL::stride +
                                       vector * PANEL::vec) = from[i];
        }
    }

    static __device__ __forceinline__ void multiply(accumulator (&acc)[fm][fn], const T *a,
                                                    const T *b, int row, int column, int slice)
    {
        using namespace nvcuda::wmma;
        a += a_panel::offset(row, slice * (BK / SLICES));
        b += b_panel::offset(column, slice * (BK / SLICES));
#pragma unroll
        for (int k = 0; k < BK / SLICES; k += 16) {
            fragment<matrix_a, FM, FN, 16, T, a_layout> fa[fm];
            fragment<matrix_b, FM, FN, 16, T, b_layout> fb[fn];
#pragma unroll
            for (int i = 0; i < fm; i++) {
                load_matrix_sync(fa[i], a + a_panel::offset(i * FM, k), a_panel::stride);
            }
#pragma unroll
            for (int j = 0; j < fn; j++) {
                load_matrix_sync(fb[j], b + b_panel::offset(j * FN, k), b_panel::stride);
            }
#pragma unroll
            for (int i = 0; i < fm; i++) {
#pragma unroll
                for (int j = 0; j < fn; j++) {
                    mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
                }
            }
        }
    }

    /* The sums of the slices come together in the warps of the first. Only they go on. */
    static __device__ __forceinline__ bool reduce(accumulator (&acc)[fm][fn], shared &s, int warp,
                                                  int slice)
    {
        const int lane = (int)threadIdx.x % 32;
        constexpr int each = accumulator::num_elements;
        if (slice > 0) {
#pragma unroll
            for (int v = 0; v < values; v++) {
                s.part[slice - 1][warp][v][lane] = acc[v / each / fn][v / each % fn].x[v % each];
            }
        }
        __syncthreads();
        if (slice > 0) {
            return false;
        }
#pragma unroll
        for (int other = 0; other < SLICES - 1; other++) {
#pragma unroll
            for (int v = 0; v < values; v++) {
                acc[v / each / fn][v / each % fn].x[v % each] += s.part[other][warp][v][lane];
            }
        }
        return true;
    }

    /* The whole product: num_k elements of k. */
    template <class A_READER, class B_READER, typename OUT>
    static __device__ __forceinline__ void run(A_READER a, B_READER b, int num_k,
                                               const result<OUT> &to)
    {
        using namespace nvcuda::wmma;
        __shared__ shared s;
        const int lane = (int)threadIdx.x % 32;
        const int warp = (int)threadIdx.x / 32 % warps, slice = (int)threadIdx.x / 32 / warps;
        const int row = warp % (BM / WM) * WM, column = warp / (BM / WM) * WN;
        accumulator acc[fm][fn];
#pragma unroll
        for (int i = 0; i < fm; i++) {
#pragma unroll
            for (int j = 0; j < fn; j++) {
                fill_fragment(acc[i][j], (ACC)0.0f);
            }
        }
        uint4 next_a[A_READER::count], next_b[B_READER::count];
        auto fetch = [&]() {
#pragma unroll
            for (int i = 0; i < A_READER::count; i++) {
                next_a[i] = a.get(i);
            }
#pragma unroll
            for (int i = 0; i < B_READER::count; i++) {
                next_b[i] = b.get(i);
            }
            a.template advance<BK>();
            b.template advance<BK>();
        };
        fetch();
        keep<a_panel, A_READER>(s.a, next_a);
        keep<b_panel, B_READER>(s.b, next_b);
        __syncthreads();
#pragma unroll 1
        for (int k = BK; k < num_k; k += BK) {
            fetch();
            multiply(acc, s.a, s.b, row, column, slice);
            __syncthreads();
            keep<a_panel, A_READER>(s.a, next_a);
            keep<b_panel, B_READER>(s.b, next_b);
            __syncthreads();
        }
        multiply(acc, s.a, s.b, row, column, slice);
        __syncthreads();
        if (sliced && !reduce(acc, s, warp, slice)) {
            return;
        }

        /* A fragment's layout over the lanes is the hardware's own: shared memory makes rows of
         * it, and every lane writes eight of one column. */
        ACC *stage = s.stage[warp];
        const int stage_row = lane % (FM / 8) * 8, stage_column = lane / (FM / 8);
#pragma unroll
        for (int i = 0; i < fm; i++) {
#pragma unroll
            for (int j = 0; j < fn; j++) {
                store_matrix_sync(stage, acc[i][j], FM, mem_col_major);
                __syncwarp();
                const int r = (int)blockIdx.x * BM + row + i * FM + stage_row;
                const int c = (int)blockIdx.y * BN + column + j * FN + stage_column;
                if (r < to.m && c < to.n) {
                    put8(to, to.c + (size_t)c * (size_t)to.stride + r,
                         stage + stage_column * FM + stage_row);
                }
                __syncwarp();
            }
        }
    }
};

#endif
