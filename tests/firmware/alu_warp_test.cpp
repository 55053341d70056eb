// SPDX-License-Identifier: Apache-2.0
// Instructions that look across lanes: votes, shuffles, matches, matrix products.
#include "tests/support/alu_bench.h"
#include "tests/support/exact_float.h"

#include <map>

using namespace smrf_test;

namespace
{

TEST(AluVote, CountsOnlyTheLanesThatExecute)
{
    alu_bench b;
    for (unsigned round = 0; round < 300; round++) {
        b.scramble();
        uint32_t mask = b.random_mask() | 1U << (round % 32);
        if (round % 5 == 0) {
            b.warp.p[2] |= mask;
        }
        if (round % 5 == 1) {
            b.warp.p[2] &= ~mask;
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        uint32_t yes = before->p[2] & mask;
        b.run("VOTE.ANY R0, P0, P2", mask);
        b.run("VOTE.ALL P1, P2", mask);
        b.run("VOTE.EQ P3, P2", mask);
        b.run("VOTE.ANY R1, PT, !P2", mask);
        for (unsigned i = 0; i < 32; i++) {
            bool on = (mask >> i & 1) != 0;
            ASSERT_EQ(b.warp.r[0][i], on ? yes : before->r[0][i]);
            ASSERT_EQ(b.warp.r[1][i], on ? mask ^ yes : before->r[1][i]);
        }
        auto predicate = [&](unsigned n, bool value) {
            return (before->p[n] & ~mask) | (value ? mask : 0);
        };
        ASSERT_EQ(b.warp.p[0], predicate(0, yes != 0));
        ASSERT_EQ(b.warp.p[1], predicate(1, yes == mask));
        ASSERT_EQ(b.warp.p[3], predicate(3, yes == mask || yes == 0));
    }
}

// PTX ISA, shfl.sync, by its pseudo code.
unsigned shuffle_source(const std::string &mode, unsigned lane, uint32_t b, uint32_t c,
                        bool &inside)
{
    int bval = static_cast<int>(b & 31), cval = static_cast<int>(c & 31);
    int segment = static_cast<int>(c >> 8 & 31), i = static_cast<int>(lane);
    int max_lane = (i & segment) | (cval & (31 ^ segment));
    int min_lane = i & segment;
    int j = mode == "UP"     ? i - bval
            : mode == "DOWN" ? i + bval
            : mode == "BFLY" ? (i ^ bval)
                             : (min_lane | (bval & (31 ^ segment)));
    inside = mode == "UP" ? j >= max_lane : j <= max_lane;
    return inside ? static_cast<unsigned>(j) : lane;
}

TEST(AluShuffle, FollowsThePseudoCodeInEveryModeAndSegment)
{
    alu_bench b;
    for (const std::string mode : {"IDX", "UP", "DOWN", "BFLY"}) {
        for (unsigned round = 0; round < 200; round++) {
            b.scramble();
            uint32_t mask = b.random_mask();
            // As the compiler packs them: widths are powers of two.
            uint32_t width = 1U << (b.random() % 6);
            uint32_t c = (32 - width) << 8 | (mode == "UP" ? 0 : 31);
            for (unsigned i = 0; i < 32; i++) {
                b.warp.r[6][i] = round % 3 == 0 ? static_cast<uint32_t>(b.random()) : c;
            }
            auto before = std::make_unique<smrf_exec_warp>(b.warp);
            b.run("SHFL." + mode + " P0, R0, R4, R5, R6", mask);
            for (unsigned i = 0; i < 32; i++) {
                bool inside;
                unsigned from = shuffle_source(mode, i, before->r[5][i], before->r[6][i], inside);
                bool on = (mask >> i & 1) != 0;
                ASSERT_EQ(b.warp.r[0][i], on ? before->r[4][from & 31] : before->r[0][i]);
                ASSERT_EQ(b.warp.p[0] >> i & 1, on ? inside : before->p[0] >> i & 1);
            }
        }
    }
}

TEST(AluShuffle, MovesInPlace)
{
    alu_bench b;
    auto before = std::make_unique<smrf_exec_warp>(b.warp);
    b.run("SHFL.BFLY PT, R4, R4, 0x10, 0x1f", SMRF_EXEC_ALL);
    for (unsigned i = 0; i < 32; i++) {
        EXPECT_EQ(b.warp.r[4][i], before->r[4][i ^ 16]);
    }
}

TEST(AluMatch, FindsLanesOfOneValue)
{
    alu_bench b;
    for (unsigned round = 0; round < 300; round++) {
        b.scramble();
        uint32_t mask = b.random_mask() | 1;
        for (unsigned i = 0; i < 32; i++) {
            b.warp.r[4][i] = static_cast<uint32_t>(b.random() % (round % 7 + 1));
            b.warp.r[5][i] = static_cast<uint32_t>(b.random() % 2);
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        std::map<uint32_t, uint32_t> words;
        std::map<uint64_t, uint32_t> pairs;
        for (unsigned i = 0; i < 32; i++) {
            if ((mask >> i & 1) != 0) {
                words[b.warp.r[4][i]] |= 1U << i;
                pairs[static_cast<uint64_t>(b.warp.r[5][i]) << 32 | b.warp.r[4][i]] |= 1U << i;
            }
        }
        b.run("MATCH.ANY R0, R4", mask);
        b.run("MATCH.ANY.U64 R1, R4", mask);
        b.run("MATCH.ALL P0, R2, R4", mask);
        for (unsigned i = 0; i < 32; i++) {
            bool on = (mask >> i & 1) != 0;
            uint64_t both = static_cast<uint64_t>(before->r[5][i]) << 32 | before->r[4][i];
            ASSERT_EQ(b.warp.r[0][i], on ? words[before->r[4][i]] : before->r[0][i]);
            ASSERT_EQ(b.warp.r[1][i], on ? pairs[both] : before->r[1][i]);
            ASSERT_EQ(b.warp.r[2][i], on ? (words.size() == 1 ? mask : 0) : before->r[2][i]);
        }
        ASSERT_EQ(b.warp.p[0] & mask, words.size() == 1 ? mask : 0);
    }
}

// --- Matrices: fragments by the formulas of the PTX ISA, products by definition ----------------

double half_value(uint32_t half)
{
    return static_cast<double>(bit_cast<float>(
        static_cast<uint32_t>(exact_convert(half_format, single_format, half, rounding::nearest))));
}

// A half that is a small integer: sums of products are then exact whatever their order.
uint32_t small_half(std::mt19937_64 &random)
{
    int value = static_cast<int>(random() % 33) - 16;
    return static_cast<uint32_t>(exact_number(value < 0, static_cast<uint64_t>(std::abs(value)), 0)
                                     .round(half_format, rounding::nearest, false));
}

TEST(AluTensor, HalfMatricesMultiplyExactlyOnSmallIntegers)
{
    alu_bench b;
    for (unsigned round = 0; round < 50; round++) {
        b.scramble();
        double a[16][8], bm[8][8], c[16][8];
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned n : {4, 5, 8, 20, 21}) {
                b.warp.r[n][i] = small_half(b.random) | small_half(b.random) << 16;
            }
            for (unsigned n : {12, 13, 14, 15}) {
                b.warp.r[n][i] = bit_cast<uint32_t>(
                    static_cast<float>(static_cast<int>(b.random() % 2001) - 1000));
            }
            unsigned group = i >> 2, in_group = i & 3;
            for (unsigned k = 0; k < 4; k++) { // a0..a3
                unsigned row = k < 2 ? group : group + 8, column = in_group * 2 + (k & 1);
                a[row][column] = half_value(b.warp.r[4 + k / 2][i] >> (16 * (k & 1)) & 0xffff);
            }
            for (unsigned k = 0; k < 2; k++) {
                bm[in_group * 2 + k][group] = half_value(b.warp.r[8][i] >> (16 * k) & 0xffff);
            }
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        b.run("HMMA.1688.F32 R12, R4, R8, R12", SMRF_EXEC_ALL);
        b.run("HMMA.1688.F16 R20, R4, R8, R20", SMRF_EXEC_ALL);
        b.run("HMMA.1688.F32 R24, R4, R8, RZ", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned k = 0; k < 4; k++) {
                unsigned row = (i >> 2) + (k < 2 ? 0 : 8), column = (i & 3) * 2 + (k & 1);
                double sum = 0;
                for (unsigned n = 0; n < 8; n++) {
                    sum += a[row][n] * bm[n][column];
                }
                c[row][column] = static_cast<double>(bit_cast<float>(before->r[12 + k][i]));
                ASSERT_EQ(bit_cast<float>(b.warp.r[12 + k][i]),
                          static_cast<float>(c[row][column] + sum));
                ASSERT_EQ(bit_cast<float>(b.warp.r[24 + k][i]), static_cast<float>(sum));
                uint32_t addend = before->r[20 + k / 2][i] >> (16 * (k & 1)) & 0xffff;
                uint64_t want =
                    exact_convert(double_format, half_format,
                                  bit_cast<uint64_t>(half_value(addend) + sum), rounding::nearest);
                ASSERT_EQ(b.warp.r[20 + k / 2][i] >> (16 * (k & 1)) & 0xffff, want);
            }
        }
    }
}

// mma.m8n8k4: the four quad pairs of a warp, lanes 4q to 4q + 3 and 16 above, multiply on their
// own.
struct quad_matrices {
    double a[4][8][4], b[4][4][8], half[4][8][8], single[4][8][8];

