// SPDX-License-Identifier: Apache-2.0
#ifndef SVR_CUH
#define SVR_CUH

#include "calls.cuh"

#define FEATURES 12

#ifndef INLINED
extern __device__ float along_0(const float *x, const float *support);
extern __device__ float weighted(float x, float support);
extern __device__ float polynomial(const float *x, const float *support, float shift);
extern __device__ float term(const float *x, const float *support, float weight, float shift);
extern __device__ float regress(const float *x, const float *supports, const float *weights,
                                int count, float shift, float bias);
extern __device__ void estimate(const float *row, const float *supports, const float *weights,
                                int count, float shift, float bias, float *out);
#endif

#endif
