// SPDX-License-Identifier: Apache-2.0
// Blocks and their limits, fetch, barriers, fences, atomics, and what the policies do to the order
// of issue.
#include "../support/microbench.h"
#include "../support/sm_dut.h"

#include <set>

namespace
{

using namespace sm_test;

const uint64_t GLOBAL = UINT64_C(0x7f0a20000000);

step sp(std::vector<uint8_t> dst, std::vector<uint8_t> src)
{
    return alu(SMRF_CLASS_SP, dst, src);
}

step barrier()
{
    return alu(SMRF_CLASS_BARRIER, {}, {});
}

step load(uint8_t dst, uint64_t address)
{
    return memory(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, {dst}, {2}, address);
}

// A block of n warps that all run p.
block of(unsigned n, program p)
{
    return block(n, p);
}

// --- occupancy ---

struct limit_case {
    const char *key;
    uint32_t warps, registers, shared; // of a block
    size_t expected;
};

class limits : public testing::TestWithParam<limit_case>
{
};

TEST_P(limits, BoundTheResidentBlocks)
{
    const limit_case &c = GetParam();
    smrf_config cfg = replay::preset("rtx2060-paper", {"sm.shared_bytes=64K"});
    if (std::string(c.key) == "sm.threads") {
        cfg.sm.threads = 512;
    }
    program p;
    for (int i = 0; i < 100; i++) { // longer than it takes to place all blocks
        p.push_back(alu(SMRF_CLASS_SFU, {1}, {1}));
    }
    p.push_back(exit_step());
    std::vector<block> blocks(40, of(c.warps, p));
    dut d(cfg, blocks, c.registers, c.shared);
    const char *limit = nullptr;
    EXPECT_EQ(c.expected,
              smrf_sm_occupancy(sm_of(cfg), smrf_mechanism_find("baseline"), &d.kernel, &limit));
    EXPECT_STREQ(c.key, limit);
    d.run();
    EXPECT_EQ(c.expected, d.most_resident);
    EXPECT_EQ(40u, d.stats().blocks);
}

INSTANTIATE_TEST_SUITE_P(Occupancy, limits,
                         testing::Values(limit_case{"sm.threads", 3, 16, 0, 5},    // 512 / 96
                                         limit_case{"sm.threads", 8, 16, 0, 2},    // 512 / 256
                                         limit_case{"sm.blocks", 1, 16, 0, 16},    // 16
                                         limit_case{"sm.registers", 4, 128, 0, 4}, // 64K / 16K
                                         limit_case{"sm.registers", 8, 200, 0, 1}, // 64K / 51200
                                         limit_case{"sm.shared_bytes", 1, 16, 20000, 3}));

TEST(Occupancy, WarpSlotsLimitBlocksToMultiplesOfTheirSize)
{
    smrf_config cfg = replay::preset("rtx2060-paper", {"sm.threads=640", "sm.warps=20"});
    std::vector<block> blocks(10, of(6, {alu(SMRF_CLASS_DP, {1}, {1}), exit_step()}));
    dut d(cfg, blocks);
    EXPECT_EQ(3u,
              smrf_sm_occupancy(sm_of(cfg), smrf_mechanism_find("baseline"), &d.kernel, nullptr))
        << "20 / 6";
    d.run();
    EXPECT_EQ(3u, d.most_resident);
}

TEST(Occupancy, RegistersAreRoundedUpToTheirUnit)
{
    smrf_config cfg = replay::preset("rtx2060-paper", {"sm.register_unit=8"});
    smrf_sm_kernel k{};
    k.warps_per_block = 8;
    k.registers = 57; // 64
    EXPECT_EQ(4u, smrf_sm_occupancy(sm_of(cfg), smrf_mechanism_find("baseline"), &k, nullptr));
    k.registers = 65; // 72: 65536 / (256 x 72)
    EXPECT_EQ(3u, smrf_sm_occupancy(sm_of(cfg), smrf_mechanism_find("baseline"), &k, nullptr));
}

TEST(Occupancy, ABlockThatFitsTheSmButNotOneSubCoreIsRefused)
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    smrf_sm_kernel k{};
    const char *limit = nullptr;
    k.warps_per_block = 9; // three warps in sub-core 0
    k.registers = 200;     // 600 of its 512 rows
    EXPECT_EQ(0u, smrf_sm_occupancy(sm_of(cfg), smrf_mechanism_find("baseline"), &k, &limit));
    EXPECT_STREQ("sm.registers", limit);
    cfg.sm.registers_pooled = 1;
    EXPECT_EQ(1u, smrf_sm_occupancy(sm_of(cfg), smrf_mechanism_find("baseline"), &k, nullptr));
}

