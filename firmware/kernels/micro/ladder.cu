// SPDX-License-Identifier: Apache-2.0
// Divergence: a ladder of branches, each splitting the lanes once more, and loops whose lanes leave
// one after the other.
static __device__ __forceinline__ int rung(const int *table, int lane, int x, int bit)
{
    if (lane >> bit & 1)
        return table[x & 255] + bit;
    return x * 5 - bit;
}

extern "C" __global__ void ladder(int *out, const int *table, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i & 31, x = i;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (lane & 1) {
            x = table[x & 255] + 1;
            if (lane & 2) {
                x ^= table[x & 255] << 1;
                if (lane & 4) {
                    x += table[(x >> 3) & 255];
                    if (lane & 8) {
                        x -= table[(x >> 5) & 255] * 3;
                        x = lane & 16 ? x * 7 + r : rung(table, lane, x, 3);
                    } else {
                        x = rung(table, lane, x + r, 4);
                    }
                } else {
                    x = rung(table, lane, x, 3) ^ r;
                }
            } else {
                x = rung(table, lane, x, 2) + 2 * r;
            }
        } else {
            x = rung(table, lane, x, 1) - r;
        }
    }
    out[i] = x;
}

// Lane i of a warp goes round `shortest + i * step` times; some leave in the middle.
extern "C" __global__ void trips(int *out, const int *table, int shortest, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i;
    int rounds = shortest + (i & 31) * step;
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        x = x * 3 + table[(x ^ r) & 255];
        if ((x & 1023) == 7)
            break;
        if (x & 1)
            continue;
        x ^= table[x >> 1 & 255];
    }
    out[i] = x;
}
