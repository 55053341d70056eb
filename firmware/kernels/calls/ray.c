/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the ray tracer: a scene of random shapes, and the same picture in plain C. */
#include "firmware/kernels/calls/calls.h"

#define NOTHING 1e30f
#define SLOT_BYTES 64 /* of an object on the device: more than the largest */
#define FIELDS 10
#define MAX_SHAPES 24
#define MAX_PIXELS (640 * 576)
#define BLOCK_X 8
#define BLOCK_Y 8

enum { SPHERE, PLANE, BOX };

struct shape {
    int kind;
    float mirror, albedo;
    struct vec a; /* centre, up, low corner */
    struct vec b; /* x: radius or height; high corner */
};

struct ray {
    struct vec from, to;
};

struct work {
    struct shape shape[MAX_SHAPES];
    int count;
    float fields[MAX_SHAPES * FIELDS];
    float got[MAX_PIXELS], want[MAX_PIXELS];
};

static const struct {
    int width, height, shapes, bounces;
} sizes[SMRF_SIZES] = {{16, 8, 6, 2}, {128, 80, 6, 2}, {640, 576, 6, 2}};

static const struct vec light = {0.48f, 0.8f, -0.36f};

static void make_scene_(struct work *work, int count)
{
    struct smrf_suite_rng rng = {11};
    work->count = count;
    for (int i = 0; i < count; i++) {
        struct shape *s = &work->shape[i];
        s->kind = i == 0 ? PLANE : (i % 3 == 2 ? BOX : SPHERE);
        s->mirror = smrf_suite_f32(&rng, 0.2f, 0.6f);
        s->albedo = smrf_suite_f32(&rng, 0.3f, 0.9f);
        float x = smrf_suite_f32(&rng, -3.0f, 3.0f), y = smrf_suite_f32(&rng, 0.0f, 3.0f);
        float z = smrf_suite_f32(&rng, 0.0f, 5.0f), r = smrf_suite_f32(&rng, 0.4f, 1.1f);
        s->a = s->kind == PLANE ? vec_(0.0f, 1.0f, 0.0f) : vec_(x, y, z);
        s->b =
            s->kind == BOX ? vec_(x + r, y + r, z + r) : vec_(s->kind == PLANE ? -0.5f : r, 0, 0);
        float f[FIELDS] = {(float)s->kind, s->mirror, s->albedo, s->a.x, s->a.y,
                           s->a.z,         s->b.x,    s->b.y,    s->b.z};
        memcpy(work->fields + i * FIELDS, f, sizeof f);
    }
}

static float hit_sphere_(const struct shape *s, const struct ray *ray)
{
    struct vec o = minus_(ray->from, s->a);
    float a = dot_(ray->to, ray->to), b = dot_(o, ray->to), c = fmaf(-s->b.x, s->b.x, dot_(o, o));
    float d = fmaf(b, b, -(a * c));
    if (d < 0.0f) {
        return NOTHING;
    }
    float root = sqrtf(d), t = (-b - root) / a;
    if (t > 1e-3f) {
        return t;
    }
    t = (root - b) / a;
    return t > 1e-3f ? t : NOTHING;
}

static void clip_(float from, float to, float low, float high, float *enter, float *leave)
{
    float inverse = 1.0f / to, t0 = (low - from) * inverse, t1 = (high - from) * inverse;
    float near = t0 < t1 ? t0 : t1, far = t0 < t1 ? t1 : t0;
    *enter = near > *enter ? near : *enter;
    *leave = far < *leave ? far : *leave;
}

static float hit_(const struct shape *s, const struct ray *ray)
{
    if (s->kind == SPHERE) {
        return hit_sphere_(s, ray);
    }
    if (s->kind == PLANE) {
        float slope = dot_(s->a, ray->to);
        if (slope > -1e-6f) {
            return NOTHING;
        }
        float t = (s->b.x - dot_(s->a, ray->from)) / slope;
        return t > 1e-3f ? t : NOTHING;
    }
    float enter = -NOTHING, leave = NOTHING;
    clip_(ray->from.x, ray->to.x, s->a.x, s->b.x, &enter, &leave);
    clip_(ray->from.y, ray->to.y, s->a.y, s->b.y, &enter, &leave);
    clip_(ray->from.z, ray->to.z, s->a.z, s->b.z, &enter, &leave);
    return enter <= leave && enter > 1e-3f ? enter : NOTHING;
}

