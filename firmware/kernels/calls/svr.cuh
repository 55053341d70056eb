// SPDX-License-Identifier: Apache-2.0
#ifndef SVR_CUH
#define SVR_CUH

#include "calls.cuh"

#define FEATURES 12

#ifndef INLINED
#define DECLARE(feature) extern __device__ float along_##feature(const float *x, const float *support);
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
DECLARE(10)
DECLARE(11)
extern __device__ float weighted(float x, float support);
extern __device__ float polynomial(const float *x, const float *support, float shift);
extern __device__ float term(const float *x, const float *support, float weight, float shift);
extern __device__ float regress(const float *x, const float *supports, const float *weights,
                                int count, float shift, float bias);
extern __device__ void estimate(const float *row, const float *supports, const float *weights,
                                int count, float shift, float bias, float *out);
#endif

#endif
