// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/inlet.h"

#include "models/tlm/ports.h"

#include <algorithm>
#include <cstring>

namespace smrf
{

// --- inlet -------------------------------------------------------------------------------------

inlet::inlet(const sc_core::sc_module_name &name, calls c)
    : sc_core::sc_module(name), calls_(std::move(c))
{
    socket.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
    SC_METHOD(respond);
    sensitive << due_;
    dont_initialize();
}

tlm::tlm_sync_enum inlet::nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                          sc_core::sc_time &delay)
{
    if (phase == tlm::END_RESP) {
        if (responding_ != &gp) {
            return protocol_error(*this, "END_RESP for a transaction that has no response", gp);
        }
        responding_ = nullptr;
        response_free_ = sc_core::sc_time_stamp() + delay;
        gp.release();
        due_.notify(sc_core::SC_ZERO_TIME);
        return tlm::TLM_COMPLETED;
    }
    if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
        SC_REPORT_ERROR(
            "/smrf/tlm/phase",
            (std::string(name()) + ": END_REQ or BEGIN_RESP on the forward path").c_str());
        return tlm::TLM_ACCEPTED;
    }
    if (phase != tlm::BEGIN_REQ) {
        return tlm::TLM_ACCEPTED; // ignorable phases of a derived protocol
    }
    if (requesting_) {
        return protocol_error(*this, "BEGIN_REQ before the last request has ended", gp);
    }
    if (!gp.has_mm()) {
        return protocol_error(*this, "nb_transport without a memory manager", gp);
    }
    if (calls_.loosely) {
        gp.set_dmi_allowed(false);
        calls_.loosely(gp, delay, false);
        return tlm::TLM_COMPLETED;
    }
    gp.acquire();
    gp.set_dmi_allowed(false);
    requesting_ = true;
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    queue_.push_back({&gp, at, nullptr});
    calls_.wake(at);
    return tlm::TLM_ACCEPTED;
}

void inlet::b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
{
    if (calls_.loosely) {
        gp.set_dmi_allowed(false);
        calls_.loosely(gp, delay, true);
        return;
    }
    blocking caller;
    sc_core::wait(delay); // what comes later may come before
    delay = sc_core::SC_ZERO_TIME;
    gp.set_dmi_allowed(false);
    queue_.push_back({&gp, sc_core::sc_time_stamp(), &caller});
    calls_.wake(sc_core::sc_time_stamp());
    while (!caller.over) {
        sc_core::wait(caller.done);
    }
}

bool inlet::get_direct_mem_ptr(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi)
{
    gp.set_dmi_allowed(false);
    dmi.init();
    dmi.allow_none();
    return calls_.dmi && calls_.dmi(gp, dmi);
}

unsigned inlet::transport_dbg(tlm::tlm_generic_payload &gp)
{
    return calls_.debug ? calls_.debug(gp) : 0;
}

tlm::tlm_generic_payload *inlet::front(const sc_core::sc_time &by) const
{
    return queue_.empty() || queue_.front().at > by ? nullptr : queue_.front().gp;
}

void inlet::take()
{
    const entry e = queue_.front();
    queue_.pop_front();
    taken_.push_back(e);
    if (e.caller == nullptr) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        requesting_ = false;
        socket->nb_transport_bw(*e.gp, phase, delay);
    }
}

void inlet::answer(tlm::tlm_generic_payload &gp, const sc_core::sc_time &delay)
{
    const auto it =
        std::find_if(taken_.begin(), taken_.end(), [&](const entry &e) { return e.gp == &gp; });
    entry e = *it;
    taken_.erase(it);
    e.at = sc_core::sc_time_stamp() + delay;
    const auto later = std::find_if(answers_.begin(), answers_.end(),
                                    [&](const entry &other) { return other.at > e.at; });
    answers_.insert(later, e);
    due_.notify(answers_.front().at - sc_core::sc_time_stamp());
}

