// SPDX-License-Identifier: Apache-2.0
// Another file of the same program: its data, its constants and its functions lie beside the first's.
__device__ int numbers[4] = {1, 10, 100, 1000};
__device__ int *where = &numbers[2];
__constant__ int factors[4] = {2, 3, 5, 7};

template <int N> __device__ int power(int x)
{
    return x * power<N - 1>(x);
}
template <> __device__ int power<0>(int)
{
    return 1;
}

extern "C" __global__ void combine(int *to)
{
    const int i = threadIdx.x;
    to[i] = numbers[i % 4] * factors[i / 4 % 4] + power<3>(i) + *where;
}
