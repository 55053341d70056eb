// SPDX-License-Identifier: Apache-2.0
// A pass-through module that records what goes through it with LWTR4SC, for programs that have that
// library; nothing in smrf includes this file.
//
// Put it between any initiator and target: initiator -> in, out -> target. It adds no time and no
// delta cycle. Each transaction is one of the stream that has the module's name, from its request
// to the end of its response, with address, length and status. They go into LWTR's default
// database; without one, nothing is recorded. Debug accesses and DMI pass unrecorded.
#ifndef SMRF_TLM_TRANSACTION_RECORDER_H
#define SMRF_TLM_TRANSACTION_RECORDER_H

#include <lwtr/lwtr.h>
#include <systemc>
#include <tlm>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace smrf
{

class transaction_recorder : public sc_core::sc_module,
                             private tlm::tlm_fw_transport_if<>,
                             private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_target_socket<> in{"in"};
    tlm::tlm_initiator_socket<> out{"out"};

    explicit transaction_recorder(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.bind(static_cast<tlm::tlm_fw_transport_if<> &>(*this));
        out.bind(static_cast<tlm::tlm_bw_transport_if<> &>(*this));
        if (lwtr::tx_db::get_default_db()) {
            stream_ = std::make_unique<stream>(this->name());
        }
    }

  private:
    using payload = tlm::tlm_generic_payload;
    using generator = lwtr::tx_generator<>;

    struct stream {
        explicit stream(const char *name) : fiber(name, "TLM-2.0") {}
        lwtr::tx_fiber fiber;
        generator read{"read", fiber};
        generator write{"write", fiber};
        generator other{"ignore", fiber};
    };

    static sc_core::sc_time at(const sc_core::sc_time &delay)
    {
        return sc_core::sc_time_stamp() + delay;
    }

    lwtr::tx_handle begin(const payload &gp, const sc_core::sc_time &delay)
    {
        generator &kind = gp.is_read()    ? stream_->read
                          : gp.is_write() ? stream_->write
                                          : stream_->other;
        lwtr::tx_handle tx = kind.begin_tx_delayed(at(delay));
        tx.record_attribute("address", static_cast<uint64_t>(gp.get_address()));
        tx.record_attribute("length", static_cast<uint64_t>(gp.get_data_length()));
        return tx;
    }

    static void end(lwtr::tx_handle &tx, const std::string &response, const sc_core::sc_time &delay)
    {
        tx.record_attribute("status", response);
        tx.end_tx_delayed(at(delay));
    }

    void end_phase(payload &gp, const sc_core::sc_time &delay)
    {
        const auto found = open_.find(&gp);
        if (found != open_.end()) {
            end(found->second, gp.get_response_string(), delay);
            open_.erase(found);
        }
    }

    void b_transport(payload &gp, sc_core::sc_time &delay) override
    {
        if (!stream_) {
            out->b_transport(gp, delay);
            return;
        }
        lwtr::tx_handle tx = begin(gp, delay);
        out->b_transport(gp, delay);
        end(tx, gp.get_response_string(), delay);
    }

    tlm::tlm_sync_enum nb_transport_fw(payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        if (stream_ && phase == tlm::BEGIN_REQ) {
            open_[&gp] = begin(gp, delay);
        } else if (phase == tlm::END_RESP) {
            end_phase(gp, delay);
        }
        const tlm::tlm_sync_enum status = out->nb_transport_fw(gp, phase, delay);
        if (status == tlm::TLM_COMPLETED) {
            end_phase(gp, delay);
        }
        return status;
    }

    tlm::tlm_sync_enum nb_transport_bw(payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override
    {
        // The initiator may use it again before the call returns.
        const std::string response = gp.get_response_string();
        const auto found = phase == tlm::BEGIN_RESP ? open_.find(&gp) : open_.end();
        lwtr::tx_handle tx;
        const bool is_open = found != open_.end();
        if (is_open) {
            tx = found->second;
            open_.erase(found);
        }
        const tlm::tlm_sync_enum status = in->nb_transport_bw(gp, phase, delay);
        const bool ended =
            status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP);
        if (is_open && ended) {
            end(tx, response, delay);
        } else if (is_open) {
            open_[&gp] = tx;
        }
        return status;
    }

    unsigned transport_dbg(payload &gp) override
    {
        return out->transport_dbg(gp);
    }
    bool get_direct_mem_ptr(payload &gp, tlm::tlm_dmi &dmi) override
    {
        return out->get_direct_mem_ptr(gp, dmi);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override
    {
        in->invalidate_direct_mem_ptr(start, end);
    }

    std::unique_ptr<stream> stream_;
    std::unordered_map<payload *, lwtr::tx_handle> open_; // by phases, not ended
};

} // namespace smrf

#endif
