/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on tensor cores, C = alpha * op(A) * op(B) + beta * C, all column-major.
 * k is a multiple of the tile's BK. Columns of C hold whole vectors of 8. */
#ifndef SMRF_GEMM_CUH
#define SMRF_GEMM_CUH

#include "tensor_tile.cuh"

template <class TILE, typename T, typename OUT, bool A_ALONG, bool B_ALONG>
static __device__ __forceinline__ void gemm(const T *a, const T *b, OUT *c, int m, int n, int k,
                                            int lda, int ldb, int ldc, float alpha, float beta)
{
    const int i = (int)blockIdx.x * TILE::BM, j = (int)blockIdx.y * TILE::BN;
    matrix_reader<T, typename TILE::a_panel, A_ALONG, TILE::threads, false> read_a(a, lda, i, m, k);
    matrix_reader<T, typename TILE::b_panel, B_ALONG, TILE::threads, false> read_b(b, ldb, j, n, k);
    result<OUT> to = {c, ldc, (m + 7) / 8 * 8, n, alpha, beta};
    TILE::run(read_a, read_b, k, to);
}

#define GEMM(NAME, ACC, BM, BN, BK, WM, WN, FM, FN, A_ALONG, B_ALONG)                              \
    extern "C" __global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)                       \
        NAME(const half *a, const half *b, half *c, int m, int n, int k, int lda, int ldb,         \
             int ldc, float alpha, float beta)                                                     \
    {                                                                                              \
        gemm<tile<half, ACC, BM, BN, BK, WM, WN, FM, FN, A_ALONG, B_ALONG>, half, half, A_ALONG,   \
             B_ALONG>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);                               \
    }

#endif
