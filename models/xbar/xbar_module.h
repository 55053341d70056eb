// SPDX-License-Identifier: Apache-2.0
// Crossbar of a sub-core: the read of a granted collector passes to its bank, and the operand that
// comes back in the same call is counted. Which operands may cross in a step is the core's business
// (the arbiter reserves the ports).
//
// read_in[c]: BEGIN_REQ is routed by the extension's bank and answered as the bank answers.
#ifndef SMRF_XBAR_MODULE_H
#define SMRF_XBAR_MODULE_H

#include "models/tlm/ports.h"
#include "models/xbar/xbar.h"

namespace smrf
{

class xbar_module : public sc_core::sc_module
{
  public:
    xbar_module(const sc_core::sc_module_name &name, uint32_t collectors, uint32_t banks,
                uint32_t ports);

    target_ports<xbar_module> read_in;     // one a collector unit
    initiator_ports<xbar_module> bank_out; // one a bank

    smrf_xbar *core()
    {
        return &core_;
    }

    tlm::tlm_sync_enum fw(unsigned collector, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a bank completes at once", gp);
    }
    unsigned debug(unsigned collector, tlm::tlm_generic_payload &gp);

  private:
    smrf_xbar core_{};
};

} // namespace smrf

#endif
