// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void append(int *list, int *used, int value)
{
    list[atomicAdd(used, 1)] = value;
}
