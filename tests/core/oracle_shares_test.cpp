// SPDX-License-Identifier: Apache-2.0
// The value oracle where warps share the registers of equal loads, and stores that race with them.
#include "tests/support/oracle_dut.h"

#include <gtest/gtest.h>

namespace
{

using namespace smrf_test;

class sharing : public testing::Test
{
  protected:
    sharing() : d(true, true, true, true) {}
    uint32_t load(unsigned warp, uint8_t reg, uint64_t base, uint32_t mask = UINT32_MAX)
    {
        smrf_inst inst{};
        inst.addr_kind = SMRF_ADDR_STRIDE;
        inst.base = base;
        inst.stride = 4;
        return d.issue(warp, {reg}, {}, mask, nullptr, &inst);
    }
    oracle_dut d;
    written_row r4; // of warp 0, which loaded it
};

TEST_F(sharing, ARegisterThatHoldsTheSameBytesIsRightForBothWarps)
{
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000);
    d.write(first, &r4);
    EXPECT_EQ(nullptr, smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version,
                                          r4.value.data()));
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}), r4));
    EXPECT_TRUE(d.read(d.issue(0, {}, {4}), r4));
}

TEST_F(sharing, EveryRegisterOfAWideLoadHasItsOwnBytes)
{
    smrf_inst wide{};
    wide.addr_kind = SMRF_ADDR_STRIDE;
    wide.base = 0x8000;
    wide.stride = 8;
    smrf_inst high = wide;
    high.base += 4;
    uint32_t both = d.issue(0, {4, 5}, {}, UINT32_MAX, nullptr, &wide);
    uint32_t upper = d.issue(1, {9}, {}, UINT32_MAX, nullptr, &high);
    EXPECT_NE(d.result(both, 0), d.result(both, 1));
    EXPECT_EQ(d.result(upper), d.result(both, 1));
}

TEST_F(sharing, LoadsOfOtherWidthsMakeOtherValues)
{
    uint32_t word = load(0, 4, 0x8000);
    d.access_bytes = 1;
    EXPECT_NE(d.result(word), d.result(load(1, 9, 0x8000)));
}

TEST_F(sharing, WhatAYoungerWriteHasTakenIsNotGivenBack)
{
    written_row newer;
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000);
    d.write(first, &r4);
    d.write(d.issue(1, {9}, {}), &newer);
    smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version, r4.value.data());
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}), newer));
}

TEST_F(sharing, WhatNobodyToldIsAnAlias)
{
    uint32_t first = load(0, 4, 0x8000);
    load(1, 9, 0x8000);
    d.write(first, &r4);
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), r4)) << "the load's own result was expected";
}

TEST_F(sharing, OtherBytesAreFoundAtOnce)
{
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8004);
    d.write(first, &r4);
    const smrf_finding *f =
        smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version, r4.value.data());
    ASSERT_NE(nullptr, f);
    EXPECT_EQ(SMRF_FINDING_SHARE, f->kind);
    EXPECT_EQ(1u, f->warp);
    EXPECT_EQ(9u, f->reg);
    EXPECT_EQ(UINT32_MAX, f->lanes);
    EXPECT_EQ(d.flight[second].version, f->expected.version);
    EXPECT_EQ(r4.version, f->found.version);
    EXPECT_EQ(1u, d.o->stats.oracle_wrong_shares);
}

TEST_F(sharing, ShiftedByALaneTwoRegistersMakeAThird)
{
    written_row other, merged;
    d.write(load(0, 4, 0x8000), &r4);
    d.write(load(0, 5, 0x8080), &other);
    uint32_t third = load(1, 9, 0x8004);
    for (unsigned l = 0; l < SMRF_LANES; l++) {
        merged.value[l] = l < 31 ? r4.value[l + 1] : other.value[0];
    }
    merged.version = d.flight[third].version; // written as the load's own result
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}), merged));
    std::swap(merged.value[0], merged.value[1]);
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), merged));
}

TEST_F(sharing, AWriteInPlaceWhileAnotherWarpSharesIsFound)
{
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000);
    d.write(first, &r4);
    smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version, r4.value.data());
    d.write(d.issue(0, {4}, {}), &r4); // should have gone elsewhere
    EXPECT_TRUE(d.read(d.issue(0, {}, {4}), r4));
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), r4));
}

TEST_F(sharing, LanesOutsideTheLoadKeepWhatTheWarpHadInThem)
{
    written_row own;
    d.write(d.issue(1, {9}, {}), &own);
    uint32_t first = load(0, 4, 0x8000), second = load(1, 9, 0x8000, 0xffff);
    d.write(first, &r4);
    EXPECT_EQ(nullptr, smrf_oracle_shared(d.o, second, &d.flight[second], nullptr, 0, r4.version,
                                          r4.value.data()));
    EXPECT_TRUE(d.read(d.issue(1, {}, {9}, 0xffff), r4));
    EXPECT_FALSE(d.read(d.issue(1, {}, {9}), r4)) << "lanes 16 to 31 were not dead";
}

