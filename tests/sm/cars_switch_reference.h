// SPDX-License-Identifier: Apache-2.0
// Which warps have registers when they do not all fit, slowly and plainly: sets of warps, looked
// through after everything that happens. Written from CARS III-B (the state of warps that wait at a
// barrier makes room for others), not from the mechanism: it is told what happens to warps and
// decides for itself.
#ifndef SMRF_TESTS_CARS_SWITCH_REFERENCE_H
#define SMRF_TESTS_CARS_SWITCH_REFERENCE_H

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace cars_switch
{

enum place { AWAY, NEW, IN, LEAVING, OUT };

struct warp {
    place at = AWAY;
    bool at_barrier = false;
    unsigned block = 0, order = 0;       // order: in which warps came
    unsigned lines = 0;                  // calls and returns that it has issued
    unsigned open = 0;                   // calls, two registers each
    std::map<unsigned, uint32_t> memory; // what is in memory of its registers, by position
};

class reference
{
  public:
    // fit: warps that a sub-core has registers for.
    reference(unsigned warps, unsigned subs, unsigned fit, unsigned kernel)
        : warps_(warps), subs_(subs), fit_(fit), kernel_(kernel)
    {
    }

    // --- what happens ---
    void placed()
    {
        blocks_++;
    }
    void start(unsigned w)
    {
        warps_[w] = warp{};
        warps_[w].at = NEW;
        warps_[w].block = blocks_;
        warps_[w].order = order_++;
        settle();
    }
    void barrier(unsigned w, bool waits)
    {
        warps_[w].at_barrier = waits;
        settle();
    }
    void exit(unsigned w)
    {
        expect(warps_[w].at == IN, "exits without registers", w);
        expect(warps_[w].memory.empty(), "exits with registers in memory", w);
        warps_[w] = warp{};
        settle();
    }
    void line(unsigned w, bool call, bool ret)
    {
        expect(warps_[w].at == IN, "issues without registers", w);
        warps_[w].lines++;
        warps_[w].open += call;
        warps_[w].open -= ret;
    }
    void stored(unsigned w, unsigned position, uint32_t version)
    {
        expect(warps_[w].at == LEAVING, "stores a register, and stays", w);
        expect(!warps_[w].memory.count(position), "stores a register twice", w);
        warps_[w].memory[position] = version;
    }
    void loaded(unsigned w, unsigned position, uint32_t version)
    {
        auto at = warps_[w].memory.find(position);
        expect(at != warps_[w].memory.end() && at->second == version,
               "loads what it has not stored", w);
        if (at != warps_[w].memory.end()) {
            warps_[w].memory.erase(at);
        }
    }
    // All that it stores has been stored: it has let go.
    void gone(unsigned w)
    {
        expect(warps_[w].at == LEAVING, "has let go, and was not to", w);
        expect(warps_[w].memory.size() == kernel_ + 2 * warps_[w].open,
               "has let go before it stored everything", w);
        warps_[w].at = OUT;
        settle();
    }

    const warp &at(unsigned w) const
    {
        return warps_[w];
    }
    unsigned switches = 0, back = 0;
    std::string wrong; // the first thing that could not be

    void expect(bool good, const char *what, unsigned w)
    {
        if (!good && wrong.empty()) {
            std::ostringstream text;
            text << "warp " << w << " " << what;
            wrong = text.str();
        }
    }

  private:
    std::vector<warp> warps_;
    unsigned subs_, fit_, kernel_, blocks_ = 0, order_ = 0;

    void settle()
    {
        for (unsigned sub = 0; sub < subs_; sub++) {
            while (give(sub)) {
            }
            send_away(sub);
        }
    }
    std::vector<unsigned> of(unsigned sub, place a, place b = AWAY) const
    {
        std::vector<unsigned> all;
        for (unsigned w = sub; w < warps_.size(); w += subs_) {
            if (warps_[w].at == a || (b != AWAY && warps_[w].at == b)) {
                all.push_back(w);
            }
        }
        return all;
    }
    bool block_waits(unsigned block) const
    {
        for (const warp &w : warps_) {
            if (w.at != AWAY && w.block == block && w.at_barrier) {
                return true;
            }
        }
        return false;
    }
    // Others wait for it: it has been out, and its barrier is passed; or they are at the barrier
    // already.
    bool urgent(unsigned w) const
    {
        return warps_[w].at == OUT || block_waits(warps_[w].block);
    }
    // Who gets registers next, -1: nobody wants any. Urgent ones first, then the one that came
    // first.
    int next(unsigned sub) const
    {
        int best = -1;
        for (bool only_urgent : {true, false}) {
            for (unsigned w : of(sub, NEW, OUT)) {
                const bool wants = warps_[w].at == NEW || !warps_[w].at_barrier;
                if (wants && (!only_urgent || urgent(w)) &&
                    (best < 0 || warps_[w].order < warps_[unsigned(best)].order)) {
                    best = int(w);
                }
            }
            if (best >= 0) {
                return best;
            }
        }
        return best;
    }
    bool give(unsigned sub)
    {
        const int w = next(sub);
        if (w < 0 || of(sub, IN, LEAVING).size() == fit_) {
            return false;
        }
        back += warps_[unsigned(w)].at == OUT;
        warps_[unsigned(w)].at = IN;
        return true;
    }
    // For an urgent warp, one at a time: of those that wait at a barrier and are of its block or
    // came later, the last that came.
    void send_away(unsigned sub)
    {
        const int other = next(sub);
        if (other < 0 || !urgent(unsigned(other)) || !of(sub, LEAVING).empty()) {
            return;
        }
        int last = -1;
        for (unsigned w : of(sub, IN)) {
            const warp &a = warps_[w], &b = warps_[unsigned(other)];
            if (a.at_barrier && (a.block == b.block || a.order > b.order) &&
                (last < 0 || a.order > warps_[unsigned(last)].order)) {
                last = int(w);
            }
        }
        if (last >= 0) {
            warps_[unsigned(last)].at = LEAVING;
            switches++;
        }
    }
};

} // namespace cars_switch

#endif
