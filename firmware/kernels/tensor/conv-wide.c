/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions with warp tiles of 64 x 64, shapes of DeepBench's list for training, scaled down;
 * only the way forward. The inputs make every sum exact: results agree bit for bit. */
#include "firmware/kernels/deepbench/conv_shape.h"
#include "firmware/kernels/deepbench/tensor.h"

/* What one pixel and filter come to. */
static float sum_(const struct conv_shape *s, const float *image, const float *filter, int pixel)
{
    const int n = pixel / (s->p * s->q), p = pixel / s->q % s->p, q = pixel % s->q;
    float sum = 0.0f;
    for (int tap = 0; tap < s->r * s->s; tap++) {
        const int y = p * s->stride - s->pad + tap / s->s, x = q * s->stride - s->pad + tap % s->s;
        if (y < 0 || y >= s->h || x < 0 || x >= s->w) {
            continue;
        }
        for (int c = 0; c < s->c; c++) {
            sum += image[((n * s->h + y) * s->w + x) * s->c + c] * filter[tap * s->c + c];
        }
    }
    return sum;
}

static int body_(struct smrf_host *host, const struct conv_shape *s)
{
    struct tensor image, filters, out;
    const int pixels = s->n * s->p * s->q;
    struct conv_shape shape = *s;
    uint32_t by_q = UINT32_MAX / (uint32_t)s->q + 1,
             by_pq = UINT32_MAX / (uint32_t)(s->p * s->q) + 1;
    const size_t each = (size_t)(s->r * s->s * s->c);
    struct smrf_suite_rng rng = {9};
    SMRF_TRY(
        smrf_tensor_exact(host, &image, (size_t)(s->n * s->h * s->w * s->c), &rng, SMRF_EXACT_F32));
    SMRF_TRY(smrf_tensor_exact(host, &filters, (size_t)s->k * each, &rng, SMRF_EXACT_F32));
    SMRF_TRY(smrf_tensor_zero(host, &out, (size_t)pixels * (size_t)s->k));
    const struct smrf_exec_dim grid = {(uint32_t)(s->k + 127) / 128, (uint32_t)(pixels + 127) / 128,
                                       1};
    const struct smrf_exec_dim block = {128, 1, 1};
    SMRF_TRY(SMRF_HOST_LAUNCH(host->run, "conv_wide", grid, block, &image.device, &filters.device,
                              &out.device, &shape, &by_q, &by_pq));
    for (int pixel = 0; pixel < pixels; pixel++) {
        for (int k = 0; k < s->k; k++) {
            out.value[(size_t)pixel * (size_t)s->k + (size_t)k] =
                smrf_round_half(sum_(s, image.value, filters.value + (size_t)k * each, pixel));
        }
    }
    return smrf_tensor_check(host, "out", &out, 0.0, 0.0);
}

/* Square images and filters, stride 1, padded so that results are as many as pixels. */
struct layer {
    int size, c, n, k, r;
};

static int perform_(struct smrf_suite_run *run, struct layer l)
{
    struct smrf_host host = {run, NULL};
    const struct conv_shape s = {.n = l.n,
                                 .h = l.size,
                                 .w = l.size,
                                 .c = l.c,
                                 .k = l.k,
                                 .r = l.r,
                                 .s = l.r,
                                 .pad = l.r / 2,
                                 .stride = 1,
                                 .p = l.size,
                                 .q = l.size};
    const int rc = body_(&host, &s);
    smrf_host_free(&host);
    return rc;
}

#define TEXT(SIZE, C, N, K, R) #SIZE " x " #SIZE ", c n k " #C " " #N " " #K ", " #R " x " #R
#define TEXT_OF(...) TEXT(__VA_ARGS__)
#define SIZES(ID, SUMMARY, SMALL, MEDIUM, LARGE)                                                   \
    static int run_##ID(struct smrf_suite_run *r)                                                  \
    {                                                                                              \
        static const struct layer layers[SMRF_SIZES] = {{SMALL}, {MEDIUM}, {LARGE}};               \
        return perform_(r, layers[r->size]);                                                       \
    }                                                                                              \
    const struct smrf_suite_program smrf_conv_wide_##ID = {                                        \
        "conv_wide_" #ID,                                                                          \
        "tensor",                                                                                  \
        SUMMARY,                                                                                   \
        "conv-wide",                                                                               \
        {TEXT_OF(SMALL), TEXT_OF(MEDIUM), TEXT_OF(LARGE)},                                         \
        .run = run_##ID}
#define A(...) __VA_ARGS__

/* clang-format off */
SIZES(a, "convolution, warp tiles of 64 x 64: 14 14 512 16 512, 3 x 3",
      A(8, 128, 1, 128, 3), A(14, 256, 10, 128, 3), A(14, 256, 16, 256, 3));
SIZES(b, "convolution, warp tiles of 64 x 64: 7 7 832 16 256, 1 x 1",
      A(8, 832, 1, 128, 1), A(14, 832, 10, 256, 1), A(14, 832, 16, 512, 1));
/* clang-format on */
