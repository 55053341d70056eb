// SPDX-License-Identifier: Apache-2.0
// Interconnect, L2 and DRAM (the core of memory.h) behind one TLM-2.0 target socket for each SM.
//
// | caller    | phase      | returned          | what the module does                          |
// | --------- | ---------- | ----------------- | --------------------------------------------- |
// | initiator | BEGIN_REQ  | UPDATED, END_REQ  | request taken in its cycle, or in that of the |
// |           |            |                   | next credit already known (channel.h)         |
// | initiator | BEGIN_REQ  | ACCEPTED          | no credit, or too far ahead: END_REQ follows  |
// | initiator | BEGIN_REQ  | COMPLETED         | malformed request: answered with an error     |
// | module    | BEGIN_RESP | any legal         | one response at a time for each socket        |
// | initiator | END_RESP   | COMPLETED         | the next response may begin                   |
//
// Accesses of other sizes than a sector are split into the sectors that they touch and answered
// with the last. An ignored command takes the time of what its extension says, else of a read, and
// moves no bytes. b_transport takes the latency of a single access to the L2, as that is then, or
// to DRAM, and that of a hit while accesses are under way; it changes the tags of the L2 and counts
// as a request, but waits for no other access and holds none up. transport_dbg reads and writes
// bytes without time. DMI is refused: it would bypass timing.
//
// Time. The module has no clock: the engine that runs the SMs says with advance() up to where
// requests are known, in steps of any length up to the core's lookahead. What is taken and answered
// then is announced at once, with the delay to its cycle. The steps do not change the cycles.
//
// Bytes are read and written in the order of the answers, (cycle, SM), which does not depend on
// the order of processes.
#ifndef SMRF_MEMORY_MEMORY_MODULE_H
#define SMRF_MEMORY_MEMORY_MODULE_H

#include "models/memory/backing_store.h"
#include "models/memory/channel.h"
#include "models/memory/memory.h"
#include "models/tlm/has_process.h"
#include "models/tlm/zeroed.h"

#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace smrf
{

class memory_module : public sc_core::sc_module
{
  public:
    sc_core::sc_vector<tlm::tlm_target_socket<>> in; // one for each SM (gpu.sms)

    SMRF_HAS_PROCESS(memory_module);
    // period_ps: of a core cycle.
    memory_module(const sc_core::sc_module_name &name, const smrf_memory_config &config,
                  uint64_t period_ps);
    ~memory_module() override;

    // Every request that leaves an SM before cycle `now` has been sent. Runs the core and sends the
    // answers that are known, each with the delay to its cycle.
    void advance(uint64_t now);
    // The same in three steps, of which the second touches nothing of the kernel's: it may be done
    // by another thread while SMs send (smrf_memory_take).
    void take();
    void move(uint64_t now);
    void report();
    // First cycle with something to do, as smrf_memory_next().
    uint64_t next() const;
    const smrf_memory *core() const
    {
        return core_;
    }

    backing_store &store()
    {
        return store_;
    }
    void warm(uint64_t address, uint64_t bytes); // smrf_memory_warm
    void stats_get(smrf_memory_stats *stats) const;
    void stats_reset();
    bool idle() const; // nothing in the core, nothing to be sent
    // As after elaboration, bytes and what a copy has warmed gone. No transaction may be under way.
    // Cycle 0 is the time `origin` then.
    void reset(const sc_core::sc_time &origin = sc_core::SC_ZERO_TIME);
    // Cycle 0 is the time `origin` from now on: the memory's clock has stood still. No transaction
    // is under way.
    void set_origin(const sc_core::sc_time &origin);
    // Requests that came for a cycle that the core had passed. They are taken in the first cycle
    // possible.
    uint64_t late_requests() const;

  private:
    class lane; // what belongs to one socket

    void end_of_elaboration() override;
    void give_answers();

    const smrf_memory_config config_;
    const uint64_t period_ps_;
    slab slab_;
    smrf_memory *core_ = nullptr; // of the slab
    backing_store store_;
    std::vector<std::unique_ptr<lane>> lanes_;
    std::vector<smrf_mem_response> answers_;           // of the core; room for one of each credit
    sc_core::sc_event response_free_{"response_free"}; // an END_RESP has come
};

} // namespace smrf

#endif
