// SPDX-License-Identifier: Apache-2.0
// Integer instructions against 128-bit arithmetic and loops over bits.
#include "tests/support/alu_bench.h"

#include <algorithm>

using smrf_test::alu_bench;
using smrf_test::alu_lane;

namespace
{

__extension__ typedef __int128 wide;

int32_t s(uint32_t x)
{
    return static_cast<int32_t>(x);
}

TEST(AluAdd, SumsThreeOperandsWithModifiers)
{
    alu_bench b;
    b.check("IADD3 R0, R4, R5, R6", [](alu_lane &l) { l.set(0, l.r(4) + l.r(5) + l.r(6)); });
    b.check("IADD3 R4, -R4, 0x7, -R5", [](alu_lane &l) { l.set(4, 7 - l.r(4) - l.r(5)); });
    b.check("IADD3 R4, R4, -0x7, RZ", [](alu_lane &l) { l.set(4, l.r(4) - 7); });
    b.check("IADD3 R5, R5, c[0x0][0x10], RZ", [&b](alu_lane &l) { l.set(5, l.r(5) + b.c(0x10)); });
    b.check("IADD3 R5, R5, -c[0x0][0x10], UR7",
            [&b](alu_lane &l) { l.set(5, l.r(5) - b.c(0x10) + l.ur(7)); });
    b.check("IADD3 RZ, R4, R5, R6", [](alu_lane &) {});
}

TEST(AluAdd, CarriesOutAreBitsOfTheWideSum)
{
    alu_bench b;
    b.check("IADD3 R0, P2, R4, R5, RZ", [](alu_lane &l) {
        wide sum = static_cast<wide>(l.r(4)) + l.r(5);
        l.set(0, static_cast<uint32_t>(sum));
        l.set_p(2, sum > UINT32_MAX);
    });
    b.check("IADD3 R0, P2, P3, R4, R5, R6", [](alu_lane &l) {
        wide sum = static_cast<wide>(l.r(4)) + l.r(5) + l.r(6);
        l.set(0, static_cast<uint32_t>(sum));
        l.set_p(2, sum >> 32 > 0);
        l.set_p(3, sum >> 32 > 1);
    });
    b.check("IADD3 R0, P0, R4, -R5, RZ", [](alu_lane &l) {
        l.set(0, l.r(4) - l.r(5));
        l.set_p(0, l.r(4) >= l.r(5)); // no borrow
    });
    b.check("IADD3 RZ, P0, RZ, -R5, RZ", [](alu_lane &l) { l.set_p(0, l.r(5) == 0); });
}

TEST(AluAdd, PairsOfWordsAddAsDoubleWords)
{
    alu_bench b;
    for (unsigned round = 0; round < 300; round++) {
        b.scramble();
        uint64_t want[3][32];
        for (unsigned i = 0; i < 32; i++) {
            uint64_t x = static_cast<uint64_t>(b.warp.r[5][i]) << 32 | b.warp.r[4][i];
            uint64_t y = static_cast<uint64_t>(b.warp.r[7][i]) << 32 | b.warp.r[6][i];
            uint64_t z = static_cast<uint64_t>(b.warp.r[9][i]) << 32 | b.warp.r[8][i];
            want[0][i] = x + y + z;
            want[1][i] = x - y;
            want[2][i] = x + y;
        }
        b.run("IADD3 R10, P0, P1, R4, R6, R8", SMRF_EXEC_ALL);
        b.run("IADD3.X R11, R5, R7, R9, P0, P1", SMRF_EXEC_ALL);
        b.run("IADD3 R12, P0, R4, -R6, RZ", SMRF_EXEC_ALL);
        b.run("IMAD.X R13, R5, 0x1, ~R7, P0", SMRF_EXEC_ALL);
        b.run("IADD3 R14, P2, R4, R6, RZ", SMRF_EXEC_ALL);
        b.run("IADD3.X R15, R5, R7, RZ, P2, !PT", SMRF_EXEC_ALL);
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned i = 0; i < 32; i++) {
                ASSERT_EQ(static_cast<uint64_t>(b.warp.r[11 + 2 * k][i]) << 32 |
                              b.warp.r[10 + 2 * k][i],
                          want[k][i]);
            }
        }
    }
}

