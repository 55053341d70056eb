// SPDX-License-Identifier: Apache-2.0
// K-means: points to their nearest centres, a function a feature, and the sums of the new ones (Rapids's
// KMEAN).
#include "clusters.cuh"

#ifdef INLINED
#include "clusters_lib.cu"
#endif

extern "C" __global__ void label(const float *points, const float *centres, int clusters,
                                 int *label, int count)
{
    int i = thread_index();
    if (i < count)
        assign(points, centres, clusters, label, i);
}

// In fixed point, so that sums do not depend on their order.
extern "C" __global__ void sums(const float *points, const int *label, int *sum, int *members,
                                int count)
{
    int i = thread_index();
    if (i >= count)
        return;
    int k = label[i];
    atomicAdd(members + k, 1);
#pragma unroll 1
    for (int f = 0; f < FEATURES; f++)
        atomicAdd(sum + k * FEATURES + f, (int)(points[i * FEATURES + f] * 1024.0f));
}
