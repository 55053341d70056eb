// SPDX-License-Identifier: Apache-2.0
// Interconnect, L2 and DRAM (the core of memory.h) behind one TLM-2.0 target socket for each SM.
//
// | caller    | phase      | returned          | what the module does | | --------- | ---------- |
// ----------------- | ------------------------------------------------- | | initiator | BEGIN_REQ
// | UPDATED, END_REQ  | request taken in its cycle, or in that of the next credit already known |
// | initiator | BEGIN_REQ  | ACCEPTED          | no credit, or too far ahead: END_REQ follows | |
// initiator | BEGIN_REQ  | COMPLETED         | malformed request: answered with an error         |
// | module    | BEGIN_RESP | any legal         | one response at a time for each socket | |
// initiator | END_RESP   | COMPLETED         | the next response may begin                       |
//
// Accesses of other sizes than a sector are split into the sectors that they touch and answered
// with the last. b_transport takes the latency of a lone L2 hit and does not load the core.
// transport_dbg reads and writes bytes without time. DMI is refused: it would bypass timing.
//
// Time. The core is run once every request that leaves an SM before some cycle is known.
// quantum = 0: initiators send at the time of their request (or with annotated delays up to the
// core's lookahead); the core follows simulated time, and answers are sent in their cycle.
// quantum = Q: initiators act only at multiples of Q cycles, in the first delta cycle, for the Q
// cycles that follow (smrf's SMs). The core is run one delta cycle later up to the end of that
// window, and answers are sent at once with the delay to their cycle. Results are the same for
// every Q up to the lookahead.
// driven: whoever runs the SMs says with advance() up to where requests are known, in windows of
// any length up to the lookahead; answers are sent at once with the delay to their cycle.
//
// Bytes are read and written in the order of the answers, (cycle, SM), which does not depend on
// the order of processes.
#ifndef SMRF_MEMORY_MEMORY_MODULE_H
#define SMRF_MEMORY_MEMORY_MODULE_H

#include "models/memory/backing_store.h"
#include "models/memory/memory.h"

#include <cstdlib>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace smrf
{

struct memory_module_options {
    uint64_t period_ps = 1000; // of a core cycle
    uint32_t quantum = 0;      // cycles; see above. At most smrf_memory_lookahead().
    bool driven = false;       // the core is run by advance() alone; quantum is not used
};

class memory_module : public sc_core::sc_module
{
  public:
    sc_core::sc_vector<tlm::tlm_target_socket<>> in; // one for each SM (gpu.sms)

    SC_HAS_PROCESS(memory_module);
    memory_module(const sc_core::sc_module_name &name, const smrf_memory_config &config,
                  const memory_module_options &options);
    ~memory_module() override;

    // The cycles that SMs of this configuration run at a time: at most `quantum` and the lookahead.
    static uint32_t quantum(const smrf_memory_config &config, uint32_t quantum);

    // driven: every request that leaves an SM before cycle `now` has been sent. Runs the core and
    // sends the answers that are known, each with the delay to its cycle.
    void advance(uint64_t now);
    // First cycle with something to do, as smrf_memory_next().
    uint64_t next() const;
    const smrf_memory *core() const
    {
        return core_.get();
    }

    backing_store &store()
    {
        return store_;
    }
    void warm(uint64_t address, uint64_t bytes); // smrf_memory_warm
    void stats_get(smrf_memory_stats *stats) const;
    void stats_reset();
    bool idle() const; // nothing in the core, nothing to be sent
    // Requests that came for a cycle that the core had passed: their initiator does not keep to
    // the quantum. They are taken in the first cycle possible.
    uint64_t late_requests() const
    {
        return late_requests_;
    }

  private:
    class lane; // what belongs to one socket
    struct slot {
        tlm::tlm_generic_payload *gp = nullptr;
        uint32_t sectors = 0; // to be pushed or answered
    };
    struct core_deleter {
        void operator()(smrf_memory *m) const
        {
            std::free(m);
        }
    };
    using time_value = sc_core::sc_time::value_type;

    void end_of_elaboration() override;
    void on_timer()
    {
        poke();
    }
    // There may be something to do in the next delta cycle.
    void poke()
    {
        if (!options_.driven) {
            step_event_.notify(sc_core::SC_ZERO_TIME);
        }
    }
    void step();
    void run_core(uint64_t now);
    void deliver_answers(uint64_t now_cycle);
    void schedule(uint64_t now_cycle);
    void wake_at(uint64_t cycle);
    uint32_t take_slot(tlm::tlm_generic_payload &gp, uint32_t sectors);
    void end_transaction(uint32_t index);
    uint64_t this_cycle() const
    {
        return sc_core::sc_time_stamp().value() / period_;
    }

    const smrf_memory_config config_;
    memory_module_options options_;
    const uint32_t lookahead_;
    time_value period_ = 1;
    std::unique_ptr<smrf_memory, core_deleter> core_;
    uint64_t core_now_ = 0; // the core has been run up to this cycle
    backing_store store_;
    std::vector<std::unique_ptr<lane>> lanes_;
    std::vector<slot> slots_; // index = id in the core
    std::vector<uint32_t> free_slots_;
    std::deque<smrf_mem_response> answers_; // of the core, not yet sent
    uint64_t late_requests_ = 0;
    sc_core::sc_event timer_{"timer"}, step_event_{"step_event"};
};

} // namespace smrf

#endif
