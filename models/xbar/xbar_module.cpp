// SPDX-License-Identifier: Apache-2.0
#include "xbar_module.h"

#include "models/tlm/rf_extension.h"

namespace smrf
{

xbar_module::xbar_module(const sc_core::sc_module_name &name, uint32_t collectors, uint32_t banks,
                         uint32_t ports)
    : sc_core::sc_module(name)
{
    smrf_xbar_init(&core_, collectors, ports);
    for (uint32_t c = 0; c < collectors; c++) {
        collector_in.emplace_back(("collector_in_" + std::to_string(c)).c_str(), *this, c);
    }
    for (uint32_t b = 0; b < banks; b++) {
        bank_out.emplace_back(("bank_out_" + std::to_string(b)).c_str(), *this, b);
    }
}

tlm::tlm_sync_enum xbar_module::fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                   sc_core::sc_time &delay)
{
    const auto *ext = gp.get_extension<rf_extension>();
    if (ext == nullptr || ext->fields.bank >= bank_out.size()) {
        return protocol_error(*this, "a read must name one of the sub-core's banks", gp);
    }
    return bank_out[ext->fields.bank].forward(gp, phase, delay);
}

tlm::tlm_sync_enum xbar_module::bw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                   sc_core::sc_time &delay)
{
    smrf_xbar_transfer(&core_);
    return collector_in[gp.get_extension<rf_extension>()->fields.collector].backward(gp, phase,
                                                                                     delay);
}

unsigned xbar_module::debug(unsigned, tlm::tlm_generic_payload &gp)
{
    const auto *ext = gp.get_extension<rf_extension>();
    if (ext == nullptr || ext->fields.bank >= bank_out.size()) {
        return 0;
    }
    return bank_out[ext->fields.bank]->transport_dbg(gp);
}

} // namespace smrf
