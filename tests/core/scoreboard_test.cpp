// SPDX-License-Identifier: Apache-2.0
#include "models/common/smrf_rng.h"
#include "models/issue/control_bits.h"
#include "models/issue/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace
{

struct board {
    std::unique_ptr<smrf_scoreboard> own = std::make_unique<smrf_scoreboard>();
    std::vector<smrf_scoreboard_readers> readers =
        std::vector<smrf_scoreboard_readers>(SMRF_MAX_SUB_WARPS);

    smrf_scoreboard *get() const
    {
        return own.get();
    }
    smrf_scoreboard *operator->() const
    {
        return own.get();
    }
};

board fresh()
{
    board b;
    const smrf_scoreboard_params params{};
    smrf_scoreboard_init(b.get(), b.readers.data(), &params, SMRF_MAX_SUB_WARPS);
    return b;
}

bool waits(const board &s, unsigned warp, std::vector<uint8_t> regs)
{
    const smrf_reg_set set = smrf_reg_set_of(regs.data(), unsigned(regs.size()), nullptr, 0, 0);
    return smrf_scoreboard_any_waits(s.get(), warp, &set);
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
    EXPECT_TRUE(smrf_reg_set_has(s->warp[0].long_ops, 9));
    EXPECT_FALSE(smrf_reg_set_has(s->warp[0].long_ops, 10));
    smrf_scoreboard_release(s.get(), 0, 9);
    EXPECT_FALSE(smrf_reg_set_has(s->warp[0].long_ops, 9));
    smrf_scoreboard_reserve(s.get(), 0, 9, false);
    EXPECT_FALSE(smrf_reg_set_has(s->warp[0].long_ops, 9)) << "the next writer is short";
}

TEST(Scoreboard, WarIsARegisterWithReaders)
{
    board s = fresh();
    uint8_t dst[] = {5, 200};
    s->readers[0].of[200] = 2;
    EXPECT_TRUE(smrf_scoreboard_any_readers(s.get(), 0, dst, 2));
    EXPECT_FALSE(smrf_scoreboard_any_readers(s.get(), 0, dst, 1));
    EXPECT_FALSE(smrf_scoreboard_any_readers(s.get(), 1, dst, 2));
}

TEST(Scoreboard, AnyVectorRegisterCanHaveReadersRzToo)
{
    static_assert(sizeof(smrf_scoreboard_readers) >= 256, "one count a vector register");
    board s = fresh();
    uint8_t rz = 255;
    s->readers[63].of[255] = 1;
    EXPECT_TRUE(smrf_scoreboard_any_readers(s.get(), 63, &rz, 1));
}

TEST(Scoreboard, ResetForgetsOneWarpOnly)
{
    board s = fresh();
    smrf_scoreboard_reserve(s.get(), 0, 1, true);
    smrf_scoreboard_reserve(s.get(), 1, 1, true);
    const uint8_t five = 5;
    s->war = true;
    s->readers[0].of[5] = s->readers[1].of[5] = 1;
    smrf_scoreboard_reset_warp(s.get(), 0);
    EXPECT_FALSE(waits(s, 0, {1}));
    EXPECT_EQ(0u, s->warp[0].pending);
    EXPECT_TRUE(waits(s, 1, {1}));
    EXPECT_FALSE(smrf_scoreboard_any_readers(s.get(), 0, &five, 1));
    EXPECT_TRUE(smrf_scoreboard_any_readers(s.get(), 1, &five, 1));
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
                          smrf_reg_set_has(s->warp[warp].long_ops, list.back()));
            }
            ASSERT_EQ(expected, waits(s, warp, list)) << "seed " << seed;
        }
    }
}

smrf_static_inst random_inst(smrf_rng &rng)
{
    smrf_static_inst op{};
    op.op_class = uint8_t(smrf_rng_below(&rng, SMRF_CLASS_COUNT));
    op.space = uint8_t(smrf_rng_below(&rng, SMRF_SPACE_COUNT));
    op.num_src = uint8_t(smrf_rng_below(&rng, 5));
    op.num_dst = uint8_t(smrf_rng_below(&rng, 3));
    for (unsigned i = 0; i < op.num_src; i++) {
        op.src[i] = uint8_t(smrf_rng_below(&rng, 256));
    }
    for (unsigned i = 0; i < op.num_dst; i++) {
        op.dst[i] = uint8_t(smrf_rng_below(&rng, 128) + 128 * i);
    }
    op.set = smrf_reg_set_of_inst(&op, false, 0);
    return op;
}

