/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the random forest: random trees of uneven depth. */
#include "firmware/kernels/calls/calls.h"

#define MAX_NODES 65536
#define MAX_TREES 16
#define MAX_ROWS 655360
#define FEATURES 12
#define LEVELS 13 /* as in forest.cuh */
#define BLOCK 64

struct node {
    int32_t feature, child;
    float threshold, value;
};

struct work {
    struct node node[MAX_NODES];
    int32_t roots[MAX_TREES];
    int used;
    float features[MAX_ROWS * FEATURES], got[MAX_ROWS], want[MAX_ROWS];
};

static const struct {
    int trees, rows;
} sizes[SMRF_SIZES] = {{3, 32}, {2, 20480}, {2, 655360}};

/* Nodes of a tree level by level, children in pairs. The further down, the rarer they split, but
 * the leftmost path always does, so that some row goes all the way. */
static void grow_(struct work *work, struct smrf_suite_rng *rng, int root)
{
    int begin = root, end = root + 1;
    for (int level = 0; level <= LEVELS; level++) {
        int next = end;
        for (int i = begin; i < end; i++) {
            struct node *n = &work->node[i];
            n->value = smrf_suite_f32(rng, 0.0f, 4.0f);
            n->threshold = i == begin ? 0.7f : smrf_suite_f32(rng, -0.5f, 0.5f);
            bool split = i == begin || (level < 10 && smrf_suite_u32(rng) % 16 < 13);
            n->feature = -1;
            if (level < LEVELS && split && next + 2 <= MAX_NODES) {
                n->feature = (int32_t)(smrf_suite_u32(rng) % FEATURES);
                n->child = next;
                next += 2;
            }
        }
        begin = end;
        end = next;
    }
    work->used = end;
}

static float visit_(const struct work *work, int at, const float *features)
{
    const struct node *n = &work->node[at];
    if (n->feature < 0) {
        return n->value;
    }
    return 1.0f + visit_(work, n->child + (features[n->feature] >= n->threshold), features);
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int trees = sizes[run->size].trees, rows = sizes[run->size].rows, num_features = FEATURES;
    struct smrf_suite_rng rng = {19};
    for (int i = 0; i < trees; i++) {
        work->roots[i] = work->used;
        grow_(work, &rng, work->used);
    }
    for (int i = 0; i < rows * FEATURES; i++) {
        work->features[i] = smrf_suite_f32(&rng, -1.0f, 1.0f);
    }
    smrf_dptr nodes, roots, features, out;
    size_t bytes = sizeof(float) * (size_t)rows;
    SMRF_TRY(smrf_suite_buffer(run, &nodes, work->node, sizeof(struct node) * (size_t)work->used));
    SMRF_TRY(smrf_suite_buffer(run, &roots, work->roots, sizeof work->roots));
    SMRF_TRY(smrf_suite_buffer(run, &features, work->features, bytes * FEATURES));
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, bytes));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "isolate", smrf_work_grid(rows, BLOCK), smrf_work_dim(BLOCK, 1),
                              &nodes, &roots, &trees, &features, &num_features, &out, &rows));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    for (int i = 0; i < rows; i++) {
        float sum = 0.0f;
        for (int k = 0; k < trees; k++) {
            sum += visit_(work, work->roots[k], work->features + i * FEATURES);
        }
        work->want[i] = sum / (float)trees;
    }
    return smrf_suite_check_f32(run, "mean path", work->got, work->want, (size_t)rows, 0, 0);
}

static int run_forest_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(forest, "forest", "forest", "isolation forest, a function a level",
                 "3 trees, 32 rows", "2 trees, 20480 rows", "2 trees, 655360 rows", run_forest_);
