// SPDX-License-Identifier: Apache-2.0
// The outer memory socket of an SM: a TLM-2.0 initiator of 32-byte sector accesses, base protocol.
//
// The load/store unit sees a struct smrf_mem_port and two callbacks; whoever is bound to `socket`
// sees plain generic payloads with one ignorable extension. An atomic travels as a read whose
// extension says SMRF_MEM_ATOMIC.
//
// | caller    | phase      | returned               | what the port does | | --------- | ----------
// | ---------------------- | -------------------------------------------- | | port      | BEGIN_REQ
// | ACCEPTED               | request channel busy until END_REQ           | | port      | BEGIN_REQ
// | UPDATED, END_REQ + d   | channel free at now + d                      | | port      | BEGIN_REQ
// | UPDATED, BEGIN_RESP + d| channel free and answer at now + d, END_RESP later | | port      |
// BEGIN_REQ  | COMPLETED + d          | channel free and answer at now + d           | | target |
// END_REQ+d  | ACCEPTED               | channel free at now + d                      | | target |
// BEGIN_RESP+d | COMPLETED            | answer at now + d; END_REQ implied if it has not come | |
// target    | BEGIN_RESP+d | ACCEPTED             | the same where response_interval > 0: END_RESP
// follows | | port      | END_RESP   | ACCEPTED, COMPLETED    | transaction over |
//
// Time. A cycle c is the time c x period, from reset()'s origin on. A request is sent when the SM decides it, annotated with
// the delay from now to its cycle, because an SM may run ahead of simulated time by sim.quantum
// cycles. Times that come back are aligned up to the next cycle and are never earlier than
// open_cycle(). A target of unknown latency may answer sooner than the SM's quantum: with such a
// target the SM must run one cycle at a time (sim.quantum 1), otherwise late_answers() counts how
// often an answer or a free channel was seen later than it came, and results depend on the quantum.
//
// All calls belong to the kernel's thread. Neither DMI nor b_transport is used.
#ifndef SMRF_TLM_MEMORY_PORT_H
#define SMRF_TLM_MEMORY_PORT_H

#include "models/common/smrf_mem.h"
#include "models/tlm/payload_pool.h"

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>

namespace smrf
{

// Length of a core cycle (ps): 10^9 / core_khz, rounded to the nearest even integer, because a
// half period must be whole too. 1365000 kHz: 732.6 -> 732 ps, that is 0.08 % fast. Results are in
// cycles, so that rounding shows only beside foreign components with clocks of their own.
uint64_t period_ps(uint32_t core_khz);

struct memory_port_options {
    uint16_t sm = 0;
    uint64_t period_ps = 1000;      // of a core cycle
    uint32_t response_interval = 0; // cycles from BEGIN_RESP to END_RESP; 0 = answers end at once.
                                    // n: the target can deliver one sector in n cycles.
};

// What the port tells the SM. May be called from within send() and from the kernel's processes.
struct memory_port_events {
    void *ctx = nullptr;
    // The request channel, found busy at its cycle, can take a request from `cycle` on. nullptr:
    // not wanted.
    void (*on_free)(void *ctx, uint64_t cycle) = nullptr;
    // The answer of a request arrives in response->cycle; data: the sector (reads and atomics; zero
    // after an error), nullptr for writes and where no bytes move. Called as soon as the arrival is known, once a request.
    void (*on_response)(void *ctx, const smrf_mem_response *response,
                        const uint8_t *data) = nullptr;
    // Bytes that a write carries; nullptr: zeros, as traces carry no stored values.
    void (*write_data)(void *ctx, const smrf_mem_request *request, uint8_t *data) = nullptr;
};

class memory_port : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>
{
  public:
    tlm::tlm_initiator_socket<> socket{"socket"};

    SC_HAS_PROCESS(memory_port);
    memory_port(const sc_core::sc_module_name &name, const memory_port_options &options,
                const memory_port_events &events);

    // The target is the project's own memory with nothing between, and nobody looks at values: the
    // transactions are ignored commands, which take their time and move no bytes. What is accessed
    // how stands in the extension, and the bytes of a write in its byte enables.
    void set_at_home()
    {
        at_home_ = true;
        pool_.set_at_home();
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

    // As after elaboration; set_at_home() stays, and what the pool has counted. No transaction may be
    // under way. Cycle 0 is the time `origin` then.
    void reset(const sc_core::sc_time &origin = sc_core::SC_ZERO_TIME);

    // Cycle 0 is the time `origin` from now on. No transaction is under way.
    void set_origin(const sc_core::sc_time &origin)
    {
        origin_ = origin.value();
    }

    // Reads or writes memory behind the socket without side effect or time. Returns bytes done.
    unsigned debug_read(uint64_t address, uint8_t *data, unsigned bytes);
    unsigned debug_write(uint64_t address, const uint8_t *data, unsigned bytes);

    bool idle() const
    {
        return pool_.in_use() == 0;
    }
    uint64_t sent() const
    {
        return sent_;
    }
    uint64_t answered() const
    {
        return answered_;
    }
    uint64_t error_answers() const
    {
        return error_answers_;
    } // response status not OK
    uint64_t late_answers() const
    {
        return late_answers_;
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
    static bool send_c(void *ctx, const smrf_mem_request *request);

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void end_of_elaboration() override;

    mem_payload *make_payload(const smrf_mem_request &request);
    void on_return(mem_payload &p, tlm::tlm_sync_enum status, const tlm::tlm_phase &phase,
                   const sc_core::sc_time &delay);
    tlm::tlm_sync_enum begin_response(mem_payload &p, const sc_core::sc_time &delay);
    void end_request(mem_payload &p, const sc_core::sc_time &delay);
    void answer(mem_payload &p, const sc_core::sc_time &delay);
    void report_failure();
    void finish(mem_payload &p);
    void send_end_responses();
    uint64_t cycle_in(const sc_core::sc_time &delay) const;
    uint64_t arrival(const sc_core::sc_time &delay);
    void protocol_error(const char *rule, const char *text);
    unsigned debug_access(tlm::tlm_command command, uint64_t address, uint8_t *data,
                          unsigned bytes);

    const memory_port_options options_;
    const memory_port_events events_;
    // In units of the time resolution.
    sc_core::sc_time::value_type period_ = 1, origin_ = 0;
    mem_pool pool_;
    bool at_home_ = false;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> end_responses_{"end_responses"};
    uint64_t free_cycle_ = 0;
    uint64_t open_cycle_ = 0;
    uint64_t request_cycle_ = 0; // of the request that holds the channel
    std::string failure_;        // error answer to be reported
    uint64_t sent_ = 0, answered_ = 0, error_answers_ = 0, late_answers_ = 0, protocol_errors_ = 0;
};

} // namespace smrf

#endif
