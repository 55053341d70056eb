// SPDX-License-Identifier: Apache-2.0
// Support vector regression with a polynomial kernel, a function a feature (Rapids's SVR).
#include "svr.cuh"

#ifdef INLINED
#include "svr_lib.cu"
#endif

extern "C" __global__ void predict(const float *rows, const float *supports, const float *weights,
                                   int count, float shift, float bias, float *out, int num_rows)
{
    int i = thread_index();
    if (i < num_rows)
        estimate(rows + i * FEATURES, supports, weights, count, shift, bias, out + i);
}
