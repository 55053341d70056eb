/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products of the suite. The letters say how A and B are stored: n as they are, t
 * transposed. */
#include "gemm.cuh"

/* Training: products summed in single precision. */
GEMM(gemm_f32_nn, float, 128, 128, 32, 64, 64, 16, 16, false, true)
GEMM(gemm_f32_tn, float, 128, 128, 32, 64, 64, 16, 16, true, true)
GEMM(gemm_f32_nt, float, 128, 128, 32, 64, 64, 16, 16, false, false)
/* Few columns: 32 a block. */
GEMM(gemm_f32_nn_64x32, float, 64, 32, 32, 32, 16, 16, 16, false, true)
GEMM(gemm_f32_tn_64x32, float, 64, 32, 32, 32, 16, 16, 16, true, true)
/* Inference: summed in half precision. */
GEMM(gemm_f16_nn, half, 128, 128, 32, 64, 64, 16, 16, false, true)
GEMM(gemm_f16_nn_64x64, half, 64, 64, 32, 32, 32, 16, 16, false, true)
/* A handful of columns: 8 a block, a warp has 32 rows. */
GEMM(gemm_f16_nn_skinny, half, 128, 8, 64, 32, 8, 32, 8, false, true)

/* Eight-bit integers: A stored transposed, sums in 32 bits. */
extern "C" __global__ void __launch_bounds__(128)
    gemm_s8_tn(const signed char *a, const signed char *b, int *c, int m, int n, int k, int lda,
               int ldb, int ldc)
{
    using shape = tile<signed char, int, 128, 64, 64, 64, 32, 16, 16, true, true>;
    gemm<shape, signed char, int, true, true>(a, b, c, m, n, k, lda, ldb, ldc, 1.0f, 0.0f);
}
