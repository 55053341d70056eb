// SPDX-License-Identifier: Apache-2.0
// Rules of the mechanisms that whole programs must feel: each test is of one that could go
// unnoticed, because the values stay right without it, or are wrong in few programs.
#include "tests/support/experiment_folder.h"

using namespace smrf_test;

namespace
{

struct policies : testing::Test {
    temporary_folder folder;
    document run(const std::string &trace, const std::string &words)
    {
        const char *root = std::getenv("SMRF_SOURCE_DIR");
        const outcome o =
            smrf(folder, "run -q --json - " + words + " " + std::string(root ? root : ".") +
                             "/traces/bundled/" + trace);
        EXPECT_EQ(0, o.status) << words << ": " << o.err;
        return document(o.out);
    }
};

// Warps with data in a unit go first: without it another warp takes the unit before.
TEST_F(policies, WarpsWithDataGoFirst)
{
    const document first = run("matmul", "-m malekeh-long"),
                   gto = run("matmul", "-m malekeh-long -s malekeh.priority=gto");
    EXPECT_GT(first.count("mechanism.hits"), gto.count("mechanism.hits"));
    EXPECT_LT(first.count("mechanism.flushes"), gto.count("mechanism.flushes"));
}

// Far values make room before near ones.
TEST_F(policies, FarValuesAreReplacedFirst)
{
    const document far = run("gemm", "-m malekeh-long"),
                   lru = run("gemm", "-m malekeh-long -s malekeh.replacement=lru");
    EXPECT_LT(2 * far.count("mechanism.near_replaced"), lru.count("mechanism.near_replaced"));
    EXPECT_GT(far.count("mechanism.hits"), lru.count("mechanism.hits"));
}

// The wait climbs from nothing, a step an interval, and comes down when IPC does.
TEST_F(policies, TheWaitClimbsFirstAndComesDownThen)
{
    const document d = run("matmul", "-m malekeh-long -s malekeh.sthld_interval=250");
    const json_t *rows = d.at("mechanism.sthld_walk.rows");
    std::vector<long> walk;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        walk.push_back(long(json_integer_value(json_array_get(json_array_get(rows, i), 3))));
    }
    ASSERT_LT(4u, walk.size());
    EXPECT_EQ(0, walk[0]);
    EXPECT_EQ(8, walk[1]) << "malekeh.sthld_climb";
    EXPECT_EQ(16, walk[2]);
    EXPECT_EQ(0, walk[3]) << "malekeh.sthld_back";
}

// A unit with near values is kept from other warps as many times as STHLD says.
TEST_F(policies, WarpsWaitForUnitsWithNearValues)
{
    const std::string fixed = "-m malekeh-long -s malekeh.sthld_mode=fixed -s malekeh.sthld=";
    const document none = run("matmul", fixed + "0"), some = run("matmul", fixed + "16");
    EXPECT_EQ(0, none.count("mechanism.waits"));
    EXPECT_LT(0, some.count("mechanism.waits"));
    EXPECT_LT(2 * some.count("mechanism.forced_allocations"),
              none.count("mechanism.forced_allocations"));
    EXPECT_GT(some.count("mechanism.hits"), none.count("mechanism.hits"));
}

// A result that no slot takes leaves no older copy of its register behind.
TEST_F(policies, ACopyEndsWithItsRegister)
{
    for (const char *trace : {"matmul", "gemm"}) {
        const document d = run(trace, "-m bow-long -s bow.results=0");
        EXPECT_EQ(0, d.count("oracle.violations")) << trace;
        EXPECT_LT(0, d.count("mechanism.hits")) << trace;
    }
}

// An interval's first instruction waits until all of its registers have come.
TEST_F(policies, AnIntervalWaitsForItsRegisters)
{
    const document d = run("gemm", "-m ltrf");
    EXPECT_LT(0, d.count("mechanism.operations"));
    EXPECT_EQ(0, d.count("mechanism.misses"));
}

// Frames that traps have spilled are filled where they were.
TEST_F(policies, SpilledFramesComeBackToTheirPlaces)
{
    const document d = run("fib", "-m cars-low -s sm.registers=4096");
    EXPECT_EQ(0, d.count("oracle.violations"));
    EXPECT_LT(100, d.count("mechanism.frames_filled"));
    EXPECT_EQ(d.count("mechanism.frames_spilled"), d.count("mechanism.frames_filled"));
}

// Without an L1 for global loads every load has missed it: two registers may make it up.
TEST_F(policies, WithoutAnL1ALoadIsPutTogetherAtOnce)
{
    const std::string trace = folder / "t";
    ASSERT_EQ(0, smrf(folder, "trace cifarnet_conv1 -q --format v6 -o " + trace).status);
    const auto replay = [&](const std::string &words) {
        const outcome o =
            smrf(folder, "run -q --json - -p larf-paper -m larf -s l1d.bypass=on " + words + trace);
        EXPECT_EQ(0, o.status) << o.err;
        return document(o.out);
    };
    const document with = replay(""), without = replay("-s larf.partial=off ");
    EXPECT_LT(0, with.count("mechanism.partial_shares"));
    EXPECT_EQ(0, without.count("mechanism.partial_shares"));
    EXPECT_EQ(0, with.count("oracle.violations"));
    EXPECT_LT(0, with.count("oracle.trace_values"));
    EXPECT_EQ(0, with.count("l1d.by_use.global")) << "nothing goes to the L1";
}

// Instruction buffers of any size, refilled when empty or as soon as there is room, pass on every
// instruction.
TEST_F(policies, AnInstructionBufferLosesNothing)
{
    for (const char *trace : {"matmul", "gemm", "hotspot"}) {
        const json_int_t all = run(trace, "-m baseline").count("instructions.warp");
        for (const char *size : {"1", "2", "3", "4"}) {
            for (const char *refill : {"on", "off"}) {
                const std::string words = std::string("-m baseline -s frontend.ibuffer=") + size +
                                          " -s frontend.refill=" + refill;
                EXPECT_EQ(all, run(trace, words).count("instructions.warp")) << trace << words;
            }
        }
    }
}

// The modern core: compiled code overwrites behind a barrier what a store before it reads, with no
// counter between them.
TEST_F(policies, ABarrierWaitsUntilStoresHaveReadTheirSources)
{
    const std::string trace = folder / "t";
    ASSERT_EQ(0, smrf(folder, "trace product_pairs --scale 7 -q -o " + trace).status);
    const outcome o = smrf(folder, "run -q --json - -p turing-modern -s gpu.sms=2 " + trace);
    EXPECT_EQ(0, o.status) << o.err;
    EXPECT_EQ(0, document(o.out).count("oracle.violations"));
}

} // namespace
