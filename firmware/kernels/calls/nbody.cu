// SPDX-License-Identifier: Apache-2.0
// Gravity between bodies of two kinds with virtual functions (ParaPoly's NBD).
#include "nbody.cuh"

#ifdef INLINED
#include "nbody_lib.cu"
#endif

// A body's numbers: kind, mass, place, velocity, radius.
#define FIELDS 9

extern "C" __global__ void create(Body **bodies, unsigned char *slots, int slot_bytes,
                                  const float *fields, int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    const float *f = fields + i * FIELDS;
    Vec at = vec(f[2], f[3], f[4]), velocity = vec(f[5], f[6], f[7]);
    void *slot = slots + i * slot_bytes;
    if (f[0] == 0.0f)
        bodies[i] = new (slot) Star(f[1], at, velocity);
    else
        bodies[i] = new (slot) Cloud(f[1], at, velocity, f[8]);
}

// Bodies attract those of their own cluster: `near` bodies that follow each other.
extern "C" __global__ void attract(Body *const *bodies, Vec *accelerations, int count, int near)
{
    int i = thread_index();
    if (i >= count)
        return;
    Vec sum = vec(0.0f, 0.0f, 0.0f), point = bodies[i]->at;
#pragma unroll 1
    for (int j = i / near * near, end = j + near; j < end; j++)
        bodies[j]->pull(point, sum);
    accelerations[i] = sum;
}

extern "C" __global__ void advance(Body *const *bodies, const Vec *accelerations, Vec *places,
                                   int count, float step)
{
    int i = thread_index();
    if (i >= count)
        return;
    bodies[i]->move(accelerations[i], step);
    places[i] = bodies[i]->at;
}