static struct vec normal_of_(const struct shape *s, struct vec p)
{
    if (s->kind == SPHERE) {
        float r = 1.0f / s->b.x;
        struct vec d = minus_(p, s->a);
        return vec_(d.x * r, d.y * r, d.z * r);
    }
    if (s->kind == PLANE) {
        return s->a;
    }
    float x = (p.x - 0.5f * (s->a.x + s->b.x)) / (s->b.x - s->a.x);
    float y = (p.y - 0.5f * (s->a.y + s->b.y)) / (s->b.y - s->a.y);
    float z = (p.z - 0.5f * (s->a.z + s->b.z)) / (s->b.z - s->a.z);
    if (fabsf(x) >= fabsf(y) && fabsf(x) >= fabsf(z)) {
        return vec_(x < 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f);
    }
    if (fabsf(y) >= fabsf(z)) {
        return vec_(0.0f, y < 0.0f ? -1.0f : 1.0f, 0.0f);
    }
    return vec_(0.0f, 0.0f, z < 0.0f ? -1.0f : 1.0f);
}

static float trace_(const struct work *work, struct ray *ray, float *weight)
{
    float distance = NOTHING, share = *weight;
    const struct shape *found = NULL;
    for (int i = 0; i < work->count; i++) {
        float t = hit_(&work->shape[i], ray);
        if (t < distance) {
            distance = t;
            found = &work->shape[i];
        }
    }
    if (!found) {
        *weight = 0.0f;
        return share * fmaf(0.5f, ray->to.y / sqrtf(dot_(ray->to, ray->to)), 0.5f);
    }
    struct vec point = along_(ray->from, distance, ray->to);
    struct vec normal = normal_of_(found, point);
    struct ray next = {along_(point, 2e-3f, normal), light};
    float lit = dot_(normal, light);
    for (int i = 0; i < work->count && lit > 0.0f; i++) {
        if (hit_(&work->shape[i], &next) < NOTHING) {
            lit = 0.0f;
        }
    }
    lit = lit <= 0.0f ? 0.0f : lit;
    next.to = along_(ray->to, -2.0f * dot_(ray->to, normal), normal);
    *ray = next;
    *weight = share * found->mirror;
    return share * (1.0f - found->mirror) * fmaf(lit, found->albedo, 0.1f);
}

static void reference_(struct work *work, int width, int height, int bounces)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            struct ray ray = {{0.0f, 1.0f, -4.0f},
                              {((float)x + 0.5f) / (float)width - 0.5f,
                               0.5f - ((float)y + 0.5f) / (float)height, 1.0f}};
            float weight = 1.0f, sum = 0.0f;
            for (int i = 0; i < bounces && weight > 0.0f; i++) {
                sum += trace_(work, &ray, &weight);
            }
            work->want[y * width + x] = sum;
        }
    }
}

static int body_(struct smrf_suite_run *run, void *memory)
{
    struct work *work = memory;
    int width = sizes[run->size].width, height = sizes[run->size].height;
    int bounces = sizes[run->size].bounces, slot_bytes = SLOT_BYTES;
    make_scene_(work, sizes[run->size].shapes);
    smrf_dptr shapes, slots, fields, image;
    SMRF_TRY(smrf_suite_buffer(run, &shapes, NULL, sizeof(smrf_dptr) * MAX_SHAPES));
    SMRF_TRY(smrf_suite_buffer(run, &slots, NULL, SLOT_BYTES * MAX_SHAPES));
    SMRF_TRY(smrf_suite_buffer(run, &fields, work->fields, sizeof work->fields));
    size_t pixels = (size_t)(width * height);
    SMRF_TRY(smrf_suite_buffer(run, &image, NULL, pixels * sizeof(float)));
    SMRF_TRY(SMRF_HOST_LAUNCH(run, "create", smrf_work_grid(work->count, 32), smrf_work_dim(32, 1),
                              &shapes, &slots, &slot_bytes, &fields, &work->count));
    SMRF_TRY(SMRF_HOST_LAUNCH(
        run, "render",
        smrf_work_dim((width + BLOCK_X - 1) / BLOCK_X, (height + BLOCK_Y - 1) / BLOCK_Y),
        smrf_work_dim(BLOCK_X, BLOCK_Y), &image, &width, &height, &bounces, &shapes, &work->count));
    SMRF_TRY(smrf_device_read(run->device, work->got, image, pixels * sizeof(float)));
    reference_(work, width, height, bounces);
    return smrf_suite_check_f32(run, "pixel", work->got, work->want, pixels, 0, 0);
}

static int run_ray_(struct smrf_suite_run *run)
{
    return smrf_work(run, sizeof(struct work), body_);
}

SMRF_WORK_BUILDS(ray, "ray", "ray", "ray tracer with virtual functions",
                 "16 x 8 pixels, 6 shapes, 2 bounces", "128 x 80 pixels, 6 shapes, 2 bounces",
                 "640 x 576 pixels, 6 shapes, 2 bounces", run_ray_);
