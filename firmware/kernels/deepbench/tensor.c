/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor.h"

float smrf_round_half(float value)
{
    return smrf_suite_from_half(smrf_suite_half(value));
}

int smrf_tensor_send(struct smrf_host *host, struct tensor *t)
{
    uint16_t *bits;
    SMRF_HOST_GET(host, bits, t->count);
    for (size_t i = 0; i < t->count; i++) {
        bits[i] = smrf_suite_half(t->value[i]);
    }
    return smrf_suite_buffer(host->run, &t->device, bits, t->count * sizeof *bits);
}

static int room_(struct smrf_host *host, struct tensor *t, size_t count)
{
    SMRF_HOST_GET(host, t->value, count);
    t->count = count;
    return 0;
}

int smrf_tensor_zero(struct smrf_host *host, struct tensor *t, size_t count)
{
    SMRF_TRY(room_(host, t, count));
    return smrf_tensor_send(host, t);
}

int smrf_tensor_exact(struct smrf_host *host, struct tensor *t, size_t count,
                      struct smrf_suite_rng *rng, int steps)
{
    SMRF_TRY(room_(host, t, count));
    for (size_t i = 0; i < count; i++) {
        int step = (int)(smrf_suite_u32(rng) % (uint32_t)(2 * steps + 1)) - steps;
        t->value[i] = (float)step / (float)steps;
    }
    return smrf_tensor_send(host, t);
}

int smrf_tensor_random(struct smrf_host *host, struct tensor *t, size_t count,
                       struct smrf_suite_rng *rng, float limit)
{
    SMRF_TRY(room_(host, t, count));
    for (size_t i = 0; i < count; i++) {
        t->value[i] = smrf_round_half(smrf_suite_f32(rng, -limit, limit));
    }
    return smrf_tensor_send(host, t);
}

float *smrf_tensor_read(struct smrf_host *host, const struct tensor *t)
{
    uint16_t *bits = smrf_host_get(host, t->count, sizeof *bits);
    float *got = smrf_host_get(host, t->count, sizeof *got);
    if (bits == NULL || got == NULL ||
        smrf_device_read(host->run->device, bits, t->device, t->count * sizeof *bits) < 0) {
        return NULL;
    }
    for (size_t i = 0; i < t->count; i++) {
        got[i] = smrf_suite_from_half(bits[i]);
    }
    return got;
}

int smrf_tensor_check(struct smrf_host *host, const char *what, const struct tensor *t,
                      double absolute, double relative)
{
    const float *got = smrf_tensor_read(host, t);
    if (got == NULL) {
        return SMRF_ERR_NOMEM;
    }
    return smrf_suite_check_f32(host->run, what, got, t->value, t->count, absolute, relative);
}

/* The span side by side for every k, so that the sums below run over contiguous floats. */
static int by_k_(struct smrf_host *host, const float *from, struct layout layout, int span, int k,
                 float **to)
{
    SMRF_HOST_GET(host, *to, (size_t)span * (size_t)k);
    for (int i = 0; i < span; i++) {
        for (int l = 0; l < k; l++) {
            (*to)[l * span + i] =
                layout.along ? from[i * layout.stride + l] : from[l * layout.stride + i];
        }
    }
    return 0;
}

int smrf_product(struct smrf_host *host, const float *a, struct layout la, const float *b,
                 struct layout lb, float *c, int ldc, int m, int n, int k)
{
    float *ka, *kb;
    SMRF_TRY(by_k_(host, a, la, m, k, &ka));
    SMRF_TRY(by_k_(host, b, lb, n, k, &kb));
    for (int j = 0; j < n; j++) {
        float *column = c + (size_t)j * (size_t)ldc;
        for (int l = 0; l < k; l++) {
            const float factor = kb[l * n + j];
            for (int i = 0; i < m; i++) {
                column[i] += ka[l * m + i] * factor;
            }
        }
    }
    return 0;
}

int smrf_tile_pick(const struct smrf_tile *const tiles[], int count, int m, int n)
{
    int i = 0;
    while (i < count - 1) {
        const struct smrf_exec_dim grid = smrf_tile_grid(tiles[i], m, n);
        if (grid.x * grid.y >= SMRF_FILL) {
            break;
        }
        i++;
    }
    return i;
}

struct smrf_exec_dim smrf_tile_grid(const struct smrf_tile *tile, int m, int n)
{
    return (struct smrf_exec_dim){smrf_host_cover(m, tile->bm), smrf_host_cover(n, tile->bn), 1};
}

struct smrf_exec_dim smrf_tile_block(const struct smrf_tile *tile)
{
    const int threads =
        SMRF_TILE_THREADS(tile->bm, tile->bn, tile->bk, tile->wm, tile->wn, tile->slices);
    return (struct smrf_exec_dim){(uint32_t)threads, 1, 1};
}

int smrf_gemm(struct smrf_suite_run *run, const struct gemm_kernel *kernel, smrf_dptr a, int lda,
              smrf_dptr b, int ldb, smrf_dptr c, int ldc, int m, int n, int k, float alpha,
              float beta)
{
    return SMRF_HOST_LAUNCH(run, kernel->name, smrf_tile_grid(&kernel->tile, m, n),
                            smrf_tile_block(&kernel->tile), &a, &b, &c, &m, &n, &k, &lda, &ldb,
                            &ldc, &alpha, &beta);
}
