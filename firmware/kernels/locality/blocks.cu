/* SPDX-License-Identifier: Apache-2.0 */
/* CifarNet in the geometry of a public suite of networks: one block a layer, a thread for every point of the
 * image, weights and results in double precision, filters one after the other in a loop of the thread.
 * threadIdx.x is the row: the lanes of a warp are a row's pitch apart. A block of 1024 threads has 32 registers
 * each (-maxrregcount), as many as a register file of 128 KB has for it. */

#define REACH 2 /* windows of 5 x 5 around a point */
#define WINDOW 25

static __device__ __forceinline__ bool inside(int row, int column, int side)
{
    return row >= 0 && row < side && column >= 0 && column < side;
}

/* Three planes of colours, whole numbers; no ReLU. */
extern "C" __global__ void block_colours(const double *weights, const int *red, const int *green,
                                         const int *blue, double *out, int side, int filters)
{
    const int row = (int)threadIdx.x, column = (int)threadIdx.y;
    for (int f = 0; f < filters; f++) {
        double sum = 0;
#pragma unroll 1
        for (int i = -REACH; i <= REACH; i++) {
            for (int j = -REACH; j <= REACH; j++) {
                if (inside(row + i, column + j, side)) {
                    const int at = (row + i) * side + column + j;
                    const double *weight =
                        weights + f * 3 * WINDOW + (i + REACH) * 5 + j + REACH;
                    sum += red[at] * weight[0] + green[at] * weight[WINDOW] +
                           blue[at] * weight[2 * WINDOW];
                }
            }
        }
        out[(f * side + row) * side + column] = sum;
    }
}

/* The block is larger than the image: threads beyond it have nothing to do. */
extern "C" __global__ void block_convolve(const double *weights, const double *in, double *out,
                                          int side, int planes, int filters)
{
    const int row = (int)threadIdx.x, column = (int)threadIdx.y;
    for (int f = 0; f < filters; f++) {
        double sum = 0;
        for (int p = 0; p < planes; p++) {
            if (row < side && column < side) {
                double part = 0;
#pragma unroll 1
                for (int i = -REACH; i <= REACH; i++) {
                    for (int j = -REACH; j <= REACH; j++) {
                        if (inside(row + i, column + j, side)) {
                            part += in[(p * side + row + i) * side + column + j] *
                                    weights[(f * planes + p) * WINDOW + (i + REACH) * 5 + j + REACH];
                        }
                    }
                }
                sum += part;
            }
        }
        if (row < side && column < side) {
            out[(f * side + row) * side + column] = sum < 0 ? 0 : sum;
        }
    }
}

/* Windows of 3 x 3 around every point of odd row and column, of which the other threads have none. */
extern "C" __global__ void block_pool(const double *in, double *out, int side, int planes,
                                      int average)
{
    const int row = (int)threadIdx.x, column = (int)threadIdx.y;
    for (int p = 0; p < planes; p++) {
        if (row % 2 && column % 2 && row < side && column < side) {
            double best = 0, sum = 0;
            int count = 0;
            for (int i = row - 1; i <= row + 1 && i < side; i++) {
                for (int j = column - 1; j <= column + 1 && j < side; j++) {
                    const double value = in[(p * side + i) * side + j];
                    best = best < value ? value : best;
                    sum += value;
                    count++;
                }
            }
            out[(p * (side / 2) + row / 2) * (side / 2) + column / 2] =
                average ? sum / count : best;
        }
    }
}

/* A thread a result; the block is as large as there are results. */
extern "C" __global__ void block_connect(const double *weights, const double *in, double *out,
                                         int inputs)
{
    double sum = 0;
    for (int i = 0; i < inputs; i++) {
        sum += in[i] * weights[(int)threadIdx.x * inputs + i];
    }
    out[threadIdx.x] = sum;
}
