/* SPDX-License-Identifier: Apache-2.0 */
/* What the host programs of calls share: the vectors of their kernels, and the two programs that
 * are made of one source. */
#ifndef SMRF_SUITE_CALLS_H
#define SMRF_SUITE_CALLS_H

#include "firmware/kernels/work.h"

struct vec {
    float x, y, z;
};

static inline struct vec vec_(float x, float y, float z)
{
    return (struct vec){x, y, z};
}

static inline float dot_(struct vec a, struct vec b)
{
    return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}

/* a + s b */
static inline struct vec along_(struct vec a, float s, struct vec b)
{
    return vec_(fmaf(s, b.x, a.x), fmaf(s, b.y, a.y), fmaf(s, b.z, a.z));
}

static inline struct vec minus_(struct vec a, struct vec b)
{
    return vec_(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* The two programs made of one source: with calls and inlined. */
#define SMRF_WORK_PAIR(symbol, stem, text, small, medium, large, function)                         \
    const struct smrf_suite_program smrf_suite_##symbol = {                                        \
        stem, "calls", text, stem, {small, medium, large}, function};                              \
    const struct smrf_suite_program smrf_suite_##symbol##_inlined = {                              \
        stem "-inlined",        "calls", text ", inlined", stem "-inlined",                        \
        {small, medium, large}, function}

#endif
