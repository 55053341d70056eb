// SPDX-License-Identifier: Apache-2.0
// Crossbar of a sub-core: a read of a collector passes to the bank that its address names, which
// sees its own part of the address, and the operand that comes back in the same call is counted.
#ifndef SMRF_XBAR_MODULE_H
#define SMRF_XBAR_MODULE_H

#include "models/tlm/ports.h"
#include "models/tlm/zeroed.h"
#include "models/xbar/xbar.h"

namespace smrf
{

class xbar_module : public sc_core::sc_module
{
  public:
    // rows: of a bank. core: nullptr: its own.
    xbar_module(const sc_core::sc_module_name &name, uint32_t collectors, uint32_t banks,
                uint32_t rows, smrf_xbar *core = nullptr);

    tlm::tlm_sync_enum route(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                             sc_core::sc_time &delay);
    unsigned look(tlm::tlm_generic_payload &gp);

  private:
    alignas(64) const carried<smrf_xbar> core_; // beside what every read touches

  public:
    // One a collector unit.
    target_ports<xbar_module, max_ports, &xbar_module::route, &xbar_module::look> read_in;
    initiator_ports<xbar_module> bank_out; // one a bank

    smrf_xbar *core()
    {
        return core_.get();
    }
    // Transactions that it has passed on to banks.
    uint64_t forwarded() const
    {
        return core_->stats.crossbar_transfers;
    }
    // As after construction.
    void reset()
    {
        smrf_xbar_reset(core_.get());
    }

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a bank completes at once", gp);
    }
};

} // namespace smrf

#endif
