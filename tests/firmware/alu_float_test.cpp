// SPDX-License-Identifier: Apache-2.0
// Single and double precision against exact arithmetic with one rounding; the multi-function unit
// against long doubles within its documented bounds.
#include "tests/support/alu_bench.h"
#include "tests/support/exact_float.h"

using namespace smrf_test;

namespace
{

const struct {
    const char *name;
    rounding mode;
} modes[] = {{"", rounding::nearest},
             {".RM", rounding::down},
             {".RP", rounding::up},
             {".RZ", rounding::zero}};

const float_format &f32 = single_format, &f64 = double_format;

uint32_t single(uint64_t x)
{
    return static_cast<uint32_t>(x);
}

uint32_t flush(uint32_t x)
{
    return (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
}

TEST(AluFloat, SumsProductsAndFusedSumsRoundOnceInEveryDirection)
{
    alu_bench b;
    for (const auto &m : modes) {
        std::string r = m.name;
        b.check("FADD" + r + " R0, R4, R5",
                [&](alu_lane &l) { l.set(0, single(exact_add(f32, l.r(4), l.r(5), m.mode))); });
        b.check("FMUL" + r + " R0, R4, R6", [&](alu_lane &l) {
            l.set(0, single(exact_multiply(f32, l.r(4), l.r(6), m.mode)));
        });
        b.check("FFMA" + r + " R0, R4, R6, R8", [&](alu_lane &l) {
            l.set(0, single(exact_fma(f32, l.r(4), l.r(6), l.r(8), m.mode)));
        });
    }
}

TEST(AluFloat, FusedSumsCancelExactly)
{
    alu_bench b;
    for (unsigned round = 0; round < 200; round++) {
        b.scramble();
        for (unsigned i = 0; i < 32; i++) { // c close to -a * b
            float product = bit_cast<float>(b.warp.r[4][i]) * bit_cast<float>(b.warp.r[6][i]);
            b.warp.r[8][i] = bit_cast<uint32_t>(-product) + static_cast<uint32_t>(i % 5) - 2;
        }
        b.run("FFMA R0, R4, R6, R8", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            ASSERT_EQ(b.warp.r[0][i], single(exact_fma(f32, b.warp.r[4][i], b.warp.r[6][i],
                                                       b.warp.r[8][i], rounding::nearest)));
        }
    }
}

TEST(AluFloat, SourceModifiersActOnTheSign)
{
    alu_bench b;
    b.check("FADD R4, -R4, |R5|", [](alu_lane &l) {
        l.set(4,
              single(exact_add(f32, l.r(4) ^ 0x80000000, l.r(5) & 0x7fffffff, rounding::nearest)));
    });
    b.check("FFMA R0, -|R4|, 1.5, -c[0x0][0x14]", [&b](alu_lane &l) {
        l.set(0, single(exact_fma(f32, l.r(4) | 0x80000000, 0x3fc00000, b.c(0x14) ^ 0x80000000,
                                  rounding::nearest)));
    });
    b.check("FADD R0, R4, -RZ", [](alu_lane &l) {
        l.set(0, f32.is_nan(l.r(4)) ? 0x7fffffff : l.r(4)); // keeps -0
    });
    b.check("FMUL R0, R4, UR6", [](alu_lane &l) {
        l.set(0, single(exact_multiply(f32, l.r(4), l.ur(6), rounding::nearest)));
    });
}

TEST(AluFloat, ImmediatesHaveTheirExactBits)
{
    alu_bench b;
    struct {
        const char *text;
        uint32_t bits;
    } const numbers[] = {{"1", 0x3f800000},
                         {"-0.5", 0xbf000000},
                         {"+INF ", 0x7f800000},
                         {"-INF ", 0xff800000},
                         {"1.175494350822287508e-38", 0x00800000},
                         {"0.15915493667125701904", 0x3e22f983},
                         {"-12582912", 0xcb400000}};
    for (const auto &n : numbers) {
        b.check(
            std::string("FSEL R0, R4, ") + n.text + ", P0",
            [&n](alu_lane &l) { l.set(0, l.p(0) ? l.r(4) : n.bits); }, 5);
    }
}

TEST(AluFloat, NansHaveTheBitsOfTheirEncoding)
{
    // The upper word of an infinite double is printed as a NaN.
    std::string text = sass_function("k", {"FSEL R0, R4, -QNAN , P0", "DADD R2, R4, +QNAN "});
    const char *const encodings[] = {" /* 0xfff00000ff297808 */", " /* 0x7ff80001ff297429 */"};
    size_t at = 0;
    for (const char *encoding : encodings) {
        at = text.find(';', text.find("QNAN", at)) + 1;
        text.insert(at, encoding);
    }
    sass_module m(text);
    ASSERT_EQ(m.code(), 0) << m.error();
    smrf_exec_op op;
    ASSERT_EQ(alu_bench::bind(&m->inst[0], op), "");
    EXPECT_EQ(op.src[1].imm, 0xfff00000);
    ASSERT_EQ(alu_bench::bind(&m->inst[1], op), "");
    EXPECT_EQ(op.src[1].imm, UINT64_C(0x7ff8000100000000));
}

TEST(AluFloat, ANanWithoutItsEncodingIsRefusedWhereALaneSelectsIt)
{
    sass_instruction bare("FSEL R0, R4, -QNAN , P0");
    alu_bench b;
    smrf_exec_op op;
    ASSERT_EQ(alu_bench::bind(&*bare.operator->(), op), "");
    b.scramble();
    smrf_exec_block block{};
    b.warp.block = &block;
    b.warp.p[0] = 0x00ffff00;
    EXPECT_EQ(op.fn(&b.warp, &op, 0x0000ff00), 0); // R4 in all of these lanes
    EXPECT_EQ(b.warp.r[0][9], b.warp.r[4][9]);
    EXPECT_EQ(op.fn(&b.warp, &op, 0x81000001), SMRF_ERR_UNKNOWN);
    EXPECT_EQ(b.warp.error_lane, 0);
    EXPECT_NE(std::string(b.warp.error)
                  .find("disassemble with encodings (cuobjdump -sass, or "
                        "nvdisasm -hex)"),
              std::string::npos);
    b.warp.error = nullptr;
}

TEST(AluFloat, ScaledProductsRoundOnce)
{
    alu_bench b;
    static const struct {
        const char *name;
        double factor;
    } scales[] = {{"D2", 0.5}, {"D4", 0.25}, {"D8", 0.125}, {"M2", 2}, {"M4", 4}, {"M8", 8}};
    for (const auto &s : scales) {
        b.check(std::string("FMUL.") + s.name + " R0, R4, R6", [&](alu_lane &l) {
            // exact: 48 bits of product and a power of two fit a double
            double x = static_cast<double>(bit_cast<float>(l.r(4)));
            double y = static_cast<double>(bit_cast<float>(l.r(6)));
            uint64_t scaled = bit_cast<uint64_t>(x * y * s.factor);
            l.set(0, single(exact_convert(f64, f32, scaled, rounding::nearest)));
        });
    }
}

TEST(AluFloat, ConstantsOfDoubleReciprocalsAreUpperWords)
{
    alu_bench b;
    b.check("MUFU.RCP64H R0, 3", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>((bit_cast<uint64_t>(1.0 / 3) + 0x80000000) >> 32));
    });
    b.check("MUFU.RCP64H R0, -2.237502219360062023e-154", [](alu_lane &l) {
        double x = bit_cast<double>(UINT64_C(0xa008000000000000)); // what is encoded
        l.set(0, static_cast<uint32_t>((bit_cast<uint64_t>(1.0 / x) + 0x80000000) >> 32));
    });
}

