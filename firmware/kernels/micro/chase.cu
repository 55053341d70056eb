// SPDX-License-Identifier: Apache-2.0
// Pointer chasing: every load needs the one before.
struct Link {
    const Link *next;
    int value, padding;
};

extern "C" __global__ void connect(Link *links, const int *next, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        links[i].next = links + next[i];
        links[i].value = i;
    }
}

extern "C" __global__ void chase(const Link *links, int *last, int *sum, int stride, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Link *link = links + i * stride;
    int total = 0;
#pragma unroll 4
    for (int k = 0; k < steps; k++) {
        total += link->value;
        link = link->next;
    }
    last[i] = link->value;
    sum[i] = total;
}
