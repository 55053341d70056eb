/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>
#include <string.h>

#define THREADS 256 /* of the multipliers' kernel */
#define SIDE 16     /* of the elimination's blocks */

static const int order[SMRF_SIZES] = {32, 112, 240};

/* Rows of matrix a, which the elimination makes upper triangular; m keeps the multipliers. */
static void eliminate_(float *m, float *a, float *b, int n)
{
    for (int t = 0; t < n - 1; t++) {
        for (int i = t + 1; i < n; i++) {
            m[n * i + t] = a[n * i + t] / a[n * t + t];
            for (int j = t; j < n; j++) {
                a[n * i + j] = fmaf(-m[n * i + t], a[n * t + j], a[n * i + j]);
            }
            b[i] = fmaf(-m[n * i + t], b[t], b[i]);
        }
    }
}

static void solve_(const float *a, const float *b, int n, float *x)
{
    for (int i = n - 1; i >= 0; i--) {
        float sum = b[i];
        for (int j = i + 1; j < n; j++) {
            sum -= a[n * i + j] * x[j];
        }
        x[i] = sum / a[n * i + i];
    }
}

static int on_device_(struct smrf_suite_run *run, float *m, float *a, float *b, int n)
{
    const uint64_t bytes = (uint64_t)n * (uint64_t)n * sizeof(float);
    smrf_dptr d_m, d_a, d_b;
    SMRF_TRY(smrf_suite_buffer(run, &d_m, m, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_a, a, bytes));
    SMRF_TRY(smrf_suite_buffer(run, &d_b, b, (uint64_t)n * sizeof(float)));
    const uint32_t tiles = smrf_rodinia_blocks((size_t)n, SIDE);
    for (int t = 0; t < n - 1; t++) {
        SMRF_RODINIA_LAUNCH(run, "multipliers",
                            smrf_rodinia_dim(smrf_rodinia_blocks((size_t)n, THREADS), 1),
                            smrf_rodinia_dim(THREADS, 1), &d_m, &d_a, &n, &t);
        SMRF_RODINIA_LAUNCH(run, "eliminate", smrf_rodinia_dim(tiles, tiles),
                            smrf_rodinia_dim(SIDE, SIDE), &d_m, &d_a, &d_b, &n, &t);
    }
    SMRF_TRY(smrf_device_read(run->device, m, d_m, bytes));
    SMRF_TRY(smrf_device_read(run->device, a, d_a, bytes));
    return smrf_device_read(run->device, b, d_b, (uint64_t)n * sizeof(float));
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct smrf_suite_rng rng = {5};
    const int n = order[run->size];
    const size_t cells = (size_t)n * (size_t)n;
    float *a = smrf_rodinia_take(host, cells, sizeof *a);
    float *m = smrf_rodinia_take(host, cells, sizeof *m);
    float *b = smrf_rodinia_take(host, (size_t)n, sizeof *b);
    float *want_a = smrf_rodinia_take(host, cells, sizeof *a);
    float *want_m = smrf_rodinia_take(host, cells, sizeof *m);
    float *want_b = smrf_rodinia_take(host, (size_t)n, sizeof *b);
    float *x = smrf_rodinia_take(host, (size_t)n, sizeof *x);
    float *truth = smrf_rodinia_take(host, (size_t)n, sizeof *truth);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    /* diagonally dominant, so that no pivoting is needed; solution known */
    smrf_rodinia_fill(&rng, a, cells, -1.0f, 1.0f);
    smrf_rodinia_fill(&rng, truth, (size_t)n, -1.0f, 1.0f);
    for (int i = 0; i < n; i++) {
        a[n * i + i] = (float)n;
        double sum = 0;
        for (int j = 0; j < n; j++) {
            sum += (double)a[n * i + j] * (double)truth[j];
        }
        b[i] = (float)sum;
    }
    memcpy(want_a, a, cells * sizeof *a);
    memcpy(want_b, b, (size_t)n * sizeof *b);
    SMRF_TRY(on_device_(run, m, a, b, n));
    eliminate_(want_m, want_a, want_b, n);
    SMRF_TRY(smrf_suite_check_f32(run, "multiplier", m, want_m, cells, 0, 0));
    SMRF_TRY(smrf_suite_check_f32(run, "matrix", a, want_a, cells, 0, 0));
    SMRF_TRY(smrf_suite_check_f32(run, "right side", b, want_b, (size_t)n, 0, 0));
    solve_(a, b, n, x);
    return smrf_suite_check_f32(run, "solution", x, truth, (size_t)n, 5e-6, 0);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_gaussian = {
    .name = "gaussian",
    .group = "rodinia",
    .summary = "Gaussian elimination, two kernels a column",
    .sass = "gaussian",
    .size_text = {"32 unknowns", "112 unknowns", "240 unknowns"},
    .run = run_,
};