// Bits of the NaN that instruction `index` of a text without encodings selects, 0 = none given.
uint32_t settled(const std::vector<std::string> &text, unsigned index)
{
    sass_module m(sass_function("k", text));
    EXPECT_EQ(m.code(), 0) << m.error();
    const smrf_sass_operand *o = m->inst[index].operand;
    return static_cast<uint32_t>(o[o[1].kind == SMRF_SASS_FLOAT ? 1 : 2].imm);
}

TEST(AluFloat, NansWithoutEncodingsHaveBitsWhereTheCodeLeavesNoDoubt)
{
    // log(0), as the double's upper word
    EXPECT_EQ(settled({"@P1 DFMA R8, R6, R8, +INF ", "@P1 FSEL R4, R8, RZ, P2",
                       "@P1 FSEL R5, R9, -QNAN , P2", "EXIT"},
                      2),
              0xfff00000u);
    // exp2(x) of a large x by x's sign; cosh(x)
    EXPECT_EQ(settled({"DSETP.GTU.AND P0, PT, |R2|, +INF , PT", "ISETP.GE.AND P1, PT, R3, RZ, PT",
                       "FSEL R5, RZ, +QNAN , !P1", "EXIT"},
                      2),
              0x7ff00000u);
    EXPECT_EQ(settled({"@P0 DSETP.GTU.AND P1, PT, R2, +INF , PT", "@P0 FSEL R8, R2, RZ, P1",
                       "@P0 FSEL R9, R3, +QNAN , P1", "EXIT"},
                      2),
              0x7ff00000u);
    // a float: it is multiplied, or stored as a word
    EXPECT_EQ(settled({"FSEL R10, R4, +QNAN , !P0", "FSETP.GT.AND P1, PT, R10, RZ, PT",
                       "FMUL R3, R10, R7", "EXIT"},
                      0),
              0x7fffffffu);
    EXPECT_EQ(settled({"FSEL R5, -QNAN , R0, P0", "STG.E.SYS [R2], R5", "EXIT"}, 0), 0xffffffffu);
}

