// SPDX-License-Identifier: Apache-2.0
// The transport calls and what they do to the transactions in flight. The checks themselves stand
// in protocol_checks.cpp.
#include "models/tlm/protocol_monitor.h"

#include <algorithm>

namespace smrf
{

namespace
{

// Keeps a transaction alive while a call that may end it is looked at afterwards.
class hold
{
  public:
    explicit hold(tlm::tlm_generic_payload &gp)
        : gp_(gp), held_(gp.has_mm() && gp.get_ref_count() > 0)
    {
        if (held_) {
            gp_.acquire();
        }
    }
    ~hold()
    {
        if (held_) {
            gp_.release();
        }
    }
    hold(const hold &) = delete;
    hold &operator=(const hold &) = delete;

  private:
    tlm::tlm_generic_payload &gp_;
    const bool held_;
};

bool of_base_protocol(unsigned phase)
{
    return phase <= tlm::END_RESP;
}

} // namespace

protocol_monitor::protocol_monitor(const sc_core::sc_module_name &name,
                                   const protocol_monitor_options &options)
    : sc_module(name), options_(options)
{
    in.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    out.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
    if (options.timeout != sc_core::SC_ZERO_TIME) {
        SC_METHOD(check_timeouts);
        sensitive << deadline_;
        dont_initialize();
    }
}

// Without sc_stop() the kernel never says that the simulation has ended.
protocol_monitor::~protocol_monitor()
{
    if (options_.enabled && options_.check_at_end && sc_core::sc_start_of_simulation_invoked()) {
        closing_ = true;
        try {
            check_quiescent();
            check_released();
        } catch (...) { // from a handler; there is no caller to pass it to
        }
    }
    forget_trails();
}

void protocol_monitor::set_enabled(bool enabled)
{
    options_.enabled = enabled;
    forget_trails();
    records_.clear();
    blocking_.clear();
    requesting_ = responding_ = nullptr;
}

tlm::tlm_sync_enum protocol_monitor::nb_transport_fw(payload &gp, tlm::tlm_phase &phase,
                                                     sc_core::sc_time &delay)
{
    if (!options_.enabled || !of_base_protocol(phase)) {
        return out->nb_transport_fw(gp, phase, delay);
    }
    const unsigned sent = phase;
    const sc_core::sc_time sent_delay = delay, now = sc_core::sc_time_stamp();
    const sc_dt::uint64 delta = sc_core::sc_delta_count();
    const uint64_t serial = before_fw(gp, phase, delay);
    const belongings before(gp);
    tlm::tlm_sync_enum status;
    if (sent == tlm::END_RESP) {
        const hold alive(gp);
        status = out->nb_transport_fw(gp, phase, delay);
        check_belongings(gp, before, "while END_RESP was handled");
        after_end_resp(gp, serial, status, delay);
    } else {
        const record *r = find(gp, serial);
        const unsigned calls = r != nullptr ? r->calls : 0;
        status = out->nb_transport_fw(gp, phase, delay);
        if (sent == tlm::BEGIN_REQ) {
            after_begin_req(gp, serial, status, phase, delay, before, calls);
        }
    }
    // The transaction may be gone: nothing of it is read from here on.
    if (status == tlm::TLM_ACCEPTED && (phase != sent || delay != sent_delay)) {
        violation(tlm_rule::accepted_modified, nullptr, "returned from nb_transport_fw");
    }
    check_instant(now, delta, "nb_transport_fw");
    return status;
}

uint64_t protocol_monitor::before_fw(payload &gp, const tlm::tlm_phase &phase,
                                     const sc_core::sc_time &delay)
{
    check_references(gp);
    if (phase == tlm::BEGIN_REQ) {
        return begin_request(gp, delay);
    }
    record *r = find(gp);
    if (phase != tlm::END_RESP) {
        violation(tlm_rule::wrong_path, &gp, std::string(phase.get_name()) + " sent forward");
        return 0;
    }
    if (r == nullptr) {
        violation(tlm_rule::unknown_transaction, &gp, "END_RESP");
        return 0;
    }
    check_unchanged(gp, r->start, "before END_RESP");
    check_time(*r, delay);
    if (r->phase != tlm::BEGIN_RESP) {
        violation(tlm_rule::phase_order, &gp, "END_RESP before BEGIN_RESP");
    } else {
        check_response_kept(gp, *r, "before END_RESP");
    }
    end_response(*r);
    return r->serial;
}

void protocol_monitor::after_begin_req(payload &gp, uint64_t serial, tlm::tlm_sync_enum status,
                                       const tlm::tlm_phase &phase, const sc_core::sc_time &delay,
                                       const belongings &before, unsigned calls)
{
    record *r = find(gp, serial);
    if (r != nullptr && r->calls == calls) { // the initiator has had no turn in between
        check_belongings(gp, before, "while BEGIN_REQ was handled");
        keep_extensions(gp, *r);
    }
    if (status == tlm::TLM_ACCEPTED) {
        if (r != nullptr) {
            check_unchanged(gp, r->start, "while BEGIN_REQ was handled", true);
        }
        return;
    }
    if (r == nullptr || r->phase == tlm::BEGIN_RESP || r->phase == tlm::END_RESP) {
        violation(tlm_rule::returned_after_end, nullptr, "from nb_transport_fw(BEGIN_REQ)");
        return;
    }
    check_unchanged(gp, r->start, "while BEGIN_REQ was handled", true);
    if (status == tlm::TLM_COMPLETED) { // when its request ended is not said
        check_status(gp, "TLM_COMPLETED");
        end_request(*r);
        check_time(*r, delay);
        ended(gp, serial, r->start, {r->references, r->references, true}, 0, delay);
        forget(gp);
        return;
    }
    check_time(*r, delay);
    if (phase == tlm::END_REQ && r->phase == tlm::BEGIN_REQ) {
        end_request(*r);
        r->phase = tlm::END_REQ;
    } else if (phase == tlm::BEGIN_RESP) {
        begin_response(*r);
    } else {
        violation(tlm_rule::return_value, &gp,
                  std::string("TLM_UPDATED with ") + phase.get_name() + " to BEGIN_REQ");
    }
}

void protocol_monitor::after_end_resp(payload &gp, uint64_t serial, tlm::tlm_sync_enum status,
                                      const sc_core::sc_time &delay)
{
    record *r = find(gp, serial);
    if (status == tlm::TLM_UPDATED) {
        violation(tlm_rule::return_value, &gp, "TLM_UPDATED to END_RESP");
    }
    if (r == nullptr) {
        return;
    }
    check_unchanged(gp, r->start, "while END_RESP was handled");
    if (r->phase == tlm::BEGIN_RESP) {
        check_response_kept(gp, *r, "while END_RESP was handled");
    }
    if (status != tlm::TLM_ACCEPTED) {
        check_time(*r, delay);
    }
    ended(gp, serial, r->start, {r->references, r->references, true}, 1, delay);
    forget(gp);
}

tlm::tlm_sync_enum protocol_monitor::nb_transport_bw(payload &gp, tlm::tlm_phase &phase,
                                                     sc_core::sc_time &delay)
{
    if (!options_.enabled || !of_base_protocol(phase)) {
        return in->nb_transport_bw(gp, phase, delay);
    }
    const unsigned sent = phase;
    const sc_core::sc_time sent_delay = delay, now = sc_core::sc_time_stamp();
    const sc_dt::uint64 delta = sc_core::sc_delta_count();
    const uint64_t serial = before_bw(gp, phase, delay);
    const hold alive(gp);
    const int references = serial != 0 ? gp.get_ref_count() : 0;
    const tlm::tlm_sync_enum status = in->nb_transport_bw(gp, phase, delay);
    if (serial != 0) {
        after_bw(gp, serial, sent, status, phase, delay, references - gp.get_ref_count());
    }
    if (status == tlm::TLM_ACCEPTED && (phase != sent || delay != sent_delay)) {
        violation(tlm_rule::accepted_modified, nullptr, "returned from nb_transport_bw");
    }
    check_instant(now, delta, "nb_transport_bw");
    return status;
}

uint64_t protocol_monitor::before_bw(payload &gp, const tlm::tlm_phase &phase,
                                     const sc_core::sc_time &delay)
{
    record *r = find(gp);
    if (r == nullptr) { // perhaps not even alive: only its address may be looked at
        violation(tlm_rule::unknown_transaction, nullptr, phase.get_name());
        return 0;
    }
    r->calls++;
    check_references(gp);
    check_unchanged(gp, r->start, "before a backward call", r->phase != tlm::BEGIN_RESP);
    check_extensions(gp, *r);
    check_time(*r, delay);
    if (phase == tlm::END_REQ) {
        if (r->phase != tlm::BEGIN_REQ) {
            violation(tlm_rule::phase_order, &gp, "END_REQ after the request phase had ended");
        } else {
            end_request(*r);
            r->phase = tlm::END_REQ;
        }
    } else if (phase == tlm::BEGIN_RESP) {
        begin_response(*r);
    } else {
        violation(tlm_rule::wrong_path, &gp, std::string(phase.get_name()) + " sent backward");
    }
    return r->serial;
}

void protocol_monitor::after_bw(payload &gp, uint64_t serial, unsigned sent,
                                tlm::tlm_sync_enum status, const tlm::tlm_phase &phase,
                                const sc_core::sc_time &delay, int released)
{
    record *r = find(gp, serial);
    if (r == nullptr) { // ended by END_RESP from within the call
        if (status != tlm::TLM_ACCEPTED) {
            violation(tlm_rule::returned_after_end, &gp, "from nb_transport_bw");
        }
        return;
    }
    check_unchanged(gp, r->start, "while a backward call was handled");
    keep_extensions(gp, *r);
    if (r->phase == tlm::BEGIN_RESP) {
        check_response_kept(gp, *r, "while a backward call was handled");
    }
    if (status == tlm::TLM_ACCEPTED) {
        return;
    }
    check_time(*r, delay);
    const bool ends = status == tlm::TLM_COMPLETED || phase == tlm::END_RESP;
    if (sent == tlm::BEGIN_RESP && ends) {
        end_response(*r);
        ended(gp, serial, r->start, {r->references, r->references - std::max(released, 0), false},
              1, delay);
        forget(gp);
    } else if (status == tlm::TLM_COMPLETED) {
        violation(tlm_rule::completed_without_response, &gp);
        end_request(*r);
        forget(gp);
    } else {
        violation(tlm_rule::return_value, &gp,
                  std::string("TLM_UPDATED with ") + phase.get_name() + " to a backward call");
    }
}

void protocol_monitor::b_transport(payload &gp, sc_core::sc_time &delay)
{
    if (!options_.enabled) {
        out->b_transport(gp, delay);
        return;
    }
    const sc_core::sc_time start_time = sc_core::sc_time_stamp() + delay;
    const belongings before(gp);
    const uint64_t serial = ++serial_;
    if (gp.has_mm()) {
        check_references(gp);
    }
    check_start(gp);
    if (find(gp) != nullptr || is_blocked(gp)) {
        violation(tlm_rule::mixed_transport, &gp, "b_transport");
    }
    if (sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_) {
        violation(tlm_rule::b_from_method, &gp);
    }
    const int references = gp.get_ref_count();
    watch(gp);
    snapshot start(gp);
    blocking_.push_back({&gp, serial, start_time, start, false});
    expect_within_timeout(delay);
    out->b_transport(gp, delay);
    const auto self = std::find_if(blocking_.begin(), blocking_.end(),
                                   [serial](const blocked &b) { return b.serial == serial; });
    const bool timed_out = self == blocking_.end() || self->timed_out;
    if (self != blocking_.end()) {
        blocking_.erase(self);
    }
    if (!timed_out && options_.timeout != sc_core::SC_ZERO_TIME &&
        sc_core::sc_time_stamp() + delay > start_time + options_.timeout) {
        violation(tlm_rule::timeout, &gp, "b_transport came back annotated beyond it");
    }
    check_unchanged(gp, start, "during b_transport", true);
    if (sc_core::sc_time_stamp() + delay < start_time) {
        violation(tlm_rule::time_backwards, &gp, "during b_transport");
    }
    check_status(gp, "b_transport");
    check_belongings(gp, before, "during b_transport");
    ended(gp, serial, start, {references, references, true}, 0, delay);
}

unsigned protocol_monitor::transport_dbg(payload &gp)
{
    if (!options_.enabled) {
        return out->transport_dbg(gp);
    }
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const sc_dt::uint64 delta = sc_core::sc_delta_count();
    if (gp.get_data_ptr() == nullptr && gp.get_data_length() > 0) {
        violation(tlm_rule::null_data_pointer, &gp, "transport_dbg");
    }
    check_command(gp);
    snapshot start(gp);
    const unsigned count = out->transport_dbg(gp);
    check_option(gp, start, "transport_dbg");
    check_unchanged(gp, start, "during transport_dbg", true);
    if (count > start.length) {
        violation(tlm_rule::debug_count, &gp, std::to_string(count));
    }
    check_instant(now, delta, "transport_dbg");
    return count;
}

bool protocol_monitor::get_direct_mem_ptr(payload &gp, tlm::tlm_dmi &dmi)
{
    if (!options_.enabled) {
        return out->get_direct_mem_ptr(gp, dmi);
    }
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const sc_dt::uint64 delta = sc_core::sc_delta_count();
    snapshot start(gp);
    if (dmi.get_dmi_ptr() != nullptr || !dmi.is_none_allowed() || dmi.get_start_address() != 0 ||
        dmi.get_end_address() != ~sc_dt::uint64(0) ||
        dmi.get_read_latency() != sc_core::SC_ZERO_TIME ||
        dmi.get_write_latency() != sc_core::SC_ZERO_TIME) {
        violation(tlm_rule::dmi_descriptor, &gp);
    }
    check_command(gp);
    if (invalidating_ != 0) {
        violation(tlm_rule::dmi_in_invalidate, &gp);
    }
    const bool granted = out->get_direct_mem_ptr(gp, dmi);
    check_option(gp, start, "get_direct_mem_ptr");
    const bool asked = start.command == tlm::TLM_WRITE_COMMAND  ? dmi.is_write_allowed()
                       : start.command == tlm::TLM_READ_COMMAND ? dmi.is_read_allowed()
                                                                : !dmi.is_none_allowed();
    if (granted &&
        (dmi.get_dmi_ptr() == nullptr || !asked || start.address < dmi.get_start_address() ||
         start.address > dmi.get_end_address())) {
        violation(tlm_rule::dmi_grant, &gp);
    }
    check_unchanged(gp, start, "during get_direct_mem_ptr", true);
    check_instant(now, delta, "get_direct_mem_ptr");
    return granted;
}

void protocol_monitor::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end)
{
    if (options_.enabled && start > end) {
        violation(tlm_rule::dmi_range, nullptr,
                  std::to_string(start) + " > " + std::to_string(end));
    }
    invalidating_++;
    in->invalidate_direct_mem_ptr(start, end);
    invalidating_--;
}

void protocol_monitor::end_of_simulation()
{
    if (options_.enabled && options_.check_at_end) {
        check_quiescent();
        check_released();
    }
}

} // namespace smrf
