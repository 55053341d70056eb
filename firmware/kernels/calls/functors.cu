// SPDX-License-Identifier: Apache-2.0
// Matrix product on the tensor cores whose loads and epilogue are functors in functors, none of
// them inlined (CARS's Cutlass layers).
#include "functors.cuh"

#include <mma.h>

#ifdef INLINED
#include "functors_lib.cu"
#endif

using namespace nvcuda;

// a: rows x inner, b: columns x inner (both rows of `inner` halves), c and d: rows x columns.
extern "C" __global__ void __launch_bounds__(THREADS)
    gemm(const half *a, const half *b, const half *c, const float *bias, half *d, int columns,
         int inner, float alpha, float beta)
{
    __shared__ __align__(16) half tile_a[TILE * PITCH];
    __shared__ __align__(16) half tile_b[TILE * PITCH];
    __shared__ float sums[TILE * TILE];
    int thread = threadIdx.x, warp = thread / 32;
    int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    int warp_row = warp / 2 * 16, warp_column = warp % 2 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
#pragma unroll 1
    for (int k = 0; k < inner; k += DEEP) {
        load_tiles(tile_a, a + row * inner + k, tile_b, b + column * inner + k, inner, thread);
        __syncthreads();
#pragma unroll
        for (int at = 0; at < DEEP; at += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part_a;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> part_b;
            wmma::load_matrix_sync(part_a, tile_a + warp_row * PITCH + at, PITCH);
            wmma::load_matrix_sync(part_b, tile_b + warp_column * PITCH + at, PITCH);
            wmma::mma_sync(sum, part_a, part_b, sum);
        }
        __syncthreads();
    }
    wmma::store_matrix_sync(sums + warp_row * TILE + warp_column, sum, TILE, wmma::mem_row_major);
    __syncthreads();
    Epilogue epilogue = {alpha, beta, c, bias, d, columns};
    finish_tile(epilogue, sums, row, column, thread);
}
