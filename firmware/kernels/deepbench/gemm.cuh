/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products on tensor cores, C = alpha * op(A) * op(B) + beta * C, all column-major.
 * k is a multiple of the tile's BK, or, with GUARD, of 8. Columns of C hold whole vectors of 8. */
#ifndef SMRF_GEMM_CUH
#define SMRF_GEMM_CUH

#include "tensor_tile.cuh"

template <class TILE, bool GUARD, typename T, typename OUT>
static __device__ __forceinline__ void gemm(const T *a, const T *b, OUT *c, int m, int n, int k,
                                            int lda, int ldb, int ldc, float alpha, float beta)
{
    const int i = (int)blockIdx.x * TILE::BM, j = (int)blockIdx.y * TILE::BN;
    matrix_reader<T, typename TILE::a_panel, TILE::A_ALONG, TILE::threads, GUARD> read_a(a, lda, i,
                                                                                         m, k);
    matrix_reader<T, typename TILE::b_panel, TILE::B_ALONG, TILE::threads, GUARD> read_b(b, ldb, j,
                                                                                         n, k);
    result<OUT> to = {c, ldc, (m + 7) / 8 * 8, n, alpha, beta};
    TILE::run(read_a, read_b, k, to);
}

/* Then: accumulator, tile, fragment, A_ALONG, B_ALONG. */
#define GEMM_GUARD(NAME, GUARD, ...)                                                               \
    extern "C" __global__ void __launch_bounds__(tile<half, __VA_ARGS__>::threads, 2)              \
        NAME(const half *a, const half *b, half *c, int m, int n, int k, int lda, int ldb,         \
             int ldc, float alpha, float beta)                                                     \
    {                                                                                              \
        gemm<tile<half, __VA_ARGS__>, GUARD>(a, b, c, m, n, k, lda, ldb, ldc, alpha, beta);        \
    }
#define GEMM(NAME, ...) GEMM_GUARD(NAME, false, __VA_ARGS__)

#endif
