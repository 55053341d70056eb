// SPDX-License-Identifier: Apache-2.0
// The collector units of a sub-core. An instruction comes in from the issue stage; the operand
// cache is asked what it holds; the rest is requested from the arbiter, and read through the
// crossbar when granted; a complete instruction goes to the latch before its execution unit.
//
// | socket           | what passes                                            | address        |
// | ---------------- | ------------------------------------------------------ | -------------- |
// | instr_in[p]      | write: the instruction's number in flight, 4 bytes; p: | unit           |
// |                  | 0 from the issue stage, 1 a merge from the load/store  |                |
// |                  | unit, which also reads whether a unit holds nothing    |                |
// | hit_out[c]       | read: which sources are missing, 4 bytes; then each    | operand        |
// |                  | hit, 128; write of 4 bytes: the instruction leaves     |                |
// | request_out[c]   | write: the instruction's reads, a word each            | flight         |
// | grant_in         | write: the words of its reads that may be made         | flight         |
// | read_out[c]      | port S of unit c: one warp register into the latch     | the crossbar's |
// | source_out[c]    | write of a source that came from its bank, 128 bytes   | operand        |
// | collected_out[0] | write: the sources (bit i) that have been read         | flight         |
// | part_out[0]      | write of a part of a merge, 128 bytes                  | operand        |
// | dispatch_out     | write: the instruction's number in flight, 4 bytes     | execution unit |
// | drained_in[0]    | write: a latch is free again (SMRF_WORD_YES)           | execution unit |
//
// Words and operand addresses: models/wires/words.h. part_out exists where loads are mapped,
// hit_out and source_out where there is an operand cache, collected_out and drained_in inside an
// SM. All are completed at once; a read's annotated delay says when the operand is there.
#ifndef SMRF_COLLECTOR_MODULE_H
#define SMRF_COLLECTOR_MODULE_H

#include "models/collector/collector.h"
#include "models/seam/operand_cache_access.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"
#include "models/xbar/xbar.h"

namespace smrf
{

class collector_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum entered(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay);
    // Grants come on a port of their own.
    tlm::tlm_sync_enum granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay);
    tlm::tlm_sync_enum latch_drained(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                     sc_core::sc_time &delay);

  public:
    struct place {
        unsigned sub;  // which sub-core
        uint32_t rows; // of a bank
        smrf_flights *flights;
        const smrf_wires *wires; // the core's, expected to end in the functions below
        window_clock *clock;
        rf_pool *pool;
        bool in_sm = false;              // an issue stage and execution units are there
        smrf_collectors *core = nullptr; // its own
    };

    collector_module(const sc_core::sc_module_name &name, const smrf_rf_params &rf, const place &p);

  private:
    // Every instruction touches these: five cache lines where there are two collector units.
    alignas(64) port_payload read_, collected_, dispatch_, request_;
    window_clock &clock_;
    const smrf_flights &flights_;
    const carried<smrf_collectors> core_;
    smrf_xbar map_{}; // the crossbar's address space

  public:
    initiator_ports<collector_module, 1> dispatch_out{"dispatch_out", *this, 1};
    initiator_ports<collector_module, 1> collected_out;
    target_ports<collector_module, 1, &collector_module::granted> grant_in{"grant_in", *this, 1};
    initiator_ports<collector_module> request_out; // one a unit
    alignas(64) target_ports<collector_module, 1, &collector_module::latch_drained> drained_in;
    initiator_ports<collector_module> read_out; // one a unit
    alignas(64) target_ports<collector_module, 2, &collector_module::entered> instr_in{"instr_in",
                                                                                       *this, 2};
    operand_cache_access<collector_module> cache; // hit_out, source_out
    initiator_ports<collector_module, 1> part_out;

    smrf_collectors *core()
    {
        return core_.get();
    }
    // As after construction.
    void reset()
    {
        smrf_collectors_reset(core_.get());
    }

    // The core's wires, as in struct smrf_wires.
    void request(unsigned collector, uint32_t flight, const uint32_t *words, unsigned count);
    uint32_t read(unsigned collector, const uint32_t *words, unsigned count,
                  smrf_operand_latches *to);
    void collected(uint32_t flight, uint32_t sources);
    void part(uint32_t flight, unsigned i, const uint32_t *data);
    void dispatch(uint32_t flight);

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    tlm::tlm_sync_enum show_vacancy(tlm::tlm_generic_payload &gp);
    sc_core::sc_time send_read(unsigned collector);
    uint32_t pass_reads(unsigned collector, const uint32_t *words, unsigned count);
    [[gnu::noinline]] uint32_t read_values(unsigned collector, const uint32_t *words,
                                           unsigned count, smrf_operand_latches &to);

    const smrf_wires &wires_;
    port_payload part_;
    const zeroed_ptr<smrf_collectors_store> store_; // of its own core
};

} // namespace smrf

#endif
