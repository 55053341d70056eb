// SPDX-License-Identifier: Apache-2.0
#include "issue_module.h"

#include "models/tlm/word_access.h"

#include <cstring>

namespace smrf
{

issue_module::issue_module(const sc_core::sc_module_name &name, const smrf_issue_config &cfg,
                           const place &p)
    : sc_core::sc_module(name),
      instr_(*p.pool, SMRF_PORT_KIND_instruction, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      ends_(*p.ends), clock_(*p.clock),
      line_(*p.pool, SMRF_PORT_KIND_line, tlm::TLM_WRITE_COMMAND, simt_line_bytes),
      meaning_(*p.pool, SMRF_PORT_KIND_meaning, tlm::TLM_READ_COMMAND, simt_out_bytes),
      status_(*p.pool, SMRF_PORT_KIND_status, tlm::TLM_READ_COMMAND, sizeof(uint64_t)),
      flush_(*p.pool, SMRF_PORT_KIND_flush, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      constant_(*p.pool, SMRF_PORT_KIND_constant, tlm::TLM_READ_COMMAND, sizeof(uint32_t)),
      status_out("status_out", *this, p.cached ? 1 : 0),
      constant_out("constant_out", *this, p.constants ? 1 : 0), sub_(cfg.sub), core_(p.core),
      store_(core_.is_own() ? make_zeroed<smrf_issue_store>() : nullptr)
{
    if (core_.is_own() && smrf_issue_init(core_.get(), store_.get(), &cfg, nullptr) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/issue/config", "the issue stage cannot be built");
    }
}

// --- what goes out -------------------------------------------------------------------------------

void issue_module::allocate(unsigned collector, uint32_t flight)
{
    instr_.begin(collector, &flight);
    send(*this, instr_out, 0, instr_, clock_.delay(),
         "a free collector takes an instruction at once");
}

smrf_simt_out issue_module::line(unsigned warp, const smrf_simt_line &line)
{
    simt_line_data bytes = to_bytes(line);
    simt_out_data meaning{};
    line_.begin(warp, bytes.data());
    send(*this, simt_out, 0, line_, clock_.delay(), "the SIMT stack takes a line at once");
    meaning_.begin(warp, meaning.data());
    send(*this, simt_out, 0, meaning_, clock_.delay(), "the SIMT stack answers at once");
    return simt_out_from(meaning.data());
}

uint64_t issue_module::status()
{
    uint64_t warps = 0;
    status_.begin(0, &warps);
    send(*this, status_out, 0, status_, clock_.delay(), "the operand cache answers at once");
    return warps;
}

void issue_module::flush(unsigned warp)
{
    flush_.begin(sub_, &warp);
    send(*this, flush_out, 0, flush_, clock_.delay(),
         "the load/store unit learns of a barrier's end at once");
}

uint64_t issue_module::constant(uint32_t address)
{
    constant_.begin_read(address, nullptr, false);
    return clock_.cycle_at(send(*this, constant_out, 0, constant_, clock_.delay(),
                                "the constant cache answers at once"));
}

// --- what comes in -------------------------------------------------------------------------------

namespace
{

constexpr uint64_t registers_end = 4 * (SMRF_DEPEND_UNIFORM + 256); // with the uniform ones

} // namespace

tlm::tlm_sync_enum issue_module::result(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                        sc_core::sc_time &)
{
    const uint64_t at = gp.get_address();
    uint32_t flight = 0;
    if (!take_word(gp, phase, UINT64_MAX, flight) || flight >= SMRF_FLIGHTS ||
        (at >= registers_end && at != SMRF_RESULT_RETIRED && at != SMRF_RESULT_SETTLED)) {
        return protocol_error(*this, "an instruction's number is expected at a register", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    if (at == SMRF_RESULT_SETTLED) {
        ends_.settled(ends_.ctx, flight);
    } else if (at == SMRF_RESULT_RETIRED) {
        ends_.retired(ends_.ctx, flight);
    } else {
        ends_.released(ends_.ctx, flight, static_cast<unsigned>(at / 4));
    }
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum issue_module::answer(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                        sc_core::sc_time &)
{
    const uint64_t at = gp.get_address();
    uint32_t word = 0;
    if (!take_word(gp, phase, UINT64_MAX, word) || at > SMRF_ANSWERED_ATOMIC ||
        (at == SMRF_ANSWERED_ATOMIC && word >= SMRF_FLIGHTS)) {
        return protocol_error(*this, "answers of the memory are written to their warp", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    if (at == SMRF_ANSWERED_ATOMIC) {
        ends_.answered(ends_.ctx, word);
    } else {
        ends_.stores(ends_.ctx, static_cast<unsigned>(at / 4), static_cast<int32_t>(word));
    }
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum issue_module::sources_read(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                              sc_core::sc_time &)
{
    uint32_t sources = 0;
    if (!take_word(gp, phase, UINT64_MAX, sources) || gp.get_address() >= SMRF_FLIGHTS) {
        return protocol_error(*this, "a mask of sources is expected at an instruction", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    ends_.collected(ends_.ctx, static_cast<uint32_t>(gp.get_address()), sources);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
