// SPDX-License-Identifier: Apache-2.0
#ifndef CLUSTERS_CUH
#define CLUSTERS_CUH

#include "calls.cuh"

#define FEATURES 10

#ifndef INLINED
#define DECLARE(feature)                                                                           \
    extern __device__ float apart_##feature(const float *point, const float *centre, float so_far, \
                                            float least);
DECLARE(0)
DECLARE(1)
DECLARE(2)
DECLARE(3)
DECLARE(4)
DECLARE(5)
DECLARE(6)
DECLARE(7)
DECLARE(8)
DECLARE(9)
extern __device__ float whole(float so_far);
extern __device__ float compare(const float *point, const float *centre, float least);
extern __device__ int nearest(const float *point, const float *centres, int clusters);
extern __device__ void assign(const float *points, const float *centres, int clusters, int *label,
                              int i);
#endif

#endif
