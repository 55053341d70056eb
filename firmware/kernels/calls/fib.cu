// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers modulo another by recursion: calls as deep as the argument (CARS's FIB). Inlined: as deep as
// the template's, which is why the depth is limited there.
#include "calls.cuh"

#ifdef INLINED
template <int DEPTH> static __device__ __forceinline__ unsigned fibonacci(int n, unsigned modulus)
{
    unsigned sum = n;
    if (n >= 2)
        sum = fibonacci<DEPTH - 1>(n - 1, modulus) + fibonacci<DEPTH - 2>(n - 2, modulus);
    return sum % modulus;
}
template <> __device__ __forceinline__ unsigned fibonacci<1>(int n, unsigned modulus)
{
    return n % modulus;
}
template <> __device__ __forceinline__ unsigned fibonacci<0>(int n, unsigned modulus)
{
    return n % modulus;
}
#define FIBONACCI fibonacci<8>
#else
extern __device__ unsigned fibonacci(int n, unsigned modulus);
#define FIBONACCI fibonacci
#endif

extern "C" __global__ void fib(unsigned *out, int depth, unsigned modulus, int count)
{
    int i = thread_index();
    if (i < count)
        out[i] = FIBONACCI(depth - (i & 1), modulus) + i;
}
