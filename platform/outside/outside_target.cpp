// SPDX-License-Identifier: Apache-2.0
#include "outside_target.h"

#include "models/tlm/rf_extension.h"
#include "platform/outside/outside_queue.h"

#include <cstring>
#include <stdexcept>

namespace smrf
{

outside_target::outside_target(const sc_core::sc_module_name &name, unsigned sm,
                               sc_core::sc_time period, const smrf_outside_memory &memory)
    : sc_core::sc_module(name), sm_(sm), period_(period), memory_(memory)
{
    socket.register_nb_transport_fw(this, &outside_target::take);
    SC_METHOD(respond);
    sensitive << ready_;
    dont_initialize();
}

tlm::tlm_sync_enum outside_target::take(tlm::tlm_generic_payload &payload, tlm::tlm_phase &phase,
                                        sc_core::sc_time &delay)
{
    if (phase == tlm::END_RESP) {
        if (&payload == responding_) {
            responding_ = nullptr;
            payload.release();
            ready_.notify(sc_core::SC_ZERO_TIME);
        }
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) {
        return tlm::TLM_ACCEPTED;
    }
    // Of a foreign initiator: no extension, and the request's number tells it apart.
    const auto *extension = payload.get_extension<mem_extension>();
    smrf_outside_request request = {};
    request.address = payload.get_address();
    request.cycle = (sc_core::sc_time_stamp() + delay).value() / period_.value();
    request.id = extension ? extension->fields.id : requests_;
    request.byte_mask = UINT32_MAX;
    request.sm = sm_;
    request.kind = payload.is_write() ? SMRF_MEM_WRITE : SMRF_MEM_READ;
    if (extension) {
        request.kind = extension->fields.kind;
    }
    if (payload.is_write() && payload.get_byte_enable_ptr() != nullptr) {
        request.byte_mask = 0;
        for (unsigned b = 0; b < SMRF_SECTOR_BYTES; b++) {
            const unsigned at = b % payload.get_byte_enable_length();
            request.byte_mask |= payload.get_byte_enable_ptr()[at] ? UINT32_C(1) << b : 0;
        }
    }
    requests_++;
    int error = SMRF_OK;
    char text[160];
    const uint64_t arrival = smrf_outside_ask(&memory_, &request, &error, text, sizeof text);
    if (error) {
        throw std::runtime_error(text); // ends the simulation; the engine returns the text
    }
    payload.acquire();
    answers_.emplace(arrival, answer{&payload, request});
    ready_.notify(sc_core::SC_ZERO_TIME);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void outside_target::respond()
{
    while (responding_ == nullptr && !answers_.empty()) {
        const uint64_t arrival = answers_.begin()->first;
        const answer a = answers_.begin()->second;
        answers_.erase(answers_.begin());
        const sc_core::sc_time at = sc_core::sc_time::from_value(arrival * period_.value());
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        sc_core::sc_time delay = at > now ? at - now : sc_core::SC_ZERO_TIME;
        if (a.payload->is_read()) {
            std::memset(a.payload->get_data_ptr(), 0, a.payload->get_data_length());
        }
        a.payload->set_response_status(tlm::TLM_OK_RESPONSE);
        if (memory_.response) {
            memory_.response(memory_.ctx, &a.request, arrival);
        }
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        responding_ = a.payload;
        const auto got = socket->nb_transport_bw(*a.payload, phase, delay);
        if (got == tlm::TLM_COMPLETED || phase == tlm::END_RESP) {
            responding_ = nullptr;
            a.payload->release();
        }
    }
}

} // namespace smrf
