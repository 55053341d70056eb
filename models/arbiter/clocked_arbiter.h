// SPDX-License-Identifier: Apache-2.0
// The arbiter with a clock of its own, for platforms of others: requests wait at its sockets while
// its FIFOs have no room, and in every cycle it grants by itself what it can.
//
// request_in(c): as arbiter_module's, with four phases or b_transport. Answered when it is queued.
// grant_out(): as arbiter_module's: to be completed at once.
//
// Requests that come up to an edge are queued, and grants given, half a period later.
#ifndef SMRF_CLOCKED_ARBITER_H
#define SMRF_CLOCKED_ARBITER_H

#include "models/arbiter/arbiter_module.h"
#include "models/tlm/edge_clock.h"
#include "models/tlm/has_process.h"
#include "models/tlm/inlet.h"

#include <memory>
#include <vector>

namespace smrf
{

class clocked_arbiter : public sc_core::sc_module
{
  public:
    SMRF_HAS_PROCESS(clocked_arbiter);
    clocked_arbiter(const sc_core::sc_module_name &name, const smrf_arbiter_config &cfg,
                    const sc_core::sc_time &period);

    tlm::tlm_target_socket<> &request_in(unsigned collector)
    {
        return requests_[collector]->socket;
    }
    tlm::tlm_initiator_socket<> &grant_out()
    {
        return arbiter_->grant_out[0];
    }
    const smrf_arbiter *core() const
    {
        return arbiter_->core();
    }
    // As after elaboration; requests that are under way are answered with an error.
    void reset();

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "a request is completed at once", gp);
    }

  private:
    void step();
    bool has_room(const tlm::tlm_generic_payload &gp) const;

    edge_clock clock_;
    smrf_wires wires_{};
    window_clock window_;
    rf_pool pool_{"rf_pool"};
    std::unique_ptr<arbiter_module> arbiter_;
    std::vector<std::unique_ptr<inlet>> requests_;
    initiator_ports<clocked_arbiter> out_;
};

} // namespace smrf

#endif
