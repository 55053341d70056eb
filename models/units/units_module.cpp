// SPDX-License-Identifier: Apache-2.0
#include "units_module.h"

#include "models/wires/words.h"

#include <cstring>

namespace smrf
{

units_module::units_module(const sc_core::sc_module_name &name, const smrf_units_config &cfg,
                           const smrf_rf_params &rf, const place &p)
    : sc_core::sc_module(name), dispatch_in("dispatch_in", *this, cfg.subcores),
      result_out("result_out", *this, p.wires->cached ? cfg.subcores : 0), place_(p),
      write_(*p.pool, port_kind::write, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      result_(*p.pool, port_kind::result, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      eviction_(*p.pool, port_kind::eviction, tlm::TLM_READ_COMMAND,
                SMRF_EVICTION_WORDS * sizeof(uint32_t)),
      merged_(*p.pool, port_kind::merged, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES),
      units_(p.units), writeback_(p.writeback),
      store_(writeback_.is_own() ? make_zeroed<smrf_writeback_store>() : nullptr)
{
    for (unsigned sub = 0; sub < cfg.subcores; sub++) {
        write_out_.push_back(std::make_unique<initiator_ports<units_module>>(
            "write_out_" + std::to_string(sub), *this, rf.banks));
    }
    if (!units_.is_own()) {
        return;
    }
    smrf_writeback_init(writeback_.get(), store_.get(), &rf, p.flights, p.wires);
    if (smrf_units_init(units_.get(), &cfg, p.flights, p.wires) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/units/config",
                        "no such number of sub-cores, or too long a pipeline");
    }
}

tlm::tlm_sync_enum units_module::fw(unsigned sub, tlm::tlm_generic_payload &gp,
                                    tlm::tlm_phase &phase, sc_core::sc_time &)
{
    uint32_t flight = SMRF_NO_FLIGHT;
    if (phase == tlm::BEGIN_REQ && gp.is_write() && gp.get_data_length() == sizeof flight) {
        std::memcpy(&flight, gp.get_data_ptr(), sizeof flight);
    }
    if (flight >= SMRF_FLIGHTS || place_.flights->record[flight].unit != gp.get_address() ||
        smrf_units_probe_full(units_.get(), sub, unsigned(gp.get_address()))) {
        return protocol_error(*this, "an instruction is expected at its unit, whose latch is free",
                              gp);
    }
    smrf_units_dispatch(units_.get(), sub, flight, place_.clock->cycle());
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

void units_module::write(const smrf_write &w)
{
    const bool values = *place_.wires->values;
    rf_payload &gp = write_.begin(smrf_row_address(place_.rows, w.at.row), w.data, values);
    if (values) {
        gp.extension.fields.version = w.version;
        gp.enable_lanes(w.lanes);
    }
    send(*this, *write_out_[w.sub], w.at.bank, gp, place_.clock->delay(),
         "a bank takes a write at once");
}

bool units_module::result(const smrf_write &w)
{
    uint32_t row[SMRF_LANES];
    const uint32_t *data = w.data;
    const bool values = *place_.wires->values;
    if (values && w.lanes != UINT32_MAX && w.at.row != SMRF_ROW_NONE) {
        // The lanes that were not written are in the bank.
        rf_payload &gp = result_.begin(smrf_row_address(place_.rows, w.at.row), row);
        gp.set_read();
        write_out_[w.sub]->debug(w.at.bank, gp);
        gp.set_write();
        data = row;
    }
    rf_payload &gp = result_.begin(smrf_operand_address(w.flight, w.destination), data, values);
    send(*this, result_out, w.sub, gp, place_.clock->delay(),
         "the operand cache takes a result at once");
    return gp.extension.fields.kept;
}

void units_module::keep(const smrf_write &w)
{
    const uint64_t at = smrf_operand_address(w.flight, SMRF_OPERAND_ALONE + w.destination);
    rf_payload &gp = result_.begin(at, w.data);
    gp.extension.fields.version = w.version;
    gp.enable_lanes(w.lanes);
    send(*this, result_out, w.sub, gp, place_.clock->delay(),
         "the operand cache takes a result at once");
}

uint32_t units_module::evict(unsigned sub, uint32_t token, uint32_t *data, uint32_t *version)
{
    uint32_t word[SMRF_EVICTION_WORDS] = {};
    send(*this, result_out, sub, eviction_.begin(token, word), place_.clock->delay(),
         "the operand cache gives what it evicts at once");
    std::memcpy(data, word, SMRF_WARP_REG_BYTES);
    *version = word[SMRF_LANES + 1];
    return word[SMRF_LANES];
}

void units_module::merged(uint32_t flight, unsigned i, uint32_t *data)
{
    send(*this, merged_out, 0, merged_.begin(smrf_operand_address(flight, i), data),
         place_.clock->delay(), "the merge unit gives its result at once");
}

} // namespace smrf
