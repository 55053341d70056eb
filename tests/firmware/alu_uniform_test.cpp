// SPDX-License-Identifier: Apache-2.0
// Uniform registers and predicates.
#include "tests/support/alu_bench.h"

#include <algorithm>

using namespace smrf_test;

namespace
{

using warp = smrf_exec_warp;
__extension__ typedef __int128 wide;

uint32_t word(wide x)
{
    return static_cast<uint32_t>(x);
}

uint64_t ur64(const warp &w, unsigned n)
{
    return static_cast<uint64_t>(w.ur[n + 1]) << 32 | w.ur[n];
}

void set64(warp &w, unsigned n, uint64_t x)
{
    w.ur[n] = static_cast<uint32_t>(x);
    w.ur[n + 1] = static_cast<uint32_t>(x >> 32);
}

TEST(AluUniform, SumsCarryIntoUniformPredicates)
{
    alu_bench b;
    b.check_uniform("UIADD3 UR4, -UR4, UR5, URZ",
                    [](const warp &w, warp &x) { x.ur[4] = w.ur[5] - w.ur[4]; });
    b.check_uniform("UIADD3 UR8, UP0, UP1, UR4, UR5, UR6", [](const warp &w, warp &x) {
        wide sum = static_cast<wide>(w.ur[4]) + w.ur[5] + w.ur[6];
        x.ur[8] = word(sum);
        x.up[0] = sum >> 32 > 0;
        x.up[1] = sum >> 32 > 1;
    });
    b.check_uniform("UIADD3.X UR8, UR4, ~UR5, URZ, UP0, !UPT",
                    [](const warp &w, warp &x) { x.ur[8] = w.ur[4] + ~w.ur[5] + w.up[0]; });
    b.check_uniform("UIADD3 URZ, UP3, UR4, -0x1, URZ",
                    [](const warp &w, warp &x) { x.up[3] = w.ur[4] != 0; });
    b.check_uniform("ULEA UR8, UP0, UR4, UR5, 0x3", [](const warp &w, warp &x) {
        wide sum = static_cast<wide>(w.ur[4] << 3) + w.ur[5];
        x.ur[8] = word(sum);
        x.up[0] = sum >> 32 != 0;
    });
    b.check_uniform("ULEA.HI.X UR8, UR4, UR5, UR6, 0x3, UP2", [](const warp &w, warp &x) {
        uint64_t pair = static_cast<uint64_t>(w.ur[6]) << 32 | w.ur[4];
        x.ur[8] = static_cast<uint32_t>(pair >> 29) + w.ur[5] + w.up[2];
    });
    b.check_uniform("ULEA.HI.SX32 UR8, UR4, UR5, 0x1e", [](const warp &w, warp &x) {
        x.ur[8] = static_cast<uint32_t>(static_cast<int32_t>(w.ur[4]) >> 2) + w.ur[5];
    });
    b.check_uniform("ULEA.HI UR8, UR4, UR5, URZ, 0x2",
                    [](const warp &w, warp &x) { x.ur[8] = (w.ur[4] >> 30) + w.ur[5]; });
}

TEST(AluUniform, Products)
{
    alu_bench b;
    b.check_uniform("UIMAD UR8, UR4, -0x3, UR5",
                    [](const warp &w, warp &x) { x.ur[8] = w.ur[5] - 3 * w.ur[4]; });
    b.check_uniform("UIMAD.WIDE UR8, UR4, UR5, UR6", [](const warp &w, warp &x) {
        wide product =
            static_cast<wide>(static_cast<int32_t>(w.ur[4])) * static_cast<int32_t>(w.ur[5]);
        set64(x, 8, static_cast<uint64_t>(product) + ur64(w, 6));
    });
    b.check_uniform("UIMAD.WIDE.U32 UR8, UR4, 0x7, URZ",
                    [](const warp &w, warp &x) { set64(x, 8, uint64_t{7} * w.ur[4]); });
    b.check_uniform("UIMAD.HI.U32 UR8, UR4, UR5, URZ", [](const warp &w, warp &x) {
        x.ur[8] = static_cast<uint32_t>(static_cast<uint64_t>(w.ur[4]) * w.ur[5] >> 32);
    });
}

TEST(AluUniform, BitsAndChoices)
{
    alu_bench b;
    b.check_uniform("ULOP3.LUT UR8, UR4, UR5, UR6, 0x96, !UPT",
                    [](const warp &w, warp &x) { x.ur[8] = w.ur[4] ^ w.ur[5] ^ w.ur[6]; });
    b.check_uniform("ULOP3.LUT UP0, URZ, UR4, 0x3, URZ, 0xc0, !UPT",
                    [](const warp &w, warp &x) { x.up[0] = (w.ur[4] & 3) != 0; });
    b.check_uniform("USHF.R.S32.HI UR8, URZ, 0x1f, UR5", [](const warp &w, warp &x) {
        x.ur[8] = static_cast<int32_t>(w.ur[5]) < 0 ? UINT32_MAX : 0;
    });
    b.check_uniform("USHF.L.U64.HI UR8, UR4, UR6, UR5", [](const warp &w, warp &x) {
        wide pair = static_cast<wide>(static_cast<uint64_t>(w.ur[5]) << 32 | w.ur[4]);
        x.ur[8] = w.ur[6] >= 64 ? 0 : word((pair << w.ur[6]) >> 32);
    });
    b.check_uniform("USHF.R.U32 UR8, UR4, UR6, UR5", [](const warp &w, warp &x) {
        wide pair = static_cast<wide>(static_cast<uint64_t>(w.ur[5]) << 32 | w.ur[4]);
        x.ur[8] = word(pair >> std::min(w.ur[6], 32U));
    });
    b.check_uniform("USEL UR8, UR4, 0x5, !UP1",
                    [](const warp &w, warp &x) { x.ur[8] = w.up[1] ? 5 : w.ur[4]; });
    b.check_uniform("UPRMT UR4, UR4, 0x7632, UR5", [](const warp &w, warp &x) {
        x.ur[4] = w.ur[4] >> 16 | (w.ur[5] & 0xffff0000);
    });
    b.check_uniform("UFLO.U32 UR8, UR4", [](const warp &w, warp &x) {
        x.ur[8] = UINT32_MAX;
        for (uint32_t k = 0; k < 32; k++) {
            if ((w.ur[4] >> k & 1) != 0) {
                x.ur[8] = k;
            }
        }
    });
    b.check_uniform("UPOPC UR8, UR4", [](const warp &w, warp &x) {
        x.ur[8] = static_cast<uint32_t>(__builtin_popcount(w.ur[4]));
    });
    b.check_uniform("UBREV UR8, UR4", [](const warp &w, warp &x) {
        x.ur[8] = 0;
        for (unsigned k = 0; k < 32; k++) {
            x.ur[8] |= (w.ur[4] >> k & 1) << (31 - k);
        }
    });
    b.check_uniform("UBMSK UR8, UR4, UR5", [](const warp &w, warp &x) {
        x.ur[8] = 0;
        for (uint64_t k = w.ur[4]; k < 32 && k < static_cast<uint64_t>(w.ur[4]) + w.ur[5]; k++) {
            x.ur[8] |= 1U << k;
        }
    });
    b.check_uniform("USGXT.U32 UR8, UR4, 0x9",
                    [](const warp &w, warp &x) { x.ur[8] = w.ur[4] % 512; });
    b.check_uniform("UMOV UR8, 0x3f800000", [](const warp &, warp &x) { x.ur[8] = 0x3f800000; });
    b.check_uniform("UMOV URZ, 0x5", [](const warp &, warp &) {});
}

TEST(AluUniform, ComparisonsAndPredicateLogic)
{
    alu_bench b;
    b.check_uniform("UISETP.GE.U32.AND UP0, UP1, UR4, UR5, UP2", [](const warp &w, warp &x) {
        x.up[0] = w.ur[4] >= w.ur[5] && w.up[2];
        x.up[1] = w.ur[4] < w.ur[5] && w.up[2];
    });
    b.check_uniform("UISETP.LT.OR UP0, UPT, UR4, -0x5, !UP2", [](const warp &w, warp &x) {
        x.up[0] = static_cast<int32_t>(w.ur[4]) < -5 || !w.up[2];
    });
    b.check_uniform("UISETP.NE.AND.EX UP0, UPT, UR4, UR5, UPT, UP3",
                    [](const warp &w, warp &x) { x.up[0] = w.ur[4] != w.ur[5] || w.up[3]; });
    b.check_uniform("UPLOP3.LUT UP0, UP1, UP2, UP3, !UP4, 0x80, 0xfe", [](const warp &w, warp &x) {
        x.up[0] = w.up[2] && w.up[3] && !w.up[4];
        x.up[1] = w.up[2] || w.up[3] || !w.up[4];
    });
    b.check_uniform("UP2UR UR8, UPR, UR4, 0x5", [](const warp &w, warp &x) {
        x.ur[8] = (w.ur[4] & ~5U) | w.up[0] | static_cast<uint32_t>(w.up[2]) << 2;
    });
    b.check_uniform("UR2UP UPR, UR4, 0x7f", [](const warp &w, warp &x) {
        for (unsigned n = 0; n < 7; n++) {
            x.up[n] = w.ur[4] >> n & 1;
        }
    });
}

TEST(AluUniform, LoadsConstantsOfEveryWidth)
{
    alu_bench b;
    b.check_uniform(
        "ULDC UR8, c[0x0][0x14]", [&b](const warp &, warp &x) { x.ur[8] = b.c(0x14); }, 3);
    b.check_uniform(
        "ULDC.64 UR8, c[0x0][0x18]",
        [&b](const warp &, warp &x) {
            x.ur[8] = b.c(0x18);
            x.ur[9] = b.c(0x1c);
        },
        3);
    b.check_uniform(
        "ULDC.U8 UR8, c[0x0][0x16]",
        [&b](const warp &, warp &x) { x.ur[8] = b.c(0x14) >> 16 & 255; }, 3);
    b.check_uniform(
        "ULDC.S16 UR8, c[0x0][0x16]",
        [&b](const warp &, warp &x) {
            x.ur[8] = static_cast<uint32_t>(static_cast<int16_t>(b.c(0x14) >> 16));
        },
        3);
}

TEST(AluUniform, LanesReachUniformRegisters)
{
    alu_bench b;
    for (unsigned round = 0; round < 200; round++) {
        b.scramble();
        uint32_t mask = b.random_mask() | 1U << (round % 32);
        unsigned lowest = 0;
        while ((mask >> lowest & 1) == 0) {
            lowest++;
        }
        b.run("R2UR UR4, R5", mask);
        ASSERT_EQ(b.warp.ur[4], b.warp.r[5][lowest]);
        b.run("VOTEU.ANY UR5, UP1, !P2", mask);
        ASSERT_EQ(b.warp.ur[5], mask & ~b.warp.p[2]);
        ASSERT_EQ(b.warp.up[1] != 0, (mask & ~b.warp.p[2]) != 0);
        b.run("VOTEU.ALL UP3, P2", mask);
        ASSERT_EQ(b.warp.up[3] != 0, (mask & ~b.warp.p[2]) == 0);
        b.run("VOTEU.ANY UR6, UPT, PT", mask);
        ASSERT_EQ(b.warp.ur[6], mask);
    }
}

} // namespace
