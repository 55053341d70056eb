// SPDX-License-Identifier: Apache-2.0
#include "xbar_module.h"

#include "models/tlm/payload_pool.h"

namespace smrf
{

xbar_module::xbar_module(const sc_core::sc_module_name &name, uint32_t collectors, uint32_t banks,
                         uint32_t ports)
    : sc_core::sc_module(name), read_in("read_in", *this, collectors),
      bank_out("bank_out", *this, banks)
{
    smrf_xbar_init(&core_, collectors, ports);
}

tlm::tlm_sync_enum xbar_module::fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                   sc_core::sc_time &delay)
{
    const rf_fields *f = register_fields(gp);
    if (f == nullptr || f->bank >= bank_out.size()) {
        return protocol_error(*this, "a read must name one of the sub-core's banks", gp);
    }
    smrf_xbar_transfer(&core_);
    return bank_out.forward(f->bank, gp, phase, delay);
}

unsigned xbar_module::debug(unsigned, tlm::tlm_generic_payload &gp)
{
    const rf_fields *f = register_fields(gp);
    return f && f->bank < bank_out.size() ? bank_out.debug(f->bank, gp) : 0;
}

} // namespace smrf
