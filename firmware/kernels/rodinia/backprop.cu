/* SPDX-License-Identifier: Apache-2.0 */
/* Training step of a perceptron with one hidden layer of 16 units. Structure of Rodinia's
 * backprop: a 16 x 16 block takes 16 inputs, multiplies them with their weights in shared memory
 * and adds up by halves; the host adds the blocks' sums. */
#define HIDDEN 16

extern "C" __global__ void layer_forward(const float *input, const float *weights,
                                         float *partial_sums)
{
    __shared__ float nodes[HIDDEN];
    __shared__ float products[HIDDEN][HIDDEN];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    /* row 0 and column 0 belong to the bias unit */
    const int unit = HIDDEN * blockIdx.y + ty + 1;
    const int index = (HIDDEN + 1) * unit + tx + 1;

    if (tx == 0)
        nodes[ty] = input[unit];
    __syncthreads();
    products[ty][tx] = weights[index];
    __syncthreads();
    products[ty][tx] = products[ty][tx] * nodes[ty];
    __syncthreads();
    for (int stride = 2; stride <= HIDDEN; stride *= 2) {
        if (ty % stride == 0)
            products[ty][tx] = products[ty][tx] + products[ty + stride / 2][tx];
        __syncthreads();
    }
    if (tx == 0)
        partial_sums[blockIdx.y * HIDDEN + ty] = products[0][ty];
}

extern "C" __global__ void adjust_weights(const float *delta, const float *input, float *weights,
                                          float *changes, float rate, float momentum)
{
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int unit = HIDDEN * blockIdx.y + ty + 1;
    const int index = (HIDDEN + 1) * unit + tx + 1;
    const float change = rate * delta[tx + 1] * input[unit] + momentum * changes[index];

    weights[index] += change;
    changes[index] = change;
    __syncthreads();
    if (ty == 0 && blockIdx.y == 0) { /* the bias unit, whose input is one */
        const float bias = rate * delta[tx + 1] + momentum * changes[tx + 1];
        weights[tx + 1] += bias;
        changes[tx + 1] = bias;
    }
}
