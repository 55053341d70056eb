// SPDX-License-Identifier: Apache-2.0
#include "read_stage_module.h"

#include "models/tlm/word_access.h"

#include <cstring>

namespace smrf
{

read_stage_module::read_stage_module(const sc_core::sc_module_name &name,
                                     const smrf_read_stage_config &cfg, const place &p)
    : sc_core::sc_module(name), read_out("read_out", *this, cfg.rf.banks),
      cache(*this, {p.wires->cached ? 1u : 0u, p.flights, p.wires, p.clock, p.pool}),
      part_out("part_out", *this, p.wires->mapped ? 1 : 0), place_(p),
      read_(*p.pool, SMRF_PORT_KIND_read, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES),
      collected_(*p.pool, SMRF_PORT_KIND_collected, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      part_(*p.pool, SMRF_PORT_KIND_part, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      dispatch_(*p.pool, SMRF_PORT_KIND_dispatch, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      core_(p.core), store_(core_.is_own() ? make_zeroed<smrf_read_stage_store>() : nullptr)
{
    if ((core_.is_own() &&
         smrf_read_stage_init(core_.get(), store_.get(), &cfg, p.flights, p.wires) != SMRF_OK) ||
        smrf_xbar_init(&map_, cfg.rf.banks, p.rows) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/read_stage/config", "no such window, queue, or number of banks");
    }
}

// --- what comes in -------------------------------------------------------------------------------

tlm::tlm_sync_enum read_stage_module::fw(unsigned port, tlm::tlm_generic_payload &gp,
                                         tlm::tlm_phase &phase, sc_core::sc_time &)
{
    uint32_t flight = SMRF_NO_FLIGHT;
    if (port == 1) {
        return merge(gp, phase);
    }
    if (!take_word(gp, phase, 1, flight) || flight >= SMRF_FLIGHTS || !core_->free) {
        return protocol_error(*this, "an instruction is expected while Control is free", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    smrf_read_stage_enter(core_.get(), flight, place_.clock->cycle());
    return tlm::TLM_COMPLETED;
}

// The address is a collector's, which has no meaning here.
tlm::tlm_sync_enum read_stage_module::merge(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase)
{
    uint32_t flight = SMRF_NO_FLIGHT;
    const bool vacant = smrf_read_stage_vacant(core_.get());
    if (phase == tlm::BEGIN_REQ && gp.is_read() && gp.get_data_length() == sizeof flight) {
        const uint32_t answer = vacant ? SMRF_WORD_YES : SMRF_WORD_NO;
        std::memcpy(gp.get_data_ptr(), &answer, sizeof answer);
    } else if (vacant && take_word(gp, phase, SMRF_MAX_COLLECTING, flight) &&
               flight < SMRF_FLIGHTS && place_.flights->record[flight].unit == SMRF_UNIT_MERGE) {
        smrf_read_stage_merge(core_.get(), flight, place_.clock->cycle());
    } else {
        return protocol_error(*this, "a merge is expected while there is none", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum read_stage_module::latch_drained(tlm::tlm_generic_payload &gp,
                                                    tlm::tlm_phase &phase, sc_core::sc_time &)
{
    uint32_t free = 0;
    if (!take_word(gp, phase, SMRF_UNIT_COUNT, free) ||
        !(core_->units_full >> gp.get_address() & 1)) {
        return protocol_error(
            *this, "a word is expected at the address of a unit whose latch is full", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    smrf_read_stage_drained(core_.get(), static_cast<unsigned>(gp.get_address()));
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum read_stage_module::take_bank(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                                sc_core::sc_time &)
{
    return answer_bank(*this, gp, phase, core_->cfg.rf.banks,
                       [&](unsigned bank) { return smrf_read_stage_port(core_.get(), bank); });
}

// The instruction's record says where the result goes and which lanes it has.
tlm::tlm_sync_enum read_stage_module::take_result(tlm::tlm_generic_payload &gp,
                                                  tlm::tlm_phase &phase, sc_core::sc_time &)
{
    const uint64_t flight = smrf_flight_of_address(gp.get_address());
    const unsigned i = smrf_operand_of_address(gp.get_address());
    if (phase != tlm::BEGIN_REQ || gp.is_read() || gp.get_data_length() != SMRF_WARP_REG_BYTES ||
        flight >= SMRF_FLIGHTS || i >= place_.flights->record[flight].num_dst) {
        return protocol_error(*this, "a result is expected at its operand's address", gp);
    }
    const smrf_flight &f = place_.flights->record[flight];
    const rf_fields *fields = register_fields(gp);
    smrf_write w{};
    w.data = reinterpret_cast<const uint32_t *>(gp.get_data_ptr());
    w.lanes = f.mask;
    w.version = fields != nullptr ? fields->version : 0;
    w.flight = static_cast<uint32_t>(flight);
    w.at = f.dst[i];
    w.sub = f.sub;
    w.destination = static_cast<uint8_t>(i);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    smrf_read_stage_forward(core_.get(), &w);
    return tlm::TLM_COMPLETED;
}

// --- what goes out -------------------------------------------------------------------------------

// A transaction a source; without values ignored commands.
uint32_t read_stage_module::read(const uint32_t *words, unsigned count, smrf_operand_latches *to)
{
    const sc_core::sc_time now = place_.clock->delay();
    sc_core::sc_time there = now;
    for (const uint32_t *end = words + count; words != end; words++) {
        const unsigned i = smrf_read_source(*words);
        const uint64_t at = smrf_xbar_address(&map_, smrf_read_at(*words));
        read_.begin_read(at, to != nullptr ? to->data[i] : nullptr, to != nullptr);
        const sc_core::sc_time came = send(*this, read_out, smrf_read_bank(*words), read_, now,
                                           "a reserved read is completed at once");
        there = there < came ? came : there;
        if (to != nullptr) {
            to->version[i] = read_.payload().extension.fields.version;
        }
    }
    return place_.clock->cycles(there - now);
}

void read_stage_module::collected(uint32_t flight, uint32_t sources)
{
    collected_.begin(flight, &sources);
    send(*this, collected_out, 0, collected_, place_.clock->delay(),
         "the issue stage takes what has been read at once");
}

void read_stage_module::part(uint32_t flight, unsigned i, const uint32_t *data)
{
    part_.begin_write(smrf_operand_address(flight, i), data, *place_.wires->values);
    send(*this, part_out, 0, part_, place_.clock->delay(), "the merge unit takes a part at once");
}

void read_stage_module::dispatch(uint32_t flight)
{
    dispatch_.begin(place_.flights->record[flight].unit, &flight);
    send(*this, dispatch_out, 0, dispatch_, place_.clock->delay(),
         "a free latch takes an instruction at once");
}

} // namespace smrf
