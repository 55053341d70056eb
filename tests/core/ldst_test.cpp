// SPDX-License-Identifier: Apache-2.0
// Load/store unit: its latencies and throughput to the cycle, its limits, and its configurations.
#include "tests/support/config_views.h"
#include "tests/support/ldst_dut.h"

#include <numeric>

using namespace ldst_test;

namespace
{

smrf_static_inst op_of(smrf_class op_class, smrf_space space, uint8_t bytes, bool dst)
{
    smrf_static_inst op{};
    op.op_class = uint8_t(op_class);
    op.space = uint8_t(space);
    op.access_bytes = bytes;
    op.num_dst = dst;
    op.num_dst_base = dst;
    return op;
}

step one(smrf_class op_class, smrf_space space, uint8_t bytes, uint64_t base, int64_t stride)
{
    step s;
    s.op = op_of(op_class, space, bytes, op_class == SMRF_CLASS_LOAD);
    s.inst.addr_kind = SMRF_ADDR_STRIDE;
    s.inst.base = base;
    s.inst.stride = stride;
    s.inst.mask = 0xffffffff;
    return s;
}

step ldg(uint64_t base, int64_t stride = 4)
{
    return one(SMRF_CLASS_LOAD, SMRF_SPACE_GLOBAL, 4, base, stride);
}

step stg(uint64_t base, int64_t stride = 4)
{
    return one(SMRF_CLASS_STORE, SMRF_SPACE_GLOBAL, 4, base, stride);
}

// Accel-Sim's behaviours that the preset rtx2060-accelsim asks for.
smrf_config accelsim()
{
    smrf_config c = defaults();
    c.rf.l1_hit_writes = 0;
    c.rf.write_per_sector = 1;
    return c;
}

// Accept s now and run until the unit is idle; returns the cycle of the slot's last event.
uint64_t run_one(dut &d, step s, uint32_t slot = 0)
{
    uint64_t end = 0;
    s.inst.op = &s.op;
    d.accept(s, slot);
    while (!smrf_ldst_idle(d.l)) {
        d.now++;
        d.cycle();
    }
    for (const event &e : d.o.log) {
        if (e[2] == slot && (e[1] == COMPLETE || (e[1] == WRITE_BACK && e[3]))) {
            end = e[0];
        }
    }
    return end;
}

size_t count(const event_log &log, what kind)
{
    return size_t(std::count_if(log.begin(), log.end(),
                                [=](const event &e) { return e[1] == uint64_t(kind); }));
}

} // namespace

// The unit accepts an instruction 3 cycles after its issue, so that Accel-Sim's distances from
// issue to dependent issue are 3 more than these.
TEST(LdstLatency, HitIsUsable33CyclesAfterAccept)
{
    dut d(accelsim());
    d.now = 10;
    run_one(d, ldg(0x1000));
    d.now = 1000;
    EXPECT_EQ(1000u + 36 - 3, run_one(d, ldg(0x1000), 1));
    EXPECT_EQ(4u, count(d.o.log, WRITE_BACK)) << "only the miss writes, once a sector";
}

TEST(LdstLatency, HitThatWritesBanksTakesTheWriteBackPort)
{
    smrf_config c = accelsim();
    c.rf.l1_hit_writes = 1;
    dut d(c);
    run_one(d, ldg(0x1000));
    d.now = 1000;
    // The hit is ready in 1033, is held from 1034 on, and is written in 1035.
    EXPECT_EQ(1035u, run_one(d, ldg(0x1000), 1));
    EXPECT_EQ(5u, count(d.o.log, WRITE_BACK));
}

TEST(LdstLatency, SharedLoadIsWritten32CyclesAfterAcceptAndOneLaterForEveryConflict)
{
    dut d(accelsim());
    for (uint32_t words = 0; words <= 33; words++) {
        d.now = 1000 * (words + 1);
        step s = one(SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 0, words * 4);
        uint32_t passes = words ? std::gcd(words, 32u) : 1;
        uint64_t start = d.now;
        EXPECT_EQ(start + 35 - 3 + passes - 1, run_one(d, s, words)) << words;
    }
}

