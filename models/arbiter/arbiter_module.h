// SPDX-License-Identifier: Apache-2.0
// Arbiter of a sub-core's banks: takes the collectors' read requests into its FIFOs, and tells the
// collectors which may be made.
//
// request_in[c]: a write of 32-bit words (models/wires/wires.h), one a read, to address = flight.
// grant_out: a write of such words, those of one instruction that may be read in this step.
// write_in: a read of 4 bytes at address = bank: write-back takes the bank for a write in the
// coming step. Answers SMRF_WORD_YES, or SMRF_WORD_NO if a write has it already. All are completed
// at once.
#ifndef SMRF_ARBITER_MODULE_H
#define SMRF_ARBITER_MODULE_H

#include "models/arbiter/arbiter.h"
#include "models/flight/flight.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class arbiter_module : public sc_core::sc_module
{
    // Writes come on a port of their own.
    tlm::tlm_sync_enum take_bank(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay);

  public:
    // wires: of the core; its grant must end in grant() of this module. write_ports: 1, or 0 if
    // writes take banks without a socket. core: nullptr: the module has its own.
    arbiter_module(const sc_core::sc_module_name &name, const smrf_arbiter_config &cfg,
                   unsigned sub, const smrf_wires &wires, window_clock &clock, rf_pool &pool,
                   unsigned write_ports = 0, smrf_arbiter *core = nullptr);

  private:
    alignas(64) port_payload grant_;
    window_clock &clock_;
    const carried<smrf_arbiter> core_;

  public:
    initiator_ports<arbiter_module, 1> grant_out{"grant_out", *this, 1};
    target_ports<arbiter_module, 1, &arbiter_module::take_bank> write_in;
    target_ports<arbiter_module> request_in; // one a collector unit

    smrf_arbiter *core()
    {
        return core_.get();
    }
    // As after construction.
    void reset()
    {
        smrf_arbiter_reset(core_.get());
    }

    void grant(uint32_t flight, const uint32_t *words, unsigned count);

    tlm::tlm_sync_enum fw(unsigned collector, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a grant is completed at once", gp);
    }
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    const zeroed_ptr<smrf_arbiter_store> store_; // of its own core
};

} // namespace smrf

#endif
