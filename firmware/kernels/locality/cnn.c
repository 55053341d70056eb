/* SPDX-License-Identifier: Apache-2.0 */
/* CifarNet- and AlexNet-like networks (AlexNet with a smaller image and a quarter of the filters),
 * whole and layer by layer. Every layer's result is compared; the kernels fuse the multiplication
 * with the addition and the networks hand rounding errors on, hence the tolerance. */
#include "network.h"

#include <math.h>

static const struct layer cifarnet_layers[] = {
    {LAYER_CONV_5, "conv1", {4, 32, 32}, 1, 0}, {LAYER_POOL_MAX, "pool1", {0, 0, 0}, 0, 1},
    {LAYER_CONV_5, "conv2", {4, 32, 32}, 1, 1}, {LAYER_POOL_AVERAGE, "pool2", {0, 0, 0}, 0, 0},
    {LAYER_CONV_5, "conv3", {4, 64, 64}, 1, 1}, {LAYER_POOL_AVERAGE, "pool3", {0, 0, 0}, 0, 0},
    {LAYER_CONNECT, "fc1", {16, 64, 64}, 1, 0}, {LAYER_CONNECT, "fc2", {10, 10, 10}, 1, 0},
};

static const struct layer alexnet_layers[] = {
    {LAYER_CONV_11, "conv1", {4, 24, 24}, 1, 1},   {LAYER_NORMALISE, "norm1", {0, 0, 0}, 0, 0},
    {LAYER_POOL_MAX, "pool1", {0, 0, 0}, 0, 0},    {LAYER_CONV_5, "conv2", {4, 64, 64}, 2, 1},
    {LAYER_NORMALISE, "norm2", {0, 0, 0}, 0, 0},   {LAYER_POOL_MAX, "pool2", {0, 0, 0}, 0, 0},
    {LAYER_CONV_3, "conv3", {4, 96, 96}, 1, 1},    {LAYER_CONV_3, "conv4", {4, 96, 96}, 2, 1},
    {LAYER_CONV_3, "conv5", {4, 64, 64}, 2, 1},    {LAYER_POOL_MAX, "pool5", {0, 0, 0}, 0, 0},
    {LAYER_CONNECT, "fc6", {32, 256, 1024}, 1, 1}, {LAYER_CONNECT, "fc7", {32, 256, 1024}, 1, 1},
    {LAYER_CONNECT, "fc8", {10, 100, 1000}, 1, 0},
};

#define COUNT(ARRAY) ((int)(sizeof(ARRAY) / sizeof(ARRAY)[0]))
/* AlexNet takes colours from 0 to 255 less their mean: smaller values would hardly be normalised.
 */
static const struct network cifarnet = {
    cifarnet_layers, COUNT(cifarnet_layers), {12, 20, 32}, 1.0f};
static const struct network alexnet = {
    alexnet_layers, COUNT(alexnet_layers), {35, 83, 227}, 128.0f};

static const char *kernel_of_(enum layer_kind kind)
{
    static const char *const names[] = {
        [LAYER_CONV_11] = "conv_11x11",        [LAYER_CONV_5] = "conv_5x5",
        [LAYER_CONV_3] = "conv_3x3",           [LAYER_POOL_MAX] = "pool_max",
        [LAYER_POOL_AVERAGE] = "pool_average", [LAYER_NORMALISE] = "normalise",
        [LAYER_CONNECT] = "connect",
    };
    return names[kind];
}

/* Launch one layer on images from `in` to `out`. */
static int launch_(struct smrf_suite_run *run, const struct layer *layer, struct layer_shape *s,
                   int images, bool rows, smrf_dptr in, smrf_dptr weights, smrf_dptr bias,
                   smrf_dptr out)
{
    const char *kernel = kernel_of_(layer->kind);
    if (layer->kind == LAYER_CONNECT) {
        /* Lanes are rows of the weights either way: with more of them in a block, more share an
         * image. */
        const int most = rows ? 256 : 64;
        const struct smrf_exec_dim block = {(uint32_t)(s->filters < most ? s->filters : most), 1,
                                            1};
        const struct smrf_exec_dim grid = {smrf_host_cover(s->filters, (int)block.x),
                                           (uint32_t)images, 1};
        return SMRF_HOST_LAUNCH(run, kernel, grid, block, &in, &weights, &bias, &out, s);
    }
    /* As wide as the plane up to a warp; small planes put several rows into one, but no lanes of
     * several columns. */
    const int across = rows ? s->p : s->q, down = rows ? s->q : s->p;
    const int x = across < 32 && !rows ? across : 32, y = down < 256 / x ? down : 256 / x;
    const int filters = rows && layer->kind <= LAYER_CONV_3 ? LAYER_ROWS_FILTERS : 1;
    const struct smrf_exec_dim block = {(uint32_t)x, (uint32_t)y, 1};
    const struct smrf_exec_dim grid = {smrf_host_cover(across, x), smrf_host_cover(down, y),
                                       (uint32_t)(images * s->filters / filters)};
    if (layer->kind <= LAYER_CONV_3) {
        return SMRF_HOST_LAUNCH(run, kernel, grid, block, &in, &weights, &bias, &out, s);
    }
    return SMRF_HOST_LAUNCH(run, kernel, grid, block, &in, &out, s);
}

