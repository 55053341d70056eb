// SPDX-License-Identifier: Apache-2.0
#include "clusters.cuh"

FUNCTION float whole(float so_far)
{
    return so_far;
}

// The squared distance from a feature on; given up where it is beyond the least known.
FUNCTION float apart_9(const float *point, const float *centre, float so_far, float least)
{
    float d = point[9] - centre[9], sum = so_far + d * d;
    return sum < least ? whole(sum) : sum;
}

#define LEVEL(feature, next)                                                                       \
    extern __device__ float apart_##next(const float *point, const float *centre, float so_far,    \
                                         float least);                                             \
    FUNCTION float apart_##feature(const float *point, const float *centre, float so_far,          \
                                   float least)                                                    \
    {                                                                                              \
        float d = point[feature] - centre[feature], sum = so_far + d * d;                          \
        return sum < least ? apart_##next(point, centre, sum, least) : sum;                        \
    }
LEVEL(8, 9)
LEVEL(7, 8)
LEVEL(6, 7)
LEVEL(5, 6)
LEVEL(4, 5)
LEVEL(3, 4)
LEVEL(2, 3)
LEVEL(1, 2)
LEVEL(0, 1)

FUNCTION float compare(const float *point, const float *centre, float least)
{
    return apart_0(point, centre, 0.0f, least);
}

FUNCTION int nearest(const float *point, const float *centres, int clusters)
{
    float least = 3.0e38f;
    int best = 0;
#pragma unroll 1
    for (int k = 0; k < clusters; k++) {
        float d = compare(point, centres + k * FEATURES, least);
        best = d < least ? k : best;
        least = d < least ? d : least;
    }
    return best;
}

FUNCTION void assign(const float *points, const float *centres, int clusters, int *label, int i)
{
    label[i] = nearest(points + i * FEATURES, centres, clusters);
}
