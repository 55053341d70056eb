// SPDX-License-Identifier: Apache-2.0
// Sequences with control bits whose cycles GPUs measured, on this model. Sources: see
// tests/sm/alone/modern_experiments_test.cpp.
#ifndef SMRF_TESTS_MODERN_EXPERIMENTS_H
#define SMRF_TESTS_MODERN_EXPERIMENTS_H

#include "tests/support/clock_window.h"
#include "tests/support/pattern_trace.h"

#include <iostream>

namespace modern_experiments
{

using namespace sm_test;

using lines = std::vector<std::string>;
using numbers = std::vector<int64_t>;

const char clock_line[] = "S1 CS2R =R11", nop[] = "S1 NOP";

inline lines between_clocks(lines middle)
{
    middle.insert(middle.begin(), clock_line);
    middle.emplace_back(clock_line);
    return middle;
}

inline lines operator+(lines a, const lines &b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

inline lines repeat(const std::string &line, size_t count)
{
    return lines(count, line);
}

inline sequence_run on_ampere(const lines &l)
{
    return run_sequence(l, modern_core("ampere-modern"), 0);
}

inline sequence_run on_turing(const lines &l)
{
    return run_sequence(l, modern_core("turing-modern"));
}

// Cycles from an instruction to the next of a long row, x 100.
inline int64_t interval(const sequence_run &r)
{
    const size_t last = r.at.size() - 1, from = last / 2;
    return int64_t(100 * r.cycles(from, last) / (last - from));
}

// --- 1 to 8: Allocate, the register file cache, results ------------------------------------------

// x, y: odd and odd, even and odd, even and even.
inline lines two_ffmas(const char *xy)
{
    return {nop, "S1 FFMA =R11 R10 R12 R14", std::string("S1 FFMA =R13 R16 ") + xy};
}

inline numbers windows_of_two_ffmas(const lines &behind)
{
    numbers n;
    for (const char *xy : {"R7 R9", "R6 R9", "R6 R8"}) {
        n.push_back(int64_t(on_ampere(between_clocks(two_ffmas(xy) + behind)).cycles()));
    }
    return n;
}

inline numbers bubbles(const lines &kinds)
{
    numbers n;
    for (const std::string &line : kinds) {
        n.push_back(interval(on_ampere(repeat(line, 16))) / 100 - 1);
    }
    return n;
}

inline numbers dependent_pair()
{
    numbers n;
    for (const char *stall : {"S1", "S4"}) {
        const sequence_run r = on_ampere(between_clocks(
            {nop, stall + std::string(" FADD =R8 R9 R10"), "S1 FFMA =R12 R8 R8 R8", nop}));
        n.push_back(int64_t(r.cycles()));
        n.push_back(r.stale ? 1 : 0);
    }
    return n;
}

// The least stall count with which a reader has the right value.
inline int64_t least_stall(const std::string &writer, const std::string &reader)
{
    for (unsigned s = 1; s < 16; s++) {
        const sequence_run r = on_ampere({"S" + std::to_string(s) + " Y " + writer, reader});
        if (r.early == 0) {
            EXPECT_EQ(0u, r.stale);
            return s;
        }
    }
    return -1;
}

// Of two instructions behind the first one, those that find R2 in the register file cache.
inline numbers cache_hits()
{
    const lines cases[] = {
        {"R2.r R5 R7", "R2 R5 R7", "R2 R5 R7"},
        {"R2.r R5 R7", "R2.r R5 R7", "R2 R5 R7"},
        {"R2.r R5 R7", "R5 R2 R7", "R2 R5 R7"},
        {"R2.r R5 R7", "R4 R5 R7", "R2 R5 R7"},
    };
    numbers n;
    for (const lines &c : cases) {
        lines l;
        for (const std::string &operands : c) {
            l.push_back("S4 FFMA =R12 " + operands);
        }
        const uint64_t all = on_ampere(l).hits;
        l.pop_back();
        const uint64_t second = on_ampere(l).hits;
        n.push_back(int64_t(second));
        n.push_back(int64_t(all - second));
    }
    return n;
}

// Cycles that the consumer of two results of one bank is late, and that of a load is.
inline numbers results_that_meet()
{
    const sequence_run both =
        on_ampere({"S1 HADD2 =R12 R3 R4", "S4 FFMA =R14 R5 R6 R7", "S1 FADD =R16 R12 R14"});
    uint64_t least = SMRF_NEVER, most = 0;
    for (unsigned k = 0; k < 22; k++) {
        const sequence_run r =
            on_ampere(lines{"S2 W2 LDS =R20 R4"} + repeat(nop, k) + lines{"S1 FFMA =R22 R5 R6 R7"} +
                      repeat(nop, 22 - k) + lines{"S1 B2 MOV =R9 R20"});
        least = std::min(least, r.cycles());
        most = std::max(most, r.cycles());
    }
    return {both.stale ? 1 : 0, int64_t(most - least)};
}

// --- 9 to 11: fetch and the scheduler ------------------------------------------------------------

// Four warps of a sub-core with 32 independent instructions each, through an empty L0, in the order
// of issue: a warp and how many of its instructions follow one another, and so on. late: lines
// behind the first come as the preset says; else in time. gap: the most cycles without an issue.
inline numbers runs_of_warps(const std::string &second, bool late, uint64_t *gap = nullptr)
{
    smrf_config cfg = modern_core("ampere-modern");
    cfg.frontend.l0_bytes = 32768;
    cfg.frontend.l0_interval = late ? cfg.frontend.l0_interval : 1;
    lines l = repeat("S1 FADD =R10 R2 R3", 32);
    l[1] = second + " FADD =R10 R2 R3";
    program p = sequence(l);
    for (size_t i = 0; i < p.size(); i++) {
        p[i].op.pc = uint32_t(16 * i);
    }
    block b(16, sequence({}));
    for (size_t w = 0; w < 16; w += 4) {
        b[w] = p;
    }
    dut d(cfg, {b});
    d.run();
    numbers n;
    uint64_t last = 0;
    for (const issue &i : d.issues) {
        if (i.index == 32 || i.warp % 4 != 0) {
            continue; // EXIT, or another sub-core
        }
        if (n.empty() || n[n.size() - 2] != i.warp / 4) {
            n.push_back(i.warp / 4);
            n.push_back(0);
        }
        n.back()++;
        if (gap) {
            *gap = std::max(*gap, last ? i.cycle - last - 1 : 0);
        }
        last = i.cycle;
    }
    return n;
}

// The last run of the third experiment is one of W0, with the gap in it.
inline numbers runs_with_a_long_stall()
{
    uint64_t gap = 0;
    numbers n = runs_of_warps("S4", false, &gap);
    n.push_back(int64_t(gap));
    return n;
}

// --- 12 to 14: memory ----------------------------------------------------------------------------

// Cycles in which the loads of a warp in each of so many sub-cores issue, from the first, which is
// 2; the sixth of each sub-core, in order, then the distance to the next.
inline std::vector<std::vector<uint64_t>> issues_of_loads(unsigned subcores)
{
    lines l = repeat("S12 Y NOP", 6);
    for (unsigned i = 0; i < 16; i++) {
        l.push_back("S1 W0 LDS =R" + std::to_string(20 + i) + " R4");
    }
    const program p = sequence(l);
    dut d(modern_core("ampere-modern"), {block(subcores, p)}, 64, 1024);
    d.run();
    uint64_t first = SMRF_NEVER;
    std::vector<std::vector<uint64_t>> all;
    for (unsigned w = 0; w < subcores; w++) {
        const auto at = d.cycles_of(w);
        all.emplace_back(at.begin() + 6, at.end() - 1);
        first = std::min(first, all.back().front());
    }
    for (auto &at : all) {
        for (uint64_t &cycle : at) {
            cycle -= first - 2;
        }
    }
    return all;
}

inline numbers loads_of_one()
{
    const auto at = issues_of_loads(1)[0];
    return numbers(at.begin(), at.begin() + 9);
}

inline numbers loads_of_several()
{
    numbers n;
    for (unsigned subcores = 2; subcores <= 4; subcores++) {
        const auto all = issues_of_loads(subcores);
        numbers sixth;
        for (const auto &at : all) {
            sixth.push_back(int64_t(at[5]));
        }
        std::sort(sixth.begin(), sixth.end());
        n.insert(n.end(), sixth.begin(), sixth.end());
        n.push_back(int64_t(all[0][15] - all[0][14]));
    }
    return n;
}

struct memory_access {
    const char *name, *opcode, *address, *data; // data: what a store reads
    std::vector<int64_t> war, raw;              // of 32, 64 and 128 bits; war: one for a load
};

inline std::vector<memory_access> accesses()
{
    return {
        {"LDG, uniform address", "LDG", "U4", "", {9}, {29, 31, 35}},
        {"LDG, vector address", "LDG", "R4", "", {11}, {32, 34, 38}},
        {"STG, uniform address", "STG", "U4", "R", {10, 12, 16}, {}},
        {"STG, vector address", "STG", "R4", "R", {14, 16, 20}, {}},
        {"LDS, uniform address", "LDS", "U4", "", {9}, {23, 23, 25}},
        {"LDS, vector address", "LDS", "R4", "", {9}, {24, 24, 26}},
        {"STS, uniform address", "STS", "U4", "R", {10, 12, 16}, {}},
        {"STS, vector address", "STS", "R4", "R", {12, 14, 18}, {}},
        {"LDC, immediate address", "LDC", "-", "", {10}, {26}},
        {"LDC, vector address", "LDC", "R4", "", {29}, {29}},
        {"LDGSTS, vector address", "LDGSTS", "R4", "", {13}, {39}},
    };
}

// From an access that hits to the first instruction that may overwrite its source (R), or use its
// result (W).
inline int64_t latency_of(const memory_access &a, unsigned width, char counter)
{
    static const char *const suffix[] = {"", ".64", ".128"};
    std::string line = a.opcode + std::string(suffix[width]);
    const unsigned registers = 1u << width;
    for (unsigned i = 0; !*a.data && i < registers && a.opcode != std::string("LDGSTS"); i++) {
        line += " =R" + std::to_string(20 + i);
    }
    line += std::string(" ") + a.address;
    for (unsigned i = 0; *a.data && i < registers; i++) {
        line += " R" + std::to_string(20 + i);
    }
    const std::string waiter = counter == 'R' ? "S1 B2 MOV =R4" : "S1 B2 MOV =R9 R20";
    const sequence_run r = on_ampere({"S4 W1 " + line, "S12 Y NOP", "S12 Y B1 NOP", "S12 Y NOP",
                                      "S2 " + std::string(1, counter) + "2 " + line, waiter});
    return int64_t(r.cycles(4, 5));
}

// As measured, and here: to the first overwriter, then to the first consumer, by width.
inline std::pair<numbers, numbers> latencies_of(const memory_access &a)
{
    numbers expected = a.war, here;
    expected.insert(expected.end(), a.raw.begin(), a.raw.end());
    for (unsigned i = 0; i < a.war.size(); i++) {
        here.push_back(latency_of(a, i, 'R'));
    }
    for (unsigned i = 0; i < a.raw.size(); i++) {
        here.push_back(latency_of(a, i, 'W'));
    }
    return {expected, here};
}

// --- 15: constants -------------------------------------------------------------------------------

// Cycles by which an instruction with a constant that its cache does not hold issues later; from
// then on until another warp issues.
inline numbers constant_miss()
{
    smrf_config cfg = modern_core("ampere-modern");
    cfg.frontend.constant_bytes = 512;
    lines l = repeat("S12 Y NOP", 6) + repeat("S1 FADD =R10 R2 R3", 8);
    program with = sequence(l), without = sequence(l);
    with[10].op.constant = 1 + 0x160;
    dut one(cfg, {{with}});
    one.laws = false;
    one.run();
    // Warps 0 and 4 share a sub-core; 4 is the younger one. Its miss is the first.
    block b(5, sequence({}));
    b[4] = with;
    b[0] = without;
    dut others(cfg, {b});
    others.laws = false;
    others.run();
    const auto at = one.cycles_of(0), waits = others.cycles_of(4), goes = others.cycles_of(0);
    const uint64_t from = waits[9] + 1; // when it would have issued
    const auto next = std::find_if(goes.begin(), goes.end(), [&](uint64_t c) { return c >= from; });
    EXPECT_EQ(79u, waits[10] - from);
    return {int64_t(at[10] - at[9] - 1), next == goes.end() ? -1 : int64_t(*next - from)};
}

// --- 16, 17, 21: control bits --------------------------------------------------------------------

// The least stall count of a load, and of a DEPBAR, with which what is behind has the right value.
inline numbers least_distances()
{
    numbers n;
    for (unsigned s = 1; s < 16 && n.empty(); s++) {
        const std::string stall = "S" + std::to_string(s);
        if (!on_ampere({stall + " W2 LDG =R2 R4", "S1 B2 MOV =R9 R2"}).stale) {
            n.push_back(s);
        }
    }
    for (unsigned s = 1; s < 16 && n.size() == 1; s++) {
        const std::string stall = "S" + std::to_string(s);
        if (!on_ampere({"S4 W2 LDG =R2 R4", stall + " DEPBAR SB2", "S1 MOV =R9 R2"}).stale) {
            n.push_back(s);
        }
    }
    return n;
}

// Three loads that read their addresses late, an addition, a DEPBAR until two of them have, an
// addition that overwrites an address, and one that waits for a load.
inline numbers figure_2()
{
    const lines warm = {"S4 W1 LDG =R20 R4", "S12 Y NOP", "S12 Y B1 NOP", "S12 Y NOP"};
    const sequence_run r =
        on_ampere(warm + lines{"S1 R0 W3 LDG =R20 R4", "S1 R0 W3 LDG =R21 R6",
                               "S2 R0 W3 LDG =R22 R8", "S1 IADD3 =R10 R12 R14 -", "S4 DEPBAR SB0 1",
                               "S1 IADD3 =R4 R12 R14 -", "S1 B0 B3 IADD3 =R9 R22 R14 -"});
    numbers n;
    for (size_t i = 4; i < 11; i++) {
        n.push_back(1 + int64_t(r.cycles(4, i)));
    }
    return n;
}

// --- 18 to 20: Turing ----------------------------------------------------------------------------

// Cycles between two HMMAs, and what an operand in one bank with all others adds; then the least
// distance behind one from which each half of its result can be read.
inline numbers tensor()
{
    const std::string op = "HMMA.1688.F16 =R12 =R13 R2 R3 R4 R6 R7";
    const int64_t apart = interval(on_turing(repeat("S1 " + op, 16))),
                  bank =
                      interval(on_turing(repeat("S1 HMMA.1688.F16 =R12 =R13 R2 R4 R6 R8 R10", 16)));
    numbers n = {apart / 100, (bank - apart) / 100};
    for (const char *half : {"R12", "R13"}) {
        unsigned s = 1;
        while (on_turing({"S" + std::to_string(s) + " Y " + op, std::string("S1 MOV =R9 ") + half})
                   .stale) {
            s++;
        }
        n.push_back(s);
    }
    return n;
}

// Cycles from a result to its consumer, in a chain of dependent instructions in turn; control:
// their control bits.
inline int64_t chain(const lines &kinds, const std::string &control = "S1 ")
{
    smrf_config cfg = modern_core("turing-modern");
    cfg.issue.dependence = control == "S1 " ? SMRF_DEPENDENCE_LATENCY : SMRF_DEPENDENCE_CONTROL;
    lines l;
    for (size_t i = 0; i < 16; i++) {
        l.push_back(control + kinds[i % kinds.size()]);
    }
    return interval(run_sequence(l, cfg)) / 100;
}

inline numbers chains()
{
    const std::string ffma = "FFMA =R8 R8 R3 R5", iadd = "IADD3 =R8 R8 R3 R5";
    return {chain({ffma}), chain({iadd}), chain({ffma, iadd}), chain({"HFMA2 =R8 R8 R3 R5"})};
}

// Of a chain of loads of one word in the RTX 2060's whole memory.
inline int64_t load_latency(const char *load)
{
    smrf_test::temporary_folder folders[2];
    int64_t end[2];
    for (unsigned i = 0; i < 2; i++) {
        const std::string trace = smrf_test::pattern(folders[i], {load}, 1, 1, i ? 40 : 20);
        end[i] = int64_t(replay::run(trace, replay::preset("turing-modern")).cycles);
    }
    return (end[1] - end[0]) / 20;
}

inline numbers long_latencies()
{
    const std::string control = "S2 W0 B0 ";
    return {chain({"DADD =R8 =R9 R8 R9 R2 R3"}, control),
            chain({"DFMA =R8 =R9 R8 R9 R2 R3 R4 R5"}, control),
            load_latency("LDG.E R4 R4 @0x7f4000000000,0,0"),
            load_latency("LDG.E.STRONG.GPU R4 R4 @0x7f4000000000,0,0")};
}

// --- 22: compiled code ---------------------------------------------------------------------------

// What NVIDIA's compiler states is enough, by the table of latencies and by the values themselves.
inline numbers early_reads()
{
    numbers n;
    for (const char *name : {"fib", "ray", "hotspot", "gemm"}) {
        const std::string trace =
            std::string(std::getenv("SMRF_SOURCE_DIR")) + "/traces/bundled/" + name;
        const replay::result control =
            replay::run(trace, replay::preset("turing-modern", {"gpu.sms=2", "sim.check=1"}));
        n.push_back(int64_t(control.stats.early_reads));
        EXPECT_EQ(0u, control.stats.uncontrolled) << name;
        EXPECT_EQ(0u, control.stats.oracle_violations) << name;
        EXPECT_GT(control.stats.oracle_checked, 0u);
        for (const char *other : {"issue.dependence=latency", "issue.dependence=scoreboard"}) {
            const replay::result r = replay::run(
                trace, replay::preset("turing-modern", {"gpu.sms=2", "sim.check=1", other}));
            EXPECT_EQ(0u, r.stats.oracle_violations) << name << " " << other;
            std::cout << name << ": control " << control.cycles << " cycles, " << other << " "
                      << r.cycles << "\n";
        }
    }
    return n;
}

} // namespace modern_experiments

#endif
