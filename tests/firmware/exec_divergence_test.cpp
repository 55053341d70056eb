// SPDX-License-Identifier: Apache-2.0
// Random structured programs (nested branches and loops with break, continue, early exit, calls
// and recursion from divergent paths) as machine code, against an interpretation thread by thread
// of the program they were made from. Every mark also takes in the lanes that are there together:
// which ones these have to be follows from which threads come by in the same calls and iterations.
#include "tests/support/exec_program.h"

#include <map>
#include <random>

namespace smrf_test
{
namespace
{

enum class kind { assign, mark, branch, loop, leave, again, quit, call };

struct node {
    kind what = kind::assign;
    unsigned id = 0, a = 0, b = 0; // variables
    uint32_t constant = 0, bits = 0;
    unsigned callee = 0;
    std::vector<node> body, otherwise;
};

struct routine {
    std::vector<node> body;
};

struct program {
    std::vector<routine> routines; // 0 is the kernel
};

constexpr unsigned num_variables = 4, max_nesting = 6, max_calls = 3;

class generator
{
  public:
    explicit generator(uint32_t seed) : random_(seed) {}
    program make()
    {
        program p;
        unsigned count = 1 + pick(4);
        for (unsigned i = 0; i < count; i++) {
            routines_ = count;
            p.routines.push_back({block(0, false, i == 0 ? 6 : 4)});
        }
        return p;
    }

  private:
    unsigned pick(unsigned n)
    {
        return static_cast<unsigned>(random_() % n);
    }
    std::vector<node> block(unsigned nesting, bool in_loop, unsigned length)
    {
        std::vector<node> nodes;
        unsigned n = 1 + pick(length);
        for (unsigned i = 0; i < n; i++) {
            nodes.push_back(statement(nesting, in_loop));
        }
        return nodes;
    }
    node statement(unsigned nesting, bool in_loop)
    {
        node s;
        s.id = next_++;
        s.a = pick(num_variables);
        s.b = pick(num_variables);
        s.constant = static_cast<uint32_t>(random_()) & 0x7ff;
        s.bits = 1 + pick(7);
        unsigned choice = pick(16);
        if (nesting < max_nesting && choice < 4) {
            s.what = kind::branch;
            s.body = block(nesting + 1, in_loop, 3);
            if (pick(2)) {
                s.otherwise = block(nesting + 1, in_loop, 3);
            }
        } else if (nesting + 2 < max_nesting && choice < 6) {
            s.what = kind::loop;
            s.body = block(nesting + 2, true, 4);
        } else if (in_loop && choice < 8) {
            s.what = pick(2) ? kind::leave : kind::again;
        } else if (choice == 8 && pick(3) == 0) {
            s.what = kind::quit;
            s.bits = 31;
        } else if (choice < 11 && routines_ > 1) {
            s.what = kind::call;
            s.callee = 1 + pick(routines_ - 1);
        } else {
            s.what = choice < 14 ? kind::assign : kind::mark;
        }
        return s;
    }
    std::mt19937 random_;
    unsigned next_ = 1, routines_ = 1;
};

// ---- machine code --------------------------------------------------------------------------

// v0..v3 = R8..R11, hash = R12, temporary = R13, depth of calls = R14, loop counters from R40 on.
class emitter
{
  public:
    std::string text(const program &p)
    {
        std::string all;
        for (unsigned i = 0; i < p.routines.size(); i++) {
            name_ = name(i);
            lines_.clear();
            counters_.clear();
            barriers_ = 0;
            if (i == 0) {
                kernel(p.routines[i]);
            } else {
                function(p.routines[i]);
            }
            all += sass_function(name_, lines_, i == 0);
        }
        return all;
    }

