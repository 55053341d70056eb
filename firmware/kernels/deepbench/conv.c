/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions after DeepBench (half precision, shapes of its lists, scaled down); training does
 * the way forward, the image's gradient and the filters' gradient. The inputs make every sum
 * exact: results agree bit for bit. Channels are padded to 8 with zeroes, as libraries do for
 * tensor cores. */
#include "conv_shape.h"
#include "tensor.h"

struct work {
    struct conv_shape s;
    int real_c;  /* channels that are not padding */
    float *by_k; /* filters with the k side by side: [r][s][c][k] */
    struct tensor image, filters, out, out_gradient, image_gradient, filter_gradient;
};

/* Calls visit for every (result pixel, r, s) whose image pixel exists. */
static void each_tap_(struct work *w, void (*visit)(struct work *w, int pixel, int tap, int at))
{
    const struct conv_shape *s = &w->s;
    for (int pixel = 0; pixel < s->n * s->p * s->q; pixel++) {
        int n = pixel / (s->p * s->q), p = pixel / s->q % s->p, q = pixel % s->q;
        for (int tap = 0; tap < s->r * s->s; tap++) {
            int y = p * s->stride - s->pad + tap / s->s, x = q * s->stride - s->pad + tap % s->s;
            if (y >= 0 && y < s->h && x >= 0 && x < s->w) {
                visit(w, pixel, tap, (n * s->h + y) * s->w + x);
            }
        }
    }
}

static void forward_(struct work *w, int pixel, int tap, int at)
{
    float *out = w->out.value + (size_t)pixel * (size_t)w->s.k;
    for (int c = 0; c < w->real_c; c++) {
        const float x = w->image.value[at * w->s.c + c];
        const float *f = w->by_k + (size_t)(tap * w->s.c + c) * (size_t)w->s.k;
        for (int k = 0; k < w->s.k; k++) {
            out[k] += x * f[k];
        }
    }
}

static void backward_(struct work *w, int pixel, int tap, int at)
{
    const struct conv_shape *s = &w->s;
    const float *x = w->image.value + (size_t)at * (size_t)s->c;
    float *dx = w->image_gradient.value + (size_t)at * (size_t)s->c;
    for (int k = 0; k < s->k; k++) {
        const float d = w->out_gradient.value[pixel * s->k + k];
        const size_t first = (size_t)(k * s->r * s->s + tap) * (size_t)s->c;
        const float *f = w->filters.value + first;
        float *df = w->filter_gradient.value + first;
        for (int c = 0; c < s->c; c++) {
            dx[c] += d * f[c];
            df[c] += d * x[c];
        }
    }
}

static int check_(struct smrf_host *host, const char *what, struct tensor *t)
{
    for (size_t i = 0; i < t->count; i++) {
        t->value[i] = smrf_round_half(t->value[i]);
    }
    return smrf_tensor_check(host, what, t, 0.0, 0.0);
}

struct conv_kernel {
    const char *name;
    struct smrf_tile tile;
};

/* The big tile, or the small one where the big one makes too few blocks. */
static const struct conv_kernel forwards[] = {{"conv_forward", {SMRF_TILE_128X128}},
                                              {"conv_forward_64x64", {SMRF_TILE_64X64}}};
static const struct conv_kernel data_gradients[] = {
    {"conv_data_gradient", {SMRF_TILE_128X128}}, {"conv_data_gradient_64x64", {SMRF_TILE_64X64}}};
static const struct conv_kernel filter_gradients[] = {
    {"conv_filter_gradient", {SMRF_TILE_128X128}},
    {"conv_filter_gradient_64x64", {SMRF_TILE_64X64}}};
static const struct conv_kernel inference_32 = {"conv_forward_f16_32", {SMRF_TILE_32X256}};
static const struct conv_kernel inference_16 = {"conv_forward_f16_16", {SMRF_TILE_16X256}};

static int launch_(struct smrf_host *host, const struct conv_kernel *kernel, struct work *w,
                   const struct tensor *a, const struct tensor *b, const struct tensor *c, int rows,
                   int columns)
{
    return SMRF_HOST_LAUNCH(host->run, kernel->name, smrf_tile_grid(&kernel->tile, rows, columns),
                            smrf_tile_block(&kernel->tile), (void *)(uintptr_t)&a->device,
                            (void *)(uintptr_t)&b->device, (void *)(uintptr_t)&c->device, &w->s);
}

