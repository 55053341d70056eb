/* SPDX-License-Identifier: Apache-2.0 */
/* AlexNet's layers of filters.cu on the host. At the large size each is that of the paper's suite;
 * at the medium one it has a quarter of the filters, each over all that it reads. Sums are in the
 * kernels' order; these fuse the multiplication with the addition. */
#include "firmware/kernels/host.h"

#include <math.h>

enum kind { FIRST, CONVOLVE, NORMALISE, POOL, CONNECT };
enum { FIRST_SIDE = 11, FIRST_STEP = 4, POOL_SIDE = 3, POOL_STEP = 2, BLOCK_MOST = 32 };

struct layer {
    const char *name;
    enum kind kind;
    int window;
    int groups; /* of planes that a filter reads, and launches */
    int side[SMRF_SIZES];
    int planes[SMRF_SIZES]; /* that a filter reads; of CONNECT: its inputs */
    int filters[SMRF_SIZES];
};

struct shape {
    const struct layer *layer;
    int side, in_side, planes, filters;
};

static struct shape shape_(const struct layer *l, enum smrf_size size)
{
    struct shape s = {l, l->side[size], l->side[size], l->planes[size], l->filters[size]};
    if (l->kind == FIRST) {
        s.in_side = (s.side - 1) * FIRST_STEP + FIRST_SIDE;
    } else if (l->kind == POOL) {
        s.in_side = (s.side - 1) * POOL_STEP + POOL_SIDE;
    }
    return s;
}

/* --- reference -------------------------------------------------------------------------------- */

static float first_(const struct shape *s, const float *image, const float *weight, int at)
{
    const float *from = image + (at / s->side * s->in_side + at % s->side) * FIRST_STEP * 3;
    float sum = 0;
    for (int k = 0; k < FIRST_SIDE * FIRST_SIDE; k++) {
        const float *point = from + (k / FIRST_SIDE * s->in_side + k % FIRST_SIDE) * 3;
        const float *taken = weight + k;
        sum += point[0] * taken[0] + point[1] * taken[FIRST_SIDE * FIRST_SIDE] +
               point[2] * taken[2 * FIRST_SIDE * FIRST_SIDE];
    }
    return sum;
}

static float convolved_(const struct shape *s, const float *in, const float *weight, int at)
{
    const int window = s->layer->window, reach = window / 2;
    float sum = 0;
    for (int p = 0; p < s->planes; p++) {
        for (int k = 0; k < window * window; k++) {
            const int row = at / s->side + k / window - reach;
            const int column = at % s->side + k % window - reach;
            if (row >= 0 && row < s->side && column >= 0 && column < s->side) {
                sum += in[(p * s->side + row) * s->side + column] * weight[p * window * window + k];
            }
        }
    }
    return sum;
}

static float normalised_(const struct shape *s, const float *in, int plane, int at)
{
    const int each = s->side * s->side;
    float sum = 0;
    for (int p = plane < 2 ? 0 : plane - 2; p <= plane + 2 && p < s->filters; p++) {
        sum += in[p * each + at] * in[p * each + at];
    }
    return in[plane * each + at] * powf(1.0f + 2e-5f * sum, -0.75f);
}

static float pooled_(const struct shape *s, const float *plane, int at)
{
    const float *from = plane + (at / s->side * s->in_side + at % s->side) * POOL_STEP;
    float best = 0;
    for (int k = 0; k < POOL_SIDE * POOL_SIDE; k++) {
        best = fmaxf(best, from[k / POOL_SIDE * s->in_side + k % POOL_SIDE]);
    }
    return best;
}

static float result_(const struct shape *s, const float *in, const float *weights,
                     const float *bias, int at)
{
    const struct layer *l = s->layer;
    const int each = s->side * s->side, filter = at / each, group = filter * l->groups / s->filters;
    const int taken = s->planes * l->window * l->window;
    float sum = 0;
    switch (l->kind) {
    case NORMALISE:
        return normalised_(s, in, filter, at % each);
    case POOL:
        return pooled_(s, in + filter * s->in_side * s->in_side, at % each);
    case FIRST:
        sum = first_(s, in, weights + filter * taken, at % each);
        break;
    case CONVOLVE:
        sum = convolved_(s, in + group * s->planes * each, weights + filter * taken, at % each);
        break;
    case CONNECT:
        for (int i = 0; i < s->planes; i++) {
            sum += in[i] * weights[filter * s->planes + i];
        }
        break;
    }
    return fmaxf(sum + bias[filter], 0);
}

