// SPDX-License-Identifier: Apache-2.0
// Warp priority, CCU allocation with its circles (long version, Fig. 6), the wait counter,
// ownership and what leaves a unit, on the mechanism's functions alone.
#include "models/malekeh/malekeh.h"

#include "models/bank/bank.h"
#include "models/collector/collector.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace
{

constexpr uint64_t bit(unsigned n)
{
    return UINT64_C(1) << n;
}

// What the mechanism sees of a configuration, and its own options.
struct machine {
    smrf_gpu_params gpu{};
    smrf_sm_params sm{};
    smrf_rf_params rf{};
    smrf_sim_params sim{};
    smrf_malekeh_params own{};

    struct view : smrf_mechanism_setup {
        const smrf_mechanism_setup *operator&() const
        {
            return this;
        }
    };
    view setup() const
    {
        return {{gpu, sm, rf, sim, false, false, &own}};
    }
};

machine defaults()
{
    machine c;
    c.sm.subcores = 4;
    c.sm.warps = 32;
    c.gpu.sms = 1;
    c.rf.collectors = 2;
    c.rf.collector_pick = SMRF_PICK_RANDOM;
    c.sim.seed = 1;
    c.sim.check = 1;
#define DEFAULT(section, name, kind, def, ...) c.own.name = def;
    SMRF_MALEKEH_PARAMS(DEFAULT)
#undef DEFAULT
    return c;
}

// Sub-core 0 of an SM: warp k is warp slot 4 k.
struct dut {
    explicit dut(const machine &c = defaults())
        : config(c), setup(config.setup()), memory(smrf_malekeh_bytes(&setup) / 64 + 2), rng{1}
    {
        EXPECT_EQ(0, smrf_malekeh_init(state(), &setup, 0));
        m().sthld = config.own.sthld;
    }
    void *state()
    {
        return memory.data();
    }
    smrf_malekeh &m()
    {
        return *static_cast<smrf_malekeh *>(state());
    }
    int pick(unsigned k, uint32_t free_units, uint64_t cycle = 0)
    {
        return smrf_malekeh_pick(state(), 0, 4 * k, free_units, &rng, cycle);
    }
    uint64_t eligible(uint32_t free_units, uint64_t ready)
    {
        return smrf_malekeh_eligible(state(), 0, free_units, ready);
    }
    uint64_t preferred()
    {
        return smrf_malekeh_preferred(state(), 0);
    }
    smrf_flight flight(unsigned k, std::vector<uint8_t> src, uint32_t near = 0,
                       std::vector<uint8_t> dst = {}, uint16_t near_dst = 0)
    {
        smrf_flight f{};
        f.op = &op;
        f.warp = uint8_t(4 * k);
        f.num_src = uint8_t(src.size());
        std::copy(src.begin(), src.end(), f.src_reg);
        f.near_src = near;
        f.num_dst = uint8_t(dst.size());
        std::copy(dst.begin(), dst.end(), f.dst_reg);
        f.near_dst = near_dst;
        f.version = ++version;
        return f;
    }
    // An instruction enters unit u; it stays there.
    uint32_t enter(unsigned u, unsigned k, std::vector<uint8_t> src, uint32_t near = 0)
    {
        smrf_flight f = flight(k, src, near);
        return smrf_malekeh_allocate(state(), 0, u, &f, data, versions);
    }
    void leave(unsigned u, uint32_t missing)
    {
        smrf_flight f = flight(0, {});
        uint32_t row[SMRF_LANES] = {};
        for (; missing; missing &= missing - 1) {
            smrf_malekeh_arrive(state(), 0, u, &f, unsigned(__builtin_ctz(missing)), row, 1);
        }
        smrf_malekeh_dispatch(state(), 0, u, &f);
    }
    uint32_t pass(unsigned u, unsigned k, std::vector<uint8_t> src, uint32_t near = 0)
    {
        uint32_t missing = enter(u, k, src, near);
        leave(u, missing);
        return missing;
    }
    bool write(unsigned k, uint8_t reg, bool near, uint64_t cycle, uint16_t bank_row = 0)
    {
        smrf_flight f = flight(k, {}, 0, {reg}, near);
        f.dst[0].row = bank_row;
        uint32_t row[SMRF_LANES] = {reg};
        return smrf_malekeh_write(state(), 0, &f, 0, row, UINT32_MAX, cycle);
    }
    dut(const dut &) = delete;
    dut &operator=(const dut &) = delete;

    machine config;
    const smrf_mechanism_setup setup;
    struct alignas(64) line {
        char bytes[64];
    };
    std::vector<line> memory;
    smrf_rng rng;
    smrf_static_inst op{};
    uint32_t version = 0;
    uint32_t data[SMRF_MAX_SRC][SMRF_LANES];
    uint32_t versions[SMRF_MAX_SRC];
};

// --- priority

TEST(MalekehPriority, WarpsWithDataInAUnitGoBeforeOthers)
{
    dut d;
    EXPECT_EQ(0u, d.preferred());
    d.pass(0, 3, {1});
    d.pass(1, 5, {1});
    EXPECT_EQ(bit(3) | bit(5), d.preferred());
    d.pass(1, 6, {1});
    EXPECT_EQ(bit(3) | bit(6), d.preferred());
}

TEST(MalekehPriority, AnOwnerOfAnEmptyUnitHasNoData)
{
    dut d;
    d.pass(0, 3, {});
    EXPECT_EQ(0u, d.preferred());
    d.write(3, 7, true, 1);
    EXPECT_EQ(bit(3), d.preferred()) << "a result is data";
    d.write(3, 7, false, 2);
    EXPECT_EQ(0u, d.preferred()) << "dropped";
}

TEST(MalekehPriority, GtoLooksAtNoUnit)
{
    machine c = defaults();
    c.own.priority = SMRF_MALEKEH_GTO;
    dut d(c);
    d.pass(0, 3, {1});
    EXPECT_EQ(0u, d.preferred());
}

TEST(MalekehPriority, ResidentFirstConsidersTheOthersOnlyIfNoResidentIsReady)
{
    machine c = defaults();
    c.own.priority = SMRF_MALEKEH_RESIDENT_FIRST;
    dut d(c);
    d.pass(0, 3, {1});
    EXPECT_EQ(bit(3), d.eligible(0b11, bit(1) | bit(3)));
    EXPECT_EQ(bit(1) | bit(2), d.eligible(0b11, bit(1) | bit(2)));
}

// --- allocation, by the circles of Fig. 6

TEST(MalekehAllocation, OwnUnitIfFree) // circle 3
{
    dut d;
    d.pass(1, 4, {1}, 1);
    for (int n = 0; n < 20; n++) {
        EXPECT_EQ(1, d.pick(4, 0b11));
    }
}

TEST(MalekehAllocation, NoSecondUnitWhileTheOwnIsOccupied) // circle 4
{
    dut d;
    d.enter(1, 4, {1});
    EXPECT_EQ(SMRF_PICK_NEXT, d.pick(4, 0b01));
    EXPECT_EQ(bit(2), d.eligible(0b01, bit(2) | bit(4))) << "the next warp may go";
}

TEST(MalekehAllocation, StrictlyTheTopWarpHoldsUpTheOthers)
{
    machine c = defaults();
    c.own.strict_top_warp = 1;
    dut d(c);
    d.enter(1, 4, {1});
    EXPECT_EQ(bit(2) | bit(4), d.eligible(0b01, bit(2) | bit(4)));
    EXPECT_EQ(SMRF_PICK_NONE, d.pick(4, 0b01));
}

TEST(MalekehAllocation, AFarUnitBeforeANearOne) // circle 5
{
    dut d;
    d.pass(0, 1, {1}, 1);
    d.pass(1, 2, {1}, 0);
    for (int n = 0; n < 20; n++) {
        EXPECT_EQ(1, d.pick(7, 0b11));
    }
    EXPECT_EQ(0u, d.m().stats.waits);
}

TEST(MalekehAllocation, ARandomOneAmongFarUnits)
{
    machine c = defaults();
    c.rf.collectors = 4;
    dut d(c);
    d.pass(2, 1, {1}, 1);
    std::map<int, int> seen;
    for (int n = 0; n < 300; n++) {
        seen[d.pick(7, 0b1111)]++;
    }
    EXPECT_EQ(3u, seen.size());
    EXPECT_EQ(0, seen.count(2));
    for (auto &s : seen) {
        EXPECT_GT(s.second, 60);
    }
}

TEST(MalekehAllocation, FarChoiceFirstAndFewest)
{
    machine c = defaults();
    c.rf.collectors = 3;
    c.own.far_choice = SMRF_MALEKEH_CHOICE_FIRST;
    dut first(c);
    first.pass(0, 1, {1, 2});
    EXPECT_EQ(0, first.pick(7, 0b111));
    c.own.far_choice = SMRF_MALEKEH_CHOICE_FEWEST;
    dut fewest(c);
    fewest.pass(0, 1, {1, 2});
    fewest.pass(1, 2, {1, 2, 3});
    fewest.pass(2, 3, {1});
    EXPECT_EQ(2, fewest.pick(7, 0b111));
    EXPECT_EQ(0, fewest.pick(7, 0b011));
}

// Every free unit holds a near value.
struct near_everywhere : dut {
    explicit near_everywhere(uint32_t sthld, machine c = defaults()) : dut(with(c, sthld))
    {
        for (unsigned u = 0; u < c.rf.collectors; u++) {
            pass(u, u, {1}, 1);
        }
    }
    static machine with(machine c, uint32_t sthld)
    {
        c.own.sthld_mode = SMRF_MALEKEH_FIXED;
        c.own.sthld = sthld;
        return c;
    }
};

TEST(MalekehAllocation, WaitsWhileTheCounterIsBelowSthldThenForcesAndClears) // circles 7, 8, 9
{
    near_everywhere d(3);
    uint64_t cycle = 100;
    for (int round = 0; round < 3; round++) {
        for (int n = 0; n < 3; n++) {
            EXPECT_EQ(SMRF_PICK_NONE_WAIT, d.pick(7, 0b11, cycle++));
        }
        EXPECT_GE(d.pick(7, 0b11, cycle++), 0);
        EXPECT_EQ(0u, d.m().waited[0]);
    }
    EXPECT_EQ(9u, d.m().stats.waits);
    EXPECT_EQ(3u, d.m().stats.forced_allocations);
}

TEST(MalekehAllocation, InclusiveWaitsOneLonger)
{
    machine c = defaults();
    c.own.wait_inclusive = 1;
    near_everywhere d(0, c);
    EXPECT_EQ(SMRF_PICK_NONE_WAIT, d.pick(7, 0b11, 1));
    EXPECT_GE(d.pick(7, 0b11, 2), 0);
    near_everywhere plain(0);
    EXPECT_GE(plain.pick(7, 0b11, 1), 0) << "STHLD 0 never waits";
}

TEST(MalekehAllocation, TheCounterTakesOneStepACycleHoweverOftenItIsAsked)
{
    near_everywhere d(3);
    for (int n = 0; n < 10; n++) {
        d.pick(unsigned(5 + n % 2), 0b11, 50);
    }
    EXPECT_EQ(1u, d.m().waited[0]);
}

TEST(MalekehAllocation, TheCounterSurvivesOtherAllocations)
{
    near_everywhere d(3);
    d.pick(7, 0b11, 1);
    d.pick(0, 0b11, 2); // its own unit
    EXPECT_EQ(1u, d.m().waited[0]);
    d.pass(1, 1, {1}, 0); // unit 1 is far now
    d.pick(7, 0b11, 3);
    EXPECT_EQ(1u, d.m().waited[0]) << "a far unit does not clear it";
    machine c = defaults();
    c.own.wait_clear = SMRF_MALEKEH_CLEAR_ANY;
    near_everywhere any(3, c);
    any.pick(7, 0b11, 1);
    any.pass(1, 1, {1}, 0);
    any.pick(7, 0b11, 3);
    EXPECT_EQ(0u, any.m().waited[0]) << "unless it is to";
}

TEST(MalekehAllocation, CountersAreOneASubcoreOrOneAnSm)
{
    for (uint32_t counter : {SMRF_MALEKEH_PER_SUBCORE, SMRF_MALEKEH_PER_SM}) {
        machine c = defaults();
        c.own.wait_counter = counter;
        near_everywhere d(5, c);
        d.pick(7, 0b11, 1);
        for (unsigned u = 0; u < 2; u++) { // sub-core 1 as well
            smrf_flight f = d.flight(0, {1}, 1);
            f.warp = uint8_t(4 * u + 1);
            uint32_t missing = smrf_malekeh_allocate(d.state(), 1, u, &f, d.data, d.versions);
            uint32_t row[SMRF_LANES] = {};
            if (missing) {
                smrf_malekeh_arrive(d.state(), 1, u, &f, 0, row, 1);
            }
            smrf_malekeh_dispatch(d.state(), 1, u, &f);
        }
        smrf_malekeh_pick(d.state(), 1, 4 * 7 + 1, 0b11, &d.rng, 2);
        bool shared = counter == SMRF_MALEKEH_PER_SM;
        EXPECT_EQ(shared ? 2u : 1u, d.m().waited[0]);
        EXPECT_EQ(shared ? 0u : 1u, d.m().waited[1]);
    }
}

TEST(MalekehAllocation, ForcedChoiceFewestLosesTheFewestNearValues)
{
    machine c = defaults();
    c.own.forced_choice = SMRF_MALEKEH_CHOICE_FEWEST;
    dut d(c);
    d.pass(0, 0, {1, 2}, 0b11);
    d.pass(1, 1, {1, 2, 3, 4, 5}, 0b1);
    EXPECT_EQ(1, d.pick(7, 0b11, 1));
}

TEST(MalekehAllocation, AWaitUnderGtoLetsTheNextWarpTry)
{
    machine c = defaults();
    c.own.priority = SMRF_MALEKEH_GTO;
    near_everywhere d(3, c);
    EXPECT_EQ(SMRF_PICK_NEXT_WAIT, d.pick(7, 0b11, 1));
    EXPECT_EQ(0, d.pick(0, 0b11, 1)) << "an owner behind it";
}

TEST(MalekehAllocation, OwnWithoutWaitsTakesAnyFreeUnitForANewcomer)
{
    machine c = defaults();
    c.own.allocation = SMRF_MALEKEH_OWN;
    near_everywhere d(1000, c);
    std::set<int> seen;
    for (int n = 0; n < 60; n++) {
        seen.insert(d.pick(7, 0b11, uint64_t(n)));
    }
    EXPECT_EQ((std::set<int>{0, 1}), seen);
    EXPECT_EQ(0, d.pick(0, 0b11));
    EXPECT_EQ(SMRF_PICK_NEXT, d.pick(0, 0b10));
}

TEST(MalekehAllocation, PrivateGivesWarpKUnitK)
{
    machine c = defaults();
    c.own.allocation = SMRF_MALEKEH_PRIVATE;
    c.rf.collectors = 8;
    dut d(c);
    for (unsigned k = 0; k < 8; k++) {
        EXPECT_EQ(int(k), d.pick(k, 0xff));
        EXPECT_EQ(SMRF_PICK_NEXT, d.pick(k, 0xffu & ~(1u << k)));
    }
    EXPECT_EQ(bit(2) | bit(5), d.eligible(0b00100100, 0xff));
    c.rf.collectors = 2;
    EXPECT_NE(nullptr, smrf_malekeh_check(&c.setup())) << "a unit for every warp";
}

TEST(MalekehAllocation, AnyPicksWhatTheBaselineWouldWithTheSameRandomNumbers)
{
    machine c = defaults();
    c.own.allocation = SMRF_MALEKEH_ANY;
    c.rf.collectors = 4;
    dut d(c);
    smrf_rng same = d.rng;
    for (int n = 0; n < 50; n++) {
        EXPECT_EQ(int(smrf_collectors_choose(0b1011, c.rf.collector_pick, &same)),
                  d.pick(unsigned(n % 8), 0b1011));
    }
}

// --- ownership

TEST(MalekehOwnership, AWarpThatIsPushedOutOwnsNothing)
{
    dut d;
    d.pass(0, 3, {1, 2}, 0b11);
    d.pass(0, 4, {5});
    EXPECT_EQ(1u, d.m().stats.flushes);
    EXPECT_EQ(2u, d.m().stats.near_flushed);
    EXPECT_FALSE(d.write(3, 1, true, 1)) << "its result goes to its bank only";
    EXPECT_EQ(1u, d.m().stats.homeless);
    EXPECT_TRUE(d.write(4, 1, true, 1));
}

TEST(MalekehOwnership, AWarpThatMovesLeavesNoCopyBehind) // allocation `any`
{
    machine c = defaults();
    c.own.allocation = SMRF_MALEKEH_ANY;
    dut d(c);
    uint32_t inside = d.enter(0, 3, {1, 2});
    d.pass(1, 3, {1});
    EXPECT_EQ(nullptr, smrf_malekeh_copy(d.state(), 0, 12, 2));
    EXPECT_NE(nullptr, smrf_malekeh_copy(d.state(), 0, 12, 1)) << "in the new unit";
    EXPECT_TRUE(d.write(3, 1, true, 1));
    d.leave(0, inside);
    EXPECT_EQ(0u, d.m().sub[0].ccu[0].valid);
    EXPECT_EQ(0u, d.m().stats.faults_owner);
}

TEST(MalekehOwnership, AnExitEmptiesTheUnit)
{
    dut d;
    d.pass(0, 3, {1}, 1);
    smrf_malekeh_exit(d.state(), 12);
    EXPECT_EQ(0u, d.preferred());
    EXPECT_EQ(0u, d.m().sub[0].near) << "nobody waits for a dead value";
    EXPECT_EQ(1u, d.m().stats.exit_flushes);
    EXPECT_EQ(0b1u, d.pass(0, 3, {1})) << "a new warp of the slot hits nothing";
}

TEST(MalekehOwnership, WithoutFlushOnExitTheNextWarpOfTheSlotFlushes)
{
    machine c = defaults();
    c.own.flush_on_exit = 0;
    dut d(c);
    d.pass(0, 3, {1}, 1);
    smrf_malekeh_exit(d.state(), 12);
    EXPECT_EQ(bit(3), d.preferred());
    smrf_malekeh_start(d.state(), 12, 0, 8);
    EXPECT_EQ(0u, d.preferred());
    EXPECT_EQ(0b1u, d.pass(0, 3, {1}));
}

// --- what is counted

TEST(MalekehCounts, RegistersNamedTwiceCountTwiceInTheSecondRatio)
{
    dut d;
    d.op.num_src = 4; // R1 R2 R1 R1
    const uint8_t named[] = {1, 2, 1, 1};
    std::copy(named, named + 4, d.op.src);
    d.pass(0, 3, {1, 2});
    d.pass(0, 3, {1, 2});
    EXPECT_EQ(4u, d.m().stats.sources);
    EXPECT_EQ(2u, d.m().stats.hits);
    EXPECT_EQ(8u, d.m().stats.named_sources);
    EXPECT_EQ(4u, d.m().stats.named_hits);
}

TEST(MalekehCounts, EveryResultHasOneFate)
{
    dut d;
    d.pass(0, 3, {1, 2});
    d.write(3, 9, true, 1);                // kept
    d.write(3, 8, true, 1);                // no port
    d.write(3, 2, false, 2);               // filtered, drops the old copy
    d.write(5, 1, true, 2);                // homeless
    d.write(3, 4, true, 3, SMRF_ROW_NONE); // no bank
    const smrf_malekeh_stats &s = d.m().stats;
    EXPECT_EQ(5u, s.results);
    EXPECT_EQ(4u, s.near_results);
    EXPECT_EQ(1u, s.kept);
    EXPECT_EQ(1u, s.port_drops);
    EXPECT_EQ(2u, s.filtered);
    EXPECT_EQ(1u, s.homeless);
    EXPECT_EQ(1u, s.invalidations);
}

TEST(MalekehCounts, HitsHandOverValueAndVersion)
{
    dut d;
    d.pass(0, 3, {1});
    d.write(3, 6, true, 1);
    uint32_t written = d.version;
    EXPECT_EQ(0u, d.enter(0, 3, {6, 1}));
    EXPECT_EQ(6u, d.data[0][0]);
    EXPECT_EQ(written, d.versions[0]);
    EXPECT_EQ(1u, d.versions[1]);
}

// --- the GPU's part

TEST(MalekehGpu, EdgesGiveEverySmTheMachinesSthld)
{
    machine c = defaults();
    dut d(c);
    const smrf_gpu_seam &gpu = *smrf_malekeh_long.gpu;
    std::vector<char> g(gpu.bytes(&d.setup));
    ASSERT_EQ(0, gpu.init(g.data(), &d.setup));
    EXPECT_EQ(10000u, gpu.interval(&d.setup));
    void *sm[] = {d.state()};
    uint64_t row[SMRF_SERIES_COLUMNS];
    EXPECT_TRUE(gpu.edge(g.data(), sm, 10000, 500000, 1, row));
    EXPECT_EQ(8u, d.m().sthld);
    EXPECT_EQ((std::vector<uint64_t>{10000, 500000, 50000000, 0, 1}),
              std::vector<uint64_t>(row, row + 5));
    EXPECT_FALSE(gpu.edge(g.data(), sm, 20000, 0, 1, row)) << "an idle interval leaves no row";
    EXPECT_EQ(8u, d.m().sthld);
    EXPECT_TRUE(gpu.edge(g.data(), sm, 30000, 100000, 1, row)) << "a large fall";
    EXPECT_EQ(16u, d.m().sthld);
    EXPECT_EQ(1u, row[5]);
}

TEST(MalekehGpu, FixedSthldStaysAndRestartGoesBackToTheStart)
{
    machine c = defaults();
    c.own.sthld_mode = SMRF_MALEKEH_FIXED;
    c.own.sthld = 500;
    dut d(c);
    const smrf_gpu_seam &gpu = *smrf_malekeh_long.gpu;
    std::vector<char> g(gpu.bytes(&d.setup));
    ASSERT_EQ(0, gpu.init(g.data(), &d.setup));
    void *sm[] = {d.state()};
    uint64_t row[SMRF_SERIES_COLUMNS];
    for (uint64_t n = 1; n < 5; n++) {
        EXPECT_TRUE(gpu.edge(g.data(), sm, n * 10000, n * 1000, 1, row));
        EXPECT_EQ(500u, d.m().sthld);
    }
    for (bool restart : {false, true}) {
        c = defaults();
        c.own.sthld_restart = restart;
        dut e(c);
        ASSERT_EQ(0, gpu.init(g.data(), &e.setup));
        void *sms[] = {e.state()};
        gpu.edge(g.data(), sms, 10000, 1000, 1, row);
        gpu.edge(g.data(), sms, 20000, 1000, 2, row);
        EXPECT_EQ(restart ? 1u : 2u, row[4]);
    }
}

TEST(MalekehGpu, WhoNeverWaitsHasNoInterval)
{
    for (uint32_t a : {SMRF_MALEKEH_OWN, SMRF_MALEKEH_ANY, SMRF_MALEKEH_PRIVATE}) {
        machine c = defaults();
        c.own.allocation = a;
        EXPECT_EQ(0u, smrf_malekeh_long.gpu->interval(&c.setup()));
    }
}

TEST(MalekehGpu, AFirstSthldAboveTheCeilingIsRefused)
{
    machine c = defaults();
    c.own.sthld = 65;
    EXPECT_NE(nullptr, smrf_malekeh_check(&c.setup()));
    c.own.sthld_mode = SMRF_MALEKEH_FIXED;
    EXPECT_EQ(nullptr, smrf_malekeh_check(&c.setup()));
}

} // namespace
