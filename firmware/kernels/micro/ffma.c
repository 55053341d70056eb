/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the FFMA chains: the same kernel over different registers and distances. */
#include "firmware/kernels/work.h"

#define MAX_DISTANCE 40
#define UNROLL 120
#define BLOCK 256
#define MAX_THREADS (128 * BLOCK)

struct work {
    float in[MAX_THREADS], got[MAX_THREADS], want[MAX_THREADS];
};

static const struct {
    int blocks, loops;
} sizes[SMRF_SIZES] = {{2, 8}, {24, 16}, {128, 32}};

static float chain_(float x, int distance, int loops)
{
    float a[MAX_DISTANCE], b[MAX_DISTANCE], c[MAX_DISTANCE];
    for (int k = 0; k < distance; k++) {
        a[k] = x + 0.0625f * (float)k;
        b[k] = x + 0.125f * (float)k;
        c[k] = x + -0.03125f * (float)k;
    }
    for (int k = 0; k < loops * UNROLL; k++) {
        int i = k % distance;
        a[i] = fmaf(b[i], c[i], a[i]);
    }
    for (int k = 1; k < distance; k++) {
        a[0] += a[k];
    }
    return a[0];
}

static int with_distance(struct smrf_suite_run *run, struct work *work, int distance)
{
    int loops = sizes[run->size].loops, threads = sizes[run->size].blocks * BLOCK;
    size_t bytes = sizeof(float) * (size_t)threads;
    struct smrf_suite_rng rng = {31};
    for (int i = 0; i < threads; i++) {
        work->in[i] = smrf_suite_f32(&rng, 0.125f, 1.0f);
        work->want[i] = chain_(work->in[i], distance, loops);
    }
    smrf_dptr in, out;
    SMRF_TRY(smrf_suite_buffer(run, &in, work->in, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, bytes));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "ffma_chain", smrf_work_grid(threads, BLOCK),
                              smrf_work_dim(BLOCK, 1), &out, &in, &loops));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    return smrf_suite_check_f32(run, "sum", work->got, work->want, (size_t)threads, 0, 0);
}

/* UNROLL is a multiple of every distance, so that a loop ends where it began. */
#define DISTANCE(number)                                                                           \
    static int body_##number(struct smrf_suite_run *run, void *work)                               \
    {                                                                                              \
        return with_distance(run, work, number);                                                   \
    }                                                                                              \
    static int run_##number(struct smrf_suite_run *run)                                            \
    {                                                                                              \
        return smrf_work(run, sizeof(struct work), body_##number);                                 \
    }
DISTANCE(1)
DISTANCE(3)
DISTANCE(8)
DISTANCE(10)
DISTANCE(40)

#define PROGRAM(symbol, stem, text, function)                                                      \
    const struct smrf_suite_program smrf_suite_##symbol = {                                        \
        stem,                                                                                      \
        "micro",                                                                                   \
        text,                                                                                      \
        stem,                                                                                      \
        {"16 warps, 960 FFMA each", "192 warps, 1920 FFMA each", "1024 warps, 3840 FFMA each"},    \
        .run = function}

PROGRAM(ffma, "ffma", "FFMA chains, the compiler's registers", run_8);
PROGRAM(ffma_conflict1, "ffma-conflict1", "FFMA chains, sources in three banks", run_8);
PROGRAM(ffma_conflict2, "ffma-conflict2", "FFMA chains, two sources in one bank", run_8);
PROGRAM(ffma_conflict3, "ffma-conflict3", "FFMA chains, all sources in one bank", run_8);
PROGRAM(ffma_reuse1, "ffma-reuse1", "FFMA chain, sources reused after 1 instruction", run_1);
PROGRAM(ffma_reuse3, "ffma-reuse3", "FFMA chains, sources reused after 3 instructions", run_3);
PROGRAM(ffma_reuse10, "ffma-reuse10", "FFMA chains, sources reused after 10 instructions", run_10);
PROGRAM(ffma_reuse40, "ffma-reuse40", "FFMA chains, sources reused after 40 instructions", run_40);
PROGRAM(ffma_regs40, "ffma-regs40", "FFMA chains, 40 registers a thread", run_8);
PROGRAM(ffma_regs64, "ffma-regs64", "FFMA chains, 64 registers a thread", run_8);
PROGRAM(ffma_regs128, "ffma-regs128", "FFMA chains, 128 registers a thread", run_8);
PROGRAM(ffma_regs255, "ffma-regs255", "FFMA chains, 255 registers a thread", run_8);
