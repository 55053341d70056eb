// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one node, Bellman and Ford's, pulling (LoneStar's SSSP).
#include "sssp.cuh"

#ifdef INLINED
#include "sssp_lib.cu"
#endif

extern "C" __global__ void relax(const int *first, const int *from, const int *weight,
                                 int *distance, int *changed, int nodes)
{
    Graph graph = {first, from, weight};
    for (int node = thread_index(); node < nodes; node += gridDim.x * blockDim.x)
        visit(graph, distance, changed, node);
}
