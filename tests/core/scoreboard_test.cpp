// SPDX-License-Identifier: Apache-2.0
#include "models/common/smrf_rng.h"
#include "models/issue/scoreboard.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace
{

using board = std::unique_ptr<smrf_scoreboard>;

board fresh()
{
    return std::make_unique<smrf_scoreboard>();
}

bool waits(const board &s, unsigned warp, std::vector<uint8_t> regs)
{
    return smrf_scoreboard_any_waits(s.get(), warp, regs.data(), unsigned(regs.size()));
}

TEST(Scoreboard, AReservedRegisterWaitsUntilItsRelease)
{
    board s = fresh();
    for (unsigned reg = 0; reg < SMRF_SB_REGS; reg++) {
        EXPECT_FALSE(smrf_scoreboard_waits(s.get(), 3, reg));
        smrf_scoreboard_reserve(s.get(), 3, reg, false);
        EXPECT_TRUE(smrf_scoreboard_waits(s.get(), 3, reg)) << reg;
        EXPECT_FALSE(smrf_scoreboard_waits(s.get(), 4, reg)) << "other warps do not";
        smrf_scoreboard_release(s.get(), 3, reg);
        EXPECT_FALSE(smrf_scoreboard_waits(s.get(), 3, reg)) << reg;
    }
}

TEST(Scoreboard, RawAndWawAreAReservedRegisterInAList)
{
    board s = fresh();
    smrf_scoreboard_reserve(s.get(), 0, 7, false);
    EXPECT_TRUE(waits(s, 0, {1, 2, 7})) << "as a source: RAW; as a destination: WAW";
    EXPECT_FALSE(waits(s, 0, {1, 2, 8}));
    EXPECT_FALSE(waits(s, 0, {}));
    EXPECT_FALSE(waits(s, 1, {7}));
}

TEST(Scoreboard, UniformRegistersAreApartFromVectorRegisters)
{
    board s = fresh();
    smrf_scoreboard_reserve(s.get(), 0, SMRF_DEPEND_UNIFORM + 4, false);
    EXPECT_FALSE(waits(s, 0, {4}));
    EXPECT_TRUE(smrf_scoreboard_waits(s.get(), 0, SMRF_DEPEND_UNIFORM + 4));
}

TEST(Scoreboard, LongOperationsAreMarkedWhileTheyLast)
{
    board s = fresh();
    smrf_scoreboard_reserve(s.get(), 0, 9, true);
    smrf_scoreboard_reserve(s.get(), 0, 10, false);
    EXPECT_TRUE(smrf_scoreboard_bit(s->warp[0].long_ops, 9));
    EXPECT_FALSE(smrf_scoreboard_bit(s->warp[0].long_ops, 10));
    smrf_scoreboard_release(s.get(), 0, 9);
    EXPECT_FALSE(smrf_scoreboard_bit(s->warp[0].long_ops, 9));
    smrf_scoreboard_reserve(s.get(), 0, 9, false);
    EXPECT_FALSE(smrf_scoreboard_bit(s->warp[0].long_ops, 9)) << "the next writer is short";
}

TEST(Scoreboard, WarIsARegisterWithReaders)
{
    board s = fresh();
    uint8_t dst[] = {5, 200};
    s->warp[0].readers[200] = 2;
    EXPECT_TRUE(smrf_scoreboard_any_readers(s.get(), 0, dst, 2));
    EXPECT_FALSE(smrf_scoreboard_any_readers(s.get(), 0, dst, 1));
    EXPECT_FALSE(smrf_scoreboard_any_readers(s.get(), 1, dst, 2));
}

TEST(Scoreboard, AnyVectorRegisterCanHaveReadersRzToo)
{
    static_assert(sizeof(smrf_scoreboard_warp::readers) >= 256, "one count a vector register");
    board s = fresh();
    uint8_t rz = 255;
    s->warp[63].readers[255] = 1;
    EXPECT_TRUE(smrf_scoreboard_any_readers(s.get(), 63, &rz, 1));
}

TEST(Scoreboard, ResetForgetsOneWarpOnly)
{
    board s = fresh();
    smrf_scoreboard_reserve(s.get(), 0, 1, true);
    smrf_scoreboard_reserve(s.get(), 1, 1, true);
    smrf_scoreboard_reset_warp(s.get(), 0);
    EXPECT_FALSE(waits(s, 0, {1}));
    EXPECT_EQ(0u, s->warp[0].pending);
    EXPECT_TRUE(waits(s, 1, {1}));
}

TEST(Scoreboard, AgreesWithSetsOnRandomTraffic)
{
    for (uint32_t seed = 0; seed < 100; seed++) {
        smrf_rng rng;
        smrf_rng_seed(&rng, seed, 7);
        board s = fresh();
        std::vector<std::set<unsigned>> writes(SMRF_MAX_WARPS), longs(SMRF_MAX_WARPS);
        for (int n = 0; n < 3000; n++) {
            unsigned warp = smrf_rng_below(&rng, 2) ? 0 : smrf_rng_below(&rng, SMRF_MAX_WARPS);
            unsigned reg = smrf_rng_below(&rng, SMRF_SB_REGS);
            if (writes[warp].count(reg)) {
                smrf_scoreboard_release(s.get(), warp, reg);
                writes[warp].erase(reg);
                longs[warp].erase(reg);
            } else {
                bool long_op = smrf_rng_below(&rng, 2);
                smrf_scoreboard_reserve(s.get(), warp, reg, long_op);
                writes[warp].insert(reg);
                if (long_op) {
                    longs[warp].insert(reg);
                }
            }
            ASSERT_EQ(writes[warp].size(), s->warp[warp].pending);
            std::vector<uint8_t> list;
            bool expected = false;
            for (int i = 0; i < 5; i++) {
                list.push_back(uint8_t(smrf_rng_below(&rng, 256)));
                expected |= writes[warp].count(list.back()) != 0;
                ASSERT_EQ(longs[warp].count(list.back()) != 0,
                          smrf_scoreboard_bit(s->warp[warp].long_ops, list.back()));
            }
            ASSERT_EQ(expected, waits(s, warp, list)) << "seed " << seed;
        }
    }
}

// The trace reader tells sets; without them the lists are gone through.
TEST(Scoreboard, SetsAndListsOfAnInstructionSayTheSame)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 3, 1);
    board s = fresh();
    int held = 0;
    for (int n = 0; n < 20000; n++) {
        const unsigned reg = smrf_rng_below(&rng, 256);
        if (smrf_scoreboard_waits(s.get(), 1, reg)) {
            smrf_scoreboard_release(s.get(), 1, reg);
        } else if (s->warp[1].pending < 60) {
            smrf_scoreboard_reserve(s.get(), 1, reg, smrf_rng_below(&rng, 2));
        }
        smrf_static_inst op{};
        op.num_src = uint8_t(smrf_rng_below(&rng, 5));
        op.num_dst = uint8_t(smrf_rng_below(&rng, 3));
        op.set.told = true;
        for (unsigned i = 0; i < unsigned(op.num_src + op.num_dst); i++) {
            const unsigned r = smrf_rng_below(&rng, 256);
            (i < op.num_src ? op.src[i] : op.dst[i - op.num_src]) = uint8_t(r);
            op.set.named[r / 64] |= uint64_t(1) << r % 64;
        }
        const smrf_operands with = smrf_operands_of(&op, false);
        smrf_operands without = with;
        without.set = nullptr;
        ASSERT_TRUE(with.set);
        const unsigned hazards = smrf_scoreboard_check(s.get(), 1, &with);
        ASSERT_EQ(hazards, smrf_scoreboard_check(s.get(), 1, &without));
        held += hazards != 0;
    }
    EXPECT_GT(held, 2000);
    EXPECT_LT(held, 18000);
}

} // namespace
