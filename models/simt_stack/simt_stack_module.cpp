// SPDX-License-Identifier: Apache-2.0
#include "simt_stack_module.h"

#include <cstring>

namespace smrf
{

simt_stack_module::simt_stack_module(const sc_core::sc_module_name &name, unsigned sockets)
    : sc_core::sc_module(name), line_in("line_in", *this, sockets), stacks_(SMRF_MAX_WARPS)
{
}

void simt_stack_module::begin_kernel(const smrf_simt_config &cfg, uint32_t first_warp)
{
    for (uint32_t w = 0; w < SMRF_MAX_WARPS; w++) {
        smrf_simt_init(&stacks_[w], &cfg, first_warp + w, &log_);
    }
}

tlm::tlm_sync_enum simt_stack_module::fw(unsigned, tlm::tlm_generic_payload &gp,
                                         tlm::tlm_phase &phase, sc_core::sc_time &)
{
    if (phase != tlm::BEGIN_REQ || gp.get_data_length() != sizeof(smrf_simt_line) ||
        gp.get_address() >= SMRF_MAX_WARPS) {
        return protocol_error(*this, "a trace line is expected at a warp's address", gp);
    }
    auto *line = reinterpret_cast<smrf_simt_line *>(gp.get_data_ptr());
    smrf_simt_step(&stacks_[gp.get_address()], line->op, line->mask, line->imm, line->out);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

unsigned simt_stack_module::debug(unsigned, tlm::tlm_generic_payload &gp)
{
    if (!gp.is_read() || gp.get_data_length() < sizeof(uint32_t) ||
        gp.get_address() >= SMRF_MAX_WARPS) {
        return 0;
    }
    uint32_t active = smrf_simt_probe_active(&stacks_[gp.get_address()]);
    std::memcpy(gp.get_data_ptr(), &active, sizeof active);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return sizeof active;
}

} // namespace smrf
