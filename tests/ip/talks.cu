// SPDX-License-Identifier: Apache-2.0
// A kernel that prints and asserts, compiled for sm_75:
//     nvcc -arch=sm_75 -cubin -o talks.cubin talks.cu
#include <cassert>
#include <cstdio>

extern "C" __global__ void talks(int *data)
{
    const int i = threadIdx.x;
    printf("thread %d has %d\n", i, data[i]);
    assert(data[i] != 13);
    data[i] += 1;
}