TEST(AluAdd, ExtendedSumTakesTwoCarriesAndGivesOne)
{
    alu_bench b;
    b.check("IADD3.X R0, P1, R4, ~R5, RZ, P1, !P2", [](alu_lane &l) {
        wide sum =
            static_cast<wide>(l.r(4)) + (UINT32_MAX - l.r(5)) + (l.p(1) ? 1 : 0) + (l.p(2) ? 0 : 1);
        l.set(0, static_cast<uint32_t>(sum));
        l.set_p(1, sum > UINT32_MAX);
    });
}

TEST(AluMultiply, LowWordIgnoresSigns)
{
    alu_bench b;
    auto low = [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(static_cast<wide>(s(l.r(4))) * s(l.r(5)) + s(l.r(6))));
    };
    b.check("IMAD R0, R4, R5, R6", low);
    b.check("IMAD.U32 R0, R4, R5, R6", low);
    b.check("IMAD R0, R4, R5, -R6", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(static_cast<wide>(s(l.r(4))) * s(l.r(5)) - s(l.r(6))));
    });
    b.check("IMAD.MOV.U32 R0, RZ, RZ, R6", [](alu_lane &l) { l.set(0, l.r(6)); });
    b.check("IMAD.MOV.U32 R0, RZ, RZ, 0x3f800000", [](alu_lane &l) { l.set(0, 0x3f800000); });
    b.check("IMAD.MOV R0, RZ, RZ, -R6", [](alu_lane &l) { l.set(0, ~l.r(6) + 1); });
    b.check("IMAD.MOV.U32 R0, R4, 0x1, RZ", [](alu_lane &l) { l.set(0, l.r(4)); });
    b.check("IMAD.IADD R0, R4, 0x1, -R5", [](alu_lane &l) { l.set(0, l.r(4) - l.r(5)); });
    b.check("IMAD.SHL.U32 R0, R4, 0x100, RZ", [](alu_lane &l) { l.set(0, l.r(4) << 8); });
    b.check("IMAD.X R0, R4, R5, R6, P3",
            [](alu_lane &l) { l.set(0, l.r(4) * l.r(5) + l.r(6) + (l.p(3) ? 1 : 0)); });
    b.check("IMAD.U32.X R0, R4, 0x100000, R6, P1",
            [](alu_lane &l) { l.set(0, l.r(4) * 0x100000 + l.r(6) + (l.p(1) ? 1 : 0)); });
    b.check("IMAD.U32 R0, RZ, RZ, UR4", [](alu_lane &l) { l.set(0, l.ur(4)); });
}

TEST(AluMultiply, WideProductsAddAPair)
{
    alu_bench b;
    b.check("IMAD.WIDE R4, R4, R5, R6", [](alu_lane &l) {
        l.set64(4, static_cast<uint64_t>(static_cast<wide>(s(l.r(4))) * s(l.r(5)) +
                                         static_cast<wide>(l.r64(6))));
    });
    b.check("IMAD.WIDE R0, R4, -0x5, R8", [](alu_lane &l) {
        l.set64(0, static_cast<uint64_t>(static_cast<wide>(s(l.r(4))) * -5 +
                                         static_cast<wide>(l.r64(8))));
    });
    b.check("IMAD.WIDE R0, R4, R5, c[0x0][0x18]", [&b](alu_lane &l) {
        wide c = static_cast<wide>(static_cast<uint64_t>(b.c(0x1c)) << 32 | b.c(0x18));
        l.set64(0, static_cast<uint64_t>(static_cast<wide>(s(l.r(4))) * s(l.r(5)) + c));
    });
    b.check("IMAD.WIDE.U32 R0, R4, R5, RZ", [](alu_lane &l) {
        l.set64(0, static_cast<uint64_t>(static_cast<wide>(l.r(4)) * l.r(5)));
    });
    b.check("IMAD.WIDE.U32 R0, P2, R4, R5, R6", [](alu_lane &l) {
        wide sum = static_cast<wide>(l.r(4)) * l.r(5) + static_cast<wide>(l.r64(6));
        l.set64(0, static_cast<uint64_t>(sum));
        l.set_p(2, sum >> 64 != 0);
    });
    b.check("IMAD.WIDE.U32.X R0, R4, R5, R6, P1", [](alu_lane &l) {
        l.set64(0, static_cast<uint64_t>(static_cast<wide>(l.r(4)) * l.r(5) +
                                         static_cast<wide>(l.r64(6)) + (l.p(1) ? 1 : 0)));
    });
}

