// SPDX-License-Identifier: Apache-2.0
#ifndef SSSP_CUH
#define SSSP_CUH

#include "calls.cuh"

// Edges into a node: first[node] .. first[node + 1] - 1.
struct Graph {
    const int *first, *from, *weight;
};

#ifndef INLINED
extern __device__ void visit(const Graph &graph, int *distance, int *changed, int node);
#endif

#endif
