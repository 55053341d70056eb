// SPDX-License-Identifier: Apache-2.0
// Instruction cache of a sub-core with its stream buffer.
//
// | socket      | what passes                                                       | address |
// | ----------- | ----------------------------------------------------------------- | ------- |
// | fetch_in[0] | an ignored command of 16 bytes: an instruction. The annotated     | pc      |
// |             | time that goes back is that from which it is there                |         |
// | line_out[0] | an ignored command of 128 bytes: a line of code, ahead, or        | line,   |
// |             | awaited (SMRF_LINE_AWAITED is added to its address)               | awaited |
//
// All are completed at once.
#ifndef SMRF_L0_MODULE_H
#define SMRF_L0_MODULE_H

#include "models/frontend/l0.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/ports.h"
#include "models/tlm/window_clock.h"
#include "models/tlm/zeroed.h"

namespace smrf
{

class l0_module : public sc_core::sc_module
{
    tlm::tlm_sync_enum fetched(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                               sc_core::sc_time &delay);

  public:
    struct place {
        uint32_t sub, subcores;
        window_clock *clock;
        rf_pool *pool;
        smrf_l0 *core = nullptr; // its own
    };
    l0_module(const sc_core::sc_module_name &name, const smrf_frontend_params &params,
              const place &p);

    target_ports<l0_module, 1, &l0_module::fetched> fetch_in{"fetch_in", *this, 1};
    initiator_ports<l0_module, 1> line_out{"line_out", *this, 1};

    smrf_l0 *core()
    {
        return core_.get();
    }
    // The wire of its core, as in struct smrf_wires.
    uint64_t line(uint32_t pc, uint64_t cycle, bool waits);

    tlm::tlm_sync_enum bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                          sc_core::sc_time &)
    {
        return protocol_error(*this, "everything is completed at once", gp);
    }

  private:
    window_clock &clock_;
    port_payload line_;
    smrf_wires own_wires_{}; // of its own core
    const carried<smrf_l0> core_;
    zeroed_ptr<smrf_icache_line[]> lines_; // the same
};

} // namespace smrf

#endif
