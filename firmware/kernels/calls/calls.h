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

/* A program of one source: its name's tail, what the summary adds. */
#define SMRF_WORK_BUILD(symbol, name, code, text, small, medium, large, function)                  \
    const struct smrf_suite_program smrf_suite_##symbol = {                                        \
        name, "calls", text, code, {small, medium, large}, .run = function}

/* The programs made of one source: with calls and inlined; with calls between modules of a function
 * each, too. name: the program's; code: that of its SASS. */
#define SMRF_WORK_PAIR(symbol, stem, text, small, medium, large, function)                         \
    SMRF_WORK_BUILD(symbol, stem, stem, text, small, medium, large, function);                     \
    SMRF_WORK_BUILD(symbol##_inlined, stem "-inlined", stem "-inlined", text ", inlined", small,   \
                    medium, large, function)
#define SMRF_WORK_BUILDS(symbol, name, code, text, small, medium, large, function)                 \
    SMRF_WORK_BUILD(symbol, name, code, text, small, medium, large, function);                     \
    SMRF_WORK_BUILD(symbol##_inlined, name "-inlined", code "-inlined", text ", inlined", small,   \
                    medium, large, function);                                                      \
    SMRF_WORK_BUILD(symbol##_modules, name "-modules", code "-modules",                            \
                    text ", a function a module", small, medium, large, function)

#endif
