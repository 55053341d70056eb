/* SPDX-License-Identifier: Apache-2.0 */
/* C = A x B of n x n integers, n a multiple of 16, in tiles of 16 x 16. product.cubin is its machine
 * code for sm_75:
 *     nvcc -arch=sm_75 -cubin -o product.cubin product.cu */
extern "C" __global__ void product(const int *a, const int *b, int *c, int n)
{
    __shared__ int tile_a[16][16], tile_b[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = 16 * blockIdx.y + y, column = 16 * blockIdx.x + x;
    int sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < 16; i++) {
            sum += tile_a[y][i] * tile_b[i][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
