// SPDX-License-Identifier: Apache-2.0
// The front end's way to the instruction caches of its sub-cores.
//
// | socket         | what passes                                                     | address |
// | -------------- | --------------------------------------------------------------- | ------- |
// | fetch_out[sub] | an ignored command of 16 bytes: an instruction. The annotated   | pc      |
// |                | time that comes back is that from which it is there             |         |
//
// Traces have no code, so nothing is read. Completed at once.
#ifndef SMRF_FETCH_MODULE_H
#define SMRF_FETCH_MODULE_H

#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"

namespace smrf
{

constexpr unsigned instruction_bytes = 16;

class fetch_module : public sc_core::sc_module
{
  public:
    fetch_module(const sc_core::sc_module_name &name, unsigned subcores, window_clock *clock,
                 rf_pool *pool);

    initiator_ports<fetch_module, SMRF_MAX_SUBCORES> fetch_out;

    // The wire of the front end, as in struct smrf_wires.
    uint64_t fetch(unsigned sub, uint32_t pc, uint64_t cycle);

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    window_clock &clock_;
    port_payload fetch_;
};

} // namespace smrf

#endif
