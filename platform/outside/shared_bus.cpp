// SPDX-License-Identifier: Apache-2.0
#include "platform/outside/shared_bus.h"

#include "models/tlm/core_period.h"

#include <algorithm>
#include <string>

namespace smrf
{

// One socket: at most one answer at a time.
class shared_bus::port : private tlm::tlm_fw_transport_if<>
{
  public:
    port(shared_bus &bus, uint32_t number)
        : socket(("in_" + std::to_string(number)).c_str()), bus_(bus), number_(number)
    {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    }

    tlm::tlm_target_socket<> socket;

    void answer(tlm::tlm_generic_payload &gp)
    {
        ready_.push_back(&gp);
        answer_next();
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        if (phase == tlm::BEGIN_REQ) {
            gp.acquire();
            bus_.take(gp, number_, bus_.cycle_of(delay));
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        }
        if (phase == tlm::END_RESP && answering_ == &gp) {
            answering_ = nullptr;
            gp.release();
            answer_next();
        }
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay) override
    {
        const bool is_ahead = delay != sc_core::SC_ZERO_TIME;
        const uint64_t granted =
            is_ahead ? bus_.reserve(bus_.cycle_of(delay)) : bus_.wait_for_grant(number_);
        bus_.accesses_++;
        gp.set_response_status(bus_.store_.access(gp));
        gp.set_dmi_allowed(bus_.options_.dmi);
        delay = bus_.until(granted + bus_.options_.held + bus_.options_.latency);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &gp) override
    {
        return bus_.store_.debug(gp);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi) override
    {
        const uint64_t page = gp.get_address() & ~(backing_store::page_bytes - 1);
        const sc_core::sc_time all = sc_core::sc_time::from_value(
            (bus_.options_.held + bus_.options_.latency) * bus_.period_);
        dmi.init();
        dmi.set_start_address(page);
        dmi.set_end_address(page + backing_store::page_bytes - 1);
        dmi.set_read_latency(all);
        dmi.set_write_latency(all);
        if (!bus_.options_.dmi) {
            dmi.allow_none();
            return false;
        }
        dmi.set_dmi_ptr(bus_.store_.direct(page));
        dmi.allow_read_write();
        return true;
    }

    void answer_next()
    {
        while (answering_ == nullptr && !ready_.empty()) {
            tlm::tlm_generic_payload &gp = *ready_.front();
            ready_.pop_front();
            gp.set_response_status(bus_.store_.access(gp));
            gp.set_dmi_allowed(false);
            answering_ = &gp;
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            if (socket->nb_transport_bw(gp, phase, delay) == tlm::TLM_ACCEPTED) {
                continue; // END_RESP follows, or came from within the call
            }
            answering_ = nullptr;
            gp.release();
        }
    }

    shared_bus &bus_;
    const uint32_t number_;
    std::deque<tlm::tlm_generic_payload *> ready_;
    tlm::tlm_generic_payload *answering_ = nullptr;
};

shared_bus::shared_bus(const sc_core::sc_module_name &name, const shared_bus_options &options)
    : sc_module(name), options_(options),
      period_(time_of_ps(options.period_ps, "/smrf/shared_bus/resolution").value())
{
    for (uint32_t i = 0; i < options.sockets; i++) {
        ports_.push_back(std::make_unique<port>(*this, i));
    }
    SC_METHOD(grant);
    sensitive << grant_;
    dont_initialize();
    SC_METHOD(answer);
    sensitive << answer_;
    dont_initialize();
}

shared_bus::~shared_bus() = default;

tlm::tlm_target_socket<> &shared_bus::in(uint32_t i)
{
    return ports_[i]->socket;
}

uint64_t shared_bus::cycle_of(const sc_core::sc_time &delay) const
{
    return ((sc_core::sc_time_stamp() + delay).value() + period_ - 1) / period_;
}

sc_core::sc_time shared_bus::until(uint64_t cycle) const
{
    const time_value at = cycle * period_, now = sc_core::sc_time_stamp().value();
    return sc_core::sc_time::from_value(at > now ? at - now : 0);
}

void shared_bus::take(tlm::tlm_generic_payload &gp, uint32_t from, uint64_t cycle)
{
    waiting_.emplace(std::make_pair(cycle, from), pending{&gp, nullptr});
    notify_grant();
}

// Half a cycle after its own, all requests of a cycle are there.
void shared_bus::notify_grant()
{
    grant_.notify(until(waiting_.begin()->first.first) + sc_core::sc_time::from_value(period_ / 2));
}

// At the very time when the requests of a cycle are granted, another of that cycle may follow: an
// initiator whose call has waited has more to do in it.
uint64_t shared_bus::wait_for_grant(uint32_t from)
{
    const time_value now = sc_core::sc_time_stamp().value();
    if (now % period_ == period_ / 2) {
        return reserve(now / period_);
    }
    blocked_call call;
    waiting_.emplace(std::make_pair(cycle_of(sc_core::SC_ZERO_TIME), from),
                     pending{nullptr, &call});
    notify_grant();
    sc_core::wait(call.is_granted);
    return call.cycle;
}

// The first cycles from this one on in which the bus is free.
uint64_t shared_bus::reserve(uint64_t cycle)
{
    return taken_.take(cycle, options_.held, sc_core::sc_time_stamp().value() / period_);
}

void shared_bus::grant()
{
    const uint64_t now = sc_core::sc_time_stamp().value() / period_;
    while (!waiting_.empty() && waiting_.begin()->first.first <= now) {
        const auto first = waiting_.begin();
        const uint64_t granted = reserve(first->first.first);
        const pending p = first->second;
        if (p.call != nullptr) {
            p.call->cycle = granted;
            p.call->is_granted.notify();
        } else {
            due_.emplace(granted + options_.held + options_.latency,
                         request{p.gp, first->first.second});
            accesses_++;
        }
        waiting_.erase(first);
    }
    if (!waiting_.empty()) {
        notify_grant();
    }
    if (!due_.empty()) {
        answer_.notify(until(due_.begin()->first));
    }
}

void shared_bus::answer()
{
    const uint64_t now = sc_core::sc_time_stamp().value() / period_;
    while (!due_.empty() && due_.begin()->first <= now) {
        const request r = due_.begin()->second;
        due_.erase(due_.begin());
        ports_[r.from]->answer(*r.gp);
    }
    if (!due_.empty()) {
        answer_.notify(until(due_.begin()->first));
    }
}

} // namespace smrf
