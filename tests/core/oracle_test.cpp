// SPDX-License-Identifier: Apache-2.0
// The value oracle knows what every write computed and what every operand must be.
#include "tests/support/oracle_dut.h"

#include <gtest/gtest.h>

namespace
{

using namespace smrf_test;

TEST(Oracle, AReadAfterItsWriteIsRight)
{
    oracle_dut d;
    written_row r5;
    d.write(d.issue(0, {5}, {}), &r5);
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), r5));
    EXPECT_EQ(1u, d.o->stats.oracle_checked);
    EXPECT_EQ(0u, d.o->stats.oracle_violations);
}

TEST(Oracle, WhatAWarpNeverWroteIsNotCompared)
{
    oracle_dut d;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), written_row{}));
    EXPECT_EQ(0u, d.o->stats.oracle_checked);
}

TEST(Oracle, AWriteWritesWhatItsInstructionComputedWhateverTheRegisterBecameMeanwhile)
{
    oracle_dut d;
    written_row old_place, new_place;
    uint32_t slow = d.issue(0, {5}, {}); // a load, say, on its way
    row computed = d.result(slow);
    uint32_t fast = d.issue(0, {5}, {}); // the same name for another value, elsewhere
    d.write(fast, &new_place);
    d.write(slow, &old_place);
    EXPECT_EQ(computed, old_place.value) << "not corrected";
    EXPECT_NE(new_place.value, old_place.value);
    uint32_t reader = d.issue(0, {}, {5});
    EXPECT_TRUE(d.read(reader, new_place));
    EXPECT_FALSE(d.read(reader, old_place));
}

TEST(Oracle, AWriteWithoutLanesLeavesTheValuesAndNoVersionToExpect)
{
    oracle_dut d;
    written_row place;
    d.write(d.issue(0, {5}, {}), &place);
    d.issue(0, {5}, {}, 0);
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), place));
    place.value[3] ^= 1;
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}), place));
}

// The older of two writes of different lanes ends last: the row has its version, and both values.
TEST(Oracle, LanesThatEndInAnyOrderAreComparedByTheirValues)
{
    for (const bool apart : {false, true}) {
        oracle_dut d;
        written_row place;
        d.o->cfg.apart = apart;
        const uint32_t slow = d.issue(0, {5}, {}, 0xff), fast = d.issue(0, {5}, {}, ~0xffu);
        d.write(fast, &place);
        d.write(slow, &place);
        EXPECT_EQ(apart, d.read(d.issue(0, {}, {5}), place));
        place.value[20] ^= 1;
        EXPECT_FALSE(d.read(d.issue(0, {}, {5}), place));
    }
}

TEST(Oracle, TheSameOfValuesOfTheTrace)
{
    oracle_dut d;
    written_row place;
    smrf_values first = traced(1000), second = traced(2000);
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    uint32_t slow = d.issue(0, {5}, {}, UINT32_MAX, &first);
    uint32_t fast = d.issue(0, {5}, {}, UINT32_MAX, &second);
    d.write(slow, &place);
    EXPECT_EQ(1007u, place.value[7]);
    d.write(fast, &place);
    EXPECT_EQ(2007u, place.value[7]);
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), place));
}

TEST(Oracle, NoTwoWritesLookAlike)
{
    oracle_dut d;
    std::vector<row> seen;
    for (unsigned warp = 0; warp < 4; warp++) {
        for (unsigned n = 0; n < 8; n++) {
            uint32_t f = d.issue(warp, {1, 2, 255}, {});
            for (unsigned i = 0; i < 3; i++) {
                seen.push_back(d.result(f, i));
            }
        }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen.end(), std::adjacent_find(seen.begin(), seen.end()));
}

TEST(Oracle, LanesOfSeveralWritesAreComparedEachWithItsOwn)
{
    for (bool values : {false, true}) {
        oracle_dut d;
        written_row r5;
        smrf_values v[2] = {traced(100), traced(900)};
        smrf_oracle_kernel(d.o, values);
        smrf_oracle_start(d.o, 0, 0, 0);
        d.write(d.issue(0, {5}, {}, UINT32_MAX, values ? &v[0] : nullptr), &r5);
        d.write(d.issue(0, {5}, {}, 0xff00, values ? &v[1] : nullptr), &r5);
        uint32_t reader = d.issue(0, {}, {5});
        EXPECT_TRUE(d.read(reader, r5));
        for (unsigned lane : {0u, 9u, 31u}) {
            written_row wrong = r5;
            wrong.value[lane] ^= 1;
            EXPECT_FALSE(d.read(reader, wrong)) << lane;
        }
    }
}