TEST(LdstLatency, MissEndsFourSectorsAfterTheMemorysAnswer)
{
    for (uint32_t latency : {1u, 7u, 170u}) {
        dut d(accelsim(), world{0, latency, latency, 0, 0});
        d.now = 100;
        // Dispatched 101, at the tags 133, sent 134..137, one answer a cycle; the last answer is
        // filled in 137 + latency, taken by the write-back port a cycle later, written another.
        EXPECT_EQ(100 + 1 + 32 + 4 + latency + 2, run_one(d, ldg(0x1000)));
        EXPECT_EQ(4u, count(d.o.log, SEND));
    }
}

TEST(LdstLatency, OneWriteALoadWaitsForAllSectors)
{
    smrf_config c = accelsim();
    c.rf.write_per_sector = 0;
    dut d(c, world{0, 50, 50, 0, 0});
    d.now = 100;
    EXPECT_EQ(100u + 1 + 32 + 4 + 50 + 2, run_one(d, ldg(0x1000)));
    EXPECT_EQ(1u, count(d.o.log, WRITE_BACK));
}

TEST(LdstLatency, PartialHitEndsWithItsLastSector)
{
    dut d(accelsim(), world{0, 50, 50, 0, 0});
    step half = ldg(0x1000);
    half.inst.mask = 0xffff; // two sectors
    run_one(d, half);
    d.now = 1000;
    // Sectors 2 and 3 miss: sent 1034, 1035.
    EXPECT_EQ(1035u + 50 + 2, run_one(d, ldg(0x1000), 1));
    EXPECT_EQ(4u, count(d.o.log, SEND));
}

namespace
{

// Accept copies of s in consecutive cycles from `from` on, then run to the end; cycles of `kind`.
std::vector<uint64_t> stream(dut &d, const step &s, uint32_t copies, uint64_t from, what kind)
{
    program p(copies, s);
    std::vector<uint64_t> out;
    link(p);
    d.now = from;
    for (uint32_t i = 0; i < copies; i++, d.now++) {
        d.cycle();
        EXPECT_TRUE(smrf_ldst_free(d.l)) << i;
        if (smrf_ldst_free(d.l)) {
            d.accept(p[i], i);
        }
    }
    for (; !smrf_ldst_idle(d.l); d.now++) {
        d.cycle();
    }
    for (const event &e : d.o.log) {
        if (e[1] == uint64_t(kind) && e[0] >= from) {
            out.push_back(e[0]);
        }
    }
    return out;
}

std::vector<uint64_t> consecutive(uint64_t first, uint32_t n)
{
    std::vector<uint64_t> out(n);
    std::iota(out.begin(), out.end(), first);
    return out;
}

} // namespace

TEST(LdstThroughput, CoalescedHitsOneACycle)
{
    dut d(accelsim());
    run_one(d, ldg(0x1000), 1000);
    EXPECT_EQ(consecutive(1033, 64), stream(d, ldg(0x1000), 64, 1000, COMPLETE));
}

TEST(LdstThroughput, SharedLoadsWithoutConflictsOneACycle)
{
    dut d(accelsim());
    step s = one(SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 0, 4);
    EXPECT_EQ(consecutive(1032, 100), stream(d, s, 100, 1000, WRITE_BACK));
}

TEST(LdstThroughput, OneBankTakesOneSectorACycleAndPortsMultiplyIt)
{
    for (uint32_t ports : {1u, 2u, 4u}) {
        smrf_config c = accelsim();
        c.l1d.ports = ports;
        dut d(c);
        d.now = 1000;
        // 32 sectors, all in bank 0; a store leaves with its last sector.
        EXPECT_EQ(1000u + 32 / ports, run_one(d, stg(0x1000, 128)));
        EXPECT_EQ(32 / ports - 1, smrf_ldst_statistics(d.l)->bank_conflict_stalls);
        EXPECT_EQ(32u, smrf_ldst_statistics(d.l)->writes_sent);
    }
}

TEST(LdstThroughput, PastL1OneSectorACycleFromTheHighestAddressDown)
{
    dut d(accelsim());
    step s = ldg(0x1000);
    s.op.flags = SMRF_INST_BYPASS_L1;
    d.now = 100;
    run_one(d, s);
    ASSERT_EQ(4u, count(d.o.log, SEND));
    uint64_t k = 0;
    for (const event &e : d.o.log) {
        if (e[1] == SEND) {
            EXPECT_EQ(101 + k, e[0]);
            EXPECT_EQ(0x1060 - 32 * k, e[2]);
            k++;
        }
    }
}

