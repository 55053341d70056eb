// SPDX-License-Identifier: Apache-2.0
#include "models/memory/fixed_latency_memory.h"

#include <algorithm>

namespace smrf
{

fixed_latency_memory::fixed_latency_memory(const sc_core::sc_module_name &name,
                                           const fixed_latency_options &options)
    : sc_module(name), options_(options)
{
    in.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    if (options.phases != 1 && options.phases != 2 && options.phases != 4) {
        SC_REPORT_ERROR("/smrf/fixed_latency_memory/phases", "phases is 1, 2 or 4");
    }
    SC_METHOD(end_requests);
    sensitive << requests_.get_event();
    dont_initialize();
    SC_METHOD(begin_responses);
    sensitive << responses_.get_event() << go_on_;
    dont_initialize();
}

void fixed_latency_memory::reset()
{
    if (!idle()) {
        SC_REPORT_ERROR("/smrf/fixed_latency_memory/reset", "a transaction is under way");
        return;
    }
    store_.clear();
    go_on_.cancel();
    response_free_ = sc_core::SC_ZERO_TIME;
    peak_ = 0;
}

void fixed_latency_memory::b_transport(payload &gp, sc_core::sc_time &delay)
{
    gp.set_dmi_allowed(false);
    gp.set_response_status(store_.access(gp));
    delay += options_.accept + options_.latency;
}

tlm::tlm_sync_enum fixed_latency_memory::nb_transport_fw(payload &gp, tlm::tlm_phase &phase,
                                                         sc_core::sc_time &delay)
{
    if (phase == tlm::END_RESP && responding_ == &gp) {
        responding_ = nullptr;
        response_free_ = sc_core::sc_time_stamp() + delay;
        finish(gp);
        go_on_.notify(delay);
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ || held_ != nullptr) {
        SC_REPORT_ERROR("/smrf/fixed_latency_memory/phase",
                        (std::string(name()) + ": unexpected " + phase.get_name()).c_str());
        return tlm::TLM_ACCEPTED;
    }
    if (options_.phases == 1) {
        b_transport(gp, delay);
        return tlm::TLM_COMPLETED;
    }
    gp.acquire();
    if (options_.max_in_flight != 0 && in_flight_ >= options_.max_in_flight) {
        held_ = &gp;
        return tlm::TLM_ACCEPTED;
    }
    take(gp, delay);
    if (options_.phases == 4) {
        end_request_later(gp, delay + options_.accept);
        return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    delay += options_.accept;
    return tlm::TLM_UPDATED;
}

// The access counts from now + delay.
void fixed_latency_memory::take(payload &gp, const sc_core::sc_time &delay)
{
    peak_ = std::max(peak_, ++in_flight_);
    responses_.notify(gp, delay + options_.accept + options_.latency);
}

// Without latency the answer may end the transaction before its END_REQ is looked at.
void fixed_latency_memory::end_request_later(payload &gp, const sc_core::sc_time &delay)
{
    gp.acquire();
    requests_.notify(gp, delay);
}

void fixed_latency_memory::end_requests()
{
    while (payload *gp = requests_.get_next_transaction()) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (gp->get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) { // else it was implied
            in->nb_transport_bw(*gp, phase, delay);
        }
        gp->release();
    }
}

void fixed_latency_memory::begin_responses()
{
    while (payload *gp = responses_.get_next_transaction()) {
        ready_.push_back(gp);
    }
    while (responding_ == nullptr && !ready_.empty()) {
        const sc_core::sc_time now = sc_core::sc_time_stamp();
        if (now < response_free_) {
            go_on_.notify(response_free_ - now);
            return;
        }
        payload &gp = *ready_.front();
        ready_.pop_front();
        gp.set_dmi_allowed(false);
        gp.set_response_status(store_.access(gp));
        responding_ = &gp;
        tlm::tlm_phase phase = tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        const tlm::tlm_sync_enum status = in->nb_transport_bw(gp, phase, delay);
        if (status != tlm::TLM_ACCEPTED && responding_ == &gp) {
            responding_ = nullptr;
            response_free_ = now + delay;
            finish(gp);
        }
    }
}

void fixed_latency_memory::finish(payload &gp)
{
    in_flight_--;
    gp.release();
    if (held_ != nullptr) {
        payload &next = *held_;
        held_ = nullptr;
        take(next, sc_core::SC_ZERO_TIME);
        end_request_later(next, options_.accept);
    }
}

} // namespace smrf
