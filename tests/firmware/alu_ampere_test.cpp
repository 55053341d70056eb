// SPDX-License-Identifier: Apache-2.0
// Instructions since sm_80 against arithmetic of the test's own: matrices of 16 rows, of BF16, TF32
// and doubles, reductions of a warp, bfloat16, integers of two steps.
#include "tests/support/alu_bench.h"
#include "tests/support/exact_float.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace smrf_test;

namespace
{

double half_of(uint32_t half)
{
    return static_cast<double>(bit_cast<float>(
        static_cast<uint32_t>(exact_convert(half_format, single_format, half, rounding::nearest))));
}

double bf16_of(uint32_t half)
{
    return static_cast<double>(bit_cast<float>(half << 16));
}

float small_number(std::mt19937_64 &random)
{
    return static_cast<float>(static_cast<int>(random() % 33) - 16);
}

uint32_t half_bits(float value)
{
    return static_cast<uint32_t>(
        exact_convert(single_format, half_format, bit_cast<uint32_t>(value), rounding::nearest));
}

// --- Matrices: fragments by the formulas of the PTX ISA, one element after the other
// --------------

enum class element { f16, bf16, tf32 };

struct shape {
    const char *text;
    element type;
    unsigned depth;
    bool half_sum;
};

unsigned per_word(const shape &s)
{
    return s.type == element::tf32 ? 1 : 2;
}

double value_of(const shape &s, uint32_t word, unsigned part)
{
    switch (s.type) {
    case element::f16:
        return half_of(word >> 16 * part & 0xffff);
    case element::bf16:
        return bf16_of(word >> 16 * part & 0xffff);
    default:
        return static_cast<double>(bit_cast<float>(word));
    }
}

uint32_t small_word(const shape &s, std::mt19937_64 &random)
{
    const float low = small_number(random), high = small_number(random);
    switch (s.type) {
    case element::f16:
        return half_bits(low) | half_bits(high) << 16;
    case element::bf16:
        return bit_cast<uint32_t>(low) >> 16 | (bit_cast<uint32_t>(high) & 0xffff0000);
    default:
        return bit_cast<uint32_t>(low);
    }
}

// PTX ISA, mma.m16n8k4 to k16: place in A of a lane's element i.
void place_a(const shape &s, unsigned lane, unsigned i, unsigned &row, unsigned &column)
{
    const unsigned group = lane >> 2, in_group = lane % 4;
    if (s.type == element::tf32) {
        row = i % 2 == 0 ? group : group + 8;
        column = i < 2 ? in_group : in_group + 4;
    } else {
        row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
        column = in_group * 2 + (i & 1) + (i >= 4 ? 8 : 0);
    }
}

void place_b(const shape &s, unsigned lane, unsigned i, unsigned &row, unsigned &column)
{
    const unsigned group = lane >> 2, in_group = lane % 4;
    row = s.type == element::tf32 ? in_group + 4 * i : in_group * 2 + (i & 1) + (i >= 2 ? 8 : 0);
    column = group;
}

class AmpereMatrix : public testing::TestWithParam<shape>
{
};

TEST_P(AmpereMatrix, MultipliesExactlyOnSmallIntegers)
{
    const shape s = GetParam();
    const unsigned words_a = 16 * s.depth / per_word(s) / 32, words_b = words_a / 2;
    alu_bench b;
    for (unsigned round = 0; round < 20; round++) {
        double a[16][16] = {}, bm[16][8] = {};
        b.scramble();
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned i = 0; i < words_a * per_word(s); i++) {
                unsigned row, column;
                uint32_t &word = b.warp.r[4 + i / per_word(s)][lane];
                word = i % per_word(s) == 0 ? small_word(s, b.random) : word;
                place_a(s, lane, i, row, column);
                a[row][column] = value_of(s, word, i % per_word(s));
            }
            for (unsigned i = 0; i < words_b * per_word(s); i++) {
                unsigned row, column;
                uint32_t &word = b.warp.r[8 + i / per_word(s)][lane];
                word = i % per_word(s) == 0 ? small_word(s, b.random) : word;
                place_b(s, lane, i, row, column);
                bm[row][column] = value_of(s, word, i % per_word(s));
            }
            for (unsigned k = 0; k < 4; k++) {
                b.warp.r[12 + k][lane] = s.half_sum
                                             ? half_bits(small_number(b.random)) * 0x10001
                                             : bit_cast<uint32_t>(100 * small_number(b.random));
            }
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        b.run(std::string(s.text) + " R20, R4, R8, R12", SMRF_EXEC_ALL);
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned k = 0; k < 4; k++) {
                const unsigned row = (lane >> 2) + (k < 2 ? 0 : 8), column = lane % 4 * 2 + k % 2;
                const uint32_t old = before->r[12 + (s.half_sum ? k / 2 : k)][lane];
                double sum = s.half_sum ? half_of(old >> 16 * (k % 2) & 0xffff)
                                        : static_cast<double>(bit_cast<float>(old));
                for (unsigned n = 0; n < s.depth; n++) {
                    sum += a[row][n] * bm[n][column];
                }
                const uint32_t got = b.warp.r[20 + (s.half_sum ? k / 2 : k)][lane];
                if (s.half_sum) {
                    ASSERT_EQ(got >> 16 * (k % 2) & 0xffff,
                              exact_convert(double_format, half_format, bit_cast<uint64_t>(sum),
                                            rounding::nearest));
                } else {
                    ASSERT_EQ(bit_cast<float>(got), static_cast<float>(sum));
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AmpereMatrix,
                         testing::Values(shape{"HMMA.16816.F32", element::f16, 16, false},
                                         shape{"HMMA.16816.F16", element::f16, 16, true},
                                         shape{"HMMA.16816.F32.BF16", element::bf16, 16, false},
                                         shape{"HMMA.1688.F32.BF16", element::bf16, 8, false},
                                         shape{"HMMA.1688.F32.TF32", element::tf32, 8, false},
                                         shape{"HMMA.1684.F32.TF32", element::tf32, 4, false}));

struct integers {
    const char *text;
    unsigned depth, bits;
    bool a_signed, b_signed, saturates;
};

int64_t field(uint32_t word, unsigned k, unsigned bits, bool is_signed)
{
    const int64_t value = word >> k * bits & ((1U << bits) - 1);
    return is_signed && value >> (bits - 1) != 0 ? value - (INT64_C(1) << bits) : value;
}

class AmpereIntegers : public testing::TestWithParam<integers>
{
};

// PTX ISA, mma.m16n8k16 and k32 of bytes, k32 and k64 of nibbles.
TEST_P(AmpereIntegers, MultiplyByDefinition)
{
    const integers s = GetParam();
    const unsigned per = 32 / s.bits, words = s.depth / per;
    alu_bench b;
    for (unsigned round = 0; round < 20; round++) {
        int64_t a[16][64] = {}, bm[64][8] = {};
        b.scramble();
        for (unsigned lane = 0; lane < 32; lane++) {
            const unsigned group = lane >> 2, in_group = lane % 4;
            for (unsigned i = 0; i < words / 2 * per; i++) {
                const unsigned r = i / per, k = in_group * per + i % per + (r >= 2 ? 4 * per : 0);
                a[r % 2 == 0 ? group : group + 8][k] =
                    field(b.warp.r[4 + r][lane], i % per, s.bits, s.a_signed);
            }
            for (unsigned i = 0; i < words / 4 * per; i++) {
                const unsigned r = i / per, k = in_group * per + i % per + 4 * per * r;
                bm[k][group] = field(b.warp.r[8 + r][lane], i % per, s.bits, s.b_signed);
            }
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        b.run(std::string(s.text) + " R20, R4.ROW, R8.COL, R12", SMRF_EXEC_ALL);
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned k = 0; k < 4; k++) {
                const unsigned row = (lane >> 2) + (k < 2 ? 0 : 8), column = lane % 4 * 2 + k % 2;
                int64_t sum = static_cast<int32_t>(before->r[12 + k][lane]);
                for (unsigned n = 0; n < s.depth; n++) {
                    sum += a[row][n] * bm[n][column];
                }
                if (s.saturates) {
                    sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
                }
                ASSERT_EQ(b.warp.r[20 + k][lane], static_cast<uint32_t>(sum));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AmpereIntegers,
                         testing::Values(integers{"IMMA.16816.S8.S8", 16, 8, true, true, false},
                                         integers{"IMMA.16832.S8.U8.SAT", 32, 8, true, false, true},
                                         integers{"IMMA.16832.U8.U8", 32, 8, false, false, false},
                                         integers{"IMMA.16832.U4.S4", 32, 4, false, true, false},
                                         integers{"IMMA.16864.S4.S4.SAT", 64, 4, true, true,
                                                  true}));

TEST(AmpereBits, AreCountedByDefinition)
{
    alu_bench b;
    for (const unsigned words : {4u, 8u}) {
        for (const bool both : {false, true}) {
            b.scramble();
            auto before = std::make_unique<smrf_exec_warp>(b.warp);
            b.run(std::string("BMMA.") + (words == 8 ? "168256" : "168128") +
                      (both ? ".AND" : ".XOR") + ".POPC R20, R4.ROW, R8.COL, R12",
                  SMRF_EXEC_ALL);
            for (unsigned lane = 0; lane < 32; lane++) {
                for (unsigned k = 0; k < 4; k++) {
                    uint32_t sum = before->r[12 + k][lane];
                    for (unsigned n = 0; n < words; n++) {
                        const uint32_t x =
                            before->r[4 + (k < 2 ? 0 : 1) + 2 * (n / 4)][lane / 4 * 4 + n % 4];
                        const uint32_t y = before->r[8 + n / 4][4 * (lane % 4 * 2 + k % 2) + n % 4];
                        sum += static_cast<uint32_t>(__builtin_popcount(both ? x & y : x ^ y));
                    }
                    ASSERT_EQ(b.warp.r[20 + k][lane], sum);
                }
            }
        }
    }
}

TEST(AmpereDoubles, AreFusedInOrder)
{
    alu_bench b;
    for (unsigned round = 0; round < 50; round++) {
        b.scramble();
        for (unsigned n : {4, 6, 8, 10}) {
            for (unsigned lane = 0; lane < 32; lane++) {
                const double x = std::ldexp(static_cast<double>(b.random() >> 11), -50) - 4;
                b.warp.r[n][lane] = static_cast<uint32_t>(bit_cast<uint64_t>(x));
                b.warp.r[n + 1][lane] = static_cast<uint32_t>(bit_cast<uint64_t>(x) >> 32);
            }
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        auto value = [&](const smrf_exec_warp &w, unsigned n, unsigned lane) {
            return bit_cast<double>(static_cast<uint64_t>(w.r[n + 1][lane]) << 32 | w.r[n][lane]);
        };
        b.run("DMMA.884 R20, R4, R6, R8", SMRF_EXEC_ALL);
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned e = 0; e < 2; e++) {
                double sum = value(*before, 8 + 2 * e, lane);
                for (unsigned k = 0; k < 4; k++) {
                    sum = std::fma(value(*before, 4, lane / 4 * 4 + k),
                                   value(*before, 6, (lane % 4 * 2 + e) * 4 + k), sum);
                }
                ASSERT_EQ(value(b.warp, 20 + 2 * e, lane), sum);
            }
        }
    }
}

// --- Warps and integers
// ---------------------------------------------------------------------------

TEST(AmpereReduction, TakesTheLanesThatExecute)
{
    alu_bench b;
    for (unsigned round = 0; round < 300; round++) {
        b.scramble();
        const uint32_t mask = b.random_mask() | 1U << (round % 32);
        std::vector<uint32_t> values;
        for (unsigned i = 0; i < 32; i++) {
            if ((mask >> i & 1) != 0) {
                values.push_back(b.warp.r[4][i]);
            }
        }
        auto fold = [&](uint32_t start, const std::function<uint32_t(uint32_t, uint32_t)> &f) {
            for (uint32_t v : values) {
                start = f(start, v);
            }
            return start;
        };
        b.run("REDUX UR4, R4", mask);
        EXPECT_EQ(b.warp.ur[4], fold(UINT32_MAX, [](uint32_t x, uint32_t y) { return x & y; }));
        b.run("REDUX.OR UR5, R4", mask);
        EXPECT_EQ(b.warp.ur[5], fold(0, [](uint32_t x, uint32_t y) { return x | y; }));
        b.run("REDUX.XOR UR6, R4", mask);
        EXPECT_EQ(b.warp.ur[6], fold(0, [](uint32_t x, uint32_t y) { return x ^ y; }));
        b.run("REDUX.SUM UR7, R4", mask);
        EXPECT_EQ(b.warp.ur[7], fold(0, [](uint32_t x, uint32_t y) { return x + y; }));
        b.run("REDUX.MIN UR8, R4", mask);
        EXPECT_EQ(b.warp.ur[8], *std::min_element(values.begin(), values.end()));
        b.run("REDUX.MAX.S32 UR9, R4", mask);
        EXPECT_EQ(static_cast<int32_t>(b.warp.ur[9]),
                  static_cast<int32_t>(
                      *std::max_element(values.begin(), values.end(), [](uint32_t x, uint32_t y) {
                          return static_cast<int32_t>(x) < static_cast<int32_t>(y);
                      })));
    }
}

TEST(HopperIntegers, AddAndChooseByDefinition)
{
    alu_bench b;
    for (unsigned round = 0; round < 200; round++) {
        b.scramble();
        const uint32_t mask = b.random_mask();
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        b.run("VIADD R20, R4, -R5", mask);
        b.run("VIMNMX R21, R4, R5, PT", mask);
        b.run("VIMNMX.U32 R22, R4, R5, !PT", mask);
        b.run("VIADDMNMX R23, R4, R5, R6, P2", mask);
        b.run("VIADDMNMX.U32 R24, R4, R5, R6, PT", mask);
        for (unsigned i = 0; i < 32; i++) {
            if ((mask >> i & 1) == 0) {
                ASSERT_EQ(b.warp.r[20][i], before->r[20][i]);
                continue;
            }
            const uint32_t x = before->r[4][i], y = before->r[5][i], z = before->r[6][i];
            const auto sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
            const auto sz = static_cast<int32_t>(z), sum = static_cast<int32_t>(x + y);
            ASSERT_EQ(b.warp.r[20][i], x - y);
            ASSERT_EQ(static_cast<int32_t>(b.warp.r[21][i]), std::min(sx, sy));
            ASSERT_EQ(b.warp.r[22][i], std::max(x, y));
            ASSERT_EQ(static_cast<int32_t>(b.warp.r[23][i]),
                      (before->p[2] >> i & 1) != 0 ? std::min(sum, sz) : std::max(sum, sz));
            ASSERT_EQ(b.warp.r[24][i], std::min(x + y, z));
        }
    }
}

TEST(AmpereConversion, IntegersToFloatsAsI2F)
{
    alu_bench b;
    b.run("I2FP.F32.S32 R20, R4", SMRF_EXEC_ALL);
    b.run("I2FP.F32.U32 R21, R4", SMRF_EXEC_ALL);
    for (unsigned i = 0; i < 32; i++) {
        EXPECT_EQ(bit_cast<float>(b.warp.r[20][i]),
                  static_cast<float>(static_cast<int32_t>(b.warp.r[4][i])));
        EXPECT_EQ(bit_cast<float>(b.warp.r[21][i]), static_cast<float>(b.warp.r[4][i]));
    }
}

// --- bfloat16
// -------------------------------------------------------------------------------------

// The nearest bfloat16 of a number of the form (+-) fraction * 2^exponent, by trying all of them
// around it: the exact value is held in 128 bits of fraction.
uint32_t nearest_bf16(double exact, double rest)
{
    if (std::isnan(exact)) {
        return 0x7fff;
    }
    const uint32_t sign = std::signbit(exact) ? 0x8000 : 0;
    const double magnitude = std::fabs(exact), more = sign != 0 ? -rest : rest;
    uint32_t low = 0, high = 0x7f80; // of all that are not above, the greatest
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        const double at = bf16_of(middle);
        (at < magnitude || (at == magnitude && more >= 0) ? low : high) = middle;
    }
    const double below = bf16_of(low);
    const double above = high == 0x7f80 ? 0x1p128 : bf16_of(high);
    const double middle = below / 2 + above / 2;
    const bool up = magnitude > middle || (magnitude == middle && more > 0);
    const bool tie = magnitude == middle && more == 0;
    return sign | (up || (tie && (low & 1) != 0) ? high : low);
}

TEST(AmpereBfloat, RoundsOnceToNearest)
{
    alu_bench b;
    for (unsigned round = 0; round < 500; round++) {
        b.scramble();
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned n : {4, 5, 6}) { // numbers of like size, so that sums are rounded
                b.warp.r[n][i] = static_cast<uint32_t>((b.random() & 0x83ff83ff) + 0x3e003e00);
            }
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        b.run("HFMA2.BF16_V2 R20, R4, R5, R6", SMRF_EXEC_ALL);
        b.run("HADD2.BF16_V2 R21, R4, R5", SMRF_EXEC_ALL);
        b.run("HMUL2.BF16_V2 R22, R4, R5", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned shift : {0, 16}) {
                const double x = bf16_of(before->r[4][i] >> shift & 0xffff);
                const double y = bf16_of(before->r[5][i] >> shift & 0xffff);
                const double z = bf16_of(before->r[6][i] >> shift & 0xffff);
                // Fractions of 8 bits with exponents this near: all exact in a double.
                ASSERT_EQ(b.warp.r[20][i] >> shift & 0xffff, nearest_bf16(x * y + z, 0));
                ASSERT_EQ(b.warp.r[21][i] >> shift & 0xffff, nearest_bf16(x + y, 0));
                ASSERT_EQ(b.warp.r[22][i] >> shift & 0xffff, nearest_bf16(x * y, 0));
            }
        }
    }
}

