// SPDX-License-Identifier: Apache-2.0
// The memory core as SMs see it: latencies and bandwidths by formula, L2 contents, credits, time.
#include "../support/memory_dut.h"

#include "models/memory/noc.h"
#include "tests/support/config_views.h"

#include <gtest/gtest.h>

#include <map>

namespace
{
const uint64_t BASE = UINT64_C(0x7f0a20000000);

smrf_mem_request request(uint32_t sm, uint32_t id, uint64_t address, uint64_t cycle,
                         smrf_mem_kind kind = SMRF_MEM_READ, uint32_t mask = UINT32_MAX)
{
    smrf_mem_request r{};

    r.address = address;
    r.cycle = cycle;
    r.id = id;
    r.byte_mask = mask;
    r.sm = uint16_t(sm);
    r.kind = uint8_t(kind);
    return r;
}

// Requests that leave now, run until nothing is left; answers by id, relative to now.
std::map<uint32_t, uint64_t> burst(memory_dut *m, const std::vector<smrf_mem_request> &requests)
{
    std::map<uint32_t, uint64_t> answers;
    size_t before = m->responses.size();
    uint64_t start = m->now();

    for (smrf_mem_request r : requests) {
        r.cycle += start;
        EXPECT_TRUE(smrf_memory_push(m->get(), &r));
    }
    while (!smrf_memory_idle(m->get())) {
        m->run(m->now() + 1);
    }
    for (size_t i = before; i < m->responses.size(); i++) {
        EXPECT_TRUE(answers.emplace(m->responses[i].id, m->responses[i].cycle - start).second);
    }
    EXPECT_EQ(requests.size(), answers.size());
    m->run(m->now() + 5000); // every bank has rested
    return answers;
}

// Cycles from leaving an SM to the answer, alone in the memory.
uint64_t latency(memory_dut *m, uint64_t address, smrf_mem_kind kind = SMRF_MEM_READ,
                 uint32_t mask = UINT32_MAX)
{
    return burst(m, {request(0, 0, address, 0, kind, mask)})[0];
}

// One clock for core and DRAM: formulas in whole cycles.
smrf_config one_clock()
{
    smrf_config c = default_config();

    c.dram.khz = c.gpu.core_khz;
    return c;
}

uint64_t hit_latency(const smrf_config &c)
{
    return 2 * c.noc.latency + c.l2.latency + 2;
}

// Into the queue to DRAM and out of it, into the window, then the read; back in the slice, which
// answers in the next cycle.
uint64_t row_hit_latency(const smrf_config &c)
{
    return hit_latency(c) + c.dram.latency + c.dram.cl + 5;
}

uint64_t lines_of(const smrf_config &c, uint64_t n)
{
    return n * 128 * c.l2.slices; // linear map: n lines further in the same slice
}

class Latency : public testing::TestWithParam<std::pair<uint32_t, uint32_t>>
{
};

TEST_P(Latency, IsTheSumOfTheStagesOnAHitAMissAnOpenRowAndAnotherRow)
{
    smrf_config c = one_clock();
    c.noc.latency = GetParam().first;
    c.l2.latency = GetParam().second;
    c.dram.latency = 2 * GetParam().second;
    memory_dut m(c);
    uint64_t row = lines_of(c, 16 * 16 * 64); // same bank: every bank's row is 16 lines

    EXPECT_EQ(row_hit_latency(c) + c.dram.rcd, latency(&m, BASE));                   // closed
    EXPECT_EQ(hit_latency(c), latency(&m, BASE));                                    // in L2
    EXPECT_EQ(row_hit_latency(c), latency(&m, BASE + 32));                           // open row
    EXPECT_EQ(row_hit_latency(c) + c.dram.rp + c.dram.rcd, latency(&m, BASE + row)); // other row
    EXPECT_EQ(hit_latency(c), latency(&m, BASE + 64, SMRF_MEM_WRITE));               // no fetch
    EXPECT_EQ(hit_latency(c), latency(&m, BASE, SMRF_MEM_ATOMIC));
}

INSTANTIATE_TEST_SUITE_P(Stages, Latency,
                         testing::Values(std::make_pair(0, 1), std::make_pair(1, 1),
                                         std::make_pair(1, 194), std::make_pair(7, 160),
                                         std::make_pair(3, 1000)));

// Accel-Sim (SM75_RTX2060, one SM): dependent loads of a line are 209 cycles apart when they bypass
// L1 and hit L2, of which 6 lie in the SM; 374 when they miss L1 and L2, of which 6 and the L1's
// latency of 32 lie in the SM. The line's four sectors leave in four cycles.
TEST(Memory, TakesAccelSimsTimeForALineInL2AndForALineInDram)
{
    smrf_config c = default_config();
    c.gpu.sms = 1;
    c.dram.channels = 12;
    c.l2.slices = 24;
    memory_dut m(c);
    uint64_t last = 0;

    for (uint32_t i = 0; i < 128; i++) {
        std::vector<smrf_mem_request> line;
        for (uint32_t s = 0; s < 4; s++) {
            line.push_back(request(0, s, BASE + i * 65536 + s * 32, s));
        }
        uint64_t miss = burst(&m, line)[3];
        if (i >= 64) { // every bank has had another row open
            last += miss;
        }
        EXPECT_EQ(209u - 6, burst(&m, line)[3]);
    }
    EXPECT_NEAR(374.0 - 6 - 32, double(last) / 64, 2.0);
}

TEST(Memory, MakesOneAccessACycleInASlice)
{
    smrf_config c = default_config();
    c.gpu.sms = 30;
    memory_dut m(c);
    std::vector<smrf_mem_request> reads, atomics;

    for (uint32_t i = 0; i < 30; i++) {
        reads.push_back(request(i, i, BASE, 0));
        atomics.push_back(request(i, i, BASE, 0, SMRF_MEM_ATOMIC, 0xf));
    }
    latency(&m, BASE);
    auto read = burst(&m, reads);
    auto atomic = burst(&m, atomics);
    std::vector<uint64_t> read_cycles, atomic_cycles;
    for (uint32_t i = 0; i < 30; i++) {
        read_cycles.push_back(read[i]);
        atomic_cycles.push_back(atomic[i]);
    }
    std::sort(read_cycles.begin(), read_cycles.end());
    std::sort(atomic_cycles.begin(), atomic_cycles.end());
    for (uint32_t i = 0; i < 30; i++) {
        EXPECT_EQ(hit_latency(c) + i, read_cycles[i]);
        EXPECT_EQ(hit_latency(c) + i, atomic_cycles[i]);
    }
}

TEST(Memory, LetsAnSmSendAndReceiveOnePacketACycle)
{
    smrf_config c = default_config();
    memory_dut m(c);
    std::vector<smrf_mem_request> reads;

    for (uint32_t i = 0; i < 32; i++) {
        reads.push_back(request(0, i, BASE + i * 128, 0)); // over all slices
    }
    burst(&m, reads);
    auto answers = burst(&m, reads);
    for (uint32_t i = 0; i < 32; i++) {
        EXPECT_EQ(hit_latency(c) + i, answers[i]);
    }
}

// Two packets of SM 0 for slices 0 and 1, both there in cycle 0, and one of SM 1 for slice 1 in
// cycle 1.
TEST(Memory, LetsAnSmSendSeveralPacketsACycleAsAccelSim)
{
    for (uint32_t one : {1u, 0u}) {
        smrf_config c = default_config();
        c.noc.one_a_cycle = one;
        memory_dut m(c);

        burst(&m, {request(9, 0, BASE, 0), request(9, 1, BASE + 128, 0)}); // the turn is SM 0's
        auto answers = burst(&m, {request(0, 0, BASE, 0), request(0, 1, BASE + 128, 0),
                                  request(1, 2, BASE + 128, 1)});
        EXPECT_EQ(hit_latency(c), answers[0]);
        EXPECT_EQ(hit_latency(c) + 1, answers[1]) << "it takes one answer a cycle";
        EXPECT_EQ(1 + hit_latency(c) + one, answers[2]) << "behind SM 0's, or not";
    }
}

TEST(Memory, MovesAFlitACycleOverALink)
{
    smrf_config c = default_config();
    c.noc.flit_bytes = 16; // 8 bytes: one flit, 40 bytes: three
    memory_dut m(c);
    std::vector<smrf_mem_request> reads, writes;

    for (uint32_t i = 0; i < 16; i++) {
        reads.push_back(request(0, i, BASE + i * 128, 0));
        writes.push_back(request(0, i, BASE + i * 128, 0, SMRF_MEM_WRITE));
    }
    auto written = burst(&m, writes);
    auto read = burst(&m, reads);
    for (uint32_t i = 0; i < 16; i++) {
        EXPECT_EQ(hit_latency(c) + 2 + 3 * i, read[i]);
        EXPECT_EQ(hit_latency(c) + 2 + 3 * i, written[i]);
    }
    EXPECT_EQ(16u * 3 + 16, m.stats().noc_request_flits);
    EXPECT_EQ(16u * 3 + 16, m.stats().noc_reply_flits);
}

TEST(Memory, TakesSmsInTurnAtASlice)
{
    smrf_config c = default_config();
    c.gpu.sms = 3;
    memory_dut m(c);
    std::vector<smrf_mem_request> reads;

    latency(&m, BASE);
    for (uint32_t sm = 0; sm < 3; sm++) {
        for (uint32_t i = 0; i < 5; i++) {
            reads.push_back(request(sm, sm * 5 + i, BASE, 0));
        }
    }
    burst(&m, reads);
    for (size_t i = 1; i < m.responses.size(); i++) { // behind SM 0, which filled the L2
        EXPECT_EQ(i % 3, m.responses[i].sm);
    }
}

TEST(Memory, FetchesASectorThatWasWrittenInPartOnlyWhenItIsRead)
{
    smrf_config c = one_clock();
    memory_dut m(c);

    latency(&m, BASE, SMRF_MEM_WRITE, 0xffff);
    latency(&m, BASE + 32, SMRF_MEM_WRITE, 0xffff);
    latency(&m, BASE + 32, SMRF_MEM_WRITE, 0xffff0000);
    EXPECT_EQ(0u, m.stats().dram_reads);
    EXPECT_EQ(hit_latency(c), latency(&m, BASE + 32));
    EXPECT_EQ(0u, m.stats().dram_reads);
    EXPECT_EQ(row_hit_latency(c) + c.dram.rcd, latency(&m, BASE));
    EXPECT_EQ(1u, m.stats().dram_reads);
    EXPECT_EQ(hit_latency(c), latency(&m, BASE));
}

TEST(Memory, FetchesThePairOfASectorThatIsRead)
{
    smrf_config c = one_clock();

    for (const uint32_t bytes : {32u, 64u, 128u}) {
        c.l2.fetch_bytes = bytes;
        memory_dut m(c);

        latency(&m, BASE + 32);
        EXPECT_EQ(bytes / 32, m.stats().l2_fills);
        const uint64_t hit = latency(&m, BASE + 32);
        EXPECT_EQ(bytes >= 64, latency(&m, BASE) == hit);
        EXPECT_EQ(bytes >= 128, latency(&m, BASE + 96) == hit);
    }
}

TEST(Memory, AnswersAReadOfASectorThatComesBesideAnother)
{
    smrf_config c = one_clock();
    c.l2.fetch_bytes = 64;
    memory_dut m(c);

    const auto answers = burst(
        &m, {request(0, 0, BASE, 0), request(1, 1, BASE + 32, 1), request(2, 2, BASE + 32, 2)});
    EXPECT_EQ(2u, m.stats().l2_fills);
    EXPECT_EQ(2u, m.stats().l2_read_merges);
    EXPECT_EQ(3u, answers.size());
}

TEST(Memory, MergesReadsOfASectorUnderWay)
{
    smrf_config c = one_clock();
    c.l2.mshr_merge = 3;
    memory_dut m(c);

    auto answers = burst(&m, {request(0, 0, BASE, 0), request(1, 1, BASE, 1),
                              request(2, 2, BASE, 2, SMRF_MEM_ATOMIC, 0xf)});
    EXPECT_EQ(row_hit_latency(c) + c.dram.rcd, answers[0]);
    EXPECT_EQ(answers[0] + 1, answers[1]); // one reply a cycle leaves the slice
    EXPECT_EQ(answers[0] + 2, answers[2]);
    EXPECT_EQ(1u, m.stats().dram_reads);
    EXPECT_EQ(1u, m.stats().l2_read_merges);
    EXPECT_EQ(1u, m.stats().l2_atomic_merges);
}

TEST(Memory, HoldsASliceWhoseMshrIsFull)
{
    smrf_config c = one_clock();
    c.l2.mshrs = 1;
    c.l2.mshr_merge = 1;
    memory_dut m(c);
    uint64_t other = lines_of(c, 1);

    latency(&m, BASE + 32); // opens the row
    auto answers = burst(&m, {request(0, 0, BASE, 0), request(1, 1, BASE, 1)});
    EXPECT_EQ(row_hit_latency(c), answers[0]);
    EXPECT_EQ(answers[0] - 1, answers[1]); // a hit in the cycle in which the sector arrives
    EXPECT_EQ(row_hit_latency(c) - hit_latency(c) - 2, m.stats().l2_merge_full_cycles);

    burst(&m, {request(0, 0, BASE + 64, 0), request(1, 1, BASE + other, 1)});
    EXPECT_EQ(row_hit_latency(c) - hit_latency(c) - 1, m.stats().l2_mshr_full_cycles);
}

TEST(Memory, HoldsASliceWhoseSetIsAwaited)
{
    smrf_config c = one_clock();
    c.l2.sets = 1;
    c.l2.ways = 1;
    memory_dut m(c);

    latency(&m, BASE + 32);
    burst(&m, {request(0, 0, BASE, 0), request(1, 1, BASE + lines_of(c, 1), 1)});
    EXPECT_EQ(row_hit_latency(c) - hit_latency(c) - 2, m.stats().l2_set_full_cycles);
}

TEST(Memory, WritesDirtySectorsOfAReplacedLineToDram)
{
    smrf_config c = default_config();
    c.l2.sets = 1;
    c.l2.ways = 2;
    memory_dut m(c);

    latency(&m, BASE, SMRF_MEM_WRITE);
    latency(&m, BASE + 32, SMRF_MEM_READ);
    latency(&m, BASE + 64, SMRF_MEM_ATOMIC, 0xf);
    latency(&m, BASE + 96, SMRF_MEM_WRITE, 1);
    latency(&m, BASE + lines_of(c, 1));
    latency(&m, BASE); // now the other line is the oldest
    latency(&m, BASE + lines_of(c, 2));
    EXPECT_EQ(1u, m.stats().l2_evictions);
    EXPECT_EQ(0u, m.stats().dram_writes);
    latency(&m, BASE + lines_of(c, 3));
    EXPECT_EQ(2u, m.stats().l2_evictions);
    EXPECT_EQ(3u, m.stats().l2_write_backs);
    EXPECT_EQ(3u, m.stats().dram_writes);
}

TEST(Memory, KeepsItsContentWhileNothingHappens)
{
    memory_dut m(default_config());
    uint64_t miss = latency(&m, BASE);

    m.run(m.now() + 10000000);
    EXPECT_LT(latency(&m, BASE), miss);
}

TEST(Memory, HasWhatACopyFromTheHostHasWritten)
{
    smrf_config c = one_clock();
    memory_dut m(c);

    smrf_memory_warm(m.get(), BASE + 40, 8 + 32); // bytes of sectors 1 and 2
    EXPECT_EQ(hit_latency(c), latency(&m, BASE + 32));
    EXPECT_EQ(hit_latency(c), latency(&m, BASE + 64));
    EXPECT_EQ(row_hit_latency(c) + c.dram.rcd, latency(&m, BASE));
    EXPECT_EQ(row_hit_latency(c), latency(&m, BASE + 96));
    EXPECT_EQ(1u, m.stats().l2_warm_lines);
    smrf_memory_warm(m.get(), BASE + 4096, 0);
    EXPECT_EQ(1u, m.stats().l2_warm_lines);

    c.l2.copies_warm = 0;
    memory_dut cold(c);
    smrf_memory_warm(cold.get(), BASE, 4096);
    EXPECT_EQ(row_hit_latency(c) + c.dram.rcd, latency(&cold, BASE));
}

TEST(Memory, KeepsTheEndOfACopyThatIsLargerThanL2)
{
    smrf_config c = default_config();
    uint64_t l2_bytes = uint64_t(c.l2.slices) * c.l2.sets * c.l2.ways * 128;
    memory_dut m(c);

    smrf_memory_warm(m.get(), BASE, 3 * l2_bytes);
    EXPECT_EQ(hit_latency(c), latency(&m, BASE + 3 * l2_bytes - 32));
    EXPECT_EQ(hit_latency(c), latency(&m, BASE + 2 * l2_bytes));
    EXPECT_LT(hit_latency(c), latency(&m, BASE));
    EXPECT_EQ(0u, m.stats().dram_writes);
}

TEST(Memory, HoldsTheSameAfterALargeCopyAsAfterItsPieces)
{
    smrf_config c = default_config();
    uint64_t l2_bytes = uint64_t(c.l2.slices) * c.l2.sets * c.l2.ways * 128;
    uint64_t bytes = 5 * l2_bytes + 12345;
    memory_dut whole(c), pieces(c);
    smrf_memory_stats read[2];
    int which = 0;

    smrf_memory_warm(whole.get(), BASE + 77, bytes);
    for (uint64_t done = 0; done < bytes; done += 1000) {
        smrf_memory_warm(pieces.get(), BASE + 77 + done, std::min<uint64_t>(1000, bytes - done));
    }
    for (memory_dut *m : {&whole, &pieces}) { // the last half of L2 is there, newest lines first
        reference::traffic t(c.gpu.sms);
        for (uint64_t i = 1; i <= l2_bytes / 256; i++) {
            uint64_t address = (BASE + 77 + bytes) / 128 * 128 - i * 128;
            t[i % c.gpu.sms].push_back(request(uint32_t(i % c.gpu.sms), uint32_t(i), address, 0));
        }
        m->run(t, [] { return 64u; });
        read[which++] = m->stats();
        EXPECT_EQ(l2_bytes / 256, m->stats().l2_read_hits);
        for (auto &q : t) { // and then whatever else there may be
            for (auto &r : q) {
                r.address -= l2_bytes / 2;
                r.cycle = m->now();
            }
        }
        m->run(t, [] { return 64u; });
        read[which - 1] = m->stats();
    }
    EXPECT_EQ(read[1].l2_read_hits, read[0].l2_read_hits);
    EXPECT_EQ(read[1].l2_read_misses, read[0].l2_read_misses);
}

TEST(Memory, RefusesAnSmWithoutCreditUntilTheCycleOfAnAnswer)
{
    smrf_config c = default_config();
    c.noc.credits = 2;
    memory_dut m(c);
    smrf_mem_request r = request(3, 0, BASE, 0, SMRF_MEM_WRITE);

    EXPECT_TRUE(smrf_memory_push(m.get(), &r));
    EXPECT_TRUE(smrf_memory_push(m.get(), &r));
    EXPECT_FALSE(smrf_memory_push(m.get(), &r));
    smrf_mem_request other = request(4, 0, BASE, 0);
    EXPECT_TRUE(smrf_memory_push(m.get(), &other));
    m.run(100); // hears of no answer before hit_latency
    m.run(101);
    for (r.cycle = 101; r.cycle < hit_latency(c); r.cycle++) {
        EXPECT_FALSE(smrf_memory_push(m.get(), &r)) << r.cycle;
    }
    EXPECT_TRUE(smrf_memory_push(m.get(), &r));
    EXPECT_FALSE(smrf_memory_push(m.get(), &r));
    EXPECT_EQ(4u, m.stats().requests);
    EXPECT_EQ(hit_latency(c) - 101 + 2, m.stats().refused);
}

TEST(Memory, TellsEveryResponseBeforeItsSmCanGetThere)
{
    smrf_config c = default_config();
    memory_dut m(c);
    smrf_rng rng;
    uint32_t id = 0;

    smrf_rng_seed(&rng, 5, 0);
    while (m.now() < 3000) {
        uint64_t end = m.now() + 1 + smrf_rng_below(&rng, smrf_memory_lookahead(memory_of(c)));
        for (uint32_t i = 0; i < 40; i++) {
            smrf_mem_request r =
                request(i % c.gpu.sms, id++, smrf_rng_below(&rng, 4096) * 32, m.now());
            ASSERT_TRUE(smrf_memory_push(m.get(), &r) || m.now() > 0);
        }
        size_t before = m.responses.size();
        uint64_t last = m.now();
        m.run(end);
        for (size_t i = before; i < m.responses.size(); i++) {
            ASSERT_GE(m.responses[i].cycle, last + smrf_memory_lookahead(memory_of(c)));
        }
    }
    EXPECT_GT(m.responses.size(), 100u);
}

TEST(Memory, CanSleepUntilTheCycleThatItNames)
{
    smrf_config c = default_config();
    memory_dut m(c), stepped(c);
    smrf_mem_request r = request(0, 9, BASE, 17);

    EXPECT_EQ(SMRF_NEVER, smrf_memory_next(m.get()));
    EXPECT_TRUE(smrf_memory_push(m.get(), &r));
    EXPECT_TRUE(smrf_memory_push(stepped.get(), &r));
    EXPECT_EQ(17u, smrf_memory_next(m.get()));
    uint32_t wakes = 0;
    while (smrf_memory_next(m.get()) != SMRF_NEVER) {
        uint64_t next = smrf_memory_next(m.get());
        size_t before = m.responses.size();
        m.run(next);
        EXPECT_EQ(before, m.responses.size());
        EXPECT_EQ(next, smrf_memory_next(m.get()));
        m.run(next + 1);
        EXPECT_NE(next, smrf_memory_next(m.get()));
        ASSERT_LT(wakes++, 12u);
    }
    while (stepped.responses.empty()) {
        stepped.run(stepped.now() + 1);
    }
    ASSERT_EQ(1u, m.responses.size());
    EXPECT_EQ(stepped.responses[0].cycle, m.responses[0].cycle);
    EXPECT_EQ(9u, m.responses[0].id);
}

// Vector addition as Accel-Sim runs it from a trace: 6250 warps, each reads two lines, then writes
// one; SMs with 32 warp slots. Accel-Sim's cycles less 5000 of launch latency (1 kernel, cold L2).
class VectorAddition : public testing::TestWithParam<std::tuple<uint32_t, uint32_t, double>>
{
};

TEST_P(VectorAddition, TakesAboutAccelSimsCycles)
{
    smrf_config c = default_config();
    c.gpu.sms = std::get<0>(GetParam());
    c.dram.channels = std::get<1>(GetParam());
    c.l2.slices = 2 * c.dram.channels;
    memory_dut m(c);
    const uint32_t warps = 6250;
    const uint64_t array = 25000 * 32;
    std::vector<uint32_t> left(warps, 8);
    std::vector<std::multimap<uint64_t, smrf_mem_request>> to_send(c.gpu.sms);
    uint32_t started = 0;
    size_t seen = 0;
    auto start = [&](uint32_t sm, uint64_t cycle) {
        if (started == warps) {
            return;
        }
        for (uint32_t i = 0; i < 8; i++) {
            to_send[sm].emplace(
                cycle, request(sm, started, BASE + i / 4 * array + started * 128 + i % 4 * 32, 0));
        }
        started++;
    };

    for (uint32_t i = 0; i < 32 * c.gpu.sms; i++) {
        start(i % c.gpu.sms, 0);
    }
    for (uint64_t now = 0; m.responses.size() < warps * 12; now++) {
        for (auto &q : to_send) { // a sector a cycle
            if (!q.empty() && q.begin()->first <= now) {
                smrf_mem_request r = q.begin()->second;
                r.cycle = now;
                if (smrf_memory_push(m.get(), &r)) {
                    q.erase(q.begin());
                }
            }
        }
        m.run(now + 1);
        for (; seen < m.responses.size(); seen++) {
            const smrf_mem_response &r = m.responses[seen];
            if (r.kind == SMRF_MEM_READ && --left[r.id] == 0) {
                for (uint32_t i = 0; i < 4; i++) {
                    to_send[r.sm].emplace(
                        r.cycle + 40, request(r.sm, r.id, BASE + 2 * array + r.id * 128 + i * 32, 0,
                                              SMRF_MEM_WRITE));
                }
                start(r.sm, r.cycle + 60);
            }
        }
        ASSERT_LT(now, 100000u);
    }
    RecordProperty("cycles", std::to_string(m.responses.back().cycle));
    EXPECT_NEAR(std::get<2>(GetParam()), double(m.responses.back().cycle),
                0.2 * std::get<2>(GetParam()));
    EXPECT_EQ(50000u, m.stats().dram_reads);
}

INSTANTIATE_TEST_SUITE_P(Machines, VectorAddition,
                         testing::Values(std::make_tuple(30, 12, 13990.0 - 5000),
                                         std::make_tuple(10, 4, 33107.0 - 5000)));

// --- its last event, by which a slow memory is told from a dead one ---

TEST(Memory, TheLastEventFollowsARequestOnItsWay)
{
    smrf_config c = default_config();
    c.dram.khz = 1000; // 1,365 cycles each
    memory_dut m(c);
    EXPECT_EQ(0u, smrf_memory_last_event(m.get()));
    m.run(1000);
    EXPECT_EQ(0u, smrf_memory_last_event(m.get())) << "time alone is no event";
    const smrf_mem_request r = request(0, 0, BASE, 1000);
    ASSERT_TRUE(smrf_memory_push(m.get(), &r));
    uint64_t seen = 1000;
    unsigned steps = 0;
    while (!smrf_memory_idle(m.get())) {
        m.run(smrf_memory_next(m.get()) + 1);
        EXPECT_GE(smrf_memory_last_event(m.get()), seen);
        steps += smrf_memory_last_event(m.get()) > seen;
        seen = smrf_memory_last_event(m.get());
    }
    EXPECT_GE(steps, 5u) << "network, slice, activation, read, way back";
    EXPECT_EQ(m.responses.back().cycle, seen + c.noc.latency + SMRF_NOC_EJECTION);
    m.run(seen + 1000000);
    EXPECT_EQ(seen, smrf_memory_last_event(m.get()));
    m.reset();
    EXPECT_EQ(0u, smrf_memory_last_event(m.get()));
}

} // namespace
