// SPDX-License-Identifier: Apache-2.0
#include "svr.cuh"

// A feature's share of a product: large ones count less.
FUNCTION float weighted(float x, float support)
{
    float both = x * support;
    return both > 0.5f ? 0.25f + 0.5f * both : both;
}

FUNCTION float along_11(const float *x, const float *support)
{
    return weighted(x[11], support[11]);
}

// The product of two rows from a feature on; the last one is above.
#define LEVEL(feature, next)                                                                       \
    extern __device__ float along_##next(const float *x, const float *support);                    \
    FUNCTION float along_##feature(const float *x, const float *support)                           \
    {                                                                                              \
        float mine = x[feature], its = support[feature];                                           \
        return along_##next(x, support) + mine * its;                                              \
    }
LEVEL(10, 11)
LEVEL(9, 10)
LEVEL(8, 9)
LEVEL(7, 8)
LEVEL(6, 7)
LEVEL(5, 6)
LEVEL(4, 5)
LEVEL(3, 4)
LEVEL(2, 3)
LEVEL(1, 2)
LEVEL(0, 1)

FUNCTION float polynomial(const float *x, const float *support, float shift)
{
    float sum = along_0(x, support) + shift;
    return sum * sum * sum;
}

FUNCTION float term(const float *x, const float *support, float weight, float shift)
{
    return weight * polynomial(x, support, shift);
}

FUNCTION float regress(const float *x, const float *supports, const float *weights, int count,
                       float shift, float bias)
{
    float sum = bias;
#pragma unroll 1
    for (int k = 0; k < count; k++)
        sum += term(x, supports + k * FEATURES, weights[k], shift);
    return sum;
}

FUNCTION void estimate(const float *row, const float *supports, const float *weights, int count,
                       float shift, float bias, float *out)
{
    *out = regress(row, supports, weights, count, shift, bias);
}
