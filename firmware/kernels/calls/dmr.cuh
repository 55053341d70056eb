// SPDX-License-Identifier: Apache-2.0
#ifndef DMR_CUH
#define DMR_CUH

#include "calls.cuh"

#ifndef INLINED
extern __device__ int thin(float ax, float ay, float bx, float by, float cx, float cy);
extern __device__ float inside(float ax, float ay, float bx, float by, float cx, float cy);
#endif

#endif
