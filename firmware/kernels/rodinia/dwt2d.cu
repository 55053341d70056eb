/* SPDX-License-Identifier: Apache-2.0 */
/* Forward 2-D wavelet transform of an image by lifting, reversible 5/3 (integer) and 9/7 (float).
 * A block owns a strip of columns and slides a window of rows down it: the window's rows are
 * lifted horizontally in shared memory, columns are lifted vertically in registers that live from
 * window to window. Structure of Rodinia's dwt2d: conversion to planes, then a launch a level.
 *
 * Edges: whole-sample symmetric, row -r is row r, row height - 1 + r is row height - 1 - r. */
#define STRIP 64 /* columns of a block: its threads */
#define WINDOW 8 /* rows */
#define MARGIN 4 /* columns to each side: even, at least the longest filter's reach */
#define PITCH (STRIP + 2 * MARGIN)

__device__ int mirror(int i, int size)
{
    if (i < 0)
        i = -i;
    if (i >= size)
        i = 2 * (size - 1) - i;
    return i < 0 ? 0 : i; /* past a second edge nothing is used */
}

/* Interleaved bytes to one plane a component, levels shifted around zero. */
extern "C" __global__ void to_planes(const unsigned char *pixels, int *plane0, int *plane1,
                                     int *plane2, int count)
{
    __shared__ unsigned char bytes[256 * 3];
    const int first = blockIdx.x * 256;
    const int i = first + threadIdx.x;

    for (int part = 0; part < 3; part++) {
        const int at = first * 3 + part * 256 + threadIdx.x;
        if (at < count * 3)
            bytes[part * 256 + threadIdx.x] = pixels[at];
    }
    __syncthreads();
    if (i < count) {
        plane0[i] = bytes[threadIdx.x * 3] - 128;
        plane1[i] = bytes[threadIdx.x * 3 + 1] - 128;
        plane2[i] = bytes[threadIdx.x * 3 + 2] - 128;
    }
}

extern "C" __global__ void to_float(const int *from, float *to, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        to[i] = from[i] / 255.0f;
}

/* Where coefficient (x, y) goes: low parts first, in both directions; the low-low part apart. */
#define PUT(x, y, value)                                                                           \
    do {                                                                                           \
        const int column_ = ((x) >> 1) + ((x)&1 ? width >> 1 : 0);                                 \
        const int row_ = ((y) >> 1) + ((y)&1 ? height >> 1 : 0);                                   \
        if (((x)&1) == 0 && ((y)&1) == 0)                                                          \
            low[row_ * low_pitch + column_] = (value);                                             \
        else                                                                                       \
            out[row_ * out_pitch + column_] = (value);                                             \
    } while (0)

/* Raw rows of the window, with the margins, mirrored at the image's edges. */
#define LOAD_WINDOW(first_row)                                                                     \
    for (int r_ = 0; r_ < WINDOW; r_++) {                                                          \
        const int y_ = mirror((first_row) + r_, height);                                           \
        window[r_][t + MARGIN] = from[y_ * from_pitch + mirror(x, width)];                         \
        if (t < 2 * MARGIN) {                                                                      \
            const int c_ = t < MARGIN ? t : STRIP + t;                                             \
            window[r_][c_] = from[y_ * from_pitch + mirror(strip + c_ - MARGIN, width)];           \
        }                                                                                          \
    }                                                                                              \
    __syncthreads()

/* One lifting step over the window: columns first, first + 2, .. below end take their two
 * neighbours' sum. */
#define LIFT(first, end, statement)                                                                \
    for (int j_ = t; j_ < WINDOW * (((end) - (first) + 1) / 2); j_ += STRIP) {                     \
        const int r = j_ / (((end) - (first) + 1) / 2);                                            \
        const int c = (first) + 2 * (j_ % (((end) - (first) + 1) / 2));                            \
        statement;                                                                                 \
    }                                                                                              \
    __syncthreads()

