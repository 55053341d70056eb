// SPDX-License-Identifier: Apache-2.0
#include "arbiter_module.h"

#include "models/tlm/word_access.h"

#include <cstring>

namespace smrf
{

arbiter_module::arbiter_module(const sc_core::sc_module_name &name, const smrf_arbiter_config &cfg,
                               unsigned sub, const smrf_wires &wires, window_clock &clock,
                               rf_pool &pool, unsigned write_ports, smrf_arbiter *core)
    : sc_core::sc_module(name),
      grant_(pool, SMRF_PORT_KIND_grant, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)), clock_(clock),
      core_(core), write_in("write_in", *this, write_ports),
      request_in("request_in", *this, cfg.collectors * cfg.slots),
      store_(core_.is_own() ? make_zeroed<smrf_arbiter_store>() : nullptr)
{
    if (core_.is_own() &&
        smrf_arbiter_init(core_.get(), store_.get(), &cfg, sub, &wires) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/arbiter/config", "no such number of banks, collectors or operands");
    }
}

void arbiter_module::grant(uint32_t flight, const uint32_t *words, unsigned count)
{
    grant_.begin(flight, words);
    grant_.set_length(static_cast<unsigned>(count * sizeof *words));
    send(*this, grant_out, 0, grant_, clock_.delay(), "the collectors take a grant at once");
}

tlm::tlm_sync_enum arbiter_module::take_bank(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                             sc_core::sc_time &)
{
    return answer_bank(*this, gp, phase, core_->num_banks,
                       [&](unsigned bank) { return smrf_arbiter_take_write(core_.get(), bank); });
}

// The checks stand before the reads, so that a wrong request changes nothing.
tlm::tlm_sync_enum arbiter_module::fw(unsigned collector, tlm::tlm_generic_payload &gp,
                                      tlm::tlm_phase &phase, sc_core::sc_time &)
{
    const unsigned bytes = gp.get_data_length(), count = bytes / sizeof(uint32_t);
    if (phase != tlm::BEGIN_REQ || !gp.is_write() || bytes == 0 ||
        bytes > SMRF_MAX_SRC * sizeof(uint32_t) || bytes % sizeof(uint32_t) != 0 ||
        gp.get_address() >= SMRF_FLIGHTS) {
        return protocol_error(*this, "a write of read requests is expected", gp);
    }
    smrf_arbiter &core = *core_;
    const auto *words = reinterpret_cast<const uint32_t *>(gp.get_data_ptr());
    bool wrong = false;
    for (unsigned i = 0; i < count; i++) {
        wrong |= smrf_read_bank(words[i]) >= core.num_banks;
        wrong |= smrf_read_collector(words[i]) != collector;
    }
    if (wrong) {
        return protocol_error(*this, "a request must name a bank and its own collector", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    smrf_arbiter_request(&core, static_cast<uint32_t>(gp.get_address()), words, count);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