static const struct conv_kernel *fitting_(const struct conv_kernel kernels[2], int rows,
                                          int columns)
{
    const struct smrf_tile *const tiles[] = {&kernels[0].tile, &kernels[1].tile};
    return &kernels[smrf_tile_pick(tiles, 2, rows, columns)];
}

static int prepare_(struct smrf_host *host, struct work *w, int exact)
{
    const struct conv_shape *s = &w->s;
    const size_t c = (size_t)s->c, k = (size_t)s->k, taps = (size_t)(s->r * s->s);
    const size_t out_pixels = (size_t)s->n * (size_t)s->p * (size_t)s->q;
    struct smrf_suite_rng rng = {9};
    SMRF_TRY(smrf_tensor_exact(host, &w->image, (size_t)(s->n * s->h * s->w) * c, &rng, exact));
    SMRF_TRY(smrf_tensor_exact(host, &w->filters, k * taps * c, &rng, exact));
    SMRF_TRY(smrf_tensor_zero(host, &w->out, out_pixels * k));
    SMRF_HOST_GET(host, w->by_k, taps * c * k);
    for (size_t i = 0; i < k; i++) {
        for (size_t l = 0; l < taps * c; l++) {
            w->by_k[l * k + i] = w->filters.value[i * taps * c + l];
        }
    }
    return 0;
}

static int train_(struct smrf_host *host, struct work *w)
{
    const struct conv_shape *s = &w->s;
    const int out_pixels = s->n * s->p * s->q, pixels = s->n * s->h * s->w;
    const int elements = s->r * s->s * s->c;
    struct smrf_suite_rng rng = {10};
    SMRF_TRY(prepare_(host, w, SMRF_EXACT_F32));
    SMRF_TRY(smrf_tensor_exact(host, &w->out_gradient, w->out.count, &rng, SMRF_EXACT_F32));
    SMRF_TRY(smrf_tensor_zero(host, &w->image_gradient, w->image.count));
    SMRF_TRY(smrf_tensor_zero(host, &w->filter_gradient, w->filters.count));
    SMRF_TRY(launch_(host, fitting_(forwards, s->k, out_pixels), w, &w->image, &w->filters, &w->out,
                     s->k, out_pixels));
    SMRF_TRY(launch_(host, fitting_(data_gradients, s->c, pixels), w, &w->out_gradient, &w->filters,
                     &w->image_gradient, s->c, pixels));
    SMRF_TRY(launch_(host, fitting_(filter_gradients, elements, s->k), w, &w->image,
                     &w->out_gradient, &w->filter_gradient, elements, s->k));
    each_tap_(w, forward_);
    each_tap_(w, backward_);
    SMRF_TRY(check_(host, "out", &w->out));
    SMRF_TRY(check_(host, "image gradient", &w->image_gradient));
    return check_(host, "filter gradient", &w->filter_gradient);
}

/* Padding channels: the image's are zero, so that the filters' do not matter. */
static int infer_(struct smrf_host *host, struct work *w)
{
    const struct conv_shape *s = &w->s;
    SMRF_TRY(prepare_(host, w, SMRF_EXACT_F16));
    if (w->real_c < s->c) {
        for (size_t i = 0; i < w->image.count; i++) {
            if (i % (size_t)s->c >= (size_t)w->real_c) {
                w->image.value[i] = 0.0f;
            }
        }
        SMRF_TRY(smrf_tensor_send(host, &w->image));
    }
    SMRF_TRY(launch_(host, s->k > 16 ? &inference_32 : &inference_16, w, &w->image, &w->filters,
                     &w->out, s->k, s->n * s->p * s->q));
    each_tap_(w, forward_);
    return check_(host, "out", &w->out);
}

/* In the order of DeepBench's lists. */
struct shape {
    int w, h, c, n, k, s, r, pad, stride;
};

static int perform(struct smrf_suite_run *run, int (*body)(struct smrf_host *, struct work *),
                   struct shape in)
{
    struct smrf_host host = {run, NULL};
    struct work w = {.real_c = in.c};
    w.s = (struct conv_shape){
        .n = in.n,
        .h = in.h,
        .w = in.w,
        .c = (in.c + 7) / 8 * 8,
        .k = in.k,
        .r = in.r,
        .s = in.s,
        .pad = in.pad,
        .stride = in.stride,
        .p = (in.h + 2 * in.pad - in.r) / in.stride + 1,
        .q = (in.w + 2 * in.pad - in.s) / in.stride + 1,
    };
    int rc = body(&host, &w);
    smrf_host_free(&host);
    return rc;
}

