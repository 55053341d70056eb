/* SPDX-License-Identifier: Apache-2.0 */
#include "lavamd.h"

#include "rodinia.h"

#include <math.h>

static const struct {
    int x, y, z;
    int home; /* boxes whose particles' forces are computed */
} sizes[SMRF_SIZES] = {{2, 1, 1, 1}, {10, 8, 1, 80}, {4, 4, 5, 80}};

struct boxes {
    int count, particles;
    struct lavamd_box *box;
    struct lavamd_vector *position, *got;
    float *charge;
    float *want; /* as the vectors: v, x, y, z */
};

/* Boxes of unit side in a row-major grid; every box knows those around it. */
static void set_neighbours_(struct boxes *b, int nx, int ny, int nz)
{
    for (int i = 0; i < b->count; i++) {
        const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
        b->box[i].first = i * LAVAMD_PARTICLES;
        for (int j = 0; j < 27; j++) {
            const int ox = x + j % 3 - 1, oy = y + j / 3 % 3 - 1, oz = z + j / 9 - 1;
            const bool inside = ox >= 0 && ox < nx && oy >= 0 && oy < ny && oz >= 0 && oz < nz;
            const int other = (oz * ny + oy) * nx + ox;
            if (inside && other != i) {
                b->box[i].neighbours[b->box[i].num_neighbours++] = other;
            }
        }
    }
}

static int prepare_(struct smrf_rodinia_host *host, struct boxes *b, int nx, int ny, int nz)
{
    struct smrf_suite_rng rng = {8};
    b->count = nx * ny * nz;
    b->particles = b->count * LAVAMD_PARTICLES;
    b->box = smrf_rodinia_take(host, (size_t)b->count, sizeof *b->box);
    b->position = smrf_rodinia_take(host, (size_t)b->particles, sizeof *b->position);
    b->got = smrf_rodinia_take(host, (size_t)b->particles, sizeof *b->got);
    b->charge = smrf_rodinia_take(host, (size_t)b->particles, sizeof *b->charge);
    b->want = smrf_rodinia_take(host, (size_t)b->particles * 4, sizeof *b->want);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    set_neighbours_(b, nx, ny, nz);
    for (int i = 0; i < b->particles; i++) {
        const int box = i / LAVAMD_PARTICLES, plane = box / (nx * ny);
        struct lavamd_vector *p = &b->position[i];
        p->x = (float)(box % nx) + smrf_suite_f32(&rng, 0, 1);
        p->y = (float)(box / nx % ny) + smrf_suite_f32(&rng, 0, 1);
        p->z = (float)plane + smrf_suite_f32(&rng, 0, 1);
        p->v = 0.5f * (p->x * p->x + p->y * p->y + p->z * p->z);
        b->charge[i] = smrf_suite_f32(&rng, 0.1f, 1.0f);
    }
    return 0;
}

/* What particles of the box `other` do to particle i, in double precision. */
static void add_box_(const struct boxes *b, double a2, int i, int other, double sum[4])
{
    const struct lavamd_vector *p = &b->position[i];
    for (int j = b->box[other].first; j < b->box[other].first + LAVAMD_PARTICLES; j++) {
        const struct lavamd_vector *q = &b->position[j];
        const double dx = (double)p->x - (double)q->x, dy = (double)p->y - (double)q->y;
        const double dz = (double)p->z - (double)q->z;
        const double r2 = 0.5 * (dx * dx + dy * dy + dz * dz);
        const double vij = exp(-a2 * r2) * (double)b->charge[j];
        sum[0] += vij;
        sum[1] += 2 * vij * dx;
        sum[2] += 2 * vij * dy;
        sum[3] += 2 * vij * dz;
    }
}

static void reference_(const struct boxes *b, double alpha)
{
    for (int i = 0; i < b->particles; i++) {
        const struct lavamd_box *home = &b->box[i / LAVAMD_PARTICLES];
        double sum[4] = {0};
        add_box_(b, 2 * alpha * alpha, i, i / LAVAMD_PARTICLES, sum);
        for (int k = 0; k < home->num_neighbours; k++) {
            add_box_(b, 2 * alpha * alpha, i, home->neighbours[k], sum);
        }
        for (int k = 0; k < 4; k++) {
            b->want[i * 4 + k] = (float)sum[k];
        }
    }
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct boxes b = {0};
    struct lavamd_parameters parameters = {.alpha = 0.5f};
    SMRF_TRY(prepare_(host, &b, sizes[run->size].x, sizes[run->size].y, sizes[run->size].z));
    const uint64_t particles = (uint64_t)b.particles;
    int home = sizes[run->size].home;
    smrf_dptr d_boxes, d_positions, d_charges, d_forces;
    SMRF_TRY(smrf_suite_buffer(run, &d_boxes, b.box, (uint64_t)b.count * sizeof *b.box));
    SMRF_TRY(smrf_suite_buffer(run, &d_positions, b.position, particles * sizeof *b.position));
    SMRF_TRY(smrf_suite_buffer(run, &d_charges, b.charge, particles * sizeof *b.charge));
    SMRF_TRY(smrf_suite_buffer(run, &d_forces, b.got, particles * sizeof *b.got));
    SMRF_RODINIA_LAUNCH(run, "box_forces", smrf_rodinia_dim((uint32_t)home, 1),
                        smrf_rodinia_dim(LAVAMD_THREADS, 1), &parameters, &home, &d_boxes,
                        &d_positions, &d_charges, &d_forces);
    SMRF_TRY(smrf_device_read(run->device, b.got, d_forces, particles * sizeof *b.got));
    reference_(&b, (double)parameters.alpha);
    /* single precision: sums of up to 2700 terms below 2, the exponent of differences that cancel
     */
    return smrf_suite_check_f32(run, "potential or force", &b.got[0].v, b.want,
                                (size_t)home * LAVAMD_PARTICLES * 4, 2e-3, 2e-5);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_lavamd = {
    .name = "lavamd",
    .group = "rodinia",
    .summary = "molecular dynamics: particles of neighbouring boxes, 100 a box",
    .sass = "lavamd",
    .size_text = {"1 box and its one neighbour", "10 x 8 x 1 boxes", "4 x 4 x 5 boxes"},
    .run = run_,
};