TEST(Launch, OneBlockACycleUnlessConfigured)
{
    for (uint32_t per_cycle : {1u, 2u, 4u}) {
        smrf_config cfg = replay::preset("rtx2060-paper");
        cfg.gpu.blocks_per_cycle = per_cycle;
        dut d(cfg, std::vector<block>(8, of(1, {exit_step()})));
        d.run();
        for (size_t i = 0; i < 8; i++) {
            EXPECT_EQ(1 + i / per_cycle, d.launches[i]) << i;
        }
    }
}

TEST(Launch, LatencyMovesTheWholeKernel)
{
    replay::temporary_folder folder;
    microbench::write(folder.path(), microbench::parse("ind_ffma_1src_w4_n64"));
    replay::result base = replay::run(folder.path(), replay::preset("rtx2060-paper"));
    for (const char *latency : {"gpu.launch_latency=1", "gpu.launch_latency=5000"}) {
        replay::result r = replay::run(folder.path(), replay::preset("rtx2060-paper", {latency}));
        uint64_t shift = std::stoull(std::string(latency).substr(19));
        EXPECT_EQ(base.kernels[0].first + shift, r.kernels[0].first);
        EXPECT_EQ(base.kernels[0].second + shift, r.kernels[0].second);
    }
}

// --- fetch ---

TEST(Fetch, EveryCycleRefillsSoManyWarpsRoundRobinFromWarpOne)
{
    for (uint32_t width : {1u, 2u, 4u}) {
        smrf_config cfg = replay::preset("rtx2060-paper", {"sm.warps=8", "sm.threads=256"});
        cfg.frontend.fetch_warps = width;
        dut d(cfg, {of(8, {exit_step()})});
        d.run();
        for (unsigned turn = 0; turn < 8; turn++) {
            unsigned warp = (1 + turn) % 8;
            // Decoded in the cycle of its fetch, but for the last fetch of a cycle; issued in the
            // next.
            uint64_t decoded = 1 + (turn + 1) / width;
            EXPECT_LE(decoded + 1, d.cycles_of(warp)[0]) << "width " << width << " warp " << warp;
            EXPECT_GE(decoded + 2, d.cycles_of(warp)[0]) << "at most one ready before it";
        }
    }
}

TEST(Fetch, OnlyAnEmptyBufferIsRefilled)
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    cfg.frontend.fetch_warps = 1; // a refill takes a cycle to be decoded
    cfg.rf.collectors = 4;
    cfg.exec.sp_interval = 1;
    program p;
    for (unsigned i = 0; i < 16; i++) {
        p.push_back(sp({uint8_t(10 + i)}, {}));
    }
    p.push_back(exit_step());
    dut d(cfg, {{p}});
    d.run();
    std::vector<uint64_t> at = d.cycles_of(0);
    for (size_t i = 1; i < 16; i++) {
        EXPECT_EQ(at[i - 1] + (i % 2 ? 1 : 2), at[i]) << "two at a time, then a bubble: " << i;
    }
}

// --- barriers, fences, atomics ---

