// SPDX-License-Identifier: Apache-2.0
#include "issue_module.h"

namespace smrf
{

issue_module::issue_module(const sc_core::sc_module_name &name, const smrf_config &cfg,
                           rf_pool &pool)
    : sc_core::sc_module(name), pool_(pool)
{
    smrf_issue_init(&core_, &cfg, (cfg.sm_warps + cfg.sm_subcores - 1) / cfg.sm_subcores);
}

void issue_module::send(initiator_ports<issue_module> &port, uint64_t address, void *data,
                        uint32_t bytes, sc_core::sc_time &delay)
{
    rf_payload *gp = pool_.allocate();
    gp->set_write();
    gp->set_address(address);
    gp->set_data_ptr(static_cast<unsigned char *>(data));
    gp->set_data_length(bytes);
    gp->set_streaming_width(bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (port.forward(0, *gp, phase, delay) != tlm::TLM_COMPLETED || gp->is_response_error()) {
        protocol_error(*this, "everything is completed at once", *gp);
    }
    gp->release();
}

void issue_module::issue(unsigned unit, uint32_t slot, sc_core::sc_time delay)
{
    send(instr_out, unit, &slot, sizeof slot, delay);
}

void issue_module::control_flow(unsigned warp, smrf_simt_line &line, sc_core::sc_time delay)
{
    send(simt_out, warp, &line, sizeof line, delay);
}

} // namespace smrf
