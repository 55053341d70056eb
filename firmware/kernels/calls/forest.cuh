// SPDX-License-Identifier: Apache-2.0
#ifndef FOREST_CUH
#define FOREST_CUH

#include "calls.cuh"

#define LEVELS 13 // of a tree: leaves lie at most this deep

struct Node {
    int feature; // -1: a leaf
    int child;   // index of the left one; the right one follows
    float threshold, value;
};

#ifndef INLINED
extern __device__ float predict(const Node *nodes, const int *roots, int trees,
                                const float *features);
#endif

#endif