TEST(AluMultiply, HighWordIsThatOfProductPlusPair)
{
    alu_bench b;
    b.check("IMAD.HI R0, R4, R5, RZ", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(static_cast<wide>(s(l.r(4))) * s(l.r(5)) >> 32));
    });
    b.check("IMAD.HI.U32 R0, R4, R5, R6", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(
                     (static_cast<wide>(l.r(4)) * l.r(5) + static_cast<wide>(l.r64(6))) >> 32));
    });
    b.check("IMAD.HI.U32 R0, P1, R4, R5, R6", [](alu_lane &l) {
        wide sum = static_cast<wide>(l.r(4)) * l.r(5) + static_cast<wide>(l.r64(6));
        l.set(0, static_cast<uint32_t>(sum >> 32));
        l.set_p(1, sum >> 64 != 0);
    });
}

TEST(AluLea, ScalesAndAdds)
{
    alu_bench b;
    b.check("LEA R0, P1, R4, R5, 0x3", [](alu_lane &l) {
        wide sum = static_cast<wide>(l.r(4) << 3) + l.r(5);
        l.set(0, static_cast<uint32_t>(sum));
        l.set_p(1, sum >> 32 != 0);
    });
    b.check("LEA R0, R4, R5, 0x17", [](alu_lane &l) { l.set(0, (l.r(4) << 23) + l.r(5)); });
    b.check("LEA.HI R0, R4, R5, RZ, 0x1f", [](alu_lane &l) { l.set(0, (l.r(4) >> 1) + l.r(5)); });
    b.check("LEA.HI R0, R4, -R5, R6, 0xb", [](alu_lane &l) {
        wide pair = static_cast<wide>(static_cast<uint64_t>(l.r(6)) << 32 | l.r(4));
        l.set(0, static_cast<uint32_t>((pair << 11) >> 32) - l.r(5));
    });
    b.check("LEA.HI.X R0, R4, c[0x0][0x20], R6, 0x2, P0", [&b](alu_lane &l) {
        wide pair = static_cast<wide>(static_cast<uint64_t>(l.r(6)) << 32 | l.r(4));
        l.set(0, static_cast<uint32_t>((pair << 2) >> 32) + b.c(0x20) + (l.p(0) ? 1 : 0));
    });
    b.check("LEA.HI.SX32 R0, R4, R5, 0x1e",
            [](alu_lane &l) { l.set(0, static_cast<uint32_t>(s(l.r(4)) >> 2) + l.r(5)); });
    b.check("LEA.HI.X.SX32 R0, R4, R5, 0x1, P0", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(static_cast<wide>(s(l.r(4))) * 2 >> 32) + l.r(5) +
                     (l.p(0) ? 1 : 0));
    });
}

TEST(AluLea, ShiftedWordsAreSubtracted)
{
    alu_bench b;
    b.check("LEA R0, P1, -R4, R5, 0x3", [](alu_lane &l) {
        const uint32_t less = l.r(4) << 3;
        l.set(0, l.r(5) - less);
        l.set_p(1, l.r(5) >= less);
    });
    b.check("LEA.HI R0, -R4, R5, R6, 0xb", [](alu_lane &l) {
        const uint64_t pair = static_cast<uint64_t>(l.r(6)) << 32 | l.r(4);
        l.set(0, static_cast<uint32_t>((0 - (pair << 11)) >> 32) + l.r(5));
    });
    for (unsigned round = 0; round < 300; round++) {
        b.scramble();
        uint64_t want[32];
        for (unsigned i = 0; i < 32; i++) {
            b.warp.r[4][i] = i % 8 == 0 ? 0 : b.warp.r[4][i]; // no carry out of the low word
            b.warp.r[5][i] = i % 3 == 0 ? 0 : b.warp.r[5][i];
            want[i] = (static_cast<uint64_t>(b.warp.r[7][i]) << 32 | b.warp.r[6][i]) -
                      ((static_cast<uint64_t>(b.warp.r[5][i]) << 32 | b.warp.r[4][i]) << 2);
        }
        b.run("LEA R8, P0, -R4, R6, 0x2", SMRF_EXEC_ALL);
        b.run("LEA.HI.X R9, ~R4, R7, R5, 0x2, P0", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            ASSERT_EQ(static_cast<uint64_t>(b.warp.r[9][i]) << 32 | b.warp.r[8][i], want[i]);
        }
    }
}

