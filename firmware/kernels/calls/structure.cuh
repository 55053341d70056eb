// SPDX-License-Identifier: Apache-2.0
#ifndef STRUCTURE_CUH
#define STRUCTURE_CUH

#include "calls.cuh"

enum { STEEL, ROPE };

// What a link is of.
struct Material {
    int kind;
    float stiff, limit;

    __device__ Material(int k, float s, float l) : kind(k), stiff(s), limit(l) {}
    VIRTUAL METHOD float stress(float strain) const;
};

struct Steel : Material {
    __device__ Steel(float s, float l) : Material(STEEL, s, l) {}
    METHOD float stress(float strain) const;
};

struct Rope : Material {
    __device__ Rope(float s, float l) : Material(ROPE, s, l) {}
    METHOD float stress(float strain) const;
};

struct Link {
    int from, to;
    float length;
    const Material *material;
};

#ifndef INLINED
extern __device__ float within(float x, float limit);
extern __device__ float tension(const Link &link, float length);
#endif

#endif
