/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the expressions: random trees, each of several threads. */
#include "firmware/kernels/calls/calls.h"

#define MAX_NODES 4096
#define MAX_ROOTS 64
#define MAX_COUNT 655360
#define BLOCK 96

enum { CONSTANT, VARIABLE, SUM, PRODUCT, LARGER, POWER, STOP, KINDS };

struct node {
    int32_t kind, left, right;
    float constant;
};

struct work {
    struct node node[MAX_NODES];
    int32_t tree[MAX_ROOTS], root[MAX_COUNT];
    int used;
    float got[MAX_COUNT], want[MAX_COUNT];
};

static const struct {
    int roots, depth, count;
} sizes[SMRF_SIZES] = {{7, 4, 90}, {24, 6, 3840}, {64, 7, 655360}};

static int grow_(struct work *work, struct smrf_suite_rng *rng, int depth)
{
    int at = work->used++;
    struct node *n = &work->node[at];
    unsigned draw = smrf_suite_u32(rng);
    bool leaf = depth == 0 || work->used > MAX_NODES - 2 * (depth + 2);
    n->kind = leaf ? (int32_t)(draw % 2) : SUM + (int32_t)(draw % 5);
    n->constant = smrf_suite_f32(rng, -1.0f, 1.0f) + (n->kind == STOP);
    n->right = (int32_t)(draw >> 8 & 7);
    if (!leaf) {
        n->left = grow_(work, rng, depth - 1);
        if (n->kind < POWER) {
            n->right = grow_(work, rng, depth - 1 - (int)(draw >> 16 & (depth > 1)));
        }
    }
    return at;
}

/* Does the thread go on? */
static bool value_(const struct work *work, int at, float x, float *to)
{
    const struct node *n = &work->node[at];
    float left = 0.0f, right = 0.0f;
    if (n->kind <= VARIABLE) {
        *to = n->kind == CONSTANT ? n->constant : x + n->constant;
        return true;
    }
    if (!value_(work, n->left, x, &left)) {
        *to = left;
        return false;
    }
    *to = left;
    if (n->kind == STOP) {
        return !(left > n->constant);
    }
    if (n->kind == POWER) {
        float power = 1.0f;
        for (int i = 0; i < (n->right & 7); i++) {
            power *= left;
        }
        *to = power * 0.125f + left;
        return true;
    }
    if (n->kind == PRODUCT && left == 0.0f) {
        *to = 0.0f;
        return true;
    }
    if (!value_(work, n->right, x, &right)) {
        *to = right;
        return false;
    }
    *to = n->kind == SUM       ? left + right
          : n->kind == PRODUCT ? left * right
          : left > right       ? left
                               : right;
    return true;
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int count = sizes[run->size].count, trees = sizes[run->size].roots;
    struct smrf_suite_rng rng = {37};
    for (int i = 0; i < trees; i++) {
        work->tree[i] = grow_(work, &rng, sizes[run->size].depth);
    }
    for (int i = 0; i < count; i++) {
        work->root[i] = work->tree[i / 3 % trees];
        (void)value_(work, work->root[i], (float)(i % 7) * 0.25f, &work->want[i]);
    }
    smrf_dptr nodes, roots, out;
    size_t bytes = sizeof(float) * (size_t)count;
    SMRF_TRY(smrf_suite_buffer(run, &nodes, work->node, sizeof work->node));
    SMRF_TRY(smrf_suite_buffer(run, &roots, work->root, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, bytes));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "evaluate", smrf_work_grid(count, BLOCK),
                              smrf_work_dim(BLOCK, 1), &nodes, &roots, &out, &count));
    SMRF_TRY(smrf_device_read(run->device, work->got, out, bytes));
    return smrf_suite_check_f32(run, "value", work->got, work->want, (size_t)count, 0, 0);
}

static int run_dispatch_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILD(dispatch, "dispatch", "dispatch",
                "expressions by function pointers, recursion, exits in callees",
                "7 trees, 90 threads", "24 trees, 3840 threads", "64 trees, 655360 threads",
                run_dispatch_);
