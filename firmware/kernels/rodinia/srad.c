/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>
#include <string.h>

#define THREADS 512
#define LAMBDA 0.5f

static const struct {
    int rows, columns, iterations;
} sizes[SMRF_SIZES] = {{36, 36, 1}, {128, 116, 6}, {256, 250, 14}};

/* Images lie column by column. */
struct images {
    int rows, columns, count;
    int *north, *south, *east, *west; /* neighbour's row or column, the edge's own at the edge */
    float *image, *coefficient, *dn, *ds, *de, *dw, *got;
};

struct device_images {
    smrf_dptr north, south, east, west, dn, ds, de, dw, coefficient, sums, squares, image;
};

static int prepare_(struct smrf_rodinia_host *host, struct images *m)
{
    struct smrf_suite_rng rng = {12};
    const size_t rows = (size_t)m->rows, columns = (size_t)m->columns, count = rows * columns;
    m->count = (int)count;
    m->north = smrf_rodinia_take(host, rows, sizeof(int));
    m->south = smrf_rodinia_take(host, rows, sizeof(int));
    m->east = smrf_rodinia_take(host, columns, sizeof(int));
    m->west = smrf_rodinia_take(host, columns, sizeof(int));
    float **planes[] = {&m->image, &m->coefficient, &m->dn, &m->ds, &m->de, &m->dw, &m->got};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++) {
        *planes[i] = smrf_rodinia_take(host, count, sizeof(float));
    }
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    for (int i = 0; i < m->rows; i++) {
        m->north[i] = i > 0 ? i - 1 : 0;
        m->south[i] = i < m->rows - 1 ? i + 1 : i;
    }
    for (int i = 0; i < m->columns; i++) {
        m->west[i] = i > 0 ? i - 1 : 0;
        m->east[i] = i < m->columns - 1 ? i + 1 : i;
    }
    /* bright and dark squares under speckle */
    for (int i = 0; i < m->count; i++) {
        const int square = (i % m->rows / 16 + i / m->rows / 16) % 2;
        m->image[i] = (square ? 170.0f : 80.0f) * smrf_suite_f32(&rng, 0.7f, 1.3f);
    }
    return 0;
}

static void diffuse_(struct images *m, float q0sqr)
{
    const int rows = m->rows;
    for (int i = 0; i < m->count; i++) {
        const int r = i % rows, c = i / rows;
        const float jc = m->image[i];
        m->dn[i] = m->image[m->north[r] + rows * c] - jc;
        m->ds[i] = m->image[m->south[r] + rows * c] - jc;
        m->dw[i] = m->image[r + rows * m->west[c]] - jc;
        m->de[i] = m->image[r + rows * m->east[c]] - jc;
        const float squares =
            m->dn[i] * m->dn[i] + m->ds[i] * m->ds[i] + m->dw[i] * m->dw[i] + m->de[i] * m->de[i];
        const float g2 = squares / (jc * jc);
        const float l = (m->dn[i] + m->ds[i] + m->dw[i] + m->de[i]) / jc;
        const float den = 1 + 0.25f * l;
        const float qsqr = (0.5f * g2 - (1.0f / 16.0f) * (l * l)) / (den * den);
        const float k = 1.0f / (1.0f + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr)));
        m->coefficient[i] = k < 0 ? 0 : k > 1 ? 1 : k;
    }
    for (int i = 0; i < m->count; i++) {
        const int r = i % rows, c = i / rows;
        const float cs = m->coefficient[m->south[r] + rows * c];
        const float ce = m->coefficient[r + rows * m->east[c]];
        const float divergence = m->coefficient[i] * m->dn[i] + cs * m->ds[i] +
                                 m->coefficient[i] * m->dw[i] + ce * m->de[i];
        m->image[i] += 0.25f * LAMBDA * divergence;
    }
}

static int allocate_(struct smrf_suite_run *run, const struct images *m, struct device_images *d)
{
    const uint64_t rows = (uint64_t)m->rows * sizeof(int);
    const uint64_t columns = (uint64_t)m->columns * sizeof(int);
    const uint64_t bytes = (uint64_t)m->count * sizeof(float);
    SMRF_TRY(smrf_suite_buffer(run, &d->north, m->north, rows));
    SMRF_TRY(smrf_suite_buffer(run, &d->south, m->south, rows));
    SMRF_TRY(smrf_suite_buffer(run, &d->east, m->east, columns));
    SMRF_TRY(smrf_suite_buffer(run, &d->west, m->west, columns));
    smrf_dptr *planes[] = {&d->dn, &d->ds, &d->de, &d->dw, &d->coefficient, &d->sums, &d->squares};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++) {
        SMRF_TRY(smrf_suite_buffer(run, planes[i], NULL, bytes));
    }
    return smrf_suite_buffer(run, &d->image, m->image, bytes);
}

