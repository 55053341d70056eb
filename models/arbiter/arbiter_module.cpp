// SPDX-License-Identifier: Apache-2.0
#include "arbiter_module.h"

namespace smrf
{

arbiter_module::arbiter_module(const sc_core::sc_module_name &name, uint32_t banks,
                               uint32_t collectors)
    : sc_core::sc_module(name), request_in("request_in", *this, collectors)
{
    smrf_arbiter_init(&core_, banks, collectors * SMRF_MAX_SRC);
}

tlm::tlm_sync_enum arbiter_module::fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                      sc_core::sc_time &)
{
    const auto *reads = reinterpret_cast<const smrf_read *>(gp.get_data_ptr());
    const unsigned bytes = gp.get_data_length();
    if (phase != tlm::BEGIN_REQ || !gp.is_write() || bytes == 0 || bytes % sizeof *reads != 0) {
        return protocol_error(*this, "a write of read requests is expected", gp);
    }
    const unsigned count = bytes / static_cast<unsigned>(sizeof *reads);
    for (unsigned i = 0; i < count; i++) {
        if (reads[i].bank >= core_.num_banks) {
            return protocol_error(*this, "a request must name one of the banks", gp);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        smrf_arbiter_push(&core_, &reads[i]);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