TEST(AluLea, AddressesOfDoubleWordsAreExact)
{
    alu_bench b;
    for (unsigned round = 0; round < 300; round++) {
        b.scramble();
        uint64_t want[32];
        for (unsigned i = 0; i < 32; i++) {
            want[i] = ((static_cast<uint64_t>(b.warp.r[5][i]) << 32 | b.warp.r[4][i]) << 3) +
                      (static_cast<uint64_t>(b.warp.r[7][i]) << 32 | b.warp.r[6][i]);
        }
        b.run("LEA R8, P0, R4, R6, 0x3", SMRF_EXEC_ALL);
        b.run("LEA.HI.X R9, R4, R7, R5, 0x3, P0", SMRF_EXEC_ALL);
        for (unsigned i = 0; i < 32; i++) {
            ASSERT_EQ(static_cast<uint64_t>(b.warp.r[9][i]) << 32 | b.warp.r[8][i], want[i]);
        }
    }
}

TEST(AluLogic, EveryTableOfThreeInputs)
{
    alu_bench b;
    for (unsigned table = 0; table < 256; table++) {
        auto bits = [table](uint32_t x, uint32_t y, uint32_t z) {
            uint32_t result = 0;
            for (unsigned k = 0; k < 32; k++) {
                unsigned row = (x >> k & 1) * 4 + (y >> k & 1) * 2 + (z >> k & 1);
                result |= (table >> row & 1) << k;
            }
            return result;
        };
        std::string lut = std::to_string(table);
        char text[64];
        snprintf(text, sizeof text, "LOP3.LUT R4, R4, R5, R6, 0x%x, !PT", table);
        b.check(
            text, [&](alu_lane &l) { l.set(4, bits(l.r(4), l.r(5), l.r(6))); }, 2);
        snprintf(text, sizeof text, "LOP3.LUT P1, RZ, R4, R5, R6, 0x%x, P2", table);
        b.check(
            text, [&](alu_lane &l) { l.set_p(1, l.p(2) || bits(l.r(4), l.r(5), l.r(6)) != 0); }, 2);
        snprintf(text, sizeof text, "PLOP3.LUT P0, P1, P2, !P3, P4, 0x%x, 0x%x", table,
                 table ^ 0xa5);
        b.check(
            text,
            [&](alu_lane &l) {
                unsigned row = (l.p(2) ? 4 : 0) + (l.p(3) ? 0 : 2) + (l.p(4) ? 1 : 0);
                l.set_p(0, (table >> row & 1) != 0);
                l.set_p(1, ((table ^ 0xa5) >> row & 1) != 0);
            },
            2);
    }
}

TEST(AluLogic, PredicateOfALogicResultCombines)
{
    alu_bench b;
    b.check("LOP3.LUT P0, RZ, R4, 0x2, RZ, 0xc0, !PT",
            [](alu_lane &l) { l.set_p(0, (l.r(4) & 2) != 0); });
    b.check("LOP3.LUT.PAND P0, R0, R4, R5, RZ, 0xc0, P3", [](alu_lane &l) {
        l.set(0, l.r(4) & l.r(5));
        l.set_p(0, (l.r(4) & l.r(5)) != 0 && l.p(3));
    });
    b.check("PLOP3.LUT P0, PT, R4.SIGN, R5.SIGN, R6.SIGN, 0x2, 0x0",
            [](alu_lane &l) { l.set_p(0, s(l.r(4)) >= 0 && s(l.r(5)) >= 0 && s(l.r(6)) < 0); });
}

// Shifts of a double word, bit by bit.
uint64_t shifted(uint64_t x, unsigned count, bool right, bool is_signed)
{
    uint64_t result = 0;
    for (unsigned k = 0; k < 64; k++) {
        int from =
            right ? static_cast<int>(k + count) : static_cast<int>(k) - static_cast<int>(count);
        bool bit = from >= 0 && from < 64 ? (x >> from & 1) != 0
                   : from >= 64           ? is_signed && x >> 63 != 0
                                          : false;
        result |= static_cast<uint64_t>(bit) << k;
    }
    return result;
}