  private:
    struct frame { // an enclosing loop
        std::string out, next;
        unsigned outer, inner; // its barriers
    };
    static std::string name(unsigned i)
    {
        return i == 0 ? "k" : "f" + std::to_string(i);
    }
    static std::string reg(unsigned variable)
    {
        return "R" + std::to_string(8 + variable);
    }
    static std::string hex(uint32_t value)
    {
        char digits[16];
        std::snprintf(digits, sizeof digits, "0x%x", value);
        return digits;
    }
    std::string label()
    {
        return ".L_x_" + std::to_string(next_label_++);
    }
    void line(const std::string &text)
    {
        lines_.push_back(text);
    }
    void place(const std::string &l)
    {
        lines_.push_back(l + ":");
    }
    static std::string to(const std::string &l)
    {
        return "`(" + l + ")";
    }
    void kernel(const routine &r)
    {
        lines_ = exec_prologue();
        for (unsigned v = 0; v < num_variables; v++) {
            line("IMAD " + reg(v) + ", R0, " + hex(3 + 5 * v) + ", R0");
        }
        line("MOV R12, R0");
        line("MOV R14, RZ");
        body(r.body, 0);
        line("STG.E.SYS [R2], R12");
        line("EXIT");
    }
    // Saves what the ABI has it save: the return address, counters, B registers.
    void function(const routine &r)
    {
        std::vector<std::string> inner;
        std::swap(lines_, inner);
        body(r.body, 0);
        std::swap(lines_, inner);
        unsigned bytes = 8 + 4 * static_cast<unsigned>(counters_.size()) + 4 * barriers_;
        line("IADD3 R1, R1, -" + hex(bytes) + ", RZ");
        line("STL [R1], R20");
        line("STL [R1+0x4], R21");
        unsigned at = 8;
        for (unsigned c : counters_) {
            line("STL [R1+" + hex(at) + "], R" + std::to_string(c));
            at += 4;
        }
        for (unsigned b = 0; b < barriers_; b++, at += 4) {
            line("BMOV.32.CLEAR R15, B" + std::to_string(b));
            line("STL [R1+" + hex(at) + "], R15");
        }
        lines_.insert(lines_.end(), inner.begin(), inner.end());
        at = 8;
        for (unsigned c : counters_) {
            line("LDL R" + std::to_string(c) + ", [R1+" + hex(at) + "]");
            at += 4;
        }
        for (unsigned b = 0; b < barriers_; b++, at += 4) {
            line("LDL R15, [R1+" + hex(at) + "]");
            line("BMOV.32 B" + std::to_string(b) + ", R15");
        }
        line("LDL R20, [R1]");
        line("LDL R21, [R1+0x4]");
        line("IADD3 R1, R1, " + hex(bytes) + ", RZ");
        line("RET.ABS.NODEC R20 0x0");
    }
    // P0: whether the statement's condition holds.
    void condition(const node &s)
    {
        line("LOP3.LUT R13, " + reg(s.a) + ", " + hex(s.constant) + ", RZ, 0x3c, !PT");
        line("LOP3.LUT R13, R13, " + hex(s.bits) + ", RZ, 0xc0, !PT");
        line("ISETP.EQ.AND P0, PT, R13, RZ, PT");
    }
    std::string enter(unsigned barrier, const std::string &end)
    {
        barriers_ = std::max(barriers_, barrier + 1);
        line("BSSY B" + std::to_string(barrier) + ", " + to(end));
        return end;
    }
    void hash(const std::string &value)
    {
        line("IMAD R12, R12, 0x1f, " + value);
    }
    void body(const std::vector<node> &nodes, unsigned level)
    {
        for (const node &s : nodes) {
            statement(s, level);
        }
    }
    void statement(const node &s, unsigned level)
    {
        switch (s.what) {
        case kind::assign:
            line("IMAD " + reg(s.a) + ", " + reg(s.b) + ", " + hex(s.constant) + ", " + reg(s.a));
            return hash(reg(s.a));
        case kind::mark:
            line("BMOV.32 R13, MACTIVE");
            return hash("R13");
        case kind::branch:
            return branch(s, level);
        case kind::loop:
            return loop(s, level);
        case kind::quit:
            condition(s);
            line("@P0 STG.E.SYS [R2], R12");
            return line("@P0 EXIT");
        case kind::call:
            return call(s);
        default:
            return jump(s, level);
        }
    }
    void branch(const node &s, unsigned level)
    {
        std::string otherwise = label(), join = label(), end = label();
        condition(s);
        enter(level, end);
        line("@!P0 BRA " + to(otherwise));
        body(s.body, level + 1);
        line("BRA " + to(join));
        place(otherwise);
        body(s.otherwise, level + 1);
        place(join);
        line("BSYNC B" + std::to_string(level));
        place(end);
    }
    void loop(const node &s, unsigned level)
    {
        unsigned counter = next_counter_++;
        counters_.push_back(counter);
        std::string c = "R" + std::to_string(counter);
        std::string top = label(), next = label(), next_end = label(), out = label(), end = label();
        line("LOP3.LUT " + c + ", " + reg(s.a) + ", 0x3, RZ, 0xc0, !PT");
        enter(level, end);
        place(top);
        line("ISETP.EQ.AND P0, PT, " + c + ", RZ, PT");
        line("@P0 BRA " + to(out));
        enter(level + 1, next_end);
        loops_.push_back({out, next, level, level + 1});
        body(s.body, level + 2);
        loops_.pop_back();
        place(next);
        line("BSYNC B" + std::to_string(level + 1));
        place(next_end);
        line("IADD3 " + c + ", " + c + ", -0x1, RZ");
        line("BRA " + to(top));
        place(out);
        line("BSYNC B" + std::to_string(level));
        place(end);
    }
    void jump(const node &s, unsigned level)
    {
        const frame &f = loops_.back();
        bool leaves = s.what == kind::leave;
        condition(s);
        for (unsigned b = leaves ? f.inner : f.inner + 1; b < level; b++) {
            line("@P0 BREAK B" + std::to_string(b));
        }
        line("@P0 BRA " + to(leaves ? f.out : f.next));
    }
    void call(const node &s)
    {
        std::string skip = label(), back = label();
        line("ISETP.GE.AND P0, PT, R14, " + hex(max_calls) + ", PT");
        line("@P0 BRA " + to(skip));
        line("IADD3 R14, R14, 0x1, RZ");
        line("MOV R20, 32@lo((" + name_ + " + " + back + "@srel))");
        line("MOV R21, 32@hi((" + name_ + " + " + back + "@srel))");
        line("CALL.REL.NOINC " + to(name(s.callee)));
        place(back);
        line("IADD3 R14, R14, -0x1, RZ");
        place(skip);
    }
    std::string name_;
    std::vector<std::string> lines_;
    std::vector<frame> loops_;
    std::vector<unsigned> counters_;
    unsigned barriers_ = 0, next_label_ = 0, next_counter_ = 40;
};

// ---- one thread at a time -------------------------------------------------------------------

using path = std::vector<unsigned>; // calls and iterations, then the mark

class thread
{
  public:
    thread(const program &p, uint32_t index, std::map<path, uint32_t> &together, bool counting)
        : program_(p), lane_(index % 32), together_(together), counting_(counting), hash(index)
    {
        for (unsigned v = 0; v < num_variables; v++) {
            variable_[v] = index * (3 + 5 * v) + index;
        }
    }
    // False if the program takes too long to be of use.
    bool run()
    {
        (void)body(program_.routines[0].body);
        return steps_ < 3000;
    }
    enum outcome { on, left, next, gone };

