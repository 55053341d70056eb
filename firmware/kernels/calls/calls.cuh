// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share. Each has a main module (<name>.cu, the kernels) and a
// library module (<name>_lib.cu, what they call), compiled apart and linked, as the workloads of
// CARS (HPCA 2024, Sec. V-B) are; with -DINLINED the main module takes the library in and nothing
// is called. Floating-point contraction is off (-fmad=false) and every fused multiply-add written,
// so that results are the same in both forms and in the host's plain C.
#ifndef CALLS_CUH
#define CALLS_CUH

#include <new>

#ifdef INLINED
#define FUNCTION static __device__ __forceinline__
#define METHOD __device__ __forceinline__
#define VIRTUAL
#else
#define FUNCTION __device__ __noinline__
#define METHOD __device__ __noinline__
#define VIRTUAL virtual
#endif

struct Vec {
    float x, y, z;
};

static __device__ __forceinline__ Vec vec(float x, float y, float z)
{
    Vec v = {x, y, z};
    return v;
}

static __device__ __forceinline__ float dot(const Vec &a, const Vec &b)
{
    return fmaf(a.z, b.z, fmaf(a.y, b.y, a.x * b.x));
}

// a + s b
static __device__ __forceinline__ Vec along(const Vec &a, float s, const Vec &b)
{
    return vec(fmaf(s, b.x, a.x), fmaf(s, b.y, a.y), fmaf(s, b.z, a.z));
}

static __device__ __forceinline__ Vec minus(const Vec &a, const Vec &b)
{
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static __device__ __forceinline__ int thread_index()
{
    return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

#endif
