// SPDX-License-Identifier: Apache-2.0
// Shock hydrodynamics on a mesh of hexahedra, in double precision (LULESH): forces of elements on
// their corners, then the motion of nodes.
#include "hydro.cuh"

#ifdef INLINED
#include "hydro_lib.cu"
#endif

// corner[k * elements + e]: node; force[(axis * CORNERS + k) * elements + e].
extern "C" __global__ void forces(const double *place, const double *velocity,
                                  const double *pressure, const int *corner, double *force,
                                  int elements, int nodes)
{
    int e = thread_index();
    if (e >= elements)
        return;
    Corners at, moving, f;
#pragma unroll
    for (int k = 0; k < CORNERS; k++) {
        int n = corner[k * elements + e];
        at.x[k] = place[n];
        at.y[k] = place[nodes + n];
        at.z[k] = place[2 * nodes + n];
        moving.x[k] = velocity[n];
        moving.y[k] = velocity[nodes + n];
        moving.z[k] = velocity[2 * nodes + n];
    }
    element_forces(at, moving, pressure[e], f);
#pragma unroll
    for (int k = 0; k < CORNERS; k++) {
        force[k * elements + e] = f.x[k];
        force[(CORNERS + k) * elements + e] = f.y[k];
        force[(2 * CORNERS + k) * elements + e] = f.z[k];
    }
}

// first[node] .. first[node + 1]: the places of its forces in an axis's part of `force`.
extern "C" __global__ void move(double *place, double *velocity, const double *force,
                                const int *first, const int *where, int elements, int nodes,
                                double step)
{
    int i = thread_index();
    if (i >= 3 * nodes)
        return;
    int axis = i / nodes, node = i % nodes;
    double sum = 0.0;
    for (int k = first[node]; k < first[node + 1]; k++)
        sum += force[axis * CORNERS * elements + where[k]];
    velocity[i] = fma(step, sum, velocity[i]);
    place[i] = fma(step, velocity[i], place[i]);
}
