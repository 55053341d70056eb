// SPDX-License-Identifier: Apache-2.0
// Issue stage of a sub-core: sends what the scheduler chose to a collector unit, and control flow
// to the SIMT stack; asks the operand cache, where there is one, which warps go before others.
//
// instr_out: a write of the instruction's number in flight to address = collector unit.
// simt_out: a write of a line's bytes to address = warp slot, then a read there of what it meant.
// status_out: port R: a read of 8 bytes.
// All are completed at once.
#ifndef SMRF_ISSUE_MODULE_H
#define SMRF_ISSUE_MODULE_H

#include "models/issue/issue.h"
#include "models/simt_stack/simt_bytes.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class issue_module : public sc_core::sc_module
{
  public:
    // core: nullptr: its own.
    issue_module(const sc_core::sc_module_name &name, const smrf_issue_config &cfg, bool cached,
                 window_clock &clock, rf_pool &pool, smrf_issue *core = nullptr);

    initiator_ports<issue_module, 1> instr_out{"instr_out", *this, 1};
    initiator_ports<issue_module, 1> simt_out{"simt_out", *this, 1};
    initiator_ports<issue_module, 1> status_out;

    smrf_issue *core()
    {
        return core_.get();
    }
    // As after construction; what its core is connected to stays.
    void reset()
    {
        smrf_issue_reset(core_.get());
    }

    // The wires of the issue stage, as in struct smrf_wires.
    void allocate(unsigned collector, uint32_t flight);
    smrf_simt_out line(unsigned warp, const smrf_simt_line &line);
    uint64_t status();

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    window_clock &clock_;
    port_payload instr_, line_, meaning_, status_;
    const carried<smrf_issue> core_;
    const zeroed_ptr<smrf_issue_store> store_; // of its own core
};

} // namespace smrf

#endif
