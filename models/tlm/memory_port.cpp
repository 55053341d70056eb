// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/memory_port.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace smrf
{

namespace
{

// owner_state of a payload in flight.
enum : uint32_t {
    REQUESTING = 1, // holds the request channel
    WAITING,        // request phase over, answer not yet begun
    RESPONDING,     // answered, END_RESP still to be sent
    ENDED,          // over, but the call that began it has not returned
    PHASE = 15,     // mask of the above
    IN_CALL = 16    // flag: within nb_transport_fw(BEGIN_REQ)
};

} // namespace

uint64_t period_ps(uint32_t core_khz)
{
    // Nearest even integer of 10^9 / khz = twice the nearest integer of 5 x 10^8 / khz.
    return 2 * ((UINT64_C(500000000) + core_khz / 2) / core_khz);
}

memory_port::memory_port(const sc_core::sc_module_name &name, const memory_port_options &options,
                         const memory_port_events &events)
    : sc_module(name), options_(options), events_(events),
      pool_(std::string(this->name()) + ".pool")
{
    socket.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
    SC_METHOD(send_end_responses);
    sensitive << end_responses_.get_event();
    dont_initialize();
}

void memory_port::end_of_elaboration()
{
    period_ = options_.period_ps * sc_core::sc_time(1, sc_core::SC_PS).value();
    if (period_ == 0 || sc_core::sc_get_time_resolution() > sc_core::sc_time(1, sc_core::SC_PS)) {
        SC_REPORT_ERROR("/smrf/memory_port/resolution",
                        "a core cycle is not a whole number of time steps: call "
                        "sc_set_time_resolution(1, SC_PS) or a finer one before elaboration");
        period_ = std::max<sc_core::sc_time::value_type>(period_, 1);
    }
}

void memory_port::reset(const sc_core::sc_time &origin)
{
    if (!idle()) {
        SC_REPORT_ERROR("/smrf/memory_port/reset", "a transaction is under way");
        return;
    }
    origin_ = origin.value();
    free_cycle_ = open_cycle_ = request_cycle_ = 0;
    sent_ = answered_ = error_answers_ = late_answers_ = protocol_errors_ = 0;
}

bool memory_port::send_c(void *ctx, const smrf_mem_request *request)
{
    return static_cast<memory_port *>(ctx)->send(*request);
}

bool memory_port::send(const smrf_mem_request &request)
{
    if (request.cycle < free_cycle_) {
        return false;
    }
    auto now = sc_core::sc_time_stamp().value();
    auto at = origin_ + request.cycle * period_;
    if (at < now) {
        protocol_error("late_request", "a request was sent for a cycle that is over");
        at = now;
    }
    mem_payload *p = make_payload(request);
    free_cycle_ = SMRF_NEVER;
    request_cycle_ = request.cycle;
    sent_++;

    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    auto delay = sc_core::sc_time::from_value(at - now);
    p->owner_state |= IN_CALL;
    const tlm::tlm_sync_enum status = socket->nb_transport_fw(*p, phase, delay);
    p->owner_state &= ~IN_CALL;
    on_return(*p, status, phase, delay);
    if (p->owner_state == ENDED) {
        finish(*p);
    }
    report_failure();
    return true;
}

mem_payload *memory_port::make_payload(const smrf_mem_request &request)
{
    mem_payload *p = pool_.allocate();
    const bool write = request.kind == SMRF_MEM_WRITE;
    p->set_command(at_home_ ? tlm::TLM_IGNORE_COMMAND
                   : write  ? tlm::TLM_WRITE_COMMAND
                            : tlm::TLM_READ_COMMAND);
    p->set_address(request.address);
    p->set_data_length(SMRF_SECTOR_BYTES);
    p->set_streaming_width(SMRF_SECTOR_BYTES);
    p->owner_state = REQUESTING;
    p->extension.fields.id = request.id;
    p->extension.fields.sm = options_.sm;
    p->extension.fields.kind = request.kind;
    if (write) {
        p->enable_bytes(request.byte_mask, SMRF_SECTOR_BYTES);
    }
    if (p->is_write()) {
        if (events_.write_data != nullptr) {
            events_.write_data(events_.ctx, &request, p->data());
        } else {
            std::memset(p->data(), 0, SMRF_SECTOR_BYTES);
        }
    }
    return p;
}

// What nb_transport_fw(BEGIN_REQ) returned.
void memory_port::on_return(mem_payload &p, tlm::tlm_sync_enum status, const tlm::tlm_phase &phase,
                            const sc_core::sc_time &delay)
{
    if (status == tlm::TLM_ACCEPTED) {
        return;
    }
    if (p.owner_state == ENDED || p.owner_state == RESPONDING) {
        protocol_error("phase", "BEGIN_REQ returned an update after BEGIN_RESP");
        return;
    }
    if (status == tlm::TLM_COMPLETED) {
        end_request(p, delay);
        answer(p, delay);
        finish(p);
    } else if (phase == tlm::END_REQ) {
        end_request(p, delay);
    } else if (phase == tlm::BEGIN_RESP) {
        end_request(p, delay);
        answer(p, delay);
        p.owner_state = RESPONDING;
        end_responses_.notify(
            p, delay + sc_core::sc_time::from_value(options_.response_interval * period_));
    } else {
        protocol_error("phase", "TLM_UPDATED without END_REQ or BEGIN_RESP");
    }
}

tlm::tlm_sync_enum memory_port::nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                                sc_core::sc_time &delay)
{
    // At home nobody brings another's, and nobody takes the extension off.
    mem_payload *p = at_home_ ? static_cast<mem_payload *>(&gp) : pool_.find(gp);
    const uint32_t state = p == nullptr ? 0 : p->owner_state & PHASE;
    if (state == 0 || state == ENDED) {
        protocol_error("unknown_transaction", "a phase came for a transaction not in flight");
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_REQ) {
        if (state != REQUESTING) {
            protocol_error("phase", "END_REQ after the request phase had ended");
        }
        end_request(*p, delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::BEGIN_RESP) {
        return begin_response(*p, delay);
    }
    if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) {
        protocol_error("phase", "a target sent BEGIN_REQ or END_RESP");
    }
    return tlm::TLM_ACCEPTED; // ignorable phases of a derived protocol
}

