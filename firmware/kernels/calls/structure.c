/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the structure: a net of nodes, each linked to the next in its row and column and
 * across. */
#include "firmware/kernels/calls/calls.h"

#define SLOT_BYTES 32
#define LINK_BYTES 24
#define MATERIALS 4
#define LINKS_EACH 6
#define STONES 20
#define MAX_NODES (1280 * 512)
#define BLOCK 128

struct work {
    struct vec place[3][MAX_NODES], got[MAX_NODES], stone[STONES][2];
    int32_t ends[3 * MAX_NODES][2], of[3 * MAX_NODES], link_of[MAX_NODES][LINKS_EACH];
    float length[3 * MAX_NODES];
    int links;
};

static const struct {
    int width, height, steps;
} sizes[SMRF_SIZES] = {{16, 8, 1}, {160, 128, 1}, {1280, 512, 1}};

static const int32_t kinds[MATERIALS] = {0, 1, 0, 1};
static const float stiff[MATERIALS] = {0.5f, 0.25f, 0.375f, 0.125f};

static void link_(struct work *work, int a, int b, int slot, int of)
{
    int n = work->links++;
    work->ends[n][0] = a;
    work->ends[n][1] = b;
    work->of[n] = of;
    work->length[n] = slot == 2 ? 1.375f : 1.0f;
    work->link_of[a][slot] = n;
    work->link_of[b][slot + 3] = n;
}

static void make_(struct work *work, int width, int height)
{
    struct smrf_suite_rng rng = {35};
    memset(work->link_of, 255, sizeof work->link_of);
    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width;
        work->place[1][i] =
            vec_((float)x + smrf_suite_f32(&rng, -0.2f, 0.2f),
                 (float)y + smrf_suite_f32(&rng, -0.2f, 0.2f), smrf_suite_f32(&rng, -0.2f, 0.2f));
        work->place[0][i] = along_(work->place[1][i], 0.03125f, vec_((float)(x % 3), 1.0f, -1.0f));
        if (x + 1 < width) {
            link_(work, i, i + 1, 0, y & 2);
        }
        if (y + 1 < height) {
            link_(work, i, i + width, 1, 1);
        }
        if (x + 1 < width && y + 1 < height) {
            link_(work, i, i + width + 1, 2, 3);
        }
    }
}

static void stones_(struct work *work, int width, int height)
{
    struct smrf_suite_rng rng = {38};
    for (int k = 0; k < STONES; k++) {
        work->stone[k][0] = vec_(smrf_suite_f32(&rng, 0.0f, (float)width),
                                 smrf_suite_f32(&rng, 0.0f, (float)height), 0.0f);
        work->stone[k][1].x = smrf_suite_f32(&rng, 0.5f, 4.0f);
    }
}

static float within_(float x, float limit)
{
    float y = x < limit ? x : limit;
    return y > -limit ? y : -limit;
}

static float tension_(const struct work *work, int n, float length)
{
    float strain = (length - work->length[n]) * 0.5f, by = stiff[work->of[n]];
    if (kinds[work->of[n]] == 0) {
        return by * within_(strain, 0.25f) * work->length[n];
    }
    float s = within_(strain, 0.5f);
    return (s > 0.0f ? by * s * (1.0f + s * s) : 0.0f) * work->length[n];
}

