/* SPDX-License-Identifier: Apache-2.0 */
/* What the host programs of calls and micro share. */
#ifndef SMRF_SUITE_WORK_H
#define SMRF_SUITE_WORK_H

#include "firmware/kernels/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Run body with bytes of zeroed host memory, which it need not free. */
static inline int smrf_work(struct smrf_suite_run *run, size_t bytes,
                            int (*body)(struct smrf_suite_run *run, void *work))
{
    void *work = calloc(1, bytes);
    if (!work) {
        snprintf(run->error, sizeof run->error, "no memory for %zu bytes of host data", bytes);
        return SMRF_ERR_NOMEM;
    }
    int status = body(run, work);
    free(work);
    return status;
}

static inline struct smrf_exec_dim smrf_work_dim(int x, int y)
{
    return (struct smrf_exec_dim){(uint32_t)x, (uint32_t)y, 1};
}

/* Blocks of `block` threads that cover `threads`. */
static inline struct smrf_exec_dim smrf_work_grid(int threads, int block)
{
    return smrf_work_dim((threads + block - 1) / block, 1);
}

struct vec {
    float x, y, z;
};

static inline struct vec vec(float x, float y, float z)
{
    return (struct vec){x, y, z};
}

static inline float dot(struct vec a, struct vec b)
{
    return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}

/* a + s b */
static inline struct vec along(struct vec a, float s, struct vec b)
{
    return vec(fmaf(s, b.x, a.x), fmaf(s, b.y, a.y), fmaf(s, b.z, a.z));
}

static inline struct vec minus(struct vec a, struct vec b)
{
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* The two programs made of one source: with calls and inlined. */
#define SMRF_WORK_PAIR(symbol, stem, text, small, medium, large, function)                         \
    const struct smrf_suite_program smrf_suite_##symbol = {                                        \
        stem, "calls", text, stem, {small, medium, large}, function};                              \
    const struct smrf_suite_program smrf_suite_##symbol##_inlined = {                              \
        stem "-inlined",        "calls", text ", inlined", stem "-inlined",                        \
        {small, medium, large}, function}

#endif
