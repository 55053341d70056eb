// SPDX-License-Identifier: Apache-2.0
// A memory port without payloads: its requests and answers are calls, in the same cycles and order.
#include "models/tlm/memory_port.h"

namespace smrf
{

void memory_port::shorten()
{
    const bool times = options_.bus.blocking != 0 || options_.bus.end_resp != 0 ||
                       options_.bus.response_cycles != 0 || options_.view != SMRF_VIEW_AT;
    if (wired_ && at_home_ && !listed_ && !times && events_.on_response != nullptr) {
        wire_ = dynamic_cast<memory_wire_end *>(socket.operator->());
    }
    if (wire_ != nullptr) {
        wire_->attach(*this);
    }
}

void memory_port::freed(uint64_t cycle)
{
    free_from(not_before_now(cycle));
}

void memory_port::answered(const smrf_mem_response &response)
{
    const uint64_t grain = options_.granularity;
    const uint64_t cycle = not_passed(not_before_now(response.cycle));
    smrf_mem_response seen = response;
    seen.cycle = grain == 1 ? cycle : (cycle + grain - 1) / grain * grain;
    answered_++;
    events_.on_response(events_.ctx, &seen, nullptr);
}

uint64_t memory_port::not_before_now(uint64_t cycle) const
{
    const auto now = sc_core::sc_time_stamp().value();
    return origin_ + cycle * period_ >= now ? cycle : cycle_in(sc_core::SC_ZERO_TIME);
}

} // namespace smrf