TEST(Oracle, LanesThatNobodyWroteAndLanesThatDoNotExecuteAreNotCompared)
{
    oracle_dut d;
    written_row r5;
    d.write(d.issue(0, {5}, {}, 0x00ff), &r5);
    written_row other = r5;
    other.value[8] ^= 1;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), other));
    other.value[7] ^= 1;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}, 0x7f), other));
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}, 0x80), other));
}

TEST(Oracle, TheValueOfAnEarlierWarpInTheSlotIsNotThatOfTheNext)
{
    oracle_dut d;
    written_row r5;
    d.write(d.issue(0, {5}, {}), &r5);
    smrf_oracle_start(d.o, 0, 0, 0);
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), r5)) << "the new warp has not written it";
    d.issue(0, {5}, {});
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}), r5));
}

TEST(Oracle, LanesThatAnEarlierWarpWroteAreNotThoseOfTheNext)
{
    oracle_dut d;
    written_row r5;
    d.write(d.issue(0, {5}, {}, 0xffff), &r5);
    smrf_oracle_called(d.o, 0, UINT32_MAX);
    smrf_oracle_start(d.o, 0, 0, 0);
    EXPECT_EQ(0u, d.o->calls[0].depth);
    d.write(d.issue(0, {5}, {}, 0x000f), &r5);
    r5.value[8] ^= 1;
    EXPECT_TRUE(d.read(d.issue(0, {}, {5}), r5));
    r5.value[3] ^= 1;
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}), r5));
}

TEST(Oracle, OnlyAYoungerWriteOfTheSameRegisterCanOvertakeARead)
{
    oracle_dut d(false);
    written_row r5, r6, none;
    d.write(d.issue(0, {5}, {}), &r5);
    uint32_t reader = d.issue(0, {}, {5});
    d.write(d.issue(0, {5}, {}), &r5);
    d.write(d.issue(0, {6}, {}), &r6);
    EXPECT_TRUE(d.read(reader, r5));
    EXPECT_EQ(1u, d.o->stats.oracle_overtaken);
    EXPECT_FALSE(d.read(reader, r6)) << "a younger write, but of another register";
    EXPECT_FALSE(d.read(reader, none));

    oracle_dut checked(true);
    checked.write(checked.issue(0, {5}, {}), &r5);
    reader = checked.issue(0, {}, {5});
    checked.write(checked.issue(0, {5}, {}), &r5);
    EXPECT_FALSE(checked.read(reader, r5)) << "the scoreboard rules it out";
}

// Dependences order the instructions of each lane, not those of lanes that have diverged.
TEST(Oracle, AYoungerWriteOfOtherLanesMayComeBeforeARead)
{
    for (uint32_t first : {UINT32_MAX, 0x00ffu}) {
        for (unsigned writes : {1u, 4u}) {
            oracle_dut d;
            written_row r5;
            d.write(d.issue(0, {5}, {}, first), &r5);
            const uint32_t reader = d.issue(0, {}, {5}, 0x00ff);
            for (unsigned i = 0; i < writes; i++) {
                d.write(d.issue(0, {5}, {}, 0xff00), &r5);
            }
            EXPECT_TRUE(d.read(reader, r5));
            written_row wrong = r5;
            wrong.value[3] ^= 1;
            EXPECT_FALSE(d.read(reader, wrong)) << "the lanes are compared";
            const uint32_t other = d.issue(0, {}, {5}, 0xff00);
            d.write(d.issue(0, {5}, {}, 0x0100), &r5);
            EXPECT_FALSE(d.read(other, r5)) << "a lane that it reads has been written";
            const uint32_t stale = d.issue(0, {}, {5}, 0x00ff);
            wrong = r5;
            wrong.version--;
            EXPECT_FALSE(d.read(stale, wrong)) << "an older version";
        }
    }
}

// A read that is under way when its lanes exit must still be right.
TEST(Oracle, AYoungerWriteOfOtherLanesMayComeBeforeAReadOfLanesThatHaveExited)
{
    oracle_dut d;
    written_row r5;
    d.write(d.issue(0, {5}, {}, 0x00ff), &r5);
    const uint32_t reader = d.issue(0, {}, {5}, 0x00ff);
    smrf_oracle_exited(d.o, 0, 0x00ff);
    d.write(d.issue(0, {5}, {}, 0xff00), &r5);
    EXPECT_TRUE(d.read(reader, r5));
    smrf_oracle_exited(d.o, 0, 0xff00); // no lane has the register any more
    EXPECT_TRUE(d.read(reader, r5));
    r5.value[3] ^= 1;
    EXPECT_FALSE(d.read(reader, r5));
}