TEST(AluShift, AllDirectionsTypesAndWords)
{
    alu_bench b;
    struct {
        const char *name;
        bool right, wrap, high, is_signed, wide;
    } const forms[] = {
        {"SHF.L.U32", false, false, false, false, false},
        {"SHF.L.U32.HI", false, false, true, false, false},
        {"SHF.L.W.U32", false, true, false, false, false},
        {"SHF.L.W.U32.HI", false, true, true, false, false},
        {"SHF.L.U64.HI", false, false, true, false, true},
        {"SHF.L.W.U64.HI", false, true, true, false, true},
        {"SHF.R.U32", true, false, false, false, false},
        {"SHF.R.U32.HI", true, false, true, false, false},
        {"SHF.R.W.U32", true, true, false, false, false},
        {"SHF.R.S32.HI", true, false, true, true, false},
        {"SHF.R.U64", true, false, false, false, true},
        {"SHF.R.W.U64", true, true, false, false, true},
        {"SHF.R.S64", true, false, false, true, true},
        {"SHF.R.S64.HI", true, false, true, true, true},
    };
    for (const auto &f : forms) {
        b.check(
            std::string(f.name) + " R0, R4, R5, R6",
            [&f](alu_lane &l) {
                unsigned width = f.wide ? 64 : 32;
                unsigned count = f.wrap ? l.r(5) % width : std::min(l.r(5), width);
                uint64_t pair = static_cast<uint64_t>(l.r(6)) << 32 | l.r(4);
                uint64_t x = shifted(pair, count, f.right, f.is_signed);
                l.set(0, static_cast<uint32_t>(f.high ? x >> 32 : x));
            },
            60);
    }
    b.check("SHF.R.S32.HI R0, RZ, 0x1f, R6",
            [](alu_lane &l) { l.set(0, s(l.r(6)) < 0 ? UINT32_MAX : 0); });
    b.check("SHF.L.U32 R0, R4, 0x8, RZ", [](alu_lane &l) { l.set(0, l.r(4) << 8); });
    b.check("SHF.R.U32.HI R0, RZ, R5, R6",
            [](alu_lane &l) { l.set(0, l.r(5) > 31 ? 0 : l.r(6) >> l.r(5)); });
}

TEST(AluBytes, PermuteChoosesAndReplicatesSigns)
{
    alu_bench b;
    auto select = [](const alu_lane &l, uint32_t selector) {
        uint8_t bytes[8];
        uint32_t x = l.r(4), y = l.r(6), result = 0;
        std::memcpy(bytes, &x, 4);
        std::memcpy(bytes + 4, &y, 4);
        for (unsigned k = 0; k < 4; k++) {
            unsigned n = selector >> (4 * k) & 15;
            uint32_t byte = n < 8 ? bytes[n] : bytes[n - 8] >= 128 ? 255 : 0;
            result |= byte << (8 * k);
        }
        return result;
    };
    b.check("PRMT R0, R4, R5, R6", [&](alu_lane &l) { l.set(0, select(l, l.r(5))); });
    b.check("PRMT R0, R4, 0x5410, R6",
            [&](alu_lane &l) { l.set(0, (l.r(4) & 0xffff) | l.r(6) << 16); });
    b.check("PRMT R0, R4, 0x9910, RZ",
            [](alu_lane &l) { l.set(0, static_cast<uint32_t>(static_cast<int16_t>(l.r(4)))); });
}

TEST(AluBytes, ModesOfPermuteFollowTheirTables)
{
    alu_bench b;
    // PTX ISA, prmt: selectors for the control values 0 to 3.
    static const struct {
        const char *mode;
        uint32_t selector[4];
    } tables[] = {
        {"F4E", {0x3210, 0x4321, 0x5432, 0x6543}}, {"B4E", {0x5670, 0x6701, 0x7012, 0x0123}},
        {"RC8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ECL", {0x3210, 0x3211, 0x3222, 0x3333}},
        {"ECR", {0x0000, 0x1110, 0x2210, 0x3210}}, {"RC16", {0x1010, 0x3232, 0x1010, 0x3232}}};
    for (const auto &t : tables) {
        b.check(
            std::string("PRMT.") + t.mode + " R0, R4, R5, R6",
            [&t](alu_lane &l) {
                uint64_t bytes = static_cast<uint64_t>(l.r(6)) << 32 | l.r(4);
                uint32_t result = 0;
                for (unsigned k = 0; k < 4; k++) {
                    unsigned n = t.selector[l.r(5) & 3] >> (4 * k) & 7;
                    result |= static_cast<uint32_t>(bytes >> (8 * n) & 0xff) << (8 * k);
                }
                l.set(0, result);
            },
            60);
    }
}

