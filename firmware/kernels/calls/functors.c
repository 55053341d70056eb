/* SPDX-License-Identifier: Apache-2.0 */
/* Host side of the matrix product made of functors. Inputs are small multiples of 1/4, so that
 * sums are exact in whatever order they are made. */
#include "firmware/kernels/calls/calls.h"

#define MAX_EDGE 1536
#define MAX_INNER 768
#define TILE 32
#define THREADS 128

struct work {
    uint16_t a[MAX_EDGE * MAX_INNER], b[MAX_EDGE * MAX_INNER];
    uint16_t c[MAX_EDGE * MAX_EDGE], d[MAX_EDGE * MAX_EDGE];
    float a32[MAX_EDGE * MAX_INNER], b32[MAX_EDGE * MAX_INNER];
    float bias[MAX_EDGE], got[MAX_EDGE * MAX_EDGE], want[MAX_EDGE * MAX_EDGE];
};

struct shape {
    int rows, columns, inner, launches;
};

static const float alpha = 0.0625f, beta = 0.5f;

static void fill_(struct smrf_suite_rng *rng, uint16_t *to, float *same, int count)
{
    for (int i = 0; i < count; i++) {
        same[i] = (float)((int)(smrf_suite_u32(rng) % 17) - 8) * 0.25f;
        to[i] = smrf_suite_half(same[i]);
    }
}

/* want holds c before, d after. */
static void reference_(struct work *work, int rows, int columns, int inner)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            float sum = 0.0f;
            for (int k = 0; k < inner; k++) {
                sum += work->a32[i * inner + k] * work->b32[j * inner + k];
            }
            float old = work->want[i * columns + j];
            float x = fmaf(alpha, sum, fmaf(beta, old, work->bias[j]));
            float y = x * (fminf(fmaxf(x, -3.0f), 3.0f) + 3.0f) * (1.0f / 6.0f);
            work->want[i * columns + j] = smrf_suite_from_half(smrf_suite_half(y));
        }
    }
}

static int body_(struct smrf_suite_run *run, struct work *work, const struct shape *shape)
{
    int rows = shape->rows, columns = shape->columns, inner = shape->inner;
    float scale = alpha, old = beta;
    struct smrf_suite_rng rng = {20};
    fill_(&rng, work->a, work->a32, rows * inner);
    fill_(&rng, work->b, work->b32, columns * inner);
    fill_(&rng, work->c, work->want, rows * columns);
    for (int j = 0; j < columns; j++) {
        work->bias[j] = smrf_suite_f32(&rng, -2.0f, 2.0f);
    }
    size_t count = (size_t)(rows * columns), half = sizeof(uint16_t);
    smrf_dptr a, b, c, d, bias;
    SMRF_TRY(smrf_suite_buffer(run, &a, work->a, half * (size_t)(rows * inner)));
    SMRF_TRY(smrf_suite_buffer(run, &b, work->b, half * (size_t)(columns * inner)));
    SMRF_TRY(smrf_suite_buffer(run, &c, work->c, half * count));
    SMRF_TRY(smrf_suite_buffer(run, &bias, work->bias, sizeof(float) * (size_t)columns));
    SMRF_TRY(smrf_suite_buffer(run, &d, NULL, half * count));
    for (int i = 0; i < shape->launches; i++) {
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "gemm", smrf_work_dim(columns / TILE, rows / TILE),
                                  smrf_work_dim(THREADS, 1), &a, &b, &c, &bias, &d, &columns,
                                  &inner, &scale, &old));
    }
    SMRF_TRY(smrf_device_read(run->device, work->d, d, half * count));
    reference_(work, rows, columns, inner);
    for (size_t i = 0; i < count; i++) {
        work->got[i] = smrf_suite_from_half(work->d[i]);
    }
    return smrf_suite_check_f32(run, "product", work->got, work->want, count, 0, 0);
}

static int run_(struct smrf_suite_run *run, const struct shape sizes[SMRF_SIZES])
{
    struct work *work = calloc(1, sizeof *work);
    if (!work) {
        snprintf(run->error, sizeof run->error, "no memory for the matrices");
        return SMRF_ERR_NOMEM;
    }
    int status = body_(run, work, &sizes[run->size]);
    free(work);
    return status;
}

/* A layer: rows (tokens or pixels), columns (features), inner. Those of attention are small, a
 * launch a head, and leave most of a machine empty. */
#define LAYER(symbol, name, text, small, medium, large, ...)                                       \
    static int run_##symbol##_(struct smrf_suite_run *run)                                         \
    {                                                                                              \
        static const struct shape sizes[SMRF_SIZES] = {__VA_ARGS__};                               \
        return run_(run, sizes);                                                                   \
    }                                                                                              \
    SMRF_WORK_BUILDS(symbol, name, "functors", text, small, medium, large, run_##symbol##_)

LAYER(functors, "functors", "tensor-core matrix product made of nested functors", "32 x 32 x 128",
      "384 x 384 x 192", "1536 x 1536 x 256", {32, 32, 128, 1}, {384, 384, 192, 1},
      {1536, 1536, 256, 1});
LAYER(bert_score, "bert_score", "the same as attention scores, a launch a head", "32 x 32 x 64",
      "128 x 128 x 64, 6 heads", "256 x 256 x 64, 12 heads", {32, 32, 64, 1}, {128, 128, 64, 6},
      {256, 256, 64, 12});
LAYER(bert_op, "bert_op", "the same as attention applied, a launch a head", "32 x 32 x 128",
      "128 x 64 x 128, 8 heads", "256 x 64 x 256, 12 heads", {32, 32, 128, 1}, {128, 64, 128, 8},
      {256, 64, 256, 12});
LAYER(bert_fc, "bert_fc", "the same as a fully connected layer", "32 x 32 x 128", "128 x 768 x 384",
      "1536 x 1536 x 768", {32, 32, 128, 1}, {128, 768, 384, 1}, {1536, 1536, 768, 2});
LAYER(resnet_fp, "resnet_fp", "the same as a convolution, forward", "32 x 32 x 64",
      "768 x 192 x 128", "1536 x 1536 x 128", {32, 32, 64, 1}, {768, 192, 128, 1},
      {1536, 1536, 128, 1});
LAYER(resnet_wg, "resnet_wg", "the same as a convolution's weight gradient", "32 x 32 x 128",
      "128 x 192 x 768", "1536 x 1536 x 192", {32, 32, 128, 1}, {128, 192, 768, 1},
      {1536, 1536, 192, 1});