// Sets are looked at whole; here their registers are gone through one by one.
unsigned hazards_one_by_one(const board &s, unsigned k, const smrf_static_inst &op)
{
    unsigned hazards = 0;
    for (unsigned i = 0; i < op.num_src; i++) {
        hazards |= smrf_scoreboard_waits(s.get(), k, op.src[i]) ? SMRF_HAZARD_DATA : 0;
        hazards |= smrf_reg_set_has(s->warp[k].long_ops, op.src[i]) ? SMRF_HAZARD_LONG : 0;
    }
    for (unsigned i = 0; i < op.num_dst; i++) {
        hazards |= smrf_scoreboard_waits(s.get(), k, op.dst[i]) ? SMRF_HAZARD_DATA : 0;
        hazards |= s->war && s->readers[k].of[op.dst[i]] ? SMRF_HAZARD_WAR : 0;
    }
    return hazards;
}

TEST(Scoreboard, SetsAndListsOfAnInstructionSayTheSame)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 3, 1);
    board s = fresh();
    int held[8] = {};
    for (int n = 0; n < 20000; n++) {
        const unsigned reg = smrf_rng_below(&rng, 256);
        s->war = smrf_rng_below(&rng, 2);
        s->readers[1].of[smrf_rng_below(&rng, 256)] ^= 1;
        if (smrf_scoreboard_waits(s.get(), 1, reg)) {
            smrf_scoreboard_release(s.get(), 1, reg);
        } else if (s->warp[1].pending < 60) {
            smrf_scoreboard_reserve(s.get(), 1, reg, smrf_rng_below(&rng, 2));
        }
        const smrf_static_inst op = random_inst(rng);
        const unsigned hazards = smrf_scoreboard_check(s.get(), 1, &op, &op.set);
        ASSERT_EQ(hazards, hazards_one_by_one(s, 1, op));
        const smrf_operands lists = smrf_operands_of(&op, false);
        ASSERT_EQ(hazards, smrf_scoreboard_ops.check(s.get(), 1, &lists, 0, nullptr));
        held[hazards]++;
    }
    for (const unsigned hazards : {0u, 1u, 2u, 3u, 5u, 7u}) {
        EXPECT_GT(held[hazards], 200) << hazards;
    }
}

// What its class alone asks for; uniform registers and copies ask for more.
TEST(Scoreboard, AnInstructionNeedsWhatItsClassSays)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 9, 3);
    for (int n = 0; n < 2000; n++) {
        smrf_static_inst op = random_inst(rng);
        op.flags = smrf_rng_below(&rng, 4) ? 0 : SMRF_INST_COPIES_CLOSE;
        op.num_usrc = uint8_t(smrf_rng_below(&rng, 2));
        op.num_udst = uint8_t(smrf_rng_below(&rng, 2));
        const smrf_reg_set set = smrf_reg_set_of_inst(&op, false, 0);
        const unsigned c = op.op_class;
        const bool load = c == SMRF_CLASS_LOAD, membar = c == SMRF_CLASS_MEMBAR;
        EXPECT_EQ(c == SMRF_CLASS_TEX || (load && op.space != SMRF_SPACE_SHARED),
                  (set.needs & SMRF_NEED_LONG) != 0);
        EXPECT_EQ(load || membar || c == SMRF_CLASS_STORE || c == SMRF_CLASS_ATOMIC,
                  (set.needs & SMRF_NEED_MEMORY) != 0);
        EXPECT_EQ(membar || c == SMRF_CLASS_BARRIER || op.flags,
                  (set.needs & SMRF_NEED_FENCE) != 0);
        EXPECT_EQ(op.num_usrc || op.num_udst, (set.needs & SMRF_NEED_UNIFORM) != 0);
        EXPECT_EQ(op.num_udst || op.flags, (set.needs & SMRF_NEED_END) != 0);
        const unsigned about =
            SMRF_NEED_LONG | SMRF_NEED_MEMORY | SMRF_NEED_FENCE | SMRF_NEED_UNIFORM;
        EXPECT_TRUE(set.needs & SMRF_NEED_ISSUE || !(set.needs & about));
        EXPECT_EQ(set.num_src, set.num_read);
        EXPECT_EQ((1u << op.num_dst) - 1, set.dst_left);
        EXPECT_EQ(0u, set.no_carries);
    }
}

