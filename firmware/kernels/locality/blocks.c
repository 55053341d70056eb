/* SPDX-License-Identifier: Apache-2.0 */
/* CifarNet of blocks.cu on the host, whole and layer by layer. At the large size it is the network
 * of the paper's suite. Sums are in the kernels' order, in double precision; they are compared in
 * single precision, as the kernels fuse the multiplication with the addition. */
#include "firmware/kernels/host.h"

enum kind { COLOURS, CONVOLVE, POOL, CONNECT };

static const struct {
    enum kind kind;
    const char *name;
    int out[SMRF_SIZES]; /* planes that come out; 0: as many as come in */
    int shrunk;          /* the image's side by 2 to this */
    int average;
} layers[] = {
    {COLOURS, "conv1", {2, 8, 32}, 0, 0},   {POOL, "pool1", {0}, 0, 0},
    {CONVOLVE, "conv2", {2, 8, 32}, 1, 0},  {POOL, "pool2", {0}, 1, 1},
    {CONVOLVE, "conv3", {4, 16, 64}, 2, 0}, {POOL, "pool3", {0}, 2, 1},
    {CONNECT, "fc1", {8, 16, 64}, 3, 0},    {CONNECT, "fc2", {9, 9, 9}, 4, 0},
};
enum { LAYERS = sizeof layers / sizeof *layers, REACH = 2, WINDOW = 25, COLOURS_IN = 3 };
static const int sides[SMRF_SIZES] = {8, 16, 32};

struct shape {
    int side, planes, filters; /* of CONNECT: side 1 */
};

static int planes_of_(int layer, enum smrf_size size)
{
    while (layer >= 0 && layers[layer].out[size] == 0) {
        layer--;
    }
    return layer < 0 ? COLOURS_IN : layers[layer].out[size];
}

static struct shape shape_(int layer, enum smrf_size size)
{
    const int shrunk = layers[layer].shrunk, side = sides[size] >> (shrunk < 3 ? shrunk : 3);
    struct shape s = {side, planes_of_(layer - 1, size), planes_of_(layer, size)};
    if (layers[layer].kind == CONNECT) {
        s.planes *= shrunk == 3 ? side * side : 1;
        s.side = 1;
    }
    return s;
}

static int inputs_(struct shape s)
{
    return s.planes * s.side * s.side;
}

static int outputs_(int layer, struct shape s)
{
    const int side = layers[layer].kind == POOL ? s.side / 2 : s.side;
    return s.filters * side * side;
}

/* --- reference -------------------------------------------------------------------------------- */

static double window_(const double *in, const double *weights, int side, int row, int column)
{
    double sum = 0;
    for (int i = -REACH; i <= REACH; i++) {
        for (int j = -REACH; j <= REACH; j++) {
            if (row + i >= 0 && row + i < side && column + j >= 0 && column + j < side) {
                sum += in[(row + i) * side + column + j] * weights[(i + REACH) * 5 + j + REACH];
            }
        }
    }
    return sum;
}

static double convolved_(const struct shape *s, const double *in, const double *weights, int filter,
                         int at)
{
    double sum = 0;
    for (int p = 0; p < s->planes; p++) {
        sum += window_(in + p * s->side * s->side, weights + (filter * s->planes + p) * WINDOW,
                       s->side, at / s->side, at % s->side);
    }
    return sum;
}

static double pooled_(const struct shape *s, const double *plane, int at, int average)
{
    const int row = at / (s->side / 2) * 2, column = at % (s->side / 2) * 2;
    double best = 0, sum = 0;
    int count = 0;
    for (int i = row; i <= row + 2 && i < s->side; i++) {
        for (int j = column; j <= column + 2 && j < s->side; j++, count++) {
            const double value = plane[i * s->side + j];
            best = best < value ? value : best;
            sum += value;
        }
    }
    return average ? sum / count : best;
}

static double result_(int layer, const struct shape *s, const double *in, const double *weights,
                      int at, int each)
{
    double sum = 0;
    switch (layers[layer].kind) {
    case POOL:
        return pooled_(s, in + at / each * s->side * s->side, at % each, layers[layer].average);
    case CONNECT:
        for (int i = 0; i < s->planes; i++) {
            sum += in[i] * weights[at * s->planes + i];
        }
        return sum;
    case COLOURS:
    case CONVOLVE:
        break;
    }
    sum = convolved_(s, in, weights, at / each, at % each);
    return layers[layer].kind == CONVOLVE && sum < 0 ? 0 : sum;
}

/* --- launches --------------------------------------------------------------------------------- */

static int buffer_(struct smrf_host *host, struct smrf_suite_rng *rng, int count, double limit,
                   double **value, smrf_dptr *device)
{
    SMRF_HOST_GET(host, *value, (size_t)count);
    for (int i = 0; i < count; i++) {
        (*value)[i] = (double)smrf_suite_f32(rng, (float)-limit, (float)limit);
    }
    return smrf_suite_buffer(host->run, device, *value, (uint64_t)count * sizeof(double));
}

/* The image as the first layer takes it: a plane of whole numbers a colour. */
static int colours_(struct smrf_host *host, const double *value, int each, smrf_dptr plane[3])
{
    int32_t *number;
    SMRF_HOST_GET(host, number, (size_t)each);
    for (int c = 0; c < COLOURS_IN; c++) {
        for (int i = 0; i < each; i++) {
            number[i] = (int32_t)value[c * each + i];
        }
        SMRF_TRY(smrf_suite_buffer(host->run, &plane[c], number, (uint64_t)each * sizeof *number));
    }
    return 0;
}

