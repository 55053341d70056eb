// SPDX-License-Identifier: Apache-2.0
// The outer memory socket of an SM: a TLM-2.0 initiator of 32-byte sector accesses, base protocol.
//
// The load/store unit sees a struct smrf_mem_port and two callbacks. The target of `socket` sees
// plain generic payloads with one ignorable extension. An atomic is sent as a read whose extension
// has the kind SMRF_MEM_ATOMIC.
//
// What comes back, and what the port does:
// - BEGIN_REQ returns ACCEPTED: the request channel is busy until END_REQ.
// - BEGIN_REQ returns UPDATED with END_REQ + d: the channel is free at now + d.
// - BEGIN_REQ returns UPDATED with BEGIN_RESP + d: the same, and the answer arrives then; END_RESP
// later.
// - BEGIN_REQ returns COMPLETED + d: the channel is free and the answer arrives at now + d.
// - The target sends END_REQ + d: ACCEPTED; the channel is free at now + d.
// - The target sends BEGIN_RESP + d: COMPLETED; the answer arrives at now + d, END_REQ is implied.
//   Where END_RESP is a call of its own (bus.end_resp): ACCEPTED, and END_RESP ends the
//   transaction.
// What breaks the protocol is counted and reported as a warning: nothing throws.
//
// Time. A cycle c is the time c x period, from reset()'s origin on. A request is sent when the SM
// decides it, annotated with the delay from now to its cycle, because an SM may run ahead of
// simulated time by a window. Times that come back are aligned up to the next cycle and are never
// earlier than open_cycle(). A target of unknown latency may answer sooner than the SM's window
// ends: with such a target the SM must run one cycle at a time, otherwise `late` counts how often
// an answer or a free channel was seen later than it came, and results depend on the windows.
// known() says how far no answer can come if the target takes at least `latency` cycles.
//
// Blocking targets (options.blocking): a process for each access that is under way calls
// b_transport in the access's cycle.
//
// Views. Loosely timed (SMRF_VIEW_LT): send() is called by a process that may wait, and calls
// b_transport, or takes DMI, ahead of time; the answer is known when it returns. Cycle by cycle
// (SMRF_VIEW_CYCLE): what comes back with a delay is looked at when that has passed, and END_RESP
// comes as a call of its own, so that every phase happens at its time.
//
// All calls belong to the kernel's thread.
#ifndef SMRF_TLM_MEMORY_PORT_H
#define SMRF_TLM_MEMORY_PORT_H