TEST(AluBits, MasksExtensionsAndCounts)
{
    alu_bench b;
    b.check("BMSK R0, R4, R5", [](alu_lane &l) {
        uint32_t result = 0;
        for (uint64_t k = l.r(4); k < 32 && k < static_cast<uint64_t>(l.r(4)) + l.r(5); k++) {
            result |= 1U << k;
        }
        l.set(0, result);
    });
    b.check("SGXT R0, R4, R5", [](alu_lane &l) {
        wide modulus = static_cast<wide>(1) << std::min(l.r(5), 32U);
        wide x = l.r(4) % modulus;
        l.set(0, static_cast<uint32_t>(2 * x >= modulus && modulus > 1 ? x - modulus : x));
    });
    b.check("SGXT.U32 R0, R4, 0x7", [](alu_lane &l) { l.set(0, l.r(4) % 128); });
    b.check("SGXT R0, R4, 0x7",
            [](alu_lane &l) { l.set(0, static_cast<uint32_t>((s(l.r(4) % 128) ^ 64) - 64)); });
    b.check("BREV R0, R4", [](alu_lane &l) {
        uint32_t result = 0;
        for (unsigned k = 0; k < 32; k++) {
            result |= (l.r(4) >> k & 1) << (31 - k);
        }
        l.set(0, result);
    });
    b.check("POPC R0, ~R4", [](alu_lane &l) {
        uint32_t count = 0;
        for (unsigned k = 0; k < 32; k++) {
            count += (l.r(4) >> k & 1) == 0;
        }
        l.set(0, count);
    });
    b.check("POPC R0, UR4",
            [](alu_lane &l) { l.set(0, static_cast<uint32_t>(__builtin_popcount(l.ur(4)))); });
}

TEST(AluBits, FindLeadingOneInAllForms)
{
    alu_bench b;
    auto leading = [](uint32_t x) {
        int at = 31;
        while (at >= 0 && (x >> at & 1) == 0) {
            at--;
        }
        return at;
    };
    b.check("FLO.U32 R0, R4",
            [&](alu_lane &l) { l.set(0, static_cast<uint32_t>(leading(l.r(4)))); });
    b.check("FLO R0, R4", [&](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(leading(s(l.r(4)) < 0 ? ~l.r(4) : l.r(4))));
    });
    b.check("FLO.U32.SH R0, R4", [&](alu_lane &l) {
        int at = leading(l.r(4));
        l.set(0, at < 0 ? UINT32_MAX : static_cast<uint32_t>(31 - at));
    });
    b.check("FLO.SH R0, R4", [&](alu_lane &l) {
        int at = leading(s(l.r(4)) < 0 ? ~l.r(4) : l.r(4));
        l.set(0, at < 0 ? UINT32_MAX : static_cast<uint32_t>(31 - at));
    });
}

