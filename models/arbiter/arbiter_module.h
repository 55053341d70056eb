// SPDX-License-Identifier: Apache-2.0
// Arbiter of a sub-core's banks: takes the collectors' read requests, and sends each to its bank,
// through the crossbar, when the core's step (run by the SM's script) has granted it.
//
// read_in[c]: BEGIN_REQ is answered TLM_UPDATED, END_REQ (queued); with the grant BEGIN_RESP goes
// back, which the collector ends with TLM_COMPLETED. xbar_out[b]: BEGIN_REQ, completed at once.
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

    target_ports<arbiter_module> read_in;     // one a collector unit
    initiator_ports<arbiter_module> xbar_out; // one a bank

    smrf_arbiter *core()
    {
        return &core_;
    }

    // Carry out a granted read: to the bank, then back to the collector, now + delay.
    void grant(const smrf_read &read, sc_core::sc_time delay);

    tlm::tlm_sync_enum fw(unsigned collector, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a bank must complete at once", gp);
    }
    unsigned debug(unsigned collector, tlm::tlm_generic_payload &gp);

  private:
    smrf_arbiter core_{};
};

} // namespace smrf

#endif
