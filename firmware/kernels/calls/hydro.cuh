// SPDX-License-Identifier: Apache-2.0
#ifndef HYDRO_CUH
#define HYDRO_CUH

#include "calls.cuh"

#define CORNERS 8
#define FACES 6

// The corners of a hexahedron, or something at each of them.
struct Corners {
    double x[CORNERS], y[CORNERS], z[CORNERS];
};

#ifndef INLINED
// The forces of an element on its corners.
extern __device__ void element_forces(const Corners &at, const Corners &velocity, double pressure,
                                      Corners &force);
#endif

#endif