    // Operands A in R4, B in R6, C as halves in R8 to R11 and as floats in R12 to R19.
    quad_matrices(alu_bench &bench, bool a_col, bool b_col)
    {
        auto half_at = [&](unsigned reg, unsigned lane, unsigned i) {
            return half_value(bench.warp.r[reg + i / 2][lane] >> (16 * (i & 1)) & 0xffff);
        };
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned q = lane % 16 / 4, x = lane % 4, up = lane < 16 ? 0 : 4;
            for (unsigned i = 0; i < 4; i++) {
                (a_col ? a[q][i + up][x] : a[q][x + up][i]) = half_at(4, lane, i);
                (b_col ? b[q][i][x + up] : b[q][x][i + up]) = half_at(6, lane, i);
            }
            for (unsigned i = 0; i < 8; i++) {
                half[q][x + up][i] = half_at(8, lane, i);
                single[q][(lane & 1) + (i & 2) + up][(i & 4) + (lane & 2) + (i & 1)] =
                    static_cast<double>(bit_cast<float>(bench.warp.r[12 + i][lane]));
            }
        }
    }
    double product(unsigned q, unsigned row, unsigned column) const
    {
        double sum = 0;
        for (unsigned k = 0; k < 4; k++) {
            sum += a[q][row][k] * b[q][k][column];
        }
        return sum;
    }
};

