/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>

#define THREADS 128

static const struct {
    int particles, frames;
} sizes[SMRF_SIZES] = {{160, 2}, {1000, 3}, {4000, 2}};

struct filter {
    int n;
    double *x, *y, *weight, *distribution, *draw, *got;
};

static double uniform_(struct smrf_suite_rng *rng)
{
    return (double)smrf_suite_u32(rng) * 0x1p-32;
}

static double normal_(struct smrf_suite_rng *rng)
{
    const double u = uniform_(rng) + 1e-12, v = uniform_(rng);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Particles move as the object is thought to (one right, two up a frame), are weighted by how far
 * they are from where it is, and the draws spread evenly over the distribution. */
static void predict_(struct filter *f, struct smrf_suite_rng *rng, int frame)
{
    const double object_x = 64 + frame, object_y = 64 - 2 * frame;
    double sum = 0;
    for (int i = 0; i < f->n; i++) {
        f->x[i] += 1 + 5 * normal_(rng);
        f->y[i] += -2 + 2 * normal_(rng);
        const double dx = f->x[i] - object_x, dy = f->y[i] - object_y;
        f->weight[i] = exp(-(dx * dx + dy * dy) / 50);
        sum += f->weight[i];
    }
    double total = 0;
    for (int i = 0; i < f->n; i++) {
        total += f->weight[i] / sum;
        f->distribution[i] = total;
    }
    const double start = uniform_(rng) / f->n;
    for (int i = 0; i < f->n; i++) {
        f->draw[i] = start + (double)i / f->n;
    }
}

/* First particle whose cumulative share reaches the draw, by halving. */
static int find_(const struct filter *f, double draw)
{
    int low = 0, high = f->n - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (f->distribution[middle] >= draw) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* got[i] must be, bit by bit, old[the particle of draw i]. */
static int check_(struct smrf_suite_run *run, const struct filter *f, const char *what,
                  const double *old)
{
    for (int i = 0; i < f->n; i++) {
        const double want = old[find_(f, f->draw[i])];
        const int32_t same = !(f->got[i] < want) && !(f->got[i] > want), yes = 1;
        SMRF_TRY(smrf_suite_check_i32(run, what, &same, &yes, 1));
    }
    return 0;
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct smrf_suite_rng rng = {13};
    struct filter f = {.n = sizes[run->size].particles};
    double **arrays[] = {&f.x, &f.y, &f.weight, &f.distribution, &f.draw, &f.got};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = smrf_rodinia_take(host, (size_t)f.n, sizeof(double));
    }
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    const uint64_t bytes = (uint64_t)f.n * sizeof(double);
    smrf_dptr d_x, d_y, d_distribution, d_draws, d_new_x, d_new_y;
    smrf_dptr *const buffers[] = {&d_x, &d_y, &d_distribution, &d_draws, &d_new_x, &d_new_y};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        SMRF_TRY(smrf_suite_buffer(run, buffers[i], NULL, bytes));
    }
    for (int i = 0; i < f.n; i++) {
        f.x[i] = 64;
        f.y[i] = 64;
    }
    const uint32_t blocks = smrf_rodinia_blocks((size_t)f.n, THREADS);
    for (int frame = 1; frame <= sizes[run->size].frames; frame++) {
        predict_(&f, &rng, frame);
        SMRF_TRY(smrf_device_write(run->device, d_x, f.x, bytes));
        SMRF_TRY(smrf_device_write(run->device, d_y, f.y, bytes));
        SMRF_TRY(smrf_device_write(run->device, d_distribution, f.distribution, bytes));
        SMRF_TRY(smrf_device_write(run->device, d_draws, f.draw, bytes));
        SMRF_RODINIA_LAUNCH(run, "resample", smrf_rodinia_dim(blocks, 1),
                            smrf_rodinia_dim(THREADS, 1), &d_x, &d_y, &d_distribution, &d_draws,
                            &d_new_x, &d_new_y, &f.n);
        SMRF_TRY(smrf_device_read(run->device, f.got, d_new_x, bytes));
        SMRF_TRY(check_(run, &f, "x is the drawn particle's", f.x));
        SMRF_TRY(smrf_device_read(run->device, f.got, d_new_y, bytes));
        SMRF_TRY(check_(run, &f, "y is the drawn particle's", f.y));
        SMRF_TRY(smrf_device_read(run->device, f.x, d_new_x, bytes));
        SMRF_TRY(smrf_device_read(run->device, f.y, d_new_y, bytes));
    }
    return 0;
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_particlefilter_naive = {
    .name = "particlefilter-naive",
    .group = "rodinia",
    .summary = "resampling of a particle filter by linear search, double precision",
    .sass = "particlefilter-naive",
    .size_text = {"160 particles, 2 frames", "1000 particles, 3 frames",
                  "4000 particles, 2 frames"},
    .run = run_,
};
