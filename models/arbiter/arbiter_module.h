// SPDX-License-Identifier: Apache-2.0
// Arbiter of a sub-core's banks: takes the collectors' read requests into its FIFOs. Its core's step
// (run by the SM's script) decides which reads are granted; a granted collector then reads its
// operand itself, through the crossbar.
//
// request_in[c]: a write of an array of struct smrf_read (the operands of one instruction), completed
// at once.
#ifndef SMRF_ARBITER_MODULE_H
#define SMRF_ARBITER_MODULE_H

#include "models/arbiter/arbiter.h"
#include "models/tlm/ports.h"

namespace smrf
{

class arbiter_module : public sc_core::sc_module
{
  public:
    arbiter_module(const sc_core::sc_module_name &name, uint32_t banks, uint32_t collectors);

    target_ports<arbiter_module> request_in; // one a collector unit

    smrf_arbiter *core()
    {
        return &core_;
    }

    tlm::tlm_sync_enum fw(unsigned collector, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    smrf_arbiter core_{};
};

} // namespace smrf

#endif
