// SPDX-License-Identifier: Apache-2.0
// Issue stage of a sub-core: sends what the scheduler chose to a collector unit, and control flow to
// the SIMT stack.
//
// instr_out: a write of the instruction's number in flight to address = collector unit.
// simt_out: a write of a line's bytes to address = warp slot, then a read there of what it meant.
// All are completed at once.
#ifndef SMRF_ISSUE_MODULE_H
#define SMRF_ISSUE_MODULE_H

#include "models/issue/issue.h"
#include "models/simt_stack/simt_bytes.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"

namespace smrf
{

class issue_module : public sc_core::sc_module
{
  public:
    issue_module(const sc_core::sc_module_name &name, const smrf_issue_config &cfg, rf_pool &pool);

    initiator_ports<issue_module, 1> instr_out{"instr_out", *this, 1};
    initiator_ports<issue_module, 1> simt_out{"simt_out", *this, 1};

    smrf_issue *core()
    {
        return &core_;
    }

    // Instruction `slot` goes to a collector unit, now + delay.
    void issue(unsigned unit, uint32_t slot, sc_core::sc_time delay);
    // An instruction that may change the SIMT stack of a warp. Returns what it meant.
    smrf_simt_out control_flow(unsigned warp, const smrf_simt_line &line, sc_core::sc_time delay);

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    void send(initiator_ports<issue_module, 1> &port, rf_payload &gp, sc_core::sc_time &delay);

    port_payload instr_, line_, meaning_;
    smrf_issue core_{};
};

} // namespace smrf

#endif
