/* SPDX-License-Identifier: Apache-2.0 */
/* Square matrix product, row-major, single precision: plain, and with tiles in shared memory. */

extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int row = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (row >= n || column >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

#define TILE 16

/* n: a multiple of TILE; blocks of TILE x TILE threads. */
extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const int row = (int)blockIdx.y * TILE + y, column = (int)blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int k = 0; k < n; k += TILE) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            sum += ta[y][i] * tb[i][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