TEST(Oracle, TheTraceIsComparedWithItsOwnWrites)
{
    oracle_dut d;
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    smrf_values w = traced(100), right = traced(0, 100), wrong = traced(0, 101);
    d.issue(0, {5}, {}, UINT32_MAX, &w);
    d.issue(0, {6}, {5}, UINT32_MAX, &right);
    EXPECT_EQ(0u, d.o->stats.oracle_trace_mismatches);
    d.issue(0, {7}, {5}, UINT32_MAX, &wrong);
    EXPECT_EQ(1u, d.o->stats.oracle_trace_mismatches);
    EXPECT_EQ(2u, d.o->stats.oracle_trace_values);
    d.issue(0, {5}, {}); // a line without values: what it wrote is not known
    d.issue(0, {7}, {5}, UINT32_MAX, &wrong);
    EXPECT_EQ(1u, d.o->stats.oracle_trace_mismatches);
}

TEST(Oracle, WhereFlightsNameAPartOfTheDestinationsEachGetsItsOwnValue)
{
    oracle_dut d(true, true, false);
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    smrf_values v{};
    v.num_dst = 2;
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        v.dst[0][l] = 10;
        v.dst[1][l] = 20;
    }
    smrf_static_inst op{};
    op.num_dst = 2;
    op.dst[0] = 4;
    op.dst[1] = 5;
    smrf_inst inst{};
    inst.op = &op;
    inst.mask = UINT32_MAX;
    inst.values = &v;
    smrf_flight &f = d.flight[15];
    f.op = &op;
    f.version = 77;
    f.mask = UINT32_MAX;
    f.num_dst = 1;
    f.dst_reg[0] = 5;
    smrf_oracle_issued(d.o, 15, &f, &inst);
    EXPECT_EQ(20u, d.result(15)[0]);
}

TEST(Oracle, ACopyThatDiffersFromItsBankIsCounted)
{
    oracle_dut d;
    row copy{}, bank{};
    uint32_t f = d.issue(3, {9}, {});
    EXPECT_EQ(nullptr, smrf_oracle_copy(d.o, &d.flight[f], 0, copy.data(), bank.data()));
    bank[31] = 7;
    const smrf_finding *w = smrf_oracle_copy(d.o, &d.flight[f], 0, copy.data(), bank.data());
    ASSERT_NE(nullptr, w);
    EXPECT_EQ(1u, d.o->stats.oracle_stale_copies);
    EXPECT_EQ(SMRF_FINDING_COPY, w->kind);
    EXPECT_EQ(9u, w->reg);
    EXPECT_EQ(3u, w->warp);
    EXPECT_EQ(31u, w->lane);
    EXPECT_EQ(UINT32_C(1) << 31, w->lanes);
    EXPECT_EQ(d.flight[f].version, w->expected.version);
    EXPECT_EQ(7u, w->expected.value);
    EXPECT_EQ(0u, w->found.version) << "of a copy only the value is known";
    EXPECT_EQ(0u, w->found.value);
    EXPECT_TRUE(w->cached);
}

TEST(Oracle, AFindingNamesThePlaceAndBothSides)
{
    oracle_dut d;
    written_row r5;
    smrf_oracle_kernel(d.o, false); // the second launch
    smrf_oracle_start(d.o, 2, 4711, 6);
    uint32_t writer = d.issue(2, {5}, {});
    d.write(writer, &r5);
    uint32_t reader = d.issue(2, {}, {5}, 0x7fffffff);
    const uint32_t right = r5.value[17];
    r5.value[17] ^= 0x100;
    r5.value[31] ^= 0x100; // a lane that does not execute
    ASSERT_FALSE(d.read(reader, r5));
    EXPECT_EQ(SMRF_FINDING_OPERAND, d.wrong->kind);
    EXPECT_EQ(2u, d.wrong->launch);
    EXPECT_EQ(4711u, d.wrong->block);
    EXPECT_EQ(6u, d.wrong->block_warp);
    EXPECT_EQ(2u, d.wrong->warp);
    EXPECT_EQ(17u, d.wrong->lane);
    EXPECT_EQ(UINT32_C(1) << 17, d.wrong->lanes);
    EXPECT_EQ(5u, d.wrong->reg);
    EXPECT_EQ(d.flight[reader].op->pc, d.wrong->pc);
    EXPECT_EQ(d.flight[writer].version, d.wrong->expected.version);
    EXPECT_EQ(d.flight[writer].version, d.wrong->found.version);
    EXPECT_TRUE(d.wrong->expected.known);
    EXPECT_EQ(right, d.wrong->expected.value);
    EXPECT_EQ(right ^ 0x100, d.wrong->found.value);
}

