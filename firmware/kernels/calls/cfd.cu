// SPDX-License-Identifier: Apache-2.0
// Compressible flow over an unstructured mesh, four faces an element (Rodinia's CFD).
#include "cfd.cuh"

#ifdef INLINED
#include "cfd_lib.cu"
#endif

#define FACES 4

// field[variable * count + element]
static __device__ __forceinline__ State load(const float *field, int count, int i)
{
    State s;
    s.density = field[i];
    s.momentum = vec(field[count + i], field[2 * count + i], field[3 * count + i]);
    s.energy = field[4 * count + i];
    return s;
}

// neighbour[face * count + element] < 0: far away, where nothing changes.
extern "C" __global__ void fluxes(const float *field, const int *neighbour, const float *normals,
                                  float *flux, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    State mine = load(field, count, i), sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
    Flow own;
    contribution(mine, own);
#pragma unroll 1
    for (int face = 0; face < FACES; face++) {
        int j = neighbour[face * count + i];
        const float *n = normals + 3 * (face * count + i);
        State other = {1.0f, {0.3f, 0.01f, -0.01f}, 2.0f};
        if (j >= 0)
            other = load(field, count, j);
        face_flux(mine, own, other, vec(n[0], n[1], n[2]), sum);
    }
    flux[i] = sum.density;
    flux[count + i] = sum.momentum.x;
    flux[2 * count + i] = sum.momentum.y;
    flux[3 * count + i] = sum.momentum.z;
    flux[4 * count + i] = sum.energy;
}

extern "C" __global__ void advance(float *field, const float *flux, int numbers, float step)
{
    int i = thread_index();
    if (i < numbers)
        field[i] = fmaf(-step, flux[i], field[i]);
}
