// SPDX-License-Identifier: Apache-2.0
// The read stages of a sub-core, in the place of collectors and arbiter. An instruction comes in
// from the issue stage; its operands are read through the crossbar in the cycles that are reserved
// for them, or taken from the bypass or the register file cache; it leaves for the latch before its
// execution unit.
//
// | socket           | what passes                                            | address        |
// | ---------------- | ------------------------------------------------------ | -------------- |
// | instr_in[0]      | write: the instruction's number in flight, 4 bytes     | 0              |
// | instr_in[1]      | write of 4 bytes: a merge of a load's registers, its   | any            |
// |                  | number in flight; read: can one come?                  |                |
// | read_out[b]      | read of one warp register of bank b into its latch     | the crossbar's |
// | collected_out[0] | write: the sources (bit i) that have been read         | flight         |
// | part_out[0]      | write of a part of a merge, 128 bytes                  | operand        |
// | dispatch_out[0]  | write: the instruction's number in flight, 4 bytes     | execution unit |
// | drained_in[0]    | write: a latch is free again (SMRF_WORD_YES)           | execution unit |
// | write_in[0]      | read of 4 bytes: write-back takes a bank's write port  | bank           |
// | hit_out[0]       | with an operand cache: which sources it lacks, hits, and  | operand        |
// |                  | that the instruction leaves                            |                |
// | source_out[0]    | with one: write of a source that has been read         | operand        |
// | forward_in[0]    | write of a result of fixed latency, 128 bytes: bypass  | operand        |
//
// Words and operand addresses: models/wires/words.h. All are completed at once.
#ifndef SMRF_READ_STAGE_MODULE_H
#define SMRF_READ_STAGE_MODULE_H

#include "models/read_stage/read_stage.h"
#include "models/seam/operand_cache_access.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"
#include "models/xbar/xbar.h"

namespace smrf
{

class read_stage_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum latch_drained(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                     sc_core::sc_time &delay);
    tlm::tlm_sync_enum take_bank(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                 sc_core::sc_time &delay);
    tlm::tlm_sync_enum take_result(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                   sc_core::sc_time &delay);

  public:
    struct place {
        uint32_t rows; // of a bank
        smrf_flights *flights;
        const smrf_wires *wires; // the core's, expected to end in the functions below
        window_clock *clock;
        rf_pool *pool;
        smrf_read_stage *core = nullptr; // its own
    };

    read_stage_module(const sc_core::sc_module_name &name, const smrf_read_stage_config &cfg,
                      const place &p);

    target_ports<read_stage_module, 2> instr_in{"instr_in", *this, 2};
    initiator_ports<read_stage_module> read_out;    // one a bank
    operand_cache_access<read_stage_module> cache;  // hit_out, source_out
    initiator_ports<read_stage_module, 1> part_out; // where loads are mapped: a part of a merge
    initiator_ports<read_stage_module, 1> collected_out{"collected_out", *this, 1};
    initiator_ports<read_stage_module, 1> dispatch_out{"dispatch_out", *this, 1};
    target_ports<read_stage_module, 1, &read_stage_module::latch_drained> drained_in{"drained_in",
                                                                                     *this, 1};
    target_ports<read_stage_module, 1, &read_stage_module::take_bank> write_in{"write_in", *this,
                                                                               1};
    target_ports<read_stage_module, 1, &read_stage_module::take_result> forward_in{"forward_in",
                                                                                   *this, 1};

    smrf_read_stage *core()
    {
        return core_.get();
    }
    // As after construction.
    void reset()
    {
        smrf_read_stage_reset(core_.get());
    }

    // The core's wires, as in struct smrf_wires.
    uint32_t read(const uint32_t *words, unsigned count, smrf_operand_latches *to);
    void collected(uint32_t flight, uint32_t sources);
    void dispatch(uint32_t flight);
    void part(uint32_t flight, unsigned i, const uint32_t *data);

    tlm::tlm_sync_enum fw(unsigned port, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    tlm::tlm_sync_enum merge(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase);

    const place place_;
    port_payload read_, collected_, part_, dispatch_;
    smrf_xbar map_{}; // the crossbar's address space
    const carried<smrf_read_stage> core_;
    const zeroed_ptr<smrf_read_stage_store> store_; // of its own core
};

} // namespace smrf

#endif
