// SPDX-License-Identifier: Apache-2.0
#include "arbiter_module.h"

#include <cstring>

namespace smrf
{

arbiter_module::arbiter_module(const sc_core::sc_module_name &name, const smrf_arbiter_config &cfg,
                               unsigned sub, const smrf_wires &wires, window_clock &clock,
                               rf_pool &pool, smrf_arbiter *core)
    : sc_core::sc_module(name), request_in("request_in", *this, cfg.collectors * cfg.slots),
      clock_(clock), grant_(pool, port_kind::grant, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      core_(core), store_(core_.is_own() ? make_zeroed<smrf_arbiter_store>() : nullptr)
{
    if (core_.is_own() &&
        smrf_arbiter_init(core_.get(), store_.get(), &cfg, sub, &wires) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/arbiter/config", "no such number of banks, collectors or operands");
    }
}

void arbiter_module::grant(const smrf_read *reads, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        send(*this, grant_out, 0, grant_.begin(reads[i].flight, &reads[i].word), clock_.delay(),
             "the collectors take a grant at once");
    }
}

tlm::tlm_sync_enum arbiter_module::fw(unsigned collector, tlm::tlm_generic_payload &gp,
                                      tlm::tlm_phase &phase, sc_core::sc_time &)
{
    const unsigned bytes = gp.get_data_length();
    if (phase != tlm::BEGIN_REQ || !gp.is_write() || bytes == 0 ||
        bytes > SMRF_MAX_SRC * sizeof(uint32_t) || bytes % sizeof(uint32_t) != 0 ||
        gp.get_address() >= SMRF_FLIGHTS) {
        return protocol_error(*this, "a write of read requests is expected", gp);
    }
    const auto flight = static_cast<uint32_t>(gp.get_address());
    const unsigned char *const end = gp.get_data_ptr() + bytes;
    smrf_read read = {flight, 0};
    for (const unsigned char *p = gp.get_data_ptr(); p != end; p += sizeof read.word) {
        std::memcpy(&read.word, p, sizeof read.word);
        if (smrf_read_bank(&read) >= core_->num_banks || smrf_read_collector(&read) != collector) {
            return protocol_error(*this, "a request must name a bank and its own collector", gp);
        }
    }
    for (const unsigned char *p = gp.get_data_ptr(); p != end; p += sizeof read.word) {
        std::memcpy(&read.word, p, sizeof read.word);
        smrf_arbiter_push(core_.get(), read);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