/* --- launches --------------------------------------------------------------------------------- */

struct buffers {
    float *in, *weights, *bias;
    smrf_dptr device_in, device_weights, device_bias, device_out;
};

static int launch_(struct smrf_suite_run *run, struct shape s, struct buffers *b, int row,
                   int column)
{
    const struct smrf_exec_dim grid = {(uint32_t)s.filters, 1, 1};
    const int rows = s.side - row, columns = s.side - column;
    const struct smrf_exec_dim block = {(uint32_t)(rows < BLOCK_MOST ? rows : BLOCK_MOST),
                                        (uint32_t)(columns < BLOCK_MOST ? columns : BLOCK_MOST), 1};
    switch (s.layer->kind) {
    case FIRST:
        return SMRF_HOST_LAUNCH(run, "filter_first", grid, block, &b->device_bias, &b->device_in,
                                &b->device_weights, &b->device_out, &s.side, &s.in_side, &row,
                                &column);
    case NORMALISE:
        return SMRF_HOST_LAUNCH(run, "filter_normalise", grid, block, &b->device_in, &b->device_out,
                                &s.side, &s.filters, &row, &column);
    case POOL:
        return SMRF_HOST_LAUNCH(run, "filter_pool", grid, block, &b->device_in, &b->device_out,
                                &s.side, &s.in_side);
    case CONNECT:
        return SMRF_HOST_LAUNCH(run, "filter_connect", grid, block, &b->device_bias, &b->device_in,
                                &b->device_weights, &b->device_out, &s.planes);
    case CONVOLVE:
        break;
    }
    int window = s.layer->window;
    const struct smrf_exec_dim part = {(uint32_t)(s.filters / s.layer->groups), 1, 1};
    for (int g = 0; g < s.layer->groups; g++) {
        int plane = g * s.planes, filter = g * (int)part.x;
        SMRF_TRY(SMRF_HOST_LAUNCH(run, "filter_convolve", part, block, &b->device_bias,
                                  &b->device_in, &b->device_weights, &b->device_out, &s.side,
                                  &window, &s.planes, &plane, &filter));
    }
    return 0;
}

static int buffer_(struct smrf_host *host, struct smrf_suite_rng *rng, size_t count, float most,
                   float **value, smrf_dptr *device)
{
    SMRF_HOST_GET(host, *value, count);
    for (size_t i = 0; i < count; i++) {
        (*value)[i] = smrf_suite_f32(rng, -most, most);
    }
    return smrf_suite_buffer(host->run, device, *value, count * sizeof **value);
}

static int body_(struct smrf_host *host, const struct layer *l)
{
    const struct shape s = shape_(l, host->run->size);
    const bool sums = l->kind != NORMALISE && l->kind != POOL;
    const size_t count = (size_t)(s.filters * s.side * s.side);
    const size_t taken = (size_t)(s.planes * l->window * l->window);
    const size_t in_planes = (size_t)(sums ? s.planes * l->groups : s.filters);
    struct smrf_suite_rng rng = {17};
    struct buffers b = {0};
    float *got, *want;
    SMRF_TRY(
        buffer_(host, &rng, in_planes * (size_t)(s.in_side * s.in_side), 4, &b.in, &b.device_in));
    if (sums) {
        SMRF_TRY(
            buffer_(host, &rng, (size_t)s.filters * taken, 0.1f, &b.weights, &b.device_weights));
        SMRF_TRY(buffer_(host, &rng, (size_t)s.filters, 0.1f, &b.bias, &b.device_bias));
    }
    SMRF_HOST_GET(host, got, count);
    SMRF_HOST_GET(host, want, count);
    SMRF_TRY(smrf_suite_buffer(host->run, &b.device_out, got, count * sizeof *got));
    for (int row = 0; row < s.side; row += BLOCK_MOST) {
        for (int column = 0; column < s.side; column += BLOCK_MOST) {
            SMRF_TRY(launch_(host->run, s, &b, row, column));
        }
    }
    SMRF_TRY(smrf_device_read(host->run->device, got, b.device_out, count * sizeof *got));
    for (size_t i = 0; i < count; i++) {
        want[i] = result_(&s, b.in, b.weights, b.bias, (int)i);
    }
    return smrf_suite_check_f32(host->run, l->name, got, want, count, 1e-4, 1e-5);
}