void inlet::give(const entry &e)
{
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    responding_ = e.gp;
    const tlm::tlm_sync_enum status = socket->nb_transport_bw(*e.gp, phase, delay);
    if (responding_ != e.gp) {
        return; // END_RESP came from within the call
    }
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
        responding_ = nullptr;
        response_free_ = sc_core::sc_time_stamp() + delay;
        e.gp->release();
    }
}

void inlet::respond()
{
    const sc_core::sc_time &now = sc_core::sc_time_stamp();
    for (size_t i = 0; i < answers_.size() && answers_[i].at <= now;) {
        const entry e = answers_[i];
        if (e.caller != nullptr) {
            answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
            e.caller->over = true;
            e.caller->done.notify(sc_core::SC_ZERO_TIME);
        } else if (responding_ == nullptr && response_free_ <= now) {
            answers_.erase(answers_.begin() + static_cast<std::ptrdiff_t>(i));
            give(e);
        } else {
            i++;
        }
    }
    for (const entry &e : answers_) {
        if (e.at > now) {
            due_.notify(e.at - now);
            break;
        }
    }
    if (responding_ == nullptr && response_free_ > now) {
        due_.notify(response_free_ - now);
    }
}

void inlet::reset()
{
    while (!queue_.empty()) {
        take();
    }
    while (!taken_.empty()) {
        taken_.front().gp->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        answer(*taken_.front().gp, sc_core::SC_ZERO_TIME);
    }
}

// --- outlet ------------------------------------------------------------------------------------

outlet::outlet(const sc_core::sc_module_name &name,
               std::function<void(tlm::tlm_response_status)> over)
    : sc_core::sc_module(name), pool_(std::string(this->name()) + ".pool"), over_(std::move(over))
{
    socket.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
    SC_METHOD(finish);
    sensitive << end_;
    dont_initialize();
}

void outlet::write(uint64_t address, const void *data, size_t bytes, sc_core::sc_time delay)
{
    const auto *from = static_cast<const unsigned char *>(data);
    data_.assign(from, from + bytes);
    auto *gp = pool_.allocate();
    under_way_ = gp;
    gp->set_write();
    gp->set_address(address);
    gp->set_data_ptr(data_.data());
    gp->set_data_length(static_cast<unsigned>(bytes));
    gp->set_streaming_width(static_cast<unsigned>(bytes));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const tlm::tlm_sync_enum status = socket->nb_transport_fw(*gp, phase, delay);
    if (status == tlm::TLM_COMPLETED && !ending_) {
        end(delay);
    } else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        phase = tlm::END_RESP;
        socket->nb_transport_fw(*gp, phase, delay);
        end(delay);
    }
}

sc_core::sc_time outlet::transport(uint64_t address, std::vector<unsigned char> &data,
                                   const sc_core::sc_time &at)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time delay = at > now ? at - now : sc_core::SC_ZERO_TIME;
    tlm::tlm_generic_payload gp;
    gp.set_write();
    gp.set_address(address);
    gp.set_data_ptr(data.data());
    gp.set_data_length(static_cast<unsigned>(data.size()));
    gp.set_streaming_width(static_cast<unsigned>(data.size()));
    socket->b_transport(gp, delay);
    over_(gp.get_response_status());
    return sc_core::sc_time_stamp() + delay;
}

tlm::tlm_sync_enum outlet::nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                           sc_core::sc_time &delay)
{
    if (&gp != under_way_ || ending_) {
        return protocol_error(*this, "a phase came for a transaction that is not in flight", gp);
    }
    if (phase != tlm::BEGIN_RESP) {
        return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_RESP;
    end(delay);
    return tlm::TLM_COMPLETED;
}

void outlet::end(const sc_core::sc_time &delay)
{
    ending_ = true;
    end_.notify(delay);
}

void outlet::finish()
{
    const tlm::tlm_response_status status = under_way_->get_response_status();
    under_way_->release();
    under_way_ = nullptr;
    ending_ = false;
    over_(status);
}

} // namespace smrf
