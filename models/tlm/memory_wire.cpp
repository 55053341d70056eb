// SPDX-License-Identifier: Apache-2.0
// A memory port without payloads: its requests and answers are calls, in the same cycles and order.
// Nothing here asks for simulated time: the wire's end runs no further behind than it can look
// ahead, so that what it tells has not passed.
#include "models/tlm/memory_port.h"

namespace smrf
{

void memory_port::shorten()
{
    const bool times = options_.bus.blocking != 0 || options_.bus.end_resp != 0 ||
                       options_.bus.response_cycles != 0 || options_.view != SMRF_VIEW_AT;
    const bool answers_only = events_.on_response != nullptr && events_.on_free == nullptr;
    if (wired_ && at_home_ && !listed_ && !times && answers_only) {
        end_ = dynamic_cast<memory_wire_end *>(socket.operator->());
    }
    if (end_ != nullptr) {
        wire_ = end_->attach(*this, options_.sm);
        end_ = wire_.send != nullptr ? end_ : nullptr;
    }
}

// A cycle that is over is late at the wire's end.
bool memory_port::send_on_wire(const smrf_mem_request &request)
{
    const bool taken = wire_.send(wire_.ctx, &request);
    sent_ += taken;
    stats_.accesses += taken;
    return taken;
}

// One that is seen later than it comes.
void memory_port::answered_later(const smrf_mem_response &response)
{
    const uint64_t grain = options_.granularity;
    smrf_mem_response seen = response;
    seen.cycle = (not_passed(response.cycle) + grain - 1) / grain * grain;
    events_.on_response(events_.ctx, &seen, nullptr);
}

} // namespace smrf