// The destinations of an instruction are reserved at a stroke; a release concerns who names its
// register.
TEST(Scoreboard, AnInstructionReservesEveryDestination)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 4, 1);
    board whole = fresh(), single = fresh(), table = fresh();
    for (int n = 0; n < 5000; n++) {
        const smrf_static_inst op = random_inst(rng);
        const bool long_op = op.op_class == SMRF_CLASS_TEX ||
                             (op.op_class == SMRF_CLASS_LOAD && op.space != SMRF_SPACE_SHARED);
        smrf_flight f{};
        f.op = &op;
        f.needs = op.set.needs;
        f.num_dst = op.num_dst;
        std::copy(op.dst, op.dst + op.num_dst, f.dst_reg);
        smrf_scoreboard_issued(whole.get(), 2, &f, &op.set);
        smrf_scoreboard_ops.issued(table.get(), 2, &f, 0);
        for (unsigned i = 0; i < op.num_dst; i++) {
            smrf_scoreboard_reserve(single.get(), 2, op.dst[i], long_op);
        }
        for (const board *other : {&single, &table}) {
            ASSERT_EQ(0, memcmp(&whole->warp[2], &(*other)->warp[2], sizeof whole->warp[2])) << n;
        }
        const unsigned reg = smrf_rng_below(&rng, 256);
        const bool named = std::count(op.src, op.src + op.num_src, reg) ||
                           std::count(op.dst, op.dst + op.num_dst, reg);
        ASSERT_EQ(named, smrf_scoreboard_concerns(&op.set, reg));
        ASSERT_TRUE(smrf_scoreboard_concerns(&op.set, SMRF_DEPEND_UNIFORM + n % 63));
        if (n % 3 == 0) { // it ends
            for (unsigned i = 0; i < op.num_dst; i++) {
                EXPECT_TRUE(smrf_scoreboard_released(whole.get(), 2, op.dst[i]));
                EXPECT_TRUE(smrf_scoreboard_ops.released(table.get(), 2, &f, op.dst[i]));
                smrf_scoreboard_release(single.get(), 2, op.dst[i]);
            }
        }
        if (n % 8 == 7) {
            for (const board *b : {&whole, &single, &table}) {
                smrf_scoreboard_reset_warp(b->get(), 2);
            }
        }
    }
}

} // namespace

// Control bits of compiled code come with these distances: no reader is early at them.
TEST(ControlBits, MovesAndVotesOfTheUniformDatapathAreReadSoonerThanItsOthers)
{
    smrf_static_inst op{};
    op.op_class = SMRF_CLASS_UNIFORM;
    op.num_usrc = 1;
    EXPECT_EQ(SMRF_KIND_UNIFORM, smrf_control_kind(&op));
    op.pipe = SMRF_PIPE_MOVE;
    EXPECT_EQ(SMRF_KIND_UNIFORM_MOVE, smrf_control_kind(&op));
    op.pipe = SMRF_PIPE_VOTE;
    EXPECT_EQ(SMRF_KIND_UNIFORM_VOTE, smrf_control_kind(&op));
    for (smrf_latencies latencies : {SMRF_LATENCIES_TURING, SMRF_LATENCIES_AMPERE}) {
        EXPECT_EQ(4u, smrf_control_latency(latencies, SMRF_KIND_UNIFORM, SMRF_KIND_UNIFORM));
        EXPECT_EQ(2u, smrf_control_latency(latencies, SMRF_KIND_UNIFORM_MOVE, SMRF_KIND_UNIFORM));
        EXPECT_EQ(1u, smrf_control_latency(latencies, SMRF_KIND_UNIFORM_VOTE, SMRF_KIND_ALU));
        EXPECT_EQ(1u, smrf_control_latency(latencies, SMRF_KIND_UNIFORM_VOTE, SMRF_KIND_GUARD));
    }
}
