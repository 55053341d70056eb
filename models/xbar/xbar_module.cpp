// SPDX-License-Identifier: Apache-2.0
#include "xbar_module.h"

namespace smrf
{

xbar_module::xbar_module(const sc_core::sc_module_name &name, uint32_t collectors, uint32_t banks,
                         uint32_t rows, smrf_xbar *core)
    : sc_core::sc_module(name), core_(core), read_in("read_in", *this, collectors),
      bank_out("bank_out", *this, banks)
{
    if (core_.is_own() && smrf_xbar_init(core_.get(), banks, rows) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/xbar/config", "no such number of banks or rows");
    }
}

tlm::tlm_sync_enum xbar_module::route(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                      sc_core::sc_time &delay)
{
    smrf_xbar &core = *core_;
    const uint64_t address = gp.get_address();
    uint64_t local = 0;
    const unsigned bank = smrf_xbar_route(&core, address, &local);
    if (bank >= core.banks) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    smrf_xbar_transfer(&core, 1);
    gp.set_address(local);
    const tlm::tlm_sync_enum sync = bank_out.forward(bank, gp, phase, delay);
    gp.set_address(address); // its initiator finds it as it was
    return sync;
}

unsigned xbar_module::look(tlm::tlm_generic_payload &gp)
{
    uint64_t local = 0;
    const unsigned bank = smrf_xbar_route(core_.get(), gp.get_address(), &local);
    if (bank >= bank_out.size()) {
        return 0;
    }
    const uint64_t address = gp.get_address();
    gp.set_address(local);
    const unsigned bytes = bank_out.debug(bank, gp);
    gp.set_address(address);
    return bytes;
}

} // namespace smrf
