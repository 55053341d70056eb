/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>

#define STRIP 64  /* columns of a block */
#define WINDOW 8  /* rows a step */
#define WINDOWS 4 /* steps of a block */

static const struct {
    int width, height, levels;
} sizes[SMRF_SIZES] = {{48, 36, 1}, {192, 184, 3}, {640, 600, 3}};

/* What the two filters differ in: the reference on n values, stride apart, and its elements. */
struct filter {
    const char *kernel;
    void (*line)(void *data, int n, int stride, void *scratch);
    bool is_float;
};

struct plane {
    int width, height, levels;
    void *data, *scratch, *got; /* elements of 4 bytes */
    smrf_dptr device;
};

/* Index of a value beyond an end: whole-sample symmetric. */
static int mirror_(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i;
}

static void line53_(void *data, int n, int stride, void *scratch)
{
    int *x = data, *s = scratch;
    for (int i = 0; i < n; i++) {
        s[i] = x[i * stride];
    }
    /* shifts of negative numbers as the machine does them: rounded down */
    for (int i = 1; i < n; i += 2) {
        s[i] -= (int)floor((s[i - 1] + s[mirror_(i + 1, n)]) / 2.0);
    }
    for (int i = 0; i < n; i += 2) {
        s[i] += (int)floor((s[mirror_(i - 1, n)] + s[i + 1] + 2) / 4.0);
    }
    for (int i = 0; i < n; i++) {
        x[(i / 2 + (i % 2) * (n / 2)) * stride] = s[i];
    }
}

static void line97_(void *data, int n, int stride, void *scratch)
{
    static const float step[4] = {-1.586134342059924f, -0.052980118572961f, 0.882911075530934f,
                                  0.443506852043971f};
    const float scale = 1.230174104914001f;
    float *x = data, *s = scratch;
    for (int i = 0; i < n; i++) {
        s[i] = x[i * stride];
    }
    for (int k = 0; k < 4; k++) {
        for (int i = 1 - k % 2; i < n; i += 2) {
            s[i] = fmaf(step[k], s[mirror_(i - 1, n)] + s[mirror_(i + 1, n)], s[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        x[(i / 2 + (i % 2) * (n / 2)) * stride] = s[i] * (i % 2 ? scale : 1 / scale);
    }
}

/* Rows, then columns, of the part that the level before left. */
static void reference_(const struct plane *p, const struct filter *f)
{
    char *data = p->data;
    for (int level = 0; level < p->levels; level++) {
        const int width = p->width >> level, height = p->height >> level;
        for (int y = 0; y < height; y++) {
            f->line(data + (size_t)(y * p->width) * 4, width, 1, p->scratch);
        }
        for (int x = 0; x < width; x++) {
            f->line(data + (size_t)x * 4, height, p->width, p->scratch);
        }
    }
}

/* Transform p->data, which also lies in p->device, on both sides and compare. */
static int transform_(struct smrf_suite_run *run, struct plane *p, const struct filter *f)
{
    const size_t count = (size_t)p->width * (size_t)p->height;
    smrf_dptr out, low[2], from = p->device;
    SMRF_TRY(smrf_suite_buffer(run, &out, NULL, count * 4));
    SMRF_TRY(smrf_suite_buffer(run, &low[0], NULL, count));
    SMRF_TRY(smrf_suite_buffer(run, &low[1], NULL, count));
    int windows = WINDOWS, from_pitch = p->width;
    for (int level = 0; level < p->levels; level++) {
        const bool last = level == p->levels - 1;
        int width = p->width >> level, height = p->height >> level;
        int out_pitch = p->width, low_pitch = last ? p->width : width / 2;
        smrf_dptr to = last ? out : low[level % 2];
        SMRF_RODINIA_LAUNCH(run, f->kernel,
                            smrf_rodinia_dim(smrf_rodinia_blocks((size_t)width, STRIP),
                                             smrf_rodinia_blocks((size_t)height, WINDOW * WINDOWS)),
                            smrf_rodinia_dim(STRIP, 1), &from, &from_pitch, &to, &low_pitch, &out,
                            &out_pitch, &width, &height, &windows);
        from = to;
        from_pitch = low_pitch;
    }
    SMRF_TRY(smrf_device_read(run->device, p->got, out, count * 4));
    reference_(p, f);
    if (f->is_float) {
        return smrf_suite_check_f32(run, "9/7 coefficient", p->got, p->data, count, 1e-6, 5e-7);
    }
    return smrf_suite_check_i32(run, "5/3 coefficient", p->got, p->data, count);
}

static void draw_(unsigned char *pixels, int width, int height)
{
    struct smrf_suite_rng rng = {15};
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int c = 0; c < 3; c++) {
                const int smooth = (x * (c + 1) + 2 * y) % 200, edge = (x / 24 + y / 20) % 2 * 30;
                *pixels++ = (unsigned char)(smooth + edge + (int)(smrf_suite_u32(&rng) % 16));
            }
        }
    }
}

