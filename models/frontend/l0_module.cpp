// SPDX-License-Identifier: Apache-2.0
#include "l0_module.h"

#include "models/frontend/fetch_module.h"
#include "models/wires/words.h"

namespace smrf
{

l0_module::l0_module(const sc_core::sc_module_name &name, const smrf_frontend_params &params,
                     const place &p)
    : sc_core::sc_module(name), clock_(*p.clock),
      line_(*p.pool, SMRF_PORT_KIND_code_line, tlm::TLM_READ_COMMAND, SMRF_LINE_BYTES),
      core_(p.core)
{
    if (!core_.is_own()) {
        return;
    }
    own_wires_.ctx = this;
    own_wires_.code_line = [](void *ctx, unsigned, uint32_t pc, uint64_t cycle, bool waits) {
        return static_cast<l0_module *>(ctx)->line(pc, cycle, waits);
    };
    lines_ = make_zeroed_array<smrf_icache_line>(SMRF_L0_LINES);
    if (smrf_l0_init(core_.get(), lines_.get(), &params, p.sub, p.subcores, &own_wires_) !=
        SMRF_OK) {
        SC_REPORT_ERROR("/smrf/l0/config", "no such number of lines, ways or lines ahead");
    }
}

uint64_t l0_module::line(uint32_t pc, uint64_t cycle, bool waits)
{
    line_.begin_read(waits ? SMRF_LINE_AWAITED + pc : pc, nullptr, false);
    return clock_.cycle_at(send(*this, line_out, 0, line_, clock_.delay_to(cycle),
                                "the SM's instruction cache answers at once"));
}

tlm::tlm_sync_enum l0_module::fetched(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                      sc_core::sc_time &delay)
{
    if (phase != tlm::BEGIN_REQ || gp.get_command() != tlm::TLM_IGNORE_COMMAND ||
        gp.get_address() > UINT32_MAX) {
        return protocol_error(*this, "an instruction is fetched by an ignored command at its pc",
                              gp);
    }
    const auto pc = static_cast<uint32_t>(gp.get_address());
    delay = clock_.delay_to(smrf_l0_fetch(core_.get(), pc, clock_.cycle_at(delay)));
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
