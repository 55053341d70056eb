/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the n-body code. */
#include "firmware/kernels/calls/calls.h"

#define SLOT_BYTES 64
#define FIELDS 9
#define MAX_BODIES 655360
#define BLOCK 64

struct body {
    int cloud;
    float mass;
    struct vec at, velocity;
    float radius;
};

struct work {
    struct body body[MAX_BODIES];
    float fields[MAX_BODIES * FIELDS];
    struct vec pull[MAX_BODIES], got[MAX_BODIES], want[MAX_BODIES];
};

static const struct {
    int bodies, near, steps; /* near: of a cluster */
} sizes[SMRF_SIZES] = {{64, 64, 1}, {20480, 8, 1}, {655360, 8, 1}};

static const float step = 0.0625f;

static void make_(struct work *work, int count)
{
    struct smrf_suite_rng rng = {12};
    for (int i = 0; i < count; i++) {
        struct body *b = &work->body[i];
        float v[FIELDS] = {(float)(i % 4 == 3)};
        v[1] = smrf_suite_f32(&rng, 0.01f, 0.1f);
        for (int k = 2; k < 8; k++) {
            v[k] = smrf_suite_f32(&rng, -1.0f, 1.0f);
        }
        v[8] = smrf_suite_f32(&rng, 0.2f, 0.8f);
        *b = (struct body){i % 4 == 3, v[1], {v[2], v[3], v[4]}, {v[5], v[6], v[7]}, v[8]};
        memcpy(work->fields + i * FIELDS, v, sizeof v);
    }
}

static void reference_(struct work *work, int count, int near)
{
    for (int i = 0; i < count; i++) {
        struct vec sum = {0, 0, 0};
        for (int j = i / near * near, end = j + near; j < end; j++) {
            const struct body *b = &work->body[j];
            struct vec d = minus_(b->at, work->body[i].at);
            float d2 = dot_(d, d), r2 = b->radius * b->radius, mass = b->mass;
            if (b->cloud) {
                mass *= d2 < r2 ? (d2 + 0.01f) / (r2 + 0.01f) : 1.0f;
            }
            float soft = d2 + 0.01f;
            sum = along_(sum, mass / (soft * sqrtf(soft)), d);
        }
        work->pull[i] = sum;
    }
    for (int i = 0; i < count; i++) {
        struct body *b = &work->body[i];
        struct vec v = along_(b->velocity, step, work->pull[i]);
        b->velocity = b->cloud ? vec_(v.x * 0.99f, v.y * 0.99f, v.z * 0.99f) : v;
        b->at = along_(b->at, step, b->velocity);
        work->want[i] = b->at;
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int count = sizes[run->size].bodies, near = sizes[run->size].near, slot_bytes = SLOT_BYTES;
    float time_step = step;
    make_(work, count);
    smrf_dptr bodies, slots, fields, pull, places;
    SMRF_TRY(smrf_suite_buffer(run, &bodies, NULL, sizeof(smrf_dptr) * MAX_BODIES));
    SMRF_TRY(smrf_suite_buffer(run, &slots, NULL, SLOT_BYTES * MAX_BODIES));
    SMRF_TRY(smrf_suite_buffer(run, &fields, work->fields, sizeof work->fields));
    SMRF_TRY(smrf_suite_buffer(run, &pull, NULL, sizeof work->pull));
    SMRF_TRY(smrf_suite_buffer(run, &places, NULL, sizeof work->got));
    struct smrf_exec_dim grid = smrf_work_grid(count, BLOCK), block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "create", grid, block, &bodies, &slots, &slot_bytes, &fields,
                              &count));
    for (int i = 0; i < sizes[run->size].steps; i++) {
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "attract", grid, block, &bodies, &pull, &count, &near));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "advance", grid, block, &bodies, &pull, &places, &count,
                                  &time_step));
        reference_(work, count, near);
    }
    SMRF_TRY(smrf_device_read(run->device, work->got, places, sizeof(struct vec) * (size_t)count));
    return smrf_suite_check_f32(run, "coordinate", &work->got[0].x, &work->want[0].x,
                                3 * (size_t)count, 0, 0);
}

static int run_nbody_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(nbody, "nbody", "nbody", "gravity between bodies with virtual functions",
                 "64 bodies, 1 step", "20480 bodies, 8 together", "655360 bodies, 8 together",
                 run_nbody_);
