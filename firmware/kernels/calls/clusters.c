/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of K-means: points around centres of which half are known. */
#include "firmware/kernels/calls/calls.h"

#define FEATURES 10
#define MAX_CLUSTERS 8
#define MAX_POINTS 655360
#define BLOCK 128

struct work {
    float point[MAX_POINTS * FEATURES], centre[MAX_CLUSTERS * FEATURES];
    int32_t label[MAX_POINTS], got[MAX_POINTS];
    int32_t sum[MAX_CLUSTERS * FEATURES], members[MAX_CLUSTERS];
};

static const struct {
    int points, clusters;
} sizes[SMRF_SIZES] = {{96, 3}, {20480, 3}, {655360, 3}};

static void reference_(struct work *work, int count, int clusters)
{
    for (int i = 0; i < count; i++) {
        const float *point = work->point + i * FEATURES;
        float least = 3.0e38f;
        for (int k = 0; k < clusters; k++) {
            float apart = 0.0f;
            for (int f = 0; f < FEATURES && apart < least; f++) {
                float d = point[f] - work->centre[k * FEATURES + f];
                apart += d * d;
            }
            work->label[i] = apart < least ? k : work->label[i];
            least = apart < least ? apart : least;
        }
        work->members[work->label[i]]++;
        for (int f = 0; f < FEATURES; f++) {
            work->sum[work->label[i] * FEATURES + f] += (int32_t)(point[f] * 1024.0f);
        }
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int count = sizes[run->size].points, clusters = sizes[run->size].clusters;
    struct smrf_suite_rng rng = {32};
    for (int i = 0; i < clusters * FEATURES; i++) {
        work->centre[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
    }
    for (int i = 0; i < count; i++) {
        const float *near =
            work->centre + (int)(smrf_suite_u32(&rng) % (unsigned)clusters) * FEATURES;
        for (int f = 0; f < FEATURES; f++) {
            work->point[i * FEATURES + f] = near[f] + smrf_suite_f32(&rng, -1.0f, 1.0f);
        }
    }
    reference_(work, count, clusters);
    smrf_dptr points, centres, label, sum, members;
    size_t bytes = sizeof(int32_t) * (size_t)count,
           values = sizeof(float) * (size_t)(count * FEATURES);
    SMRF_TRY(smrf_suite_buffer(run, &points, work->point, values));
    SMRF_TRY(smrf_suite_buffer(run, &centres, work->centre, sizeof work->centre));
    SMRF_TRY(smrf_suite_buffer(run, &label, NULL, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &sum, NULL, sizeof work->sum));
    SMRF_TRY(smrf_suite_buffer(run, &members, NULL, sizeof work->members));
    struct smrf_exec_dim grid = smrf_work_grid(count, BLOCK), block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(
        SMRF_HOST_LAUNCH(run, "label", grid, block, &points, &centres, &clusters, &label, &count));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "sums", grid, block, &points, &label, &sum, &members, &count));
    SMRF_TRY(smrf_device_read(run->device, work->got, label, bytes));
    SMRF_TRY(smrf_suite_check_i32(run, "label", work->got, work->label, (size_t)count));
    SMRF_TRY(smrf_device_read(run->device, work->got, sum, sizeof work->sum));
    SMRF_TRY(smrf_suite_check_i32(run, "sum", work->got, work->sum, MAX_CLUSTERS * FEATURES));
    SMRF_TRY(smrf_device_read(run->device, work->got, members, sizeof work->members));
    return smrf_suite_check_i32(run, "members", work->got, work->members, MAX_CLUSTERS);
}

static int run_clusters_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(clusters, "clusters", "clusters", "K-means, a function a feature",
                 "96 points, 3 centres", "20480 points, 3 centres", "655360 points, 3 centres",
                 run_clusters_);
