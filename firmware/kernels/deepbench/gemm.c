/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products after DeepBench (half precision, transposes and shapes of its lists, scaled
 * down), alpha and beta 1 as there. The inputs make every sum exact: results agree bit for bit. */
#include "tensor.h"

struct shape {
    int m, n, k;
};

struct variant {
    struct gemm_kernel kernel;
    int exact; /* SMRF_EXACT_* of the kernel's accumulator */
};

static const struct variant f32_nn = {{"gemm_f32_nn", {SMRF_TILE_128X128}, false, true},
                                      SMRF_EXACT_F32};
static const struct variant f32_tn = {{"gemm_f32_tn", {SMRF_TILE_128X128}, true, true},
                                      SMRF_EXACT_F32};
static const struct variant f32_nt = {{"gemm_f32_nt", {SMRF_TILE_128X128}, false, false},
                                      SMRF_EXACT_F32};
static const struct variant f32_nn_narrow = {{"gemm_f32_nn_64x32", {SMRF_TILE_64X32}, false, true},
                                             SMRF_EXACT_F32};
static const struct variant f32_tn_narrow = {{"gemm_f32_tn_64x32", {SMRF_TILE_64X32}, true, true},
                                             SMRF_EXACT_F32};
static const struct variant f16_nn = {{"gemm_f16_nn", {SMRF_TILE_128X128}, false, true},
                                      SMRF_EXACT_F16};
static const struct variant f16_nn_square = {{"gemm_f16_nn_64x64", {SMRF_TILE_64X64}, false, true},
                                             SMRF_EXACT_F16};
static const struct variant f16_nn_skinny = {{"gemm_f16_nn_skinny", {SMRF_TILE_128X8}, false, true},
                                             SMRF_EXACT_F16};

static int whole_(int count, int vector)
{
    return (count + vector - 1) / vector * vector;
}

static int body_(struct smrf_host *host, const struct variant *variant, struct shape s)
{
    const struct gemm_kernel *kernel = &variant->kernel;
    const struct layout la = {kernel->a_along, kernel->a_along ? s.k : whole_(s.m, 8)};
    const struct layout lb = {kernel->b_along, kernel->b_along ? s.k : whole_(s.n, 8)};
    const int ldc = whole_(s.m, 8);
    struct smrf_suite_rng rng = {7};
    struct tensor a, b, c;
    SMRF_TRY(smrf_tensor_exact(host, &a, (size_t)la.stride * (size_t)(la.along ? s.m : s.k), &rng,
                               variant->exact));
    SMRF_TRY(smrf_tensor_exact(host, &b, (size_t)lb.stride * (size_t)(lb.along ? s.n : s.k), &rng,
                               variant->exact));
    SMRF_TRY(smrf_tensor_exact(host, &c, (size_t)ldc * (size_t)s.n, &rng, variant->exact));
    SMRF_TRY(smrf_gemm(host->run, kernel, a.device, la.stride, b.device, lb.stride, c.device, ldc,
                       s.m, s.n, s.k, 1.0f, 1.0f));
    SMRF_TRY(smrf_product(host, a.value, la, b.value, lb, c.value, ldc, s.m, s.n, s.k));
    float *got = smrf_tensor_read(host, &c);
    if (got == NULL) {
        return SMRF_ERR_NOMEM;
    }
    for (size_t i = 0; i < c.count; i++) {
        if (i % (size_t)ldc < (size_t)s.m) {
            c.value[i] = smrf_round_half(c.value[i]);
        } else {
            c.value[i] = got[i]; /* padding rows hold anything */
        }
    }
    return smrf_suite_check_f32(host->run, "c", got, c.value, c.count, 0.0, 0.0);
}

static int gemm_(struct smrf_suite_run *run, const struct variant *variant, struct shape shape)
{
    struct smrf_host host = {run, NULL};
    int rc = body_(&host, variant, shape);
    smrf_host_free(&host);
    return rc;
}

static int8_t *bytes_(struct smrf_host *host, size_t count, struct smrf_suite_rng *rng)
{
    int8_t *to = smrf_host_get(host, count, 1);
    for (size_t i = 0; to != NULL && i < count; i++) {
        to[i] = (int8_t)(smrf_suite_u32(rng) >> 24);
    }
    return to;
}