TEST(Barrier, NobodyPassesBeforeTheLastHasArrived)
{
    for (const char *preset : {"rtx2060-paper", "rtx2060-accelsim"}) {
        program early{barrier(), sp({1}, {}), exit_step()}, late;
        for (int i = 0; i < 10; i++) {
            late.push_back(alu(SMRF_CLASS_SFU, {1}, {1}));
        }
        late.push_back(alu(SMRF_CLASS_BARRIER, {}, {1}));
        late.push_back(sp({1}, {}));
        late.push_back(exit_step());
        dut d(replay::preset(preset), {{early, early, late, early, early}});
        d.run();
        uint64_t arrived = d.cycles_of(2)[10];
        for (unsigned w : {0u, 1u, 3u, 4u}) {
            EXPECT_LT(d.cycles_of(w)[0], arrived);
            EXPECT_GE(d.cycles_of(w)[1], arrived) << preset << " warp " << w;
            EXPECT_LE(d.cycles_of(w)[1], arrived + 3) << preset << " warp " << w;
        }
        EXPECT_EQ(1u, d.stats().barriers);
    }
}

TEST(Barrier, WarpsThatHaveEndedAreNotWaitedFor)
{
    program leaves;
    for (int i = 0; i < 5; i++) {
        leaves.push_back(alu(SMRF_CLASS_SFU, {1}, {1}));
    }
    leaves.push_back(alu(SMRF_CLASS_EXIT, {}, {1}));
    program stays{barrier(), sp({1}, {}), exit_step()};
    dut d(replay::preset("rtx2060-paper"), {{stays, leaves, stays}});
    d.run();
    uint64_t left = d.cycles_of(1).back();
    EXPECT_GE(d.cycles_of(0)[1], left);
    EXPECT_LE(d.cycles_of(0)[1], left + 1) << "from the issue of its last instruction on";
}

TEST(Barrier, BlocksDoNotWaitForEachOther)
{
    program slow, fast{barrier(), sp({1}, {}), exit_step()};
    for (int i = 0; i < 30; i++) {
        slow.push_back(alu(SMRF_CLASS_DP, {1}, {1}));
    }
    slow.push_back(barrier());
    slow.push_back(exit_step());
    dut d(replay::preset("rtx2060-paper"), {{slow, slow}, {fast, fast}});
    d.run();
    EXPECT_LT(d.ends[0], 100u) << "the fast block ends first";
    EXPECT_EQ(2u, d.stats().barriers);
}

TEST(Fence, WaitsForTheLoadsBeforeIt)
{
    step fence = memory(SMRF_CLASS_MEMBAR, SMRF_SPACE_NONE, {}, {}, 0);
    fence.op.access_bytes = 0;
    for (uint64_t latency : {100u, 300u}) {
        dut d(replay::preset("rtx2060-paper"),
              {{{load(4, GLOBAL), fence, sp({1}, {}), exit_step()}}});
        d.memory_latency = latency;
        d.run();
        std::vector<uint64_t> at = d.cycles_of(0);
        EXPECT_LT(at[1], at[0] + 10) << "the fence itself does not wait";
        EXPECT_GT(at[2], at[0] + latency) << "what follows it does";
        EXPECT_LT(at[2], at[0] + latency + 80);
    }
}

TEST(Atomic, NothingOfItsWarpIssuesBeforeItReturns)
{
    dut d(replay::preset("rtx2060-paper"),
          {{{memory(SMRF_CLASS_ATOMIC, SMRF_SPACE_GLOBAL, {4}, {2, 3}, GLOBAL), sp({1}, {}),
             exit_step()},
            {sp({1}, {}), sp({2}, {}), exit_step()}}});
    d.memory_latency = 300;
    d.run();
    EXPECT_GT(d.cycles_of(0)[1], d.cycles_of(0)[0] + 300);
    EXPECT_LT(d.cycles_of(1)[1], 50u) << "other warps go on";
}

// --- errors ---

TEST(Errors, AFailingSourceStopsTheSmWithItsError)
{
    dut d(replay::preset("rtx2060-paper"), {of(2, {sp({1}, {1}), exit_step()})});
    d.source_error = SMRF_ERR_IO;
    smrf_sm_begin_kernel(d.sm(), &d.kernel, 0);
    ASSERT_EQ(SMRF_SM_WANTS_BLOCK, smrf_sm_run(d.sm(), 100));
    block b = of(2, {exit_step()});
    smrf_sm_launch_block(d.sm(), &b);
    smrf_sm_set_more_blocks(d.sm(), false);
    EXPECT_EQ(SMRF_SM_ERROR, smrf_sm_run(d.sm(), 100));
    EXPECT_EQ(SMRF_ERR_IO, smrf_sm_error(d.sm()));
    EXPECT_LT(smrf_sm_cycle(d.sm()), 5u) << "at once";
}

