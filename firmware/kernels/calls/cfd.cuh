// SPDX-License-Identifier: Apache-2.0
#ifndef CFD_CUH
#define CFD_CUH

#include "calls.cuh"

struct State {
    float density;
    Vec momentum;
    float energy;
};

// What flows through a unit of surface.
struct Flow {
    Vec velocity, x, y, z, energy; // x, y, z: of momentum
    float speed, sound;
};

#ifndef INLINED
extern __device__ void contribution(const State &state, Flow &flow);
extern __device__ void face_flux(const State &mine, const Flow &own, const State &other,
                                 const Vec &normal, State &flux);
#endif

#endif
