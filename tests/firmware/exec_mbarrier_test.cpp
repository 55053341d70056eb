// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory (mbarrier) of sm_80 and sm_90, beside counters that know no bits.
#include "tests/support/exec_program.h"

#include <random>

namespace smrf_test
{
namespace
{

using lines = std::vector<std::string>;

// What the PTX manual says of an mbarrier.
struct barrier {
    uint32_t expected, pending;
    int32_t traffic = 0;
    bool odd = false;

    void settle()
    {
        if (pending == 0 && traffic == 0) {
            odd = !odd;
            pending = expected;
        }
    }
    void arrive(uint32_t threads, int32_t transactions, bool leave)
    {
        traffic += transactions;
        pending -= threads;
        expected -= leave ? threads : 0;
        settle();
    }
};

// mbarrier.init and mbarrier.pending_count, as compiled for sm_90 and sm_80.
uint64_t initial(unsigned arch, uint32_t count)
{
    const uint64_t less = 0x100000 - count;
    return arch == 90 ? less << 43 | less << 1
                      : uint64_t{0x80000000 - count} << 32 | (0x40000000 - count);
}

uint32_t pending_count(unsigned arch, uint64_t state)
{
    return arch == 90 ? (0x100000 - (state >> 43 & 0xfffff)) & 0xfffff
                      : (0x80000000 - (state >> 32 & 0x7fffffff)) & 0x7fffffff;
}

std::string hex(uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

lines set_up(uint64_t word)
{
    return {"MOV R6, " + hex(word & 0xffffffff), "MOV R7, " + hex(word >> 32), "STS.64 [RZ], R6"};
}

// An operation: how many threads arrive in a lane, how many transactions it expects, whether the
// threads leave; its result is the state before.
struct operation {
    const char *text;
    uint32_t threads;
    int32_t traffic;
    bool leaves = false, has_result = true;
};

bool is_allowed(const operation &o, const barrier &b, unsigned lanes)
{
    return o.threads * lanes <= b.pending && b.traffic + o.traffic * static_cast<int>(lanes) >= 0 &&
           (!o.leaves || b.expected > 40);
}

// The token of each operation, by lane 0 or by all lanes, and the word behind it.
void compare(unsigned arch, const std::vector<operation> &operations, barrier model, uint32_t seed)
{
    constexpr unsigned steps = 60;
    std::mt19937 random(seed);
    lines text = exec_prologue(8) + set_up(initial(arch, model.expected)) +
                 lines{"ISETP.EQ.AND P1, PT, R0, RZ, PT", "MOV R11, 0x3"};
    std::vector<barrier> before, after;
    std::vector<bool> has_result;
    for (unsigned i = 0; i < steps; i++) {
        const operation &o = operations[random() % operations.size()];
        const unsigned lanes = random() % 2 == 0 && is_allowed(o, model, 32) ? 32 : 1;
        if (!is_allowed(o, model, lanes)) {
            continue;
        }
        text.push_back(std::string(lanes == 32 ? "" : "@P1 ") + o.text);
        text.insert(text.end(), {"STG.E.64 [R2], R8", "LDS.64 R12, [RZ]",
                                 "STG.E.64 [R2+0x100], R12", "IADD3 R2, R2, 0x200, RZ"});
        before.push_back(model);
        has_result.push_back(o.has_result);
        for (unsigned lane = 0; lane < lanes; lane++) {
            model.arrive(o.threads, o.traffic, o.leaves);
        }
        after.push_back(model);
    }
    exec_program e(text + lines{"EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    e.launch.dynamic_shared = 64;
    const uint64_t out = e.buffer(std::vector<uint64_t>(64 * steps));
    ASSERT_EQ(e.run(32), 0) << e.error;
    const std::vector<uint64_t> got = e.read<uint64_t>(out, 64 * steps);
    for (size_t i = 0; i < after.size(); i++) {
        const uint64_t token = got[64 * i], word = got[64 * i + 32];
        if (has_result[i]) {
            EXPECT_EQ(pending_count(arch, token), before[i].pending) << i;
            EXPECT_EQ(token >> 63, before[i].odd) << i;
        }
        EXPECT_EQ(pending_count(arch, word), after[i].pending) << i;
        EXPECT_EQ(word >> 63, after[i].odd) << i;
    }
    EXPECT_GT(after.size(), 10u);
}

TEST(SharedBarrier, CountsArrivalsAsTheManualSays)
{
    for (uint32_t seed = 0; seed < 10; seed++) {
        const uint32_t count = 1 + seed * 7;
        compare(90, {{"SYNCS.ARRIVE.TRANS64.A1T0 R8, [URZ], RZ", 1, 0}}, {count, count}, seed);
        compare(80, {{"ATOMS.ARRIVE.64 R8, [RZ]", 1, 0}}, {count, count}, seed);
    }
}

TEST(SharedBarrier, CountsTransactionsLeaversAndCounts)
{
    const std::vector<operation> operations{
        {"SYNCS.ARRIVE.TRANS64.A1T0 R8, [RZ+URZ], RZ", 1, 0},
        {"SYNCS.ARRIVE.TRANS64.ART0 R8, [RZ+URZ], R11", 3, 0},
        {"SYNCS.ARRIVE.TRANS64.TMASK.ART0 R8, [RZ+URZ], R11", 3, 0},
        {"SYNCS.ARRIVE.TRANS64 R8, [RZ+URZ], R11", 1, 3},
        {"SYNCS.ARRIVE.TRANS64.A0TR R8, [RZ+URZ], R11", 0, 3},
        {"SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [URZ], RZ", 0, 1, false, false},
        {"ARRIVES.LDGSTSBAR.64.TRANSCNT [URZ]", 0, -1, false, false},
        {"ARRIVES.LDGSTSBAR.64.ARVCNT [URZ]", 1, 0, false, false},
        {"SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 R8, [RZ+URZ], RZ", 1, 0, true},
        {"SYNCS.ARRIVE.TRANS64.OPTOUT.ART0 R8, [RZ+URZ], R11", 3, 0, true}};
    for (uint32_t seed = 0; seed < 30; seed++) {
        compare(90, operations, {100 + seed, 100 + seed}, seed);
    }
    const std::vector<operation> old{{"ATOMS.ARRIVE.64 R8, [RZ]", 1, 0},
                                     {"ARRIVES.LDGSTSBAR.64 [RZ]", 1, 0, false, false}};
    for (uint32_t seed = 0; seed < 10; seed++) {
        compare(80, old, {100 + seed, 100 + seed}, seed);
    }
}

// cp.async.mbarrier.arrive: the copies are expected, then they end. The phase ends by the last.
TEST(SharedBarrier, EndsAPhaseWhenItsCopiesHaveEnded)
{
    exec_program e(
        exec_prologue(8) + set_up(initial(90, 33)) +
        lines{"ISETP.EQ.AND P1, PT, R0, RZ, PT", "SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [URZ], RZ",
              "ARRIVES.LDGSTSBAR.64.ARVCNT [URZ]", "@P1 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [URZ], RZ",
              "SYNCS.PHASECHK.TRANS64 P2, [URZ], RZ", "SEL R8, RZ, 0x1, !P2",
              "ARRIVES.LDGSTSBAR.64.TRANSCNT [URZ]", "SYNCS.PHASECHK.TRANS64 P2, [URZ], RZ",
              "SEL R9, RZ, 0x1, !P2", "STG.E.64 [R2], R8", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    e.launch.dynamic_shared = 64;
    const uint64_t out = e.buffer(std::vector<uint64_t>(32));
    ASSERT_EQ(e.run(32), 0) << e.error;
    EXPECT_EQ(e.read<uint64_t>(out, 1)[0], UINT64_C(1) << 32);

    exec_program old(
        exec_prologue(8) + set_up(initial(80, 32)) +
        lines{"ARRIVES.LDGSTSBAR.64 [RZ]", "LDS.64 R8, [RZ]", "STG.E.64 [R2], R8", "EXIT"});
    ASSERT_EQ(old.decoded, 0) << old.error;
    old.launch.dynamic_shared = 64;
    const uint64_t at = old.buffer(std::vector<uint64_t>(32));
    ASSERT_EQ(old.run(32), 0) << old.error;
    EXPECT_EQ(old.read<uint64_t>(at, 1)[0], initial(80, 32) | UINT64_C(1) << 63);
}

// Warps 1 and 2 write; warp 0 waits for them with try_wait and reads, ten phases long.
TEST(SharedBarrier, WaitersReadWhatWasWrittenBeforeTheArrival)
{
    exec_program e(exec_prologue() + lines{"UMOV UR6, 0x1fff80",
                                           "UMOV UR7, 0x7ffe0000",
                                           "UMOV UR4, 0x400",
                                           "ISETP.EQ.AND P1, PT, R0, RZ, PT",
                                           "MOV R8, RZ",
                                           "MOV R9, RZ",
                                           "@P1 SYNCS.EXCH.64 URZ, [UR4+0x8], UR6",
                                           "BAR.SYNC 0x0",
                                           "MOV R5, 0x400",
                                           "ISETP.LT.U32.AND P0, PT, R0, 0x20, PT",
                                           ".L_x_1:",
                                           "@P0 BRA `(.L_x_2)",
                                           "IADD3 R6, R0, R9, RZ",
                                           "STS [R0.X4], R6",
                                           "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R5+URZ+0x8], RZ",
                                           "BRA `(.L_x_4)",
                                           ".L_x_2:",
                                           "SHF.L.U32 R7, R9, 0x1f, RZ",
                                           ".L_x_3:",
                                           "SYNCS.PHASECHK.TRANS64.TRYWAIT P2, [R5+URZ+0x8], R7",
                                           "@!P2 BRA `(.L_x_3)",
                                           "LDS R6, [R0.X4+0x80]",
                                           "IADD3 R8, R8, R6, RZ",
                                           "LDS R6, [R0.X4+0x100]",
                                           "IADD3 R8, R8, R6, RZ",
                                           ".L_x_4:",
                                           "BAR.SYNC 0x0",
                                           "IADD3 R9, R9, 0x1, RZ",
                                           "ISETP.LT.AND P3, PT, R9, 0xa, PT",
                                           "@P3 BRA `(.L_x_1)",
                                           "STG.E [R2], R8",
                                           "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    e.launch.dynamic_shared = 2048;
    const uint64_t out = e.buffer(std::vector<uint32_t>(96));
    ASSERT_EQ(e.run(96), 0) << e.error;
    const std::vector<uint32_t> got = e.read<uint32_t>(out, 32);
    for (uint32_t i = 0; i < 32; i++) {
        EXPECT_EQ(got[i], 10 * (2 * i + 96) + 2 * 45) << i;
    }
    EXPECT_LT(e.totals.warp_insts, 2000u) << "a wait lets the others run";
}

TEST(SharedBarrier, RefusesTooManyArrivals)
{
    exec_program e(set_up(initial(90, 7)) +
                   lines{"MOV R11, 0x9", "SYNCS.ARRIVE.TRANS64.ART0 RZ, [URZ], R11", "EXIT"});
    ASSERT_EQ(e.decoded, 0) << e.error;
    e.launch.dynamic_shared = 64;
    EXPECT_EQ(e.run(1), SMRF_ERR_CHECK);
    EXPECT_NE(std::string(e.error).find("more threads arrive"), std::string::npos) << e.error;
    exec_program other(lines{"SYNCS.ARRIVE.TRANS64.A0TX RZ, [URZ], R11", "EXIT"});
    EXPECT_NE(std::string(other.error).find("is not supported"), std::string::npos) << other.error;
}

} // namespace
} // namespace smrf_test
