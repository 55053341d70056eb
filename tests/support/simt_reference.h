// SPDX-License-Identifier: Apache-2.0
// Slow reference for SIMT control flow: generates random programs and runs 32 scalar threads over
// them in a random legal order, with named barrier registers as sets of threads. It emits the trace
// that a tracer would write, and the truth that a trace does not show.
#ifndef SMRF_TESTS_SIMT_REFERENCE_H
#define SMRF_TESTS_SIMT_REFERENCE_H

#include "models/common/smrf_inst.h"
#include "models/common/smrf_rng.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace simt_ref
{

enum class pred { always, random, saved, not_saved, loop, recurse };

struct op {
    smrf_flow flow = SMRF_FLOW_NONE;
    pred when = pred::always;
    int reg = -1;             // barrier register
    int target = -1;          // index of an op
    std::vector<int> targets; // BRX: per-lane choice; indirect CALL likewise
    std::vector<int> leave;   // BRK: registers of the regions inside the loop
    std::string text;
    bool sets_predicate = false, jump_call = false;
    bool condition = false; // a branch that moves only some of the lanes of its mask
    uint32_t pc = 0;
};

inline smrf_static_inst decode(const op &o)
{
    smrf_static_inst i{};
    i.pc = o.pc;
    i.flow = static_cast<uint8_t>(o.flow);
    i.text = o.text.c_str();
    i.num_src_base = o.targets.empty() ? 0 : 1;
    i.pred_src = o.condition ? 2 : 0; // P1
    return i;
}

struct shape {
    bool volta = true;
    bool calls = true, loops = true, exits = true, indirect = true;
    bool loose_branches = true; // forward branches without a barrier
    bool yields = true;
    bool conditions = false; // branches with one beside their guard
    bool show = false;       // no empty masks except of branches and BREAKs
    int statements = 5, depth = 4;
};

// Random structured programs. Function 0 is the kernel.
class generator
{
  public:
    generator(uint64_t seed, const shape &s) : shape_(s)
    {
        smrf_rng_seed(&rng_, seed, 1);
    }

    std::vector<op> make()
    {
        int functions = shape_.calls ? 3 : 0;
        body(shape_.depth, true, {}, -1);
        emit(SMRF_FLOW_EXIT, "EXIT");
        for (int f = 0; f < functions; f++) {
            entry_.push_back(here());
            in_function_ = true;
            emit(SMRF_FLOW_NONE, "MOV"); // an unpredicated head shows all lanes of a call
            if (below(3) == 0) {         // a predicated early return
                emit(SMRF_FLOW_RET, "RET.REL.NODEC", pred::random);
            }
            body(shape_.depth - 1, false, {}, -1);
            emit(SMRF_FLOW_RET, "RET.REL.NODEC");
        }
        for (int i : direct_calls_) {
            code_[i].target = entry_[below(static_cast<uint32_t>(functions))];
        }
        for (int i : indirect_calls_) {
            for (int f = 0; f < functions; f++) {
                code_[i].targets.push_back(entry_[f]);
            }
        }
        place();
        return code_;
    }

  private:
    uint32_t below(uint32_t n)
    {
        return smrf_rng_below(&rng_, n);
    }
    int here() const
    {
        return static_cast<int>(code_.size());
    }
    int emit(smrf_flow flow, const char *text, pred when = pred::always, int reg = -1)
    {
        op o;
        o.flow = flow;
        o.text = text;
        o.when = when;
        o.reg = reg;
        code_.push_back(o);
        return here() - 1;
    }
    int branch(pred when)
    {
        int i = emit(SMRF_FLOW_BRANCH, "BRA", when);
        code_[i].condition = shape_.conditions && below(2) == 0;
        return i;
    }
    void plain()
    {
        int i = emit(SMRF_FLOW_NONE, "FADD", below(3) == 0 ? pred::random : pred::always);
        code_[i].sets_predicate = below(2) == 0;
    }
    void open(int reg, const char *volta, const char *old, int *at)
    {
        *at = shape_.volta ? emit(SMRF_FLOW_BSSY, volta) : emit(SMRF_FLOW_SSY, old);
        code_[*at].reg = reg;
    }
    void close(int reg, int opener) // BSYNC at the target; SYNC before it
    {
        if (shape_.volta) {
            code_[opener].target = here();
            emit(SMRF_FLOW_BSYNC, "BSYNC", pred::always, reg);
        } else {
            emit(SMRF_FLOW_SYNC, "SYNC", pred::always, reg);
            code_[opener].target = here();
        }
    }

    // inner: barrier registers open inside the innermost loop; loop: index of its opener, or -1
    void branch_region(int depth, std::vector<int> inner, int loop)
    {
        int opener, reg = regs_++;
        open(reg, "BSSY", "SSY", &opener);
        inner.push_back(reg);
        bool has_else = below(2) == 0;
        int split = branch(pred::random);
        body(depth - 1, false, inner, loop);
        if (has_else) {
            int skip = -1;
            if (shape_.volta) {
                skip = emit(SMRF_FLOW_BRANCH, "BRA");
            } else {
                emit(SMRF_FLOW_SYNC, "SYNC", pred::always, reg);
            }
            code_[split].target = here();
            body(depth - 1, false, inner, loop);
            if (skip >= 0) {
                code_[skip].target = here();
            }
        } else {
            code_[split].target = here();
        }
        close(reg, opener);
    }

    void switch_region(int depth, std::vector<int> inner, int loop)
    {
        int opener, reg = regs_++;
        open(reg, "BSSY", "SSY", &opener);
        inner.push_back(reg);
        int jump = emit(SMRF_FLOW_BRANCH, "BRX");
        std::vector<int> skips;
        for (int c = 0; c < 3; c++) {
            code_[jump].targets.push_back(here());
            emit(SMRF_FLOW_NONE, "MOV"); // an unpredicated head shows all lanes of the case
            body(depth - 2, false, inner, loop);
            if (shape_.volta) {
                skips.push_back(emit(SMRF_FLOW_BRANCH, "BRA"));
            } else {
                emit(SMRF_FLOW_SYNC, "SYNC", pred::always, reg);
            }
        }
        for (int i : skips) {
            code_[i].target = here();
        }
        if (shape_.volta) {
            close(reg, opener);
        } else {
            code_[opener].target = here();
            plain();
        }
    }

    void loop_region(int depth)
    {
        int opener, reg = regs_++;
        open(reg, "BSSY", "PBK", &opener);
        loop_regs_[opener] = reg;
        int head = here();
        body(depth - 1, false, {}, opener);
        int back = branch(pred::loop);
        code_[back].target = head;
        if (shape_.volta) {
            close(reg, opener);
        } else {
            emit(SMRF_FLOW_SYNC, "BRK", pred::always, reg);
            code_[opener].target = here();
            plain();
        }
        for (int i : breaks_[opener]) {
            code_[i].target = code_[opener].target;
        }
    }

    void break_out(const std::vector<int> &inner, int loop)
    {
        if (!shape_.volta) {
            int i = emit(SMRF_FLOW_SYNC, "BRK", pred::random, loop_regs_[loop]);
            code_[i].leave = inner;
            return;
        }
        bool branch_over = below(2) == 0;
        int over = -1;
        pred when = pred::saved;
        if (branch_over) {
            over = emit(SMRF_FLOW_BRANCH, "BRA", pred::random);
            when = pred::always;
        } else {
            int i = emit(SMRF_FLOW_NONE, "ISETP");
            code_[i].sets_predicate = true;
        }
        for (auto r = inner.rbegin(); r != inner.rend(); ++r) {
            emit(SMRF_FLOW_BREAK, "BREAK", when, *r);
        }
        breaks_[loop].push_back(emit(SMRF_FLOW_BRANCH, "BRA", when));
        if (over >= 0) {
            code_[over].target = here();
        }
    }

    void loose(int depth, bool top, const std::vector<int> &inner, int loop)
    {
        int over = branch(pred::random);
        body(depth - 2, false, inner, loop);
        code_[over].target = here();
        if (top) {
            emit(SMRF_FLOW_WARPSYNC, "WARPSYNC");
        } else {
            plain();
        }
    }

    void call_function()
    {
        bool indirect = shape_.indirect && below(4) == 0;
        // recursion must end: calls inside functions are taken only with fuel left
        pred when = in_function_ ? pred::recurse : below(2) == 0 ? pred::random : pred::always;
        int i = emit(SMRF_FLOW_CALL, "CALL.REL.NOINC", when);
        (indirect ? indirect_calls_ : direct_calls_).push_back(i);
        plain();
        plain();
    }

    void jump_call()
    {
        int i = emit(SMRF_FLOW_CALL, "CALL.REL.NOINC");
        code_[i].jump_call = true;
        code_[i].target = i + 2;
        int never = emit(SMRF_FLOW_BRANCH, "BRA");
        code_[never].target = never;
        plain();
    }

    void body(int depth, bool top, const std::vector<int> &inner, int loop)
    {
        plain();
        if (depth <= 0) {
            return;
        }
        int n = 1 + static_cast<int>(below(static_cast<uint32_t>(shape_.statements)));
        for (int k = 0; k < n && here() < 600; k++) {
            switch (below(12)) {
            case 0:
            case 1:
                branch_region(depth, inner, loop);
                break;
            case 2:
                if (shape_.loops) {
                    loop_region(depth);
                }
                break;
            case 3:
                if (loop >= 0) {
                    break_out(inner, loop);
                }
                break;
            case 4:
                if (shape_.exits && below(3) == 0) {
                    emit(SMRF_FLOW_EXIT, "EXIT", pred::random);
                }
                break;
            case 5:
                if (shape_.calls) {
                    call_function();
                }
                break;
            case 6:
                if (shape_.yields && shape_.volta) {
                    emit(SMRF_FLOW_YIELD, "YIELD");
                }
                break;
            case 7:
                if (shape_.loose_branches && shape_.volta) {
                    loose(depth, top, inner, loop);
                }
                break;
            case 8:
                if (shape_.indirect && depth >= 2) {
                    switch_region(depth, inner, loop);
                }
                break;
            case 9:
                if (shape_.calls && shape_.volta) {
                    jump_call();
                }
                break;
            default:
                plain();
            }
        }
    }

    void place()
    {
        uint32_t pc = shape_.volta ? 0 : 8;
        for (op &o : code_) {
            o.pc = pc;
            pc += shape_.volta ? 16 : 8;
            if (!shape_.volta && pc % 32 == 0)
                pc += 8;
        }
    }

    shape shape_;
    smrf_rng rng_{};
    std::vector<op> code_;
    std::vector<int> entry_, direct_calls_, indirect_calls_;
    std::map<int, std::vector<int>> breaks_;
    std::map<int, int> loop_regs_;
    int regs_ = 0;
    bool in_function_ = false;
};

struct barrier {
    std::set<int> members;
    std::map<int, int> arrived; // thread -> op where it goes on
};
struct call {
    std::set<int> members;
    uint32_t lanes = 0; // that made it
    uint32_t pc = 0, target_pc = 0;
    bool by_register = false;
};
struct frame {
    int return_to = -1;
    std::shared_ptr<call> of;
    std::map<int, std::shared_ptr<barrier>> regs;
    std::shared_ptr<barrier> join; // before Volta
};
struct thread {
    int at = 0;
    bool exited = false, waiting = false, predicate = false;
    int fuel = 12;
    std::vector<frame> frames = std::vector<frame>(1);
};

struct line {
    const op *what = nullptr;
    uint32_t mask = 0, active = 0;
    uint64_t target = 0; // what a version-5 immediate holds
    // Calls: made by this line, left by lanes of it, left by their last lane; the one that the line
    // itself is in, null: none.
    std::vector<std::shared_ptr<call>> made, left, emptied;
    std::shared_ptr<call> own;
};

class machine
{
  public:
    machine(const std::vector<op> &code, const shape &s, uint64_t seed, uint32_t lanes)
        : code_(code), volta_(s.volta), show_(s.show)
    {
        smrf_rng_seed(&rng_, seed, 2);
        std::set<int> all;
        for (int t = 0; t < 32; t++) {
            if ((lanes >> t & 1u) != 0)
                all.insert(t);
            else
                threads[t].exited = true;
        }
        groups_.push_back(all);
    }

    bool done() const
    {
        return groups_.empty();
    }
    bool deadlocked() const
    {
        if (!groups_.empty()) {
            return false;
        }
        for (const thread &t : threads)
            if (!t.exited)
                return true;
        return false;
    }

    // Execute one instruction of one group.
    line step()
    {
        if (pick_) {
            size_t i = smrf_rng_below(&rng_, static_cast<uint32_t>(groups_.size()));
            std::swap(groups_[i], groups_.back());
            pick_ = false;
        }
        std::set<int> active = groups_.back();
        groups_.pop_back();
        const op &o = code_[threads[*active.begin()].at];
        std::set<int> on = lanes_on(o, active);
        line l;
        l.what = &o;
        l.active = bits(active);
        l.mask = bits(on);
        l.own = threads[*active.begin()].frames.back().of;
        if (o.flow == SMRF_FLOW_WARPSYNC) {
            l.target = UINT32_MAX;
        } else if (o.target >= 0) {
            l.target = code_[o.target].pc;
        }
        std::set<int> stay;
        for (int t : active) {
            threads[t].at++;
            if (on.count(t) == 0)
                stay.insert(t);
        }
        out_ = &l;
        act(o, on, stay);
        return l;
    }

    thread threads[32];

  private:
    static uint32_t bits(const std::set<int> &s)
    {
        uint32_t m = 0;
        for (int t : s)
            m |= 1u << t;
        return m;
    }

    std::set<int> lanes_on(const op &o, const std::set<int> &active)
    {
        std::set<int> on;
        uint32_t mood = smrf_rng_below(&rng_, 5); // whole-warp agreement is common
        for (int t : active) {
            thread &th = threads[t];
            bool coin = mood == 0 ? true : mood == 1 ? false : smrf_rng_below(&rng_, 2) == 0;
            bool yes = true;
            if (o.when == pred::random)
                yes = coin;
            else if (o.when == pred::saved)
                yes = th.predicate;
            else if (o.when == pred::not_saved)
                yes = !th.predicate;
            else if (o.when == pred::loop || o.when == pred::recurse)
                yes = coin && th.fuel > 0;
            if (yes && (o.when == pred::loop || o.when == pred::recurse))
                th.fuel--;
            if (o.sets_predicate)
                th.predicate = smrf_rng_below(&rng_, 2) == 0;
            if (yes)
                on.insert(t);
        }
        if (show_ && on.empty() && o.when == pred::random && o.flow != SMRF_FLOW_BRANCH)
            return active;
        return on;
    }

    void run(const std::set<int> &g)
    {
        if (!g.empty())
            groups_.push_back(g);
    }
    // Threads that go to different places part ways.
    void run_by_place(const std::set<int> &g)
    {
        std::map<int, std::set<int>> by;
        for (int t : g)
            by[threads[t].at].insert(t);
        for (auto &[at, set] : by)
            run(set);
        pick_ |= by.size() > 1;
    }

    void check(const std::shared_ptr<barrier> &b)
    {
        for (int t : b->members)
            if (b->arrived.count(t) == 0)
                return;
        std::set<int> free;
        for (auto &[t, at] : b->arrived) {
            threads[t].waiting = false;
            threads[t].at = at;
            free.insert(t);
        }
        b->arrived.clear();
        b->members.clear();
        std::map<int, std::set<int>> by;
        for (int t : free)
            by[threads[t].at].insert(t);
        for (auto &[at, set] : by)
            run(set);
    }

    void arrive(const std::shared_ptr<barrier> &b, const std::set<int> &who, int at)
    {
        for (int t : who) {
            threads[t].waiting = true;
            threads[t].at = at >= 0 ? at : threads[t].at;
            b->arrived[t] = threads[t].at;
        }
    }

    std::set<std::shared_ptr<barrier>> leave(int t, frame &f, const std::vector<int> &regs)
    {
        std::set<std::shared_ptr<barrier>> touched;
        for (int r : regs)
            if (f.regs.count(r) != 0) {
                f.regs[r]->members.erase(t);
                touched.insert(f.regs[r]);
                f.regs.erase(r);
            }
        return touched;
    }

    void leave_call(const std::shared_ptr<call> &c, int t)
    {
        bool had = !c->members.empty();
        c->members.erase(t);
        if (std::find(out_->left.begin(), out_->left.end(), c) == out_->left.end())
            out_->left.push_back(c);
        if (had && c->members.empty())
            out_->emptied.push_back(c);
    }

    void act_exit(const std::set<int> &on)
    {
        std::set<std::shared_ptr<barrier>> touched;
        for (int t : on) {
            thread &th = threads[t];
            th.exited = true;
            for (frame &f : th.frames) {
                for (auto &[r, b] : f.regs) {
                    b->members.erase(t);
                    touched.insert(b);
                }
                if (f.join) {
                    f.join->members.erase(t);
                    touched.insert(f.join);
                }
                if (f.of)
                    leave_call(f.of, t);
            }
            if (warpsync_) {
                warpsync_->members.erase(t);
                touched.insert(warpsync_);
            }
        }
        for (auto &b : touched)
            check(b);
    }

    void act_condition(const op &o, const std::set<int> &on, std::set<int> stay)
    {
        std::set<int> jump;
        uint32_t mood = smrf_rng_below(&rng_, 4);
        for (int t : on) {
            if (mood == 0 || (mood > 1 && smrf_rng_below(&rng_, 2) == 0)) {
                threads[t].at = o.target;
                jump.insert(t);
            } else {
                stay.insert(t);
            }
        }
        pick_ = !jump.empty() && !stay.empty();
        run(stay);
        run(jump);
    }

    void act_call(const op &o, const std::set<int> &on)
    {
        if (on.empty()) {
            return;
        }
        if (o.jump_call) {
            for (int t : on)
                threads[t].at = o.target;
            return;
        }
        std::map<int, std::set<int>> by;
        for (int t : on) {
            size_t n = o.targets.size();
            int to = n == 0 ? o.target : o.targets[smrf_rng_below(&rng_, (uint32_t)n)];
            by[to].insert(t);
        }
        if (!volta_ && by.size() > 1) { // one target a call there: the hardware has one entry
            by.clear();
            by[o.targets[0]] = on;
        }
        for (auto &[to, set] : by) {
            auto c = std::make_shared<call>();
            auto b = std::make_shared<barrier>();
            c->members = b->members = set;
            c->lanes = bits(set);
            c->pc = o.pc;
            c->target_pc = code_[to].pc;
            c->by_register = !o.targets.empty();
            for (int t : set) {
                frame f;
                f.return_to = threads[t].at;
                f.of = c;
                if (!volta_)
                    f.join = b;
                threads[t].frames.push_back(f);
                threads[t].at = to;
            }
            out_->made.push_back(c);
        }
    }

    void act_ret(const std::set<int> &on, const std::set<int> &stay)
    {
        std::set<std::shared_ptr<barrier>> joins;
        for (int t : on) {
            frame f = threads[t].frames.back();
            threads[t].frames.pop_back();
            threads[t].at = f.return_to;
            leave_call(f.of, t);
            if (f.join) {
                arrive(f.join, {t}, f.return_to);
                joins.insert(f.join);
            }
        }
        run(stay);
        if (joins.empty())
            run_by_place(on);
        for (auto &b : joins)
            check(b);
    }

    void act(const op &o, const std::set<int> &on, const std::set<int> &stay)
    {
        std::set<int> both = on;
        both.insert(stay.begin(), stay.end());
        pick_ = !on.empty() && !stay.empty();
        switch (o.flow) {
        case SMRF_FLOW_BRANCH:
            if (o.condition) {
                act_condition(o, on, stay);
                return;
            }
            for (int t : on) {
                size_t n = o.targets.size();
                threads[t].at = n == 0 ? o.target : o.targets[smrf_rng_below(&rng_, (uint32_t)n)];
            }
            run(stay);
            run_by_place(on);
            return;
        case SMRF_FLOW_CALL:
            act_call(o, on);
            run(stay);
            run_by_place(on);
            return;
        case SMRF_FLOW_RET:
            act_ret(on, stay);
            pick_ = true;
            return;
        case SMRF_FLOW_BSSY:
        case SMRF_FLOW_SSY: {
            auto b = std::make_shared<barrier>();
            b->members = on;
            for (int t : on)
                threads[t].frames.back().regs[o.reg] = b;
            break;
        }
        case SMRF_FLOW_BSYNC:
        case SMRF_FLOW_SYNC: {
            run(stay);
            if (on.empty()) {
                return;
            }
            std::set<std::shared_ptr<barrier>> touched;
            for (int t : on) {
                frame &f = threads[t].frames.back();
                for (auto &b : leave(t, f, o.leave))
                    touched.insert(b);
                auto b = f.regs.at(o.reg);
                f.regs.erase(o.reg);
                int at = -1;
                if (!volta_)
                    at = target_of(o.reg);
                arrive(b, {t}, at);
                touched.insert(b);
            }
            for (auto &b : touched)
                check(b);
            pick_ = true;
            return;
        }
        case SMRF_FLOW_BREAK: {
            std::set<std::shared_ptr<barrier>> touched;
            for (int t : on)
                for (auto &b : leave(t, threads[t].frames.back(), {o.reg}))
                    touched.insert(b);
            for (auto &b : touched)
                check(b);
            break;
        }
        case SMRF_FLOW_WARPSYNC:
            if (!warpsync_ || warpsync_->members.empty()) {
                warpsync_ = std::make_shared<barrier>();
                for (int t = 0; t < 32; t++)
                    if (!threads[t].exited)
                        warpsync_->members.insert(t);
            }
            run(stay);
            arrive(warpsync_, on, -1);
            check(warpsync_);
            pick_ = true;
            return;
        case SMRF_FLOW_EXIT:
            act_exit(on);
            run(stay);
            pick_ = true;
            return;
        case SMRF_FLOW_YIELD:
            pick_ = true;
            break;
        default:
            pick_ = false;
        }
        run(both);
    }

    // Registers are unique in a program, so a register names its opener.
    int target_of(int reg) const
    {
        for (const op &o : code_)
            if (o.flow == SMRF_FLOW_SSY && o.reg == reg)
                return o.target;
        return -1;
    }

    const std::vector<op> &code_;
    bool volta_, show_;
    smrf_rng rng_{};
    std::vector<std::set<int>> groups_;
    std::shared_ptr<barrier> warpsync_;
    line *out_ = nullptr;
    bool pick_ = false;
};

} // namespace simt_ref

#endif
