// SPDX-License-Identifier: Apache-2.0
// A bus that all SMs and another initiator share, with a memory behind it. It tests timing
// annotation, because each initiator's waits depend on the others.
//
// An access holds the bus for `held` cycles, in order of its cycle, then of its socket. The answer
// comes `latency` cycles later. nb_transport accepts a request at once with its annotated delay,
// grants it in its cycle, and answers it in its cycle, one at a time for each socket. b_transport
// from an initiator that runs ahead takes the first free cycles and annotates them; requests of
// slower initiators come later, so the bus looks emptier than it is. b_transport without a delay
// waits until all requests of its cycle are there, and is granted in the same order as
// nb_transport. So initiators that synchronise every cycle get the cycles of the four phases. DMI
// is granted by page; it takes the time of an access on an empty bus, and does not occupy the bus.
#ifndef SMRF_SHARED_BUS_H
#define SMRF_SHARED_BUS_H

#include "models/memory/backing_store.h"
#include "models/tlm/has_process.h"
#include "platform/outside/reservations.h"

#include <deque>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace smrf
{

struct shared_bus_options {
    uint32_t sockets = 1;
    uint32_t held = 1, latency = 200; // cycles
    uint64_t period_ps = 1000;
    bool dmi = false;
};

class shared_bus : public sc_core::sc_module
{
  public:
    SMRF_HAS_PROCESS(shared_bus);
    shared_bus(const sc_core::sc_module_name &name, const shared_bus_options &options);
    ~shared_bus() override;

    tlm::tlm_target_socket<> &in(uint32_t i);
    uint64_t accesses() const
    {
        return accesses_;
    }

  private:
    class port;
    struct request {
        tlm::tlm_generic_payload *gp;
        uint32_t from;
    };
    // b_transport that waits in the call.
    struct blocked_call {
        sc_core::sc_event is_granted;
        uint64_t cycle = 0;
    };
    struct pending {
        tlm::tlm_generic_payload *gp; // nb_transport, else nullptr
        blocked_call *call;           // b_transport, else nullptr
    };
    using time_value = sc_core::sc_time::value_type;

    uint64_t cycle_of(const sc_core::sc_time &delay) const;
    sc_core::sc_time until(uint64_t cycle) const;
    void take(tlm::tlm_generic_payload &gp, uint32_t from, uint64_t cycle);
    uint64_t wait_for_grant(uint32_t from);
    void notify_grant();
    uint64_t reserve(uint64_t cycle);
    void grant();
    void answer();

    const shared_bus_options options_;
    const time_value period_;
    backing_store store_;
    std::vector<std::unique_ptr<port>> ports_;
    std::multimap<std::pair<uint64_t, uint32_t>, pending> waiting_; // by cycle, socket
    std::multimap<uint64_t, request> due_;                          // granted
    reservations taken_;
    uint64_t accesses_ = 0;
    sc_core::sc_event grant_{"to_grant"}, answer_{"to_answer"};
};

} // namespace smrf

#endif
