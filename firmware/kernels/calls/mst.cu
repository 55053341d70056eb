// SPDX-License-Identifier: Apache-2.0
// Minimum spanning tree, Boruvka's (LoneStar's MST).
#include "mst.cuh"

#ifdef INLINED
#include "mst_lib.cu"
#endif

extern "C" __global__ void find(const int *first, const int *to, const int *weight,
                                const int *edge, int *parent, Key *lightest, int nodes)
{
    Forest forest = {first, to, weight, edge, parent, lightest};
    int node = thread_index();
    if (node < nodes)
        visit(forest, node);
}

// roots: every node's root before this round; taken: [edge].
extern "C" __global__ void hook(const int *ends, int *parent, Key *lightest, int *roots,
                                int *taken, int *joined, int nodes)
{
    Forest forest = {0, 0, 0, 0, parent, lightest};
    int node = thread_index();
    if (node < nodes && join(forest, ends, roots, node)) {
        taken[(int)(unsigned)lightest[node]] = 1;
        atomicAdd(joined, 1);
    }
}

extern "C" __global__ void settle(int *parent, int *roots, Key *lightest, int nodes)
{
    Forest forest = {0, 0, 0, 0, parent, 0};
    int node = thread_index();
    if (node < nodes) {
        flatten(forest, node);
        roots[node] = parent[node];
        lightest[node] = ~(Key)0;
    }
}