  private:
    bool holds(const node &s) const
    {
        return ((variable_[s.a] ^ s.constant) & s.bits) == 0;
    }
    outcome body(const std::vector<node> &nodes)
    {
        for (const node &s : nodes) {
            outcome o = statement(s);
            if (o != on) {
                return o;
            }
        }
        return on;
    }
    outcome statement(const node &s)
    {
        if (++steps_ >= 3000) {
            return gone;
        }
        switch (s.what) {
        case kind::assign:
            variable_[s.a] = variable_[s.b] * s.constant + variable_[s.a];
            hash = hash * 31 + variable_[s.a];
            return on;
        case kind::mark:
            where_.push_back(s.id);
            if (counting_) {
                together_[where_] |= uint32_t{1} << lane_;
            } else {
                hash = hash * 31 + together_[where_];
            }
            where_.pop_back();
            return on;
        case kind::branch:
            return body(holds(s) ? s.body : s.otherwise);
        case kind::loop:
            return loop(s);
        case kind::leave:
            return holds(s) ? left : on;
        case kind::again:
            return holds(s) ? next : on;
        case kind::quit:
            return holds(s) ? gone : on;
        default:
            return call(s);
        }
    }
    outcome loop(const node &s)
    {
        unsigned trips = variable_[s.a] & 3;
        for (unsigned i = 0; i < trips; i++) {
            where_.push_back(s.id);
            where_.push_back(i);
            outcome o = body(s.body);
            where_.resize(where_.size() - 2);
            if (o == left) {
                return on;
            }
            if (o == gone) {
                return gone;
            }
        }
        return on;
    }
    outcome call(const node &s)
    {
        if (depth_ >= max_calls) {
            return on;
        }
        depth_++;
        where_.push_back(s.id);
        outcome o = body(program_.routines[s.callee].body);
        where_.pop_back();
        depth_--;
        return o;
    }
    const program &program_;
    unsigned lane_;
    std::map<path, uint32_t> &together_;
    bool counting_;
    uint32_t variable_[num_variables];
    path where_;
    unsigned depth_ = 0, steps_ = 0;

  public:
    uint32_t hash;
};

// The values that `threads` threads have to store; false if the program is too long.
bool interpret(const program &p, unsigned threads, std::vector<uint32_t> &want)
{
    want.assign(threads, 0);
    for (unsigned warp = 0; warp < threads; warp += 32) {
        std::map<path, uint32_t> together;
        for (int counting = 1; counting >= 0; counting--) {
            for (unsigned i = warp; i < std::min(warp + 32, threads); i++) {
                thread t(p, i, together, counting != 0);
                if (!t.run()) {
                    return false;
                }
                want[i] = t.hash;
            }
        }
    }
    return true;
}

class RandomProgram : public testing::TestWithParam<uint32_t>
{
};

TEST_P(RandomProgram, GivesWhatThreadsOneByOneGiveAndConvergesWhereItsBarriersSay)
{
    uint32_t first = GetParam() * 1000;
    unsigned run = 0;
    uint64_t divergent = 0, calls = 0;
    for (uint32_t seed = first; seed < first + 60; seed++) {
        program p = generator(seed).make();
        std::vector<uint32_t> want;
        unsigned threads = seed % 3 == 0 ? 45 : 32;
        if (!interpret(p, threads, want)) {
            continue;
        }
        exec_program e(emitter().text(p));
        ASSERT_EQ(e.decoded, 0) << "seed " << seed << ": " << e.error;
        uint64_t out = e.buffer(std::vector<uint32_t>(threads));
        ASSERT_EQ(e.run(threads), 0) << "seed " << seed << ": " << e.error;
        ASSERT_EQ(e.read<uint32_t>(out, threads), want) << "seed " << seed;
        run++;
        divergent += e.totals.divergent_branches;
        calls += e.totals.calls;
    }
    EXPECT_GT(run, 20u);
    EXPECT_GT(divergent, 100u);
    EXPECT_GT(calls, 100u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, testing::Range(0u, 12u));

} // namespace
} // namespace smrf_test