static int launch_(struct smrf_host *host, int layer, struct shape s, const double *value,
                   smrf_dptr weights, smrf_dptr in, smrf_dptr out)
{
    const uint32_t side = (uint32_t)sides[host->run->size];
    struct smrf_exec_dim block = {side, side, 1};
    const struct smrf_exec_dim grid = {1, 1, 1};
    int average = layers[layer].average;
    smrf_dptr plane[3];
    switch (layers[layer].kind) {
    case COLOURS:
        SMRF_TRY(colours_(host, value, s.side * s.side, plane));
        return SMRF_HOST_LAUNCH(host->run, "block_colours", grid, block, &weights, &plane[0],
                                &plane[1], &plane[2], &out, &s.side, &s.filters);
    case CONVOLVE:
        return SMRF_HOST_LAUNCH(host->run, "block_convolve", grid, block, &weights, &in, &out,
                                &s.side, &s.planes, &s.filters);
    case POOL:
        return SMRF_HOST_LAUNCH(host->run, "block_pool", grid, block, &in, &out, &s.side, &s.planes,
                                &average);
    case CONNECT:
        break;
    }
    block = (struct smrf_exec_dim){(uint32_t)s.filters, 1, 1};
    return SMRF_HOST_LAUNCH(host->run, "block_connect", grid, block, &weights, &in, &out,
                            &s.planes);
}

static int pass_(struct smrf_host *host, struct smrf_suite_rng *rng, int layer, double **value,
                 smrf_dptr *device)
{
    const struct shape s = shape_(layer, host->run->size);
    const int count = outputs_(layer, s), each = count / s.filters;
    const int taps = layers[layer].kind == CONNECT ? 1 : WINDOW;
    double *weights = NULL, *want;
    float *got_single, *want_single;
    smrf_dptr weights_device = 0, out;
    if (layers[layer].kind != POOL) {
        SMRF_TRY(buffer_(host, rng, s.filters * s.planes * taps, 0.1, &weights, &weights_device));
    }
    SMRF_HOST_GET(host, want, (size_t)count);
    SMRF_HOST_GET(host, got_single, (size_t)count);
    SMRF_HOST_GET(host, want_single, (size_t)count);
    SMRF_TRY(smrf_suite_buffer(host->run, &out, want, (uint64_t)count * sizeof *want));
    SMRF_TRY(launch_(host, layer, s, *value, weights_device, *device, out));
    SMRF_TRY(smrf_device_read(host->run->device, want, out, (uint64_t)count * sizeof *want));
    for (int i = 0; i < count; i++) {
        got_single[i] = (float)want[i];
        want[i] = result_(layer, &s, *value, weights, i, each);
        want_single[i] = (float)want[i];
    }
    *value = want;
    *device = out;
    return smrf_suite_check_f32(host->run, layers[layer].name, got_single, want_single,
                                (size_t)count, 1e-9, 1e-6);
}

static int body_(struct smrf_host *host, int first, int end)
{
    const int count = inputs_(shape_(first, host->run->size));
    struct smrf_suite_rng rng = {7};
    double *value;
    smrf_dptr device;
    SMRF_TRY(buffer_(host, &rng, count, first ? 4 : 0, &value, &device));
    for (int i = 0; i < count && first == 0; i++) {
        value[i] = (double)(smrf_suite_u32(&rng) % 256);
    }
    for (int i = first; i < end; i++) {
        SMRF_TRY(pass_(host, &rng, i, &value, &device));
    }
    return 0;
}

static int perform_(struct smrf_suite_run *run, int first, int end)
{
    struct smrf_host host = {run, NULL};
    int rc = body_(&host, first, end);
    smrf_host_free(&host);
    return rc;
}

#define PROGRAM(NAME, FIRST, END, WHAT)                                                            \
    static int run_##NAME(struct smrf_suite_run *run)                                              \
    {                                                                                              \
        return perform_(run, FIRST, END);                                                          \
    }                                                                                              \
    const struct smrf_suite_program smrf_##NAME = {#NAME,                                          \
                                                   "locality",                                     \
                                                   WHAT "; one block a layer, double precision",   \
                                                   "blocks",                                       \
                                                   {"3 x 8 x 8", "3 x 16 x 16", "3 x 32 x 32"},    \
                                                   .run = run_##NAME}

PROGRAM(cifarnet_block, 0, LAYERS, "CifarNet, all layers");
PROGRAM(cifarnet_conv1_block, 0, 1, "CifarNet's first convolution");
PROGRAM(cifarnet_pool1_block, 1, 2, "CifarNet's first pooling (largest)");
PROGRAM(cifarnet_conv2_block, 2, 3, "CifarNet's second convolution");
PROGRAM(cifarnet_pool2_block, 3, 4, "CifarNet's second pooling (average)");
PROGRAM(cifarnet_conv3_block, 4, 5, "CifarNet's third convolution");
PROGRAM(cifarnet_pool3_block, 5, 6, "CifarNet's third pooling (average)");
PROGRAM(cifarnet_fc_block, 6, LAYERS, "CifarNet's fully connected layers");