TEST(Ldst, StoresCountTheirAnswers)
{
    dut d(accelsim());
    run_one(d, stg(0x1000));
    run_one(d, stg(0x1000, 32), 1);
    step red = one(SMRF_CLASS_ATOMIC, SMRF_SPACE_GLOBAL, 4, 0x2000, 4);
    run_one(d, red, 2);
    int64_t awaited = 0;
    uint32_t up = 0;
    for (const event &e : d.o.log) {
        if (e[1] == STORES) {
            awaited += int64_t(e[3]);
            up += int64_t(e[3]) > 0;
        }
        EXPECT_GE(awaited, 0);
    }
    EXPECT_EQ(0, awaited);
    EXPECT_EQ(4u + 32, up) << "not the reduction's";
    EXPECT_EQ(3u, count(d.o.log, COMPLETE));
    EXPECT_EQ(0u, count(d.o.log, WRITE_BACK));
}

// Its warp waits for it (Accel-Sim counts a warp's atomics until each is answered), and its kernel.
TEST(Ldst, AReductionEndsWithItsLastAnswer)
{
    dut d(accelsim(), world{0, 100, 100, 0, 0});
    d.now = 1000;
    step red = one(SMRF_CLASS_ATOMIC, SMRF_SPACE_GLOBAL, 4, 0x2000, 4);
    const uint64_t end = run_one(d, red);
    uint64_t sent = 0;
    for (const event &e : d.o.log) {
        sent = e[1] == SEND ? e[0] : sent;
        EXPECT_NE(uint64_t(STORES), e[1]);
    }
    EXPECT_EQ(sent + 100 + 2, end) << "taken for write-back, and its turn a cycle later";
    EXPECT_EQ(4u, smrf_ldst_statistics(d.l)->answers);
    EXPECT_EQ(1u, count(d.o.log, COMPLETE));
    EXPECT_TRUE(smrf_ldst_idle(d.l));
}

// .. and goes on when the last answer is taken, a cycle before its turn.
TEST(Ldst, AWarpHearsOnceThatItsAtomicIsAnswered)
{
    for (const int space : {SMRF_SPACE_GLOBAL, SMRF_SPACE_SHARED}) {
        for (const uint32_t lanes : {0u, 1u, UINT32_MAX}) {
            SCOPED_TRACE(std::to_string(space) + " " + std::to_string(lanes));
            dut d(accelsim(), world{0, 100, 100, 0, 0});
            d.now = 1000;
            step atomic = one(SMRF_CLASS_ATOMIC, smrf_space(space), 4, 0x2000, 4);
            atomic.op.num_dst = atomic.op.num_dst_base = 1;
            atomic.inst.mask = lanes;
            const uint64_t end = run_one(d, atomic);
            ASSERT_EQ(lanes ? 1u : 0u, count(d.o.log, ANSWERED));
            for (const event &e : d.o.log) {
                if (e[1] == ANSWERED) {
                    EXPECT_EQ(end - 1, e[0]);
                }
            }
        }
    }
}

TEST(Ldst, LoadsWithoutLanesCompleteAndThoseWithoutDestinationWaitForTheirData)
{
    dut d(accelsim(), world{0, 100, 100, 0, 0});
    step prefetch = ldg(0x1000), none = ldg(0x2000), gs = ldg(0x3000);
    prefetch.op.num_dst = prefetch.op.num_dst_base = 0;
    none.inst.mask = 0;
    gs.op.num_dst = gs.op.num_dst_base = 0;
    gs.op.flags = SMRF_INST_SHARED_AND_GLOBAL;
    d.now = 1000;
    EXPECT_EQ(1000u + 1 + 32 + 4 + 100 + 2, run_one(d, prefetch, 0));
    d.now = 2000;
    EXPECT_EQ(2001u, run_one(d, none, 1));
    d.now = 3000;
    EXPECT_EQ(3000u + 1 + 32 + 4 + 100 + 2, run_one(d, gs, 2));
    EXPECT_EQ(0u, count(d.o.log, WRITE_BACK));
    EXPECT_EQ(8u, count(d.o.log, SEND));
}

