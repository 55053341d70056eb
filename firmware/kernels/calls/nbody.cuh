// SPDX-License-Identifier: Apache-2.0
#ifndef NBODY_CUH
#define NBODY_CUH

#include "calls.cuh"

enum { STAR, CLOUD };

struct Body {
    int kind;
    float mass;
    Vec at, velocity;

    __device__ Body(int k, float m, Vec a, Vec v) : kind(k), mass(m), at(a), velocity(v) {}
    // Adds this body's pull on a point.
    VIRTUAL METHOD void pull(const Vec &point, Vec &sum) const;
    VIRTUAL METHOD void move(const Vec &acceleration, float step);
};

struct Star : Body {
    __device__ Star(float m, Vec a, Vec v) : Body(STAR, m, a, v) {}
    METHOD void pull(const Vec &point, Vec &sum) const;
    METHOD void move(const Vec &acceleration, float step);
};

// A gas cloud: its mass is spread over a radius, and it is slowed down.
struct Cloud : Body {
    float radius;

    __device__ Cloud(float m, Vec a, Vec v, float r) : Body(CLOUD, m, a, v), radius(r) {}
    METHOD void pull(const Vec &point, Vec &sum) const;
    METHOD void move(const Vec &acceleration, float step);
};

#endif
