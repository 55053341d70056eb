/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution of layers.cu with loops that stay loops: a thread loads one element, uses it, and loads
 * its neighbour. The lanes of a warp are columns of the results. */
#include "layer_shape.h"

#define SIZE 5
#define PAD 2

extern "C" __global__ void conv_5x5(const float *in, const float *weights, const float *bias,
                                    float *out, layer_shape s)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int filter = (int)blockIdx.z % s.filters, image = (int)blockIdx.z / s.filters;
    if (x >= s.q || y >= s.p) {
        return;
    }
    const int depth = s.channels / s.groups, first = filter / (s.filters / s.groups) * depth;
    float sum = bias[filter];
#pragma unroll 1
    for (int c = 0; c < depth; c++) {
        const float *plane = in + (image * s.channels + first + c) * s.h * s.w;
        const float *weight = weights + (filter * depth + c) * SIZE * SIZE;
#pragma unroll 1
        for (int i = 0; i < SIZE; i++) {
            const int row = y + i - PAD;
#pragma unroll 1
            for (int j = 0; j < SIZE; j++) {
                const int column = x + j - PAD;
                if (row >= 0 && row < s.h && column >= 0 && column < s.w) {
                    sum += plane[row * s.w + column] * weight[i * SIZE + j];
                }
            }
        }
    }
    if (s.relu) {
        sum = fmaxf(sum, 0.0f);
    }
    out[((int)blockIdx.z * s.p + y) * s.q + x] = sum;
}
