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

/* By the warp itself, with a store of 16 bytes, whose operands come later than those of the load behind it. */
extern "C" __global__ void meets_ahead(const int *words, int4 *same, int *out, int rounds)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int before = words[4 * (ROW + lane)];
        same[ROW + lane] = make_int4(3 * before + r, before, r, lane);
        const int after = words[4 * (ROW + lane)];
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

/* By a load of half of the lanes; and a shared word is changed in half of them. The other lanes keep what their own
 * warp had. */
extern "C" __global__ void meets_lanes(const int *words, int *same, int *out, int rounds)
{
    const int lane = (int)threadIdx.x % 32, thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int kept = 100 * thread;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        int word = same[ROW + lane];
        if (lane < 16)
            kept = words[ROW + lane];
        if (lane % 2)
            word = 3 * word + thread;
        out[AT] = kept;
        out[AT + 1] = word;
    }
}

/* By another block, which waits until they are loaded: of two blocks the first reads, the second writes, warp by
 * warp. Both must be there at once. flags: one a warp, not 0: it has loaded, or written and fenced. */
extern "C" __global__ void meets_remote(const int *words, int *same, int *out, volatile int *flags)
{
    const int lane = (int)threadIdx.x % 32, warps = (int)blockDim.x / 32;
    const int warp = (int)threadIdx.x / 32, pair = (int)blockIdx.x / 2 * warps + warp;
    volatile int *loaded = flags + 2 * pair, *written = loaded + 1;
    const int at = 32 * pair + lane;
    if (blockIdx.x % 2) {
        while (!*loaded)
            __nanosleep(100);
        same[at] = 7 * pair + lane;
        __threadfence();
        *written = 1;
        return;
    }
    const int before = words[at];
    *loaded = before | 1; /* not before it is there */
    while (!*written)
        __nanosleep(100);
    __threadfence();
    const int after = words[at];
    out[2 * at] = before;
    out[2 * at + 1] = after;
}
