// SPDX-License-Identifier: Apache-2.0
// The SIMT stacks of an SM's warps behind one TLM target socket a sub-core. At address = warp slot
// a write of a line (simt_bytes.h) makes the stack take it, and a read gives what the last line
// meant. Both are completed at once. transport_dbg reads the active mask of a warp: 4 bytes,
// little-endian.
#ifndef SMRF_SIMT_STACK_MODULE_H
#define SMRF_SIMT_STACK_MODULE_H

#include "models/simt_stack/simt_stack.h"
#include "models/tlm/ports.h"
#include "models/tlm/zeroed.h"

#include <vector>

namespace smrf
{

class simt_stack_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum line(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                            sc_core::sc_time &delay);
    unsigned look(tlm::tlm_generic_payload &gp);

  public:
    // stacks: nullptr: its own.
    simt_stack_module(const sc_core::sc_module_name &name, unsigned sockets,
                      smrf_simt_stacks *stacks = nullptr);

    target_ports<simt_stack_module, max_ports, &simt_stack_module::line, &simt_stack_module::look>
        line_in; // one a sub-core

    smrf_simt_stacks *stacks()
    {
        return stacks_.get();
    }
    smrf_simt_log *log()
    {
        return &log_;
    }

    // A kernel begins: every warp that starts follows its rules from now on (smrf_simt_start). cfg
    // is kept by pointer. Returns 0 or SMRF_ERR_INVAL.
    int begin_kernel(const smrf_simt_config &cfg, uint32_t first_warp);
    // As after construction but for the kernel's rules: no warp has lanes, nothing is counted.
    void reset();

  private:
    const carried<smrf_simt_stacks> stacks_;
    std::vector<smrf_simt_out> meanings_; // of each warp's last line
    smrf_simt_log log_{};
};

} // namespace smrf

#endif
