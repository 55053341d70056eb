/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the refinement of a triangulation: squares of a grid whose corners were moved, each
 * cut in two. */
#include "firmware/kernels/calls/calls.h"

#define MAX_POINTS (1281 * 257)
#define MAX_TRIANGLES (2 * 1280 * 256)
#define BLOCK 128

struct point {
    float x, y;
};

struct work {
    struct point point[MAX_POINTS], fresh[MAX_TRIANGLES], got_fresh[MAX_TRIANGLES];
    int32_t corner[3 * MAX_TRIANGLES], across[3 * MAX_TRIANGLES];
    int32_t bad[MAX_TRIANGLES], size[MAX_TRIANGLES], got[MAX_TRIANGLES];
    float depth[MAX_TRIANGLES], got_depth[MAX_TRIANGLES];
};

static const struct {
    int width, height;
} sizes[SMRF_SIZES] = {{16, 12}, {160, 128}, {1280, 256}};

static void corners_(int32_t *to, int a, int b, int c)
{
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

static void make_(struct work *work, int width, int height)
{
    struct smrf_suite_rng rng = {31};
    for (int y = 0; y <= height; y++) {
        for (int x = 0; x <= width; x++) {
            work->point[y * (width + 1) + x] =
                (struct point){(float)x + smrf_suite_f32(&rng, -0.4f, 0.4f),
                               (float)y + smrf_suite_f32(&rng, -0.4f, 0.4f)};
        }
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int at = y * (width + 1) + x, over = at + width + 1, t = 2 * (y * width + x);
            corners_(work->corner + 3 * t, at, at + 1, over);
            corners_(work->corner + 3 * (t + 1), over + 1, over, at + 1);
            corners_(work->across + 3 * t, y ? t - 2 * width + 1 : -1, t + 1, x ? t - 1 : -1);
            corners_(work->across + 3 * (t + 1), y + 1 < height ? t + 2 * width : -1, t,
                     x + 1 < width ? t + 2 : -1);
        }
    }
}

static int sharp_(struct point u, struct point v)
{
    float uv = u.x * v.x + u.y * v.y, uu = u.x * u.x + u.y * u.y, vv = v.x * v.x + v.y * v.y;
    return uv > 0.0f && uv * uv > 0.75f * uu * vv;
}

static struct point from_(struct point a, struct point b)
{
    return (struct point){b.x - a.x, b.y - a.y};
}

static float circle_(struct point a, struct point b, struct point c)
{
    float aa = a.x * a.x + a.y * a.y, bb = b.x * b.x + b.y * b.y, cc = c.x * c.x + c.y * c.y;
    float left = aa * (b.x * c.y - c.x * b.y), middle = bb * (c.x * a.y - a.x * c.y);
    return left + middle + cc * (a.x * b.y - b.x * a.y);
}

static void around_(struct work *work, int t)
{
    const int32_t *corner = work->corner + 3 * t;
    struct point a = work->point[corner[0]], b = work->point[corner[1]], c = work->point[corner[2]];
    struct point new = {(a.x + b.x + c.x) * 0.333333343f, (a.y + b.y + c.y) * 0.333333343f};
    work->fresh[t] = new;
    work->size[t] = 1;
    for (int k = 0; k < 9; k++) {
        int n = work->across[3 * t + k % 3];
        if (k >= 3 && n >= 0) {
            n = work->across[3 * n + (k / 3 + k) % 3];
        }
        if (n >= 0 && n != t) {
            const int32_t *of = work->corner + 3 * n;
            float in = circle_(from_(new, work->point[of[0]]), from_(new, work->point[of[1]]),
                               from_(new, work->point[of[2]]));
            work->size[t] += in > 0.0f;
            work->depth[t] = in > work->depth[t] ? in : work->depth[t];
        }
    }
}

static void reference_(struct work *work, int count)
{
    for (int t = 0; t < count; t++) {
        const int32_t *corner = work->corner + 3 * t;
        struct point a = work->point[corner[0]], b = work->point[corner[1]];
        struct point c = work->point[corner[2]];
        work->bad[t] = sharp_(from_(a, b), from_(a, c)) + sharp_(from_(b, a), from_(b, c)) +
                       sharp_(from_(c, a), from_(c, b));
        if (work->bad[t]) {
            around_(work, t);
        }
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int width = sizes[run->size].width, height = sizes[run->size].height;
    int count = 2 * width * height;
    make_(work, width, height);
    reference_(work, count);
    smrf_dptr point, corner, across, bad, fresh, size, depth;
    size_t ints = sizeof(int32_t) * (size_t)count, points = sizeof(struct point) * (size_t)count;
    SMRF_TRY(smrf_suite_buffer(run, &point, work->point, sizeof work->point));
    SMRF_TRY(smrf_suite_buffer(run, &corner, work->corner, 3 * ints));
    SMRF_TRY(smrf_suite_buffer(run, &across, work->across, 3 * ints));
    SMRF_TRY(smrf_suite_buffer(run, &bad, NULL, ints));
    SMRF_TRY(smrf_suite_buffer(run, &fresh, NULL, points));
    SMRF_TRY(smrf_suite_buffer(run, &size, NULL, ints));
    SMRF_TRY(smrf_suite_buffer(run, &depth, NULL, ints));
    struct smrf_exec_dim grid = smrf_work_grid(count, BLOCK), block = smrf_work_dim(BLOCK, 1);
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "mark", grid, block, &point, &corner, &bad, &count));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "cavity", grid, block, &point, &corner, &across, &bad, &fresh,
                              &size, &depth, &count));
    SMRF_TRY(smrf_device_read(run->device, work->got, bad, ints));
    SMRF_TRY(smrf_suite_check_i32(run, "bad", work->got, work->bad, (size_t)count));
    SMRF_TRY(smrf_device_read(run->device, work->got, size, ints));
    SMRF_TRY(smrf_suite_check_i32(run, "size", work->got, work->size, (size_t)count));
    SMRF_TRY(smrf_device_read(run->device, work->got_fresh, fresh, points));
    SMRF_TRY(smrf_suite_check_f32(run, "fresh", &work->got_fresh[0].x, &work->fresh[0].x,
                                  2 * (size_t)count, 0, 0));
    SMRF_TRY(smrf_device_read(run->device, work->got_depth, depth, ints));
    return smrf_suite_check_f32(run, "depth", work->got_depth, work->depth, (size_t)count, 0, 0);
}

static int run_dmr_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(dmr, "dmr", "dmr", "refinement of a triangulation, a round of it",
                 "16 x 12 squares", "160 x 128 squares", "1280 x 256 squares", run_dmr_);