TEST(AluFloat, NansWithoutEncodingsStayUnknownWhereTheCodeLeavesDoubt)
{
    // The NaN is taken for a NaN; the upper word of what is stored as a double; a value that is
    // gone before it is multiplied; a jump between.
    EXPECT_EQ(
        settled({"DSETP.GTU.AND P1, PT, R2, +INF , PT", "FSEL R9, R3, +QNAN , !P1", "EXIT"}, 1),
        0u);
    EXPECT_EQ(settled({"FSEL R9, R3, +QNAN , P0", "STG.E.64.SYS [R2], R8", "EXIT"}, 0), 0u);
    EXPECT_EQ(settled({"FSEL R9, R3, -QNAN , P0", "MOV R9, R4", "FMUL R3, R9, R7", "EXIT"}, 0), 0u);
    EXPECT_EQ(settled({"DFMA R8, R6, R8, +INF ", "@P0 BRA `(.L_x_1)",
                       ".L_x_1:", "FSEL R5, R9, -QNAN , P2", "EXIT"},
                      2),
              0u);
    EXPECT_EQ(settled({"DFMA R8, R6, R8, 2", "FSEL R5, R9, -QNAN , P2", "EXIT"}, 1), 0u);
}

TEST(AluFloat, FlushesAndSaturates)
{
    alu_bench b;
    b.check("FADD.FTZ R0, R4, R5", [](alu_lane &l) {
        l.set(0, flush(single(exact_add(f32, flush(l.r(4)), flush(l.r(5)), rounding::nearest))));
    });
    b.check("FMUL.FTZ R0, R4, R6", [](alu_lane &l) {
        l.set(0,
              flush(single(exact_multiply(f32, flush(l.r(4)), flush(l.r(6)), rounding::nearest))));
    });
    b.check("FFMA.FTZ R0, R4, R6, R8", [](alu_lane &l) {
        l.set(0, flush(single(exact_fma(f32, flush(l.r(4)), flush(l.r(6)), flush(l.r(8)),
                                        rounding::nearest))));
    });
    auto clamped = [](uint64_t bits) {
        float x = bit_cast<float>(single(bits));
        return !(x > 0) ? 0 : x > 1 ? 0x3f800000U : single(bits);
    };
    b.check("FFMA.SAT R0, R4, R6, 0.5", [&](alu_lane &l) {
        l.set(0, clamped(exact_fma(f32, l.r(4), l.r(6), 0x3f000000, rounding::nearest)));
    });
    b.check("FADD.SAT R0, RZ, R4",
            [&](alu_lane &l) { l.set(0, clamped(exact_add(f32, 0, l.r(4), rounding::nearest))); });
}

