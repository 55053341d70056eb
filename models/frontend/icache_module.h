// SPDX-License-Identifier: Apache-2.0
// Instruction cache of an SM, for the caches of its sub-cores, or for the front end where they have
// none.
//
// | socket       | what passes                                                      | address |
// | ------------ | ---------------------------------------------------------------- | ------- |
// | line_in[sub] | an ignored command: an instruction, or a line, which may be      | pc, or  |
// |              | awaited (SMRF_LINE_AWAITED is added to its address). The         | awaited |
// |              | annotated time that goes back is that in which it leaves         | line    |
//
// All are completed at once.
#ifndef SMRF_ICACHE_MODULE_H
#define SMRF_ICACHE_MODULE_H

#include "models/frontend/icache.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class icache_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum read_line(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay);

  public:
    // core: nullptr: its own.
    icache_module(const sc_core::sc_module_name &name, const smrf_frontend_params &params,
                  unsigned subcores, window_clock *clock, smrf_icache *core = nullptr);

    target_ports<icache_module, SMRF_MAX_SUBCORES, &icache_module::read_line> line_in;

    smrf_icache *core()
    {
        return core_.get();
    }

  private:
    window_clock &clock_;
    const carried<smrf_icache> core_;
    zeroed_ptr<smrf_icache_line[]> lines_; // of its own core
};

} // namespace smrf

#endif