extern "C" __global__ void fdwt53(const int *from, int from_pitch, int *low, int low_pitch,
                                  int *out, int out_pitch, int width, int height, int windows)
{
    __shared__ int window[WINDOW][PITCH];
    const int t = threadIdx.x;
    const int strip = blockIdx.x * STRIP;
    const int x = strip + t;
    const int top = blockIdx.y * windows * WINDOW;
    const int bottom = min(top + windows * WINDOW, height);
    int even = 0, odd = 0, high_before = 0;

    /* two rows before, and the even row after, belong to the vertical filter's reach */
    for (int first = top - 2; first <= bottom; first += WINDOW) {
        LOAD_WINDOW(first);
        LIFT(MARGIN - 1, PITCH - MARGIN + 1,
             window[r][c] -= (window[r][c - 1] + window[r][c + 1]) >> 1);
        LIFT(MARGIN, PITCH - MARGIN,
             window[r][c] += (window[r][c - 1] + window[r][c + 1] + 2) >> 2);
        for (int r = 0; r < WINDOW; r += 2) {
            /* the pair of rows (first + r - 2, first + r - 1) is complete */
            const int y = first + r - 2;
            const int next = window[r][t + MARGIN];
            const int high = odd - ((even + next) >> 1);
            if (y >= top && y < bottom && x < width) {
                PUT(x, y, even + ((high_before + high + 2) >> 2));
                PUT(x, y + 1, high);
            }
            high_before = high;
            even = next;
            odd = window[r + 1][t + MARGIN];
        }
        __syncthreads();
    }
}

#define ALPHA -1.586134342059924f
#define BETA -0.052980118572961f
#define GAMMA 0.882911075530934f
#define DELTA 0.443506852043971f
#define SCALE 1.230174104914001f

extern "C" __global__ void fdwt97(const float *from, int from_pitch, float *low, int low_pitch,
                                  float *out, int out_pitch, int width, int height, int windows)
{
    __shared__ float window[WINDOW][PITCH];
    const int t = threadIdx.x;
    const int strip = blockIdx.x * STRIP;
    const int x = strip + t;
    const int top = blockIdx.y * windows * WINDOW;
    const int bottom = min(top + windows * WINDOW, height);
    float even = 0, odd = 0;              /* raw, of the pair before */
    float high1 = 0, low1 = 0, high2 = 0; /* after the first two and the third step */

    for (int first = top - 4; first <= bottom + 2; first += WINDOW) {
        LOAD_WINDOW(first);
        LIFT(1, PITCH - 1, window[r][c] += ALPHA * (window[r][c - 1] + window[r][c + 1]));
        LIFT(2, PITCH - 2, window[r][c] += BETA * (window[r][c - 1] + window[r][c + 1]));
        LIFT(3, PITCH - 3, window[r][c] += GAMMA * (window[r][c - 1] + window[r][c + 1]));
        LIFT(4, PITCH - 4, window[r][c] += DELTA * (window[r][c - 1] + window[r][c + 1]));
        const float scale = t & 1 ? SCALE : 1 / SCALE;
        for (int r = 0; r < WINDOW; r += 2) {
            /* row first + r completes pair (y + 2, y + 3), and with it pair (y, y + 1) */
            const int y = first + r - 4;
            const float next = scale * window[r][t + MARGIN];
            const float new_high1 = odd + ALPHA * (even + next);
            const float new_low1 = even + BETA * (high1 + new_high1);
            const float new_high2 = high1 + GAMMA * (low1 + new_low1);
            const float new_low2 = low1 + DELTA * (high2 + new_high2);
            if (y >= top && y < bottom && x < width) {
                PUT(x, y, new_low2 * (1 / SCALE));
                PUT(x, y + 1, new_high2 * SCALE);
            }
            high1 = new_high1;
            low1 = new_low1;
            high2 = new_high2;
            even = next;
            odd = scale * window[r + 1][t + MARGIN];
        }
        __syncthreads();
    }
}