#include "core_period.h"
#include "has_process.h"
#include "models/common/sim_params.h"
#include "models/common/smrf_mem.h"
#include "models/tlm/bus_params.h"
#include "models/tlm/cycle_times.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace smrf
{

inline smrf_bus_params default_bus()
{
    smrf_bus_params bus{};
#define SMRF_BUS_DEFAULT(section, name, kind, def, ...) bus.name = (def);
    SMRF_BUS_PARAMS(SMRF_BUS_DEFAULT)
#undef SMRF_BUS_DEFAULT
    return bus;
}

struct memory_port_options {
    uint16_t sm = 0;
    uint64_t period_ps = 1000;           // of a core cycle
    smrf_bus_params bus = default_bus(); // what the target wants
    uint32_t view = SMRF_VIEW_AT;        // enum smrf_view
    uint32_t granularity = 1; // answers are visible at multiples of this number of cycles
};

// What the port tells the SM. May be called from within send() and from the kernel's processes.
struct memory_port_events {
    void *ctx = nullptr;
    // The request channel, found busy at its cycle, can take a request from `cycle` on. nullptr:
    // not wanted.
    void (*on_free)(void *ctx, uint64_t cycle) = nullptr;
    // The answer of a request arrives in response->cycle; data: the sector (reads and atomics; zero
    // after an error), nullptr for writes and where no bytes move. Called as soon as the arrival is
    // known, once a request.
    void (*on_response)(void *ctx, const smrf_mem_response *response,
                        const uint8_t *data) = nullptr;
    // Puts the bytes that a write carries in their places and says which it has, one bit each;
    // nullptr: none, as most traces carry no stored values.
    uint32_t (*write_data)(void *ctx, const smrf_mem_request *request, uint8_t *data) = nullptr;
};

class memory_port : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_initiator_socket<> socket{"socket"};

    SMRF_HAS_PROCESS(memory_port);
    memory_port(const sc_core::sc_module_name &name, const memory_port_options &options,
                const memory_port_events &events);

    // The target is the project's own memory, bound directly, and values are not checked. The
    // transactions are ignored commands: they take their time and move no bytes. The extension
    // holds the kind of access and the bytes of a write. Before the first request.
    void set_at_home()
    {
        at_home_ = true;
        pool_.set_at_home(SMRF_SECTOR_BYTES);
    }

    // For the load/store unit; valid as long as the port.
    smrf_mem_port c_port()
    {
        return {this, &memory_port::send_c};
    }

    // Sends a request, whose cycle is not earlier than now's. False: the request channel is busy in
    // that cycle (TLM-2.0 request exclusion rule).
    bool send(const smrf_mem_request &request);

    // First cycle in which send() can succeed; SMRF_NEVER while only the target knows.
    uint64_t free_cycle() const
    {
        return free_cycle_;
    }

    // The SM has simulated every cycle before `cycle`: nothing may arrive earlier.
    void set_open_cycle(uint64_t cycle)
    {
        open_cycle_ = cycle;
    }
    uint64_t open_cycle() const
    {
        return open_cycle_;
    }

    // As after elaboration; set_at_home() stays, and what the pool has counted. No transaction may
    // be under way. Cycle 0 is the time `origin` then.
    void reset(const sc_core::sc_time &origin = sc_core::SC_ZERO_TIME);

    // Cycle 0 is the time `origin` from now on. No transaction is under way.
    void set_origin(const sc_core::sc_time &origin)
    {
        requests_.set_origin(origin.value());
        answers_.set_origin(origin.value());
    }

    // Reads or writes memory behind the socket without side effect or time. Returns bytes done.
    unsigned debug_read(uint64_t address, uint8_t *data, unsigned bytes);
    unsigned debug_write(uint64_t address, const uint8_t *data, unsigned bytes);

    // Accesses under way.
    uint64_t under_way() const
    {
        return open_;
    }
    // Accesses that are over, but to which the target still holds a reference.
    uint64_t held() const
    {
        return pool_.in_use() - open_;
    }
    bool idle() const
    {
        return under_way() == 0;
    }
    // Accesses under way that have been answered: nothing but their END_RESP is missing, which this
    // sends, annotated with its time.
    size_t ending() const
    {
        return responding_.size();
    }
    void end()
    {
        end_responses(sc_core::sc_max_time());
    }
    // No answer can come before this cycle, of requests that were sent or will be from `cycle` on.
    uint64_t known(uint64_t cycle) const
    {
        const uint64_t oldest = unanswered_.empty() ? cycle : *unanswered_.begin();
        return std::min(oldest, cycle) + options_.bus.latency;
    }
    uint64_t sent() const
    {
        return sent_;
    } // sectors
    uint64_t answered() const
    {
        return answered_;
    }
    const smrf_bus_stats &stats() const
    {
        return stats_;
    }
    uint64_t error_answers() const
    {
        return stats_.errors;
    } // response status not OK
    uint64_t late_answers() const
    {
        return stats_.late;
    } // moved to open_cycle()
    uint64_t protocol_errors() const
    {
        return protocol_errors_;
    } // the target broke the protocol
    const mem_pool &pool() const
    {
        return pool_;
    }

  private:
    // An access, and the sectors that are answered with it; it was sent for the first of them.
    struct access {
        uint64_t block;
        std::vector<smrf_mem_request> wanted;
    };
    static bool send_c(void *ctx, const smrf_mem_request *request);

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override;
    void end_of_elaboration() override;

    mem_payload *make_payload(const smrf_mem_request &request);
    void on_return(mem_payload &p, tlm::tlm_sync_enum status, const tlm::tlm_phase &phase,
                   const sc_core::sc_time &delay);
    tlm::tlm_sync_enum begin_response(mem_payload &p, const sc_core::sc_time &delay);
    void end_request(mem_payload &p, const sc_core::sc_time &delay);
    void answer(mem_payload &p, const sc_core::sc_time &delay);
    [[gnu::cold]] void note_failure(const mem_payload &p, uint64_t cycle);
    void tell_all(mem_payload &p, uint64_t cycle, const uint8_t *bytes);
    void tell(uint32_t id, uint8_t kind, uint64_t cycle, const uint8_t *data);
    bool join(const smrf_mem_request &request);
    void describe(mem_payload &p, const smrf_mem_request &request);
    void list(const mem_payload &p, const smrf_mem_request &request);
    void fill(mem_payload &p, const smrf_mem_request &request, uint32_t first);
    void end_response_later(mem_payload &p, const sc_core::sc_time &delay);
    void call_loosely(mem_payload &p, sc_core::sc_time delay);
    bool direct(mem_payload &p, sc_core::sc_time &delay);
    void hold(mem_payload &p, unsigned phase, const sc_core::sc_time &delay);
    void release_held();
    struct caller;
    void call(mem_payload &p, sc_core::sc_time::value_type at);
    void carry_out(const caller &c);
    void report_failure();
    void finish(mem_payload &p);
    void send_end_responses();
    void end_responses(const sc_core::sc_time &by);
    static uint64_t cycle_in(cycle_times &times, const sc_core::sc_time &delay);
    uint64_t arrival(const sc_core::sc_time &delay);
    uint64_t visible(uint64_t cycle) const;
    uint64_t not_passed(uint64_t cycle);
    void free_from(uint64_t cycle);
    [[gnu::cold]] void protocol_error(const char *rule, const char *text);
    unsigned debug_access(tlm::tlm_command command, uint64_t address, uint8_t *data,
                          unsigned bytes);

    const memory_port_options options_;
    const memory_port_events events_;
    cycle_times requests_, answers_; // of the two channels
    mem_pool pool_;
    bool at_home_ = false;
    forward_interface *forth_ = nullptr; // of the target
    bool looks_ = true;                  // the target is not known to lack debug accesses
    std::multimap<sc_core::sc_time, mem_payload *> responding_; // by the time of their END_RESP
    std::multimap<sc_core::sc_time, std::pair<mem_payload *, unsigned>>
        held_; // phases, by their time
    sc_core::sc_event end_due_{"end"}, held_due_{"held_due"};
    std::vector<tlm::tlm_dmi> regions_; // of DMI
    uint64_t free_cycle_ = 0;
    uint64_t open_cycle_ = 0;
    uint64_t request_cycle_ = 0; // of the request that holds the channel
    std::string failure_;        // error answer to be reported
    const bool joins_, listed_;  // sectors come with others; accesses under way are listed
    const bool ends_;            // a transaction is over with BEGIN_RESP
    const uint64_t mask_, base_;
    std::unordered_map<const tlm::tlm_generic_payload *, access> accesses_; // where listed
    std::unordered_map<uint64_t, access *> joinable_;                       // by block
    std::multiset<uint64_t> unanswered_; // cycles of requests, where listed
    std::vector<caller *> idle_callers_; // processes of blocking calls
    uint32_t calls_ = 0;                 // blocking, under way
    uint64_t open_ = 0;                  // accesses under way
    uint64_t sent_ = 0, answered_ = 0, protocol_errors_ = 0;
    smrf_bus_stats stats_{};
};

} // namespace smrf

#endif
