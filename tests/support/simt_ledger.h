// SPDX-License-Identifier: Apache-2.0
// What a listener must be told of calls, worked out from the reference's truth alone: which frames
// a warp has open, in the order in which a trace shows that they were entered.
#ifndef SMRF_TESTS_SIMT_LEDGER_H
#define SMRF_TESTS_SIMT_LEDGER_H

#include "simt_reference.h"

#include "models/simt_stack/simt_stack.h"

namespace simt_ref
{

class ledger
{
  public:
    // targets: a call's immediate names its target; otherwise, and of a call by register, only the
    // warp's next line (null: not shown) or the callee's first line does.
    explicit ledger(bool targets) : targets_(targets) {}

    // The facts of a line. Events: CALL, CALLED and RETURN only. The fields that have nothing to do
    // with frames are 0.
    smrf_simt_out facts(const line &l, const line *next)
    {
        smrf_simt_out f{};
        for (const auto &c : unseen_) {
            if ((l.mask & c->lanes) != 0) {
                f.events |= SMRF_SIMT_CALLED;
                f.called_pc = c->pc;
                f.called_target = c->target_pc;
                f.called_lanes = c->lanes;
                f.called_frame = enter(c);
                unseen_.erase(std::find(unseen_.begin(), unseen_.end(), c));
                break;
            }
        }
        f.own_frame = number(l.own);
        for (const auto &c : l.made) {
            bool shown = next != nullptr && next->mask != 0 && (next->mask & ~c->lanes) == 0;
            if ((targets_ && !c->by_register) || shown) {
                f.events |= SMRF_SIMT_CALL;
                f.call_pc = c->pc;
                f.target = c->target_pc;
                f.call_lanes = c->lanes;
                f.call_frame = enter(c);
            } else {
                unseen_.push_back(c);
            }
        }
        if (l.what->flow == SMRF_FLOW_RET && l.mask != 0) {
            f.events |= SMRF_SIMT_RETURN;
            f.call_pc = l.own->pc;
        }
        while (!open_.empty() && open_.back()->members.empty()) {
            open_.pop_back();
            f.released++;
        }
        f.frames = static_cast<uint16_t>(open_.size());
        return f;
    }

  private:
    // 0: the kernel's own.
    uint16_t number(const std::shared_ptr<call> &c) const
    {
        auto at = std::find(open_.begin(), open_.end(), c);
        return c ? static_cast<uint16_t>(at - open_.begin() + 1) : 0;
    }
    uint16_t enter(const std::shared_ptr<call> &c)
    {
        open_.push_back(c);
        return number(c);
    }

    bool targets_;
    std::vector<std::shared_ptr<call>> open_;
    std::vector<std::shared_ptr<call>> unseen_; // made, but no line of theirs yet
};

} // namespace simt_ref

#endif