static int buffer_of_random_(struct smrf_host *host, struct smrf_suite_rng *rng, int count,
                             float limit, float **value, smrf_dptr *device)
{
    SMRF_HOST_GET(host, *value, (size_t)count);
    for (int i = 0; i < count; i++) {
        (*value)[i] = smrf_suite_f32(rng, -limit, limit);
    }
    return smrf_suite_buffer(host->run, device, *value, (uint64_t)count * sizeof(float));
}

/* One layer: its results on the device and, of the reference, in *value. */
static int pass_(struct smrf_host *host, struct smrf_suite_rng *rng, const struct layer *layer,
                 struct layer_shape s, int images, bool rows, double range, float **value,
                 smrf_dptr *device)
{
    const int in = smrf_layer_in(&s), out = smrf_layer_out(&s);
    const size_t count = (size_t)(images * out);
    float *weights = NULL, *bias = NULL, *got, *want;
    smrf_dptr weights_device = 0, bias_device = 0, out_device;
    if (layer->kind <= LAYER_CONV_3 || layer->kind == LAYER_CONNECT) {
        const int num = smrf_layer_weights(layer, &s), inputs = num / s.filters;
        const float limit = 1.5f / sqrtf((float)inputs);
        SMRF_TRY(buffer_of_random_(host, rng, num, limit, &weights, &weights_device));
        SMRF_TRY(buffer_of_random_(host, rng, s.filters, 0.1f, &bias, &bias_device));
    }
    SMRF_HOST_GET(host, got, count);
    SMRF_HOST_GET(host, want, count);
    SMRF_TRY(smrf_suite_buffer(host->run, &out_device, NULL, count * sizeof *got));
    SMRF_TRY(launch_(host->run, layer, &s, images, rows, *device, weights_device, bias_device,
                     out_device));
    for (int i = 0; i < images; i++) {
        smrf_layer_reference(layer, &s, *value + i * in, weights, bias, want + i * out);
    }
    SMRF_TRY(smrf_device_read(host->run->device, got, out_device, count * sizeof *got));
    SMRF_TRY(smrf_suite_check_f32(host->run, layer->name, got, want, count, 2e-5 * range, 2e-5));
    *value = want;
    *device = out_device;
    return 0;
}

static int body_(struct smrf_host *host, const struct network *network, int first, int end,
                 int images, bool rows)
{
    struct smrf_suite_rng rng = {2};
    struct layer_shape s = smrf_layer_shape(network, first, host->run->size);
    float *value;
    smrf_dptr device;
    SMRF_TRY(
        buffer_of_random_(host, &rng, images * smrf_layer_in(&s), network->range, &value, &device));
    for (int i = first; i < end; i++) {
        s = smrf_layer_shape(network, i, host->run->size);
        SMRF_TRY(pass_(host, &rng, &network->layers[i], s, images, rows, (double)network->range,
                       &value, &device));
    }
    return 0;
}

static int perform(struct smrf_suite_run *run, const struct network *network, int first, int end,
                   int images, bool rows)
{
    struct smrf_host host = {run, NULL};
    int rc = body_(&host, network, first, end, images, rows);
    smrf_host_free(&host);
    return rc;
}

/* With lanes that are columns of results, and a second time with lanes that are rows, of which many
 * are idle: fewer images. */
#define BOTH(NAME, NETWORK, FIRST, END, SUMMARY, SMALL, MEDIUM, LARGE, ROWS_LARGE, ...)            \
    PROGRAM(NAME, "layers", false, "", NETWORK, FIRST, END, SUMMARY, SMALL, MEDIUM, LARGE,         \
            __VA_ARGS__);                                                                          \
    PROGRAM(NAME##_rows, "layers-rows", true, "; lanes are rows", NETWORK, FIRST, END, SUMMARY,    \
            SMALL, MEDIUM, ROWS_LARGE, __VA_ARGS__)
