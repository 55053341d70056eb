/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point values as bits, and what the floating-point families share: flushing, NaNs,
 * directed rounding. */
#ifndef SMRF_EXEC_FP_H
#define SMRF_EXEC_FP_H

#include "firmware/exec/lanes.h"

#include <fenv.h>

/* What an invalid operation gives, and single-precision ones with a NaN source. */
#define SMRF_EXEC_NAN_F32 UINT32_C(0x7fffffff)
#define SMRF_EXEC_NAN_F64 UINT64_C(0xfff8000000000000)

/* Modifiers of floating-point instructions in op->sub, next to the rounding in bits 0 and 1. */
enum smrf_exec_fp_flags {
    SMRF_EXEC_ROUNDING = 3,
    SMRF_EXEC_FTZ = 4, /* subnormal sources and results are zeros */
    SMRF_EXEC_SAT = 8  /* result clamped to [0, 1] */
};

static inline float smrf_exec_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t smrf_exec_float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double smrf_exec_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t smrf_exec_double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline bool smrf_exec_is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static inline uint32_t smrf_exec_flush(uint32_t bits)
{
    return (bits & 0x7f800000) == 0 ? bits & UINT32_C(0x80000000) : bits;
}

static inline uint32_t smrf_exec_canonical(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000 ? SMRF_EXEC_NAN_F32 : bits;
}

/* Clamp to [0, 1]; a NaN and a negative zero become zero. */
static inline uint32_t smrf_exec_saturate(uint32_t bits)
{
    if (bits > 0x7f800000) { /* negative, or NaN */
        return 0;
    }
    return bits > 0x3f800000 ? 0x3f800000 : bits;
}

/* The host rounds as the instruction does between these two. Neither loads nor stores of the lane
 * loop move past them: `rows` stands for memory that the loop reads or writes. */
static inline void smrf_exec_round_begin(uint32_t rounding, const void *rows)
{
    static const int mode[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    if (rounding != SMRF_EXEC_NEAREST) {
        (void)fesetround(mode[rounding]);
    }
    __asm__ volatile("" : : "r"(rows) : "memory");
}

static inline void smrf_exec_round_end(uint32_t rounding, const void *rows)
{
    __asm__ volatile("" : : "r"(rows) : "memory");
    if (rounding != SMRF_EXEC_NEAREST) {
        (void)fesetround(FE_TONEAREST);
    }
}

/* Tables of the floating-point family. */
int smrf_exec_bind_mufu(struct smrf_exec_op *op, char *error);

/* Consume what every comparison of floats or halves has: FTZ, relation, combination. */
void smrf_exec_bind_float_comparison(struct smrf_exec_binding *b);

#endif
