// SPDX-License-Identifier: Apache-2.0
// The simplest memory that a memory port can be bound to: every access takes the same time. For
// examples, for tests, and as a pattern of a target in one, two or four phases.
//
// | phases | BEGIN_REQ returns                    | then                               |
// | ------ | ------------------------------------ | ---------------------------------- |
// | 1      | COMPLETED after accept + latency     |                                    |
// | 2      | UPDATED with END_REQ after accept    | BEGIN_RESP latency later           |
// | 4      | ACCEPTED                             | END_REQ after accept, BEGIN_RESP latency later
// |
//
// While max_in_flight accesses are unanswered, the next request is accepted but not ended
// (phases 2 and 4). Answers keep the order in which they are due; one at a time begins.
#ifndef SMRF_MEMORY_FIXED_LATENCY_MEMORY_H
#define SMRF_MEMORY_FIXED_LATENCY_MEMORY_H

#include "models/memory/backing_store.h"
#include "models/tlm/has_process.h"

#include <deque>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>

namespace smrf
{

struct fixed_latency_options {
    sc_core::sc_time accept = sc_core::SC_ZERO_TIME;  // from BEGIN_REQ to END_REQ
    sc_core::sc_time latency = sc_core::SC_ZERO_TIME; // from END_REQ to BEGIN_RESP
    unsigned phases = 4;                              // 1, 2 or 4
    unsigned max_in_flight = 0;                       // unanswered accesses; 0 = no limit
};

class fixed_latency_memory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<>
{
  public:
    tlm::tlm_target_socket<> in{"in"};

    SMRF_HAS_PROCESS(fixed_latency_memory);
    fixed_latency_memory(const sc_core::sc_module_name &name, const fixed_latency_options &options);

    backing_store &store()
    {
        return store_;
    }
    bool idle() const
    {
        return in_flight_ == 0 && held_ == nullptr;
    }
    // As after elaboration, bytes gone. No transaction may be under way.
    void reset();
    unsigned peak_in_flight() const
    {
        return peak_;
    }

  private:
    using payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum nb_transport_fw(payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void b_transport(payload &gp, sc_core::sc_time &delay) override;
    unsigned transport_dbg(payload &gp) override
    {
        return store_.debug(gp);
    }
    bool get_direct_mem_ptr(payload &, tlm::tlm_dmi &) override
    {
        return false;
    }
    void take(payload &gp, const sc_core::sc_time &delay);
    void end_request_later(payload &gp, const sc_core::sc_time &delay);
    void end_requests();
    void begin_responses();
    void finish(payload &gp);

    const fixed_latency_options options_;
    backing_store store_;
    tlm_utils::peq_with_get<payload> requests_{"requests"}, responses_{"responses"};
    std::deque<payload *> ready_;    // due, waiting for the response channel
    payload *held_ = nullptr;        // waits for an answer to make room
    payload *responding_ = nullptr;  // END_RESP is awaited
    sc_core::sc_time response_free_; // earliest next BEGIN_RESP
    sc_core::sc_event go_on_{"go_on"};
    unsigned in_flight_ = 0, peak_ = 0;
};

} // namespace smrf

#endif
