// SPDX-License-Identifier: Apache-2.0
// Multigrid V-cycles, a function a level, a block a problem: calls with barriers inside, by warps that fill
// the register file (the kernels of CARS's PTA that need context switches).
#include "vcycle.cuh"

#ifdef INLINED
#include "vcycle_lib.cu"
#endif

extern "C" __global__ void __launch_bounds__(1024) solve(const float *right, float *value, int cycles)
{
    extern __shared__ float memory[];
    for (int i = threadIdx.x; i < 2 * POINTS; i += blockDim.x) {
        memory[i] = 0.0f;
        memory[2 * POINTS + i] = i < POINTS ? right[blockIdx.x * POINTS + i] : 0.0f;
    }
    __syncthreads();
#pragma unroll 1
    for (int c = 0; c < cycles; c++)
        cycle_0(memory);
    for (int i = threadIdx.x; i < POINTS; i += blockDim.x)
        value[blockIdx.x * POINTS + i] = memory[i];
}