// A tie that an addend far below decides: the sum is not exact in a double.
TEST(AmpereBfloat, AnAddendFarBelowDecidesATie)
{
    alu_bench b;
    const uint32_t factor = 0x3f81, other = 0x3f84;           // 1 + 2^-7, 1 + 2^-5
    for (const uint32_t tiny : {0x0080u, 0x8080u, 0x0000u}) { // (-)2^-126, 0
        std::fill_n(b.warp.r[4], 32, factor);
        std::fill_n(b.warp.r[5], 32, other);
        std::fill_n(b.warp.r[6], 32, tiny);
        b.run("HFMA2.BF16_V2 R20, R4, R5, R6", SMRF_EXEC_ALL);
        const double product = bf16_of(factor) * bf16_of(other);
        EXPECT_EQ(b.warp.r[20][0] & 0xffff, nearest_bf16(product, bf16_of(tiny)));
    }
}

TEST(AmpereConversion, PacksTwoFloats)
{
    alu_bench b;
    for (unsigned round = 0; round < 200; round++) {
        b.scramble();
        b.run("F2FP.PACK_AB R20, R4, R5", SMRF_EXEC_ALL);
        b.run("F2FP.BF16.PACK_AB R21, R4, R5", SMRF_EXEC_ALL);
        b.run("F2FP.BF16.F32.PACK_AB R22, RZ, R5", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            const uint32_t x = b.warp.r[4][i], y = b.warp.r[5][i];
            auto half = [](uint32_t bits) {
                return std::isnan(bit_cast<float>(bits)) ? 0x7fffu
                                                         : half_bits(bit_cast<float>(bits));
            };
            auto wide = [](uint32_t bits) {
                return std::isinf(bit_cast<float>(bits))
                           ? bits >> 16
                           : nearest_bf16(static_cast<double>(bit_cast<float>(bits)), 0);
            };
            ASSERT_EQ(b.warp.r[20][i], half(x) << 16 | half(y));
            ASSERT_EQ(b.warp.r[21][i], wide(x) << 16 | wide(y));
            ASSERT_EQ(b.warp.r[22][i], wide(y));
        }
    }
}

