// SPDX-License-Identifier: Apache-2.0
// Crossbar of a sub-core: request wires from every collector to every bank's queue, and the data
// path back to the collectors' ports S. Requests pass through; operands are counted on their way
// back. Which operands may cross in a step is the core's business (the arbiter reserves the ports).
//
// collector_in[c]: BEGIN_REQ is routed by the extension's bank and answered as the arbiter answers.
#ifndef SMRF_XBAR_MODULE_H
#define SMRF_XBAR_MODULE_H

#include "models/tlm/ports.h"
#include "models/xbar/xbar.h"

#include <deque>

namespace smrf
{

class xbar_module : public sc_core::sc_module
{
  public:
    xbar_module(const sc_core::sc_module_name &name, uint32_t collectors, uint32_t banks,
                uint32_t ports);

    std::deque<target_port<xbar_module>> collector_in; // one a collector unit
    std::deque<initiator_port<xbar_module>> bank_out;  // one a bank

    smrf_xbar *core()
    {
        return &core_;
    }

    tlm::tlm_sync_enum fw(unsigned collector, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned bank, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    unsigned debug(unsigned collector, tlm::tlm_generic_payload &gp);

  private:
    smrf_xbar core_{};
};

} // namespace smrf

#endif