/* Sum and sum of squares of the image, a factor THREADS a launch; checked against doubles. */
static int statistics_(struct smrf_suite_run *run, struct images *m, struct device_images *d,
                       float total[2])
{
    const struct smrf_exec_dim block = smrf_rodinia_dim(THREADS, 1);
    int count = m->count, spacing = 1;
    uint32_t blocks = smrf_rodinia_blocks((size_t)count, THREADS);
    SMRF_RODINIA_LAUNCH(run, "prepare", smrf_rodinia_dim(blocks, 1), block, &count, &d->image,
                        &d->sums, &d->squares);
    while (count > 1) {
        blocks = smrf_rodinia_blocks((size_t)count, THREADS);
        SMRF_RODINIA_LAUNCH(run, "reduce", smrf_rodinia_dim(blocks, 1), block, &count, &spacing,
                            &d->sums, &d->squares);
        count = (int)blocks;
        spacing *= THREADS;
    }
    SMRF_TRY(smrf_device_read(run->device, &total[0], d->sums, sizeof(float)));
    SMRF_TRY(smrf_device_read(run->device, &total[1], d->squares, sizeof(float)));
    double sum = 0, squares = 0;
    for (int i = 0; i < m->count; i++) {
        sum += (double)m->image[i];
        squares += (double)m->image[i] * (double)m->image[i];
    }
    const float want[2] = {(float)sum, (float)squares};
    return smrf_suite_check_f32(run, "sum or sum of squares", total, want, 2, 0, 1e-6);
}

static int iterate_(struct smrf_suite_run *run, struct images *m, struct device_images *d)
{
    const struct smrf_exec_dim block = smrf_rodinia_dim(THREADS, 1);
    const struct smrf_exec_dim grid =
        smrf_rodinia_dim(smrf_rodinia_blocks((size_t)m->count, THREADS), 1);
    float total[2], lambda = LAMBDA;
    SMRF_TRY(statistics_(run, m, d, total));
    const float mean = total[0] / (float)m->count;
    const float variance = total[1] / (float)m->count - mean * mean;
    float q0sqr = variance / (mean * mean);
    SMRF_RODINIA_LAUNCH(run, "gradients", grid, block, &m->rows, &m->count, &d->north, &d->south,
                        &d->east, &d->west, &d->dn, &d->ds, &d->de, &d->dw, &q0sqr, &d->coefficient,
                        &d->image);
    SMRF_RODINIA_LAUNCH(run, "diffuse", grid, block, &lambda, &m->rows, &m->count, &d->south,
                        &d->east, &d->dn, &d->ds, &d->de, &d->dw, &d->coefficient, &d->image);
    const size_t count = (size_t)m->count;
    diffuse_(m, q0sqr);
    SMRF_TRY(smrf_device_read(run->device, m->got, d->coefficient, count * sizeof(float)));
    SMRF_TRY(smrf_suite_check_f32(run, "diffusion coefficient", m->got, m->coefficient, count, 5e-5,
                                  5e-5));
    SMRF_TRY(smrf_device_read(run->device, m->got, d->image, count * sizeof(float)));
    SMRF_TRY(smrf_suite_check_f32(run, "image", m->got, m->image, count, 0, 2.5e-7));
    /* rounding must not add up over the iterations */
    memcpy(m->image, m->got, count * sizeof(float));
    return 0;
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct images m = {.rows = sizes[run->size].rows, .columns = sizes[run->size].columns};
    struct device_images d;
    SMRF_TRY(prepare_(host, &m));
    SMRF_TRY(allocate_(run, &m, &d));
    const size_t count = (size_t)m.count;
    const struct smrf_exec_dim block = smrf_rodinia_dim(THREADS, 1);
    const struct smrf_exec_dim grid = smrf_rodinia_dim(smrf_rodinia_blocks(count, THREADS), 1);
    SMRF_RODINIA_LAUNCH(run, "extract", grid, block, &m.count, &d.image);
    for (size_t i = 0; i < count; i++) {
        m.image[i] = expf(m.image[i] / 255);
    }
    SMRF_TRY(smrf_device_read(run->device, m.got, d.image, count * sizeof(float)));
    SMRF_TRY(smrf_suite_check_f32(run, "exponential", m.got, m.image, count, 0, 2.5e-7));
    memcpy(m.image, m.got, count * sizeof(float));
    for (int i = 0; i < sizes[run->size].iterations; i++) {
        SMRF_TRY(iterate_(run, &m, &d));
    }
    SMRF_RODINIA_LAUNCH(run, "compress", grid, block, &m.count, &d.image);
    for (size_t i = 0; i < count; i++) {
        m.image[i] = logf(m.image[i]) * 255;
    }
    SMRF_TRY(smrf_device_read(run->device, m.got, d.image, count * sizeof(float)));
    return smrf_suite_check_f32(run, "logarithm", m.got, m.image, count, 3e-5, 2.5e-7);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_srad = {
    .name = "srad",
    .group = "rodinia",
    .summary = "speckle-reducing diffusion: reductions, gradients, update of an image",
    .sass = "srad",
    .size_text = {"36 x 36, 1 iteration", "128 x 116, 6 iterations", "256 x 250, 14 iterations"},
    .run = run_,
};
