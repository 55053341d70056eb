// SPDX-License-Identifier: Apache-2.0
// Instructions that came with sm_80, in code as the compiler makes it. All numbers are small
// integers, so that every sum is exact.
#include "host.h"

#include <algorithm>
#include <vector>

IMAGE(tensor);

static char half_to_single, bfloat_to_single, tf32_to_single, doubles, bytes, reduce, stages,
    bfloats;

static uint32_t bits_of(float x)
{
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// Of integers up to 2,048.
static uint16_t half_of(float x)
{
    const uint32_t bits = bits_of(x);
    return x == 0 ? 0
                  : static_cast<uint16_t>(bits >> 16 & 0x8000) |
                        static_cast<uint16_t>((bits >> 13 & 0x3ffff) - (112 << 10));
}
static uint16_t bfloat_of(float x) // that has one
{
    return static_cast<uint16_t>(bits_of(x) >> 16);
}
template <typename T> static T same(float x)
{
    return static_cast<T>(x);
}

template <typename T> static T *managed(size_t count)
{
    void *at;
    OK(cudaMallocManaged(&at, count * sizeof(T), 1));
    return static_cast<T *>(at);
}

template <typename T, typename Sum, int M, int N, int K>
static void matrices(const void *kernel, T (*number)(float))
{
    T *a = managed<T>(M * K), *b = managed<T>(N * K);
    Sum *c = managed<Sum>(M * N);
    int left[M * K], right[N * K];
    for (int i = 0; i < M * K; i++) {
        left[i] = i * 7 % 9 - 4;
        a[i] = number(static_cast<float>(left[i]));
    }
    for (int i = 0; i < N * K; i++) {
        right[i] = i * 5 % 11 - 5;
        b[i] = number(static_cast<float>(right[i]));
    }
    for (int i = 0; i < M * N; i++) {
        c[i] = static_cast<Sum>(i % 13);
    }
    OK(launch(kernel, 1, 32, 0, nullptr, a, b, c));
    OK(cudaDeviceSynchronize());
    for (int y = 0; y < M; y++) {
        for (int x = 0; x < N; x++) {
            int sum = (y * N + x) % 13;
            for (int k = 0; k < K; k++) {
                sum += left[y * K + k] * right[x * K + k];
            }
            CHECK(c[y * N + x] == static_cast<Sum>(sum));
        }
    }
}

static void warps()
{
    uint32_t *to = managed<uint32_t>(6), *from = managed<uint32_t>(32);
    uint32_t want[6] = {0, UINT32_MAX, 0, UINT32_MAX, 0, 0};
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t x = from[i] = i * 2654435761u | 3;
        want[0] += x;
        want[1] = std::min(want[1], x);
        want[2] = std::max(want[2], x);
        want[3] &= x;
        want[4] |= x;
        want[5] ^= x;
    }
    OK(launch(&reduce, 1, 32, 0, nullptr, to, from));
    OK(cudaDeviceSynchronize());
    CHECK(std::equal(want, want + 6, to));
}

static void copies()
{
    const int n = 7;
    float *from = managed<float>(4 * 128 * n), *to = managed<float>(128);
    for (int i = 0; i < 4 * 128 * n; i++) {
        from[i] = static_cast<float>(i * 31 % 101);
    }
    OK(launch(&stages, 1, 128, 0, nullptr, from, to, n));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 128; i++) {
        float sum = 0;
        for (int k = 0; k < n; k++) {
            for (int e = 0; e < 4; e++) {
                sum += from[4 * (k * 128 + (i + 1) % 128) + e];
            }
        }
        CHECK(to[i] == sum);
    }
}

static void brains()
{
    uint16_t *a = managed<uint16_t>(64), *b = managed<uint16_t>(64), *c = managed<uint16_t>(64);
    float *f = managed<float>(32);
    for (int i = 0; i < 32; i++) {
        a[2 * i] = bfloat_of(static_cast<float>(i));
        a[2 * i + 1] = bfloat_of(static_cast<float>(-i));
        b[2 * i] = bfloat_of(2);
        b[2 * i + 1] = bfloat_of(1);
        f[i] = static_cast<float>(20 - i);
    }
    OK(launch(&bfloats, 1, 32, 0, nullptr, a, b, c, f));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++) {
        CHECK(c[2 * i] == bfloat_of(std::max(2.0F * i + 1.5F, f[i])));
        CHECK(c[2 * i + 1] == bfloat_of(std::max(1.5F - i, f[i])));
    }
}

int main()
{
    const image device(application_tensor);
    device.kernel(&half_to_single, "half_to_single");
    device.kernel(&bfloat_to_single, "bfloat_to_single");
    device.kernel(&tf32_to_single, "tf32_to_single");
    device.kernel(&doubles, "doubles");
    device.kernel(&bytes, "bytes");
    device.kernel(&reduce, "reduce");
    device.kernel(&stages, "stages");
    device.kernel(&bfloats, "bfloats");
    device.end();
    matrices<uint16_t, float, 16, 16, 16>(&half_to_single, half_of);
    matrices<uint16_t, float, 16, 16, 16>(&bfloat_to_single, bfloat_of);
    matrices<float, float, 16, 16, 8>(&tf32_to_single, same<float>);
    matrices<double, double, 8, 8, 4>(&doubles, same<double>);
    matrices<signed char, int, 16, 16, 16>(&bytes, same<signed char>);
    warps();
    copies();
    brains();
    std::puts("passed");
    return 0;
}