// A mechanism that logs stores, and a trace with values: two SMs, whose warps load the same 128
// bytes.
class racing : public testing::Test
{
  protected:
    static constexpr uint64_t DATA = 0x8000;
    racing()
    {
        for (oracle_dut *d : {&a, &b}) {
            smrf_oracle_kernel(d->o, true);
        }
    }
    static smrf_inst row(uint64_t base)
    {
        smrf_inst inst{};
        inst.addr_kind = SMRF_ADDR_STRIDE;
        inst.base = base;
        inst.stride = 4;
        inst.mask = UINT32_MAX;
        return inst;
    }
    static void store(oracle_dut &d, uint64_t base, uint32_t mask = UINT32_MAX)
    {
        const smrf_inst at = row(base);
        d.issue(3, {}, {}, mask, nullptr, &at);
    }
    // A warp shares the register of another one that had loaded `first`, the trace says `second`.
    const smrf_finding *share(uint32_t first, uint32_t second)
    {
        const smrf_values values[] = {traced(first), traced(second)};
        const smrf_inst at = row(DATA);
        a.write(a.issue(0, {4}, {}, UINT32_MAX, &values[0], &at), &r4);
        const uint32_t load = a.issue(1, {9}, {}, UINT32_MAX, &values[1], &at);
        return smrf_oracle_shared(a.o, load, &a.flight[load], &at, 0, r4.version, r4.value.data());
    }
    void settle()
    {
        smrf_oracle *const all[] = {a.o, b.o};
        smrf_oracle_settle(all, 2);
    }
    oracle_dut a{true, true, true, true, true}, b{true, true, true, true, true};
    written_row r4;
};

TEST_F(racing, BytesThatSomebodyStoresToAreOfAnotherMoment)
{
    for (oracle_dut *by : {&a, &b}) {
        for (bool before : {false, true}) {
            for (oracle_dut *d : {&a, &b}) {
                smrf_oracle_reset(d->o);
                smrf_oracle_kernel(d->o, true);
            }
            if (before) {
                store(*by, DATA);
            }
            ASSERT_NE(nullptr, share(100, 200));
            EXPECT_EQ(1u, a.o->stats.oracle_unjudged);
            if (!before) {
                store(*by, DATA);
            }
            EXPECT_TRUE(a.read(a.issue(1, {}, {9}), r4)) << "its readers get what it holds";
            settle();
            EXPECT_EQ(1u, a.o->stats.oracle_raced);
            EXPECT_EQ(0u, a.o->stats.oracle_wrong_shares);
            EXPECT_EQ(0u, a.o->stats.oracle_unjudged);
            EXPECT_EQ(0u, a.o->model.count);
        }
    }
}

TEST_F(racing, BytesThatNobodyStoresToAreWrong)
{
    share(100, 200);
    store(a, DATA + 128); // beside them
    a.space = SMRF_SPACE_SHARED;
    store(a, DATA);
    a.space = SMRF_SPACE_GLOBAL;
    store(b, DATA, 0xff); // some of them
    settle();
    EXPECT_EQ(1u, a.o->stats.oracle_wrong_shares);
    EXPECT_EQ(0u, a.o->stats.oracle_raced);
    ASSERT_EQ(1u, a.o->model.count);
    EXPECT_EQ(SMRF_FINDING_SHARE, a.o->model.first[0].kind);
    EXPECT_EQ(200u, a.o->model.first[0].expected.value);
    EXPECT_EQ(100u, a.o->model.first[0].found.value);
}

TEST_F(racing, ALaunchKnowsItsOwnStoresOnly)
{
    store(a, DATA);
    smrf_oracle_kernel(a.o, true);
    share(100, 200);
    settle();
    EXPECT_EQ(1u, a.o->stats.oracle_wrong_shares);
}

