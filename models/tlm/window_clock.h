// SPDX-License-Identifier: Apache-2.0
// The clock of an SM that runs ahead of simulated time within a window: from now to the cycle that
// its script is in, and back from annotated times to cycles.
#ifndef SMRF_TLM_WINDOW_CLOCK_H
#define SMRF_TLM_WINDOW_CLOCK_H

#include "models/common/smrf_types.h"

#include <systemc>

namespace smrf
{

class window_clock
{
  public:
    // cycle: the script's; it must outlive the clock.
    window_clock(const uint64_t *cycle, const sc_core::sc_time &period)
        : cycle_(cycle), period_(period)
    {
        restart();
    }

    // A new window: simulated time has moved.
    void restart()
    {
        now_ = sc_core::sc_time_stamp().value();
        delay_ = sc_core::SC_ZERO_TIME;
        tick();
    }
    // Cycle 0 is at this time from now on; a time of 0 at first.
    void reset(const sc_core::sc_time &origin)
    {
        origin_ = origin.value();
        restart();
    }
    // The script is in another cycle of the window.
    void tick()
    {
        if (*cycle_ == delay_cycle_ + 1 && delay_.value() != 0) {
            delay_ += period_; // the usual case
        } else {
            const sc_core::sc_time::value_type at = origin_ + *cycle_ * period_.value();
            delay_ = at > now_ ? sc_core::sc_time::from_value(at - now_) : sc_core::SC_ZERO_TIME;
        }
        delay_cycle_ = *cycle_;
    }
    // From now to the script's cycle.
    const sc_core::sc_time &delay() const
    {
        return delay_;
    }
    // Whole cycles of a time that was added to an annotation, rounded up.
    uint32_t cycles(const sc_core::sc_time &added) const
    {
        if (added.value() == 0) {
            return 0;
        }
        if (added <= period_) {
            return 1;
        }
        return static_cast<uint32_t>((added.value() + period_.value() - 1) / period_.value());
    }
    uint64_t cycle() const
    {
        return *cycle_;
    }
    // An annotation in a cycle from the script's on, and back.
    sc_core::sc_time delay_to(uint64_t cycle) const
    {
        return delay_ + sc_core::sc_time::from_value((cycle - *cycle_) * period_.value());
    }
    uint64_t cycle_at(const sc_core::sc_time &delay) const
    {
        return *cycle_ + cycles(delay - delay_);
    }
    const sc_core::sc_time &period() const
    {
        return period_;
    }

  private:
    const uint64_t *cycle_;
    const sc_core::sc_time period_;
    sc_core::sc_time::value_type origin_ = 0, now_ = 0;
    sc_core::sc_time delay_;
    uint64_t delay_cycle_ = 0;
};

} // namespace smrf

#endif