// Source: GPGPU-Sim ldst_unit::shared_cycle, ldst_unit::cycle.
TEST(Ldst, ASharedLoadWithoutLanesTakesThePipeAndAStoreDoesNot)
{
    dut d(accelsim());
    step load = one(SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 0x100, 4),
         store = one(SMRF_CLASS_STORE, SMRF_SPACE_SHARED, 4, 0x100, 4);
    load.op.num_dst = load.op.num_dst_base = 1;
    d.now = 1000;
    const uint64_t with = run_one(d, load, 0) - 1000;
    load.inst.mask = store.inst.mask = 0;
    d.now = 2000;
    EXPECT_EQ(2000 + with, run_one(d, load, 1));
    EXPECT_EQ(2u, count(d.o.log, WRITE_BACK));
    d.now = 3000;
    EXPECT_EQ(3001u, run_one(d, store, 2));
    EXPECT_EQ(2u, smrf_ldst_statistics(d.l)->others);
}

// A word of local memory is one place, whichever way it is accessed; in Accel-Sim it is two.
TEST(Ldst, GenericAccessesFindLocalMemoryWhereTheOptionSays)
{
    for (const uint32_t where : {SMRF_GENERIC_LOCAL_WINDOW, SMRF_GENERIC_LOCAL_ACCELSIM}) {
        smrf_config c = accelsim();
        c.ldst.generic_local = where;
        dut d(c);
        step direct = one(SMRF_CLASS_LOAD, SMRF_SPACE_LOCAL, 4, 0x40, 0),
             generic = one(SMRF_CLASS_LOAD, SMRF_SPACE_GENERIC, 4, local_window + 0x40, 0);
        direct.op.num_dst = direct.op.num_dst_base = 1;
        generic.op.num_dst = generic.op.num_dst_base = 1;
        run_one(d, direct, 0);
        const size_t sent = count(d.o.log, SEND);
        run_one(d, generic, 0);
        EXPECT_EQ(4u, sent);
        EXPECT_EQ(where == SMRF_GENERIC_LOCAL_WINDOW ? sent : 2 * sent, count(d.o.log, SEND));
        EXPECT_EQ(2u, smrf_ldst_statistics(d.l)->local_loads);
    }
}

// Accel-Sim's translate_local_memaddr: the threads of a block side by side, then those of the same
// block of the next SM.
TEST(Ldst, LocalMemoryOfBlocksLiesAsAccelSims)
{
    smrf_config c = accelsim();
    c.gpu.sms = 3;
    c.ldst.local_order = SMRF_LOCAL_ORDER_BLOCK;
    for (const uint32_t warp : {0u, 1u, 2u, 5u}) {
        dut d(c);
        smrf_ldst_order_local(d.l, 2, 4); // blocks of 64 threads, 4 an SM: 768 threads
        step load = one(SMRF_CLASS_LOAD, SMRF_SPACE_LOCAL, 4, 0x40, 0);
        load.inst.mask = 1;
        load.warp = warp;
        run_one(d, load, 0);
        const auto sent = std::find_if(d.o.log.begin(), d.o.log.end(),
                                       [](const event &e) { return e[1] == SEND; });
        ASSERT_NE(d.o.log.end(), sent);
        const uint64_t thread = 64 * 3 * (warp / 2) + warp % 2 * 32, word = 0x40 / 4;
        EXPECT_EQ(0x1f880000 + 4 * (word * 768 + thread), sent->at(2)) << warp;
    }
}

TEST(Ldst, CarveOutSetsTheWaysAtTheStartOfAKernel)
{
    smrf_config c = accelsim(); // 96 KiB, of them 32 or 64 for shared memory; 4 sets of 128 bytes
    dut d(c);
    EXPECT_EQ(128u, smrf_ldst_probe_l1d_ways(d.l));
    struct {
        uint32_t shared, ways;
    } const cases[] = {{0, 128}, {32768, 128}, {32769, 64}, {65536, 64}, {200000, 64}, {1, 128}};
    for (auto k : cases) {
        smrf_ldst_begin_kernel(d.l, k.shared);
        EXPECT_EQ(k.ways, smrf_ldst_probe_l1d_ways(d.l)) << k.shared;
    }
    c.l1d.unified_bytes = 0;
    dut e(c);
    smrf_ldst_begin_kernel(e.l, 1);
    EXPECT_EQ(c.l1d.ways, smrf_ldst_probe_l1d_ways(e.l));
}

