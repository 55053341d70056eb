// SPDX-License-Identifier: Apache-2.0
#ifndef TRAFFIC_CUH
#define TRAFFIC_CUH

#include "calls.cuh"

enum { CAR, TRUCK };

// Somebody on a road of one lane that is a ring.
struct Vehicle {
    int kind, at, speed;

    __device__ Vehicle(int k, int a) : kind(k), at(a), speed(0) {}
    // Speed of the next step, behind a gap; draw: 0 to 255.
    VIRTUAL METHOD int next(int gap, int draw) const;
};

struct Car : Vehicle {
    __device__ Car(int a) : Vehicle(CAR, a) {}
    METHOD int next(int gap, int draw) const;
};

struct Truck : Vehicle {
    __device__ Truck(int a) : Vehicle(TRUCK, a) {}
    METHOD int next(int gap, int draw) const;
};

#ifndef INLINED
extern __device__ int least(int a, int b);
extern __device__ int pace(int speed, int top, int gap);
#endif

#endif