static int body_int8_(struct smrf_host *host, struct shape s)
{
    const int ldc = whole_(s.m, 8);
    const size_t k = (size_t)s.k, count = (size_t)ldc * (size_t)s.n;
    struct smrf_suite_rng rng = {8};
    const int8_t *a = bytes_(host, (size_t)s.m * k, &rng), *b = bytes_(host, (size_t)s.n * k, &rng);
    int32_t *want, *got;
    SMRF_HOST_GET(host, want, count);
    SMRF_HOST_GET(host, got, count);
    if (a == NULL || b == NULL) {
        return SMRF_ERR_NOMEM;
    }
    smrf_dptr da, db, dc;
    SMRF_TRY(smrf_suite_buffer(host->run, &da, a, (size_t)s.m * k));
    SMRF_TRY(smrf_suite_buffer(host->run, &db, b, (size_t)s.n * k));
    SMRF_TRY(smrf_suite_buffer(host->run, &dc, NULL, count * sizeof *got));
    const struct smrf_tile tile = {SMRF_TILE_BYTES};
    SMRF_TRY(SMRF_HOST_LAUNCH(host->run, "gemm_s8_tn", smrf_tile_grid(&tile, s.m, s.n),
                              smrf_tile_block(&tile), &da, &db, &dc, &s.m, &s.n, &s.k, &s.k, &s.k,
                              (int *)&ldc));
    SMRF_TRY(smrf_device_read(host->run->device, got, dc, count * sizeof *got));
    for (int j = 0; j < s.n; j++) {
        for (int i = 0; i < ldc; i++) {
            int32_t sum = i < s.m ? 0 : got[j * ldc + i]; /* padding rows hold anything */
            for (int l = 0; i < s.m && l < s.k; l++) {
                sum += a[i * s.k + l] * b[j * s.k + l];
            }
            want[j * ldc + i] = sum;
        }
    }
    return smrf_suite_check_i32(host->run, "c", got, want, count);
}

static int gemm_int8_(struct smrf_suite_run *run, struct shape shape)
{
    struct smrf_host host = {run, NULL};
    int rc = body_int8_(&host, shape);
    smrf_host_free(&host);
    return rc;
}

/* k: a multiple of 32, for the skinny and the integer kernels of 64. */
#define SIZES(ID, SUMMARY, CALL, SM, SN, SK, MM, MN, MK, LM, LN, LK)                               \
    static int run_##ID(struct smrf_suite_run *r)                                                  \
    {                                                                                              \
        static const struct shape shapes[SMRF_SIZES] = {{SM, SN, SK}, {MM, MN, MK}, {LM, LN, LK}}; \
        const struct shape shape = shapes[r->size];                                                \
        return CALL;                                                                               \
    }                                                                                              \
    const struct smrf_suite_program smrf_gemm_bench_##ID = {"gemm_bench_" #ID,                     \
                                                            "deepbench",                           \
                                                            SUMMARY,                               \
                                                            "gemm",                                \
                                                            {"m n k " #SM " " #SN " " #SK,         \
                                                             "m n k " #MM " " #MN " " #MK,         \
                                                             "m n k " #LM " " #LN " " #LK},        \
                                                            .run = run_##ID}

/* clang-format off */
SIZES(t1, "GEMM, training: 1760 7000 1760 NN, f32 sums", gemm_(r, &f32_nn, shape),
      96, 240, 224,   440, 583, 1760,   1320, 1750, 1760);
SIZES(t2, "GEMM, training: 2048 128 2048 NN, f32 sums", gemm_(r, &f32_nn_narrow, shape),
      128, 32, 512,   960, 64, 2048,   2048, 128, 2048);
SIZES(t3, "GEMM, training: 1760 7000 1760 TN, f32 sums", gemm_(r, &f32_tn, shape),
      96, 240, 224,   440, 583, 1760,   1320, 1750, 1760);
SIZES(t4, "GEMM, training: 2048 64 2048 TN, f32 sums", gemm_(r, &f32_tn_narrow, shape),
      128, 16, 512,   960, 64, 2048,   2048, 64, 2048);
SIZES(t5, "GEMM, training: 1760 7133 1760 NT, f32 sums", gemm_(r, &f32_nt, shape),
      96, 245, 224,   440, 594, 1760,   1320, 1783, 1760);
SIZES(i1, "GEMM, inference: 5124 1500 2048 NN, f16 sums", gemm_(r, &f16_nn, shape),
      120, 94, 512,   1280, 500, 1024,   2562, 750, 2048);
SIZES(i2, "GEMM, inference: 7680 1 2560 NN, f16 sums", gemm_(r, &f16_nn_skinny, shape),
      480, 1, 640,   3840, 1, 2560,   7680, 1, 2560);
SIZES(i3, "GEMM, inference: 6144 4 2048 NN, f16 sums", gemm_(r, &f16_nn_skinny, shape),
      384, 4, 512,   3840, 4, 2048,   6144, 4, 2048);
SIZES(i4, "GEMM, inference: 512 3000 1536 NN, f16 sums", gemm_(r, &f16_nn_square, shape),
      64, 94, 384,   128, 640, 1536,   256, 1500, 1536);
SIZES(i5, "GEMM, inference: 35 1500 2560 NN, f16 sums", gemm_(r, &f16_nn_square, shape),
      35, 94, 640,   35, 1280, 1280,   35, 1500, 2560);
SIZES(int8, "GEMM, inference: 5124 700 2048 TN, 8-bit integers", gemm_int8_(r, shape),
      120, 44, 512,   1280, 233, 2048,   2562, 350, 2048);
/* clang-format on */