TEST(Ldst, FlushEmptiesL1AtTheStartOfAKernel)
{
    for (uint32_t flush : {0u, 1u}) {
        smrf_config c = accelsim();
        c.l1d.flush = flush;
        dut d(c);
        run_one(d, ldg(0x1000));
        smrf_ldst_begin_kernel(d.l, 0);
        run_one(d, ldg(0x1000), 1);
        EXPECT_EQ(flush ? 8u : 4u, smrf_ldst_statistics(d.l)->reads_sent);
    }
}

TEST(Ldst, FlushEmptiesL1WhenAFenceIsOver)
{
    for (uint32_t flush : {0u, 1u}) {
        smrf_config c = accelsim();
        c.l1d.flush = flush;
        dut d(c);
        run_one(d, ldg(0x1000));
        smrf_ldst_fence(d.l);
        run_one(d, ldg(0x1000), 1);
        EXPECT_EQ(flush ? 8u : 4u, smrf_ldst_statistics(d.l)->reads_sent);
    }
}

TEST(Ldst, RefusesConfigurationsThatItCannotBuild)
{
#define FIELD(path) [](smrf_config &c) -> uint32_t & { return c.path; }
    struct {
        const char *name;
        uint32_t &(*field)(smrf_config &c);
        uint32_t value;
        int want;
    } const cases[] = {
        {"sets", FIELD(l1d.sets), 3, SMRF_ERR_INVAL},
        {"no sets", FIELD(l1d.sets), 0, SMRF_ERR_INVAL},
        {"carve-outs", FIELD(l1d.carveouts), 0, SMRF_ERR_INVAL},
        {"nothing left", FIELD(l1d.unified_bytes), 32768, SMRF_ERR_INVAL},
        {"no MSHR", FIELD(l1d.mshrs), 0, SMRF_ERR_INVAL},
        {"no latency", FIELD(l1d.latency), 0, SMRF_ERR_INVAL},
        {"shared banks", FIELD(ldst.shared_banks), 65, SMRF_ERR_LIMIT},
        {"pipes", FIELD(l1d.ports), 257, SMRF_ERR_LIMIT},
        {"warps", FIELD(sm.warps), 65, SMRF_ERR_LIMIT},
        {"MSHRs", FIELD(l1d.mshrs), 1u << 25, SMRF_ERR_LIMIT},
    };
#undef FIELD
    for (const auto &k : cases) {
        smrf_config c = defaults();
        k.field(c) = k.value;
        EXPECT_EQ(k.want, smrf_ldst_config_check(ldst_of(c))) << k.name;
        EXPECT_EQ(0u, smrf_ldst_bytes(ldst_of(c))) << k.name;
        EXPECT_EQ(0u, smrf_ldst_store_bytes(ldst_of(c))) << k.name;
        EXPECT_EQ(k.want, smrf_ldst_init(nullptr, nullptr, ldst_of(c), 0, nullptr, nullptr))
            << k.name;
    }
    smrf_config c = defaults();
    EXPECT_EQ(SMRF_OK, smrf_ldst_config_check(ldst_of(c)));
    c.l1d.unified_bytes = c.l1d.ways = 0;
    EXPECT_EQ(SMRF_ERR_INVAL, smrf_ldst_config_check(ldst_of(c))) << "no ways";
}

TEST(Ldst, WaitsForAnAnswerWhenItsRequestTableIsFull)
{
    dut d(accelsim(), world{0, 1000000, 1000000, 0, 0});
    step s = stg(0x1000, 32);
    s.op.flags = SMRF_INST_BYPASS_L1;
    s.inst.op = &s.op;
    for (uint32_t i = 0; i < SMRF_LDST_REQUESTS / 32 + 1; i++) {
        d.accept(s, i);
        for (int k = 0; k < 32; k++) {
            d.now++;
            d.cycle();
        }
    }
    EXPECT_EQ(SMRF_LDST_REQUESTS, smrf_ldst_statistics(d.l)->writes_sent);
    EXPECT_FALSE(smrf_ldst_free(d.l));
    EXPECT_EQ(1000001u, smrf_ldst_next(d.l, d.now)) << "the first answer, and nothing before";
    d.now = 1000001;
    d.cycle();
    EXPECT_EQ(SMRF_LDST_REQUESTS + 1, smrf_ldst_statistics(d.l)->writes_sent);
}

