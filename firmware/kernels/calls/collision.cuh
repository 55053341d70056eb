// SPDX-License-Identifier: Apache-2.0
#ifndef COLLISION_CUH
#define COLLISION_CUH

#include "calls.cuh"

enum { BALL, BRICK };

struct Ball;
struct Brick;

struct Thing {
    int kind;
    Vec at;
    float reach; // no part of it is farther from its middle

    __device__ Thing(int k, Vec a, float r) : kind(k), at(a), reach(r) {}
    // How deep the two are in each other, 0 if they are apart: double dispatch.
    VIRTUAL METHOD float meets(const Thing &other) const;
    VIRTUAL METHOD float meets_ball(const Ball &ball) const;
    VIRTUAL METHOD float meets_brick(const Brick &brick) const;
};

struct Ball : Thing {
    float radius;

    __device__ Ball(Vec a, float r) : Thing(BALL, a, r), radius(r) {}
    METHOD float meets(const Thing &other) const;
    METHOD float meets_ball(const Ball &ball) const;
    METHOD float meets_brick(const Brick &brick) const;
};

struct Brick : Thing {
    Vec half; // edges / 2

    __device__ Brick(Vec a, Vec h, float reach) : Thing(BRICK, a, reach), half(h) {}
    METHOD float meets(const Thing &other) const;
    METHOD float meets_ball(const Ball &ball) const;
    METHOD float meets_brick(const Brick &brick) const;
};

#endif
