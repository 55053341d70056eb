// SPDX-License-Identifier: Apache-2.0
// Shared memory with chosen bank conflicts: neighbouring lanes are `stride` words apart.
#define WORDS 4096
#define THREADS 128

extern "C" __global__ void __launch_bounds__(THREADS) shared_banks(int *out, int stride, int steps)
{
    __shared__ int words[WORDS];
    int t = threadIdx.x;
    for (int i = t; i < WORDS; i += THREADS)
        words[i] = i * 3 + (int)blockIdx.x;
    __syncthreads();
    int at = t * stride, sum = 0;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        sum += words[at & (WORDS - 1)] ^ k;
        at += stride * THREADS + 1;
    }
    out[blockIdx.x * THREADS + t] = sum;
}
