/* SPDX-License-Identifier: Apache-2.0 */
/* Words that are written while registers hold what was loaded of them: the first value of a word is used
 * once more after the second load. All warps of a block load the same row of 32 words in a round. `same` is
 * `words` once more, which the compiler cannot know. */

#define ROW (((int)blockIdx.x * rounds + r) * 32)
#define AT (((int)(blockIdx.x * blockDim.x + threadIdx.x) * rounds + r) * 2)

/* By the warp itself: the block is one warp. */
extern "C" __global__ void meets_own(const int *words, int *same, int *out, int rounds)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int before = words[ROW + lane];
        same[ROW + lane] = 3 * before + r;
        const int after = words[ROW + lane];
        out[AT] = before;
        out[AT + 1] = after;
    }
}

/* By another warp, between two barriers. */
extern "C" __global__ void meets_synced(const int *words, int *same, int *out, int rounds)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int before = words[ROW + lane];
        __syncthreads();
        if (warp == r % ((int)blockDim.x / 32)) {
            same[ROW + lane] = 5 * r + lane;
        }
        __syncthreads();
        const int after = words[ROW + lane];
        out[AT] = before;
        out[AT + 1] = after;
    }
}

/* By atomics of all warps, between two barriers. */
extern "C" __global__ void meets_atomic(const int *words, int *same, int *out, int rounds)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int before = words[ROW + lane];
        __syncthreads();
        atomicAdd(&same[ROW + lane], warp + r + 1);
        __syncthreads();
        const int after = words[ROW + lane];
        out[AT] = before;
        out[AT + 1] = after;
    }
}