static int perform_(struct smrf_suite_run *run, const struct layer *layer)
{
    struct smrf_host host = {run, NULL};
    int rc = body_(&host, layer);
    smrf_host_free(&host);
    return rc;
}

#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define PROGRAM(ID, KIND, WINDOW, GROUPS, SIDE, PLANES, FILTERS, WHAT, SMALL, MEDIUM, LARGE)       \
    static int run_##ID(struct smrf_suite_run *run)                                                \
    {                                                                                              \
        static const struct layer layer = {#ID, KIND, WINDOW, GROUPS, SIDE, PLANES, FILTERS};      \
        return perform_(run, &layer);                                                              \
    }                                                                                              \
    const struct smrf_suite_program                                                                \
        smrf_alexnet_##ID##_block = {"alexnet_" #ID "_block",                                      \
                                     "locality",                                                   \
                                     "AlexNet's " WHAT "; a block a filter",                       \
                                     "filters",                                                    \
                                     {SMALL, MEDIUM, LARGE},                                       \
                                     .run = run_##ID}

/* clang-format off */
PROGRAM(conv1, FIRST, 11, 1, LIST(7, 55, 55), LIST(3, 3, 3), LIST(4, 8, 24),
        "first convolution", "4 filters of 7 x 7", "8 filters of 55 x 55", "24 filters of 55 x 55");
PROGRAM(norm1, NORMALISE, 1, 1, LIST(7, 55, 55), LIST(1, 1, 1), LIST(4, 8, 24),
        "first normalisation", "4 planes of 7 x 7", "8 planes of 55 x 55", "24 planes of 55 x 55");
PROGRAM(pool1, POOL, 1, 1, LIST(5, 27, 27), LIST(1, 1, 1), LIST(4, 8, 24),
        "first pooling", "4 planes of 5 x 5", "8 planes of 27 x 27", "24 planes of 27 x 27");
PROGRAM(conv2, CONVOLVE, 5, 2, LIST(9, 27, 27), LIST(2, 12, 12), LIST(4, 16, 64),
        "second convolution",
        "4 filters of 9 x 9", "16 filters of 27 x 27", "64 filters of 27 x 27");
PROGRAM(norm2, NORMALISE, 1, 1, LIST(9, 27, 27), LIST(1, 1, 1), LIST(4, 16, 64),
        "second normalisation",
        "4 planes of 9 x 9", "16 planes of 27 x 27", "64 planes of 27 x 27");
PROGRAM(pool2, POOL, 1, 1, LIST(5, 13, 13), LIST(1, 1, 1), LIST(4, 16, 64),
        "second pooling", "4 planes of 5 x 5", "16 planes of 13 x 13", "64 planes of 13 x 13");
PROGRAM(conv3, CONVOLVE, 3, 1, LIST(7, 13, 13), LIST(4, 64, 64), LIST(4, 32, 96),
        "third convolution",
        "4 filters of 7 x 7", "32 filters of 13 x 13", "96 filters of 13 x 13");
PROGRAM(conv4, CONVOLVE, 3, 2, LIST(7, 13, 13), LIST(4, 48, 48), LIST(4, 32, 160),
        "fourth convolution",
        "4 filters of 7 x 7", "32 filters of 13 x 13", "160 filters of 13 x 13");
PROGRAM(conv5, CONVOLVE, 3, 2, LIST(7, 13, 13), LIST(4, 48, 48), LIST(4, 32, 160),
        "fifth convolution",
        "4 filters of 7 x 7", "32 filters of 13 x 13", "160 filters of 13 x 13");
PROGRAM(pool5, POOL, 1, 1, LIST(3, 6, 6), LIST(1, 1, 1), LIST(4, 16, 64),
        "last pooling", "4 planes of 3 x 3", "16 planes of 6 x 6", "64 planes of 6 x 6");
PROGRAM(fc1, CONNECT, 1, 1, LIST(1, 1, 1), LIST(64, 1024, 2304), LIST(8, 128, 256),
        "first fully connected layer", "64 to 8", "1024 to 128", "2304 to 256");
