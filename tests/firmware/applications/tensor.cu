// SPDX-License-Identifier: Apache-2.0
// What architectures since sm_80 have: matrices of more types, reductions of a warp, copies to
// shared memory in groups, bfloat16. Compiled for sm_80, 86 and 90 only.
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

template <typename T, typename Sum, int M, int N, int K, typename Format>
__device__ void multiply(const T *a, const T *b, Sum *c)
{
    wmma::fragment<wmma::matrix_a, M, N, K, Format, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, M, N, K, Format, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::load_matrix_sync(left, a, K);
    wmma::load_matrix_sync(right, b, K);
    wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

extern "C" __global__ void half_to_single(const half *a, const half *b, float *c)
{
    multiply<half, float, 16, 16, 16, half>(a, b, c);
}
extern "C" __global__ void bfloat_to_single(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                                            float *c)
{
    multiply<__nv_bfloat16, float, 16, 16, 16, __nv_bfloat16>(a, b, c);
}
extern "C" __global__ void tf32_to_single(const float *a, const float *b, float *c)
{
    multiply<float, float, 16, 16, 8, wmma::precision::tf32>(a, b, c);
}
extern "C" __global__ void doubles(const double *a, const double *b, double *c)
{
    multiply<double, double, 8, 8, 4, double>(a, b, c);
}
extern "C" __global__ void bytes(const signed char *a, const signed char *b, int *c)
{
    multiply<signed char, int, 16, 16, 16, signed char>(a, b, c);
}

extern "C" __global__ void reduce(unsigned *to, const unsigned *from)
{
    const unsigned x = from[threadIdx.x];
    to[0] = __reduce_add_sync(~0u, x);
    to[1] = __reduce_min_sync(~0u, x);
    to[2] = __reduce_max_sync(~0u, x);
    to[3] = __reduce_and_sync(~0u, x);
    to[4] = __reduce_or_sync(~0u, x);
    to[5] = __reduce_xor_sync(~0u, x);
}

// Two tiles are on their way while a third is summed.
extern "C" __global__ void stages(const float4 *from, float *to, int n)
{
    __shared__ float4 tile[3][128];
    const int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&tile[k][i], &from[k * 128 + i], 16);
        __pipeline_commit();
    }
    for (int k = 0; k < n; k++) {
        if (k + 2 < n) {
            __pipeline_memcpy_async(&tile[(k + 2) % 3][i], &from[(k + 2) * 128 + i], 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        const float4 v = tile[k % 3][(i + 1) % 128];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();
    }
    to[i] = sum;
}

extern "C" __global__ void bfloats(const __nv_bfloat162 *a, const __nv_bfloat162 *b,
                                   __nv_bfloat162 *c, const float *f)
{
    const int i = threadIdx.x;
    const __nv_bfloat162 sum = __hfma2(a[i], b[i], __float2bfloat162_rn(1.5f));
    c[i] = __hmax2(sum, __float2bfloat162_rn(f[i]));
}