tlm::tlm_sync_enum memory_port::begin_response(mem_payload &p, const sc_core::sc_time &delay)
{
    if ((p.owner_state & PHASE) == RESPONDING) {
        protocol_error("phase", "a second BEGIN_RESP");
        return tlm::TLM_ACCEPTED;
    }
    const uint32_t in_call = p.owner_state & IN_CALL;
    const bool ends = options_.response_interval == 0;
    end_request(p, delay); // implied where END_REQ has not come
    answer(p, delay);
    if (ends) {
        finish(p);
    } else {
        p.owner_state = RESPONDING | in_call;
        end_responses_.notify(
            p, delay + sc_core::sc_time::from_value(options_.response_interval * period_));
    }
    if (in_call == 0) { // else send() does, once it has settled the request
        report_failure();
    }
    return ends ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
}

void memory_port::end_request(mem_payload &p, const sc_core::sc_time &delay)
{
    if ((p.owner_state & PHASE) != REQUESTING) {
        return;
    }
    p.owner_state = WAITING | (p.owner_state & IN_CALL);
    free_cycle_ = cycle_in(delay);
    if (free_cycle_ > request_cycle_) {
        free_cycle_ = arrival(delay);
        if (events_.on_free != nullptr) {
            events_.on_free(events_.ctx, free_cycle_);
        }
    }
}

// Tells the SM. What was wrong is reported by report_failure() once the transaction is settled: an
// error must not leave a warp waiting, and reports may throw.
void memory_port::answer(mem_payload &p, const sc_core::sc_time &delay)
{
    const bool error = !p.is_response_ok();
    smrf_mem_response response = {};
    response.cycle = arrival(delay);
    response.id = p.extension.fields.id;
    response.sm = options_.sm;
    response.kind = p.extension.fields.kind;
    if (error) {
        std::ostringstream text;
        text << name() << ": cycle " << response.cycle << ": " << p.get_response_string()
             << " for sector 0x" << std::hex << p.get_address();
        failure_ = text.str();
    }
    answered_++;
    error_answers_ += error;
    if (events_.on_response != nullptr) {
        // The payload itself stays as the target left it: observers compare it.
        static const uint8_t nothing[SMRF_SECTOR_BYTES] = {};
        const uint8_t *data = error ? nothing : p.data();
        events_.on_response(events_.ctx, &response, p.is_read() ? data : nullptr);
    }
}

void memory_port::report_failure()
{
    if (!failure_.empty()) {
        const std::string text = std::move(failure_);
        failure_.clear();
        SC_REPORT_ERROR("/smrf/memory_port/response", text.c_str());
    }
}

void memory_port::finish(mem_payload &p)
{
    // A target may end a transaction from within the call that began it; nobody may take a second
    // reference for that, because observers take one as the sign of a new transaction.
    if (p.owner_state & IN_CALL) {
        p.owner_state = ENDED | IN_CALL;
        return;
    }
    p.owner_state = 0;
    p.release();
}

void memory_port::send_end_responses()
{
    while (tlm::tlm_generic_payload *gp = end_responses_.get_next_transaction()) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (socket->nb_transport_fw(*gp, phase, delay) == tlm::TLM_UPDATED) {
            protocol_error("phase", "END_RESP was answered with TLM_UPDATED");
        }
        finish(*pool_.find(*gp));
    }
}

// The cycle that comes so much later, or as soon as one comes after it.
uint64_t memory_port::cycle_in(const sc_core::sc_time &delay) const
{
    const auto when = sc_core::sc_time_stamp().value() + delay.value();
    return when > origin_ ? (when - origin_ + period_ - 1) / period_ : 0;
}

uint64_t memory_port::arrival(const sc_core::sc_time &delay)
{
    const uint64_t cycle = cycle_in(delay);
    if (cycle < open_cycle_) {
        late_answers_++;
        return open_cycle_;
    }
    return cycle;
}

void memory_port::protocol_error(const char *rule, const char *text)
{
    protocol_errors_++;
    const std::string id = std::string("/smrf/memory_port/") + rule;
    const std::string message =
        std::string(name()) + ": " + text + " at " + sc_core::sc_time_stamp().to_string();
    SC_REPORT_ERROR(id.c_str(), message.c_str());
}

unsigned memory_port::debug_access(tlm::tlm_command command, uint64_t address, uint8_t *data,
                                   unsigned bytes)
{
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(address);
    gp.set_data_ptr(data);
    gp.set_data_length(bytes);
    gp.set_streaming_width(bytes);
    return socket->transport_dbg(gp);
}

unsigned memory_port::debug_read(uint64_t address, uint8_t *data, unsigned bytes)
{
    return debug_access(tlm::TLM_READ_COMMAND, address, data, bytes);
}

unsigned memory_port::debug_write(uint64_t address, const uint8_t *data, unsigned bytes)
{
    return debug_access(tlm::TLM_WRITE_COMMAND, address, const_cast<uint8_t *>(data), bytes);
}

} // namespace smrf