// When instructions reach the load/store units, and what a share of that makes.
class arriving : public racing
{
  protected:
    static void arrive(oracle_dut &d, uint32_t number, uint64_t base, uint64_t cycle)
    {
        smrf_inst at = row(base);
        at.op = d.flight[number].op;
        smrf_oracle_arrived(d.o, number, &d.flight[number], &at, cycle);
    }
    static void store(oracle_dut &d, uint64_t base, uint64_t cycle)
    {
        const smrf_inst at = row(base);
        arrive(d, d.issue(3, {}, {}, UINT32_MAX, nullptr, &at), base, cycle);
    }
    static void fence(oracle_dut &d, unsigned warp, uint64_t cycle)
    {
        const uint32_t number = d.issue(warp, {}, {});
        smrf_flight f = d.flight[number];
        smrf_static_inst op = *f.op;
        op.op_class = SMRF_CLASS_MEMBAR;
        f.op = &op;
        const smrf_inst none{};
        smrf_oracle_arrived(d.o, number, &f, &none, cycle);
    }
    uint32_t load(unsigned warp, uint8_t reg, uint32_t value, uint64_t cycle)
    {
        const smrf_values values = traced(value);
        const smrf_inst at = row(DATA);
        const uint32_t number = a.issue(warp, {reg}, {}, UINT32_MAX, &values, &at);
        arrive(a, number, DATA, cycle);
        return number;
    }
    void first()
    {
        a.write(load(0, 4, 100, 10), &r4);
    }
    // Warp 1 is given what warp 0 has loaded. Wrong at once, wrong in the end, or of another
    // moment?
    void second(unsigned at_once, unsigned wrong, unsigned raced)
    {
        const uint32_t number = load(1, 9, 200, 50);
        const smrf_inst at = row(DATA);
        EXPECT_NE(nullptr, smrf_oracle_shared(a.o, number, &a.flight[number], &at, 0, r4.version,
                                              r4.value.data()));
        EXPECT_EQ(at_once, a.o->stats.oracle_wrong_shares);
        settle();
        EXPECT_EQ(wrong, a.o->stats.oracle_wrong_shares);
        EXPECT_EQ(raced, a.o->stats.oracle_raced);
        EXPECT_TRUE(a.read(a.issue(1, {}, {9}), r4)) << "one finding is enough";
    }
};

TEST_F(arriving, AStoreOfTheSmBetweenTheLoadsMakesTheRegisterStale)
{
    first();
    store(a, DATA + 124, 20); // one lane's
    second(1, 1, 0);
}

TEST_F(arriving, AStoreBeforeBothLoadsDoesNot)
{
    store(a, DATA, 5);
    first();
    second(0, 0, 1);
}

TEST_F(arriving, AStoreBesideThemDoesNot)
{
    store(b, DATA, 5);
    first();
    store(a, DATA + 128, 20);
    second(0, 0, 1);
}

TEST_F(arriving, AStoreOfAnotherSmCountsBeforeAFenceOfTheLoadsWarp)
{
    first();
    store(b, DATA, 20);
    fence(a, 1, 30);
    second(0, 1, 0);
}

TEST_F(arriving, NotBeforeTheRegisterWasLoaded)
{
    store(b, DATA, 5);
    first();
    fence(a, 1, 30);
    second(0, 0, 1);
}

TEST_F(arriving, AStoreAfterTheFenceIsOfAnotherMoment)
{
    first();
    fence(a, 1, 15);
    store(b, DATA, 20);
    second(0, 0, 1);
}

TEST_F(arriving, AnotherWarpsFenceIsNotTheLoads)
{
    first();
    store(b, DATA, 20);
    fence(a, 0, 30);
    second(0, 0, 1);
}

TEST_F(arriving, AnotherLaunchsStoreIsForgotten)
{
    store(a, DATA, 20);
    smrf_oracle_kernel(a.o, true);
    first();
    store(b, DATA, 5);
    second(0, 0, 1);
}

TEST_F(racing, MergedRegistersAreJudgedOnceAndTheSameWay)
{
    for (bool stored : {false, true}) {
        const smrf_values values = traced(100);
        const smrf_inst at = row(DATA);
        const uint32_t load = a.issue(1, {9}, {}, UINT32_MAX, &values, &at);
        ::row merged = a.result(load);
        merged[7]++;
        ASSERT_NE(nullptr, smrf_oracle_merged(a.o, load, &a.flight[load], &at, 0, merged.data()));
        EXPECT_EQ(nullptr, smrf_oracle_merged(a.o, load, &a.flight[load], &at, 0, merged.data()));
        if (stored) {
            store(b, DATA + 28, 1);
        }
        settle();
        EXPECT_EQ(1u, a.o->stats.oracle_wrong_shares);
        EXPECT_EQ(stored, a.o->stats.oracle_raced);
    }
}

TEST_F(racing, ThoseBeyondAreCountedAndNotJudged)
{
    for (unsigned n = 0; n < SMRF_ORACLE_DOUBTS + 3; n++) {
        EXPECT_EQ(n < SMRF_ORACLE_DOUBTS, share(100, 200) != nullptr);
    }
    store(a, DATA);
    settle();
    EXPECT_EQ(uint64_t(SMRF_ORACLE_DOUBTS), a.o->stats.oracle_raced);
    EXPECT_EQ(3u, a.o->stats.oracle_unjudged);
}

} // namespace