TEST(AluCompare, EveryComparisonCombinationAndSign)
{
    alu_bench b;
    static const struct {
        const char *name;
        bool (*holds)(wide, wide);
    } compares[] = {
        {"LT", [](wide x, wide y) { return x < y; }},
        {"EQ", [](wide x, wide y) { return x == y; }},
        {"LE", [](wide x, wide y) { return x <= y; }},
        {"GT", [](wide x, wide y) { return x > y; }},
        {"NE", [](wide x, wide y) { return x != y; }},
        {"GE", [](wide x, wide y) { return x >= y; }},
    };
    static const struct {
        const char *name;
        bool (*with)(bool, bool);
    } combines[] = {{"AND", [](bool x, bool y) { return x && y; }},
                    {"OR", [](bool x, bool y) { return x || y; }},
                    {"XOR", [](bool x, bool y) { return x != y; }}};
    for (const auto &compare : compares) {
        for (const auto &combine : combines) {
            for (bool is_signed : {false, true}) {
                std::string text = std::string("ISETP.") + compare.name + "." +
                                   (is_signed ? "" : "U32.") + combine.name;
                auto value = [is_signed](uint32_t x) {
                    return is_signed ? static_cast<wide>(s(x)) : static_cast<wide>(x);
                };
                b.check(
                    text + " P0, P1, R4, R5, !P3",
                    [&](alu_lane &l) {
                        bool truth = compare.holds(value(l.r(4)), value(l.r(5)));
                        l.set_p(0, combine.with(truth, !l.p(3)));
                        l.set_p(1, combine.with(!truth, !l.p(3)));
                    },
                    20);
            }
        }
    }
    b.check("ISETP.GE.AND P0, PT, R4, -0x2, PT", [](alu_lane &l) { l.set_p(0, s(l.r(4)) >= -2); });
}

TEST(AluCompare, DoubleWordsCompareInTwoSteps)
{
    alu_bench b;
    for (const char *name : {"LT", "LE", "EQ", "NE", "GE", "GT"}) {
        for (bool is_signed : {false, true}) {
            for (unsigned round = 0; round < 50; round++) {
                b.scramble();
                std::string high = std::string("ISETP.") + name + (is_signed ? "" : ".U32") +
                                   ".AND.EX P1, P2, R5, R7, PT, P0";
                b.run(std::string("ISETP.") + name + ".U32.AND P0, PT, R4, R6, PT", SMRF_EXEC_ALL);
                b.run(high, SMRF_EXEC_ALL);
                for (unsigned i = 0; i < 32; i++) {
                    uint64_t x = static_cast<uint64_t>(b.warp.r[5][i]) << 32 | b.warp.r[4][i];
                    uint64_t y = static_cast<uint64_t>(b.warp.r[7][i]) << 32 | b.warp.r[6][i];
                    bool less =
                        is_signed ? static_cast<int64_t>(x) < static_cast<int64_t>(y) : x < y;
                    std::string n = name;
                    bool want = n == "LT"   ? less
                                : n == "LE" ? less || x == y
                                : n == "EQ" ? x == y
                                : n == "NE" ? x != y
                                : n == "GE" ? !less
                                            : !less && x != y;
                    ASSERT_EQ((b.warp.p[1] >> i & 1) != 0, want) << high << " " << x << " " << y;
                    ASSERT_EQ((b.warp.p[2] >> i & 1) != 0, !want);
                }
            }
        }
    }
}

TEST(AluSelect, MinimumMaximumAndChoice)
{
    alu_bench b;
    b.check("IMNMX R0, R4, R5, P1", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(l.p(1) ? std::min(s(l.r(4)), s(l.r(5)))
                                              : std::max(s(l.r(4)), s(l.r(5)))));
    });
    b.check("IMNMX.U32 R0, R4, 0x898, !PT",
            [](alu_lane &l) { l.set(0, std::max(l.r(4), 0x898U)); });
    b.check("SEL R0, R4, c[0x0][0x8], !P1",
            [&b](alu_lane &l) { l.set(0, l.p(1) ? b.c(8) : l.r(4)); });
    b.check("SEL R0, R4, -R5, P1", [](alu_lane &l) { l.set(0, l.p(1) ? l.r(4) : -l.r(5)); });
    b.check("MOV R0, c[0x0][0x28]", [&b](alu_lane &l) { l.set(0, b.c(0x28)); });
    b.check("MOV R4, R4", [](alu_lane &) {});
    b.check("IABS R0, R4", [](alu_lane &l) {
        l.set(0, static_cast<uint32_t>(std::abs(static_cast<int64_t>(s(l.r(4))))));
    });
}

