/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of support vector regression. */
#include "firmware/kernels/calls/calls.h"

#define FEATURES 12
#define MAX_SUPPORTS 4
#define MAX_ROWS 655360
#define BLOCK 128

struct work {
    float row[MAX_ROWS * FEATURES], support[MAX_SUPPORTS * FEATURES], weight[MAX_SUPPORTS];
    float got[MAX_ROWS], want[MAX_ROWS];
};

static const struct {
    int rows, supports;
} sizes[SMRF_SIZES] = {{64, 3}, {20480, 2}, {655360, 2}};

static float product_(const float *x, const float *support)
{
    float last = x[FEATURES - 1] * support[FEATURES - 1];
    float sum = last > 0.5f ? 0.25f + 0.5f * last : last;
    for (int f = FEATURES - 2; f >= 0; f--) {
        sum += x[f] * support[f];
    }
    return sum;
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int rows = sizes[run->size].rows, count = sizes[run->size].supports;
    float shift = 0.75f, bias = -0.125f;
    struct smrf_suite_rng rng = {33};
    for (int i = 0; i < rows * FEATURES; i++) {
        work->row[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
    }
    for (int i = 0; i < count * FEATURES; i++) {
        work->support[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
    }
    for (int k = 0; k < count; k++) {
        work->weight[k] = smrf_suite_f32(&rng, -2.0f, 2.0f);
    }
    for (int i = 0; i < rows; i++) {
        work->want[i] = bias;
        for (int k = 0; k < count; k++) {
            float sum = product_(work->row + i * FEATURES, work->support + k * FEATURES) + shift;
            work->want[i] += work->weight[k] * (sum * sum * sum);
        }
    }
    smrf_dptr in, supports, weights, out;
    size_t bytes = sizeof(float) * (size_t)rows;
    SMRF_TRY(smrf_suite_buffer(run, &in, work->row, bytes * FEATURES));
    SMRF_TRY(smrf_suite_buffer(run, &supports, work->support, sizeof work->support));
    SMRF_TRY(smrf_suite_buffer(run, &weights, work->weight, sizeof work->weight));
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, bytes));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "predict", smrf_work_grid(rows, BLOCK), smrf_work_dim(BLOCK, 1),
                              &in, &supports, &weights, &count, &shift, &bias, &out, &rows));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    return smrf_suite_check_f32(run, "prediction", work->got, work->want, (size_t)rows, 0, 0);
}

static int run_svr_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(svr, "svr", "svr", "support vector regression, a function a feature",
                 "64 rows, 3 vectors", "20480 rows, 2 vectors", "655360 rows, 2 vectors", run_svr_);
