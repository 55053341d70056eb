// SPDX-License-Identifier: Apache-2.0
#include "memory_arbiter.h"

#include <algorithm>
#include <map>
#include <string>

namespace smrf
{

using sc_core::sc_time;
using sc_core::sc_time_stamp;

// An input: at most one request that waits, and one answer at a time.
class memory_arbiter::port : private tlm::tlm_fw_transport_if<>
{
  public:
    port(memory_arbiter &arbiter, unsigned number)
        : socket(("in_" + std::to_string(number)).c_str()), arbiter_(arbiter)
    {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    }

    tlm::tlm_target_socket<> socket;
    tlm::tlm_generic_payload *request = nullptr;                // that waits
    sc_time at;                                                 // from here on
    std::multimap<sc_time, tlm::tlm_generic_payload *> answers; // by the time when they are due

    tlm::tlm_sync_enum send(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase, sc_time &delay)
    {
        return socket->nb_transport_bw(gp, phase, delay);
    }
    // What is due goes back, until an answer has not been ended.
    void deliver()
    {
        while (answering_ == nullptr && !answers.empty() &&
               answers.begin()->first <= sc_time_stamp()) {
            tlm::tlm_generic_payload &gp = *answers.begin()->second;
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_time delay;
            answers.erase(answers.begin());
            answering_ = &gp;
            const tlm::tlm_sync_enum status = send(gp, phase, delay);
            if (answering_ == &gp && (status == tlm::TLM_COMPLETED || phase == tlm::END_RESP)) {
                answering_ = nullptr;
                arbiter_.forget(gp);
            }
        }
    }
    bool may_deliver() const
    {
        return answering_ == nullptr && !answers.empty();
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_time &delay) override
    {
        if (phase == tlm::BEGIN_REQ) {
            arbiter_.take(*this, gp, delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == tlm::END_RESP && answering_ == &gp) {
            answering_ = nullptr;
            arbiter_.forget(gp);
            arbiter_.deliver_.notify(delay + sc_time()); // others may be due
        }
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload &gp, sc_time &delay) override
    {
        arbiter_.call(gp, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &gp) override
    {
        return arbiter_.out->transport_dbg(gp);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi) override
    {
        return arbiter_.out->get_direct_mem_ptr(gp, dmi);
    }

    memory_arbiter &arbiter_;
    tlm::tlm_generic_payload *answering_ = nullptr; // END_RESP has not come
};

memory_arbiter::memory_arbiter(const sc_core::sc_module_name &name, unsigned inputs,
                               const sc_time &period)
    : sc_module(name), period_(period)
{
    out.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
    for (unsigned i = 0; i < inputs; i++) {
        ports_.push_back(std::make_unique<port>(*this, i));
    }
    last_ = inputs - 1;
    SC_METHOD(arbitrate);
    sensitive << arbitrate_;
    dont_initialize();
    SC_METHOD(deliver);
    sensitive << deliver_;
    dont_initialize();
}

memory_arbiter::~memory_arbiter() = default;

tlm::tlm_target_socket<> &memory_arbiter::in(unsigned i)
{
    return ports_[i]->socket;
}

// --- requests ------------------------------------------------------------------------------------

void memory_arbiter::take(port &from, tlm::tlm_generic_payload &gp, const sc_time &delay)
{
    if (gp.has_mm()) {
        gp.acquire();
    }
    accesses_[&gp] = {&from, number_++, false, false};
    from.request = &gp;
    from.at = sc_time_stamp() + delay;
    arbitrate_.notify(sc_core::SC_ZERO_TIME);
}

// The first behind the last one whose request's time has come.
memory_arbiter::port *memory_arbiter::next()
{
    for (size_t k = 1; k <= ports_.size(); k++) {
        const size_t i = (last_ + k) % ports_.size();
        if (ports_[i]->request != nullptr && ports_[i]->at <= sc_time_stamp()) {
            last_ = i;
            return ports_[i].get();
        }
    }
    return nullptr;
}

void memory_arbiter::arbitrate()
{
    const sc_time now = sc_time_stamp();
    if (granted_ != nullptr) {
        return; // END_REQ calls again
    }
    if (now >= free_) {
        if (port *p = next()) {
            waited_ += (now - p->at).value() / period_.value();
            grant(*p);
        }
    }
    sc_time soonest = sc_core::sc_max_time();
    for (const auto &p : ports_) {
        soonest = p->request != nullptr ? std::min(soonest, std::max(p->at, free_)) : soonest;
    }
    if (granted_ == nullptr && soonest != sc_core::sc_max_time()) {
        arbitrate_.notify(soonest > now ? soonest - now : sc_core::SC_ZERO_TIME);
    }
}

void memory_arbiter::grant(port &p)
{
    tlm::tlm_generic_payload &gp = *p.request;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay;
    p.request = nullptr;
    granted_ = &gp;
    free_ = sc_time_stamp() + period_;
    const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
    if (status == tlm::TLM_ACCEPTED) {
        return;
    }
    if (status == tlm::TLM_UPDATED && phase != tlm::END_REQ && phase != tlm::BEGIN_RESP) {
        p.send(gp, phase, delay); // not a phase of the protocol: the sender reports it
        return;
    }
    end_request(gp, delay);
    if (status == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP) {
        answer(gp, delay, status != tlm::TLM_COMPLETED);
    }
}

void memory_arbiter::end_request(tlm::tlm_generic_payload &gp, const sc_time &delay)
{
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_time after = delay;
    granted_ = nullptr;
    free_ = std::max(free_, sc_time_stamp() + delay);
    accesses_.at(&gp).from->send(gp, phase, after);
    arbitrate_.notify(sc_core::SC_ZERO_TIME);
}

// --- answers -------------------------------------------------------------------------------------

void memory_arbiter::answer(tlm::tlm_generic_payload &gp, const sc_time &delay, bool owes_end)
{
    access &a = accesses_.at(&gp);
    port &to = *a.from;
    a.answered = true;
    a.owes_end = owes_end;
    to.answers.emplace(sc_time_stamp() + delay, &gp);
    if (delay == sc_core::SC_ZERO_TIME) {
        to.deliver();
    }
    deliver_.notify(sc_core::SC_ZERO_TIME);
}

void memory_arbiter::deliver()
{
    sc_time soonest = sc_core::sc_max_time();
    for (const auto &p : ports_) {
        p->deliver();
        soonest = p->may_deliver() ? std::min(soonest, p->answers.begin()->first) : soonest;
    }
    if (soonest != sc_core::sc_max_time()) {
        deliver_.notify(soonest - sc_time_stamp());
    }
}

// Its answer has been ended.
void memory_arbiter::forget(tlm::tlm_generic_payload &gp)
{
    const auto found = accesses_.find(&gp);
    const bool owes_end = found->second.owes_end;
    accesses_.erase(found);
    if (owes_end) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_time delay;
        (void)out->nb_transport_fw(gp, phase, delay);
    }
    if (gp.has_mm()) {
        gp.release();
    }
}

tlm::tlm_sync_enum memory_arbiter::nb_transport_bw(tlm::tlm_generic_payload &gp,
                                                   tlm::tlm_phase &phase, sc_time &delay)
{
    const auto found = accesses_.find(&gp);
    if (found == accesses_.end()) { // anyone will find that it is not theirs
        return ports_[0]->send(gp, phase, delay);
    }
    const access a = found->second;
    if (phase == tlm::END_REQ && granted_ == &gp) {
        end_request(gp, delay);
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_RESP || a.answered || a.from->request == &gp) {
        return a.from->send(gp, phase, delay); // what breaks the protocol is the SM's to see
    }
    if (granted_ == &gp) {
        end_request(gp, delay); // implied
    }
    answer(gp, delay, false);
    const auto left = accesses_.find(&gp);
    if (left == accesses_.end() || left->second.number != a.number) {
        return tlm::TLM_COMPLETED;
    }
    left->second.owes_end = true;
    return tlm::TLM_ACCEPTED;
}

// --- what passes ---------------------------------------------------------------------------------

void memory_arbiter::call(tlm::tlm_generic_payload &gp, sc_time &delay)
{
    const sc_time now = sc_time_stamp();
    const uint64_t cycle = (now + delay).value() / period_.value();
    const uint64_t granted = calls_.take(cycle, 1, now.value() / period_.value());
    waited_ += granted - cycle;
    delay += sc_time::from_value((granted - cycle) * period_.value());
    out->b_transport(gp, delay);
}

void memory_arbiter::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last)
{
    for (const auto &p : ports_) {
        p->socket->invalidate_direct_mem_ptr(first, last);
    }
}

} // namespace smrf
