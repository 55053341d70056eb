// SPDX-License-Identifier: Apache-2.0
// What a register file cache holds, told by what happens at its seams and by nothing else: a list
// of registers and lanes a warp, in the order in which they came. Slow, and without values: those
// are the oracle's business. It stands around the mechanism and compares every answer.
#ifndef SMRF_TESTS_RFC_REFERENCE_H
#define SMRF_TESTS_RFC_REFERENCE_H

#include "models/common/smrf_program.h"
#include "models/seam/mechanism.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <optional>
#include <string>

namespace rfc_reference
{

class cache
{
  public:
    cache(unsigned entries, bool dead) : entries_(entries), dead_(dead) {}

    uint64_t hits = 0, displaced = 0, died = 0, flushed = 0;
    std::list<std::string> wrong;

    void issued(unsigned warp, const smrf_inst_facts *facts)
    {
        of_[warp].needed.reset();
        if (facts) {
            of_[warp].needed = facts->live;
        }
        of_[warp].going = false;
    }
    // missing: what the mechanism said of the sources.
    void collected(const smrf_flight *f, uint32_t missing)
    {
        for (unsigned i = 0; i < f->num_src; i++) {
            const uint32_t wanted = f->mask, here = lanes_of(f->warp, f->src_reg[i]);
            const bool hit = here && (here & wanted) == wanted;
            say(hit == !(missing >> i & 1), "read of R", f->src_reg[i]);
            say(hit || here == 0, "read beside an entry: R", f->src_reg[i]);
            hits += hit;
        }
    }
    void result(const smrf_flight *f, unsigned i, bool kept)
    {
        warp_state &w = of_[f->warp];
        const unsigned reg = f->dst_reg[i];
        entry *own = nullptr;
        for (entry &e : w.queue) {
            own = e.reg == reg ? &e : own;
        }
        say(kept == (w.active && !w.going && (f->mask || own)), "result of R", reg);
        if (!kept) {
            return;
        }
        if (own) {
            own->lanes |= f->mask;
            return;
        }
        if (w.queue.size() == entries_) {
            displaced++;
            go(w);
        }
        w.queue.push_back({reg, f->mask});
    }
    // An eviction is asked for, of a register at a place that a caller knows to be reg's.
    void asked(unsigned warp, uint32_t token)
    {
        warp_state &w = of_[warp];
        say(!w.expected.empty(), "an eviction of a register that stays, warp ", warp);
        if (!w.expected.empty()) {
            w.out[token] = w.expected.front();
            w.expected.pop_front();
        }
    }
    void written(unsigned warp, uint32_t token)
    {
        of_[warp].out.erase(token);
    }
    // The entry of a register of which a source needs other lanes goes before its turn.
    void before_its_turn(unsigned warp, unsigned reg)
    {
        auto &queue = of_[warp].queue;
        for (auto e = queue.begin(); e != queue.end(); ++e) {
            if (e->reg == reg) {
                queue.splice(queue.begin(), queue, e);
                go(of_[warp]);
                return;
            }
        }
    }
    void demoting(unsigned warp)
    {
        warp_state &w = of_[warp];
        w.going = true;
        while (!w.queue.empty()) {
            flushed++;
            go(w);
        }
    }
    void demoted(unsigned warp)
    {
        warp_state &w = of_[warp];
        say(w.out.empty() && w.expected.empty(), "entries left behind by warp ", warp);
        w.active = w.going = false;
    }
    void promoted(unsigned warp)
    {
        of_[warp].active = true;
    }
    void exited(unsigned warp)
    {
        const bool active = of_[warp].active;
        of_[warp] = {};
        of_[warp].active = active;
    }

  private:
    struct entry {
        unsigned reg;
        uint32_t lanes;
    };
    struct warp_state {
        std::list<entry> queue, expected; // expected: must be asked to go to their banks now
        std::map<uint32_t, entry> out;
        std::optional<smrf_program_set> needed;
        bool active = false, going = false;
    };

    void say(bool right, const char *what, unsigned number)
    {
        if (!right && wrong.size() < 10) {
            wrong.push_back(what + std::to_string(number));
        }
    }
    // Lanes of a register that are in no bank; the newest entry decides.
    uint32_t lanes_of(unsigned warp, unsigned reg)
    {
        for (const entry &e : of_[warp].queue) {
            if (e.reg == reg) {
                return e.lanes;
            }
        }
        uint32_t lanes = 0;
        for (const auto &o : of_[warp].out) { // tokens ascend
            lanes = o.second.reg == reg ? o.second.lanes : lanes;
        }
        return lanes;
    }
    void go(warp_state &w)
    {
        const entry e = w.queue.front();
        w.queue.pop_front();
        if (dead_ && w.needed && !smrf_program_set_has(&*w.needed, e.reg)) {
            died++;
        } else {
            w.expected.push_back(e);
        }
    }

    const unsigned entries_;
    const bool dead_;
    std::map<unsigned, warp_state> of_;
};

} // namespace rfc_reference

#endif
