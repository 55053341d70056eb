/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the collision code. */
#include "firmware/kernels/calls/calls.h"

#define SLOT_BYTES 64
#define FIELDS 8
#define MAX_THINGS 655360
#define BLOCK 64

struct thing {
    int brick;
    struct vec at, half; /* half.x: the radius of a ball */
    float reach;
};

struct work {
    struct thing thing[MAX_THINGS];
    float fields[MAX_THINGS * FIELDS];
    int32_t hits[MAX_THINGS], got_hits[MAX_THINGS];
    float deepest[MAX_THINGS], got_deepest[MAX_THINGS];
};

static const struct {
    int things, near; /* of a neighbourhood */
} sizes[SMRF_SIZES] = {{64, 64}, {20480, 8}, {655360, 8}};

static void make_(struct work *work, int count)
{
    struct smrf_suite_rng rng = {13};
    for (int i = 0; i < count; i++) {
        struct thing *t = &work->thing[i];
        t->brick = i % 3 == 1;
        t->at = vec_(smrf_suite_f32(&rng, -1.0f, 1.0f), smrf_suite_f32(&rng, -1.0f, 1.0f),
                     smrf_suite_f32(&rng, -1.0f, 1.0f));
        t->half = vec_(smrf_suite_f32(&rng, 0.05f, 0.3f), smrf_suite_f32(&rng, 0.05f, 0.3f),
                       smrf_suite_f32(&rng, 0.05f, 0.3f));
        t->reach = t->brick ? sqrtf(dot_(t->half, t->half)) : t->half.x;
        float f[FIELDS] = {(float)t->brick, t->at.x,   t->at.y,   t->at.z,
                           t->half.x,       t->half.y, t->half.z, t->reach};
        memcpy(work->fields + i * FIELDS, f, sizeof f);
    }
}

static float least_(float a, float b)
{
    return a < b ? a : b;
}

static float overlap_(const struct thing *a, const struct thing *b)
{
    struct vec d = minus_(b->at, a->at);
    if (a->brick && b->brick) {
        return least_(
            least_(a->half.x + b->half.x - fabsf(d.x), a->half.y + b->half.y - fabsf(d.y)),
            a->half.z + b->half.z - fabsf(d.z));
    }
    if (!a->brick && !b->brick) {
        return a->half.x + b->half.x - sqrtf(dot_(d, d) + 1e-12f);
    }
    const struct thing *ball = a->brick ? b : a, *brick = a->brick ? a : b;
    d = minus_(ball->at, brick->at);
    struct vec h = brick->half;
    struct vec nearest = vec_(fmaxf(-h.x, least_(d.x, h.x)), fmaxf(-h.y, least_(d.y, h.y)),
                              fmaxf(-h.z, least_(d.z, h.z)));
    struct vec gap = minus_(d, nearest);
    return ball->half.x - sqrtf(dot_(gap, gap) + 1e-12f);
}

static void reference_(struct work *work, int count, int near)
{
    for (int i = 0; i < count; i++) {
        for (int j = i / near * near, end = j + near; j < end; j++) {
            const struct thing *a = &work->thing[i], *b = &work->thing[j];
            struct vec d = minus_(b->at, a->at);
            float far = a->reach + b->reach;
            float depth = i != j && dot_(d, d) < far * far ? overlap_(a, b) : 0.0f;
            work->hits[i] += depth > 0.0f;
            work->deepest[i] = fmaxf(work->deepest[i], depth);
        }
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int count = sizes[run->size].things, near = sizes[run->size].near, slot_bytes = SLOT_BYTES;
    make_(work, count);
    smrf_dptr things, slots, fields, hits, deepest;
    SMRF_TRY(smrf_suite_buffer(run, &things, NULL, sizeof(smrf_dptr) * MAX_THINGS));
    SMRF_TRY(smrf_suite_buffer(run, &slots, NULL, SLOT_BYTES * MAX_THINGS));
    SMRF_TRY(smrf_suite_buffer(run, &fields, work->fields, sizeof work->fields));
    SMRF_TRY(smrf_suite_buffer(run, &hits, NULL, sizeof work->hits));
    SMRF_TRY(smrf_suite_buffer(run, &deepest, NULL, sizeof work->deepest));
    struct smrf_exec_dim grid = smrf_work_grid(count, BLOCK), block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "create", grid, block, &things, &slots, &slot_bytes, &fields,
                              &count));
    SMRF_TRY(
        SMRF_HOST_LAUNCH(run, "collide", grid, block, &things, &hits, &deepest, &count, &near));
    size_t bytes = sizeof(float) * (size_t)count;
    SMRF_TRY(smrf_device_read(run->device, work->got_hits, hits, bytes));
    SMRF_TRY(smrf_device_read(run->device, work->got_deepest, deepest, bytes));
    reference_(work, count, near);
    SMRF_TRY(smrf_suite_check_i32(run, "hits", work->got_hits, work->hits, (size_t)count));
    return smrf_suite_check_f32(run, "deepest", work->got_deepest, work->deepest, (size_t)count, 0,
                                0);
}

static int run_collision_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(collision, "collision", "collision",
                 "collisions of things, virtual functions, double dispatch", "64 things",
                 "20480 things, 8 together", "655360 things, 8 together", run_collision_);
