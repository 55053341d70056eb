/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of the suite. The letters say how A and B are stored: n as they are, t
 * transposed. */
#include "gemm.cuh"

/* Training: products summed in single precision. */
GEMM(gemm_f32_nn, float, SMRF_TILE_128X128, 16, 16, false, true)
GEMM(gemm_f32_tn, float, SMRF_TILE_128X128, 16, 16, true, true)
GEMM(gemm_f32_nt, float, SMRF_TILE_128X128, 16, 16, false, false)
GEMM(gemm_f32_nn_64x32, float, SMRF_TILE_64X32, 16, 16, false, true)
GEMM(gemm_f32_tn_64x32, float, SMRF_TILE_64X32, 16, 16, true, true)
/* Inference: summed in half precision. */
GEMM(gemm_f16_nn, half, SMRF_TILE_128X128, 16, 16, false, true)
GEMM(gemm_f16_nn_64x64, half, SMRF_TILE_64X64, 16, 16, false, true)
GEMM(gemm_f16_nn_skinny, half, SMRF_TILE_128X8, 32, 8, false, true)

/* Eight-bit integers: A stored transposed, sums in 32 bits. */
using bytes = tile<signed char, int, SMRF_TILE_BYTES, 16, 16, true, true>;

extern "C" __global__ void __launch_bounds__(bytes::threads, 2)
    gemm_s8_tn(const signed char *a, const signed char *b, int *c, int m, int n, int k, int lda,
               int ldb, int ldc)
{
    gemm<bytes, false>(a, b, c, m, n, k, lda, ldb, ldc, 1.0f, 0.0f);
}
