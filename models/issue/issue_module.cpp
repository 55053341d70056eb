// SPDX-License-Identifier: Apache-2.0
#include "issue_module.h"

namespace smrf
{

issue_module::issue_module(const sc_core::sc_module_name &name, const smrf_issue_config &cfg,
                           rf_pool &pool)
    : sc_core::sc_module(name), instr_(pool, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      line_(pool, tlm::TLM_WRITE_COMMAND, simt_line_bytes),
      meaning_(pool, tlm::TLM_READ_COMMAND, simt_out_bytes)
{
    if (smrf_issue_init(&core_, &cfg, nullptr) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/issue/config", "the issue stage cannot be built");
    }
}

void issue_module::send(initiator_ports<issue_module, 1> &port, rf_payload &gp,
                        sc_core::sc_time &delay)
{
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (port.forward(0, gp, phase, delay) != tlm::TLM_COMPLETED || gp.is_response_error()) {
        protocol_error(*this, "everything is completed at once", gp);
    }
}

void issue_module::issue(unsigned unit, uint32_t slot, sc_core::sc_time delay)
{
    send(instr_out, instr_.begin(unit, &slot), delay);
}

smrf_simt_out issue_module::control_flow(unsigned warp, const smrf_simt_line &line,
                                         sc_core::sc_time delay)
{
    simt_line_data told = to_bytes(line);
    simt_out_data meaning{};
    send(simt_out, line_.begin(warp, told.data()), delay);
    send(simt_out, meaning_.begin(warp, meaning.data()), delay);
    return simt_out_from(meaning.data());
}

} // namespace smrf
