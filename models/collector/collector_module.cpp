// SPDX-License-Identifier: Apache-2.0
#include "collector_module.h"

#include <cstring>

namespace smrf
{

collector_module::collector_module(const sc_core::sc_module_name &name, const smrf_config &cfg,
                                   const place &p)
    : sc_core::sc_module(name), request_out("request_out", *this, cfg.rf_collectors),
      read_out("read_out", *this, cfg.rf_collectors), place_(p)
{
    smrf_collectors_init(&core_, &cfg);
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
    rf_payload *gp = place_.pool->allocate();
    const auto bytes = static_cast<unsigned>(count * sizeof *reads);
    gp->set_write();
    gp->set_address(unit);
    // A write payload's data is only read; TLM has no const pointer for it.
    gp->set_data_ptr(reinterpret_cast<unsigned char *>(const_cast<smrf_read *>(reads)));
    gp->set_data_length(bytes);
    gp->set_streaming_width(bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (request_out.forward(unit, *gp, phase, delay) != tlm::TLM_COMPLETED ||
        gp->is_response_error()) {
        protocol_error(*this, "the arbiter takes requests at once", *gp);
    }
    gp->release();
}

uint32_t collector_module::read(const smrf_read &read, sc_core::sc_time delay)
{
    rf_payload *gp = place_.pool->allocate();
    rf_fields &f = gp->extension.fields = rf_fields{};
    f.flight = read.slot;
    f.lanes = UINT32_MAX;
    f.phys_reg = read.phys;
    f.arch_reg = read.reg;
    f.warp = read.warp;
    f.collector = read.collector;
    f.bank = read.bank;
    f.slot = read.operand;
    gp->set_read();
    gp->set_address((uint64_t{place_.first_register} + read.phys) * SMRF_WARP_REG_BYTES);
    gp->set_data_ptr(
        reinterpret_cast<unsigned char *>(core_.unit[read.collector].data[read.operand]));
    gp->set_data_length(SMRF_WARP_REG_BYTES);
    gp->set_streaming_width(SMRF_WARP_REG_BYTES);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    if (read_out.forward(read.collector, *gp, phase, delay) != tlm::TLM_COMPLETED ||
        gp->is_response_error()) {
        protocol_error(*this, "a granted read is completed at once", *gp);
    }
    const uint32_t version = f.version;
    gp->release();
    return version;
}

} // namespace smrf