#define TEXT(W, H, C, N, K, S, R, ...) "w h c n k " #W " " #H " " #C " " #N " " #K ", " #S " x " #R
#define TEXT_OF(...) TEXT(__VA_ARGS__)
#define SIZES(ID, SUMMARY, BODY, SMALL, MEDIUM, LARGE)                                             \
    static int run_##ID(struct smrf_suite_run *r)                                                  \
    {                                                                                              \
        static const struct shape shapes[SMRF_SIZES] = {{SMALL}, {MEDIUM}, {LARGE}};               \
        return perform(r, BODY, shapes[r->size]);                                                  \
    }                                                                                              \
    const struct smrf_suite_program smrf_conv_bench_##ID = {                                       \
        "conv_bench_" #ID,                                                                         \
        "deepbench",                                                                               \
        SUMMARY,                                                                                   \
        "conv",                                                                                    \
        {TEXT_OF(SMALL), TEXT_OF(MEDIUM), TEXT_OF(LARGE)},                                         \
        .run = run_##ID}
#define A(...) __VA_ARGS__

/* clang-format off */
SIZES(t1, "convolution, training: 7 7 832 16 128, 5 x 5", train_,
      A(4, 4, 24, 1, 64, 3, 3, 1, 1), A(7, 7, 48, 26, 64, 5, 5, 2, 1), A(7, 7, 192, 16, 128, 5, 5, 2, 1));
SIZES(t2, "convolution, training: 7 7 512 8 512, 1 x 1", train_,
      A(7, 7, 96, 2, 64, 1, 1, 0, 1), A(7, 7, 256, 12, 512, 1, 1, 0, 1), A(7, 7, 512, 8, 512, 1, 1, 0, 1));
SIZES(t3, "convolution, training: 7 7 832 16 256, 1 x 1", train_,
      A(7, 7, 96, 2, 64, 1, 1, 0, 1), A(7, 7, 512, 13, 256, 1, 1, 0, 1), A(7, 7, 832, 16, 256, 1, 1, 0, 1));
SIZES(t4, "convolution, training: 7 7 512 8 512, 3 x 3", train_,
      A(4, 4, 24, 1, 64, 3, 3, 1, 1), A(7, 7, 128, 13, 128, 3, 3, 1, 1), A(7, 7, 256, 8, 256, 3, 3, 1, 1));
SIZES(t5, "convolution, training: 14 14 512 16 512, 3 x 3", train_,
      A(5, 5, 24, 1, 64, 3, 3, 1, 1), A(14, 14, 128, 3, 128, 3, 3, 1, 1), A(14, 14, 256, 4, 256, 3, 3, 1, 1));
SIZES(i1, "convolution, inference: 700 161 1 1 32, 20 x 5, stride 2", infer_,
      A(60, 13, 1, 1, 32, 20, 5, 0, 2), A(276, 81, 1, 1, 32, 20, 5, 0, 2), A(700, 161, 1, 1, 32, 20, 5, 0, 2));
SIZES(i2, "convolution, inference: 700 161 1 2 32, 20 x 5, stride 2", infer_,
      A(40, 13, 1, 2, 32, 20, 5, 0, 2), A(198, 60, 1, 2, 32, 20, 5, 0, 2), A(700, 161, 1, 2, 32, 20, 5, 0, 2));
SIZES(i3, "convolution, inference: 341 79 32 1 32, 10 x 5, stride 2", infer_,
      A(40, 9, 16, 1, 32, 10, 5, 0, 2), A(276, 79, 16, 1, 32, 10, 5, 0, 2), A(341, 79, 32, 1, 32, 10, 5, 0, 2));
SIZES(i4, "convolution, inference: 341 79 32 2 32, 10 x 5, stride 2", infer_,
      A(20, 9, 16, 2, 32, 10, 5, 0, 2), A(204, 56, 16, 2, 32, 10, 5, 0, 2), A(341, 79, 32, 2, 32, 10, 5, 0, 2));
SIZES(i5, "convolution, inference: 480 48 1 1 16, 3 x 3", infer_,
      A(60, 16, 1, 1, 16, 3, 3, 1, 1), A(213, 48, 1, 1, 16, 3, 3, 1, 1), A(480, 96, 1, 1, 16, 3, 3, 1, 1));
/* clang-format on */