TEST(Errors, OnlyPowersOfTwoOfSubCores)
{
    smrf_config cfg = replay::preset("rtx2060-paper");
    dut d(cfg, {of(1, {exit_step()})});
    smrf_sm_links links{};
    cfg.sm.subcores = 3;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_sm_init(d.sm(), sm_of(cfg), 0, &links));
}

// --- policies ---

// Order in which warps 0, 4, 8, 12 of sub-core 0 issue n independent instructions each.
std::vector<unsigned> order_of(smrf_config cfg, unsigned n)
{
    cfg.rf.collectors = 8;
    cfg.exec.sp_interval = 1;
    cfg.frontend.fetch_warps = 32;
    program busy, none{exit_step()};
    for (unsigned i = 0; i < n; i++) {
        busy.push_back(sp({uint8_t(10 + i)}, {}));
    }
    busy.push_back(exit_step());
    block b(16, none);
    for (unsigned w = 0; w < 16; w += 4) {
        b[w] = busy;
    }
    dut d(cfg, {b});
    d.run();
    std::vector<unsigned> order;
    for (auto &i : d.issues) {
        if (i.warp % 4 == 0 && i.index < n) {
            order.push_back(i.warp / 4);
        }
    }
    return order;
}

TEST(Policy, GtoStaysWithAWarpAndLrrGoesRound)
{
    std::vector<unsigned> greedy =
        order_of(replay::preset("rtx2060-paper", {"issue.scheduler=gto"}), 4);
    std::vector<unsigned> round =
        order_of(replay::preset("rtx2060-paper", {"issue.scheduler=lrr"}), 4);
    EXPECT_EQ((std::vector<unsigned>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}), greedy);
    EXPECT_EQ((std::vector<unsigned>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}), round);
}

TEST(Policy, SwlRunsTheOldestWarpsAndThenTheNext)
{
    smrf_config cfg =
        replay::preset("rtx2060-paper", {"issue.scheduler=swl", "issue.limit_warps=2"});
    program p;
    for (int i = 0; i < 20; i++) {
        p.push_back(sp({1}, {1}));
    }
    p.push_back(exit_step());
    dut d(cfg, {of(16, p)}); // four warps a scheduler
    d.run();
    for (unsigned w = 8; w < 16; w++) {
        uint64_t first = std::min(d.cycles_of(w % 4).back(), d.cycles_of(w % 4 + 4).back());
        EXPECT_GT(d.cycles_of(w)[0], first) << "warp " << w << " waits for an older one's end";
    }
    EXPECT_EQ(16u, d.stats().warps) << "everybody has had a turn";
}

TEST(Policy, SwlGivesThePlaceOfAWarpAtABarrierToTheNext)
{
    smrf_config cfg =
        replay::preset("rtx2060-paper", {"issue.scheduler=swl", "issue.limit_warps=1"});
    dut d(cfg, {of(16, {sp({1}, {1}), barrier(), sp({1}, {1}), exit_step()})});
    d.run();
    EXPECT_EQ(1u, d.stats().barriers);
}

TEST(Policy, TwoLevelLetsPendingWarpsInWhenAnActiveOneWaitsForMemory)
{
    smrf_config cfg =
        replay::preset("rtx2060-paper", {"issue.scheduler=two_level", "issue.active_warps=2"});
    program waits{load(4, GLOBAL), sp({5}, {4}), exit_step()}, none{exit_step()}, busy;
    for (int i = 0; i < 60; i++) {
        busy.push_back(sp({5}, {5}));
    }
    busy.push_back(exit_step());
    block b(12, none);
    b[0] = waits;
    b[4] = b[8] = busy; // all of sub-core 0
    dut d(cfg, {b});
    d.run();
    uint64_t promoted = d.cycles_of(8)[0];
    EXPECT_GT(promoted, d.cycles_of(0)[0]) << "two are active: the third waits for a place";
    EXPECT_LT(promoted, d.cycles_of(0)[0] + 10) << "which it gets when the first needs its load";
    EXPECT_LT(d.cycles_of(4)[10], d.cycles_of(0)[1]) << "short waits keep their place";
}