TEST(AluTensor, QuadPairsMultiplyStepByStep)
{
    alu_bench b;
    for (unsigned round = 0; round < 40; round++) {
        b.scramble();
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned n = 4; n < 12; n++) {
                b.warp.r[n][i] = small_half(b.random) | small_half(b.random) << 16;
            }
            for (unsigned n = 12; n < 20; n++) {
                b.warp.r[n][i] = bit_cast<uint32_t>(static_cast<float>(b.random() % 2001));
            }
        }
        const char *a_way = round & 1 ? "COL" : "ROW", *b_way = round & 2 ? "COL" : "ROW";
        const quad_matrices m(b, round & 1, round & 2);
        auto step = [&](const char *types, unsigned n, unsigned to, unsigned from) {
            b.run("HMMA.884." + std::string(types) + ".STEP" + std::to_string(n) + " R" +
                      std::to_string(to) + ", R4." + a_way + ", R6.reuse." + b_way + ", R" +
                      std::to_string(from),
                  SMRF_EXEC_ALL);
        };
        for (unsigned n = 0; n < 4; n++) {
            step("F32.F32", n, 20 + 2 * n, 12 + 2 * n);
            step("F32.F16", n, 28 + 2 * n, 8 + n / 2 * 2);
        }
        for (unsigned n = 0; n < 2; n++) {
            step("F16.F16", n, 36 + 2 * n, 8 + 2 * n);
        }
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned i = 0; i < 8; i++) {
                unsigned q = lane % 16 / 4, up = lane < 16 ? 0 : 4;
                unsigned y = (lane & 1) + (i & 2) + up, x = (i & 4) + (lane & 2) + (i & 1);
                ASSERT_EQ(bit_cast<float>(b.warp.r[20 + i][lane]),
                          static_cast<float>(m.single[q][y][x] + m.product(q, y, x)));
                ASSERT_EQ(bit_cast<float>(b.warp.r[28 + i][lane]),
                          static_cast<float>(m.half[q][y][x] + m.product(q, y, x)));
                y = lane % 4 + up;
                ASSERT_EQ(half_value(b.warp.r[36 + i / 2][lane] >> (16 * (i & 1)) & 0xffff),
                          m.half[q][y][i] + m.product(q, y, i));
            }
        }
    }
}

