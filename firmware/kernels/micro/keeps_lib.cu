// SPDX-License-Identifier: Apache-2.0
#include "calls/calls.cuh"

extern __device__ int stirred(int value, int times);

FUNCTION int stirred(int value, int times)
{
    for (int i = 0; i < times; i++)
        value = value * 5 + 1;
    return value;
}

// `some` is written where value is odd; its register keeps the caller's value elsewhere.
FUNCTION int some_of(int value, int times, int other)
{
    int some;
    if (value & 1)
        some = stirred(value, times);
    const int all = stirred(other, times + 1);
    return value & 1 ? some + all : all;
}
