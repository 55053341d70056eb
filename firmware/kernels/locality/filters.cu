/* SPDX-License-Identifier: Apache-2.0 */
/* AlexNet in the geometry of a public suite of networks: a block a filter, a thread for every point of the
 * filter's results, in single precision. threadIdx.x is the row: the lanes of a warp are a row's pitch apart.
 * The first layers' results are wider than a block, and take four launches. */

#define FIRST_SIDE 11 /* windows of the first convolution, of which the next begins four points on */
#define FIRST_STEP 4
#define POOL_SIDE 3
#define POOL_STEP 2

/* The image has its three colours side by side, point after point; the weights a plane each. */
extern "C" __global__ void filter_first(const float *bias, const float *image, const float *weights, float *out,
                                        int side, int image_side, int first_row, int first_column)
{
    const int row = (int)threadIdx.x + first_row, column = (int)threadIdx.y + first_column;
    const int filter = (int)blockIdx.x;
    const float *from = image + (row * image_side + column) * FIRST_STEP * 3;
    const float *weight = weights + filter * 3 * FIRST_SIDE * FIRST_SIDE;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < FIRST_SIDE; i++) {
        for (int j = 0; j < FIRST_SIDE; j++) {
            const float *point = from + (i * image_side + j) * 3;
            const float *taken = weight + i * FIRST_SIDE + j;
            sum += point[0] * taken[0] + point[1] * taken[FIRST_SIDE * FIRST_SIDE] +
                   point[2] * taken[2 * FIRST_SIDE * FIRST_SIDE];
        }
    }
    sum += bias[filter];
    out[(filter * side + row) * side + column] = sum < 0 ? 0 : sum;
}

/* Of `planes` planes from first_plane on, the filters from first_filter on; window: its side. */
extern "C" __global__ void filter_convolve(const float *bias, const float *in, const float *weights, float *out,
                                           int side, int window, int planes, int first_plane, int first_filter)
{
    const int filter = (int)blockIdx.x + first_filter, row = (int)threadIdx.x, column = (int)threadIdx.y;
    const int reach = window / 2;
    const int top = row < reach ? reach - row : 0, left = column < reach ? reach - column : 0;
    const int rows = min(window, side + reach - row) - top;
    const int columns = min(window, side + reach - column) - left;
    const int from = (row + top - reach) * side + column + left - reach;
    float sum = 0;
    for (int p = 0; p < planes; p++) {
        const float *plane = in + (first_plane + p) * side * side + from;
        const float *weight = weights + ((filter * planes + p) * window + top) * window + left;
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                sum += plane[i * side + j] * weight[i * window + j];
            }
        }
    }
    sum += bias[filter];
    out[(filter * side + row) * side + column] = sum < 0 ? 0 : sum;
}

/* Local response normalisation over five neighbouring planes. */
extern "C" __global__ void filter_normalise(const float *in, float *out, int side, int planes, int first_row,
                                            int first_column)
{
    const int row = (int)threadIdx.x + first_row, column = (int)threadIdx.y + first_column;
    const int plane = (int)blockIdx.x, at = row * side + column;
    float sum = 0;
    for (int p = max(plane - 2, 0); p <= min(plane + 2, planes - 1); p++) {
        const float value = in[p * side * side + at];
        sum += value * value;
    }
    out[plane * side * side + at] = in[plane * side * side + at] * powf(1.0f + 2e-5f * sum, -0.75f);
}

/* The largest of 3 x 3, every other point; in_side: of what comes in. */
extern "C" __global__ void filter_pool(const float *in, float *out, int side, int in_side)
{
    const int plane = (int)blockIdx.x, row = (int)threadIdx.x, column = (int)threadIdx.y;
    const float *from = in + (plane * in_side + row * POOL_STEP) * in_side + column * POOL_STEP;
    float best = 0;
    for (int i = 0; i < POOL_SIDE; i++) {
        for (int j = 0; j < POOL_SIDE; j++) {
            const float value = from[i * in_side + j];
            best = best < value ? value : best;
        }
    }
    out[(plane * side + row) * side + column] = best;
}

/* Fully connected: a block of one thread for every result. */
extern "C" __global__ void filter_connect(const float *bias, const float *in, const float *weights, float *out,
                                          int inputs)
{
    const int neuron = (int)blockIdx.x;
    float sum = 0;
    for (int i = 0; i < inputs; i++) {
        sum += in[i] * weights[neuron * inputs + i];
    }
    sum += bias[neuron];
    out[neuron] = sum < 0 ? 0 : sum;
}
