// SPDX-License-Identifier: Apache-2.0
#include "arbiter_module.h"

#include "models/tlm/rf_extension.h"

namespace smrf
{

arbiter_module::arbiter_module(const sc_core::sc_module_name &name, uint32_t banks,
                               uint32_t operands)
    : sc_core::sc_module(name), banks_(banks)
{
    smrf_arbiter_init(&core_, banks, operands);
    for (uint32_t b = 0; b < banks; b++) {
        read_in.emplace_back(("read_in_" + std::to_string(b)).c_str(), *this, b);
        write_in.emplace_back(("write_in_" + std::to_string(b)).c_str(), *this, banks + b);
        bank_out.emplace_back(("bank_out_" + std::to_string(b)).c_str(), *this, b);
    }
}

tlm::tlm_sync_enum arbiter_module::fw(unsigned index, tlm::tlm_generic_payload &gp,
                                      tlm::tlm_phase &phase, sc_core::sc_time &delay)
{
    if (phase != tlm::BEGIN_REQ) {
        return protocol_error(*this, "only BEGIN_REQ is expected", gp);
    }
    if (index >= banks_) {
        return bank_out[index - banks_].forward(gp, phase, delay);
    }
    const auto *ext = gp.get_extension<rf_extension>();
    if (ext == nullptr) {
        return protocol_error(*this, "a read needs its register extension", gp);
    }
    const rf_fields &f = ext->fields;
    smrf_read read{};
    read.token = &gp;
    read.slot = f.flight;
    read.bank = static_cast<uint8_t>(index);
    read.collector = f.collector;
    read.operand = f.slot;
    read.reg = f.arch_reg;
    read.phys = f.phys_reg;
    read.warp = f.warp;
    smrf_arbiter_push(&core_, &read);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void arbiter_module::grant(const smrf_read &read, sc_core::sc_time delay)
{
    auto &gp = *static_cast<tlm::tlm_generic_payload *>(read.token);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (bank_out[read.bank].forward(gp, phase, delay) != tlm::TLM_COMPLETED) {
        protocol_error(*this, "a bank must complete at once", gp);
    }
    phase = tlm::BEGIN_RESP;
    if (read_in[read.bank].backward(gp, phase, delay) != tlm::TLM_COMPLETED) {
        protocol_error(*this, "a collector must take its operand at once", gp);
    }
}

tlm::tlm_sync_enum arbiter_module::bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &,
                                      sc_core::sc_time &)
{
    return protocol_error(*this, "a bank must complete at once", gp);
}

unsigned arbiter_module::debug(unsigned index, tlm::tlm_generic_payload &gp)
{
    return bank_out[index % banks_]->transport_dbg(gp);
}

} // namespace smrf
