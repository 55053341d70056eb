// SPDX-License-Identifier: Apache-2.0
#ifndef MST_CUH
#define MST_CUH

#include "calls.cuh"

typedef unsigned long long Key; // weight << 32 | edge: no two are equal

struct Forest {
    const int *first, *to, *weight, *edge; // edges of a node, each edge once from either end
    int *parent;                           // of a node in its tree; a root is its own
    Key *lightest;                         // [root] edge that leaves the tree
};

#ifndef INLINED
extern __device__ void visit(const Forest &forest, int node);
extern __device__ bool join(const Forest &forest, const int *ends, int *chosen, int node);
extern __device__ void flatten(const Forest &forest, int node);
#endif

#endif
