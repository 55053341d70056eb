// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers by recursion: calls as deep as the argument (CARS's FIB). Inlined: as deep as
// the template's, which is why the depth is limited there.
#include "calls.cuh"

#ifdef INLINED
template <int DEPTH> static __device__ __forceinline__ int fibonacci(int n)
{
    if (n < 2)
        return n;
    return fibonacci<DEPTH - 1>(n - 1) + fibonacci<DEPTH - 2>(n - 2);
}
template <> __device__ __forceinline__ int fibonacci<1>(int n)
{
    return n;
}
template <> __device__ __forceinline__ int fibonacci<0>(int n)
{
    return n;
}
#define FIBONACCI fibonacci<8>
#else
extern __device__ int fibonacci(int n);
#define FIBONACCI fibonacci
#endif

extern "C" __global__ void fib(int *out, int depth, int count)
{
    int i = thread_index();
    if (i < count)
        out[i] = FIBONACCI(depth - (i & 1)) + i;
}
