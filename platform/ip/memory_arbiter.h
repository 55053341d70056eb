// SPDX-License-Identifier: Apache-2.0
// One memory socket in the place of several: what GPU's SMs send goes out one request a cycle.
//
// Arbitration is round robin. At an instant at which the socket is free, the first input behind the
// one that had it last and that has a request goes; a cycle later, or when the target has ended the
// request, the next. Answers go back to the input that they belong to, one at a time each, in the
// order in which they are due. Every request passes with its payload, its extensions, and its
// phases; debug accesses, DMI and its invalidation pass, too.
//
// b_transport may wait, and runs ahead of time: it takes the first cycle from its own on that no
// other call has, and annotates what it waits for.
#ifndef SMRF_IP_MEMORY_ARBITER_H
#define SMRF_IP_MEMORY_ARBITER_H

#include "models/tlm/has_process.h"
#include "platform/outside/reservations.h"

#include <memory>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace smrf
{

class memory_arbiter : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_initiator_socket<> out{"out"};

    SMRF_HAS_PROCESS(memory_arbiter);
    memory_arbiter(const sc_core::sc_module_name &name, unsigned inputs,
                   const sc_core::sc_time &period);
    ~memory_arbiter() override;

    tlm::tlm_target_socket<> &in(unsigned i);
    // Cycles in which a request waited for others, summed.
    uint64_t waited() const
    {
        return waited_;
    }

  private:
    class port;
    struct access {
        port *from;
        uint64_t number; // of all
        bool answered, owes_end;
    };

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;

    void take(port &from, tlm::tlm_generic_payload &gp, const sc_core::sc_time &delay);
    port *next();
    void arbitrate();
    void grant(port &p);
    void end_request(tlm::tlm_generic_payload &gp, const sc_core::sc_time &delay);
    void answer(tlm::tlm_generic_payload &gp, const sc_core::sc_time &delay, bool owes_end);
    void deliver();
    void forget(tlm::tlm_generic_payload &gp);
    void call(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay);

    const sc_core::sc_time period_;
    std::vector<std::unique_ptr<port>> ports_;
    std::unordered_map<const tlm::tlm_generic_payload *, access> accesses_;
    reservations calls_;                          // cycles of b_transport
    tlm::tlm_generic_payload *granted_ = nullptr; // END_REQ has not come
    sc_core::sc_time free_ = sc_core::SC_ZERO_TIME;
    size_t last_ = 0; // that was granted
    uint64_t number_ = 0, waited_ = 0;
    sc_core::sc_event arbitrate_{"to_arbitrate"}, deliver_{"to_deliver"};
};

} // namespace smrf

#endif
