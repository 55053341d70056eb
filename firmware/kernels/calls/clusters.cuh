// SPDX-License-Identifier: Apache-2.0
#ifndef CLUSTERS_CUH
#define CLUSTERS_CUH

#include "calls.cuh"

#define FEATURES 10

#ifndef INLINED
extern __device__ float apart_0(const float *point, const float *centre, float so_far, float least);
extern __device__ float whole(float so_far);
extern __device__ float compare(const float *point, const float *centre, float least);
extern __device__ int nearest(const float *point, const float *centres, int clusters);
extern __device__ void assign(const float *points, const float *centres, int clusters, int *label,
                              int i);
#endif

#endif
