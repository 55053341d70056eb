// SPDX-License-Identifier: Apache-2.0
// Calls of a function that writes a register of its caller's only in some of its lanes, and reads it in all.
#include "calls/calls.cuh"

extern __device__ int stirred(int value, int times);
extern __device__ int some_of(int value, int times, int other);

extern "C" __global__ void keeps(const int *in, int *out, int times, int count)
{
    const int i = thread_index();
    if (i >= count) {
        return;
    }
    const int a = in[i], b = in[i + count], c = in[i + 2 * count], d = in[i + 3 * count];
    const int sum = some_of(i, times, a);
    out[i] = sum + a * 3 + b * 5 + c * 7 + d * 9;
}
