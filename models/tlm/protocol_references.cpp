// SPDX-License-Identifier: Apache-2.0
// Whether references to a transaction outlive it. A managed transaction goes back to its memory
// manager with its last reference; the monitor learns of that through its own extension, because
// it must not look at a transaction that is gone.
#include "models/tlm/protocol_monitor.h"

#include <algorithm>

namespace smrf
{

// Freed by the transaction's reset, or with it.
class protocol_monitor::trail : public tlm::tlm_extension<trail>
{
  public:
    explicit trail(payload &gp) : gp_(gp) {}

    std::vector<protocol_monitor *> watchers;

    tlm::tlm_extension_base *clone() const override
    {
        return nullptr; // a copy is another transaction
    }
    void copy_from(const tlm::tlm_extension_base &) override {}
    void free() override
    {
        for (protocol_monitor *m : watchers) {
            m->returned(gp_);
        }
        delete this;
    }

  private:
    payload &gp_;
};

// A transaction begins.
void protocol_monitor::watch(payload &gp)
{
    if (!gp.has_mm()) {
        return;
    }
    const auto before = lent_.find(&gp);
    if (before != lent_.end()) {
        if (gp.get_ref_count() > before->second.references) {
            violation(tlm_rule::reference_leak, &gp, "it is used again");
        }
        keeps_ = true;
        lent_.erase(before);
    }
    if (trails_.count(&gp) != 0) {
        return;
    }
    trail *t = gp.get_extension<trail>();
    if (t == nullptr) {
        gp.resize_extensions();
        t = new trail(gp);
        gp.set_auto_extension(t);
    }
    t->watchers.push_back(this);
    trails_[&gp] = t;
}

// A transaction has ended. left: references that its initiator's side is known to have still; held:
// the monitor's own.
void protocol_monitor::ended(payload &gp, uint64_t serial, const snapshot &start, lent how,
                             int held, const sc_core::sc_time &delay)
{
    if (trails_.count(&gp) != 0 && gp.get_ref_count() - held > how.left) {
        how.serial = serial;
        how.what = start.describe();
        how.at = sc_core::sc_time_stamp() + delay;
        lent_[&gp] = how;
    }
}

void protocol_monitor::returned(payload &gp)
{
    const auto it = lent_.find(&gp);
    if (it != lent_.end()) {
        returned_ = std::max(returned_, it->second.serial);
        lent_.erase(it);
    }
    trails_.erase(&gp);
}

// The initiator's side may have its references still: all of them if it does not give transactions
// back, none if it has given back later ones.
bool protocol_monitor::check_released()
{
    std::vector<lent> leaks;
    for (const auto &[gp, how] : lent_) {
        const int count = gp->get_ref_count();
        const int left = !how.forward ? how.left : keeps_ ? how.references : 0;
        if (how.at < sc_core::sc_time_stamp() &&
            (count > left || (count > 0 && !keeps_ && returned_ > how.serial))) {
            leaks.push_back(how);
        }
    }
    std::sort(leaks.begin(), leaks.end(),
              [](const lent &a, const lent &b) { return a.serial < b.serial; });
    lent_.clear();
    for (const lent &how : leaks) {
        violation(tlm_rule::reference_leak, nullptr, how.what + ", ended at " + how.at.to_string());
    }
    return leaks.empty();
}

void protocol_monitor::forget_trails()
{
    for (const auto &[gp, t] : trails_) {
        auto &list = t->watchers;
        list.erase(std::remove(list.begin(), list.end(), this), list.end());
    }
    trails_.clear();
    lent_.clear();
}

} // namespace smrf
