/* SPDX-License-Identifier: Apache-2.0 */
/* Speckle-reducing anisotropic diffusion of an image: statistics by a tree of reductions, then
 * gradients with the diffusion coefficient, then the update. Structure of Rodinia's srad, first
 * version; images lie column by column. */
#define THREADS 512

extern "C" __global__ void extract(int count, float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < count)
        image[i] = expf(image[i] / 255);
}

extern "C" __global__ void prepare(int count, const float *image, float *sums, float *squares)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < count) {
        sums[i] = image[i];
        squares[i] = image[i] * image[i];
    }
}

/* Adds up `count` values that lie `spacing` apart, a block THREADS of them, and leaves a block's
 * sum where its first value was. */
extern "C" __global__ void reduce(int count, int spacing, float *sums, float *squares)
{
    __shared__ float sum[THREADS];
    __shared__ float square[THREADS];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * THREADS + tx;
    const int valid = THREADS - (gridDim.x * THREADS - count); /* of the last block */

    if (i < count) {
        sum[tx] = sums[i * spacing];
        square[tx] = squares[i * spacing];
    }
    __syncthreads();
    if (valid == THREADS || blockIdx.x != gridDim.x - 1) {
        for (int stride = 2; stride <= THREADS; stride *= 2) {
            if ((tx + 1) % stride == 0) {
                sum[tx] = sum[tx] + sum[tx - stride / 2];
                square[tx] = square[tx] + square[tx - stride / 2];
            }
            __syncthreads();
        }
        if (tx == THREADS - 1) {
            sums[blockIdx.x * spacing * THREADS] = sum[tx];
            squares[blockIdx.x * spacing * THREADS] = square[tx];
        }
    } else { /* the largest power of two by a tree, one thread adds the rest */
        int power = 1;
        for (int stride = 2; stride <= THREADS; stride *= 2) {
            if (valid >= stride)
                power = stride;
        }
        for (int stride = 2; stride <= power; stride *= 2) {
            if ((tx + 1) % stride == 0 && tx < power) {
                sum[tx] = sum[tx] + sum[tx - stride / 2];
                square[tx] = square[tx] + square[tx - stride / 2];
            }
            __syncthreads();
        }
        if (tx == power - 1) {
            for (int j = power; j < valid; j++) {
                sum[tx] = sum[tx] + sum[j];
                square[tx] = square[tx] + square[j];
            }
            sums[blockIdx.x * spacing * THREADS] = sum[tx];
            squares[blockIdx.x * spacing * THREADS] = square[tx];
        }
    }
}

extern "C" __global__ void gradients(int rows, int count, const int *north, const int *south,
                                     const int *east, const int *west, float *d_north,
                                     float *d_south, float *d_east, float *d_west, float q0sqr,
                                     float *coefficient, const float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int row = (i + 1) % rows - 1;
    int column = (i + 1) / rows + 1 - 1;

    if ((i + 1) % rows == 0) {
        row = rows - 1;
        column = column - 1;
    }
    if (i < count) {
        const float jc = image[i];
        const float dn = image[north[row] + rows * column] - jc;
        const float ds = image[south[row] + rows * column] - jc;
        const float dw = image[row + rows * west[column]] - jc;
        const float de = image[row + rows * east[column]] - jc;
        const float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (jc * jc);
        const float l = (dn + ds + dw + de) / jc;
        const float num = (0.5f * g2) - ((1.0f / 16.0f) * (l * l));
        float den = 1 + (0.25f * l);
        const float qsqr = num / (den * den);

        den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
        float c = 1.0f / (1.0f + den);
        if (c < 0)
            c = 0;
        else if (c > 1)
            c = 1;
        d_north[i] = dn;
        d_south[i] = ds;
        d_west[i] = dw;
        d_east[i] = de;
        coefficient[i] = c;
    }
}

extern "C" __global__ void diffuse(float lambda, int rows, int count, const int *south,
                                   const int *east, const float *d_north, const float *d_south,
                                   const float *d_east, const float *d_west,
                                   const float *coefficient, float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int row = (i + 1) % rows - 1;
    int column = (i + 1) / rows + 1 - 1;

    if ((i + 1) % rows == 0) {
        row = rows - 1;
        column = column - 1;
    }
    if (i < count) {
        const float cn = coefficient[i];
        const float cs = coefficient[south[row] + rows * column];
        const float cw = coefficient[i];
        const float ce = coefficient[row + rows * east[column]];
        const float divergence =
            cn * d_north[i] + cs * d_south[i] + cw * d_west[i] + ce * d_east[i];
        image[i] = image[i] + 0.25f * lambda * divergence;
    }
}

extern "C" __global__ void compress(int count, float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < count)
        image[i] = logf(image[i]) * 255;
}
