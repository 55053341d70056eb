// SPDX-License-Identifier: Apache-2.0
#include "constant_l0_module.h"

namespace smrf
{

constant_l0_module::constant_l0_module(const sc_core::sc_module_name &name,
                                       const smrf_frontend_params &params, window_clock *clock,
                                       smrf_icache *core)
    : sc_core::sc_module(name), clock_(*clock), core_(core)
{
    if (!core_.is_own()) {
        return;
    }
    lines_ = make_zeroed_array<smrf_icache_line>(SMRF_CONSTANT_LINES);
    if (smrf_constant_l0_init(core_.get(), lines_.get(), &params) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/constant_l0/config", "no such number of lines or ways");
    }
}

tlm::tlm_sync_enum constant_l0_module::read_constant(tlm::tlm_generic_payload &gp,
                                                     tlm::tlm_phase &phase, sc_core::sc_time &delay)
{
    if (phase != tlm::BEGIN_REQ || gp.get_command() != tlm::TLM_IGNORE_COMMAND ||
        gp.get_address() > UINT32_MAX) {
        return protocol_error(*this, "a constant is read by an ignored command at its address", gp);
    }
    const auto address = static_cast<uint32_t>(gp.get_address());
    delay = clock_.delay_to(smrf_icache_fetch(core_.get(), address, clock_.cycle_at(delay)));
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
