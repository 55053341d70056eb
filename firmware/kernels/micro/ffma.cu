// SPDX-License-Identifier: Apache-2.0
// Chains of FFMA whose every source was last touched eight instructions before. From this text
// generate.sh makes the programs ffma-*, with registers and distances of its choice: the compiler
// cannot be told them.
#define DISTANCE 8
#define UNROLL 120

extern "C" __global__ void ffma_chain(float *out, const float *in, int loops)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], a[DISTANCE], b[DISTANCE], c[DISTANCE];
#pragma unroll
    for (int k = 0; k < DISTANCE; k++) {
        a[k] = x + 0.0625f * (float)k;
        b[k] = x + 0.125f * (float)k;
        c[k] = x + -0.03125f * (float)k;
    }
#pragma unroll 1
    for (; loops; loops--) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            a[k % DISTANCE] = fmaf(b[k % DISTANCE], c[k % DISTANCE], a[k % DISTANCE]);
    }
    float sum = a[0];
#pragma unroll
    for (int k = 1; k < DISTANCE; k++)
        sum += a[k];
    out[i] = sum;
}