TEST(AmpereHalves, MinimaAndMaxima)
{
    struct row {
        const char *text;
        uint32_t a, b, want;
    };
    const row rows[] = {
        {"HMNMX2 R20, R4, R5, PT", 0x3c00c000, 0x40003c00, 0x3c00c000}, // (1, -2), (2, 1)
        {"HMNMX2 R20, R4, R5, !PT", 0x3c00c000, 0x40003c00, 0x40003c00},
        {"HMNMX2 R20, R4, R5, PT", 0x80000000, 0x00008000, 0x80008000}, // zeros of both signs
        {"HMNMX2 R20, R4, R5, PT", 0x7e003c00, 0x3c007e01, 0x3c003c00}, // a NaN and a number
        {"HMNMX2.NAN R20, R4, R5, PT", 0x7e003c00, 0x3c004000, 0x7fff3c00},
        {"HMNMX2.BF16_V2 R20, R4, R5, !PT", 0x3f80bf80, 0x40004000, 0x40004000},
        {"HFMA2.BF16_V2 R20, R4, 1, 1.5, R5", 0x40003f80, 0x3f803f80, 0x40404020},
    };
    alu_bench b;
    for (const row &r : rows) {
        std::fill_n(b.warp.r[4], 32, r.a);
        std::fill_n(b.warp.r[5], 32, r.b);
        b.run(r.text, SMRF_EXEC_ALL);
        EXPECT_EQ(b.warp.r[20][7], r.want) << r.text;
    }
}

} // namespace
