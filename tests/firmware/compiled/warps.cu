// SPDX-License-Identifier: Apache-2.0
// Threads that work together. warps.sass.xz is the text of
//   nvcc -arch=sm_75 -cubin warps.cu; nvdisasm warps.cubin      (CUDA 11.8)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <stdint.h>

namespace cg = cooperative_groups;

// Sum, largest and exclusive scan of tiles of 16 threads.
extern "C" __global__ void tiles(uint32_t *out, const uint32_t *in)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    uint32_t sum = cg::reduce(tile, value, cg::plus<uint32_t>());
    uint32_t most = cg::reduce(tile, value, cg::greater<uint32_t>());
    out[i] = sum + most * 3 + cg::exclusive_scan(tile, value) * 5;
}

// Collects the multiples of three behind a counter: one atomic for the lanes that are there.
extern "C" __global__ void collect(uint32_t *out, const uint32_t *in)
{
    uint32_t value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value % 3 == 0) {
        auto group = cg::coalesced_threads();
        uint32_t base = 0;
        if (group.thread_rank() == 0)
            base = atomicAdd(out, group.size());
        base = group.shfl(base, 0);
        out[1 + base + group.thread_rank()] = value;
    }
}

extern "C" __global__ void matches(uint32_t *out, const uint32_t *in)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i] & 7;
    out[i] = __match_any_sync(~0u, value) ^ __ballot_sync(~0u, value & 1);
}

// The two halves of a warp exchange values among themselves, each in a branch of its own.
extern "C" __global__ void halves(uint32_t *out, const uint32_t *in)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i], result;
    if (threadIdx.x & 1) {
        result = __shfl_xor_sync(0xaaaaaaaau, value, 2) + 16;
    } else {
        result = __shfl_down_sync(0x55555555u, value, 4);
        __syncwarp(0x55555555u);
        result ^= __ballot_sync(0x55555555u, value & 2);
    }
    out[i] = result;
}

extern "C" __global__ void bitonic_sort(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t s[256];
    uint32_t t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    for (uint32_t k = 2; k <= 256; k *= 2) {
        for (uint32_t j = k / 2; j > 0; j /= 2) {
            __syncthreads();
            uint32_t other = t ^ j, a = s[t], b = s[other];
            if (other > t && (a > b) == ((t & k) == 0)) {
                s[t] = b;
                s[other] = a;
            }
        }
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t];
}

// Every block adds to what the block before it has published.
extern "C" __global__ void running_sum(uint32_t *out, const uint32_t *in, volatile uint32_t *flag)
{
    __shared__ uint32_t sums[256];
    uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sums[t] = in[i] & 0xff;
    for (uint32_t d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        uint32_t below = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += below;
    }
    uint32_t before = 0;
    if (blockIdx.x > 0) {
        while (flag[2 * blockIdx.x - 2] == 0) {
        }
        before = flag[2 * blockIdx.x - 1];
    }
    if (t == blockDim.x - 1) {
        flag[2 * blockIdx.x + 1] = before + sums[t];
        __threadfence();
        flag[2 * blockIdx.x] = 1;
    }
    out[i] = before + sums[t];
}

// One thread of a warp hands values to one of another, through a single cell.
extern "C" __global__ void hand_over(uint32_t *out, const uint32_t *in)
{
    __shared__ volatile uint32_t value, full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < 50; i++) {
            while (full) {
            }
            value = in[i];
            __threadfence_block();
            full = 1;
        }
    } else if (threadIdx.x == 32) {
        uint32_t s = 0;
        for (uint32_t i = 0; i < 50; i++) {
            while (!full) {
            }
            s = s * 31 + value;
            __threadfence_block();
            full = 0;
        }
        out[0] = s;
    }
}

// Locks that lanes of one warp fight for.
extern "C" __global__ void locks(uint32_t *out, const uint32_t *in)
{
    uint32_t which = in[threadIdx.x] & 3;
    for (bool done = false; !done;) {
        if (atomicCAS(&out[which], 0u, 1u) == 0) {
            out[4 + which] += threadIdx.x;
            __threadfence();
            atomicExch(&out[which], 0u);
            done = true;
        }
    }
}

extern "C" __global__ void double_sum(double *out, const uint32_t *in)
{
    __shared__ double sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, (double)(in[threadIdx.x] & 0xffff));
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(out, sum);
}

struct item {
    uint32_t value;
    item *next;
};

// Lists on the device heap.
extern "C" __global__ void lists(uint32_t *out, const uint32_t *in)
{
    item *head = nullptr;
    uint32_t value = in[threadIdx.x], s = 0;
    for (uint32_t i = 0; i < (value & 7); i++)
        head = new item{value >> i, head};
    while (head) {
        item *gone = head;
        s = s * 3 + head->value;
        head = head->next;
        delete gone;
    }
    out[threadIdx.x] = s;
}
