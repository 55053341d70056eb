/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>
#include <string.h>

#define THREADS 128
#define SIDE 128 /* pixels of a frame, each way */
#define RADIUS 5 /* of the object */
#define MAX_POINTS ((2 * RADIUS + 1) * (2 * RADIUS + 1))

static const struct {
    int particles, frames;
} sizes[SMRF_SIZES] = {{128, 1}, {1000, 3}, {4000, 2}};

/* The host's copy of everything, which each kernel's check starts from. */
struct filter {
    int n, num_points;
    int object[MAX_POINTS * 2]; /* offsets of the object's points from its middle */
    int *seeds;
    unsigned char *frame;
    float *x, *y, *old_x, *old_y, *likelihood, *weights, *distribution, *draws, *want;
};

struct device_filter {
    smrf_dptr x, y, old_x, old_y, likelihood, weights, distribution, draws, sums, seeds, frame,
        object;
};

static int prepare_(struct smrf_rodinia_host *host, struct filter *f)
{
    float **arrays[] = {&f->x,          &f->y,       &f->old_x,        &f->old_y,
                        &f->likelihood, &f->weights, &f->distribution, &f->draws,
                        &f->want};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = smrf_rodinia_take(host, (size_t)f->n, sizeof(float));
    }
    f->seeds = smrf_rodinia_take(host, (size_t)f->n, sizeof(int));
    f->frame = smrf_rodinia_take(host, SIDE * SIDE, 1);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    for (int y = -RADIUS; y <= RADIUS; y++) {
        for (int x = -RADIUS; x <= RADIUS; x++) {
            if (x * x + y * y < RADIUS * RADIUS) {
                f->object[f->num_points * 2] = x;
                f->object[f->num_points * 2 + 1] = y;
                f->num_points++;
            }
        }
    }
    const int middle = SIDE / 2;
    for (int i = 0; i < f->n; i++) {
        f->seeds[i] = 1000003 * (i + 1) & 0x7fffffff;
        f->old_x[i] = f->old_y[i] = (float)middle;
    }
    return 0;
}

/* A bright disc on a dark ground, both with noise; it moves one right and two up a frame. */
static void draw_frame_(struct filter *f, struct smrf_suite_rng *rng, int frame)
{
    const int middle_x = SIDE / 2 + frame, middle_y = SIDE / 2 - 2 * frame;
    for (int x = 0; x < SIDE; x++) {
        for (int y = 0; y < SIDE; y++) {
            const int dx = x - middle_x, dy = y - middle_y;
            const bool inside = dx * dx + dy * dy < RADIUS * RADIUS;
            const int noise = (int)(smrf_suite_u32(rng) % 21) - 10;
            f->frame[x * SIDE + y] = (unsigned char)((inside ? 228 : 100) + noise);
        }
    }
}

static double uniform_(int *seed)
{
    *seed = (int)((1103515245u * (uint32_t)*seed + 12345u) & 0x7fffffffu);
    return (double)*seed / 2147483648.0;
}

static double normal_(int *seed)
{
    const double u = uniform_(seed), v = uniform_(seed);
    return sqrt(-2 * log(u + 1e-7)) * cos(2 * 3.14159265358979 * v);
}

