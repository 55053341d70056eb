// SPDX-License-Identifier: Apache-2.0
// Core cycles and simulated time, both ways, for modules that convert them with every access. Most
// accesses come a cycle after the last one: what was converted last is kept, which saves the
// kernel's calls and divisions. All times are in units of the time resolution.
#ifndef SMRF_TLM_CYCLE_TIMES_H
#define SMRF_TLM_CYCLE_TIMES_H

#include <cstdint>
#include <systemc>

namespace smrf
{

class cycle_times
{
  public:
    using value_type = sc_core::sc_time::value_type;

    // Once the time resolution is fixed. The kernel hands out its own clock by reference, which
    // moves on with it.
    void start(const sc_core::sc_time &period)
    {
        period_ = period;
        now_ = &sc_core::sc_time_stamp();
        set_origin(origin_);
    }
    // Cycle 0 is at this time from now on.
    void set_origin(value_type origin)
    {
        origin_ = known_.time = origin;
        known_.cycle = 0;
    }
    value_type period() const
    {
        return period_.value();
    }
    value_type now() const
    {
        return now_->value();
    }
    value_type of(uint64_t cycle) const
    {
        return origin_ + cycle * period_.value();
    }
    // First cycle that does not begin before `time`; 0 for times before the origin.
    uint64_t cycle(value_type time)
    {
        const value_type behind = time - known_.time;
        if (behind == period_.value()) {
            known_.cycle++;
            known_.time = time;
        } else if (behind != 0) {
            const value_type since = time > origin_ ? time - origin_ : 0;
            known_.cycle = (since + period_.value() - 1) / period_.value();
            known_.time = of(known_.cycle);
        }
        return known_.cycle;
    }
    // From now to `time`; zero if that is over. Valid up to the next call.
    const sc_core::sc_time &until(value_type time)
    {
        const value_type from = now();
        if (from == since_ && time == until_ + period_.value() && until_ > from) {
            delay_ += period_;
        } else if (from != since_ || time != until_) {
            delay_ =
                time > from ? sc_core::sc_time::from_value(time - from) : sc_core::SC_ZERO_TIME;
        }
        since_ = from;
        until_ = time;
        return delay_;
    }

  private:
    struct moment {
        uint64_t cycle;
        value_type time;
    };

    sc_core::sc_time period_; // zero until start()
    const sc_core::sc_time *now_ = nullptr;
    value_type origin_ = 0;
    moment known_{0, 0};               // of the last cycle()
    sc_core::sc_time delay_;           // of the last until()
    value_type since_ = 0, until_ = 0; // its arguments, and when it was called
};

} // namespace smrf

#endif
