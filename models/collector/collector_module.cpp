// SPDX-License-Identifier: Apache-2.0
#include "collector_module.h"

#include <cstring>

namespace smrf
{

collector_module::collector_module(const sc_core::sc_module_name &name, const smrf_rf_params &rf,
                                   const place &p)
    : sc_core::sc_module(name), request_out("request_out", *this, rf.collectors),
      read_out("read_out", *this, rf.collectors), place_(p),
      request_(*p.pool, tlm::TLM_WRITE_COMMAND, sizeof(smrf_read)),
      read_(*p.pool, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES)
{
    smrf_collectors_init(&core_, &rf);
}

tlm::tlm_sync_enum collector_module::fw(unsigned, tlm::tlm_generic_payload &gp,
                                        tlm::tlm_phase &phase, sc_core::sc_time &)
{
    uint32_t slot = 0;
    if (phase != tlm::BEGIN_REQ || gp.get_data_length() != sizeof slot ||
        gp.get_address() >= core_.count) {
        return protocol_error(*this, "an instruction's number is expected at a unit's address", gp);
    }
    std::memcpy(&slot, gp.get_data_ptr(), sizeof slot);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    smrf_sm_collect(place_.sm, place_.sub, static_cast<unsigned>(gp.get_address()), slot);
    return tlm::TLM_COMPLETED;
}

void collector_module::request(unsigned unit, const smrf_read *reads, unsigned count,
                               sc_core::sc_time delay)
{
    request_.set_length(static_cast<unsigned>(count * sizeof *reads));
    rf_payload &gp = request_.begin(unit, reads);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (request_out.forward(unit, gp, phase, delay) != tlm::TLM_COMPLETED ||
        gp.is_response_error()) {
        protocol_error(*this, "the arbiter takes requests at once", gp);
    }
}

uint32_t collector_module::read(const smrf_read &read, sc_core::sc_time delay)
{
    rf_payload &gp =
        read_.begin((uint64_t{place_.first_register} + read.phys) * SMRF_WARP_REG_BYTES,
                    core_.unit[read.collector].data[read.operand]);
    rf_fields &f = gp.extension.fields;
    f.flight = read.slot;
    f.lanes = UINT32_MAX;
    f.phys_reg = read.phys;
    f.arch_reg = read.reg;
    f.warp = read.warp;
    f.collector = read.collector;
    f.bank = read.bank;
    f.slot = read.operand;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (read_out.forward(read.collector, gp, phase, delay) != tlm::TLM_COMPLETED ||
        gp.is_response_error()) {
        protocol_error(*this, "a granted read is completed at once", gp);
    }
    return f.version;
}

} // namespace smrf
