// SPDX-License-Identifier: Apache-2.0
// The caching collector unit: each rule of the papers' step lists and policies by name, then random
// streams against a slow reference, step by step.
#include "../support/ccu_reference.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <set>

namespace
{

using ccu_reference::row;
using ccu_reference::unit;

smrf_ccu_config standard()
{
    return {
        8,    6,    1,    SMRF_CCU_FAR_RANDOM, SMRF_CCU_WRITE_NEAR, SMRF_CCU_FAR_INVALIDATE, true,
        true, true, false};
}

row row_of(uint32_t value)
{
    row r;
    for (uint32_t l = 0; l < SMRF_LANES; l++) {
        r[l] = value * 1000 + l;
    }
    return r;
}

// A unit with short names for what happens to it.
struct dut {
    explicit dut(smrf_ccu_config c = standard(), uint64_t seed = 7)
        : config(c), core(std::make_unique<smrf_ccu>())
    {
        EXPECT_EQ(0, smrf_ccu_init(core.get(), &config, seed, 3));
    }
    smrf_ccu_allocated allocate(std::vector<uint8_t> src, uint32_t near = 0, uint8_t warp = 0)
    {
        smrf_ccu_inst in{src.data(), near, uint8_t(src.size()), warp};
        smrf_ccu_allocated out;
        smrf_ccu_allocate(core.get(), &in, &out);
        return out;
    }
    void arrive(unsigned i, uint32_t value = 1)
    {
        smrf_ccu_arrive(core.get(), i, row_of(value).data(), value);
    }
    void dispatch()
    {
        smrf_ccu_dispatch(core.get());
    }
    uint32_t write(uint8_t reg, bool near, uint32_t value = 1, uint64_t cycle = 0,
                   bool partial = false)
    {
        row r = row_of(value);
        smrf_ccu_result in{r.data(), cycle, value, reg, near, partial};
        return smrf_ccu_write(core.get(), &in);
    }
    // One instruction from entering to leaving, every operand read at once.
    smrf_ccu_allocated pass(std::vector<uint8_t> src, uint32_t near = 0, uint8_t warp = 0)
    {
        smrf_ccu_allocated a = allocate(src, near, warp);
        for (unsigned i = 0; i < src.size(); i++) {
            if (a.missing >> i & 1) {
                arrive(i, src[i]);
            }
        }
        dispatch();
        return a;
    }
    bool holds(uint8_t reg) const
    {
        return smrf_ccu_probe_find(core.get(), reg) >= 0;
    }
    smrf_ccu_config config;
    std::unique_ptr<smrf_ccu> core;
};

// --- operation A: allocation

TEST(Ccu, FlushesWhenTheWarpChangesAndOnlyThen)
{
    dut d;
    d.pass({1, 2}, 0b01);
    smrf_ccu_allocated a = d.pass({1}, 0, 0);
    EXPECT_FALSE(a.flushed);
    EXPECT_EQ(0b1u, a.hits);
    a = d.pass({2}, 0, 1);
    EXPECT_TRUE(a.flushed);
    EXPECT_EQ(0b0u, a.hits);
    EXPECT_FALSE(d.holds(1));
}

TEST(Ccu, CountsTheNearValuesThatAFlushLoses)
{
    dut d;
    d.pass({1, 2, 3}, 0b101);
    EXPECT_EQ(2u, d.pass({9}, 0, 1).near_flushed);
}

TEST(Ccu, MetadataNamesTheWarpFromAllocationOn)
{
    dut d;
    EXPECT_EQ(SMRF_CCU_NO_WARP, d.core->warp);
    d.allocate({1}, 0, 5);
    EXPECT_EQ(5, d.core->warp);
}

TEST(Ccu, RequestsTheMissesOnly)
{
    dut d;
    d.pass({1, 2});
    smrf_ccu_allocated a = d.allocate({2, 3, 1, 4});
    EXPECT_EQ(0b0101u, a.hits);
    EXPECT_EQ(0b1010u, a.missing);
    EXPECT_EQ(0u, a.uncached);
}

TEST(Ccu, HitsAreReadyAtOnceAndMissesWhenTheyArrive)
{
    dut d;
    d.pass({1, 2});
    d.allocate({1, 2});
    EXPECT_TRUE(smrf_ccu_probe_ready(d.core.get()));
    d.dispatch();
    d.allocate({1, 3});
    EXPECT_FALSE(smrf_ccu_probe_ready(d.core.get()));
    d.arrive(1);
    EXPECT_TRUE(smrf_ccu_probe_ready(d.core.get()));
}

TEST(Ccu, IndexLeadsEveryOperandToItsEntry)
{
    dut d;
    d.pass({10, 20});
    d.allocate({20, 30, 10});
    d.arrive(1, 30);
    EXPECT_EQ(row_of(20)[5], smrf_ccu_probe_operand(d.core.get(), 0)[5]);
    EXPECT_EQ(row_of(30)[5], smrf_ccu_probe_operand(d.core.get(), 1)[5]);
    EXPECT_EQ(row_of(10)[5], smrf_ccu_probe_operand(d.core.get(), 2)[5]);
}

// The hazard: with every entry but one far and taken, a miss of the same instruction must not
// replace what a later operand of it hits.
TEST(Ccu, AMissNeverReplacesAHitOfTheSameInstruction)
{
    for (uint64_t seed = 0; seed < 64; seed++) {
        dut d(standard(), seed);
        d.pass({1, 2, 3, 4});
        d.pass({5, 6, 7, 8});
        smrf_ccu_allocated a = d.allocate({20, 21, 22, 1, 2, 3});
        EXPECT_EQ(0b111000u, a.hits) << "seed " << seed;
        EXPECT_TRUE(d.holds(1) && d.holds(2) && d.holds(3)) << "seed " << seed;
    }
}

TEST(Ccu, SourcesAreLockedUntilDispatch)
{
    dut d;
    d.pass({1});
    d.allocate({1, 2});
    EXPECT_EQ(2, __builtin_popcount(d.core->locked));
    d.arrive(1);
    EXPECT_EQ(2, __builtin_popcount(d.core->locked));
    d.dispatch();
    EXPECT_EQ(0u, d.core->locked);
}

TEST(Ccu, TouchedEntriesTakeTheBitOfTheNewInstructionAndOthersKeepTheirs)
{
    dut d;
    d.pass({1, 2, 3}, 0b111);
    d.pass({1}, 0);
    auto near = [&](uint8_t reg) {
        return d.core->near >> smrf_ccu_probe_find(d.core.get(), reg) & 1;
    };
    EXPECT_EQ(0u, near(1)) << "a hit takes the operand's bit";
    EXPECT_EQ(1u, near(2)) << "distances of other entries are not aged";
    d.pass({4}, 1);
    EXPECT_EQ(1u, near(4)) << "a value that a read brings in takes it too";
}

TEST(Ccu, WithoutReadMarksAValueThatAReadBringsInIsFar)
{
    smrf_ccu_config c = standard();
    c.read_marks = false;
    dut d(c);
    d.pass({1}, 1);
    EXPECT_FALSE(smrf_ccu_probe_near(d.core.get()));
    d.pass({1}, 1);
    EXPECT_TRUE(smrf_ccu_probe_near(d.core.get())) << "a hit has been told";
}

TEST(Ccu, PortRTellsWhetherAnyValueIsNear)
{
    dut d;
    EXPECT_FALSE(smrf_ccu_probe_near(d.core.get()));
    d.pass({1, 2}, 0b10);
    EXPECT_TRUE(smrf_ccu_probe_near(d.core.get()));
    d.pass({2}, 0);
    EXPECT_FALSE(smrf_ccu_probe_near(d.core.get()));
}

TEST(Ccu, SourcesBeyondTheSlotsAreReadAndNotCached)
{
    dut d;
    smrf_ccu_allocated a = d.allocate({1, 2, 3, 4, 5, 6, 7});
    EXPECT_EQ(0b1111111u, a.missing);
    EXPECT_EQ(0b1000000u, a.uncached);
    EXPECT_EQ(nullptr, smrf_ccu_probe_operand(d.core.get(), 6));
    for (unsigned i = 0; i < 7; i++) {
        EXPECT_FALSE(smrf_ccu_probe_ready(d.core.get()));
        d.arrive(i);
    }
    EXPECT_TRUE(smrf_ccu_probe_ready(d.core.get()));
    d.dispatch();
    EXPECT_FALSE(d.holds(7));
}

TEST(Ccu, HitsTakeSlotsBeforeMisses)
{
    dut d;
    d.pass({6, 7});
    smrf_ccu_allocated a = d.allocate({1, 2, 3, 4, 5, 6, 7});
    EXPECT_EQ(0b1100000u, a.hits);
    EXPECT_EQ(0b0010000u, a.uncached);
}

TEST(Ccu, MoreSourcesThanEntriesAreGatheredAllTheSame) // HMMA.16816 has ten
{
    smrf_ccu_config c = standard();
    c.slots = 10;
    dut d(c);
    std::vector<uint8_t> src = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    smrf_ccu_allocated a = d.allocate(src);
    EXPECT_EQ(2, __builtin_popcount(a.uncached));
    for (unsigned i = 0; i < 10; i++) {
        d.arrive(i, i);
    }
    EXPECT_TRUE(smrf_ccu_probe_ready(d.core.get()));
    d.dispatch();
    EXPECT_EQ(8, __builtin_popcount(d.allocate(src).hits));
}

TEST(Ccu, ASourceThatIsPresentHitsBeyondTheSlots)
{
    smrf_ccu_config c = standard();
    c.slots = 2;
    dut d(c);
    d.pass({1, 2});
    d.pass({3});
    smrf_ccu_allocated a = d.allocate({1, 2, 4, 3});
    EXPECT_EQ(0b1011u, a.hits);
    EXPECT_EQ(0b0100u, a.uncached) << "no slot is left for what a miss brings";
    d.arrive(2, 4);
    d.dispatch();
    EXPECT_TRUE(d.holds(3));
    EXPECT_EQ(0u, smrf_ccu_probe_faults(d.core.get()));
}

// --- operation B: source arrival

TEST(Ccu, AnArrivingSourceFillsItsEntry)
{
    dut d;
    d.allocate({9});
    EXPECT_EQ(nullptr, smrf_ccu_probe_copy(d.core.get(), 9)) << "nothing to copy before";
    d.arrive(0, 42);
    d.dispatch();
    EXPECT_EQ(0, std::memcmp(row_of(42).data(), smrf_ccu_probe_copy(d.core.get(), 9), 128));
    EXPECT_EQ(42u, d.core->version[smrf_ccu_probe_find(d.core.get(), 9)]);
}

// --- operation C: destination write

TEST(Ccu, ANearResultOfAPresentRegisterRenewsItsEntry)
{
    dut d;
    d.pass({1});
    EXPECT_EQ(SMRF_CCU_KEPT | SMRF_CCU_PRESENT, d.write(1, true, 77));
    EXPECT_EQ(row_of(77)[0], smrf_ccu_probe_copy(d.core.get(), 1)[0]);
    EXPECT_TRUE(smrf_ccu_probe_near(d.core.get()));
}

TEST(Ccu, ANearResultOfAnAbsentRegisterTakesAnEntryAndIsNotLocked)
{
    dut d;
    d.pass({1});
    EXPECT_EQ(uint32_t(SMRF_CCU_KEPT), d.write(2, true));
    EXPECT_TRUE(d.holds(2));
    EXPECT_EQ(0u, d.core->locked);
    EXPECT_EQ(0b1u, d.pass({2}).hits);
}

TEST(Ccu, AFarResultIsNotKept)
{
    dut d;
    d.pass({1});
    EXPECT_EQ(uint32_t(SMRF_CCU_FILTERED), d.write(2, false));
    EXPECT_FALSE(d.holds(2));
}

TEST(Ccu, AFarResultOfAPresentRegisterDropsTheOldCopy)
{
    dut d;
    d.pass({1, 2});
    EXPECT_EQ(SMRF_CCU_FILTERED | SMRF_CCU_PRESENT | SMRF_CCU_INVALIDATED, d.write(1, false));
    EXPECT_FALSE(d.holds(1));
    EXPECT_TRUE(d.holds(2));
}

TEST(Ccu, AFarResultOfAPresentRegisterMayRenewItInstead)
{
    smrf_ccu_config c = standard();
    c.far_write = SMRF_CCU_FAR_UPDATE;
    dut d(c);
    d.pass({1}, 1);
    EXPECT_EQ(SMRF_CCU_KEPT | SMRF_CCU_PRESENT, d.write(1, false, 5));
    EXPECT_EQ(row_of(5)[0], smrf_ccu_probe_copy(d.core.get(), 1)[0]);
    EXPECT_FALSE(smrf_ccu_probe_near(d.core.get()));
    EXPECT_EQ(uint32_t(SMRF_CCU_FILTERED), d.write(2, false, 5, 1));
}

TEST(Ccu, PortDTakesTheFirstNearResultOfACycle)
{
    dut d;
    d.pass({3});
    EXPECT_EQ(uint32_t(SMRF_CCU_FILTERED), d.write(9, false, 1, 10)) << "takes no port";
    EXPECT_EQ(uint32_t(SMRF_CCU_KEPT), d.write(1, true, 1, 10));
    EXPECT_EQ(uint32_t(SMRF_CCU_NO_PORT), d.write(2, true, 1, 10));
    EXPECT_EQ(SMRF_CCU_NO_PORT | SMRF_CCU_PRESENT | SMRF_CCU_INVALIDATED, d.write(3, true, 1, 10))
        << "a dropped result leaves no old copy behind";
    EXPECT_EQ(uint32_t(SMRF_CCU_KEPT), d.write(2, true, 1, 11));
}

// Three registers of one result (version 1), then another instruction's.
TEST(Ccu, PortDMayTakeARegisterOrAResultACycle)
{
    smrf_ccu_config c = standard();
    for (bool all : {false, true}) {
        c.port_takes_all = all;
        dut d(c);
        d.pass({9});
        const uint32_t second = all ? SMRF_CCU_KEPT : SMRF_CCU_NO_PORT;
        EXPECT_EQ(uint32_t(SMRF_CCU_KEPT), d.write(1, true, 1, 10));
        EXPECT_EQ(second, d.write(2, true, 1, 10));
        EXPECT_EQ(second, d.write(3, true, 1, 10));
        EXPECT_EQ(uint32_t(SMRF_CCU_NO_PORT), d.write(4, true, 2, 10));
        EXPECT_EQ(uint32_t(SMRF_CCU_KEPT), d.write(4, true, 2, 11));
    }
}

TEST(Ccu, PortDTakesAsManyResultsAsItHasPorts)
{
    for (uint8_t ports : std::initializer_list<uint8_t>{2, 3, 0}) {
        smrf_ccu_config c = standard();
        c.ports = ports;
        dut d(c);
        d.pass({0});
        unsigned kept = 0;
        for (uint8_t reg = 1; reg <= 6; reg++) {
            kept += d.write(reg, true, 1, 5) & SMRF_CCU_KEPT;
        }
        EXPECT_EQ(ports ? ports : 6u, kept);
    }
}

TEST(Ccu, WritePolicyAllKeepsFarResultsAndPresentOnlyRenews)
{
    smrf_ccu_config c = standard();
    c.write = SMRF_CCU_WRITE_ALL;
    dut all(c);
    all.pass({1});
    EXPECT_EQ(uint32_t(SMRF_CCU_KEPT), all.write(2, false));
    c.write = SMRF_CCU_WRITE_PRESENT;
    dut present(c);
    present.pass({1});
    EXPECT_EQ(uint32_t(SMRF_CCU_FILTERED), present.write(2, true, 1, 1));
    EXPECT_EQ(SMRF_CCU_KEPT | SMRF_CCU_PRESENT, present.write(1, true, 1, 2));
}

TEST(Ccu, AResultOfSomeLanesTakesANewEntryOnlyWhereAllowed)
{
    smrf_ccu_config c = standard();
    dut whole(c);
    whole.pass({1});
    EXPECT_EQ(uint32_t(SMRF_CCU_KEPT), whole.write(2, true, 1, 1, true));
    c.partial_allocates = false;
    dut strict(c);
    strict.pass({1});
    EXPECT_EQ(uint32_t(SMRF_CCU_FILTERED), strict.write(2, true, 1, 1, true));
    EXPECT_EQ(SMRF_CCU_KEPT | SMRF_CCU_PRESENT, strict.write(1, true, 1, 2, true));
}

TEST(Ccu, AResultFindsNoRoomWhereEveryEntryIsLocked)
{
    smrf_ccu_config c = standard();
    c.entries = 2;
    dut d(c);
    d.allocate({1, 2});
    EXPECT_EQ(uint32_t(SMRF_CCU_NO_ROOM), d.write(3, true));
}

TEST(Ccu, AResultForAGatheredSourceLeavesItToTheReaderAndToNobodyElse)
{
    dut d;
    d.pass({1});
    d.allocate({1, 2});
    EXPECT_EQ(SMRF_CCU_LOCKED | SMRF_CCU_PRESENT, d.write(1, true, 50));
    EXPECT_EQ(row_of(1)[0], smrf_ccu_probe_operand(d.core.get(), 0)[0]) << "what it gathered";
    EXPECT_EQ(nullptr, smrf_ccu_probe_copy(d.core.get(), 1));
    d.arrive(1);
    d.dispatch();
    EXPECT_FALSE(d.holds(1)) << "it is out of date";
}

TEST(Ccu, AResultForASourceUnderWayIsWhatTheBankWillDeliver)
{
    dut d;
    d.allocate({1});
    EXPECT_EQ(SMRF_CCU_LOCKED | SMRF_CCU_PRESENT, d.write(1, true, 50));
    d.arrive(0, 50);
    d.dispatch();
    EXPECT_EQ(row_of(50)[0], smrf_ccu_probe_copy(d.core.get(), 1)[0]);
}

// --- operation D: dispatch

TEST(Ccu, ContentsStayAfterDispatch)
{
    dut d;
    d.pass({1, 2, 3, 4, 5, 6});
    for (uint8_t reg = 1; reg <= 6; reg++) {
        EXPECT_TRUE(d.holds(reg));
    }
    EXPECT_EQ(0u, d.core->slot_valid);
}

// --- replacement

TEST(Ccu, EmptyEntriesAreTakenFirst)
{
    dut d;
    d.pass({1, 2, 3});
    d.pass({4, 5, 6, 7, 8});
    for (uint8_t reg = 1; reg <= 8; reg++) {
        EXPECT_TRUE(d.holds(reg));
    }
}

TEST(Ccu, ReplacementTakesAFarEntryThoughANearOneIsOlder)
{
    for (uint64_t seed = 0; seed < 32; seed++) {
        dut d(standard(), seed);
        d.pass({1, 2, 3, 4}, 0b1111);
        d.pass({5, 6, 7, 8}, 0b0011);
        d.pass({9});
        EXPECT_TRUE(d.holds(1) && d.holds(2) && d.holds(3) && d.holds(4) && d.holds(5) &&
                    d.holds(6));
        EXPECT_TRUE(d.holds(7) != d.holds(8));
    }
}

TEST(Ccu, ReplacementAmongFarEntriesIsRandomAndReachesAll)
{
    std::map<uint8_t, int> gone;
    for (uint64_t seed = 0; seed < 400; seed++) {
        dut d(standard(), seed);
        d.pass({1, 2, 3, 4}, 0b1111);
        d.pass({5, 6, 7, 8}, 0);
        d.pass({9});
        for (uint8_t reg = 1; reg <= 8; reg++) {
            gone[reg] += !d.holds(reg);
        }
    }
    for (uint8_t reg = 1; reg <= 8; reg++) {
        EXPECT_EQ(reg > 4, gone[reg] > 0) << unsigned(reg);
        if (reg > 4) {
            EXPECT_GT(gone[reg], 60) << "about a quarter of 400";
            EXPECT_LT(gone[reg], 140);
        }
    }
}

TEST(Ccu, WithoutFarEntriesTheLeastRecentlyUsedGoes)
{
    dut d;
    d.pass({1, 2, 3, 4}, 0b1111);
    d.pass({5, 6, 7, 8}, 0b1111);
    d.pass({1, 2}, 0b11);
    EXPECT_EQ(1u, d.pass({9}, 1).near_replaced);
    EXPECT_FALSE(d.holds(3));
    d.write(10, true);
    EXPECT_FALSE(d.holds(4)) << "results replace by the same rule";
}

TEST(Ccu, LruIgnoresTheBitsAndFarLruTheAgeOfNearOnes)
{
    smrf_ccu_config c = standard();
    c.replacement = SMRF_CCU_LRU;
    dut lru(c);
    lru.pass({1, 2, 3, 4}, 0b1111);
    lru.pass({5, 6, 7, 8}, 0);
    lru.pass({9});
    EXPECT_FALSE(lru.holds(1));
    c.replacement = SMRF_CCU_FAR_LRU;
    dut far(c);
    far.pass({1, 2, 3, 4}, 0b1111);
    far.pass({5, 6, 7, 8}, 0);
    far.pass({5}, 0);
    far.pass({9});
    EXPECT_TRUE(far.holds(1) && far.holds(5));
    EXPECT_FALSE(far.holds(6));
}

TEST(Ccu, LockedEntriesAreNeverReplaced)
{
    dut d;
    d.pass({1, 2, 3, 4, 5, 6}, 0b111111);
    d.pass({7, 8}, 0b11);
    d.allocate({1, 2, 3, 4, 5, 6}, 0);
    for (uint64_t cycle = 0; cycle < 50; cycle++) {
        d.write(uint8_t(20 + cycle), true, 1, cycle);
    }
    for (uint8_t reg = 1; reg <= 6; reg++) {
        EXPECT_TRUE(d.holds(reg));
    }
}

// --- flush, abandon, cache off, configuration

TEST(Ccu, FlushEmptiesAndForgetsTheWarp)
{
    dut d;
    d.pass({1, 2}, 0b01);
    EXPECT_EQ(1u, smrf_ccu_flush(d.core.get()));
    EXPECT_EQ(0u, d.core->valid);
    EXPECT_EQ(SMRF_CCU_NO_WARP, d.core->warp);
    EXPECT_FALSE(smrf_ccu_probe_near(d.core.get()));
}

TEST(Ccu, AnAbandonedUnitKeepsOnlyWhatItsInstructionNeeds)
{
    dut d;
    d.pass({1, 2, 3});
    d.allocate({1, 9});
    smrf_ccu_abandon(d.core.get());
    EXPECT_FALSE(d.holds(2));
    EXPECT_EQ(nullptr, smrf_ccu_probe_copy(d.core.get(), 1));
    EXPECT_EQ(uint32_t(SMRF_CCU_FILTERED), d.write(1, true)) << "its results go elsewhere";
    d.arrive(1);
    EXPECT_TRUE(smrf_ccu_probe_ready(d.core.get()));
    d.dispatch();
    EXPECT_EQ(0u, d.core->valid);
    EXPECT_EQ(SMRF_CCU_NO_WARP, d.core->warp);
}

TEST(Ccu, WithoutTheCacheItIsAnOperandCollector)
{
    smrf_ccu_config c = standard();
    c.cache = false;
    dut d(c);
    for (int n = 0; n < 3; n++) {
        smrf_ccu_allocated a = d.pass({1, 2, 3}, 0b111);
        EXPECT_EQ(0u, a.hits);
        EXPECT_EQ(0b111u, a.missing);
        EXPECT_EQ(uint32_t(SMRF_CCU_FILTERED), d.write(1, true, 1, uint64_t(n)));
        EXPECT_EQ(0u, d.core->valid);
    }
}

TEST(Ccu, ConfigurationsOutOfRangeAreRefused)
{
    auto refused = [](void (*change)(smrf_ccu_config &)) {
        smrf_ccu_config c = standard();
        auto core = std::make_unique<smrf_ccu>();
        change(c);
        return smrf_ccu_init(core.get(), &c, 1, 1) == SMRF_ERR_INVAL;
    };
    EXPECT_TRUE(refused([](smrf_ccu_config &c) { c.entries = 0; }));
    EXPECT_TRUE(refused([](smrf_ccu_config &c) { c.entries = 33; }));
    EXPECT_TRUE(refused([](smrf_ccu_config &c) { c.slots = 0; }));
    EXPECT_TRUE(refused([](smrf_ccu_config &c) { c.slots = SMRF_MAX_SRC + 1; }));
    EXPECT_TRUE(refused([](smrf_ccu_config &c) { c.replacement = 3; }));
    EXPECT_TRUE(refused([](smrf_ccu_config &c) { c.write = 3; }));
    EXPECT_TRUE(refused([](smrf_ccu_config &c) { c.far_write = 2; }));
    EXPECT_FALSE(refused([](smrf_ccu_config &) {}));
}

TEST(Ccu, BrokenInvariantsAreSeen)
{
    dut d;
    d.pass({1, 2, 3});
    EXPECT_EQ(0u, smrf_ccu_probe_faults(d.core.get()));
    d.core->tag[1] = d.core->tag[0];
    EXPECT_EQ(unsigned(SMRF_CCU_FAULT_TAGS), smrf_ccu_probe_faults(d.core.get()));
    d.core->tag[1] = 2;
    d.core->locked = 1;
    EXPECT_EQ(unsigned(SMRF_CCU_FAULT_LOCKS), smrf_ccu_probe_faults(d.core.get()));
    d.core->locked = 1u << 7;
    d.core->slot_valid = 1;
    EXPECT_EQ(unsigned(SMRF_CCU_FAULT_LOCKS), smrf_ccu_probe_faults(d.core.get()));
}

// --- against the reference

uint32_t mask_of(const std::vector<int> &operands)
{
    uint32_t mask = 0;
    for (int i : operands) {
        mask |= UINT32_C(1) << i;
    }
    return mask;
}

void expect_same(const smrf_ccu &c, const unit &r)
{
    ASSERT_EQ(r.any_near(), smrf_ccu_probe_near(&c));
    for (size_t e = 0; e < r.table.size(); e++) {
        ASSERT_EQ(r.table[e].valid, bool(c.valid >> e & 1)) << "entry " << e;
        if (!r.table[e].valid) {
            continue;
        }
        ASSERT_EQ(r.table[e].reg, c.tag[e]);
        ASSERT_EQ(r.table[e].near, bool(c.near >> e & 1)) << "R" << r.table[e].reg;
        ASSERT_EQ(r.table[e].locked, bool(c.locked >> e & 1));
        if (r.table[e].arrived) {
            ASSERT_EQ(r.table[e].version, c.version[e]);
            ASSERT_EQ(0, std::memcmp(r.table[e].data.data(), c.data[e], 128));
        }
    }
}

// A stream as an SM makes it, and worse: results come at any time, for any register.
void random_stream(smrf_ccu_config config, uint64_t seed, int steps)
{
    dut d(config, seed);
    unit r(config, seed, 3);
    smrf_rng rng;
    smrf_rng_seed(&rng, seed, 99);
    auto any = [&](uint32_t n) { return smrf_rng_below(&rng, n); };
    std::vector<int> awaited;
    bool inside = false;
    uint64_t cycle = 0;
    for (int n = 0; n < steps; n++) {
        cycle += any(2);
        SCOPED_TRACE("seed " + std::to_string(seed) + " step " + std::to_string(n));
        uint32_t value = uint32_t(n) + 1;
        if (any(3) == 0) {
            uint8_t reg = uint8_t(any(20));
            bool near = any(2), partial = any(8) == 0;
            bool owner = r.warp >= 0;
            if (owner) {
                ASSERT_EQ(r.write(reg, near, partial, row_of(value), value, cycle),
                          d.write(reg, near, value, cycle, partial));
            }
        } else if (!inside && any(40) == 0) {
            ASSERT_EQ(r.flush(), smrf_ccu_flush(d.core.get()));
        } else if (!inside) {
            std::set<uint8_t> regs;
            for (uint32_t i = any(any(10) ? 5 : 13); i > 0; i--) {
                regs.insert(uint8_t(any(20)));
            }
            std::vector<uint8_t> src(regs.begin(), regs.end());
            uint32_t near = any(1u << 16);
            uint8_t warp = uint8_t(any(12) ? (r.warp < 0 ? 0 : r.warp) : any(3));
            auto want = r.allocate(warp, src, near);
            smrf_ccu_allocated got = d.allocate(src, near, warp);
            ASSERT_EQ(mask_of(want.hits), got.hits);
            ASSERT_EQ(mask_of(want.misses), got.missing);
            ASSERT_EQ(mask_of(want.uncached), got.uncached);
            ASSERT_EQ(want.flushed, got.flushed);
            ASSERT_EQ(want.near_flushed, got.near_flushed);
            ASSERT_EQ(want.near_replaced, got.near_replaced);
            awaited = want.misses;
            inside = true;
        } else if (!awaited.empty()) {
            size_t at = any(uint32_t(awaited.size()));
            r.arrive(size_t(awaited[at]), row_of(value), value);
            d.arrive(unsigned(awaited[at]), value);
            awaited.erase(awaited.begin() + long(at));
        } else {
            ASSERT_TRUE(smrf_ccu_probe_ready(d.core.get()));
            r.dispatch();
            d.dispatch();
            inside = false;
        }
        ASSERT_EQ(awaited.empty(), smrf_ccu_probe_ready(d.core.get()));
        ASSERT_EQ(0u, smrf_ccu_probe_faults(d.core.get()));
        expect_same(*d.core, r);
    }
}

TEST(CcuAgainstReference, EveryStepOfRandomStreamsUnderEveryPolicy)
{
    uint64_t seed = 1;
    for (uint8_t replacement : {SMRF_CCU_FAR_RANDOM, SMRF_CCU_FAR_LRU, SMRF_CCU_LRU}) {
        for (uint8_t write : {SMRF_CCU_WRITE_NEAR, SMRF_CCU_WRITE_ALL, SMRF_CCU_WRITE_PRESENT}) {
            for (uint8_t far : {SMRF_CCU_FAR_INVALIDATE, SMRF_CCU_FAR_UPDATE}) {
                for (uint8_t entries : std::initializer_list<uint8_t>{1, 2, 5, 8, 16, 32}) {
                    smrf_ccu_config c = standard();
                    c.replacement = replacement;
                    c.write = write;
                    c.far_write = far;
                    c.entries = entries;
                    c.slots = uint8_t(1 + seed % 12);
                    c.ports = uint8_t(seed % 3);
                    c.partial_allocates = seed % 2;
                    c.read_marks = seed % 5 != 0;
                    c.cache = seed % 17 != 0;
                    random_stream(c, seed++, 1500);
                    if (HasFatalFailure()) {
                        return;
                    }
                }
            }
        }
    }
}

// A kept result is read for the first time once; one that is written over unread was not read.
TEST(Ccu, TheFirstReadOfAKeptResultIsTold)
{
    dut d;
    EXPECT_EQ(0u, d.pass({1, 2}, 3).first_reads);
    EXPECT_EQ(0u, d.pass({1}, 1).first_reads) << "it came from its bank";
    EXPECT_TRUE(d.write(5, true, 1, 1) & SMRF_CCU_KEPT);
    EXPECT_TRUE(d.write(5, true, 2, 2) & SMRF_CCU_KEPT);
    EXPECT_TRUE(d.write(1, true, 3, 3) & SMRF_CCU_KEPT) << "into the entry that had it";
    EXPECT_EQ(2u, d.pass({5, 1}, 3).first_reads);
    EXPECT_EQ(0u, d.pass({5, 1}, 3).first_reads);
}

} // namespace
