// SPDX-License-Identifier: Apache-2.0
// Halves and conversions against exact arithmetic with one rounding.
#include "tests/support/alu_bench.h"
#include "tests/support/exact_float.h"

using namespace smrf_test;

namespace
{

const float_format &f16 = half_format, &f32 = single_format, &f64 = double_format;
__extension__ typedef __int128 wide;

uint32_t word(uint64_t x)
{
    return static_cast<uint32_t>(x);
}

uint32_t pair(uint64_t low, uint64_t high)
{
    return word(low | high << 16);
}

uint64_t add(uint64_t x, uint64_t y)
{
    return exact_add(f16, x, y, rounding::nearest);
}

uint64_t multiply(uint64_t x, uint64_t y)
{
    return exact_multiply(f16, x, y, rounding::nearest);
}

uint64_t fma(uint64_t x, uint64_t y, uint64_t z)
{
    return exact_fma(f16, x, y, z, rounding::nearest);
}

TEST(AluHalf, BothHalvesRoundOnce)
{
    alu_bench b;
    b.check("HADD2 R0, R4, R5", [](alu_lane &l) {
        l.set(0, pair(add(l.half(4, 0), l.half(5, 0)), add(l.half(4, 1), l.half(5, 1))));
    });
    b.check("HMUL2 R4, R4, R5", [](alu_lane &l) {
        l.set(4, pair(multiply(l.half(4, 0), l.half(5, 0)), multiply(l.half(4, 1), l.half(5, 1))));
    });
    b.check(
        "HFMA2 R0, R4, R5, R6",
        [](alu_lane &l) {
            l.set(0, pair(fma(l.half(4, 0), l.half(5, 0), l.half(6, 0)),
                          fma(l.half(4, 1), l.half(5, 1), l.half(6, 1))));
        },
        600);
}

TEST(AluHalf, PartsAndModifiersChooseTheSources)
{
    alu_bench b;
    b.check("HFMA2.MMA R0, R4.H0_H0, R5.H1_H1, -R6", [](alu_lane &l) {
        l.set(0, pair(fma(l.half(4, 0), l.half(5, 1), l.half(6, 0) ^ 0x8000),
                      fma(l.half(4, 0), l.half(5, 1), l.half(6, 1) ^ 0x8000)));
    });
    b.check("HADD2 R0, |R4|, -RZ.H0_H0", [](alu_lane &l) {
        l.set(0, pair(add(l.half(4, 0) & 0x7fff, 0x8000), add(l.half(4, 1) & 0x7fff, 0x8000)));
    });
    b.check("HMUL2 R0, R4, c[0x0][0x10].H1_H1", [&b](alu_lane &l) {
        uint32_t c = b.c(0x10) >> 16;
        l.set(0, pair(multiply(l.half(4, 0), c), multiply(l.half(4, 1), c)));
    });
    b.check("HFMA2 R0, R4.H0_NH1, R5, R6", [](alu_lane &l) {
        l.set(0, pair(fma(l.half(4, 0), l.half(5, 0), l.half(6, 0)),
                      fma(l.half(4, 1) ^ 0x8000, l.half(5, 1), l.half(6, 1))));
    });
}

TEST(AluHalf, ImmediatesAreHighThenLow)
{
    alu_bench b;
    b.check("HFMA2.MMA R0, -RZ, RZ, 1.875, 0", [](alu_lane &l) { l.set(0, 0x3f800000); });
    b.check("HADD2 R0, R4, 2, 1", [](alu_lane &l) {
        l.set(0, pair(add(l.half(4, 0), 0x3c00), add(l.half(4, 1), 0x4000)));
    });
    b.check("HFMA2 R0, R4, -0.00048828125, 5.9604644775390625e-08, R6", [](alu_lane &l) {
        l.set(0, pair(fma(l.half(4, 0), 0x0001, l.half(6, 0)),
                      fma(l.half(4, 1), 0x9000, l.half(6, 1))));
    });
}

TEST(AluHalf, FlushesAndSaturates)
{
    alu_bench b;
    auto flush = [](uint64_t x) { return (x & 0x7c00) == 0 ? x & 0x8000 : x; };
    b.check("HMUL2.FTZ R0, R4, R5", [&](alu_lane &l) {
        l.set(0, pair(flush(multiply(flush(l.half(4, 0)), flush(l.half(5, 0)))),
                      flush(multiply(flush(l.half(4, 1)), flush(l.half(5, 1))))));
    });
    auto clamped = [](uint64_t x) { return x > 0x7c00 ? 0 : x > 0x3c00 ? UINT64_C(0x3c00) : x; };
    b.check("HADD2.SAT R0, R4, R5", [&](alu_lane &l) {
        l.set(0, pair(clamped(add(l.half(4, 0), l.half(5, 0))),
                      clamped(add(l.half(4, 1), l.half(5, 1)))));
    });
}

TEST(AluHalf, MixesWithSinglePrecision)
{
    alu_bench b;
    b.check("HADD2.F32 R0, R4.H1_H1, -RZ.H0_H0", [](alu_lane &l) {
        l.set(0, word(exact_convert(f16, f32, l.half(4, 1), rounding::nearest)));
    });
    b.check("HADD2.F32 R0, R4.H0_H0, -RZ.H0_H0", [](alu_lane &l) {
        l.set(0, word(exact_convert(f16, f32, l.half(4, 0), rounding::nearest)));
    });
    // The float is cut to a half: nvcc's code for cvt.rz.f16.f32.
    b.check("HADD2 R0, R4.F32, -RZ.H0_H0", [](alu_lane &l) {
        uint64_t x = exact_convert(f32, f16, l.r(4), rounding::zero);
        l.set(0, pair(x, x));
    });
    b.check("HADD2 R0, -RZ.H0_H0, R4.F32", [](alu_lane &l) {
        uint64_t x = exact_convert(f32, f16, l.r(4), rounding::zero);
        l.set(0, pair(x, x));
    });
    auto widened = [](uint64_t x) { return exact_convert(f16, f32, x, rounding::nearest); };
    b.check("HFMA2.F32 R0, R4.H0_H0, R5.H1_H1, R6.H0_H0", [&](alu_lane &l) {
        l.set(0, word(exact_fma(f32, widened(l.half(4, 0)), widened(l.half(5, 1)),
                                widened(l.half(6, 0)), rounding::nearest)));
    });
}

TEST(AluHalf, EveryComparison)
{
    alu_bench b;
    auto value = [](uint64_t x) {
        return bit_cast<float>(word(exact_convert(f16, f32, x, rounding::nearest)));
    };
    static const struct {
        const char *name;
        bool (*holds)(float, float);
    } compares[] = {{"LT", [](float x, float y) { return x < y; }},
                    {"EQ", [](float x, float y) { return x == y; }},
                    {"LE", [](float x, float y) { return x <= y; }},
                    {"GT", [](float x, float y) { return x > y; }},
                    {"NE", [](float x, float y) { return x < y || x > y; }},
                    {"GE", [](float x, float y) { return x >= y; }},
                    {"NUM", [](float x, float y) { return x == x && y == y; }},
                    {"NAN", [](float x, float y) { return x != x || y != y; }},
                    {"LTU", [](float x, float y) { return !(x >= y); }},
                    {"EQU", [](float x, float y) { return !(x < y || x > y); }},
                    {"LEU", [](float x, float y) { return !(x > y); }},
                    {"GTU", [](float x, float y) { return !(x <= y); }},
                    {"NEU", [](float x, float y) { return !(x == y); }},
                    {"GEU", [](float x, float y) { return !(x < y); }}};
    for (const auto &c : compares) {
        auto low = [&](const alu_lane &l) {
            return c.holds(value(l.half(4, 0)), value(l.half(5, 0)));
        };
        auto high = [&](const alu_lane &l) {
            return c.holds(value(l.half(4, 1)), value(l.half(5, 1)));
        };
        std::string name = c.name;
        b.check(
            "HSETP2." + name + ".AND P0, P1, R4, R5, P2",
            [&](alu_lane &l) {
                l.set_p(0, low(l) && l.p(2));
                l.set_p(1, high(l) && l.p(2));
            },
            20);
        b.check(
            "HSETP2." + name + ".H_AND.OR P0, P1, R4, R5, P2",
            [&](alu_lane &l) {
                l.set_p(0, (low(l) && high(l)) || l.p(2));
                l.set_p(1, !(low(l) && high(l)) || l.p(2));
            },
            20);
        b.check(
            "HSET2.BF." + name + ".AND R0, R4, R5, PT",
            [&](alu_lane &l) { l.set(0, pair(low(l) ? 0x3c00 : 0, high(l) ? 0x3c00 : 0)); }, 20);
        b.check(
            "HSET2." + name + ".XOR R0, R4, R5, P2",
            [&](alu_lane &l) {
                l.set(0, pair(low(l) != l.p(2) ? 0xffff : 0, high(l) != l.p(2) ? 0xffff : 0));
            },
            20);
    }
}

// --- Conversions -------------------------------------------------------------------------------

const struct {
    const char *name;
    rounding mode;
} modes[] = {{"", rounding::nearest},
             {".RM", rounding::down},
             {".RP", rounding::up},
             {".RZ", rounding::zero}};

TEST(AluConvert, FloatsToFloatsRoundInEveryDirection)
{
    alu_bench b;
    for (const auto &m : modes) {
        std::string r = m.name;
        b.check("F2F.F16.F32" + r + " R0, R4",
                [&](alu_lane &l) { l.set(0, word(exact_convert(f32, f16, l.r(4), m.mode))); });
        b.check("F2F.F16.F64" + r + " R0, R4",
                [&](alu_lane &l) { l.set(0, word(exact_convert(f64, f16, l.r64(4), m.mode))); });
        b.check("F2F.F32.F64" + r + " R0, R4",
                [&](alu_lane &l) { l.set(0, word(exact_convert(f64, f32, l.r64(4), m.mode))); });
    }
    b.check("F2F.F64.F32 R0, -R4", [](alu_lane &l) {
        uint64_t x = exact_convert(f32, f64, l.r(4) ^ 0x80000000, rounding::nearest);
        if (f32.is_nan(l.r(4))) { // keeps sign and payload, quiet
            x = static_cast<uint64_t>((l.r(4) ^ 0x80000000) & 0x80000000) << 32 |
                UINT64_C(0x7ff8000000000000) | static_cast<uint64_t>(l.r(4) & 0x7fffff) << 29;
        }
        l.set64(0, x);
    });
    b.check("F2F.F32.F16 R0, R4.H1", [](alu_lane &l) {
        l.set(0, word(exact_convert(f16, f32, l.half(4, 1), rounding::nearest)));
    });
    b.check("F2F.FTZ.F32.F64 R0, R4", [](alu_lane &l) {
        uint32_t x = word(exact_convert(f64, f32, l.r64(4), rounding::nearest));
        l.set(0, (x & 0x7f800000) == 0 ? x & 0x80000000 : x);
    });
}

// x rounded to an integral value, as a wide integer; |x| < 2^100.
wide integral(long double x, int direction)
{
    wide whole = static_cast<wide>(x);
    long double rest = x - static_cast<long double>(whole);
    switch (direction) {
    case 1:
        return rest < 0 ? whole - 1 : whole;
    case 2:
        return rest > 0 ? whole + 1 : whole;
    case 3:
        return whole;
    default:
        if (rest > 0.5L || (rest == 0.5L && (whole & 1) != 0)) {
            return whole + 1;
        }
        if (rest < -0.5L || (rest == -0.5L && (whole & 1) != 0)) {
            return whole - 1;
        }
        return whole;
    }
}

const char *const directions[] = {"", ".FLOOR", ".CEIL", ".TRUNC"};

uint64_t to_integer(long double x, int direction, bool is_signed, int bits, bool nan_to_zero)
{
    wide low = is_signed ? -(static_cast<wide>(1) << (bits - 1)) : 0;
    wide high = (static_cast<wide>(1) << (is_signed ? bits - 1 : bits)) - 1;
    if (x != x) {
        return nan_to_zero ? 0 : UINT64_C(1) << (bits - 1);
    }
    if (x > 0x1p90L) {
        return static_cast<uint64_t>(high);
    }
    if (x < -0x1p90L) {
        return static_cast<uint64_t>(low);
    }
    wide result = integral(x, direction);
    return static_cast<uint64_t>(result < low ? low : result > high ? high : result);
}

TEST(AluConvert, FloatsToIntegersSaturateInEveryDirection)
{
    alu_bench b;
    static const struct {
        const char *name;
        bool is_signed;
        int bits;
    } types[] = {{"", true, 32},     {".U32", false, 32}, {".S64", true, 64}, {".U64", false, 64},
                 {".S16", true, 16}, {".U16", false, 16}, {".S8", true, 8},   {".U8", false, 8}};
    for (const auto &t : types) {
        for (int d = 0; d < 4; d++) {
            auto put = [&](alu_lane &l, uint64_t x) {
                if (t.bits == 64) {
                    l.set64(0, x);
                } else {
                    l.set(0, word(x));
                }
            };
            std::string type = t.name, direction = directions[d];
            b.check(
                "F2I" + type + direction + ".NTZ R0, R4",
                [&](alu_lane &l) { put(l, to_integer(l.f(4), d, t.is_signed, t.bits, true)); }, 40);
            b.check(
                "F2I" + type + ".F64" + direction + " R0, |R4|",
                [&](alu_lane &l) {
                    put(l, to_integer(std::fabs(static_cast<long double>(l.d(4))), d, t.is_signed,
                                      t.bits, false));
                },
                40);
            b.check(
                "F2I" + type + ".F16" + direction + ".NTZ R0, -R4.H1",
                [&](alu_lane &l) {
                    uint64_t x = exact_convert(f16, f32, l.half(4, 1), rounding::nearest);
                    put(l, to_integer(-bit_cast<float>(word(x)), d, t.is_signed, t.bits, true));
                },
                40);
        }
    }
    b.check("F2I.FTZ.U32.CEIL.NTZ R0, R4", [](alu_lane &l) {
        bool subnormal = (l.r(4) & 0x7f800000) == 0;
        l.set(0, word(to_integer(subnormal ? 0 : l.f(4), 2, false, 32, true)));
    });
}

TEST(AluConvert, IntegersToFloatsRoundInEveryDirection)
{
    alu_bench b;
    static const struct {
        const char *name;
        bool is_signed;
        int bits;
    } types[] = {{"", true, 32},     {".U32", false, 32}, {".S64", true, 64}, {".U64", false, 64},
                 {".S16", true, 16}, {".U16", false, 16}, {".S8", true, 8},   {".U8", false, 8}};
    for (const auto &t : types) {
        for (const auto &m : modes) {
            auto exact = [&](const alu_lane &l, const float_format &f) {
                uint64_t x = t.bits == 64 ? l.r64(4) : l.r(4);
                uint64_t field = t.bits == 64 ? UINT64_MAX : (UINT64_C(1) << t.bits) - 1;
                bool negative = t.is_signed && (x >> (t.bits - 1) & 1) != 0;
                x = (negative ? 0 - x : x) & field;
                return exact_number(negative, x, 0).round(f, m.mode, false);
            };
            std::string type = t.name, r = m.name;
            b.check(
                "I2F" + type + r + " R0, R4", [&](alu_lane &l) { l.set(0, word(exact(l, f32))); },
                40);
            b.check(
                "I2F.F64" + type + r + " R0, R4", [&](alu_lane &l) { l.set64(0, exact(l, f64)); },
                40);
            b.check(
                "I2F.F16" + type + r + " R0, R4",
                [&](alu_lane &l) { l.set(0, word(exact(l, f16))); }, 40);
        }
    }
    b.check("I2F.U8 R0, R4.B3",
            [](alu_lane &l) { l.set(0, bit_cast<uint32_t>(static_cast<float>(l.r(4) >> 24))); });
    b.check("I2F.S8 R0, R4.B1", [](alu_lane &l) {
        l.set(0, bit_cast<uint32_t>(static_cast<float>(static_cast<int8_t>(l.r(4) >> 8))));
    });
    b.check("I2F.S16 R0, R4.H1", [](alu_lane &l) {
        l.set(0, bit_cast<uint32_t>(static_cast<float>(static_cast<int16_t>(l.r(4) >> 16))));
    });
    b.check("I2F R0, -R4", [](alu_lane &l) {
        l.set(0, bit_cast<uint32_t>(
                     static_cast<float>(-static_cast<int64_t>(static_cast<int32_t>(l.r(4))))));
    });
    b.check(
        "I2F.U32.RP R0, c[0x0][0x8]",
        [&b](alu_lane &l) {
            l.set(0, word(exact_number(false, b.c(8), 0).round(f32, rounding::up, false)));
        },
        5);
}

TEST(AluConvert, RoundsToIntegralValues)
{
    alu_bench b;
    auto rounded = [](const float_format &f, uint64_t x, int direction) {
        if (f.is_nan(x)) {
            return f.nan;
        }
        bool negative = (x & f.sign()) != 0;
        if (f.is_infinite(x) || f.exponent(x) >= 0) {
            return x;
        }
        int drop = -f.exponent(x);
        uint64_t m = f.mantissa(x), whole = drop > 63 ? 0 : m >> drop;
        wide rest = static_cast<wide>(m) - (static_cast<wide>(whole) << (drop > 100 ? 100 : drop));
        wide half = static_cast<wide>(1) << (drop > 100 ? 99 : drop - 1);
        bool up = direction == 0   ? rest > half || (rest == half && (whole & 1) != 0)
                  : direction == 1 ? negative && rest > 0
                  : direction == 2 ? !negative && rest > 0
                                   : false;
        return exact_number(negative, whole + (up ? 1 : 0), 0)
            .round(f, rounding::nearest, negative);
    };
    for (int d = 0; d < 4; d++) {
        std::string direction = directions[d];
        b.check("FRND" + direction + " R0, R4",
                [&](alu_lane &l) { l.set(0, word(rounded(f32, l.r(4), d))); });
        b.check("FRND.F64" + direction + " R0, R4", [&](alu_lane &l) {
            l.set64(0, f64.is_nan(l.r64(4)) ? l.r64(4) | UINT64_C(0x0008000000000000)
                                            : rounded(f64, l.r64(4), d));
        });
        b.check("FRND.F16" + direction + " R0, R4.H1",
                [&](alu_lane &l) { l.set(0, word(rounded(f16, l.half(4, 1), d))); });
    }
}

TEST(AluConvert, IntegersSaturateAndPack)
{
    alu_bench b;
    auto clamp = [](int64_t x, int64_t low, int64_t high) {
        return static_cast<uint32_t>(x < low ? low : x > high ? high : x);
    };
    auto s32 = [](const alu_lane &l, unsigned n) {
        return static_cast<int64_t>(static_cast<int32_t>(l.r(n)));
    };
    b.check("I2I.S16.S32.SAT R0, R4",
            [&](alu_lane &l) { l.set(0, clamp(s32(l, 4), -32768, 32767)); });
    b.check("I2I.U16.S32.SAT R0, R4", [&](alu_lane &l) { l.set(0, clamp(s32(l, 4), 0, 65535)); });
    b.check("I2I.S8.S32.SAT R0, R4", [&](alu_lane &l) { l.set(0, clamp(s32(l, 4), -128, 127)); });
    b.check("I2I.U8.U32.SAT R0, R4", [&](alu_lane &l) { l.set(0, clamp(l.r(4), 0, 255)); });
    b.check("I2I.S32.S8 R0, R4.B2", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(static_cast<int8_t>(l.r(4) >> 16)));
    });
    b.check("I2IP.S8.S32.SAT R0, R4, R5, R6", [&](alu_lane &l) {
        l.set(0, (clamp(s32(l, 4), -128, 127) & 255) << 8 | (clamp(s32(l, 5), -128, 127) & 255) |
                     l.r(6) << 16);
    });
    b.check("I2IP.U16.S32.SAT R0, R4, R5, RZ", [&](alu_lane &l) {
        l.set(0, clamp(s32(l, 4), 0, 65535) << 16 | clamp(s32(l, 5), 0, 65535));
    });
    b.check("I2IP.S4.S32.SAT R0, R4.reuse, R5, R6.reuse.24", [&](alu_lane &l) {
        l.set(0,
              (clamp(s32(l, 4), -8, 7) & 15) << 4 | (clamp(s32(l, 5), -8, 7) & 15) | l.r(6) << 8);
    });
    b.check("I2IP.U4.S32.SAT R0, R4, R5, RZ.24",
            [&](alu_lane &l) { l.set(0, clamp(s32(l, 4), 0, 15) << 4 | clamp(s32(l, 5), 0, 15)); });
    b.check("I2IP.S2.S32.SAT R0, R4, R5, R6.28", [&](alu_lane &l) {
        l.set(0, (clamp(s32(l, 4), -2, 1) & 3) << 2 | (clamp(s32(l, 5), -2, 1) & 3) | l.r(6) << 4);
    });
    b.check("I2IP.U2.U32.SAT R0, R4, R5, R6.28", [&](alu_lane &l) {
        l.set(0, clamp(l.r(4), 0, 3) << 2 | clamp(l.r(5), 0, 3) | l.r(6) << 4);
    });
}

} // namespace
