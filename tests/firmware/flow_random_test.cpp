// SPDX-License-Identifier: Apache-2.0
// Random small programs: dominators against deletion of blocks, liveness against a search for paths
// over explicit call stacks, strands and intervals against what defines them.
#include "tests/support/flow_text.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

using smrf_test::flow_analysis;
using smrf_test::flow_function;
using smrf_test::flow_text;

namespace
{

constexpr unsigned first_reg = 2, num_regs = 6;

enum kind { OP, LOAD, JUMP, CALL, RET, EXIT };

struct inst {
    kind what = OP;
    bool conditional = false;
    unsigned target = 0; // instruction
    std::set<unsigned> reads, writes;
    unsigned function = 0;
};

// A program, kept apart from what the analysis reads.
struct sample {
    std::vector<inst> code;
    std::vector<unsigned> begin; // of functions, and the end
    bool recursive = false;
    std::string text;
};

unsigned pick(std::mt19937 &rng, unsigned n)
{
    return static_cast<unsigned>(rng() % n);
}

std::string reg(unsigned r)
{
    return "R" + std::to_string(r);
}

sample make(std::mt19937 &rng, bool recursion)
{
    sample s;
    const unsigned functions = 1 + pick(rng, 3);
    for (unsigned f = 0; f <= functions; f++) {
        s.begin.push_back(f == 0 ? 0 : s.begin.back() + 3 + pick(rng, 9));
    }
    static const char *const names[] = {"k", "f", "g"};
    std::vector<flow_function> text;
    for (unsigned f = 0; f < functions; f++) {
        text.push_back({names[f], {}});
        for (unsigned i = s.begin[f]; i < s.begin[f + 1]; i++) {
            inst n;
            n.function = f;
            const unsigned dice = pick(rng, 10), size = s.begin[f + 1] - s.begin[f];
            n.conditional = pick(rng, 3) == 0;
            std::string line = n.conditional ? "P0 " : "";
            const unsigned lowest = recursion ? 1 : f + 1; // callee
            if (i + 1 == s.begin[f + 1]) {
                n.conditional = false;
                n.what = f == 0 ? EXIT : RET;
                line = f == 0 ? "EXIT" : "RET.ABS.NODEC A:R20 B:0x0";
            } else if (dice < 3) {
                n.what = JUMP;
                n.target = s.begin[f] + pick(rng, size);
                line += "BRA A:@" + std::to_string(n.target);
            } else if (dice < 5 && lowest < functions) {
                n.what = CALL;
                const unsigned callee = lowest + pick(rng, functions - lowest);
                n.target = s.begin[callee];
                s.recursive |= callee <= f;
                line += "CALL.REL.NOINC A:@" + std::to_string(n.target);
            } else {
                const unsigned a = first_reg + pick(rng, num_regs),
                               b = first_reg + pick(rng, num_regs),
                               d = first_reg + pick(rng, num_regs);
                n.what = dice == 9 ? LOAD : OP;
                n.writes = {d};
                n.reads = n.what == LOAD ? std::set<unsigned>{a} : std::set<unsigned>{a, b};
                line += n.what == LOAD
                            ? "LDG.SYS =" + reg(d) + " A:[" + reg(a) + "]"
                            : "IADD3 =" + reg(d) + " A:" + reg(a) + " B:" + reg(b) + " C:RZ";
            }
            s.code.push_back(n);
            text.back().lines.push_back(line);
        }
    }
    s.text = flow_text(text);
    return s;
}

// Within its function: calls come back.
std::vector<unsigned> behind(const sample &s, unsigned i)
{
    const inst &n = s.code[i];
    std::vector<unsigned> to;
    if ((n.what != JUMP && n.what != RET && n.what != EXIT) || n.conditional) {
        to.push_back(i + 1);
    }
    if (n.what == JUMP) {
        to.push_back(n.target);
    }
    return to;
}

std::set<unsigned> reached(const sample &s, unsigned from, unsigned without)
{
    std::set<unsigned> seen;
    std::deque<unsigned> todo;
    if (from != without) {
        todo.push_back(from);
    }
    while (!todo.empty()) {
        const unsigned i = todo.front();
        todo.pop_front();
        if (!seen.insert(i).second) {
            continue;
        }
        for (unsigned to : behind(s, i)) {
            if (to != without) {
                todo.push_back(to);
            }
        }
    }
    return seen;
}

TEST(FlowRandom, DominatorsAreWhatCannotBeRemoved)
{
    std::mt19937 rng(1);
    for (unsigned round = 0; round < 300; round++) {
        const sample s = make(rng, true);
        flow_analysis a(s.text);
        ASSERT_EQ(a.rc, 0) << a.reason << s.text;
        for (uint32_t y = 0; y < a->num_blocks; y++) {
            const unsigned last = a->block[y].first, f = s.code[last].function;
            const bool reachable = reached(s, s.begin[f], UINT32_MAX).count(last) != 0;
            EXPECT_EQ(a->block[y].order != SMRF_FLOW_NOWHERE, reachable) << s.text;
            for (uint32_t x = 0; x < a->num_blocks; x++) {
                const unsigned first = a->block[x].first;
                const bool needed = reachable && s.code[first].function == f &&
                                    reached(s, s.begin[f], first).count(last) == 0;
                ASSERT_EQ(smrf_flow_dominates(a.get(), x, y), needed) << x << " " << y << "\n"
                                                                      << s.text;
            }
        }
    }
}

// A place in the code with the calls that led there.
struct config {
    unsigned at;
    std::vector<unsigned> stack;
    bool operator<(const config &o) const
    {
        return at != o.at ? at < o.at : stack < o.stack;
    }
};

std::vector<config> next(const sample &s, const config &c, size_t deepest)
{
    const inst &n = s.code[c.at];
    std::vector<config> to;
    if (n.what != CALL) {
        for (unsigned i : behind(s, c.at)) {
            to.push_back({i, c.stack});
        }
    } else if (n.conditional) {
        to.push_back({c.at + 1, c.stack});
    }
    if (n.what == CALL && c.stack.size() < deepest) {
        config callee{n.target, c.stack};
        callee.stack.push_back(c.at + 1);
        to.push_back(callee);
    }
    if (n.what == RET && !c.stack.empty()) {
        config caller{c.stack.back(), c.stack};
        caller.stack.pop_back();
        to.push_back(caller);
    }
    return to;
}

// Whether the guard holds, for a thread that goes through a block. Nothing writes it.
enum guard { UNKNOWN, HOLDS, FAILS };

bool in_block(const sample &s, unsigned i)
{
    bool begins = s.code[i].function != s.code[i - 1].function || s.code[i - 1].what > LOAD;
    for (const inst &n : s.code) {
        begins |= n.what == JUMP && n.target == i;
    }
    return !begins;
}

// What a path knows of the guard it knows to the end of its block.
bool needed_behind(const sample &s, const config &c, unsigned r, size_t deepest)
{
    std::set<std::pair<config, guard>> seen;
    std::deque<std::pair<config, guard>> todo;
    auto go = [&](const config &from, guard g) {
        for (const config &to : next(s, from, deepest)) {
            const bool stays = to.at == from.at + 1 && in_block(s, to.at);
            todo.push_back({to, stays ? g : UNKNOWN});
        }
    };
    go(c, UNKNOWN);
    while (!todo.empty()) {
        const auto [at, g] = todo.front();
        todo.pop_front();
        if (!seen.insert({at, g}).second) {
            continue;
        }
        const inst &n = s.code[at.at];
        const bool step = n.what <= LOAD;
        if (n.conditional && step && g == UNKNOWN) {
            todo.push_back({at, HOLDS});
            todo.push_back({at, FAILS});
            continue;
        }
        if (n.conditional && step && g == FAILS) {
            go(at, g);
            continue;
        }
        if (n.reads.count(r) != 0) {
            return true;
        }
        if (n.writes.count(r) == 0) {
            go(at, g);
        }
    }
    return false;
}

void compare_liveness(unsigned seed, unsigned rounds, bool recursion, size_t deepest)
{
    std::mt19937 rng(seed);
    uint64_t live = 0, dead = 0;
    for (unsigned round = 0; round < rounds; round++) {
        const sample s = make(rng, recursion);
        flow_analysis a(s.text);
        ASSERT_EQ(a.rc, 0) << a.reason << s.text;
        std::set<config> all;
        std::deque<config> todo{{0, {}}};
        while (!todo.empty()) {
            const config c = todo.front();
            todo.pop_front();
            if (all.insert(c).second) {
                for (const config &n : next(s, c, deepest)) {
                    todo.push_back(n);
                }
            }
        }
        std::map<unsigned, std::set<unsigned>> want;
        bool everywhere = true; // every call can be reached
        std::set<unsigned> visited;
        for (const config &c : all) {
            visited.insert(c.at);
            for (unsigned r = first_reg; r < first_reg + num_regs; r++) {
                if (needed_behind(s, c, r, deepest)) {
                    want[c.at].insert(r);
                }
            }
        }
        for (unsigned i = 0; i < s.code.size(); i++) {
            everywhere &= s.code[i].what != CALL || visited.count(i) != 0;
        }
        for (unsigned i : visited) {
            for (unsigned r = first_reg; r < first_reg + num_regs; r++) {
                const bool needed = want[i].count(r) != 0;
                if (needed || (everywhere && !s.recursive)) {
                    ASSERT_EQ(a.live(i, r), needed) << i << " R" << r << "\n" << s.text;
                }
                (a.live(i, r) ? live : dead)++;
            }
        }
    }
    EXPECT_GT(live, rounds);
    EXPECT_GT(dead, rounds);
}

TEST(FlowRandom, LiveIsWhatSomePathReads)
{
    compare_liveness(2, 400, false, 8);
}

TEST(FlowRandom, LiveThroughRecursionHasAllThatFewCallsNeed)
{
    compare_liveness(3, 60, true, 3);
}

// Straight code in which predicates are set, kept in registers and tested again, run by threads.
struct guarded {
    unsigned guard = 7; // predicate, 7: none
    bool inverted = false;
    int pred = -1; // written
    int kept = -1; // predicate that a register gets
    bool tests = false;
    std::set<unsigned> reads, writes;
};

TEST(FlowRandom, WhatAThreadReadsUnderAGuardIsLive)
{
    std::mt19937 rng(5);
    uint64_t dead = 0;
    for (unsigned round = 0; round < 300; round++) {
        std::vector<guarded> code(20);
        flow_function f{"k", {}};
        for (guarded &n : code) {
            const unsigned a = pick(rng, num_regs), d = pick(rng, num_regs), dice = pick(rng, 4);
            std::string line;
            if (dice != 0 && pick(rng, 2) == 0) {
                n.guard = pick(rng, 2);
                n.inverted = pick(rng, 4) == 0;
                line = std::string(n.inverted ? "!P" : "P") + std::to_string(n.guard) + ' ';
            }
            if (dice == 0) {
                n.kept = static_cast<int>(pick(rng, 2));
                n.writes = {d};
                line +=
                    "P2R =" + reg(first_reg + d) + " A:PR B:RZ C:0x" + std::to_string(1 << n.kept);
            } else if (dice == 1) {
                n.pred = static_cast<int>(pick(rng, 2));
                n.tests = pick(rng, 4) != 0;
                n.reads = {a};
                line += std::string(n.tests ? "ISETP.NE.AND =P" : "ISETP.GE.AND =P") +
                        std::to_string(n.pred) + " =PT A:" + reg(first_reg + a) + " B:RZ ?PT";
            } else {
                n.reads = {a};
                n.writes = {d};
                line += "IADD3 =" + reg(first_reg + d) + " A:" + reg(first_reg + a) + " B:0x1 C:RZ";
            }
            f.lines.push_back(line);
        }
        f.lines.push_back("EXIT");
        const std::string text = flow_text({f});
        flow_analysis a(text);
        ASSERT_EQ(a.rc, 0) << a.reason << text;
        std::vector<std::set<unsigned>> read(code.size()); // of what is there behind i
        for (unsigned thread = 0; thread < 32; thread++) {
            bool value[num_regs], pred[2];
            for (bool &v : value) {
                v = pick(rng, 2) != 0;
            }
            for (bool &p : pred) {
                p = pick(rng, 2) != 0;
            }
            size_t since[num_regs] = {};
            for (size_t i = 0; i < code.size(); i++) {
                const guarded &n = code[i];
                if (n.guard < 2 && pred[n.guard] == n.inverted) {
                    continue;
                }
                for (unsigned r : n.reads) {
                    for (size_t k = since[r]; k < i; k++) {
                        read[k].insert(r);
                    }
                }
                if (n.pred >= 0) {
                    pred[n.pred] = n.tests ? value[*n.reads.begin()] : pick(rng, 2) != 0;
                }
                for (unsigned r : n.writes) {
                    value[r] = n.kept >= 0 ? pred[n.kept] : pick(rng, 2) != 0;
                    since[r] = i;
                }
            }
        }
        for (size_t i = 0; i < code.size(); i++) {
            for (unsigned r = 0; r < num_regs; r++) {
                const bool live = a.live(static_cast<unsigned>(i), first_reg + r);
                ASSERT_TRUE(live || read[i].count(r) == 0) << i << " R" << first_reg + r << "\n"
                                                           << text;
                dead += !live;
            }
        }
    }
    EXPECT_GT(dead, 300u);
}

TEST(FlowRandom, FinalReadsAreThoseWhoseValueNobodyNeeds)
{
    std::mt19937 rng(4);
    for (unsigned round = 0; round < 200; round++) {
        const sample s = make(rng, true);
        flow_analysis a(s.text);
        ASSERT_EQ(a.rc, 0);
        for (uint32_t i = 0; i < a->num_insts; i++) {
            const smrf_flow_inst &n = a->inst[i];
            for (unsigned k = 0; k < n.op.num_src; k++) {
                const unsigned r = n.op.src[k];
                const bool overwritten = s.code[i].writes.count(r) != 0 && !s.code[i].conditional;
                EXPECT_EQ(n.final_src >> k & 1, overwritten || !a.live(i, r)) << s.text;
                EXPECT_LE(n.release_src >> k & 1, n.final_src >> k & 1) << s.text;
            }
        }
    }
}

bool goes_back(const flow_analysis &a, unsigned from, unsigned to)
{
    const smrf_flow_block &x = a->block[a->inst[from].block], &y = a->block[a->inst[to].block];
    return to == y.first && x.order != SMRF_FLOW_NOWHERE && y.order <= x.order;
}

// No instruction of a strand needs what another one of it has loaded; a strand does not go on
// through a loop, neither into it nor out of it.
TEST(FlowRandom, StrandsNeverWaitForTheirOwnLoads)
{
    std::mt19937 rng(5);
    uint64_t joined = 0, loops = 0;
    for (unsigned round = 0; round < 400; round++) {
        const sample s = make(rng, true);
        flow_analysis a(s.text);
        ASSERT_EQ(a.rc, 0);
        for (unsigned i = 0; i < s.code.size(); i++) {
            if (s.code[i].what != LOAD || a->block[a->inst[i].block].order == SMRF_FLOW_NOWHERE) {
                continue;
            }
            const unsigned loaded = *s.code[i].writes.begin();
            std::set<unsigned> seen;
            std::deque<unsigned> todo{i};
            while (!todo.empty()) {
                const unsigned at = todo.front();
                todo.pop_front();
                for (unsigned to : behind(s, at)) {
                    if (a->inst[to].strand != a->inst[i].strand || goes_back(a, at, to) ||
                        !seen.insert(to).second) {
                        continue;
                    }
                    joined++;
                    EXPECT_EQ(s.code[to].reads.count(loaded) + s.code[to].writes.count(loaded), 0u)
                        << i << " " << to << "\n"
                        << s.text;
                    todo.push_back(to);
                }
            }
        }
        for (unsigned i = 0; i < s.code.size(); i++) {
            for (unsigned to : behind(s, i)) {
                if (!goes_back(a, i, to)) {
                    continue;
                }
                loops++;
                for (unsigned other = 0; other < s.code.size(); other++) {
                    const std::vector<unsigned> next = behind(s, other);
                    const bool enters = std::count(next.begin(), next.end(), to) != 0 &&
                                        !goes_back(a, other, to) &&
                                        a->block[a->inst[other].block].order != SMRF_FLOW_NOWHERE;
                    EXPECT_FALSE(enters && a->inst[other].strand == a->inst[to].strand)
                        << other << " " << to << "\n"
                        << s.text;
                }
                for (unsigned out : behind(s, i)) {
                    EXPECT_TRUE(out == to || goes_back(a, i, out) ||
                                a->inst[out].strand != a->inst[i].strand)
                        << s.text;
                }
            }
        }
    }
    EXPECT_GT(joined, 100u);
    EXPECT_GT(loops, 100u);
}

TEST(FlowRandom, IntervalsHaveOneEntryAndFewRegisters)
{
    std::mt19937 rng(6);
    uint64_t longest = 0;
    for (unsigned round = 0; round < 400; round++) {
        const sample s = make(rng, true);
        smrf_flow_options options{};
        options.interval_registers = 3 + pick(rng, 4);
        flow_analysis a(s.text, &options);
        ASSERT_EQ(a.rc, 0);
        std::map<uint32_t, std::set<unsigned>> named;
        std::map<uint32_t, uint64_t> length;
        for (unsigned i = 0; i < s.code.size(); i++) {
            const uint32_t n = a->inst[i].interval;
            ASSERT_LT(n, a->num_intervals);
            for (unsigned r : s.code[i].reads) {
                named[n].insert(r);
            }
            for (unsigned r : s.code[i].writes) {
                named[n].insert(r);
            }
            longest = std::max(longest, ++length[n]);
            for (unsigned to : behind(s, i)) {
                if (a->inst[to].interval != n || s.code[i].what == CALL) {
                    EXPECT_EQ(a->interval[a->inst[to].interval].header, to) << s.text;
                }
            }
        }
        for (unsigned f = 0; f + 1 < s.begin.size(); f++) {
            EXPECT_EQ(a->interval[a->inst[s.begin[f]].interval].header, s.begin[f]);
        }
        for (const auto &n : named) {
            const smrf_regset &set = a->interval[n.first].registers;
            for (unsigned r : n.second) {
                EXPECT_TRUE(smrf_regset_has(&set, r));
            }
            // RET reads R20 and R21, which the sample does not tell
            EXPECT_LE(smrf_regset_count(&set), options.interval_registers) << s.text;
        }
    }
    EXPECT_GT(longest, 5u);
}

} // namespace
