/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the matrix product made of functors. Inputs are small multiples of 1/4, so that
 * sums are exact in whatever order they are made. */
#include "firmware/kernels/calls/calls.h"

#define MAX_EDGE 768
#define MAX_INNER 512
#define TILE 32
#define THREADS 128

struct work {
    uint16_t a[MAX_EDGE * MAX_INNER], b[MAX_EDGE * MAX_INNER];
    uint16_t c[MAX_EDGE * MAX_EDGE], d[MAX_EDGE * MAX_EDGE];
    float a32[MAX_EDGE * MAX_INNER], b32[MAX_EDGE * MAX_INNER];
    float bias[MAX_EDGE], got[MAX_EDGE * MAX_EDGE], want[MAX_EDGE * MAX_EDGE];
};

static const struct {
    int rows, columns, inner;
} sizes[SMRF_SIZES] = {{32, 32, 128}, {256, 256, 256}, {768, 768, 512}};

static const float alpha = 0.0625f, beta = 0.5f;

static void fill_(struct smrf_suite_rng *rng, uint16_t *to, float *same, int count)
{
    for (int i = 0; i < count; i++) {
        same[i] = (float)((int)(smrf_suite_u32(rng) % 17) - 8) * 0.25f;
        to[i] = smrf_suite_half(same[i]);
    }
}

/* want holds c before, d after. */
static void reference_(struct work *work, int rows, int columns, int inner)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            float sum = 0.0f;
            for (int k = 0; k < inner; k++) {
                sum += work->a32[i * inner + k] * work->b32[j * inner + k];
            }
            float old = work->want[i * columns + j];
            float x = fmaf(alpha, sum, fmaf(beta, old, work->bias[j]));
            float y = x * (fminf(fmaxf(x, -3.0f), 3.0f) + 3.0f) * (1.0f / 6.0f);
            work->want[i * columns + j] = smrf_suite_from_half(smrf_suite_half(y));
        }
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int rows = sizes[run->size].rows, columns = sizes[run->size].columns;
    int inner = sizes[run->size].inner;
    float scale = alpha, old = beta;
    struct smrf_suite_rng rng = {20};
    fill_(&rng, work->a, work->a32, rows * inner);
    fill_(&rng, work->b, work->b32, columns * inner);
    fill_(&rng, work->c, work->want, rows * columns);
    for (int j = 0; j < columns; j++) {
        work->bias[j] = smrf_suite_f32(&rng, -2.0f, 2.0f);
    }
    size_t count = (size_t)(rows * columns), half = sizeof(uint16_t);
    smrf_dptr a, b, c, d, bias;
    SMRF_TRY(smrf_suite_buffer(run, &a, work->a, half * (size_t)(rows * inner)));
    SMRF_TRY(smrf_suite_buffer(run, &b, work->b, half * (size_t)(columns * inner)));
    SMRF_TRY(smrf_suite_buffer(run, &c, work->c, half * count));
    SMRF_TRY(smrf_suite_buffer(run, &bias, work->bias, sizeof(float) * (size_t)columns));
    SMRF_TRY(smrf_suite_buffer(run, &d, NULL, half * count));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "gemm", smrf_work_dim(columns / TILE, rows / TILE),
                              smrf_work_dim(THREADS, 1), &a, &b, &c, &bias, &d, &columns, &inner,
                              &scale, &old));
    SMRF_TRY(smrf_device_read(run->device, work->d, d, half * count));
    reference_(work, rows, columns, inner);
    for (size_t i = 0; i < count; i++) {
        work->got[i] = smrf_suite_from_half(work->d[i]);
    }
    return smrf_suite_check_f32(run, "product", work->got, work->want, count, 0, 0);
}

static int run_functors_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_PAIR(functors, "functors", "tensor-core matrix product made of nested functors",
               "32 x 32 x 128", "256 x 256 x 256", "768 x 768 x 512", run_functors_);
