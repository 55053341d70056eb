// SPDX-License-Identifier: Apache-2.0
#ifndef GOL_CUH
#define GOL_CUH

#include "calls.cuh"

enum { CONWAY, HIGH_LIFE, SEEDS };

// A field of the grid that lives by one of three rules.
struct Agent {
    int kind;
    int age; // generations since its state changed

    __device__ Agent(int k) : kind(k), age(0) {}
    VIRTUAL METHOD int next(int alive, int neighbours);
};

struct Conway : Agent {
    __device__ Conway() : Agent(CONWAY) {}
    METHOD int next(int alive, int neighbours);
};

struct HighLife : Agent {
    __device__ HighLife() : Agent(HIGH_LIFE) {}
    METHOD int next(int alive, int neighbours);
};

struct Seeds : Agent {
    __device__ Seeds() : Agent(SEEDS) {}
    METHOD int next(int alive, int neighbours);
};

#endif
