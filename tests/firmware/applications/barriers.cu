// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory: arrivals apart from waits, threads that leave, copies that arrive.
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

using barrier = cuda::barrier<cuda::thread_scope_block>;

// Half of the block produces, half consumes, with a full and an empty barrier for each of two
// buffers.
extern "C" __global__ void produce(const int *in, int *out, int rounds)
{
    __shared__ int data[2][32];
    __shared__ barrier full[2], empty[2];
    const int i = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
            empty[r % 2].arrive_and_wait();
            data[r % 2][i] = in[32 * r + i];
            (void)full[r % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int r = 0; r < rounds; r++) {
            full[r % 2].arrive_and_wait();
            out[32 * r + i] = 3 * data[r % 2][31 - i];
            (void)empty[r % 2].arrive();
        }
    }
}

// A thread leaves after each phase; the others go on.
extern "C" __global__ void leave(int *out)
{
    __shared__ int count;
    __shared__ barrier all;
    if (threadIdx.x == 0) {
        init(&all, blockDim.x);
        count = 0;
    }
    __syncthreads();
    for (unsigned r = 0; r < blockDim.x; r++) {
        atomicAdd(&count, 1);
        if (threadIdx.x == r) {
            all.arrive_and_drop();
            return;
        }
        all.arrive_and_wait();
        if (threadIdx.x == blockDim.x - 1) {
            out[r] = count;
        }
        all.arrive_and_wait();
    }
}

extern "C" __global__ void fetch(const int *in, int *out, int rounds)
{
    __shared__ int data[2][64];
    __shared__ barrier ready[2];
    if (threadIdx.x < 2) {
        init(&ready[threadIdx.x], blockDim.x);
    }
    __syncthreads();
    const int i = threadIdx.x;
    cuda::memcpy_async(&data[0][i], in + i, sizeof(int), ready[0]);
    for (int r = 0; r < rounds; r++) {
        if (r + 1 < rounds) {
            cuda::memcpy_async(&data[(r + 1) % 2][i], in + 64 * (r + 1) + i, sizeof(int),
                               ready[(r + 1) % 2]);
        }
        ready[r % 2].arrive_and_wait();
        out[64 * r + i] = data[r % 2][63 - i] + r;
        __syncthreads();
    }
}
