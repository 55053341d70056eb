// SPDX-License-Identifier: Apache-2.0
#ifndef VCYCLE_CUH
#define VCYCLE_CUH

#include "calls.cuh"

#define POINTS 2048 // of the finest grid; a block is a problem
#define LEVELS 5

// A grid of a level: values, right-hand side, rest.
struct Grid {
    float *value, *right, *rest;
    int points;
};

#ifndef INLINED
extern __device__ float relaxed(float left, float right, float source);
extern __device__ void smooth(const Grid &grid, int sweeps);
extern __device__ void differ(const Grid &grid);
extern __device__ void coarsen(const Grid &fine, const Grid &coarse);
extern __device__ void correct(const Grid &fine, const Grid &coarse);
extern __device__ void cycle_0(float *memory);
extern __device__ void cycle_1(float *memory);
extern __device__ void cycle_2(float *memory);
extern __device__ void cycle_3(float *memory);
extern __device__ void cycle_4(float *memory);
#endif

#endif
