/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution as an implicit matrix product with warp tiles of 64 x 64, which ask shared memory for
 * least and leave most of a warp's instructions to the tensor cores: pixels x filters, fragments by
 * LDSM of four matrices, sums in single precision. As in the vendor's libraries for big layers, a block
 * of 128 threads makes 128 pixels x 128 filters. r s c is a multiple of 32. */
#include "../deepbench/patches.cuh"
#include "../deepbench/tensor_tile.cuh"

static constexpr int BM = 128, BN = 128, BK = 32, WARP = 64, THREADS = 128;

using lines = panel<half, true, BM, BK>; /* of pixels, and of filters: k runs along them */

struct fragments {
    uint32_t row[WARP / 16][4]; /* 16 pixels x 16 k each: two steps of k */
    uint32_t column[WARP / 8][2]; /* 16 k x 8 filters each, likewise */
};

static __device__ __forceinline__ void four(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d,
                                            const half *at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"((uint32_t)__cvta_generic_to_shared(at)));
}

static __device__ __forceinline__ void load(fragments &f, const half *pixels, const half *filters,
                                            int k)
{
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < WARP / 16; i++) {
        four(f.row[i][0], f.row[i][1], f.row[i][2], f.row[i][3],
             pixels + lines::offset(16 * i + lane % 16, k + lane / 16 * 8));
    }
#pragma unroll
    for (int j = 0; j < WARP / 8; j += 2) {
        four(f.column[j][0], f.column[j][1], f.column[j + 1][0], f.column[j + 1][1],
             filters + lines::offset(8 * j + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8));
    }
}

static __device__ __forceinline__ void multiply(float (&acc)[WARP / 16][WARP / 8][4],
                                                const fragments &f)
{
#pragma unroll
    for (int step = 0; step < 2; step++) {
#pragma unroll
        for (int i = 0; i < WARP / 16; i++) {
#pragma unroll
            for (int j = 0; j < WARP / 8; j++) {
                float(&c)[4] = acc[i][j];
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                             "{%4, %5}, {%6}, {%0, %1, %2, %3};"
                             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                             : "r"(f.row[i][2 * step]), "r"(f.row[i][2 * step + 1]),
                               "r"(f.column[j][step]));
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    conv_wide(const half *image, const half *filters, half *out, conv_shape shape)
{
    __shared__ __align__(16) half pixel[lines::elements], filter[lines::elements];
    const int num_k = shape.r * shape.s * shape.c;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int row = warp % 2 * WARP, column = warp / 2 * WARP;
    patch_reader<lines, THREADS, BK> a(image, shape, (int)blockIdx.y * BM);
    matrix_reader<half, lines, true, THREADS, false> b(filters, num_k, (int)blockIdx.x * BN, shape.k,
                                                      num_k);
    constexpr int count = decltype(a)::count;
    uint4 next_a[count], next_b[count];
    float acc[WARP / 16][WARP / 8][4] = {};
    auto fetch = [&]() {
#pragma unroll
        for (int i = 0; i < count; i++) {
            next_a[i] = a.get(i);
            next_b[i] = b.get(i);
        }
        a.template advance<BK>();
        b.template advance<BK>();
    };
    auto keep = [&]() {
        const int line = (int)threadIdx.x / lines::vecs, at = (int)threadIdx.x % lines::vecs;
#pragma unroll
        for (int i = 0; i < count; i++) {
            const int offset = lines::offset(line + i * decltype(a)::step, at * lines::vec);
            *reinterpret_cast<uint4 *>(pixel + offset) = next_a[i];
            *reinterpret_cast<uint4 *>(filter + offset) = next_b[i];
        }
    };
    fetch();
#pragma unroll 1
    for (int k = 0; k < num_k; k += BK) {
        __syncthreads();
        keep();
        __syncthreads();
        if (k + BK < num_k) {
            fetch();
        }
#pragma unroll
        for (int inner = 0; inner < BK; inner += 16) {
            fragments f;
            load(f, pixel + lines::offset(row, 0), filter + lines::offset(column, 0), inner);
            multiply(acc, f);
        }
    }
    const int pixels = shape.n * shape.p * shape.q;
#pragma unroll
    for (int i = 0; i < WARP / 16; i++) {
#pragma unroll
        for (int j = 0; j < WARP / 8; j++) {
#pragma unroll
            for (int half_of = 0; half_of < 2; half_of++) {
                const int p = (int)blockIdx.y * BM + row + 16 * i + 8 * half_of + lane / 4;
                const int c = (int)blockIdx.x * BN + column + 8 * j + lane % 4 * 2;
                if (p < pixels && c < shape.k) {
                    *reinterpret_cast<uint32_t *>(out + (size_t)p * (size_t)shape.k + c) =
                        pack(acc[i][j][2 * half_of], acc[i][j][2 * half_of + 1]);
                }
            }
        }
    }
}
