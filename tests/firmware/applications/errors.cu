// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cstdio>

extern "C" __global__ void say(int n)
{
    if (threadIdx.x < n) {
        printf("thread %d: %5.2f %s %llx %c%%\n", threadIdx.x, threadIdx.x * 0.5, "text",
               0x123456789abcull + threadIdx.x, 'a' + threadIdx.x);
    }
}

extern "C" __global__ void demand(int least)
{
    assert(threadIdx.x >= least);
}

extern "C" __global__ void write_to(int *at, int index)
{
    at[index] = 1;
}

extern "C" __global__ void read_from(int4 *to, const int4 *at, int index)
{
    *to = at[index];
}

extern "C" __global__ void sum_dynamic(int *to)
{
    extern __shared__ int shared[];
    const int i = threadIdx.x;
    shared[i] = i;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (i < half) {
            shared[i] += shared[i + half];
        }
        __syncthreads();
    }
    if (i == 0) {
        to[blockIdx.x] = shared[0];
    }
}
