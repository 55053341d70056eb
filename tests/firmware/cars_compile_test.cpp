// SPDX-License-Identifier: Apache-2.0
// The compiler's part of register stacks: what functions push, how deep the stack gets, and what
// the rewritten program looks like.
#include "firmware/cars/cars.h"
#include "models/common/smrf_rng.h"
#include "tests/support/flow_text.h"

#include <cstdlib>
#include <functional>
#include <set>

namespace
{

using namespace smrf_test;

struct compiled {
    explicit compiled(const std::vector<flow_function> &functions, const std::string &extra = "")
        : flow(flow_text(functions, extra))
    {
        EXPECT_EQ(0, smrf_cars_compile(&code, flow.operator->()));
    }
    ~compiled()
    {
        smrf_cars_free(&code);
    }
    compiled(const compiled &) = delete;
    compiled &operator=(const compiled &) = delete;
    const smrf_program_function &function(unsigned f) const
    {
        return code.program.function[f];
    }
    std::set<unsigned> pushes(unsigned f, smrf_program_frames frames = SMRF_FRAMES_MASK) const
    {
        return members(function(f).saved[frames]);
    }
    static std::set<unsigned> members(const smrf_program_set &set)
    {
        std::set<unsigned> all;
        for (unsigned r = 0; r < SMRF_REG_ZERO; r++) {
            if (smrf_program_set_has(&set, r)) {
                all.insert(r);
            }
        }
        return all;
    }
    // Kinds of the rewritten lines and the numbers of their instructions.
    std::vector<std::string> rewritten() const
    {
        static const char *const kinds[] = {"", "FRAME ", "PUSH ", "POP "};
        smrf_cars_line *line = nullptr;
        uint32_t count = 0;
        EXPECT_EQ(0, smrf_cars_rewrite(&code, flow.operator->(), &line, &count));
        std::vector<std::string> all;
        for (uint32_t i = 0; i < count; i++) {
            all.push_back(kinds[line[i].kind] + std::to_string(line[i].inst));
        }
        std::free(line);
        return all;
    }
    flow_analysis flow;
    smrf_cars_code code{};
};

const char *const ret = "RET.ABS.NODEC A:R20 B:0x0";

// Lines of a function that saves so many registers from R24 on, and calls those at the given lines.
std::vector<std::string> saving(unsigned registers, const std::vector<size_t> &callees)
{
    std::vector<std::string> lines;
    const auto slot = [](unsigned i) {
        char text[24];
        std::snprintf(text, sizeof text, "[R1-0x%x]", 4 * (i + 1));
        return std::string(text);
    };
    const auto reg = [](unsigned i) { return "R" + std::to_string(24 + i); };
    for (unsigned i = 0; i < registers; i++) {
        lines.push_back("STL A:" + slot(i) + " B:" + reg(i));
        lines.push_back("MOV =" + reg(i) + " A:RZ");
    }
    for (size_t callee : callees) {
        lines.push_back("CALL.REL.NOINC A:@" + std::to_string(callee));
    }
    for (unsigned i = 0; i < registers; i++) {
        lines.push_back("LDL =" + reg(i) + " A:" + slot(i));
    }
    lines.push_back(ret);
    return lines;
}

// A program by its graph: frames and callees of each function, the first of which is the kernel.
struct graph {
    std::vector<unsigned> frame;
    std::vector<std::vector<size_t>> callee;
};

std::vector<flow_function> program_of(const graph &g)
{
    std::vector<size_t> first;
    size_t at = 0;
    for (size_t f = 0; f < g.frame.size(); f++) {
        first.push_back(at);
        at += saving(g.frame[f], g.callee[f]).size() + (f == 0); // the kernel ends with EXIT
    }
    static std::vector<std::string> names;
    names.clear();
    for (size_t f = 0; f < g.frame.size(); f++) {
        names.push_back("f" + std::to_string(f));
    }
    std::vector<flow_function> functions;
    for (size_t f = 0; f < g.frame.size(); f++) {
        std::vector<size_t> targets;
        for (size_t c : g.callee[f]) {
            targets.push_back(first[c]);
        }
        std::vector<std::string> lines = saving(g.frame[f], targets);
        if (f == 0) {
            lines.back() = "EXIT";
            lines.push_back("EXIT");
        }
        functions.push_back({names[f].c_str(), lines});
    }
    return functions;
}

// CARS Fig. 4: a kernel of 20 registers, frames of which the largest is 10, the deepest path 56.
TEST(CarsCompile, TheLevelsAreThoseOfThePapersExample)
{
    const graph g{{0, 10, 8, 10, 8, 8, 6}, {{1, 2}, {3}, {4, 6}, {4}, {5}, {}, {}}};
    const compiled c(program_of(g));
    const smrf_cars_levels l = smrf_cars_levels_of(&c.code.program, 20, SMRF_FRAMES_MASK, 0);
    EXPECT_EQ(20u, l.kernel);
    EXPECT_EQ(30u, l.low);
    EXPECT_EQ(56u, l.high) << "20 + 10 + 10 + 8 + 8";
    EXPECT_EQ(36u, c.function(1).deepest[SMRF_FRAMES_MASK][0]);
    const smrf_cars_levels slots = smrf_cars_levels_of(&c.code.program, 20, SMRF_FRAMES_MASK, 1);
    EXPECT_EQ(31u, slots.low);
    EXPECT_EQ(60u, slots.high) << "four calls, a frame pointer each";
}

// The longest path by trying every one.
unsigned slow_depth(const graph &g, size_t f, unsigned slot)
{
    unsigned below = 0;
    for (size_t c : g.callee[f]) {
        below = std::max(below, g.frame[c] + slot + slow_depth(g, c, slot));
    }
    return below;
}

TEST(CarsCompile, TheDeepestPathOfRandomGraphsIsThatFoundByTryingAll)
{
    smrf_rng rng;
    smrf_rng_seed(&rng, 11, 0);
    for (int round = 0; round < 60; round++) {
        graph g;
        const size_t n = 2 + smrf_rng_below(&rng, 8);
        for (size_t f = 0; f < n; f++) {
            g.frame.push_back(f ? smrf_rng_below(&rng, 6) : 0);
            g.callee.emplace_back();
            for (size_t c = f + 1; c < n; c++) {
                if (c == f + 1 || smrf_rng_below(&rng, 3) == 0) {
                    g.callee[f].push_back(c);
                }
            }
        }
        const compiled c(program_of(g));
        for (size_t f = 0; f < n; f++) {
            ASSERT_EQ(f ? g.frame[f] : 0, c.function(unsigned(f)).frame[SMRF_FRAMES_MASK]);
            for (unsigned slot = 0; slot < 2; slot++) {
                const unsigned own = f ? g.frame[f] + slot : 0;
                ASSERT_EQ(own + slow_depth(g, f, slot),
                          c.function(unsigned(f)).deepest[SMRF_FRAMES_MASK][slot])
                    << "round " << round << " function " << f;
            }
        }
    }
}

TEST(CarsCompile, ARecursionCountsOnce)
{
    const graph g{{0, 3, 4, 2}, {{1}, {2}, {1, 3}, {3}}};
    const compiled c(program_of(g));
    EXPECT_EQ(9u, c.function(0).deepest[SMRF_FRAMES_MASK][0]);
    EXPECT_EQ(12u, c.function(0).deepest[SMRF_FRAMES_MASK][1]);
    EXPECT_TRUE(c.function(1).recursive && c.function(2).recursive && c.function(3).recursive);
}

TEST(CarsCompile, AProgramWithoutCallsStaysWhatItIs)
{
    const compiled c({{"k",
                       {"STL A:[R1-0x8] B:R16", "MOV =R16 A:RZ", "LDL =R16 A:[R1-0x8]",
                        "STG.E.SYS A:[R2] B:R16", "EXIT"}}});
    EXPECT_EQ((std::vector<std::string>{"0", "1", "2", "3", "4"}), c.rewritten());
    const smrf_cars_levels l = smrf_cars_levels_of(&c.code.program, 24, SMRF_FRAMES_MASK, 1);
    EXPECT_EQ(24u, l.low);
    EXPECT_EQ(24u, l.high);
}

TEST(CarsCompile, SavesAndRestoresBecomeListsAndOtherLocalAccessesStay)
{
    const compiled c({{"k", {"CALL.REL.NOINC A:@2", "EXIT"}},
                      {"f",
                       {"IADD3 =R1 A:R1 B:-0x20 C:RZ", "STL.64 A:[R1+0x8] B:R16", "MOV =R16 A:R4",
                        "MOV =R17 A:R4", "STL A:[R1+0x10] B:R5", "LDL =R6 A:[R1+0x10]",
                        "LDL.64 =R16 A:[R1+0x8]", "IADD3 =R1 A:R1 B:0x20 C:RZ", ret}}});
    EXPECT_EQ((std::set<unsigned>{16, 17}), c.pushes(1));
    EXPECT_EQ((std::vector<std::string>{"FRAME 0", "0", "1", "PUSH 2", "2", "4", "5", "6", "7", "9",
                                        "POP 10", "10"}),
              c.rewritten());
    EXPECT_TRUE(smrf_cars_is_spill(&c.code, 0x30));
    EXPECT_FALSE(smrf_cars_is_spill(&c.code, 0x60));
}

// The paper's frames begin at R16 and have no gaps; what lies below it stays in memory.
TEST(CarsCompile, ARangeOfRegistersCostsItsGaps)
{
    const compiled c(
        {{"k", {"CALL.REL.NOINC A:@2", "EXIT"}},
         {"f",
          {"STL A:[R1-0x8] B:R2", "STL.64 A:[R1-0x10] B:R20", "MOV =R2 A:R4", "MOV =R20 A:R4",
           "MOV =R21 A:R4", "LDL =R2 A:[R1-0x8]", "LDL.64 =R20 A:[R1-0x10]", ret}}});
    EXPECT_EQ((std::set<unsigned>{2, 20, 21}), c.pushes(1));
    EXPECT_EQ(3u, c.function(1).frame[SMRF_FRAMES_MASK]);
    EXPECT_EQ((std::set<unsigned>{20, 21}), c.pushes(1, SMRF_FRAMES_PREFIX));
    EXPECT_EQ(6u, c.function(1).frame[SMRF_FRAMES_PREFIX]) << "R16 to R21";
}

TEST(CarsCompile, AWordThatIsNoSaveKeepsItsNeighboursInMemory)
{
    const compiled c(
        {{"k", {"CALL.REL.NOINC A:@2", "EXIT"}},
         {"f",
          {"STL A:[R1-0x8] B:R16", "STL A:[R1-0x4] B:R17", "STL A:[R1-0x10] B:R18", "MOV =R16 A:R4",
           "MOV =R18 A:R4", "LDL.64 =R16 A:[R1-0x8]", "LDL =R18 A:[R1-0x10]", ret}}});
    const std::set<unsigned> pushed = c.pushes(1);
    EXPECT_EQ(1u, pushed.count(18));
    EXPECT_EQ(pushed.count(16), pushed.count(17));
}

TEST(CarsCompile, AValueReadBeforeItIsWrittenIsCopied)
{
    const compiled c({{"k", {"CALL.REL.NOINC A:@2", "EXIT"}},
                      {"f",
                       {"STL.64 A:[R1-0x8] B:R16", "P0 MOV =R16 A:R4", "MOV =R17 A:R4",
                        "IADD3 =R5 A:R16 B:R17 C:RZ", "LDL.64 =R16 A:[R1-0x8]", ret}}});
    EXPECT_EQ((std::set<unsigned>{16}), compiled::members(c.function(1).read_first));
}

TEST(CarsCompile, AFunctionEnteredOrLeftByAJumpKeepsItsSavesInMemory)
{
    const compiled c(
        {{"k", {"CALL.REL.NOINC A:@2", "EXIT"}},
         {"f", {"STL A:[R1-0x8] B:R16", "MOV =R16 A:R4", "LDL =R16 A:[R1-0x8]", "BRA A:@6"}},
         {"g", {"STL A:[R1-0x8] B:R17", "MOV =R17 A:R4", "LDL =R17 A:[R1-0x8]", ret}}});
    EXPECT_TRUE(c.pushes(1).empty());
    EXPECT_TRUE(c.pushes(2).empty());
}

// CARS III-C: a call through a pointer counts as the largest of its targets.
TEST(CarsCompile, ACallThroughAPointerCountsAsTheLargestOfItsTargets)
{
    std::vector<flow_function> functions = {{"k", {"CALL.ABS.NOINC A:R4", "EXIT"}}};
    functions.push_back({"small", saving(1, {})});
    functions.push_back({"large", saving(5, {})});
    functions.push_back({"none", saving(0, {})});
    const compiled c(functions, ".indirect 0000 0020 0060 0160\n");
    EXPECT_EQ(SMRF_PROGRAM_NONE, c.code.program.unknown_call);
    ASSERT_EQ(1u, c.code.program.num_calls);
    EXPECT_EQ(3u, c.code.program.call[0].num_callees);
    EXPECT_TRUE(c.code.program.call[0].indirect);
    const smrf_cars_levels l = smrf_cars_levels_of(&c.code.program, 40, SMRF_FRAMES_MASK, 1);
    EXPECT_EQ(46u, l.low);
    EXPECT_EQ(46u, l.high);
}

TEST(CarsCompile, ACallThatMayLeadAnywhereIsTold)
{
    const compiled c({{"k", {"CALL.ABS.NOINC A:R4", "EXIT"}}});
    EXPECT_EQ(0u, c.code.program.unknown_call);
}

} // namespace
