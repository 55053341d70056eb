// SPDX-License-Identifier: Apache-2.0
// Runs a memory module beside initiators that follow simulated time: at every edge of the core's
// clock, all that leaves before it has been sent.
#ifndef SMRF_TESTS_MEMORY_CLOCK_H
#define SMRF_TESTS_MEMORY_CLOCK_H

#include "models/memory/memory_module.h"
#include "models/tlm/has_process.h"
#include "tests/support/tlm_mocks.h"

namespace smrf_test
{

class memory_clock : public sc_core::sc_module
{
  public:
    SMRF_HAS_PROCESS(memory_clock);
    memory_clock(const sc_core::sc_module_name &name, smrf::memory_module &memory,
                 uint64_t period_ps)
        : sc_module(name), memory_(memory), period_(ps(period_ps))
    {
        SC_METHOD(edge);
    }

  private:
    void edge()
    {
        memory_.advance(sc_core::sc_time_stamp().value() / period_.value());
        next_trigger(period_);
    }

    smrf::memory_module &memory_;
    const sc_core::sc_time period_;
};

} // namespace smrf_test

#endif