/* Mean log-likelihood that the object is at particle i. */
static float likelihood_(const struct filter *f, int i)
{
    double sum = 0;
    for (int p = 0; p < f->num_points; p++) {
        const int x = (int)rintf(f->x[i]) + f->object[p * 2];
        const int y = (int)rintf(f->y[i]) + f->object[p * 2 + 1];
        const bool outside = x < 0 || y < 0 || x >= SIDE || y >= SIDE;
        const double pixel = f->frame[outside ? 0 : x * SIDE + y];
        sum += ((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) / 50;
    }
    return (float)(sum / f->num_points);
}

/* Compare a device array with f->want, and keep the device's values in `got`. */
static int compare_(struct smrf_suite_run *run, struct filter *f, const char *what, smrf_dptr from,
                    float *got, double absolute, double relative)
{
    SMRF_TRY(smrf_device_read(run->device, got, from, (uint64_t)f->n * sizeof(float)));
    return smrf_suite_check_f32(run, what, got, f->want, (size_t)f->n, absolute, relative);
}

/* Positions and weights. The positions' noise goes through the device's sine and logarithm, so
 * what follows starts from the device's own positions: near a pixel's edge they decide. */
static int check_likelihoods_(struct smrf_suite_run *run, struct filter *f,
                              const struct device_filter *d)
{
    for (int i = 0; i < f->n; i++) {
        f->want[i] = (float)((double)f->old_x[i] + 1 + 5 * normal_(&f->seeds[i]));
        f->draws[i] = (float)((double)f->old_y[i] - 2 + 2 * normal_(&f->seeds[i]));
    }
    SMRF_TRY(compare_(run, f, "x", d->x, f->x, 2e-5, 2e-7));
    memcpy(f->want, f->draws, (size_t)f->n * sizeof(float));
    SMRF_TRY(compare_(run, f, "y", d->y, f->y, 2e-5, 2e-7));
    for (int i = 0; i < f->n; i++) {
        f->want[i] = likelihood_(f, i);
    }
    SMRF_TRY(compare_(run, f, "likelihood", d->likelihood, f->likelihood, 3e-4, 1e-6));
    for (int i = 0; i < f->n; i++) {
        f->want[i] = (float)(exp((double)f->likelihood[i] - 300) / f->n);
    }
    return compare_(run, f, "weight", d->weights, f->weights, 1e-37, 3e-7);
}

static int check_resampling_(struct smrf_suite_run *run, struct filter *f,
                             const struct device_filter *d)
{
    double sum = 0, share = 0;
    for (int i = 0; i < f->n; i++) {
        sum += (double)f->weights[i];
    }
    for (int i = 0; i < f->n; i++) {
        f->want[i] = (float)((double)f->weights[i] / sum);
    }
    SMRF_TRY(compare_(run, f, "normalised weight", d->weights, f->weights, 1e-37, 2e-6));
    for (int i = 0; i < f->n; i++) {
        share += (double)f->weights[i];
        f->want[i] = (float)share;
    }
    SMRF_TRY(compare_(run, f, "distribution", d->distribution, f->distribution, 0, 5e-6));
    const double start = uniform_(&f->seeds[0]) / f->n;
    for (int i = 0; i < f->n; i++) {
        f->want[i] = (float)(start + (double)i / f->n);
    }
    SMRF_TRY(compare_(run, f, "draw", d->draws, f->draws, 0, 3e-7));
    for (int i = 0; i < f->n; i++) {
        int j = 0;
        while (j < f->n - 1 && f->distribution[j] < f->draws[i]) {
            j++;
        }
        f->want[i] = f->x[j];
        f->likelihood[i] = f->y[j];
    }
    SMRF_TRY(compare_(run, f, "resampled x", d->old_x, f->old_x, 0, 0));
    memcpy(f->want, f->likelihood, (size_t)f->n * sizeof(float));
    return compare_(run, f, "resampled y", d->old_y, f->old_y, 0, 0);
}

static int track_(struct smrf_suite_run *run, struct filter *f, struct device_filter *d)
{
    int side = SIDE;
    const uint32_t blocks = smrf_rodinia_blocks((size_t)f->n, THREADS);
    int num_blocks = (int)blocks;
    const struct smrf_exec_dim grid = smrf_rodinia_dim(blocks, 1);
    const struct smrf_exec_dim block = smrf_rodinia_dim(THREADS, 1), one = smrf_rodinia_dim(1, 1);
    SMRF_TRY(smrf_device_write(run->device, d->frame, f->frame, SIDE * SIDE));
    SMRF_RODINIA_LAUNCH(run, "likelihoods", grid, block, &d->x, &d->y, &d->old_x, &d->old_y,
                        &d->object, &d->likelihood, &d->frame, &d->weights, &f->n, &f->num_points,
                        &side, &side, &d->seeds, &d->sums);
    SMRF_TRY(check_likelihoods_(run, f, d));
    SMRF_RODINIA_LAUNCH(run, "add_sums", one, block, &d->sums, &num_blocks);
    SMRF_RODINIA_LAUNCH(run, "normalise", grid, block, &d->weights, &d->sums, &f->n);
    SMRF_RODINIA_LAUNCH(run, "accumulate", one, one, &d->weights, &d->distribution, &d->draws,
                        &f->n, &d->seeds);
    SMRF_RODINIA_LAUNCH(run, "spread_draws", grid, block, &d->draws, &f->n);
    SMRF_RODINIA_LAUNCH(run, "find_index", grid, block, &d->x, &d->y, &d->distribution, &d->draws,
                        &d->old_x, &d->old_y, &f->n);
    return check_resampling_(run, f, d);
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct smrf_suite_rng rng = {14};
    struct filter f = {.n = sizes[run->size].particles};
    struct device_filter d;
    SMRF_TRY(prepare_(host, &f));
    const uint64_t bytes = (uint64_t)f.n * sizeof(float);
    smrf_dptr *const arrays[] = {&d.x,     &d.y,   &d.likelihood, &d.weights, &d.distribution,
                                 &d.draws, &d.sums};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        SMRF_TRY(smrf_suite_buffer(run, arrays[i], NULL, bytes));
    }
    SMRF_TRY(smrf_suite_buffer(run, &d.old_x, f.old_x, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d.old_y, f.old_y, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d.seeds, f.seeds, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d.frame, NULL, SIDE * SIDE));
    SMRF_TRY(smrf_suite_buffer(run, &d.object, f.object, sizeof f.object));
    for (int frame = 1; frame <= sizes[run->size].frames; frame++) {
        draw_frame_(&f, &rng, frame);
        SMRF_TRY(track_(run, &f, &d));
    }
    return 0;
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_particlefilter_float = {
    .name = "particlefilter-float",
    .group = "rodinia",
    .summary = "particle filter that follows an object: motion, likelihood, resampling",
    .sass = "particlefilter-float",
    .size_text = {"128 particles, 1 frame", "1000 particles, 3 frames", "4000 particles, 2 frames"},
    .run = run_,
};
