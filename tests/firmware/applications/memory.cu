// SPDX-License-Identifier: Apache-2.0
__device__ int counter = 5;
__device__ int table[16];
__constant__ float scale = 2.0f;
__managed__ int shared_sum = 100;

extern "C" __global__ void scale_rows(float *at, size_t pitch, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) {
        float *row = (float *)((char *)at + y * pitch);
        row[x] = row[x] * scale + counter;
    }
}

extern "C" __global__ void add_one(int *at, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        at[i] += 1;
    }
}

extern "C" __global__ void count(int by)
{
    atomicAdd(&counter, by);
    atomicAdd(&shared_sum, by);
    table[threadIdx.x % 16] = by * threadIdx.x;
}
