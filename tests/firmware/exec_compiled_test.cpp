// SPDX-License-Identifier: Apache-2.0
// Compiled kernels. Functions of integers, bit by bit against the same source compiled for the
// host; threads that work together, against plain C++. How the texts were made: compiled/*.cu.
#include "tests/firmware/compiled/functions.h"
#include "tests/support/exec_program.h"
#include "tests/support/suite_text.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace smrf_test
{
namespace
{

std::string compiled(const std::string &name)
{
    return repository_text("tests/firmware/compiled/" + name + ".sass.xz");
}

// Small and large numbers of both signs.
std::vector<uint32_t> numbers(size_t count)
{
    std::vector<uint32_t> values(count);
    uint32_t s = 12345;
    for (size_t i = 0; i < count; i++) {
        s = s * 1664525u + 1013904223u;
        uint32_t r = s ^ s >> 13;
        values[i] = i % 7 == 0 ? r & 15 : i % 11 == 0 ? 0u - (r & 7) : r;
    }
    return values;
}

using function = uint32_t (*)(uint32_t, uint32_t, uint32_t);

struct named_function {
    const char *kernel;
    function host;
};

#define NAMED(name) {"run_" #name, name},
const named_function functions[] = {ALL_FUNCTIONS(NAMED)};

class Compiled : public testing::TestWithParam<unsigned>
{
};

TEST_P(Compiled, FunctionGivesTheBitsThatTheHostGives)
{
    const named_function &f = functions[GetParam()];
    constexpr uint32_t count = 1500;
    exec_program e(compiled("functions"), f.kernel);
    ASSERT_EQ(e.decoded, 0) << e.error;
    std::vector<uint32_t> in = numbers(3 * count);
    uint64_t out = e.buffer(std::vector<uint32_t>(count));
    (void)e.buffer(in);
    e.param(count);
    ASSERT_EQ(e.run(128, (count + 127) / 128), 0) << e.error;
    std::vector<uint32_t> got = e.read<uint32_t>(out, count);
    for (uint32_t i = 0; i < count; i++) {
        ASSERT_EQ(got[i], f.host(in[3 * i], in[3 * i + 1], in[3 * i + 2])) << f.kernel << " " << i;
    }
    EXPECT_EQ(e.totals.forced_syncs, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Compiled,
                         testing::Range(0u, static_cast<unsigned>(std::size(functions))));

class Together : public testing::Test
{
  protected:
    std::vector<uint32_t> run(const char *kernel, uint32_t threads, uint32_t blocks)
    {
        exec_program e(compiled("warps"), kernel);
        EXPECT_EQ(e.decoded, 0) << e.error;
        uint64_t out = e.buffer(std::vector<uint32_t>(1024));
        (void)e.buffer(in);
        (void)e.buffer(std::vector<uint32_t>(64)); // flags
        EXPECT_EQ(e.run(threads, blocks), 0) << e.error;
        EXPECT_EQ(e.totals.forced_syncs, 0u);
        return e.read<uint32_t>(out, 1024);
    }
    std::vector<uint32_t> in = numbers(1024);
    std::vector<uint32_t> want = std::vector<uint32_t>(1024);
};

TEST_F(Together, TilesReduceAndScan)
{
    for (size_t tile = 0; tile < 512; tile += 16) {
        uint32_t sum = 0, most = 0, before = 0;
        for (size_t i = tile; i < tile + 16; i++) {
            sum += in[i];
            most = std::max(most, in[i]);
        }
        for (size_t i = tile; i < tile + 16; before += in[i++]) {
            want[i] = sum + most * 3 + before * 5;
        }
    }
    EXPECT_EQ(run("tiles", 128, 4), want);
}

TEST_F(Together, CoalescedThreadsShareOneAtomic)
{
    std::vector<uint32_t> got = run("collect", 128, 4);
    std::vector<uint32_t> multiples;
    std::copy_if(in.begin(), in.begin() + 512, std::back_inserter(multiples),
                 [](uint32_t v) { return v % 3 == 0; });
    ASSERT_EQ(got[0], multiples.size());
    got = {got.begin() + 1, got.begin() + 1 + got[0]};
    std::sort(got.begin(), got.end());
    std::sort(multiples.begin(), multiples.end());
    EXPECT_EQ(got, multiples);
}

TEST_F(Together, LanesFindTheirEquals)
{
    for (size_t i = 0; i < 512; i++) {
        uint32_t equal = 0, odd = 0;
        for (size_t j = 0; j < 32; j++) {
            uint32_t other = in[i / 32 * 32 + j];
            equal |= uint32_t{(other & 7) == (in[i] & 7)} << j;
            odd |= (other & 1) << j;
        }
        want[i] = equal ^ odd;
    }
    EXPECT_EQ(run("matches", 128, 4), want);
}

TEST_F(Together, HalvesOfAWarpExchangeValuesInBranchesOfTheirOwn)
{
    for (size_t i = 0; i < 512; i++) {
        uint32_t ballot = 0;
        for (size_t j = 0; j < 32; j += 2) {
            ballot |= (in[i / 32 * 32 + j] >> 1 & 1) << j;
        }
        size_t down = i % 32 + 4 < 32 ? i + 4 : i;
        want[i] = i % 2 ? in[i ^ 2] + 16 : in[down] ^ ballot;
    }
    EXPECT_EQ(run("halves", 128, 4), want);
}

TEST_F(Together, ABlockSorts)
{
    want = in;
    for (size_t b = 0; b < 1024; b += 256) {
        std::sort(want.begin() + static_cast<long>(b), want.begin() + static_cast<long>(b) + 256);
    }
    EXPECT_EQ(run("bitonic_sort", 256, 4), want);
}

TEST_F(Together, BlocksWaitForTheOneBefore)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < 1024; i++) {
        want[i] = sum += in[i] & 0xff;
    }
    EXPECT_EQ(run("running_sum", 256, 4), want);
}

TEST_F(Together, WarpsHandOverThroughSharedMemory)
{
    for (size_t i = 0; i < 50; i++) {
        want[0] = want[0] * 31 + in[i];
    }
    EXPECT_EQ(run("hand_over", 64, 1), want);
}

TEST_F(Together, LanesTakeALockInTurns)
{
    for (uint32_t i = 0; i < 96; i++) {
        want[4 + (in[i] & 3)] += 2 * i;
    }
    EXPECT_EQ(run("locks", 96, 2), want);
}

TEST_F(Together, DoublesAddUpInSharedMemory)
{
    double sum = 0;
    for (size_t i = 0; i < 128; i++) {
        sum += 3 * (in[i] & 0xffff);
    }
    std::memcpy(want.data(), &sum, sizeof sum);
    EXPECT_EQ(run("double_sum", 128, 3), want);
}

TEST_F(Together, ListsOnTheDeviceHeap)
{
    for (size_t t = 0; t < 96; t++) {
        for (uint32_t i = in[t] & 7; i-- > 0;) {
            want[t] = want[t] * 3 + (in[t] >> i);
        }
    }
    EXPECT_EQ(run("lists", 96, 1), want);
}

} // namespace
} // namespace smrf_test