// Outcome of a comparison by the values as long doubles.
bool holds(const std::string &name, long double x, long double y)
{
    bool unordered = x != x || y != y;
    if (name == "NUM") {
        return !unordered;
    }
    if (name == "NAN") {
        return unordered;
    }
    bool orders_nan = name.back() == 'U' && name.size() == 3;
    if (unordered) {
        return orders_nan;
    }
    std::string n = name.substr(0, 2);
    return n == "LT"   ? x < y
           : n == "LE" ? x <= y
           : n == "EQ" ? x == y
           : n == "NE" ? x != y
           : n == "GT" ? x > y
                       : x >= y;
}

const char *const comparisons[] = {"LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                   "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU"};

TEST(AluCompare, EveryFloatComparison)
{
    alu_bench b;
    for (const std::string name : comparisons) {
        b.check(
            "FSETP." + name + ".AND P0, P1, R4, -R5, !P2",
            [&](alu_lane &l) {
                bool truth = holds(name, l.f(4), -l.f(5));
                l.set_p(0, truth && !l.p(2));
                l.set_p(1, !truth && !l.p(2));
            },
            40);
        b.check(
            "FSETP." + name + ".FTZ.OR P0, PT, R4, R5, P2",
            [&](alu_lane &l) {
                bool truth =
                    holds(name, bit_cast<float>(flush(l.r(4))), bit_cast<float>(flush(l.r(5))));
                l.set_p(0, truth || l.p(2));
            },
            40);
        b.check(
            "DSETP." + name + ".XOR P0, P1, R4, R6, P2",
            [&](alu_lane &l) {
                bool truth = holds(name, l.d(4), l.d(6));
                l.set_p(0, truth != l.p(2));
                l.set_p(1, truth == l.p(2));
            },
            40);
    }
    b.check("FSET.BF.LT.AND R0, R4, R5, P1",
            [](alu_lane &l) { l.set(0, l.f(4) < l.f(5) && l.p(1) ? 0x3f800000 : 0); });
    b.check("FSET.GE.AND R0, R4, R5, PT",
            [](alu_lane &l) { l.set(0, l.f(4) >= l.f(5) ? UINT32_MAX : 0); });
}

TEST(AluCompare, MinimaPreferNumbersAndOrderZeros)
{
    alu_bench b;
    auto extremum = [](uint32_t x, uint32_t y, bool lesser) {
        float a = bit_cast<float>(x), c = bit_cast<float>(y);
        if (a != a) {
            return c != c ? 0x7fffffff : y;
        }
        if (c != c) {
            return x;
        }
        if (a == c) {
            return lesser == ((x & 0x80000000) != 0) ? x : y;
        }
        return (a < c) == lesser ? x : y;
    };
    b.check("FMNMX R0, R4, R5, P0",
            [&](alu_lane &l) { l.set(0, extremum(l.r(4), l.r(5), l.p(0))); });
    b.check("FMNMX.NAN R0, R4, R5, P0", [&](alu_lane &l) {
        const bool nan = std::isnan(bit_cast<float>(l.r(4))) || std::isnan(bit_cast<float>(l.r(5)));
        l.set(0, nan ? 0x7fffffff : extremum(l.r(4), l.r(5), l.p(0)));
    });
    b.check("FMNMX R0, |R4|, -R5, !PT", [&](alu_lane &l) {
        l.set(0, extremum(l.r(4) & 0x7fffffff, l.r(5) ^ 0x80000000, false));
    });
    for (bool lesser : {false, true}) {
        b.check(std::string("DSETP.") + (lesser ? "MIN" : "MAX") + ".AND P0, P1, R4, R6, PT",
                [lesser](alu_lane &l) {
                    double x = l.d(4), y = l.d(6);
                    bool both_nan = x != x && y != y;
                    l.set_p(1, both_nan);
                    bool first = y != y   ? x == x
                                 : x != x ? false
                                 : x == y ? lesser ? std::signbit(x) && !std::signbit(y)
                                                   : !std::signbit(x) && std::signbit(y)
                                          : (x < y) == lesser;
                    l.set_p(0, first);
                });
    }
}

TEST(AluFloat, DivisionCheckLetsOnlySafeQuotientsPass)
{
    alu_bench b;
    // Where FCHK is false, the compiler's fast path has to give the rounded quotient.
    for (unsigned round = 0; round < 400; round++) {
        b.scramble();
        b.run("FCHK P0, R4, R5", SMRF_EXEC_ALL);
        b.run("MUFU.RCP R10, R5", SMRF_EXEC_ALL);
        b.run("FFMA R11, -R5, R10, 1", SMRF_EXEC_ALL);
        b.run("FFMA R10, R10, R11, R10", SMRF_EXEC_ALL);
        b.run("FFMA R11, R4, R10, RZ", SMRF_EXEC_ALL);
        b.run("FFMA R12, -R5, R11, R4", SMRF_EXEC_ALL);
        b.run("FFMA R11, R10, R12, R11", SMRF_EXEC_ALL);
        b.run("FFMA R12, -R5, R11, R4", SMRF_EXEC_ALL);
        b.run("FFMA R10, R10, R12, R11", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            float x = bit_cast<float>(b.warp.r[4][i]), y = bit_cast<float>(b.warp.r[5][i]);
            if ((b.warp.p[0] >> i & 1) == 0) {
                ASSERT_EQ(b.warp.r[10][i], bit_cast<uint32_t>(x / y)) << x << " / " << y;
            }
            if (x > 1e-20F && x < 1e20F && y > 1e-15F && y < 1e15F) {
                ASSERT_EQ(b.warp.p[0] >> i & 1, 0u) << x << " / " << y;
            }
        }
    }
}

TEST(AluDouble, SumsProductsAndFusedSumsRoundOnceInEveryDirection)
{
    alu_bench b;
    auto result = [](uint64_t exact, std::initializer_list<uint64_t> sources) {
        for (uint64_t x : sources) { // the first NaN, made quiet
            if (f64.is_nan(x)) {
                return x | UINT64_C(0x0008000000000000);
            }
        }
        return exact;
    };
    for (const auto &m : modes) {
        std::string r = m.name;
        b.check(
            "DADD" + r + " R0, R4, -R6",
            [&](alu_lane &l) {
                uint64_t y = l.r64(6) ^ f64.sign();
                l.set64(0, result(exact_add(f64, l.r64(4), y, m.mode), {l.r64(4), y}));
            },
            60);
        b.check(
            "DMUL" + r + " R4, R4, |R6|",
            [&](alu_lane &l) {
                uint64_t y = l.r64(6) & ~f64.sign();
                l.set64(4, result(exact_multiply(f64, l.r64(4), y, m.mode), {l.r64(4), y}));
            },
            60);
        b.check(
            "DFMA" + r + " R0, R4, R6, R8",
            [&](alu_lane &l) {
                l.set64(0, result(exact_fma(f64, l.r64(4), l.r64(6), l.r64(8), m.mode),
                                  {l.r64(4), l.r64(6), l.r64(8)}));
            },
            60);
    }
    b.check(
        "DADD R0, R4, c[0x0][0x20]",
        [&](alu_lane &l) {
            uint64_t y = static_cast<uint64_t>(b.c(0x24)) << 32 | b.c(0x20);
            l.set64(0, result(exact_add(f64, l.r64(4), y, rounding::nearest), {l.r64(4), y}));
        },
        30);
    b.check(
        "DMUL R0, R4, 2.5",
        [&](alu_lane &l) {
            uint64_t y = bit_cast<uint64_t>(2.5);
            l.set64(0, result(exact_multiply(f64, l.r64(4), y, rounding::nearest), {l.r64(4)}));
        },
        30);
}

// Error of a multi-function result in units of the last place of the true value.
long double error_in_ulp(uint32_t bits, long double want)
{
    int exponent = std::ilogb(want);
    return std::fabs(static_cast<long double>(bit_cast<float>(bits)) - want) /
           std::ldexp(1.0L, (exponent < -126 ? -126 : exponent) - 23);
}

TEST(AluMufu, LiesWithinTheDocumentedBounds)
{
    static const long double turn = 6.283185307179586476925286766559L;
    static const struct {
        const char *name;
        long double (*value)(long double);
        long double from, to;
    } functions[] = {
        {"RCP", [](long double x) { return 1 / x; }, -1e30L, 1e30L},
        {"RSQ", [](long double x) { return 1 / std::sqrt(x); }, 1e-30L, 1e30L},
        {"SQRT", [](long double x) { return std::sqrt(x); }, 0, 1e30L},
        {"LG2", [](long double x) { return std::log2(x); }, 1e-30L, 1e30L},
        {"EX2", [](long double x) { return std::exp2(x); }, -120, 120},
        {"SIN", [](long double x) { return std::sin(turn * (x - std::rint(x))); }, -50, 50},
        {"COS", [](long double x) { return std::cos(turn * (x - std::rint(x))); }, -50, 50},
        {"TANH", [](long double x) { return std::tanh(x); }, -10, 10},
    };
    alu_bench b;
    for (const auto &f : functions) {
        for (unsigned round = 0; round < 100; round++) {
            b.scramble();
            uint32_t mask = b.random_mask();
            for (unsigned i = 0; i < 32; i++) {
                long double u = static_cast<long double>(b.random() % 1000003) / 1000003;
                long double x = f.to > 1e20L && f.from > 0 ? std::pow(10.0L, 60 * u - 30)
                                                           : f.from + (f.to - f.from) * u;
                b.warp.r[4][i] = bit_cast<uint32_t>(static_cast<float>(x));
            }
            auto before = std::make_unique<smrf_exec_warp>(b.warp);
            b.run(std::string("MUFU.") + f.name + " R0, R4", mask);
            for (unsigned i = 0; i < 32; i++) {
                if ((mask >> i & 1) == 0) {
                    ASSERT_EQ(b.warp.r[0][i], before->r[0][i]);
                    continue;
                }
                float x = bit_cast<float>(b.warp.r[4][i]);
                long double want = f.value(x);
                if (std::fabs(want) > 1e-7L) {
                    ASSERT_LE(error_in_ulp(b.warp.r[0][i], want), 1.0L) << f.name << " " << x;
                }
            }
        }
    }
}

TEST(AluMufu, SpecialValues)
{
    const uint32_t inf = 0x7f800000, ninf = 0xff800000, nan = 0x7fffffff, one = 0x3f800000;
    const uint32_t nzero = 0x80000000, tiny = 0x00000001, big = 0x7f000000; // 2^127
    struct {
        const char *function;
        uint32_t x, want;
    } const cases[] = {
        {"RCP", 0, inf},
        {"RCP", nzero, ninf},
        {"RCP", inf, 0},
        {"RCP", ninf, nzero},
        {"RCP", nan, nan},
        {"RCP", tiny, inf},
        {"RCP", big, 0},
        {"RSQ", 0, inf},
        {"RSQ", nzero, ninf},
        {"RSQ", inf, 0},
        {"RSQ", 0xbf800000, nan},
        {"RSQ", tiny, inf},
        {"SQRT", nzero, nzero},
        {"SQRT", inf, inf},
        {"SQRT", 0xbf800000, nan},
        {"LG2", 0, ninf},
        {"LG2", tiny, ninf},
        {"LG2", one, 0},
        {"LG2", inf, inf},
        {"LG2", 0xbf800000, nan},
        {"EX2", 0, one},
        {"EX2", ninf, 0},
        {"EX2", inf, inf},
        {"EX2", 0xc3000000, 0},
        {"EX2", 0x43000000, inf},
        {"EX2", tiny, one},
        {"SIN", 0, 0},
        {"SIN", inf, nan},
        {"COS", inf, nan},
        {"COS", 0, one},
        {"COS", 0x3f000000, 0xbf800000},
        {"SIN", 0x3e800000, one},
        {"TANH", inf, one},
        {"TANH", ninf, 0xbf800000},
        {"TANH", nzero, nzero},
    };
    alu_bench b;
    for (const auto &c : cases) {
        b.warp.r[4][7] = c.x;
        b.run(std::string("MUFU.") + c.function + " R0, R4", 1U << 7);
        EXPECT_EQ(b.warp.r[0][7], c.want) << c.function << std::hex << " of " << c.x;
    }
}

TEST(AluMufu, AnImmediateOfAnUpperWordIsPrintedAsTheDouble)
{
    // 2^32 - 2048 is 0x41efffff'00000000; as a float it would have other bits.
    alu_bench b;
    b.run("MUFU.RCP64H R0, 4.29496524800000000000e+09", SMRF_EXEC_ALL);
    b.run("MUFU.RSQ64H R1, 0.25", SMRF_EXEC_ALL);
    b.run("MUFU.RCP64H R2, -INF", SMRF_EXEC_ALL);
    double reciprocal = bit_cast<double>(static_cast<uint64_t>(b.warp.r[0][9]) << 32);
    EXPECT_NEAR(reciprocal * 4294965248.0, 1, 0x1p-20);
    EXPECT_EQ(b.warp.r[1][9], 0x40000000u);
    EXPECT_EQ(b.warp.r[2][9], 0x80000000u);
}

TEST(AluMufu, UpperWordsOfDoublesStartNewtonSteps)
{
    alu_bench b;
    for (unsigned round = 0; round < 300; round++) {
        b.scramble();
        b.run("MUFU.RCP64H R0, R5", SMRF_EXEC_ALL);
        b.run("MUFU.RSQ64H R1, |R5|", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            uint32_t high = b.warp.r[5][i];
            double x = bit_cast<double>(static_cast<uint64_t>(high) << 32);
            double reciprocal = bit_cast<double>(static_cast<uint64_t>(b.warp.r[0][i]) << 32);
            double root = bit_cast<double>(static_cast<uint64_t>(b.warp.r[1][i]) << 32);
            if (std::isnan(x)) {
                ASSERT_TRUE(std::isnan(reciprocal));
                ASSERT_TRUE(std::isnan(root));
            } else if ((high & 0x7ff00000) == 0) {
                ASSERT_EQ(reciprocal, std::copysign(INFINITY, x));
                ASSERT_EQ(root, INFINITY);
            } else if (std::isinf(x)) {
                ASSERT_EQ(reciprocal, 0);
                ASSERT_EQ(root, 0);
            } else {
                if (std::fabs(x) < 0x1p1020) {
                    ASSERT_NEAR(reciprocal * x, 1, 0x1p-20);
                }
                ASSERT_NEAR(root * root * std::fabs(x), 1, 0x1p-19);
            }
        }
    }
}

TEST(AluMufu, HalvesStayHalves)
{
    alu_bench b;
    auto near = [](uint32_t got, long double want) {
        float x = bit_cast<float>(
            static_cast<uint32_t>(exact_convert(half_format, f32, got, rounding::nearest)));
        return std::fabs(x - want) <= std::fabs(want) * 0x1p-10L + 0x1p-24L;
    };
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned round = 0; round < 100; round++) {
            b.scramble();
            for (unsigned i = 0; i < 32; i++) {
                b.warp.r[4][i] = (b.warp.r[4][i] & 0x87ff87ff) + 0x38003800; // 0.5 to 2
            }
            b.run(std::string("MUFU.EX2.F16 R0, R4") + (k != 0 ? ".H1" : ""), SMRF_EXEC_ALL);
            b.run(std::string("MUFU.TANH.F16 R1, R4") + (k != 0 ? ".H1" : ""), SMRF_EXEC_ALL);
            for (unsigned i = 0; i < 32; i++) {
                uint32_t half = b.warp.r[4][i] >> (16 * k) & 0xffff;
                long double x = bit_cast<float>(static_cast<uint32_t>(
                    exact_convert(half_format, f32, half, rounding::nearest)));
                ASSERT_TRUE(near(b.warp.r[0][i], std::exp2(x)));
                ASSERT_TRUE(near(b.warp.r[1][i], std::tanh(x)));
            }
        }
    }
}

} // namespace
