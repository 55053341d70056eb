// SPDX-License-Identifier: Apache-2.0
#include "vcycle.cuh"

// Level l has POINTS >> l points; values, right-hand sides and rests of all levels lie in shared memory.
static __device__ __forceinline__ Grid grid_of(float *memory, int level)
{
    int points = POINTS >> level, before = 2 * POINTS - 2 * points;
    Grid grid = {memory + before, memory + 2 * POINTS + before, memory + 4 * POINTS + before, points};
    return grid;
}

FUNCTION float relaxed(float left, float right, float source)
{
    return 0.5f * (left + right + source);
}

// Every second point from its neighbours, then the others. The ends are 0.
FUNCTION void smooth(const Grid &grid, int sweeps)
{
#pragma unroll 1
    for (int s = 0; s < 2 * sweeps; s++) {
        for (int i = 2 * threadIdx.x + (s & 1); i < grid.points; i += 2 * blockDim.x) {
            float left = i > 0 ? grid.value[i - 1] : 0.0f;
            float right = i + 1 < grid.points ? grid.value[i + 1] : 0.0f;
            grid.value[i] = relaxed(left, right, grid.right[i]);
        }
        __syncthreads();
    }
}

FUNCTION void differ(const Grid &grid)
{
    for (int i = threadIdx.x; i < grid.points; i += blockDim.x) {
        float left = i > 0 ? grid.value[i - 1] : 0.0f;
        float right = i + 1 < grid.points ? grid.value[i + 1] : 0.0f;
        grid.rest[i] = grid.right[i] + (left + right - 2.0f * grid.value[i]);
    }
    __syncthreads();
}

FUNCTION void coarsen(const Grid &fine, const Grid &coarse)
{
    for (int i = threadIdx.x; i < coarse.points; i += blockDim.x) {
        float next = 2 * i + 2 < fine.points ? fine.rest[2 * i + 2] : 0.0f;
        coarse.right[i] = fine.rest[2 * i] + 2.0f * fine.rest[2 * i + 1] + next;
        coarse.value[i] = 0.0f;
    }
    __syncthreads();
}

FUNCTION void correct(const Grid &fine, const Grid &coarse)
{
    for (int i = threadIdx.x; i < coarse.points; i += blockDim.x) {
        float before = i > 0 ? coarse.value[i - 1] : 0.0f;
        fine.value[2 * i] += 0.5f * (before + coarse.value[i]);
        fine.value[2 * i + 1] += coarse.value[i];
    }
    __syncthreads();
}

#define CYCLE(level, below)                                                                        \
    FUNCTION void cycle_##level(float *memory)                                                     \
    {                                                                                              \
        Grid fine = grid_of(memory, level), coarse = grid_of(memory, level + 1);                   \
        smooth(fine, 1);                                                                           \
        differ(fine);                                                                              \
        coarsen(fine, coarse);                                                                     \
        cycle_##below(memory);                                                                     \
        correct(fine, coarse);                                                                     \
        smooth(fine, 1);                                                                           \
    }
#define COARSEST                                                                                   \
    FUNCTION void cycle_4(float *memory)                                                           \
    {                                                                                              \
        smooth(grid_of(memory, 4), 4);                                                             \
    }
#define LEVEL_COARSEST COARSEST

LEVEL_COARSEST
#define LEVEL CYCLE
LEVEL(3, 4)
LEVEL(2, 3)
LEVEL(1, 2)
LEVEL(0, 1)
