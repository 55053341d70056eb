// SPDX-License-Identifier: Apache-2.0
// Blocks that wait for one another, by the whole grid's barrier.
#include <cooperative_groups.h>

// Each thread takes its left neighbour's value, across blocks, as often as asked.
extern "C" __global__ void rounds(int *value, int steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        const int *from = value + (s & 1) * n;
        int *to = value + (1 - (s & 1)) * n;
        to[i] = from[(i + n - 1) % n] + 1;
        grid.sync();
    }
}
