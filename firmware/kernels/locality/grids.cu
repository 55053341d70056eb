/* SPDX-License-Identifier: Apache-2.0 */
/* Grids whose points read their neighbours, and words that are written between two loads of them. */

/* Five points, out of place, blockIdx.z planes: a lane is `along` elements from its neighbour, a warp
 * `across`. */
extern "C" __global__ void stencil(const float *in, float *out, int lanes, int warps, int along,
                                   int across)
{
    const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x) + 1;
    const int k = (int)(blockIdx.y * blockDim.y + threadIdx.y) + 1;
    if (l > lanes || k > warps) {
        return;
    }
    const int plane = (int)blockIdx.z * (lanes + 2) * (warps + 2);
    const float *at = in + plane + l * along + k * across;
    out[plane + l * along + k * across] =
        0.5f * at[0] + 0.125f * (at[-along] + at[along] + at[-across] + at[across]);
}

/* Row by row in place: a row is made of what the block has just made of the row above. One strip a
 * block, one column a thread. */
extern "C" __global__ void sweep(float *strips, int rows)
{
    const int pitch = (int)blockDim.x + 2;
    float *at = strips + (int)blockIdx.x * (rows + 1) * pitch + (int)threadIdx.x + 1;
#pragma unroll 1
    for (int y = 1; y <= rows; y++) {
        at[y * pitch] += 0.25f * (at[(y - 1) * pitch - 1] + at[(y - 1) * pitch + 1]);
        __syncthreads();
    }
}

/* A word is loaded, written and loaded again; `same` is `words` once more, which the compiler cannot know.
 * Every warp reads the rows of `all`, too. */
extern "C" __global__ void stores_own(const int *words, int *same, const int *all, int *out,
                                      int rounds)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int row = all[r * 32 + (int)threadIdx.x % 32];
        const int before = words[i];
        same[i] = before + row;
        sum = 3 * sum + (unsigned)(before + words[i]);
    }
    out[i] = (int)sum;
}

/* .. by a thread of another warp, behind a barrier. */
extern "C" __global__ void stores_synced(const int *words, int *same, const int *all, int *out,
                                         int rounds)
{
    const int first = (int)(blockIdx.x * blockDim.x), i = first + (int)threadIdx.x;
    const int other = first + ((int)threadIdx.x + 32) % (int)blockDim.x;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int row = all[r * 32 + (int)threadIdx.x % 32];
        const int before = words[i];
        __syncthreads();
        same[other] = 5 * r + row + other;
        __syncthreads();
        sum = 3 * sum + (unsigned)(before + words[i]);
    }
    out[i] = (int)sum;
}

/* .. by whoever comes: all warps of a block load the same rows, and lane 7 of each writes one word of the
 * present one. A word is what it was at first or, from some time on, its own number. */
extern "C" __global__ void stores_racing(const int *words, int *same, int *out, int rounds)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int first = (int)blockIdx.x * rounds * 32;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        const int row = first + r * 32;
        const int before = words[row + lane];
        if (lane == 7) {
            same[row + warp] = row + warp;
        }
        const int after = words[row + lane];
        const int at = ((int)(blockIdx.x * blockDim.x + threadIdx.x) * rounds + r) * 2;
        out[at] = before;
        out[at + 1] = after;
    }
}
