// SPDX-License-Identifier: Apache-2.0
// A pass-through module that checks what goes through it against the TLM-2.0 base protocol.
//
// Put it between any initiator and target: initiator -> in, out -> target. It adds no time, no
// delta cycle and no reference (but for the length of a call that may end a transaction); managed
// transactions get an extension that tells when they go back to their memory manager. Broken
// rules are reported as SC_REPORT_ERROR("/smrf/tlm/<rule>", module, transaction, time and values)
// and counted; the call goes on. SystemC's default action for errors throws: programs that want to
// go on after a violation set other actions for the ids, or a handler.
//
// Phases beyond the four of the base protocol are ignorable and pass unchecked.
#ifndef SMRF_TLM_PROTOCOL_MONITOR_H
#define SMRF_TLM_PROTOCOL_MONITOR_H

#include "has_process.h"
#include "models/tlm/protocol_rules.h"

#include <array>
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace smrf
{

struct protocol_monitor_options {
    bool enabled = true;
    // What is bound to `out` is an interconnect component, which may change the address until it
    // passes the response on; the initiator may not, nor may it change after that. A monitor behind
    // the interconnect watches its targets.
    bool interconnect = false;
    // Exclusion rules also for annotated times (request_overlap, response_overlap), not only for
    // the order of calls: a call with a delay is as good as one at that time. To be switched off
    // where calls share a time on purpose.
    bool annotated_exclusion = true;
    // A transaction unanswered for so long, of either kind of transport, breaks `timeout`, and a
    // response that is not ended for so long `response_timeout`; zero = never.
    sc_core::sc_time timeout = sc_core::SC_ZERO_TIME;
    // Check at sc_stop(), or else when the monitor goes (a warning then), that nothing is in flight
    // and that whatever has ended has been given back.
    bool check_at_end = true;
};

class protocol_monitor : public sc_core::sc_module,
                         private tlm::tlm_fw_transport_if<>,
                         private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_target_socket<> in{"in"};
    tlm::tlm_initiator_socket<> out{"out"};

    SMRF_HAS_PROCESS(protocol_monitor);
    explicit protocol_monitor(const sc_core::sc_module_name &name,
                              const protocol_monitor_options &options = {});
    ~protocol_monitor() override;

    // Switches checking; what is in flight is forgotten. Switch where nothing is in flight:
    // transactions begun while off are unknown when it is switched on.
    void set_enabled(bool enabled);

    uint64_t violations(tlm_rule rule) const
    {
        return counts_[static_cast<size_t>(rule)];
    }
    uint64_t violations() const; // of all rules
    uint64_t transactions() const
    {
        return serial_;
    } // seen so far, both kinds of transport
    size_t in_flight() const
    {
        return records_.size() + blocking_.size();
    }

    // True if nothing is in flight; otherwise reports never_answered for each and forgets them.
    bool check_quiescent();
    // True if no reference to an ended transaction is left but its initiator's; otherwise reports
    // reference_leak for each and forgets them.
    bool check_released();

  private:
    using time_value = sc_core::sc_time::value_type;

    // The attributes that must not change.
    struct snapshot {
        explicit snapshot(const tlm::tlm_generic_payload &gp);
        snapshot() = default;
        tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
        sc_dt::uint64 address = 0;
        const unsigned char *data = nullptr, *enables = nullptr;
        unsigned length = 0, enable_length = 0, streaming_width = 0;
        tlm::tlm_gp_option option = tlm::TLM_MIN_PAYLOAD;
        size_t data_hash = 0, enable_hash = 0;
        std::string describe() const;
    };
    // Attributes of a transaction that only its owner may change.
    struct belongings {
        explicit belongings(const tlm::tlm_generic_payload &gp);
        const void *manager;
        std::vector<const tlm::tlm_extension_base *> extensions;
    };
    struct record {
        uint64_t serial = 0;
        tlm::tlm_generic_payload *gp = nullptr;
        unsigned phase = tlm::UNINITIALIZED_PHASE;
        time_value time = 0; // latest annotated time
        sc_core::sc_time begun, answered;
        snapshot start;
        std::vector<const tlm::tlm_extension_base *> extensions; // of the initiator's side
        unsigned calls = 0;                                      // of either path
        int references = 0;       // at BEGIN_REQ: those of the initiator's side
        bool dmi_allowed = false; // at BEGIN_RESP
        size_t read_hash = 0;     // at BEGIN_RESP, of a read
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        bool timed_out = false;
        std::string describe() const;
    };
    struct blocked {
        const tlm::tlm_generic_payload *gp;
        uint64_t serial;
        sc_core::sc_time begun;
        snapshot start;
        bool timed_out;
    };
    // Of a transaction that has ended and not been given back: what may be left of its references.
    struct lent {
        int references, left; // the initiator's side's: at BEGIN_REQ, at the end
        bool forward;         // it has ended with a call forward
        uint64_t serial = 0;
        std::string what = {};
        sc_core::sc_time at = {};
    };
    class trail; // the extension that tells when a transaction is given back
    using payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum nb_transport_fw(payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    tlm::tlm_sync_enum nb_transport_bw(payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void b_transport(payload &gp, sc_core::sc_time &delay) override;
    unsigned transport_dbg(payload &gp) override;
    bool get_direct_mem_ptr(payload &gp, tlm::tlm_dmi &dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;
    void end_of_simulation() override;

    uint64_t before_fw(payload &gp, const tlm::tlm_phase &phase, const sc_core::sc_time &delay);
    void after_begin_req(payload &gp, uint64_t serial, tlm::tlm_sync_enum status,
                         const tlm::tlm_phase &phase, const sc_core::sc_time &delay,
                         const belongings &before, unsigned calls);
    void after_end_resp(payload &gp, uint64_t serial, tlm::tlm_sync_enum status,
                        const sc_core::sc_time &delay);
    uint64_t before_bw(payload &gp, const tlm::tlm_phase &phase, const sc_core::sc_time &delay);
    void after_bw(payload &gp, uint64_t serial, unsigned sent, tlm::tlm_sync_enum status,
                  const tlm::tlm_phase &phase, const sc_core::sc_time &delay, int released);

    uint64_t begin_request(payload &gp, const sc_core::sc_time &delay);
    void end_request(record &r);
    void begin_response(record &r);
    void end_response(record &r);
    void forget(payload &gp);
    record *find(payload &gp, uint64_t serial = 0);

    void check_start(payload &gp);
    void check_command(const payload &gp);
    void check_status(payload &gp, const char *where);
    void check_unchanged(payload &gp, snapshot &start, const char *where, bool may_move = false);
    void check_response_kept(payload &gp, record &r, const char *where);
    void check_references(payload &gp);
    void watch(payload &gp);
    void ended(payload &gp, uint64_t serial, const snapshot &start, lent how, int held,
               const sc_core::sc_time &delay);
    void returned(payload &gp);
    void forget_trails();
    void check_belongings(payload &gp, const belongings &before, const char *where);
    void check_extensions(payload &gp, record &r);
    static void keep_extensions(payload &gp, record &r);
    void check_option(payload &gp, snapshot &start, const char *call);
    void check_instant(const sc_core::sc_time &time, sc_dt::uint64 delta, const char *call);
    bool is_blocked(const payload &gp) const;
    void expect_within_timeout(const sc_core::sc_time &delay);
    void check_time(record &r, const sc_core::sc_time &delay);
    void check_timeouts();
    void violation(tlm_rule rule, const payload *gp, const std::string &detail = {});

    protocol_monitor_options options_;
    std::array<uint64_t, tlm_rule_count> counts_{};
    std::unordered_map<payload *, record> records_;
    std::vector<blocked> blocking_; // in b_transport
    payload *requesting_ = nullptr; // holds the request channel
    payload *responding_ = nullptr; // holds the response channel
    time_value request_end_ = 0, response_end_ = 0;
    uint64_t serial_ = 0;
    unsigned invalidating_ = 0; // calls of invalidate_direct_mem_ptr that have not returned
    std::unordered_map<payload *, trail *> trails_;
    std::unordered_map<payload *, lent> lent_;
    uint64_t returned_ = 0; // the latest transaction that was lent and has been given back
    bool keeps_ = false;    // the initiator uses transactions again without giving them back
    bool closing_ = false;  // an error could not be caught any more
    sc_core::sc_event deadline_{"deadline"};
};

} // namespace smrf

#endif
