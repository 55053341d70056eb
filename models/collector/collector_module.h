// SPDX-License-Identifier: Apache-2.0
// The collector units of a sub-core. An instruction comes in from the issue stage; its operand reads
// are requested from the arbiter; a granted operand is read, through the crossbar, into the unit's
// latch.
//
// instr_in: a write of the instruction's number in flight (4 bytes) to address = unit.
// request_out[c]: a write of the instruction's reads, an array of struct smrf_read.
// read_out[c]: port S of unit c: a read of one warp register, straight into the operand latch.
// All of them are completed at once.
#ifndef SMRF_COLLECTOR_MODULE_H
#define SMRF_COLLECTOR_MODULE_H

#include "models/collector/collector.h"
#include "models/sm/sm.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"

namespace smrf
{

class collector_module : public sc_core::sc_module
{
  public:
    struct place {
        smrf_sm *sm;             // whose script the units belong to
        unsigned sub;            // which sub-core
        uint32_t first_register; // the sub-core's first warp register in the SM
        rf_pool *pool;
    };

    collector_module(const sc_core::sc_module_name &name, const smrf_rf_params &rf, const place &p);

    target_ports<collector_module, 1> instr_in{"instr_in", *this, 1};
    initiator_ports<collector_module> request_out; // one a unit
    initiator_ports<collector_module> read_out;    // one a unit: its port S

    smrf_collectors *core()
    {
        return &core_;
    }

    // Ask the arbiter for the operands of the unit's instruction, now + delay.
    void request(unsigned unit, const smrf_read *reads, unsigned count, sc_core::sc_time delay);
    // Read a granted operand, now + delay. Returns the version of the value now in the latch.
    uint32_t read(const smrf_read &read, sc_core::sc_time delay);

    tlm::tlm_sync_enum fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
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
    const place place_;
    port_payload request_, read_;
    smrf_collectors core_{};
};

} // namespace smrf

#endif