// Whatever the numbers: added in double precision, the accumulator first, then rounded once.
TEST(AluTensor, HalfAccumulatorsRoundTheSumOnce)
{
    alu_bench b;
    unsigned infinite = 0, subnormal = 0, not_numbers = 0;
    for (unsigned round = 0; round < 200; round++) {
        b.scramble();
        // all exponents; without the largest (infinities, NaN) in most rounds
        uint32_t keep = round % 4 == 0 ? UINT32_MAX : round % 4 == 1 ? 0xa7ffa7ff : 0xbbffbbff;
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned n : {4, 5, 8, 20, 21}) {
                b.warp.r[n][i] = static_cast<uint32_t>(b.random()) & keep;
            }
        }
        auto before = std::make_unique<smrf_exec_warp>(b.warp);
        b.run("HMMA.1688.F16 R20, R4, R8, R20", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned k = 0; k < 4; k++) {
                unsigned row = (i >> 2) + (k < 2 ? 0 : 8), column = (i & 3) * 2 + (k & 1);
                double sum = half_value(before->r[20 + k / 2][i] >> (16 * (k & 1)) & 0xffff);
                for (unsigned n = 0; n < 8; n++) {
                    uint32_t x = before->r[row < 8 ? 4 : 5][(row & 7) * 4 + n / 2];
                    uint32_t y = before->r[8][column * 4 + n / 2];
                    sum += half_value(x >> (16 * (n & 1)) & 0xffff) *
                           half_value(y >> (16 * (n & 1)) & 0xffff);
                }
                uint64_t want = std::isnan(sum)
                                    ? 0x7fff
                                    : exact_convert(double_format, half_format,
                                                    bit_cast<uint64_t>(sum), rounding::nearest);
                ASSERT_EQ(b.warp.r[20 + k / 2][i] >> (16 * (k & 1)) & 0xffff, want) << sum;
                not_numbers += std::isnan(sum);
                infinite += (want & 0x7fff) == 0x7c00;
                subnormal += (want & 0x7fff) != 0 && (want & 0x7fff) < 0x400;
            }
        }
    }
    EXPECT_GT(infinite, 100u);
    EXPECT_GT(subnormal, 100u);
    EXPECT_GT(not_numbers, 100u);
}

TEST(AluTensor, HalfMatricesOfAnyNumbersStayWithinRounding)
{
    alu_bench b;
    for (unsigned round = 0; round < 50; round++) {
        b.scramble();
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned n : {4, 5, 8}) { // finite halves
                b.warp.r[n][i] = static_cast<uint32_t>(b.random()) & 0xbbffbbff;
            }
        }
        b.run("HMMA.1688.F32 R12, R4, R8, RZ", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            for (unsigned k = 0; k < 4; k++) {
                unsigned row = (i >> 2) + (k < 2 ? 0 : 8), column = (i & 3) * 2 + (k & 1);
                long double sum = 0, size = 0;
                for (unsigned n = 0; n < 8; n++) {
                    uint32_t x = b.warp.r[row < 8 ? 4 : 5][(row & 7) * 4 + n / 2];
                    uint32_t y = b.warp.r[8][column * 4 + n / 2];
                    long double product =
                        static_cast<long double>(half_value(x >> (16 * (n & 1)) & 0xffff)) *
                        half_value(y >> (16 * (n & 1)) & 0xffff);
                    sum += product;
                    size += std::fabs(product);
                }
                ASSERT_LE(std::fabs(bit_cast<float>(b.warp.r[12 + k][i]) - sum), size * 0x1p-23L);
            }
        }
    }
}

