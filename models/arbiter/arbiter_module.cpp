// SPDX-License-Identifier: Apache-2.0
#include "arbiter_module.h"

#include "models/tlm/payload_pool.h"

namespace smrf
{

arbiter_module::arbiter_module(const sc_core::sc_module_name &name, uint32_t banks,
                               uint32_t collectors)
    : sc_core::sc_module(name), read_in("read_in", *this, collectors),
      xbar_out("xbar_out", *this, banks)
{
    smrf_arbiter_init(&core_, banks, collectors * SMRF_MAX_SRC);
}

tlm::tlm_sync_enum arbiter_module::fw(unsigned collector, tlm::tlm_generic_payload &gp,
                                      tlm::tlm_phase &phase, sc_core::sc_time &)
{
    const rf_fields *f = register_fields(gp);
    if (phase != tlm::BEGIN_REQ || f == nullptr || f->bank >= core_.num_banks) {
        return protocol_error(*this, "BEGIN_REQ of a read of one of the banks is expected", gp);
    }
    smrf_read *read = smrf_arbiter_push(&core_, f->bank);
    read->token = &gp;
    read->slot = f->flight;
    read->phys = f->phys_reg;
    read->collector = static_cast<uint8_t>(collector);
    read->operand = f->slot;
    read->reg = f->arch_reg;
    read->warp = f->warp;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void arbiter_module::grant(const smrf_read &read, sc_core::sc_time delay)
{
    auto &gp = *static_cast<tlm::tlm_generic_payload *>(read.token);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (xbar_out.forward(read.bank, gp, phase, delay) != tlm::TLM_COMPLETED) {
        protocol_error(*this, "a bank must complete at once", gp);
    }
    phase = tlm::BEGIN_RESP;
    if (read_in.backward(read.collector, gp, phase, delay) != tlm::TLM_COMPLETED) {
        protocol_error(*this, "a collector must take its operand at once", gp);
    }
}

unsigned arbiter_module::debug(unsigned, tlm::tlm_generic_payload &gp)
{
    const rf_fields *f = register_fields(gp);
    return f && f->bank < xbar_out.size() ? xbar_out.debug(f->bank, gp) : 0;
}

} // namespace smrf
