/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the flow solver: elements in a ring of random neighbours. */
#include "firmware/kernels/calls/calls.h"

#define MAX_ELEMENTS 524288
#define FACES 4
#define NUMBERS 5
#define BLOCK 64

struct flow {
    struct vec velocity, part[NUMBERS]; /* of density, momentum x y z, energy */
    float speed, sound;
};

struct work {
    float field[NUMBERS * MAX_ELEMENTS], flux[NUMBERS * MAX_ELEMENTS], got[NUMBERS * MAX_ELEMENTS];
    float normal[3 * FACES * MAX_ELEMENTS];
    int32_t neighbour[FACES * MAX_ELEMENTS];
};

static const struct {
    int elements, steps;
} sizes[SMRF_SIZES] = {{64, 2}, {20480, 1}, {524288, 1}};

static const float step = 0.015625f;

static void make_(struct work *work, int count)
{
    static const float outward[FACES][3] = {
        {1.0f, 0.0f, 0.1f}, {-1.0f, 0.1f, 0.0f}, {0.0f, 0.9f, 0.1f}, {0.1f, -1.0f, -0.2f}};
    struct smrf_suite_rng rng = {17};
    for (int i = 0; i < count; i++) {
        work->field[i] = smrf_suite_f32(&rng, 0.8f, 1.2f);
        for (int k = 1; k < 4; k++) {
            work->field[k * count + i] = smrf_suite_f32(&rng, -0.3f, 0.3f);
        }
        work->field[4 * count + i] = smrf_suite_f32(&rng, 1.8f, 2.2f);
        for (int face = 0; face < FACES; face++) {
            int near = i + (face < 2 ? 1 : 17) * (face % 2 ? -1 : 1);
            work->neighbour[face * count + i] =
                smrf_suite_u32(&rng) % 16 == 0 ? -1 : (near + count) % count;
            for (int k = 0; k < 3; k++) {
                work->normal[3 * (face * count + i) + k] =
                    outward[face][k] + smrf_suite_f32(&rng, -0.1f, 0.1f);
            }
        }
    }
}

static void flow_of_(const float state[NUMBERS], struct flow *flow)
{
    struct vec m = vec_(state[1], state[2], state[3]);
    struct vec v = vec_(m.x / state[0], m.y / state[0], m.z / state[0]);
    float speed2 = dot_(v, v), p = 0.4f * fmaf(-0.5f * state[0], speed2, state[4]);
    float total = state[4] + p;
    flow->velocity = v;
    flow->part[0] = m;
    flow->part[1] = vec_(fmaf(v.x, m.x, p), v.x * m.y, v.x * m.z);
    flow->part[2] = vec_(v.y * m.x, fmaf(v.y, m.y, p), v.y * m.z);
    flow->part[3] = vec_(v.z * m.x, v.z * m.y, fmaf(v.z, m.z, p));
    flow->part[4] = vec_(v.x * total, v.y * total, v.z * total);
    flow->speed = sqrtf(speed2);
    flow->sound = sqrtf(1.4f * p / state[0]);
}

static void reference_(struct work *work, int count)
{
    static const float away[NUMBERS] = {1.0f, 0.3f, 0.01f, -0.01f, 2.0f};
    for (int i = 0; i < count; i++) {
        float mine[NUMBERS], other[NUMBERS], sum[NUMBERS] = {0};
        struct flow own, theirs;
        for (int k = 0; k < NUMBERS; k++) {
            mine[k] = work->field[k * count + i];
        }
        flow_of_(mine, &own);
        for (int face = 0; face < FACES; face++) {
            int j = work->neighbour[face * count + i];
            const float *n = work->normal + 3 * (face * count + i);
            struct vec normal = vec_(n[0], n[1], n[2]);
            for (int k = 0; k < NUMBERS; k++) {
                other[k] = j < 0 ? away[k] : work->field[k * count + j];
            }
            flow_of_(other, &theirs);
            float s = -0.15f * sqrtf(dot_(normal, normal)) *
                      (own.speed + theirs.speed + own.sound + theirs.sound);
            for (int k = 0; k < NUMBERS; k++) {
                struct vec f = own.part[k], g = theirs.part[k];
                float through = dot_(normal, vec_(f.x + g.x, f.y + g.y, f.z + g.z));
                sum[k] = fmaf(0.5f, through, fmaf(s, mine[k] - other[k], sum[k]));
            }
        }
        for (int k = 0; k < NUMBERS; k++) {
            work->flux[k * count + i] = sum[k];
        }
    }
    for (int i = 0; i < NUMBERS * count; i++) {
        work->field[i] = fmaf(-step, work->flux[i], work->field[i]);
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int count = sizes[run->size].elements, numbers = NUMBERS * count;
    float time_step = step;
    make_(work, count);
    size_t bytes = sizeof(float) * (size_t)numbers;
    smrf_dptr field, flux, neighbour, normals;
    SMRF_TRY(smrf_suite_buffer(run, &field, work->field, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &flux, NULL, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &neighbour, work->neighbour,
                               sizeof(int32_t) * FACES * (size_t)count));
    SMRF_TRY(
        smrf_suite_buffer(run, &normals, work->normal, 3 * sizeof(float) * FACES * (size_t)count));
    struct smrf_exec_dim block = smrf_work_dim(BLOCK, 1);
    for (int i = 0; i < sizes[run->size].steps; i++) {
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "fluxes", smrf_work_grid(count, BLOCK), block, &field,
                                  &neighbour, &normals, &flux, &count));
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "advance", smrf_work_grid(numbers, BLOCK), block, &field,
                                  &flux, &numbers, &time_step));
        reference_(work, count);
    }
    SMRF_TRY(smrf_device_read(run->device, work->got, field, bytes));
    return smrf_suite_check_f32(run, "field", work->got, work->field, (size_t)numbers, 0, 0);
}

static int run_cfd_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(cfd, "cfd", "cfd", "compressible flow over an unstructured mesh",
                 "64 elements, 2 steps", "20480 elements, 1 step", "524288 elements, 1 step",
                 run_cfd_);
