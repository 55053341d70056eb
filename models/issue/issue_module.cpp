// SPDX-License-Identifier: Apache-2.0
#include "issue_module.h"

namespace smrf
{

issue_module::issue_module(const sc_core::sc_module_name &name, const smrf_issue_config &cfg,
                           bool cached, window_clock &clock, rf_pool &pool, smrf_issue *core)
    : sc_core::sc_module(name), status_out("status_out", *this, cached ? 1 : 0), clock_(clock),
      instr_(pool, port_kind::instruction, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      line_(pool, port_kind::line, tlm::TLM_WRITE_COMMAND, simt_line_bytes),
      meaning_(pool, port_kind::meaning, tlm::TLM_READ_COMMAND, simt_out_bytes),
      status_(pool, port_kind::status, tlm::TLM_READ_COMMAND, sizeof(uint64_t)), core_(core),
      store_(core_.is_own() ? make_zeroed<smrf_issue_store>() : nullptr)
{
    if (core_.is_own() && smrf_issue_init(core_.get(), store_.get(), &cfg, nullptr) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/issue/config", "the issue stage cannot be built");
    }
}

void issue_module::allocate(unsigned collector, uint32_t flight)
{
    send(*this, instr_out, 0, instr_.begin(collector, &flight), clock_.delay(),
         "a free collector takes an instruction at once");
}

smrf_simt_out issue_module::line(unsigned warp, const smrf_simt_line &line)
{
    simt_line_data told = to_bytes(line);
    simt_out_data meaning{};
    send(*this, simt_out, 0, line_.begin(warp, told.data()), clock_.delay(),
         "the SIMT stack takes a line at once");
    send(*this, simt_out, 0, meaning_.begin(warp, meaning.data()), clock_.delay(),
         "the SIMT stack answers at once");
    return simt_out_from(meaning.data());
}

uint64_t issue_module::status()
{
    uint64_t warps = 0;
    send(*this, status_out, 0, status_.begin(0, &warps), clock_.delay(),
         "the operand cache answers at once");
    return warps;
}

} // namespace smrf
