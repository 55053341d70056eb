// SPDX-License-Identifier: Apache-2.0
// Constant cache of a sub-core.
//
// | socket         | what passes                                                    | address    |
// | -------------- | -------------------------------------------------------------- | ---------- |
// | constant_in[0] | an ignored command of 4 bytes: a constant. The annotated time  | bank x     |
// |                | that goes back is that from which it is there                  | 64 KiB +   |
// |                |                                                                | offset     |
//
// Traces have no constants, so nothing is read. Completed at once.
#ifndef SMRF_CONSTANT_L0_MODULE_H
#define SMRF_CONSTANT_L0_MODULE_H

#include "models/frontend/constant_l0.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class constant_l0_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum read_constant(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                     sc_core::sc_time &delay);

  public:
    // core: nullptr: its own.
    constant_l0_module(const sc_core::sc_module_name &name, const smrf_frontend_params &params,
                       window_clock *clock, smrf_icache *core = nullptr);

    target_ports<constant_l0_module, 1, &constant_l0_module::read_constant> constant_in{
        "constant_in", *this, 1};

    smrf_icache *core()
    {
        return core_.get();
    }

  private:
    window_clock &clock_;
    const carried<smrf_icache> core_;
    zeroed_ptr<smrf_icache_line[]> lines_; // of its own core
};

} // namespace smrf

#endif
