// SPDX-License-Identifier: Apache-2.0
// The 22 experiments that a model of this core must reproduce, as one set: what GPUs measured, and
// what this model measures in the same sequence. Each is exact or within a cycle, or its
// deviation stands here with the reason. docs/modern-core.md holds the table that this prints.
// Sources: H, Huerta et al., MICRO 2025; N, NVIDIA's tables in Mesa's NAK compiler; C, least
// distances in compiled code; J, Jia et al., arXiv 1903.07486; Y, Yan et al., IPDPS 2020.
#include "tests/support/modern_experiments.h"

#include <fstream>
#include <iostream>

namespace
{

using namespace modern_experiments;

// --- the set -------------------------------------------------------------------------------------

struct experiment {
    int number;
    const char *what, *source;
    numbers expected, here;
    const char *reason = ""; // of a deviation of more than a cycle
    bool is_order = false;   // warps and lengths: there is no "within a cycle"
};

std::vector<experiment> experiments()
{
    return {
        {1,
         "GA10x: clock, NOP, FFMA, FFMA, NOP, clock; the last two operands of the second FFMA in "
         "odd odd, even odd, even even registers",
         "H",
         {5, 6, 7},
         windows_of_two_ffmas({nop})},
        {2,
         "the same without the last NOP: the second clock does not stall",
         "H",
         {4, 4, 4},
         windows_of_two_ffmas({})},
        {3,
         "GA10x: FMULs with both sources in one bank, in two: bubble",
         "H",
         {1, 0},
         bubbles({"S1 FMUL =R12 R2 R4", "S1 FMUL =R12 R2 R3"})},
        {4,
         "GA10x: FFMAs with three sources in one bank: bubble",
         "H",
         {2},
         bubbles({"S1 FFMA =R12 R2 R4 R6"})},
        {5,
         "FADD and dependent FFMA between clocks, stall count 1 and 4: cycles; 1: a stale value",
         "H",
         {5, 1, 8, 0},
         dependent_pair()},
        {6,
         "GA10x: least stall count from MOV to MOV, from MOV to LDG",
         "H, N",
         {4, 5},
         {least_stall("MOV =R8 R2", "S1 MOV =R9 R8"),
          least_stall("MOV =R8 R2", "S1 W0 LDG =R9 R8")}},
        {7,
         "register file cache behind a marked R2, hits of two reads: plain; both marked; slot B, "
         "then A; R4, then R2",
         "H",
         {1, 0, 1, 1, 0, 1, 0, 0},
         cache_hits()},
        {8,
         "HADD2 and FFMA that end together in one bank: 1 if stale; a load that meets an FFMA: "
         "cycles late",
         "H",
         {0, 1},
         results_that_meet()},
        {9,
         "GA10x: 4 warps of 32 instructions, cold: warp and instructions of each run",
         "H",
         {3, 16, 2, 32, 3, 16, 1, 32, 0, 32},
         runs_of_warps("S1", true),
         "",
         true},
        {10,
         "the same, with lines that come in time, the second yields",
         "H",
         {3, 2, 2, 2, 3, 30, 2, 30, 1, 2, 0, 2, 1, 30, 0, 30},
         runs_of_warps("S1 Y", false),
         "",
         true},
        {11,
         "the same, the second has stall count 4; behind the runs: cycles of W0 without issue",
         "H",
         {3, 2, 2, 2, 1, 2, 3, 30, 2, 30, 1, 30, 0, 32, 3},
         runs_with_a_long_stall(),
         "",
         true},
        {12,
         "GA10x: loads of one sub-core: cycles of issue",
         "H",
         {2, 3, 4, 5, 6, 13, 17, 21, 25},
         loads_of_one()},
        {13,
         "GA10x: loads of 2, 3 and 4 sub-cores: the sixth of each; then the distance of two",
         "H",
         {13, 15, 4, 13, 15, 17, 6, 13, 15, 17, 19, 8},
         loads_of_several()},
        {14, "GA10x: accesses that hit: 34 latencies", "H", {}, {}, "the next table"},
        {15,
         "constant operand that misses: at issue; cycles until another warp issues",
         "H",
         {79, 4},
         constant_miss()},
        {16,
         "least distance from a counter's producer to its waiter; from DEPBAR to the next",
         "H, C",
         {2, 4},
         least_distances()},
        {17,
         "GA10x: NOP with stall count 0 and yield",
         "H",
         {45},
         {int64_t(on_ampere({"S0 Y NOP", nop}).cycles())}},
        {18,
         "Turing, HMMA.1688.F16: interval; more with all sources in one bank; to a reader of "
         "either half of the result",
         "Y",
         {8, 0, 10, 14},
         tensor(),
         "both halves are written at once, `exec.hmma_f16_latency` after the reads"},
        {19, "Turing, chains: FFMA; IADD3; both in turn; HFMA2", "J, N", {4, 4, 5, 6}, chains()},
        {20,
         "Turing: DADD; DFMA; load from the L1, from the L2",
         "J",
         {48, 54, 32, 188},
         long_latencies(),
         "one latency for all of FP64; the caches' latencies are fitted to an RTX 2060, the "
         "measurements are of a T4"},
        {21,
         "GA10x: 3 loads, IADD3, DEPBAR, IADD3, IADD3: cycles of issue",
         "H",
         {1, 2, 3, 5, 6, 15, 36},
         figure_2(),
         "the loads' latencies, as in 14"},
        {22, "early reads of `fib`, `ray`, `hotspot`, `gemm`", "C", {0, 0, 0, 0}, early_reads()},
    };
}

std::string text_of(const numbers &n)
{
    std::string text;
    for (int64_t v : n) {
        text += (text.empty() ? "" : " ") + std::to_string(v);
    }
    return text;
}

int64_t most_apart(const numbers &expected, const numbers &here)
{
    int64_t most = expected.size() == here.size() ? 0 : INT64_MAX;
    for (size_t i = 0; i < std::min(expected.size(), here.size()); i++) {
        most = std::max(most, std::abs(expected[i] - here[i]));
    }
    return most;
}

// Exact, within a cycle, or the deviation's reason.
std::string agreement(const experiment &e)
{
    if (e.expected.empty()) {
        return e.reason;
    }
    const int64_t most = most_apart(e.expected, e.here);
    return most == 0 ? "exact" : most == 1 && !e.is_order ? "within a cycle" : e.reason;
}

std::string page_text()
{
    std::ifstream file(std::string(std::getenv("SMRF_SOURCE_DIR")) + "/docs/modern-core.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

void expect_on_page(const std::string &line)
{
    static const std::string page = page_text();
    std::cout << line << "\n";
    EXPECT_NE(std::string::npos, page.find(line + "\n"))
        << "docs/modern-core.md lacks this line: " << line;
}

TEST(ModernExperiments, AreAllThereAndAreAsThePageHasThem)
{
    int number = 0;
    numbers deviate;
    for (const experiment &e : experiments()) {
        EXPECT_EQ(++number, e.number);
        const std::string how = agreement(e);
        EXPECT_NE("", how) << e.number << " deviates without a reason";
        if (how != "exact" && how != "within a cycle") {
            deviate.push_back(e.number);
        }
        expect_on_page("| " + std::to_string(e.number) + " | " + e.what + " | " + e.source + " | " +
                       text_of(e.expected) + " | " + text_of(e.here) + " | " + how + " |");
    }
    EXPECT_EQ(22, number);
    EXPECT_EQ((numbers{14, 18, 20, 21}), deviate) << "none more";
}

// The 34 values of experiment 14.
TEST(ModernExperiments, LatenciesOfAccessesAreAsThePageHasThem)
{
    size_t values = 0, near = 0;
    for (const memory_access &a : accesses()) {
        const auto n = latencies_of(a);
        values += n.first.size();
        for (size_t i = 0; i < n.first.size(); i++) {
            near += std::abs(n.first[i] - n.second[i]) <= 1;
        }
        expect_on_page(std::string("| ") + a.name + " | " + text_of(n.first) + " | " +
                       text_of(n.second) + " |");
    }
    EXPECT_EQ(34u, values);
    EXPECT_GE(near, 4u);
}

// CUDA C++ Programming Guide, throughput of arithmetic instructions: conversions from and to types
// of 64 bits have the rate of double precision on 7.5 and 8.6, and that of other conversions
// on 8.0.
TEST(ModernCore, ConversionsOf64BitsHaveTheRateOfDoublePrecisionOnGeForce)
{
    const lines wide = repeat("S1 F2F.F64.F32 =R4 =R5 R8", 16);
    const lines narrow = repeat("S1 F2F.F16.F32 =R4 R8", 16);
    EXPECT_EQ(interval(on_turing(wide)), 1600);
    EXPECT_EQ(interval(on_ampere(wide)), 1600);
    EXPECT_EQ(interval(on_turing(narrow)), 800);
    EXPECT_EQ(interval(run_sequence(wide, modern_core("ga100-modern"))), 800);
}

} // namespace
