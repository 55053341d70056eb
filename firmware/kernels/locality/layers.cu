/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of convolutional networks, single precision, one thread a result and plain loops. Images
 * are planes of rows; blockIdx.z counts plane and image: image * planes + plane. */
#include "layer_shape.h"

/* The lanes of a warp are columns of the results; with ROWS, rows: they load a row's pitch apart. Then
 * a thread also computes several filters, one after the other. */
#ifdef ROWS
#define COLUMN y
#define ROW x
#define FILTERS LAYER_ROWS_FILTERS
#else
#define COLUMN x
#define ROW y
#define FILTERS 1
#endif

/* Windows of SIZE x SIZE; rows and columns outside the image count as zero. blockIdx.z counts groups of
 * FILTERS planes. */
template <int SIZE, int STRIDE, int PAD>
static __device__ __forceinline__ void convolve(const float *in, const float *weights,
                                                const float *bias, float *out,
                                                const layer_shape &s)
{
    int x = (int)(blockIdx.COLUMN * blockDim.COLUMN + threadIdx.COLUMN);
    int y = (int)(blockIdx.ROW * blockDim.ROW + threadIdx.ROW);
    int groups = s.filters / FILTERS;
    int from = (int)blockIdx.z % groups * FILTERS, image = (int)blockIdx.z / groups;
    if (x >= s.q || y >= s.p) {
        return;
    }
    int depth = s.channels / s.groups;
#pragma unroll 1
    for (int f = 0; f < FILTERS; f++) {
        int filter = from + f, first = filter / (s.filters / s.groups) * depth;
        float sum = bias[filter];
        for (int c = 0; c < depth; c++) {
            const float *plane = in + (image * s.channels + first + c) * s.h * s.w;
            const float *weight = weights + (filter * depth + c) * SIZE * SIZE;
            for (int i = 0; i < SIZE; i++) {
                int row = y * STRIDE + i - PAD;
                for (int j = 0; j < SIZE; j++) {
                    int column = x * STRIDE + j - PAD;
                    if (PAD == 0 || (row >= 0 && row < s.h && column >= 0 && column < s.w)) {
                        sum += plane[row * s.w + column] * weight[i * SIZE + j];
                    }
                }
            }
        }
        if (s.relu) {
            sum = fmaxf(sum, 0.0f);
        }
        out[(((int)blockIdx.z * FILTERS + f) * s.p + y) * s.q + x] = sum;
    }
}

#define CONVOLUTION(NAME, SIZE, STRIDE, PAD)                                                       \
    extern "C" __global__ void NAME(const float *in, const float *weights, const float *bias,      \
                                    float *out, layer_shape s)                                     \
    {                                                                                              \
        convolve<SIZE, STRIDE, PAD>(in, weights, bias, out, s);                                    \
    }

CONVOLUTION(conv_5x5, 5, 1, 2)
CONVOLUTION(conv_3x3, 3, 1, 1)
CONVOLUTION(conv_11x11, 11, 4, 0)

/* Windows of 3 x 3 every 2; they may hang over the lower and right border. */
extern "C" __global__ void pool_max(const float *in, float *out, layer_shape s)
{
    int x = (int)(blockIdx.COLUMN * blockDim.COLUMN + threadIdx.COLUMN);
    int y = (int)(blockIdx.ROW * blockDim.ROW + threadIdx.ROW);
    if (x >= s.q || y >= s.p) {
        return;
    }
    const float *plane = in + (int)blockIdx.z * s.h * s.w;
    float best = plane[y * 2 * s.w + x * 2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int row = y * 2 + i, column = x * 2 + j;
            if (row < s.h && column < s.w) {
                best = fmaxf(best, plane[row * s.w + column]);
            }
        }
    }
    out[((int)blockIdx.z * s.p + y) * s.q + x] = best;
}

extern "C" __global__ void pool_average(const float *in, float *out, layer_shape s)
{
    int x = (int)(blockIdx.COLUMN * blockDim.COLUMN + threadIdx.COLUMN);
    int y = (int)(blockIdx.ROW * blockDim.ROW + threadIdx.ROW);
    if (x >= s.q || y >= s.p) {
        return;
    }
    const float *plane = in + (int)blockIdx.z * s.h * s.w;
    float sum = 0.0f;
    int count = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int row = y * 2 + i, column = x * 2 + j;
            if (row < s.h && column < s.w) {
                sum += plane[row * s.w + column];
                count++;
            }
        }
    }
    out[((int)blockIdx.z * s.p + y) * s.q + x] = sum / (float)count;
}

/* Local response normalisation over five neighbouring planes:
 * x / (1 + 1e-4 / 5 * sum of squares) ^ 0.75. */
extern "C" __global__ void normalise(const float *in, float *out, layer_shape s)
{
    int x = (int)(blockIdx.COLUMN * blockDim.COLUMN + threadIdx.COLUMN);
    int y = (int)(blockIdx.ROW * blockDim.ROW + threadIdx.ROW);
    int plane = (int)blockIdx.z % s.channels;
    if (x >= s.w || y >= s.h) {
        return;
    }
    int size = s.h * s.w, at = ((int)blockIdx.z * s.h + y) * s.w + x;
    float sum = 0.0f;
    for (int d = -2; d <= 2; d++) {
        if (plane + d >= 0 && plane + d < s.channels) {
            float value = in[at + d * size];
            sum += value * value;
        }
    }
    out[at] = in[at] * powf(1.0f + 2e-5f * sum, -0.75f);
}

/* Fully connected: one thread a neuron, blockIdx.y counts images. channels inputs, filters results.
 */
extern "C" __global__ void connect(const float *in, const float *weights, const float *bias,
                                   float *out, layer_shape s)
{
    int neuron = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (neuron >= s.filters) {
        return;
    }
    const float *x = in + (int)blockIdx.y * s.channels;
    const float *weight = weights + neuron * s.channels;
    float sum = bias[neuron];
    for (int i = 0; i < s.channels; i++) {
        sum += x[i] * weight[i];
    }
    if (s.relu) {
        sum = fmaxf(sum, 0.0f);
    }
    out[(int)blockIdx.y * s.filters + neuron] = sum;
}