static int to_planes_(struct smrf_suite_run *run, struct plane planes[3],
                      const unsigned char *pixels)
{
    int count = planes[0].width * planes[0].height;
    smrf_dptr d_pixels;
    SMRF_TRY(smrf_suite_buffer(run, &d_pixels, pixels, (uint64_t)count * 3));
    for (int c = 0; c < 3; c++) {
        SMRF_TRY(smrf_suite_buffer(run, &planes[c].device, NULL, (uint64_t)count * 4));
        int *data = planes[c].data;
        for (int i = 0; i < count; i++) {
            data[i] = pixels[i * 3 + c] - 128;
        }
    }
    SMRF_RODINIA_LAUNCH(run, "to_planes",
                        smrf_rodinia_dim(smrf_rodinia_blocks((size_t)count, 256), 1),
                        smrf_rodinia_dim(256, 1), &d_pixels, &planes[0].device, &planes[1].device,
                        &planes[2].device, &count);
    for (int c = 0; c < 3; c++) {
        SMRF_TRY(
            smrf_device_read(run->device, planes[c].got, planes[c].device, (uint64_t)count * 4));
        SMRF_TRY(smrf_suite_check_i32(run, "plane", planes[c].got, planes[c].data, (size_t)count));
    }
    return 0;
}

/* The luminous plane once more in floating point, for the other filter. */
static int to_float_(struct smrf_suite_run *run, const struct plane *from, struct plane *to)
{
    int count = from->width * from->height;
    const int *integers = from->data;
    float *data = to->data;
    for (int i = 0; i < count; i++) {
        data[i] = (float)integers[i] / 255.0f;
    }
    SMRF_TRY(smrf_suite_buffer(run, &to->device, NULL, (uint64_t)count * 4));
    smrf_dptr source = from->device;
    SMRF_RODINIA_LAUNCH(run, "to_float",
                        smrf_rodinia_dim(smrf_rodinia_blocks((size_t)count, 256), 1),
                        smrf_rodinia_dim(256, 1), &source, &to->device, &count);
    return 0;
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    static const struct filter reversible = {"fdwt53", line53_, false};
    static const struct filter irreversible = {"fdwt97", line97_, true};
    const int width = sizes[run->size].width, height = sizes[run->size].height;
    const size_t count = (size_t)width * (size_t)height;
    struct plane planes[4];
    for (int i = 0; i < 4; i++) {
        planes[i] =
            (struct plane){.width = width, .height = height, .levels = sizes[run->size].levels};
        planes[i].data = smrf_rodinia_take(host, count, 4);
        planes[i].got = smrf_rodinia_take(host, count, 4);
        planes[i].scratch = smrf_rodinia_take(host, (size_t)(width + height), 4);
    }
    unsigned char *pixels = smrf_rodinia_take(host, count, 3);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    draw_(pixels, width, height);
    SMRF_TRY(to_planes_(run, planes, pixels));
    SMRF_TRY(to_float_(run, &planes[1], &planes[3]));
    for (int c = 0; c < 3 && (c == 0 || run->size != SMRF_SMALL); c++) {
        SMRF_TRY(transform_(run, &planes[c], &reversible));
    }
    return transform_(run, &planes[3], &irreversible);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_dwt2d = {
    .name = "dwt2d",
    .group = "rodinia",
    .summary = "2-D wavelet transform by lifting, 5/3 of three planes and 9/7 of one",
    .sass = "dwt2d",
    .size_text = {"48 x 36, 1 level, one plane each", "192 x 184, 3 levels", "640 x 600, 3 levels"},
    .run = run_,
};