TEST(AluSelect, PredicatesAsBitsOfARegister)
{
    alu_bench b;
    b.check("P2R R0, PR, R4, 0x6d", [](alu_lane &l) {
        uint32_t result = l.r(4);
        for (unsigned n : {0, 2, 3, 5, 6}) {
            result = (result & ~(1U << n)) | (l.p(n) ? 1U << n : 0);
        }
        l.set(0, result);
    });
    b.check("P2R.B2 R0, PR, R4, 0x3", [](alu_lane &l) {
        l.set(0, (l.r(4) & ~0x30000U) | (l.p(0) ? 0x10000U : 0) | (l.p(1) ? 0x20000U : 0));
    });
    b.check("R2P PR, R4, 0x13", [](alu_lane &l) {
        for (unsigned n : {0, 1, 4}) {
            l.set_p(n, (l.r(4) >> n & 1) != 0);
        }
    });
    b.check("R2P PR, R4.B3, 0x7f", [](alu_lane &l) {
        for (unsigned n = 0; n < 7; n++) {
            l.set_p(n, (l.r(4) >> (24 + n) & 1) != 0);
        }
    });
}

TEST(AluDot, ProductsOfBytesAndHalves)
{
    alu_bench b;
    auto byte = [](uint32_t x, unsigned k, bool is_signed) {
        uint32_t v = x >> (8 * k) & 255;
        return is_signed && v > 127 ? static_cast<int64_t>(v) - 256 : static_cast<int64_t>(v);
    };
    auto half = [](uint32_t x, unsigned k, bool is_signed) {
        uint32_t v = x >> (16 * k) & 65535;
        return is_signed && v > 32767 ? static_cast<int64_t>(v) - 65536 : static_cast<int64_t>(v);
    };
    for (bool sa : {false, true}) {
        for (bool sb : {false, true}) {
            std::string types = std::string(sa ? ".S8" : ".U8") + (sb ? ".S8" : ".U8");
            b.check(
                "IDP.4A" + types + " R0, R4, R5, R6",
                [&](alu_lane &l) {
                    int64_t sum = l.r(6);
                    for (unsigned k = 0; k < 4; k++) {
                        sum += byte(l.r(4), k, sa) * byte(l.r(5), k, sb);
                    }
                    l.set(0, static_cast<uint32_t>(sum));
                },
                40);
            types = std::string(sa ? ".S16" : ".U16") + (sb ? ".S8" : ".U8");
            for (unsigned high = 0; high < 2; high++) {
                b.check(
                    std::string("IDP.2A") + (high != 0 ? ".HI" : ".LO") + types + " R0, R4, R5, R6",
                    [&](alu_lane &l) {
                        int64_t sum = l.r(6);
                        for (unsigned k = 0; k < 2; k++) {
                            sum += half(l.r(4), k, sa) * byte(l.r(5), 2 * high + k, sb);
                        }
                        l.set(0, static_cast<uint32_t>(sum));
                    },
                    40);
            }
        }
    }
}

TEST(AluDot, AbsoluteDifferences)
{
    alu_bench b;
    b.check("VABSDIFF R0, R4, R5, R6", [](alu_lane &l) {
        int64_t d = static_cast<int64_t>(s(l.r(4))) - s(l.r(5));
        l.set(0, static_cast<uint32_t>(std::abs(d)) + l.r(6));
    });
    b.check("VABSDIFF.U32 R0, R4, R5, R6", [](alu_lane &l) {
        int64_t d = static_cast<int64_t>(l.r(4)) - static_cast<int64_t>(l.r(5));
        l.set(0, static_cast<uint32_t>(std::abs(d)) + l.r(6));
    });
    auto difference = [](const alu_lane &l, unsigned k) {
        return static_cast<uint32_t>(std::abs(static_cast<int>(l.r(4) >> (8 * k) & 255) -
                                              static_cast<int>(l.r(5) >> (8 * k) & 255)));
    };
    b.check("VABSDIFF4.U8 R0, R4, R5, RZ", [&](alu_lane &l) {
        l.set(0, difference(l, 0) | difference(l, 1) << 8 | difference(l, 2) << 16 |
                     difference(l, 3) << 24);
    });
    b.check("VABSDIFF4.U8 R0, R4, R5, R6", [&](alu_lane &l) { // nothing is accumulated
        l.set(0, difference(l, 0) | difference(l, 1) << 8 | difference(l, 2) << 16 |
                     difference(l, 3) << 24);
    });
    b.check("VABSDIFF4.U8.ACC R0, R4, R5, R6", [&](alu_lane &l) {
        l.set(0,
              l.r(6) + difference(l, 0) + difference(l, 1) + difference(l, 2) + difference(l, 3));
    });
}

} // namespace
