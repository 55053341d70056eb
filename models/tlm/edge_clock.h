// SPDX-License-Identifier: Apache-2.0
// The clock of a module that stands alone: a process of the module is sensitive to `tick`, which is
// notified only in cycles with something to do.
//
// Requests of a cycle arrive at its edge. They are decided half a period later, so that the order
// in which they arrived does not matter, and the result is visible at the next edge.
#ifndef SMRF_TLM_EDGE_CLOCK_H
#define SMRF_TLM_EDGE_CLOCK_H

#include <cstdint>
#include <stdexcept>
#include <systemc>

namespace smrf
{

class edge_clock
{
  public:
    explicit edge_clock(const sc_core::sc_time &period) : period_(period)
    {
        if (period.value() < 2) {
            throw std::invalid_argument(
                "the period is shorter than two steps of the time resolution");
        }
    }

    sc_core::sc_event tick{"tick"};

    // There is something to do from that time on.
    void wake(const sc_core::sc_time &at)
    {
        const auto period = period_.value();
        uint64_t cycle = (at.value() + period - 1) / period;
        cycle = ticked_ && cycle <= cycle_ ? cycle_ + 1 : cycle;
        tick.notify(sc_core::sc_time::from_value(cycle * period + period / 2) -
                    sc_core::sc_time_stamp());
    }
    // What the process does first.
    void begin()
    {
        cycle_ = now();
        ticked_ = true;
    }
    uint64_t now() const
    {
        return sc_core::sc_time_stamp().value() / period_.value();
    }
    const uint64_t &cycle() const
    {
        return cycle_;
    }
    sc_core::sc_time edge() const
    {
        return sc_core::sc_time::from_value(cycle_ * period_.value());
    }
    sc_core::sc_time next() const
    {
        return edge() + period_;
    }
    // From now to the next edge.
    sc_core::sc_time left() const
    {
        return next() - sc_core::sc_time_stamp();
    }

  private:
    const sc_core::sc_time period_;
    uint64_t cycle_ = 0;
    bool ticked_ = false;
};

} // namespace smrf

#endif