static void reference_(struct work *work, const struct vec *place, const struct vec *before,
                       struct vec *after, float step, int count)
{
    for (int i = 0; i < count; i++) {
        struct vec force = vec_(0.0f, -0.01f, 0.0f), speed = minus_(place[i], before[i]);
        for (int k = 0; k < LINKS_EACH; k++) {
            int n = work->link_of[i][k];
            if (n < 0) {
                continue;
            }
            int other = work->ends[n][0] == i ? work->ends[n][1] : work->ends[n][0];
            struct vec apart = minus_(place[other], place[i]);
            struct vec drift = minus_(minus_(place[other], before[other]), speed);
            float length = sqrtf(dot_(apart, apart) + 1e-6f), inverse = 1.0f / length;
            float pull = tension_(work, n, length) * inverse;
            float drag = 0.125f * dot_(drift, apart) * inverse * inverse;
            force = along_(force, pull + drag, apart);
        }
        for (int k = 0; k < STONES; k++) {
            struct vec off = minus_(place[i], work->stone[k][0]);
            float radius = work->stone[k][1].x, in = radius * radius - dot_(off, off);
            force = along_(force, in > 0.0f ? 0.5f * in : 0.0f, off);
        }
        after[i] = along_(along_(place[i], 0.98f, speed), step, force);
        after[i].y = after[i].y < 0.0f ? -0.5f * after[i].y : after[i].y;
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int width = sizes[run->size].width, count = width * sizes[run->size].height, each = LINKS_EACH;
    int slot_bytes = SLOT_BYTES, materials = MATERIALS, num_stones = STONES;
    float step = 0.25f;
    make_(work, width, sizes[run->size].height);
    stones_(work, width, sizes[run->size].height);
    smrf_dptr objects, slots, kind, by, links, ends, of, length, link_of, stones, place[3];
    size_t places = sizeof(struct vec) * (size_t)count, n = (size_t)work->links;
    SMRF_TRY(smrf_suite_buffer(run, &objects, NULL, sizeof(smrf_dptr) * MATERIALS));
    SMRF_TRY(smrf_suite_buffer(run, &slots, NULL, SLOT_BYTES * MATERIALS));
    SMRF_TRY(smrf_suite_buffer(run, &kind, kinds, sizeof kinds));
    SMRF_TRY(smrf_suite_buffer(run, &by, stiff, sizeof stiff));
    SMRF_TRY(smrf_suite_buffer(run, &links, NULL, LINK_BYTES * n));
    SMRF_TRY(smrf_suite_buffer(run, &ends, work->ends, sizeof(int32_t[2]) * n));
    SMRF_TRY(smrf_suite_buffer(run, &of, work->of, sizeof(int32_t) * n));
    SMRF_TRY(smrf_suite_buffer(run, &length, work->length, sizeof(float) * n));
    SMRF_TRY(smrf_suite_buffer(run, &link_of, work->link_of,
                               sizeof(int32_t[LINKS_EACH]) * (size_t)count));
    SMRF_TRY(smrf_suite_buffer(run, &stones, work->stone, sizeof work->stone));
    for (int i = 0; i < 3; i++) {
        SMRF_TRY(smrf_suite_buffer(run, &place[i], i < 2 ? work->place[i] : NULL, places));
    }
    struct smrf_exec_dim block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "create", smrf_work_dim(1, 1), block, &objects, &slots,
                              &slot_bytes, &kind, &by, &materials));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "join", smrf_work_grid(work->links, BLOCK), block, &links, &ends,
                              &of, &length, &objects, &work->links));
    int now = 1;
    for (int i = 0; i < sizes[run->size].steps; i++, now = (now + 1) % 3) {
        int before = (now + 2) % 3, after = (now + 1) % 3;
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "move", smrf_work_grid(count, BLOCK), block, &place[now],
                                  &place[before], &place[after], &links, &link_of, &each, &stones,
                                  &num_stones, &step, &count));
        reference_(work, work->place[now], work->place[before], work->place[after], step, count);
    }
    SMRF_TRY(smrf_device_read(run->device, work->got, place[now], places));
    return smrf_suite_check_f32(run, "place", &work->got[0].x, &work->place[now][0].x,
                                3 * (size_t)count, 0, 0);
}

static int run_structure_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(structure, "structure", "structure",
                 "nodes of a structure and their links, virtual functions", "16 x 8 nodes",
                 "160 x 128 nodes", "1280 x 512 nodes", run_structure_);
