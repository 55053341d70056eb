// SPDX-License-Identifier: Apache-2.0
#include "simt_stack_module.h"

#include "models/simt_stack/simt_bytes.h"

#include <cstring>

namespace smrf
{

simt_stack_module::simt_stack_module(const sc_core::sc_module_name &name, unsigned sockets,
                                     smrf_simt_stacks *stacks)
    : sc_core::sc_module(name), line_in("line_in", *this, sockets), stacks_(stacks),
      meanings_(SMRF_MAX_WARPS)
{
}

int simt_stack_module::begin_kernel(const smrf_simt_config &cfg, uint32_t first_warp)
{
    return smrf_simt_begin_kernel(stacks_.get(), &cfg, first_warp, &log_);
}

void simt_stack_module::reset()
{
    smrf_simt_stacks_reset(stacks_.get());
    meanings_.assign(SMRF_MAX_WARPS, smrf_simt_out{});
    log_ = smrf_simt_log{};
}

tlm::tlm_sync_enum simt_stack_module::line(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                           sc_core::sc_time &)
{
    const uint64_t warp = gp.get_address();
    if (phase != tlm::BEGIN_REQ || warp >= SMRF_MAX_WARPS) {
        return protocol_error(*this, "a request to a warp's address is expected", gp);
    }
    if (gp.is_write() && gp.get_data_length() == simt_line_bytes) {
        const smrf_simt_line line = simt_line_from(gp.get_data_ptr());
        smrf_simt_step(&stacks_->stack[warp], &line, &meanings_[warp]);
    } else if (gp.is_read() && gp.get_data_length() == simt_out_bytes) {
        const simt_out_data meaning = to_bytes(meanings_[warp]);
        std::memcpy(gp.get_data_ptr(), meaning.data(), meaning.size());
    } else {
        return protocol_error(*this, "a line is written, or its meaning read, whole", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

unsigned simt_stack_module::look(tlm::tlm_generic_payload &gp)
{
    if (!gp.is_read() || gp.get_data_length() < sizeof(uint32_t) ||
        gp.get_address() >= SMRF_MAX_WARPS) {
        return 0;
    }
    const uint32_t active = smrf_simt_probe_active(&stacks_->stack[gp.get_address()]);
    for (unsigned i = 0; i < sizeof active; i++) {
        gp.get_data_ptr()[i] = static_cast<uint8_t>(active >> 8 * i);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return sizeof active;
}

} // namespace smrf
