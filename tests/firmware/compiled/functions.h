// SPDX-License-Identifier: Apache-2.0
// Functions of three integers, compiled twice: for the device (functions.cu, as SASS text) and for
// the host (exec_compiled_test.cpp). Contraction is off in both, so that results are equal bits.
#ifndef SMRF_TEST_FUNCTIONS_H
#define SMRF_TEST_FUNCTIONS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define FUNCTION __device__ __noinline__
#else
#define FUNCTION inline
#endif

FUNCTION uint32_t divide(uint32_t a, uint32_t b, uint32_t c)
{
    int32_t x = (int32_t)a, y = (int32_t)(b | 1);
    if (y == -1)
        y = 3;
    return (uint32_t)(x / y) + a / (b | 1) * 3 + (uint32_t)(x % y) + c % ((b & 0xff) + 1);
}

FUNCTION uint32_t divide_wide(uint32_t a, uint32_t b, uint32_t c)
{
    int64_t x = (int64_t)((uint64_t)a << 32 | c);
    int64_t y = (int64_t)((uint64_t)(b & 0xff) << 24 | (c | 1));
    uint64_t q = (uint64_t)(x / y), r = (uint64_t)x % (uint64_t)y;
    return (uint32_t)q ^ (uint32_t)(q >> 32) ^ (uint32_t)r ^ (uint32_t)(r >> 32);
}

FUNCTION uint32_t shift(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t x = (uint64_t)a << 32 | b;
    return (uint32_t)(x >> (c & 63)) ^ (uint32_t)((int64_t)x >> (c & 31)) ^
           (uint32_t)(x << (c & 63)) ^ a >> (b & 31) ^ (uint32_t)((int32_t)a >> (c & 31));
}

FUNCTION uint32_t choose(uint32_t a, uint32_t b, uint32_t c)
{
    switch (a % 11) {
    case 0:
        return b * c;
    case 1:
        return b + c;
    case 2:
        return b ^ c;
    case 3:
        return b / (c | 1);
    case 4:
        return b << (c & 7);
    case 5:
        return b % ((c & 15) + 1);
    case 6:
        return ~b;
    case 7:
        return b & c;
    case 8:
        return b >> 3 | c;
    case 9:
        return b * 3 + c * 5;
    default:
        return 77;
    }
}

// Nested loops with break, continue and a jump out of both.
FUNCTION uint32_t loops(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t s = 0;
    for (uint32_t i = 0; i < (a & 31); i++) {
        uint32_t t = b + i * c;
        for (uint32_t j = 0; j < (t & 7); j++) {
            if ((t >> j & 1) != 0) {
                s += j * i;
                if ((s & 63) == 7)
                    break;
            } else if ((s ^ t) % 5 == 0) {
                continue;
            }
            s = s * 31 + t;
            if (s % 97 == 3)
                return s + 1;
        }
        s ^= i;
    }
    return s;
}

FUNCTION uint32_t descend(uint32_t n, uint32_t b)
{
    if (n < 2)
        return b + n;
    uint32_t r = descend(n - 1, b * 3 + 1);
    if ((b & 4) != 0)
        r += descend(n - 2, b ^ 5);
    return r;
}

FUNCTION uint32_t recursion(uint32_t a, uint32_t b, uint32_t c)
{
    return descend(a & 7, b) + c;
}

// An array that lives in local memory.
FUNCTION uint32_t array(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t t[16], s = 0;
    for (uint32_t i = 0; i < 16; i++)
        t[i] = a * i + b;
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t i = c >> (k * 4) & 15;
        t[i] = t[(i + k) & 15] + t[(i * 7 + 1) & 15];
    }
    for (uint32_t i = 0; i < 16; i++)
        s = s * 7 + t[i];
    return s;
}

FUNCTION uint32_t bytes(uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t t[8];
    int16_t h[4];
    uint32_t s = 0;
    for (uint32_t i = 0; i < 8; i++)
        t[i] = (uint8_t)((a >> (i * 3)) + b);
    for (uint32_t i = 0; i < 4; i++)
        h[i] = (int16_t)(c >> (i * 5));
    t[c & 7] = (uint8_t)(t[c & 7] ^ 0x5a);
    h[b & 3] = (int16_t)(h[b & 3] * 3);
    for (uint32_t i = 0; i < 8; i++)
        s = s * 31 + t[i];
    for (uint32_t i = 0; i < 4; i++)
        s = s * 31 + (uint32_t)h[i];
    return s + (uint32_t)(int32_t)(int8_t)a + (uint32_t)(int32_t)(int16_t)b;
}

FUNCTION uint32_t crc(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = a;
    for (uint32_t i = 0; i < 8; i++)
        r = r >> 1 ^ (0xedb88320u & (0u - ((r ^ b >> i) & 1)));
    return r + (uint32_t)((c * (uint64_t)a) >> 32) +
           (uint32_t)(((int64_t)(int32_t)c * (int32_t)b) >> 32);
}

FUNCTION uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

FUNCTION float scaled(uint32_t a)
{
    return (float)(int32_t)a * 1e-6f;
}

FUNCTION uint32_t single(uint32_t a, uint32_t b, uint32_t c)
{
    float x = scaled(a), y = scaled(b), z = scaled(c);
    float p = x * y;
    float r = (p - z) / (y * y + 1.0f);
    return bits_of(r) ^ bits_of(sqrtf(fabsf(r)));
}

FUNCTION uint32_t convert(uint32_t a, uint32_t b, uint32_t c)
{
    float x = scaled(a), y = scaled(b), z = scaled(c);
    int64_t wide = (int64_t)(z * 1e3f);
    return (uint32_t)(int32_t)x + (uint32_t)fabsf(y) * 3 + (uint32_t)wide + bits_of((float)a) +
           bits_of((float)(int32_t)b) + bits_of((float)wide) + bits_of(floorf(x)) +
           bits_of(ceilf(y)) + bits_of(truncf(z)) + bits_of(rintf(x));
}

FUNCTION uint32_t twice_as_wide(uint32_t a, uint32_t b, uint32_t c)
{
    double x = (double)(int32_t)a * 1e-5, y = (double)b, z = (double)(int32_t)c;
    double p = x * y;
    double r = sqrt(fabs((p + z) / (y * y + 1.0))) + floor(x);
    uint64_t bits;
    memcpy(&bits, &r, sizeof bits);
    return (uint32_t)bits ^ (uint32_t)(bits >> 32) ^ (uint32_t)(int32_t)x ^
           (uint32_t)(int64_t)(z * 1e3) ^ bits_of((float)r);
}

FUNCTION uint32_t compare(uint32_t a, uint32_t b, uint32_t c)
{
    float x = scaled(a), y = scaled(b);
    double p = x, q = scaled(c);
    uint32_t r = x < y ? 1 : 0;
    r |= x >= y ? 2u : 0;
    r |= p == q ? 4u : 0;
    r |= p <= q ? 8u : 0;
    return r + (fmaxf(x, y) == x ? 32u : 0) + (fmin(p, q) == p ? 64u : 0);
}

#define ALL_FUNCTIONS(X)                                                                           \
    X(divide)                                                                                      \
    X(divide_wide)                                                                                 \
    X(shift)                                                                                       \
    X(choose)                                                                                      \
    X(loops) X(recursion) X(array) X(bytes) X(crc) X(single) X(convert) X(twice_as_wide) X(compare)

#endif