TEST(AluTensor, IntegerMatricesOfEveryTypeAndShape)
{
    alu_bench b;
    for (unsigned bits : {8, 4}) {
        for (bool sa : {false, true}) {
            for (bool sb : {false, true}) {
                for (bool saturate : {false, true}) {
                    for (unsigned round = 0; round < 20; round++) {
                        b.scramble();
                        std::string text = std::string("IMMA.") + (bits == 8 ? "8816" : "8832") +
                                           (sa ? ".S" : ".U") + std::to_string(bits) +
                                           (sb ? ".S" : ".U") + std::to_string(bits) +
                                           (saturate ? ".SAT" : "") + " R6, R4.ROW, R5.COL, R8";
                        auto element = [bits](uint32_t x, unsigned k, bool is_signed) {
                            int64_t v = x >> (k * bits) & ((1U << bits) - 1);
                            return is_signed && v >= 1 << (bits - 1) ? v - (1 << bits) : v;
                        };
                        b.run(text, SMRF_EXEC_ALL);
                        unsigned count = 32 / bits;
                        for (unsigned row = 0; row < 8; row++) {
                            for (unsigned column = 0; column < 8; column++) {
                                unsigned lane = row * 4 + column / 2, n = column % 2;
                                int64_t sum = static_cast<int32_t>(b.warp.r[8 + n][lane]);
                                for (unsigned k = 0; k < 4 * count; k++) {
                                    sum +=
                                        element(b.warp.r[4][row * 4 + k / count], k % count, sa) *
                                        element(b.warp.r[5][column * 4 + k / count], k % count, sb);
                                }
                                if (saturate) {
                                    sum = sum > INT32_MAX   ? INT32_MAX
                                          : sum < INT32_MIN ? INT32_MIN
                                                            : sum;
                                }
                                ASSERT_EQ(b.warp.r[6 + n][lane], static_cast<uint32_t>(sum))
                                    << text;
                            }
                        }
                    }
                }
            }
        }
    }
}

TEST(AluTensor, BitMatricesCountBits)
{
    alu_bench b;
    for (bool both : {false, true}) {
        for (unsigned round = 0; round < 20; round++) {
            b.scramble();
            b.run(std::string("BMMA.88128.") + (both ? "AND" : "XOR") +
                      ".POPC R6, R4.ROW, R5.COL, R8",
                  SMRF_EXEC_ALL);
            for (unsigned row = 0; row < 8; row++) {
                for (unsigned column = 0; column < 8; column++) {
                    unsigned lane = row * 4 + column / 2, n = column % 2;
                    uint32_t sum = b.warp.r[8 + n][lane];
                    for (unsigned k = 0; k < 128; k++) {
                        bool x = (b.warp.r[4][row * 4 + k / 32] >> (k % 32) & 1) != 0;
                        bool y = (b.warp.r[5][column * 4 + k / 32] >> (k % 32) & 1) != 0;
                        sum += both ? x && y : x != y;
                    }
                    ASSERT_EQ(b.warp.r[6 + n][lane], sum);
                }
            }
        }
    }
}

TEST(AluTensor, TransposesMatricesOfHalves)
{
    alu_bench b;
    auto before = std::make_unique<smrf_exec_warp>(b.warp);
    b.run("MOVM.16.MT88 R4, R4", SMRF_EXEC_ALL);
    auto at = [](const smrf_exec_warp &w, unsigned row, unsigned column) {
        return w.r[4][row * 4 + column / 2] >> (16 * (column & 1)) & 0xffff;
    };
    for (unsigned row = 0; row < 8; row++) {
        for (unsigned column = 0; column < 8; column++) {
            EXPECT_EQ(at(b.warp, row, column), at(*before, column, row));
        }
    }
}

// --- What is not supported ---------------------------------------------------------------------

