// SPDX-License-Identifier: Apache-2.0
#include "units_module.h"

#include "models/wires/words.h"

#include <cstring>

namespace smrf
{

units_module::units_module(const sc_core::sc_module_name &name, const smrf_units_config &cfg,
                           const smrf_rf_params &rf, const place &p)
    : sc_core::sc_module(name), place_(p), banks_(rf.banks), units_(p.units),
      writeback_(p.writeback),
      drained_(*p.pool, SMRF_PORT_KIND_drained, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      port_(*p.pool, SMRF_PORT_KIND_port, tlm::TLM_READ_COMMAND, sizeof(uint32_t)),
      write_(*p.pool, SMRF_PORT_KIND_write, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      settled_(*p.pool, SMRF_PORT_KIND_settled, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      access_(*p.pool, SMRF_PORT_KIND_access, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      released_(*p.pool, SMRF_PORT_KIND_released, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      retired_(*p.pool, SMRF_PORT_KIND_retired, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      drained_out("drained_out", *this, cfg.subcores), port_out("port_out", *this, cfg.subcores),
      settled_out("settled_out", *this, cfg.subcores),
      dispatch_in("dispatch_in", *this, cfg.subcores),
      result_out("result_out", *this, p.wires->cached ? cfg.subcores : 0),
      forward_out("forward_out", *this, p.wires->forwarded ? cfg.subcores : 0),
      forward_(*p.pool, SMRF_PORT_KIND_forward, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      alone_(*p.pool, SMRF_PORT_KIND_alone, tlm::TLM_READ_COMMAND, sizeof(uint32_t)),
      result_(*p.pool, SMRF_PORT_KIND_result, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      keep_(*p.pool, SMRF_PORT_KIND_keep, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      eviction_(*p.pool, SMRF_PORT_KIND_eviction, tlm::TLM_READ_COMMAND,
                SMRF_EVICTION_WORDS * sizeof(uint32_t)),
      merged_(*p.pool, SMRF_PORT_KIND_merged, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES),
      store_(writeback_.is_own() ? make_zeroed<smrf_writeback_store>() : nullptr)
{
    for (unsigned sub = 0; sub < cfg.subcores; sub++) {
        write_out_.add("write_out_" + std::to_string(sub), *this, banks_);
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

tlm::tlm_sync_enum units_module::load(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                      sc_core::sc_time &)
{
    const uint64_t flight = gp.get_address() / SMRF_LOAD_SPAN;
    const unsigned what = gp.get_address() % SMRF_LOAD_SPAN;
    const bool offers = what == SMRF_LOAD_OFFER || what == SMRF_LOAD_LAST_OFFER;
    if (phase != tlm::BEGIN_REQ || flight >= SMRF_FLIGHTS ||
        gp.get_data_length() != sizeof(uint32_t) ||
        !(offers ? gp.is_read() : what == SMRF_LOAD_PORTLESS && gp.is_write())) {
        return protocol_error(*this, "a load offers its results, or has them without ports", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    const auto number = static_cast<uint32_t>(flight);
    if (offers) {
        const uint32_t taken =
            smrf_writeback_offer(writeback_.get(), number, what == SMRF_LOAD_LAST_OFFER)
                ? SMRF_WORD_YES
                : SMRF_WORD_NO;
        std::memcpy(gp.get_data_ptr(), &taken, sizeof taken);
    } else {
        smrf_writeback_portless(writeback_.get(), number);
    }
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum units_module::schedule(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                          sc_core::sc_time &)
{
    uint64_t due = 0;
    if (phase != tlm::BEGIN_REQ || !gp.is_write() || gp.get_data_length() != sizeof due ||
        gp.get_address() >= SMRF_FLIGHTS) {
        return protocol_error(*this, "a cycle is expected at an instruction's number", gp);
    }
    std::memcpy(&due, gp.get_data_ptr(), sizeof due);
    smrf_units_schedule(units_.get(), static_cast<uint32_t>(gp.get_address()), due);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// --- latches -------------------------------------------------------------------------------------

void units_module::drained(unsigned sub, unsigned unit)
{
    const uint32_t free = SMRF_WORD_YES;
    drained_.begin(unit, &free);
    send(*this, drained_out, sub, drained_, now(), "the collectors take a free latch at once");
}

void units_module::access(uint32_t flight)
{
    access_.begin(place_.flights->record[flight].sub, &flight);
    send(*this, access_out, 0, access_, now(), "the load/store unit takes an instruction at once");
}

// --- to the issue stage --------------------------------------------------------------------------

inline void units_module::settle(port_payload &t, uint32_t flight, uint64_t address)
{
    t.begin(address, &flight);
    send(*this, settled_out, place_.flights->record[flight].sub, t, now(),
         "the issue stage takes a result at once");
}

void units_module::released(uint32_t flight, unsigned reg)
{
    settle(released_, flight, uint64_t{4} * reg);
}

void units_module::retired(uint32_t flight)
{
    settle(retired_, flight, SMRF_RESULT_RETIRED);
}

void units_module::settled(uint32_t flight)
{
    settle(settled_, flight, SMRF_RESULT_SETTLED);
}

// --- to the banks and the operand cache ----------------------------------------------------------

bool units_module::port(unsigned sub, unsigned bank)
{
    uint32_t taken = SMRF_WORD_NO;
    port_.begin(bank, &taken);
    send(*this, port_out, sub, port_, now(), "the arbiter answers a write at once");
    return taken != SMRF_WORD_NO;
}

void units_module::write(const smrf_write &w)
{
    const uint64_t address = smrf_row_address(place_.rows, w.at.row);
    if (*place_.wires->values) {
        rf_payload &gp = write_.begin_write(address, w.data, true);
        gp.extension.fields.version = w.version;
        gp.enable_lanes(w.lanes);
    } else {
        write_.set_ignored();
        write_.begin(address, nullptr);
    }
    send(*this, write_out_, bank_of(w.sub, w.at.bank), write_, now(),
         "a bank takes a write at once");
}

void units_module::forward(const smrf_write &w)
{
    rf_payload &gp = forward_.begin_write(smrf_operand_address(w.flight, w.destination), w.data,
                                          *place_.wires->values);
    gp.extension.fields.version = w.version;
    send(*this, forward_out, w.sub, forward_, now(), "the read stages take a result at once");
}

bool units_module::alone(uint32_t flight, unsigned i)
{
    uint32_t alone = SMRF_WORD_NO;
    alone_.begin(smrf_operand_address(flight, SMRF_OPERAND_ALONE + i), &alone);
    send(*this, result_out, place_.flights->record[flight].sub, alone_, now(),
         "the operand cache answers at once");
    return alone != SMRF_WORD_NO;
}

bool units_module::result(const smrf_write &w)
{
    uint32_t row[SMRF_LANES];
    const uint32_t *data = w.data;
    const bool values = *place_.wires->values;
    if (values && w.lanes != UINT32_MAX && w.at.row != SMRF_ROW_NONE) {
        // The lanes that were not written are in the bank.
        rf_payload &gp = result_.begin_read(smrf_row_address(place_.rows, w.at.row), row, true);
        write_out_.debug(bank_of(w.sub, w.at.bank), gp);
        data = row;
    }
    rf_payload &gp =
        result_.begin_write(smrf_operand_address(w.flight, w.destination), data, values);
    send(*this, result_out, w.sub, result_, now(), "the operand cache takes a result at once");
    return gp.extension.fields.kept;
}

void units_module::keep(const smrf_write &w)
{
    rf_payload &gp = keep_.begin_write(
        smrf_operand_address(w.flight, SMRF_OPERAND_ALONE + w.destination), w.data, true);
    gp.extension.fields.version = w.version;
    gp.enable_lanes(w.lanes);
    send(*this, result_out, w.sub, keep_, now(), "the operand cache takes a result at once");
}

uint32_t units_module::evict(unsigned sub, uint32_t token, uint32_t *data, uint32_t *version)
{
    uint32_t word[SMRF_EVICTION_WORDS] = {};
    eviction_.begin(token, word);
    send(*this, result_out, sub, eviction_, now(),
         "the operand cache gives what it evicts at once");
    std::memcpy(data, word, SMRF_WARP_REG_BYTES);
    *version = word[SMRF_LANES + 1];
    return word[SMRF_LANES];
}

void units_module::merged(uint32_t flight, unsigned i, uint32_t *data)
{
    merged_.begin(smrf_operand_address(flight, i), data);
    send(*this, merged_out, 0, merged_, now(), "the merge unit gives its result at once");
}

} // namespace smrf
