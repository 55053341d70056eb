// SPDX-License-Identifier: Apache-2.0
#include "sssp.cuh"

FUNCTION void mark(int *changed, int node)
{
    changed[0] = 1;
    changed[1 + (node & 31)] = node; // some node of each lane, for the curious
}

FUNCTION void improve(int *distance, int *changed, int node, int shorter)
{
    if (atomicMin(distance + node, shorter) > shorter)
        mark(changed, node);
}

FUNCTION void visit(const Graph &graph, int *distance, int *changed, int node)
{
    int old = distance[node], best = old;
    int end = graph.first[node + 1];
    for (int e = graph.first[node]; e < end; e++) {
        int through = distance[graph.from[e]] + graph.weight[e];
        best = through < best ? through : best;
    }
    if (best < old)
        improve(distance, changed, node, best);
}
