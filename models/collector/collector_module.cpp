// SPDX-License-Identifier: Apache-2.0
#include "collector_module.h"

#include "models/tlm/word_access.h"

#include <algorithm>
#include <cstring>

namespace smrf
{

collector_module::collector_module(const sc_core::sc_module_name &name, const smrf_rf_params &rf,
                                   const place &p)
    : sc_core::sc_module(name),
      read_(*p.pool, SMRF_PORT_KIND_read, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES),
      collected_(*p.pool, SMRF_PORT_KIND_collected, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      dispatch_(*p.pool, SMRF_PORT_KIND_dispatch, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      request_(*p.pool, SMRF_PORT_KIND_request, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      clock_(*p.clock), flights_(*p.flights), core_(p.core),
      collected_out("collected_out", *this, p.in_sm ? 1 : 0),
      request_out("request_out", *this, smrf_collector_slots(&rf)),
      drained_in("drained_in", *this, p.in_sm ? 1 : 0),
      read_out("read_out", *this, smrf_collector_slots(&rf)),
      cache(*this,
            {p.wires->cached ? smrf_collector_slots(&rf) : 0, p.flights, p.wires, p.clock, p.pool}),
      part_out("part_out", *this, p.wires->mapped ? 1 : 0), wires_(*p.wires),
      part_(*p.pool, SMRF_PORT_KIND_part, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      store_(core_.is_own() ? make_zeroed<smrf_collectors_store>() : nullptr)
{
    if ((core_.is_own() && smrf_collectors_init(core_.get(), store_.get(), &rf, p.sub, p.flights,
                                                p.wires) != SMRF_OK) ||
        smrf_xbar_init(&map_, rf.banks, p.rows) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/collector/config", "no such number of units, banks or rows");
    }
}

// --- what comes in -------------------------------------------------------------------------------

namespace
{

const char no_instruction[] = "an instruction's number is expected at a unit's address";

} // namespace

tlm::tlm_sync_enum collector_module::entered(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                             sc_core::sc_time &)
{
    uint32_t flight = SMRF_NO_FLIGHT;
    if (take_word(gp, phase, core_->count, flight) && flight < SMRF_FLIGHTS) {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        smrf_collectors_enter(core_.get(), static_cast<unsigned>(gp.get_address()), flight);
        return tlm::TLM_COMPLETED;
    }
    return phase == tlm::BEGIN_REQ && gp.is_read() ? show_vacancy(gp)
                                                   : protocol_error(*this, no_instruction, gp);
}

tlm::tlm_sync_enum collector_module::show_vacancy(tlm::tlm_generic_payload &gp)
{
    if (gp.get_address() >= core_->count || gp.get_data_length() != sizeof(uint32_t)) {
        return protocol_error(*this, no_instruction, gp);
    }
    const uint32_t vacant = core_->free_mask >> gp.get_address() & 1 ? SMRF_WORD_YES : SMRF_WORD_NO;
    std::memcpy(gp.get_data_ptr(), &vacant, sizeof vacant);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum collector_module::granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                             sc_core::sc_time &)
{
    const unsigned bytes = gp.get_data_length(), count = bytes / sizeof(uint32_t);
    if (phase != tlm::BEGIN_REQ || !gp.is_write() || gp.get_address() >= SMRF_FLIGHTS ||
        count == 0 || count > SMRF_MAX_BANKS || bytes % sizeof(uint32_t) != 0) {
        return protocol_error(*this, "reads' words are expected at an instruction's address", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!smrf_collectors_granted(core_.get(), static_cast<uint32_t>(gp.get_address()),
                                 reinterpret_cast<const uint32_t *>(gp.get_data_ptr()), count)) {
        return protocol_error(*this, "a grant must name operands that are missing", gp);
    }
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum collector_module::latch_drained(tlm::tlm_generic_payload &gp,
                                                   tlm::tlm_phase &phase, sc_core::sc_time &)
{
    uint32_t free = 0;
    if (!take_word(gp, phase, SMRF_UNIT_COUNT, free)) {
        return protocol_error(*this, "a word is expected at an execution unit's address", gp);
    }
    smrf_collectors_drained(core_.get(), static_cast<unsigned>(gp.get_address()));
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

// --- what goes out -------------------------------------------------------------------------------

void collector_module::request(unsigned collector, uint32_t flight, const uint32_t *words,
                               unsigned count)
{
    request_.begin(flight, words);
    request_.set_length(static_cast<unsigned>(count * sizeof *words));
    send(*this, request_out, collector, request_, clock_.delay(),
         "the arbiter takes requests at once");
}

// One transaction per source, each with its own address. The operands are there when the last is.
uint32_t collector_module::read(unsigned collector, const uint32_t *words, unsigned count,
                                smrf_operand_latches *to)
{
    return to != nullptr ? read_values(collector, words, count, *to)
                         : pass_reads(collector, words, count);
}

inline sc_core::sc_time collector_module::send_read(unsigned collector)
{
    return send(*this, read_out, collector, read_, clock_.delay(),
                "a granted read is completed at once");
}

// Values do not matter: ignored commands.
inline uint32_t collector_module::pass_reads(unsigned collector, const uint32_t *words,
                                             unsigned count)
{
    sc_core::sc_time there = clock_.delay();
    read_.set_ignored();
    for (const uint32_t *end = words + count; words != end; words++) {
        read_.begin(smrf_xbar_address(&map_, smrf_read_at(*words)), nullptr);
        there = std::max(there, send_read(collector));
    }
    return clock_.cycles(there - clock_.delay());
}

uint32_t collector_module::read_values(unsigned collector, const uint32_t *words, unsigned count,
                                       smrf_operand_latches &to)
{
    sc_core::sc_time there = clock_.delay();
    for (const uint32_t *end = words + count; words != end; words++) {
        const unsigned i = smrf_read_source(*words);
        read_.begin_read(smrf_xbar_address(&map_, smrf_read_at(*words)), to.data[i], true);
        there = std::max(there, send_read(collector));
        to.version[i] = read_.payload().extension.fields.version;
    }
    return clock_.cycles(there - clock_.delay());
}

void collector_module::collected(uint32_t flight, uint32_t sources)
{
    collected_.begin(flight, &sources);
    send(*this, collected_out, 0, collected_, clock_.delay(),
         "the issue stage takes what has been read at once");
}

void collector_module::part(uint32_t flight, unsigned i, const uint32_t *data)
{
    part_.begin_write(smrf_operand_address(flight, i), data, *wires_.values);
    send(*this, part_out, 0, part_, clock_.delay(), "the merge unit takes a part at once");
}

void collector_module::dispatch(uint32_t flight)
{
    dispatch_.begin(flights_.record[flight].unit, &flight);
    send(*this, dispatch_out, 0, dispatch_, clock_.delay(),
         "a free latch takes an instruction at once");
}

} // namespace smrf
