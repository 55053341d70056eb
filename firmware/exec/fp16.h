/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision as bits, without branches, so that lane loops vectorise. */
#ifndef SMRF_EXEC_FP16_H
#define SMRF_EXEC_FP16_H

#include "firmware/exec/fp.h"

#define SMRF_EXEC_NAN_F16 UINT32_C(0x7fff)

/* Exact. */
static inline float smrf_exec_half_to_float(uint32_t half)
{
    uint32_t magnitude = half & 0x7fff, sign = (half & 0x8000) << 16;
    uint32_t normal = (magnitude << 13) + (112U << 23), special = magnitude << 13 | 0x7f800000;
    /* A subnormal is the fraction of 2^-14 less the hidden one; no float is subnormal on the way,
     * which hosts are slow at. */
    uint32_t small = smrf_exec_float_bits(smrf_exec_float(normal + (1U << 23)) - 0x1p-14F);
    uint32_t bits = magnitude < 0x0400 ? small : normal;
    return smrf_exec_float((magnitude >= 0x7c00 ? special : bits) | sign);
}

/* Nearest, ties to even; a NaN becomes the canonical one. */
static inline uint32_t smrf_exec_float_to_half(float x)
{
    uint32_t bits = smrf_exec_float_bits(x), sign = bits >> 16 & 0x8000,
             magnitude = bits & 0x7fffffff;
    /* Below 2^-14 the sum with 0.5, whose last bit is worth 2^-24, rounds as a subnormal does. */
    uint32_t small = smrf_exec_float_bits(smrf_exec_float(magnitude) + 0.5F) - 0x3f000000;
    uint32_t normal = (magnitude - (112U << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    uint32_t half = magnitude < 0x38800000 ? small : normal;
    half = magnitude >= 0x477ff000 ? 0x7c00 : half; /* 65520 and up */
    half |= sign;
    return magnitude > 0x7f800000 ? SMRF_EXEC_NAN_F16 : half;
}

/* The sum s with its rounding error e as a float that rounds to a half as the exact sum would:
 * inexact results are made odd (a float has more than two bits to spare). */
static inline float smrf_exec_to_odd(float s, float e)
{
    uint32_t bits = smrf_exec_float_bits(s);
    bool finite = (bits & 0x7f800000) != 0x7f800000;
    bool inexact = smrf_exec_float_bits(e) << 1 != 0;
    bool away = (smrf_exec_float_bits(e) ^ bits) >> 31 == 0;
    uint32_t odd = (bits & 1) != 0 ? bits : away ? bits + 1 : bits - 1;
    return smrf_exec_float(finite && inexact ? odd : bits);
}

/* A double rounded once to nearest: the float next to it, made odd where something was lost. */
static inline uint32_t smrf_exec_nearest_half(double x)
{
    float near = (float)x;
    return smrf_exec_float_to_half(smrf_exec_to_odd(near, (float)(x - (double)near)));
}

/* p + c rounded once. */
static inline uint32_t smrf_exec_half_sum(float p, float c)
{
    float s = p + c, c_part = s - p;
    float e = (p - (s - c_part)) + (c - c_part);
    return smrf_exec_float_to_half(smrf_exec_to_odd(s, e));
}

/* a * b + c of halves, rounded once: the product is exact in a float. */
static inline uint32_t smrf_exec_half_fma(float a, float b, float c)
{
    return smrf_exec_half_sum(a * b, c);
}

/* A double rounded to a half in any direction. */
uint32_t smrf_exec_double_to_half(double x, uint32_t rounding);

#endif
