// SPDX-License-Identifier: Apache-2.0
// Products of a matrix and a vector of integers, whose times on desktop cards are published. A
// thread makes a result, so the lanes of a warp read different rows.

extern "C" __global__ void by_rows(unsigned *y, const unsigned *a, const unsigned *x, int rows,
                                   int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        unsigned sum = 0;
        for (int k = 0; k < cols; k++) {
            sum += a[row * cols + k] * x[k];
        }
        y[row] = sum;
    }
}

extern __shared__ unsigned part[];

// A block's threads bring as many values of the vector to shared memory at a time as they are.
// Blocks are full.
extern "C" __global__ void by_rows_shared(unsigned *y, const unsigned *a, const unsigned *x,
                                          int rows, int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int parts = (cols + blockDim.x - 1) / blockDim.x;
    unsigned sum = 0;
    for (int p = 0; p < parts; p++) {
        const int mine = p * blockDim.x + threadIdx.x;
        part[threadIdx.x] = mine < cols ? x[mine] : 0;
        __syncthreads();
        if (row < rows) {
            for (int k = 0; k < blockDim.x && p * blockDim.x + k < cols; k++) {
                sum += a[row * cols + p * blockDim.x + k] * part[k];
            }
        }
        __syncthreads();
    }
    y[row] = sum;
}