#define PROGRAM(NAME, TEXT, ROWS, HOW, NETWORK, FIRST, END, SUMMARY, SMALL, MEDIUM, LARGE,         \
                TEXT_SMALL, TEXT_MEDIUM, TEXT_LARGE)                                               \
    static int run_##NAME(struct smrf_suite_run *run)                                              \
    {                                                                                              \
        static const int images[SMRF_SIZES] = {SMALL, MEDIUM, LARGE};                              \
        return perform(run, &NETWORK, FIRST, END, images[run->size], ROWS);                        \
    }                                                                                              \
    const struct smrf_suite_program smrf_##NAME = {                                                \
        #NAME,                                                                                     \
        "locality",                                                                                \
        SUMMARY HOW,                                                                               \
        TEXT,                                                                                      \
        {#SMALL " x " TEXT_SMALL, #MEDIUM " x " TEXT_MEDIUM, #LARGE " x " TEXT_LARGE},             \
        .run = run_##NAME}

/* clang-format off */
#define CIFARNET(NAME, FIRST, END, SUMMARY, SMALL, MEDIUM, LARGE, ROWS_LARGE)                      \
    BOTH(NAME, cifarnet, FIRST, END, SUMMARY, SMALL, MEDIUM, LARGE, ROWS_LARGE,                    \
         "3 x 12 x 12", "3 x 20 x 20", "3 x 32 x 32")
#define ALEXNET(NAME, FIRST, END, SUMMARY, SMALL, MEDIUM, LARGE)                                   \
    BOTH(NAME, alexnet, FIRST, END, SUMMARY, SMALL, MEDIUM, LARGE, LARGE,                          \
         "3 x 35 x 35", "3 x 83 x 83", "3 x 227 x 227")

#define LOOPS(NAME, FIRST, SUMMARY, SMALL, MEDIUM, LARGE)                                          \
    PROGRAM(NAME##_loops, "loops", false, ", loops as they stand; images", cifarnet, FIRST,        \
            FIRST + 1, SUMMARY, SMALL, MEDIUM, LARGE, "3 x 12 x 12", "3 x 20 x 20", "3 x 32 x 32")

CIFARNET(cifarnet, 0, 8, "CifarNet, all layers; images", 1, 1, 5, 1);
CIFARNET(cifarnet_conv1, 0, 1, "CifarNet's first convolution; images", 1, 1, 8, 1);
CIFARNET(cifarnet_pool1, 1, 2, "CifarNet's first pooling (largest); images", 1, 24, 128, 16);
CIFARNET(cifarnet_conv2, 2, 3, "CifarNet's second convolution; images", 1, 1, 8, 1);
CIFARNET(cifarnet_pool2, 3, 4, "CifarNet's second pooling (average); images", 1, 32, 256, 32);
CIFARNET(cifarnet_conv3, 4, 5, "CifarNet's third convolution; images", 1, 1, 8, 1);
CIFARNET(cifarnet_pool3, 5, 6, "CifarNet's third pooling (average); images", 1, 64, 512, 64);
CIFARNET(cifarnet_fc, 6, 8, "CifarNet's fully connected layers; images", 1, 64, 256, 32);
ALEXNET(alexnet, 0, 13, "AlexNet with a quarter of the filters, all layers; images", 1, 1, 1);
ALEXNET(alexnet_conv1, 0, 1, "AlexNet's first convolution; images", 1, 1, 1);
ALEXNET(alexnet_norm1, 1, 2, "AlexNet's first normalisation; images", 1, 4, 4);
ALEXNET(alexnet_pool1, 2, 3, "AlexNet's first pooling; images", 1, 24, 24);
ALEXNET(alexnet_conv2, 3, 4, "AlexNet's second convolution; images", 1, 1, 1);
ALEXNET(alexnet_norm2, 4, 5, "AlexNet's second normalisation; images", 1, 8, 8);
ALEXNET(alexnet_pool2, 5, 6, "AlexNet's second pooling; images", 1, 32, 32);
ALEXNET(alexnet_conv3, 6, 7, "AlexNet's third convolution; images", 1, 1, 1);
ALEXNET(alexnet_conv4, 7, 8, "AlexNet's fourth convolution; images", 1, 1, 1);
ALEXNET(alexnet_conv5, 8, 9, "AlexNet's fifth convolution; images", 1, 2, 2);
ALEXNET(alexnet_pool5, 9, 10, "AlexNet's last pooling; images", 1, 24, 24);
ALEXNET(alexnet_fc, 10, 13, "AlexNet's fully connected layers; images", 1, 8, 1);
LOOPS(cifarnet_conv1, 0, "CifarNet's first convolution", 1, 1, 1);
LOOPS(cifarnet_conv2, 2, "CifarNet's second convolution", 1, 1, 1);
LOOPS(cifarnet_conv3, 4, "CifarNet's third convolution", 1, 1, 1);
/* clang-format on */
