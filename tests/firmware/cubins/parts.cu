// SPDX-License-Identifier: Apache-2.0
// Kernels of the tests of fat binaries: data and functions of every kind that a cubin holds.
// parts.fatbin: nvcc 11.8 -fatbin -Xfatbin=-compress-all for sm_75, 80, 86, 89, 90. parts13.fatbin:
// the same PTX through ptxas and fatbinary of CUDA 13.0, for sm_75, 86 and 90.
typedef unsigned int (*operation)(unsigned int, unsigned int);

__device__ __noinline__ unsigned int rotate(unsigned int x, unsigned int by)
{
    return x << (by & 31) | x >> (-by & 31);
}

__device__ __noinline__ unsigned int mix(unsigned int x, unsigned int y)
{
    return (x ^ y) * 2654435761u;
}

__device__ operation operations[2] = {rotate, mix};
__constant__ unsigned int steps[8] = {1, 3, 5, 7, 11, 13, 17, 19};
__device__ unsigned int calls;

extern "C" __global__ void parts(unsigned int *out, const unsigned int *in, unsigned int n, int which)
{
    __shared__ unsigned int tile[128];
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    unsigned int x = tile[127 - threadIdx.x];
    x = operations[i & 1](x, steps[i & 7]);
    switch (which) {
    case 0: x += 5; break;
    case 1: x *= 3; break;
    case 2: x = ~x; break;
    case 3: x ^= x >> 7; break;
    case 4: x -= in[0]; break;
    case 5: x = __popc(x); break;
    }
    if (i < n) {
        out[i] = x;
        atomicAdd(&calls, 1u);
    }
}

extern "C" __global__ void reals(double *out, const float *in, double factor, unsigned int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = fma(double(in[i]), factor, 0.5) + __int2float_rn(int(i)) * 1.25f;
    }
}