TEST(Ldst, TakesNoLoadWhenItsTableIsFull)
{
    smrf_config c = accelsim();
    c.l1d.mshr_merge = 256;
    dut d(c, world{0, 1000000, 1000000, 0, 0});
    uint32_t taken = 0;
    for (; taken <= SMRF_LDST_INSTS; taken++) {
        step s = ldg(0x1000 + taken / 200 * 32, 0);
        s.inst.op = &s.op;
        d.now++;
        d.cycle();
        if (!smrf_ldst_free(d.l)) {
            break;
        }
        d.accept(s, taken);
    }
    EXPECT_EQ(uint32_t(SMRF_LDST_INSTS), taken);
    while (!smrf_ldst_idle(d.l)) {
        d.now = smrf_ldst_next(d.l, d.now);
        ASSERT_NE(SMRF_NEVER, d.now);
        d.cycle();
    }
    EXPECT_TRUE(smrf_ldst_free(d.l));
    EXPECT_EQ(size_t(SMRF_LDST_INSTS), count(d.o.log, WRITE_BACK));
}

TEST(LdstDeathTest, CatchesAnswersThatNobodyAwaits)
{
    dut d(accelsim());
    smrf_mem_response bogus = {1, 17, 0, SMRF_MEM_READ}, beyond = {1, 1u << 20, 0, SMRF_MEM_READ};
    EXPECT_DEATH(smrf_ldst_response(d.l, &bogus), "awaited");
    EXPECT_DEATH(smrf_ldst_response(d.l, &beyond), "SMRF_LDST_REQUESTS");
}

TEST(LdstDeathTest, CatchesAnInstructionThatDoesNotFit)
{
    dut d(accelsim());
    step s = ldg(0x1000);
    s.inst.op = &s.op;
    d.accept(s, 0);
    EXPECT_DEATH(d.accept(s, 1), "smrf_ldst_free");
}

// A load that hits costs two wake-ups: one to dispatch it, one for its sectors at the tags.
TEST(Ldst, CoalescedHitNeedsTwoCyclesOfWork)
{
    const uint32_t loads = 1000;
    dut d(accelsim());
    run_one(d, ldg(0x1000));
    step s = ldg(0x1000);
    s.inst.op = &s.op;
    d.o.calls.clear();
    for (uint32_t i = 1; i <= loads; i++) {
        d.accept(s, i);
        for (uint64_t next; (next = smrf_ldst_next(d.l, d.now)) != SMRF_NEVER;) {
            d.now = next;
            d.cycle();
        }
    }
    EXPECT_EQ(2u * loads, d.o.calls.size());
    EXPECT_EQ(4u * loads, smrf_ldst_statistics(d.l)->l1d_global_load_hits);
    EXPECT_EQ(loads, smrf_ldst_statistics(d.l)->hits_completed);
}

TEST(LdstThroughput, SharedLoadsWaitInTheDispatchRegisterWhenThePipeIsFull)
{
    smrf_config c = accelsim();
    c.ldst.shared_latency = 2;
    world w;
    w.refuse_bank = 100;
    dut d(c, w);
    step s = one(SMRF_CLASS_LOAD, SMRF_SPACE_SHARED, 4, 0, 4);
    s.inst.op = &s.op;
    uint32_t taken = 0;
    for (d.now = 1; d.now < 100; d.now++) {
        d.cycle();
        if (smrf_ldst_free(d.l)) {
            d.accept(s, taken++);
        }
    }
    // One in the holding register, two in the pipe, one in the dispatch register.
    EXPECT_EQ(4u, taken);
    EXPECT_FALSE(smrf_ldst_free(d.l));
    d.w.refuse_bank = 0;
    for (; !smrf_ldst_idle(d.l); d.now++) {
        d.cycle();
    }
    EXPECT_EQ(4u, count(d.o.log, WRITE_BACK));
    // Accepted in 1, 2, 3, 4: the fourth is first refused in cycle 5 (0 if it could enter), and
    // enters in 101, the first taken in 100 having made room at the pipe's front.
    EXPECT_EQ(95u, smrf_ldst_statistics(d.l)->shared_full_stalls);
}