TEST(Oracle, AStaleVersionIsNamedEvenWhereTheValuesAreEqual)
{
    oracle_dut d;
    written_row r5;
    smrf_values same = traced(100);
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 0, 0, 0);
    d.write(d.issue(0, {5}, {}, UINT32_MAX, &same), &r5);
    uint32_t newer = d.issue(0, {5}, {}, UINT32_MAX, &same);
    ASSERT_FALSE(d.read(d.issue(0, {}, {5}, 0xff00), r5));
    EXPECT_EQ(0u, d.wrong->lanes);
    EXPECT_EQ(8u, d.wrong->lane) << "the first that executes";
    EXPECT_EQ(d.flight[newer].version, d.wrong->expected.version);
    EXPECT_EQ(r5.version, d.wrong->found.version);
    EXPECT_EQ(108u, d.wrong->expected.value);
    EXPECT_EQ(108u, d.wrong->found.value);
}

TEST(Oracle, AContradictionOfTheTraceIsNamedToo)
{
    oracle_dut d;
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_start(d.o, 1, 3, 1);
    smrf_values w = traced(100), wrong = traced(0, 200);
    uint32_t writer = d.issue(1, {5}, {}, UINT32_MAX, &w);
    uint32_t reader = d.issue(1, {6}, {5}, 0xf0, &wrong);
    ASSERT_EQ(1u, d.o->trace.count);
    EXPECT_EQ(0u, d.o->model.count) << "no fault of the model";
    const smrf_finding &f = d.o->trace.first[0];
    EXPECT_EQ(SMRF_FINDING_TRACE, f.kind);
    EXPECT_EQ(5u, f.reg);
    EXPECT_EQ(4u, f.lane);
    EXPECT_EQ(0xf0u, f.lanes);
    EXPECT_EQ(d.flight[reader].op->pc, f.pc);
    EXPECT_EQ(d.flight[writer].version, f.expected.version);
    EXPECT_EQ(104u, f.expected.value);
    EXPECT_EQ(204u, f.found.value);
}

TEST(Oracle, TheFirstTenFindingsAreKeptAndAllAreCounted)
{
    oracle_dut d;
    written_row never;
    for (unsigned n = 0; n < 25; n++) {
        d.issue(0, {uint8_t(n)}, {});
        EXPECT_FALSE(d.read(d.issue(0, {}, {uint8_t(n)}), never));
    }
    EXPECT_EQ(25u, d.o->stats.oracle_violations);
    ASSERT_EQ(unsigned(SMRF_ORACLE_FINDINGS), d.o->model.count);
    for (unsigned n = 0; n < SMRF_ORACLE_FINDINGS; n++) {
        EXPECT_EQ(n, d.o->model.first[n].reg);
    }
}

TEST(Oracle, WhereNothingIsSharedTwoLoadsOfAnAddressAreToldApart)
{
    oracle_dut d;
    smrf_inst load{};
    load.addr_kind = SMRF_ADDR_STRIDE;
    load.base = 0x8000;
    uint32_t first = d.issue(0, {4}, {}, UINT32_MAX, nullptr, &load);
    uint32_t second = d.issue(0, {4}, {}, UINT32_MAX, nullptr, &load);
    EXPECT_NE(d.result(first), d.result(second));
}

TEST(Oracle, ResetForgetsEverything)
{
    oracle_dut d;
    d.issue(0, {5}, {});
    EXPECT_FALSE(d.read(d.issue(0, {}, {5}), written_row{}));
    smrf_oracle_kernel(d.o, true);
    smrf_oracle_reset(d.o);
    EXPECT_EQ(0u, d.o->stats.oracle_checked);
    EXPECT_EQ(0u, d.o->stats.oracle_violations);
    EXPECT_EQ(0u, d.o->model.count);
    EXPECT_EQ(0u, d.o->launch);
    EXPECT_FALSE(d.o->values);
}

TEST(Oracle, WithoutChecksKernelsWithValuesAreStillFollowed)
{
    oracle_dut d(true, false);
    EXPECT_FALSE(d.o->active);
    smrf_oracle_kernel(d.o, true);
    EXPECT_TRUE(d.o->active);
    smrf_oracle_kernel(d.o, false);
    EXPECT_FALSE(d.o->active);
}

TEST(Oracle, RefusesImpossibleSizes)
{
    smrf_oracle o;
    for (uint32_t warps : {0u, SMRF_MAX_WARPS + 1u}) {
        const smrf_oracle_config cfg = {true, true, false, false, true, false, warps, 16};
        EXPECT_EQ(SMRF_ERR_INVAL, smrf_oracle_init(&o, &cfg));
    }
    const smrf_oracle_config none = {true, true, false, false, true, false, 1, 0};
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_oracle_init(&o, &none));
}

} // namespace