TEST(AluBind, RefusesWhatItDoesNotHandle)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"IADD3.FOO R0, R1, R2, R3", "modifier .FOO of IADD3 is not supported"},
        {"FADD.RM.RP R0, R1, R2", "modifier .RP of FADD is not supported"},
        {"IADD3 R0, R1, R2, R3, R4", "IADD3 takes 4 operands in this form, not 5"},
        {"SEL R0, R1, R2", "operand 4 of SEL should be a source predicate"},
        {"FADD R0, R1", "FADD lacks an operand"},
        {"FADD P0, R1, R2", "operand 1 of FADD should be a destination register"},
        {"FADD R0, ~R1, R2",
         "the inversion of a floating-point operand (operand kind 1, part 0) is not supported"},
        {"IADD3 R0, R1.H0_H0, R2, R3",
         "this part of a register (operand kind 1, part 1) is not supported"},
        {"IADD3 R0, R1, 1.5, R3", "a floating-point immediate of an integer operation (operand "
                                  "kind 8, part 0) is not supported"},
        {"MUFU.FOO R0, R1", "MUFU.FOO names no function that is supported"},
        {"HMMA.16832.F32 R0, R1, R2, R4",
         "HMMA.16832.F32: only the shapes .884, .1684, .1688 and .16816 are supported"},
        {"HMMA.16816.F16.BF16 R0, R4, R8, R12",
         "HMMA.16816.F16.BF16: this shape or these types are not supported"},
        {"HMMA.884.F16.F32.STEP0 R0, R2.ROW, R4.COL, R6",
         "HMMA.884.F16.F32.STEP0: these types or this step are not supported"},
        {"HMMA.884.F16.F16.STEP2 R0, R2.ROW, R4.COL, R6",
         "HMMA.884.F16.F16.STEP2: these types or this step are not supported"},
        {"HMMA.884.F32.F32.STEP0 R0, R2, R4.COL, R6",
         "operand 2 of HMMA.884.F32.F32.STEP0 is not supported in this form"},
        {"SHF.L R0, R1, R2, R3", "SHF.L names no type"},
        {"ISETP.AND P0, PT, R0, R1, PT", "ISETP.AND names no comparison that is supported"},
        {"UIADD3 UR4, R5, UR6, URZ", "operand 2 of UIADD3 should be uniform"},
        {"F2F.F16 R0, R1", "F2F.F16 lacks its two types"},
        {"LEA R0, R1, R2", "LEA lacks its shift"},
        {"IMAD.WIDE R0, -R2, R3, R4", "a negated factor of IMAD.WIDE is not supported"},
        {"HADD2 R0, R1, 1", "HADD2 lacks the second half of its immediate"},
        {"VABSDIFF4.U8 R0, R1, R2", "VABSDIFF4.U8 lacks an operand"},
        {"QUUX R0", "unknown opcode"},
    };
    for (const auto &c : cases) {
        sass_instruction instruction(c.text);
        smrf_exec_op op;
        EXPECT_EQ(alu_bench::bind(&*instruction.operator->(), op), c.reason) << c.text;
    }
}

TEST(AluBind, ConstantOutsideItsBankFailsTheInstruction)
{
    alu_bench b;
    for (const char *text : {"IADD3 R0, R1, c[0x0][0x4000], RZ", "DADD R0, R2, c[0x0][0xfc]",
                             "ULDC UR4, c[0x0][0x4000]"}) {
        sass_instruction instruction(text);
        smrf_exec_op op;
        ASSERT_EQ(alu_bench::bind(&*instruction.operator->(), op), "");
        b.warp.error = nullptr;
        EXPECT_EQ(op.fn(&b.warp, &op, SMRF_EXEC_ALL), SMRF_ERR_LIMIT) << text;
        EXPECT_STREQ(b.warp.error, "a constant lies outside its bank");
    }
    sass_instruction none("MOV R0, c[0x3][0x0]"); /* a listing by cuobjdump has no constants */
    smrf_exec_op op;
    ASSERT_EQ(alu_bench::bind(&*none.operator->(), op), "");
    EXPECT_EQ(op.fn(&b.warp, &op, SMRF_EXEC_ALL), SMRF_ERR_LIMIT);
    EXPECT_NE(std::string(b.warp.error).find("give the output of nvdisasm"), std::string::npos);
}

TEST(AluBind, FoldedConstantsKeepTheirModifiers)
{
    alu_bench b;
    sass_instruction instruction("FADD R0, R4, -c[0x2][0x8]");
    smrf_exec_op op;
    ASSERT_EQ(alu_bench::bind(&*instruction.operator->(), op), "");
    uint8_t bank[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f};
    smrf_exec_fold_const(&op.src[1], bank, sizeof bank);
    b.warp.r[4][3] = 0x40400000;
    ASSERT_EQ(op.fn(&b.warp, &op, 8), 0);
    EXPECT_EQ(bit_cast<float>(b.warp.r[0][3]), 2.0F);
}

} // namespace