// The papers' port rules. (In Accel-Sim the order of its latches lets SP instructions take every
// collector that becomes free; rtx2060-accelsim does so too.)
TEST(Policy, NoKindOfOperationStarvesAnother)
{
    smrf_config cfg = replay::preset("rtx2060-paper", {"issue.scheduler=lrr"});
    program flood, special, none{exit_step()};
    for (unsigned i = 0; i < 600; i++) {
        flood.push_back(sp({uint8_t(10 + 2 * (i % 16))}, {2, 4, 6}));
    }
    for (unsigned i = 0; i < 60; i++) {
        special.push_back(alu(SMRF_CLASS_SFU, {uint8_t(11 + 2 * (i % 16))}, {3}));
    }
    flood.push_back(exit_step());
    special.push_back(exit_step());
    block b(16, none);
    b[0] = b[4] = b[12] = flood; // with warp 8, all of sub-core 0
    b[8] = special;
    dut d(cfg, {b});
    d.run();
    uint64_t took = d.cycles_of(8)[59] - d.cycles_of(8)[0];
    // A round of four warps: three instructions with three reads and a write in one bank.
    EXPECT_LE(took, 59 * 3 * 4);
    EXPECT_GT(d.cycles_of(0)[599], took) << "the flood outlasts it";
}

TEST(Policy, MonolithicSchedulerIssuesOneInstructionACycleOfAnyWarp)
{
    smrf_config cfg = replay::preset(
        "rtx2060-paper", {"sm.subcores=1", "rf.collectors=16", "rf.banks=16", "rf.dispatch=8"});
    cfg.exec.sp_interval = 1;
    program p;
    for (unsigned i = 0; i < 20; i++) {
        p.push_back(sp({uint8_t(10 + i)}, {}));
    }
    p.push_back(exit_step());
    dut d(cfg, {of(16, p)});
    d.run();
    for (size_t i = 1; i < d.issues.size(); i++) {
        EXPECT_LT(d.issues[i - 1].cycle, d.issues[i].cycle) << i;
    }
    EXPECT_EQ(d.stats().scheduler_cycles, d.stats().active_cycles);
}

// --- turns ---

// The sub-cores take turns at being the first in a cycle. What wakes one of them in the middle of a
// cycle finds it in the same cycle if its turn is still to come, and in the next one otherwise.
TEST(Turns, TheLastWarpAtABarrierReleasesOthersInTheSameCycleOnlyIfTheirTurnIsToCome)
{
    std::set<size_t> released, phases;
    for (uint8_t delay = 0; delay < 4; delay++) {
        const smrf_config cfg = replay::preset("rtx2060-paper", {"gpu.sms=1"});
        const size_t before = 30u + delay;
        block b(4); // a warp a sub-core
        for (size_t i = 0; i < before; i++) {
            b[0].push_back(sp({static_cast<uint8_t>(2 + i)}, {}));
        }
        for (program &p : b) {
            p.push_back(barrier());
            p.push_back(sp({1}, {}));
            p.push_back(exit_step());
        }
        dut d(cfg, {b});
        d.run();
        uint64_t last = 0;
        size_t same = 0;
        for (const issue &i : d.issues) {
            last = i.warp == 0 && i.index == before ? i.cycle : last;
        }
        for (const issue &i : d.issues) {
            if (i.warp != 0 && i.index == 1) {
                EXPECT_LE(i.cycle - last, 1u) << "warp " << i.warp;
                same += i.cycle == last;
            }
        }
        released.insert(same);
        phases.insert((same - last) % 4); // a cycle later, one more comes after sub-core 0
    }
    EXPECT_EQ(1u, phases.size());
    EXPECT_GE(released.size(), 2u) << "the cases differ";
}

} // namespace
