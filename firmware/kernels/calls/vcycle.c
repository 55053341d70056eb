/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the V-cycles. */
#include "firmware/kernels/calls/calls.h"

#define POINTS 2048
#define LEVELS 5
#define MAX_PROBLEMS 320
#define SHARED (6 * POINTS * sizeof(float))

struct work {
    float right[MAX_PROBLEMS * POINTS], got[MAX_PROBLEMS * POINTS], want[MAX_PROBLEMS * POINTS];
    float value[LEVELS][POINTS], source[LEVELS][POINTS];
};

static const struct {
    int problems, threads, cycles;
} sizes[SMRF_SIZES] = {{1, 256, 1}, {20, 1024, 1}, {320, 1024, 2}};

static float at_(const float *value, int i, int points)
{
    return i >= 0 && i < points ? value[i] : 0.0f;
}

static void smooth_(float *value, const float *source, int points, int sweeps)
{
    for (int s = 0; s < 2 * sweeps; s++) {
        for (int i = s & 1; i < points; i += 2) {
            value[i] = 0.5f * (at_(value, i - 1, points) + at_(value, i + 1, points) + source[i]);
        }
    }
}

static float rest_(const float *value, const float *source, int i, int points)
{
    if (i >= points) {
        return 0.0f;
    }
    return source[i] + (at_(value, i - 1, points) + at_(value, i + 1, points) - 2.0f * value[i]);
}

static void cycle_(struct work *work, int level)
{
    float *value = work->value[level], *source = work->source[level];
    int points = POINTS >> level;
    if (level == LEVELS - 1) {
        smooth_(value, source, points, 4);
        return;
    }
    float *below = work->value[level + 1];
    smooth_(value, source, points, 1);
    for (int i = 0; i < points / 2; i++) {
        work->source[level + 1][i] = rest_(value, source, 2 * i, points) +
                                     2.0f * rest_(value, source, 2 * i + 1, points) +
                                     rest_(value, source, 2 * i + 2, points);
        below[i] = 0.0f;
    }
    cycle_(work, level + 1);
    for (int i = 0; i < points / 2; i++) {
        value[2 * i] += 0.5f * (at_(below, i - 1, points / 2) + below[i]);
        value[2 * i + 1] += below[i];
    }
    smooth_(value, source, points, 1);
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int problems = sizes[run->size].problems, cycles = sizes[run->size].cycles;
    struct smrf_suite_rng rng = {36};
    for (int i = 0; i < problems * POINTS; i++) {
        work->right[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
    }
    for (int p = 0; p < problems; p++) {
        memset(work->value[0], 0, sizeof work->value[0]);
        memcpy(work->source[0], work->right + p * POINTS, sizeof work->source[0]);
        for (int c = 0; c < cycles; c++) {
            cycle_(work, 0);
        }
        memcpy(work->want + p * POINTS, work->value[0], sizeof work->value[0]);
    }
    smrf_dptr right, value;
    size_t count = (size_t)problems * POINTS, bytes = sizeof(float) * count;
    SMRF_TRY(smrf_suite_buffer(run, &right, work->right, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &value, NULL, bytes));
    void *args[] = {&right, &value, &cycles};
    SMRF_TRY(smrf_suite_launch(run, "solve", smrf_work_dim(problems, 1),
                               smrf_work_dim(sizes[run->size].threads, 1), SHARED, args, 3));
    SMRF_TRY(smrf_device_read(run->device, work->got, value, bytes));
    return smrf_suite_check_f32(run, "value", work->got, work->want, count, 0, 0);
}

static int run_vcycle_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(vcycle, "vcycle", "vcycle",
                 "multigrid V-cycles, barriers in calls, a block a problem",
                 "1 problem, 256 threads", "20 problems, 1024 threads each",
                 "320 problems, 1024 threads each, 2 cycles", run_vcycle_);
