/* SPDX-License-Identifier: Apache-2.0 */
/* Layers in plain C, one result after the other, sums in the kernels' order. */
#include "network.h"

#include <math.h>

struct window {
    int size, stride, pad;
};

static struct window window_of_(enum layer_kind kind)
{
    switch (kind) {
    case LAYER_CONV_11:
        return (struct window){11, 4, 0};
    case LAYER_CONV_5:
        return (struct window){5, 1, 2};
    case LAYER_CONV_3:
        return (struct window){3, 1, 1};
    case LAYER_POOL_MAX:
    case LAYER_POOL_AVERAGE:
        return (struct window){3, 2, 0};
    case LAYER_NORMALISE:
    case LAYER_CONNECT:
        break;
    }
    return (struct window){1, 1, 0};
}

/* Windows along `length`; those of a pooling layer may hang over the border. */
static int windows_(enum layer_kind kind, int length)
{
    const struct window w = window_of_(kind);
    int room = length + 2 * w.pad - w.size;
    if (kind == LAYER_POOL_MAX || kind == LAYER_POOL_AVERAGE) {
        room += w.stride - 1;
    }
    return room < 0 ? 1 : room / w.stride + 1;
}

struct layer_shape smrf_layer_shape(const struct network *network, int index, enum smrf_size size)
{
    struct layer_shape s = {0};
    s.filters = 3;
    s.p = s.q = network->input[size];
    for (int i = 0; i <= index; i++) {
        const struct layer *layer = &network->layers[i];
        s.channels = s.filters;
        s.h = s.p;
        s.w = s.q;
        if (layer->kind == LAYER_CONNECT) {
            s.channels *= s.h * s.w;
            s.h = s.w = 1;
        }
        if (layer->filters[size] != 0) {
            s.filters = layer->filters[size];
        }
        s.p = windows_(layer->kind, s.h);
        s.q = windows_(layer->kind, s.w);
        s.groups = layer->groups != 0 ? layer->groups : 1;
        s.relu = layer->relu;
    }
    return s;
}

int smrf_layer_in(const struct layer_shape *s)
{
    return s->channels * s->h * s->w;
}

int smrf_layer_out(const struct layer_shape *s)
{
    return s->filters * s->p * s->q;
}

int smrf_layer_weights(const struct layer *layer, const struct layer_shape *s)
{
    const int size = window_of_(layer->kind).size;
    return s->filters * (s->channels / s->groups) * size * size;
}

static float convolve_(struct window w, const struct layer_shape *s, const float *in,
                       const float *weights, float sum, int filter, int y, int x)
{
    const int depth = s->channels / s->groups, first = filter / (s->filters / s->groups) * depth;
    for (int c = 0; c < depth; c++) {
        for (int i = 0; i < w.size; i++) {
            for (int j = 0; j < w.size; j++) {
                int row = y * w.stride + i - w.pad, column = x * w.stride + j - w.pad;
                if (row >= 0 && row < s->h && column >= 0 && column < s->w) {
                    sum += in[((first + c) * s->h + row) * s->w + column] *
                           weights[((filter * depth + c) * w.size + i) * w.size + j];
                }
            }
        }
    }
    return sum;
}

static float pool_(bool average, const struct layer_shape *s, const float *plane, int y, int x)
{
    float sum = 0.0f, best = plane[2 * y * s->w + 2 * x];
    int count = 0;
    for (int row = 2 * y; row < 2 * y + 3 && row < s->h; row++) {
        for (int column = 2 * x; column < 2 * x + 3 && column < s->w; column++) {
            sum += plane[row * s->w + column];
            best = fmaxf(best, plane[row * s->w + column]);
            count++;
        }
    }
    return average ? sum / (float)count : best;
}

static float normalise_(const struct layer_shape *s, const float *in, int plane, int at)
{
    const int size = s->h * s->w;
    float sum = 0.0f;
    for (int p = plane - 2; p <= plane + 2; p++) {
        if (p >= 0 && p < s->channels) {
            sum += in[p * size + at] * in[p * size + at];
        }
    }
    return in[plane * size + at] * powf(1.0f + 2e-5f * sum, -0.75f);
}

static float one_(const struct layer *layer, const struct layer_shape *s, const float *in,
                  const float *weights, const float *bias, int filter, int y, int x)
{
    float value = 0.0f;
    switch (layer->kind) {
    case LAYER_POOL_MAX:
    case LAYER_POOL_AVERAGE:
        return pool_(layer->kind == LAYER_POOL_AVERAGE, s, in + filter * s->h * s->w, y, x);
    case LAYER_NORMALISE:
        return normalise_(s, in, filter, y * s->w + x);
    case LAYER_CONV_11:
    case LAYER_CONV_5:
    case LAYER_CONV_3:
    case LAYER_CONNECT:
        value = convolve_(window_of_(layer->kind), s, in, weights, bias[filter], filter, y, x);
        break;
    }
    return s->relu ? fmaxf(value, 0.0f) : value;
}

void smrf_layer_reference(const struct layer *layer, const struct layer_shape *s, const float *in,
                          const float *weights, const float *bias, float *out)
{
    for (int filter = 0; filter < s->filters; filter++) {
        for (int y = 0; y < s->p; y++) {
            for (int x = 0; x < s->q; x++) {
                out[(filter * s->p + y) * s->q + x] =
                    one_(layer, s, in, weights, bias, filter, y, x);
            }
        }
    }
}
