/* SPDX-License-Identifier: Apache-2.0 */
#include "rodinia.h"

#include <math.h>
#include <string.h>

#define TILE 16

static const int order[SMRF_SIZES] = {48, 256, 560};

/* In place, L below the diagonal (its own is one), U on and above. Sums in the tiles' order: what
 * a tile takes from each tile left of it is added up before it is subtracted. */
static void decompose_(float *m, int n)
{
    for (int offset = 0; offset < n; offset += TILE) {
        const int end = offset + TILE;
        for (int k = offset; k < end; k++) {
            for (int i = k + 1; i < n; i++) {
                for (int j = offset; j < k; j++) {
                    m[i * n + k] = fmaf(-m[i * n + j], m[j * n + k], m[i * n + k]);
                }
                m[i * n + k] /= m[k * n + k];
            }
            for (int i = k + 1; k + 1 < end && i < n; i++) {
                for (int j = offset; j <= k; j++) {
                    m[(k + 1) * n + i] =
                        fmaf(-m[(k + 1) * n + j], m[j * n + i], m[(k + 1) * n + i]);
                }
            }
        }
        for (int y = end; y < n; y++) {
            for (int x = end; x < n; x++) {
                float sum = 0;
                for (int j = offset; j < end; j++) {
                    sum = fmaf(m[y * n + j], m[j * n + x], sum);
                }
                m[y * n + x] -= sum;
            }
        }
    }
}

/* L times U, to see that it is the matrix we began with. */
static void multiply_(const float *lu, int n, float *product)
{
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) {
            double sum = y <= x ? (double)lu[y * n + x] : 0;
            for (int k = 0; k <= x && k < y; k++) {
                sum += (double)lu[y * n + k] * (double)lu[k * n + x];
            }
            product[y * n + x] = (float)sum;
        }
    }
}

static int on_device_(struct smrf_suite_run *run, float *m, int n)
{
    const uint64_t bytes = (uint64_t)n * (uint64_t)n * sizeof(float);
    smrf_dptr d_m;
    SMRF_TRY(smrf_suite_buffer(run, &d_m, m, bytes));
    const struct smrf_exec_dim one = smrf_rodinia_dim(1, 1), row = smrf_rodinia_dim(TILE, 1);
    for (int offset = 0; offset < n; offset += TILE) {
        const uint32_t tiles = (uint32_t)((n - offset) / TILE - 1);
        SMRF_RODINIA_LAUNCH(run, "lud_diagonal", one, row, &d_m, &n, &offset);
        if (tiles == 0) {
            break;
        }
        SMRF_RODINIA_LAUNCH(run, "lud_perimeter", smrf_rodinia_dim(tiles, 1),
                            smrf_rodinia_dim(2 * TILE, 1), &d_m, &n, &offset);
        SMRF_RODINIA_LAUNCH(run, "lud_internal", smrf_rodinia_dim(tiles, tiles),
                            smrf_rodinia_dim(TILE, TILE), &d_m, &n, &offset);
    }
    return smrf_device_read(run->device, m, d_m, bytes);
}

static int body_(struct smrf_suite_run *run, struct smrf_rodinia_host *host)
{
    struct smrf_suite_rng rng = {9};
    const int n = order[run->size];
    const size_t cells = (size_t)n * (size_t)n;
    float *m = smrf_rodinia_take(host, cells, sizeof *m);
    float *got = smrf_rodinia_take(host, cells, sizeof *got);
    float *want = smrf_rodinia_take(host, cells, sizeof *want);
    if (host->failed) {
        return SMRF_ERR_NOMEM;
    }
    smrf_rodinia_fill(&rng, m, cells, -1.0f, 1.0f);
    for (int i = 0; i < n; i++) {
        m[i * n + i] = (float)n / 2; /* no pivoting is needed */
    }
    memcpy(got, m, cells * sizeof *m);
    memcpy(want, m, cells * sizeof *m);
    SMRF_TRY(on_device_(run, got, n));
    decompose_(want, n);
    SMRF_TRY(smrf_suite_check_f32(run, "LU", got, want, cells, 0, 0));
    multiply_(got, n, want);
    return smrf_suite_check_f32(run, "L x U", want, m, cells, 2e-5, 2e-6);
}

static int run_(struct smrf_suite_run *run)
{
    return smrf_rodinia_with_host(run, body_);
}

const struct smrf_suite_program smrf_rodinia_lud = {
    .name = "lud",
    .group = "rodinia",
    .summary = "LU decomposition by tiles: diagonal, perimeter and internal kernels",
    .sass = "lud",
    .size_text = {"48 x 48", "256 x 256", "560 x 560"},
    .run = run_,
};
