// SPDX-License-Identifier: Apache-2.0
// Arbiter of a sub-core's banks: an interconnect between the crossbar's request wires, the
// write-back stage and the banks. Reads wait in the core's FIFOs; the core's step (run by the SM's
// script) grants them, and the grant is passed on to the bank with grant().
//
// read_in[b]: BEGIN_REQ is answered TLM_UPDATED, END_REQ (queued); later BEGIN_RESP goes back, which
// the initiator ends with TLM_COMPLETED. write_in[b]: BEGIN_REQ goes straight to the bank (the core
// has taken its port for it) and is answered TLM_COMPLETED.
#ifndef SMRF_ARBITER_MODULE_H
#define SMRF_ARBITER_MODULE_H

#include "models/arbiter/arbiter.h"
#include "models/tlm/ports.h"

#include <deque>

namespace smrf
{

class arbiter_module : public sc_core::sc_module
{
  public:
    arbiter_module(const sc_core::sc_module_name &name, uint32_t banks, uint32_t operands);

    std::deque<target_port<arbiter_module>> read_in;     // one a bank
    std::deque<target_port<arbiter_module>> write_in;    // one a bank, from write-back
    std::deque<initiator_port<arbiter_module>> bank_out; // one a bank

    smrf_arbiter *core()
    {
        return &core_;
    }

    // Carry out a granted read: bank, then back to the collector, now + delay.
    void grant(const smrf_read &read, sc_core::sc_time delay);

    tlm::tlm_sync_enum fw(unsigned index, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned index, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    unsigned debug(unsigned index, tlm::tlm_generic_payload &gp);

  private:
    const unsigned banks_;
    smrf_arbiter core_{};
};

} // namespace smrf

#endif
