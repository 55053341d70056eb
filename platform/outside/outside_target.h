// SPDX-License-Identifier: Apache-2.0
// A memory of plain C functions (platform/outside.h) behind an SM's TLM-2.0 memory socket.
//
// | caller | phase      | answered with                       |
// | SM     | BEGIN_REQ  | UPDATED, END_REQ: always taken      |
// | target | BEGIN_RESP | one at a time, in order of arrival, announced at once with the delay to
// its |        |            | cycle, so that the SM may run min_latency cycles ahead | | SM     |
// END_RESP   | COMPLETED                           |
#ifndef SMRF_OUTSIDE_TARGET_H
#define SMRF_OUTSIDE_TARGET_H

#include "models/tlm/has_process.h"
#include "platform/outside/outside.h"

#include <map>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

namespace smrf
{

class outside_target : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<outside_target> socket{"socket"};

    SMRF_HAS_PROCESS(outside_target);
    outside_target(const sc_core::sc_module_name &name, unsigned sm, sc_core::sc_time period,
                   const smrf_outside_memory &memory);

  private:
    struct answer {
        tlm::tlm_generic_payload *payload;
        smrf_outside_request request;
    };

    tlm::tlm_sync_enum take(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                            sc_core::sc_time &delay);
    void respond();

    const unsigned sm_;
    const sc_core::sc_time period_;
    const smrf_outside_memory memory_;
    std::multimap<uint64_t, answer> answers_; // by cycle of arrival
    tlm::tlm_generic_payload *responding_ = nullptr;
    sc_core::sc_event ready_{"ready"};
    uint32_t requests_ = 0;
};

} // namespace smrf

#endif
