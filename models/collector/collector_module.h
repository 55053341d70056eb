// SPDX-License-Identifier: Apache-2.0
// The collector units of a sub-core. Instructions come in from the issue stage, operand reads go out
// through one socket a unit, and the operands come back into the units' latches.
//
// instr_in: a write of the instruction's number in flight (4 bytes) to address = unit; completed at
// once. read_out[c]: BEGIN_REQ, END_REQ at once; BEGIN_RESP, answered TLM_COMPLETED.
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

    collector_module(const sc_core::sc_module_name &name, const smrf_config &cfg, const place &p);

    target_ports<collector_module> instr_in{"instr_in", *this, 1};
    initiator_ports<collector_module> read_out; // one a unit: its port S

    smrf_collectors *core()
    {
        return &core_;
    }

    // Send one operand read, now + delay.
    void request(const smrf_read &read, sc_core::sc_time delay);

    tlm::tlm_sync_enum fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    tlm::tlm_sync_enum bw(unsigned unit, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                          sc_core::sc_time &delay);
    unsigned debug(unsigned, tlm::tlm_generic_payload &)
    {
        return 0;
    }

  private:
    const place place_;
    smrf_collectors core_{};
};

} // namespace smrf

#endif
