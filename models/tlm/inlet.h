// SPDX-License-Identifier: Apache-2.0
// Sockets of modules that have a clock of their own and stand in platforms of others: the base
// protocol is carried out here, the module sees transactions.
//
// inlet, a target: transactions queue until the module takes them and are answered when it says so.
// | caller    | phase      | returned  | what happens                                            |
// | initiator | BEGIN_REQ  | ACCEPTED  | queued from its annotated time on                       |
// | inlet     | END_REQ    | ACCEPTED  | the module has taken it: until then no further request  |
// | inlet     | BEGIN_RESP | any legal | answered; one response at a time                        |
// | initiator | END_RESP   | COMPLETED | the next response may begin                             |
// b_transport queues in the same way and comes back with the answer; several may wait. Debug
// accesses go to the module at once. DMI is refused: it would bypass timing. Loosely timed, with
// calls::loosely: b_transport is carried out at once, ahead of time, with the delay that it takes;
// nb_transport is completed in the same way. DMI as the module grants it.
//
// outlet, an initiator: one transaction at a time, until it has been answered.
#ifndef SMRF_TLM_INLET_H
#define SMRF_TLM_INLET_H

#include "has_process.h"
#include "models/tlm/payload_pool.h"

#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

namespace smrf
{

class inlet : public sc_core::sc_module, private tlm::tlm_fw_transport_if<>
{
  public:
    tlm::tlm_target_socket<> socket{"socket"};

    struct calls {
        std::function<void(const sc_core::sc_time &)> wake; // something is to be taken from then on
        std::function<unsigned(tlm::tlm_generic_payload &)> debug = {};
        // Loosely timed: carry out. waits: the caller may be made to wait.
        std::function<void(tlm::tlm_generic_payload &, sc_core::sc_time &, bool waits)> loosely =
            {};
        std::function<bool(tlm::tlm_generic_payload &, tlm::tlm_dmi &)> dmi = {};
    };

    SMRF_HAS_PROCESS(inlet);
    inlet(const sc_core::sc_module_name &name, calls c);

    // The first transaction that has arrived by then; nullptr: none.
    tlm::tlm_generic_payload *front(const sc_core::sc_time &by) const;
    // When the first comes. Not asked while none waits.
    bool waiting() const
    {
        return !queue_.empty();
    }
    const sc_core::sc_time &next() const
    {
        return queue_.front().at;
    }
    // The first is taken; its answer follows.
    void take();
    // After so much time. The response status is set.
    void answer(tlm::tlm_generic_payload &gp, const sc_core::sc_time &delay);
    // Nothing is under way.
    bool idle() const
    {
        return queue_.empty() && taken_.empty() && answers_.empty() && responding_ == nullptr;
    }
    // Whatever waits or has been taken is answered with an error.
    void reset();

  private:
    struct blocking {
        sc_core::sc_event done;
        bool over = false;
    };
    struct entry {
        tlm::tlm_generic_payload *gp;
        sc_core::sc_time at;
        blocking *caller; // nullptr: nb_transport
    };

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &gp, tlm::tlm_dmi &dmi) override;
    unsigned transport_dbg(tlm::tlm_generic_payload &gp) override;
    void respond();
    void give(const entry &e);

    const calls calls_;
    std::deque<entry> queue_, taken_, answers_; // answers_: by time
    bool requesting_ = false;                   // an nb_transport request has not been taken
    tlm::tlm_generic_payload *responding_ = nullptr;
    sc_core::sc_time response_free_;
    sc_core::sc_event due_{"due"};
};

class outlet : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_initiator_socket<> socket{"socket"};

    SMRF_HAS_PROCESS(outlet);
    // over: the target has answered the transaction with this status.
    outlet(const sc_core::sc_module_name &name, std::function<void(tlm::tlm_response_status)> over);

    bool busy() const
    {
        return under_way_ != nullptr || ending_;
    }
    // Write bytes to an address, so much later. Not busy; the data is copied.
    void write(uint64_t address, const void *data, size_t bytes, sc_core::sc_time delay);
    // The same by b_transport, at that time or later; returns when it ends. Within a thread
    // process.
    sc_core::sc_time transport(uint64_t address, std::vector<unsigned char> &data,
                               const sc_core::sc_time &at);

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void end(const sc_core::sc_time &delay);
    void finish();

    payload_pool<rf_extension> pool_;
    std::function<void(tlm::tlm_response_status)> over_;
    std::vector<unsigned char> data_;
    payload_pool<rf_extension>::payload *under_way_ = nullptr;
    bool ending_ = false;
    sc_core::sc_event end_{"end"};
};

} // namespace smrf

#endif
