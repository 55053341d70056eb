// SPDX-License-Identifier: Apache-2.0
#include "icache_module.h"

#include "models/wires/words.h"

namespace smrf
{

icache_module::icache_module(const sc_core::sc_module_name &name,
                             const smrf_frontend_params &params, unsigned subcores,
                             window_clock *clock, smrf_icache *core)
    : sc_core::sc_module(name), line_in("line_in", *this, subcores), clock_(*clock), core_(core)
{
    if (!core_.is_own()) {
        return;
    }
    lines_ = make_zeroed_array<smrf_icache_line>(SMRF_ICACHE_LINES);
    if (smrf_icache_init(core_.get(), lines_.get(), &params) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/icache/config", "no such number of lines or ways");
    }
}

tlm::tlm_sync_enum icache_module::read_line(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                            sc_core::sc_time &delay)
{
    if (phase != tlm::BEGIN_REQ || gp.get_command() != tlm::TLM_IGNORE_COMMAND ||
        gp.get_address() >= 2 * SMRF_LINE_AWAITED) {
        return protocol_error(*this, "code is fetched by an ignored command at its address", gp);
    }
    const bool waits = gp.get_address() >= SMRF_LINE_AWAITED;
    const auto pc = static_cast<uint32_t>(gp.get_address());
    const uint64_t cycle = clock_.cycle_at(delay);
    delay = clock_.delay_to(waits ? smrf_icache_give(core_.get(), pc, cycle)
                                  : smrf_icache_fetch(core_.get(), pc, cycle));
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
