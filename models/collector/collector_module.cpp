// SPDX-License-Identifier: Apache-2.0
#include "collector_module.h"

#include "models/wires/words.h"

#include <algorithm>
#include <cstring>

namespace smrf
{

collector_module::collector_module(const sc_core::sc_module_name &name, const smrf_rf_params &rf,
                                   const place &p)
    : sc_core::sc_module(name),
      hit_out("hit_out", *this, p.wires->cached ? smrf_collector_slots(&rf) : 0),
      request_out("request_out", *this, smrf_collector_slots(&rf)),
      read_out("read_out", *this, smrf_collector_slots(&rf)),
      source_out("source_out", *this, p.wires->cached ? smrf_collector_slots(&rf) : 0),
      part_out("part_out", *this, p.wires->mapped ? 1 : 0), place_(p),
      missing_(*p.pool, port_kind::missing, tlm::TLM_READ_COMMAND, sizeof(uint32_t)),
      hit_(*p.pool, port_kind::hit, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES),
      request_(*p.pool, port_kind::request, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      read_(*p.pool, port_kind::read, tlm::TLM_READ_COMMAND, SMRF_WARP_REG_BYTES),
      source_(*p.pool, port_kind::source, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      part_(*p.pool, port_kind::part, tlm::TLM_WRITE_COMMAND, SMRF_WARP_REG_BYTES),
      dispatch_(*p.pool, port_kind::dispatch, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)),
      core_(p.core), store_(core_.is_own() ? make_zeroed<smrf_collectors_store>() : nullptr)
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

// Four bytes written to an address below `limit`.
bool is_word(const tlm::tlm_generic_payload &gp, const tlm::tlm_phase &phase, uint64_t limit)
{
    return phase == tlm::BEGIN_REQ && gp.is_write() && gp.get_data_length() == sizeof(uint32_t) &&
           gp.get_address() < limit;
}

uint32_t word_of(const tlm::tlm_generic_payload &gp)
{
    uint32_t word = 0;
    std::memcpy(&word, gp.get_data_ptr(), sizeof word);
    return word;
}

} // namespace

tlm::tlm_sync_enum collector_module::fw(unsigned, tlm::tlm_generic_payload &gp,
                                        tlm::tlm_phase &phase, sc_core::sc_time &)
{
    if (!is_word(gp, phase, core_->count) || word_of(gp) >= SMRF_FLIGHTS) {
        return protocol_error(*this, "an instruction's number is expected at a unit's address", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    smrf_collectors_enter(core_.get(), static_cast<unsigned>(gp.get_address()), word_of(gp));
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum collector_module::granted(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                             sc_core::sc_time &)
{
    if (!is_word(gp, phase, SMRF_FLIGHTS)) {
        return protocol_error(*this, "a read's word is expected at an instruction's address", gp);
    }
    const smrf_read read = {static_cast<uint32_t>(gp.get_address()), word_of(gp)};
    if (!smrf_collectors_probe_waits(core_.get(), &read)) {
        return protocol_error(*this, "a grant must name an operand that is missing", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    smrf_collectors_granted(core_.get(), &read, 1);
    return tlm::TLM_COMPLETED;
}

// --- what goes out -------------------------------------------------------------------------------

uint32_t collector_module::enter(unsigned collector, uint32_t flight, uint32_t (*data)[SMRF_LANES],
                                 uint32_t *version)
{
    uint32_t missing = 0;
    const sc_core::sc_time now = place_.clock->delay();
    send(*this, hit_out, collector,
         missing_.begin(smrf_operand_address(flight, SMRF_OPERAND_MASK), &missing), now,
         "the operand cache answers at once");
    const uint32_t all =
        static_cast<uint32_t>((UINT64_C(1) << place_.flights->record[flight].num_src) - 1);
    for (uint32_t m = all & ~missing; m; m &= m - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctz(m));
        rf_payload &gp =
            hit_.begin(smrf_operand_address(flight, i), data[i], *place_.wires->values);
        send(*this, hit_out, collector, gp, now, "a hit is delivered at once");
        version[i] = gp.extension.fields.version;
    }
    return missing;
}

void collector_module::request(unsigned collector, uint32_t flight, const smrf_register_place *at,
                               uint32_t sources)
{
    uint32_t word[SMRF_MAX_SRC];
    unsigned count = 0;
    for (uint32_t m = sources; m; m &= m - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctz(m));
        word[count++] = smrf_read_of(flight, at[i], collector, i).word;
    }
    request_.set_length(static_cast<unsigned>(count * sizeof *word));
    send(*this, request_out, collector, request_.begin(flight, word), place_.clock->delay(),
         "the arbiter takes requests at once");
}

uint32_t collector_module::read(unsigned collector, const smrf_read *reads, unsigned count,
                                smrf_operand_latches *to)
{
    const sc_core::sc_time now = place_.clock->delay();
    sc_core::sc_time there = now;
    for (unsigned n = 0; n < count; n++) {
        const unsigned i = smrf_read_source(&reads[n]);
        const uint64_t address = smrf_xbar_address(&map_, smrf_read_at(&reads[n]));
        rf_payload &gp = read_.begin(address, to ? to->data[i] : nullptr, to != nullptr);
        there = std::max(there, send(*this, read_out, collector, gp, now,
                                     "a granted read is completed at once"));
        if (to != nullptr) {
            to->version[i] = gp.extension.fields.version;
        }
    }
    return place_.clock->cycles(there - now);
}

void collector_module::source(unsigned collector, uint32_t flight, unsigned i, const uint32_t *data,
                              uint32_t version)
{
    rf_payload &gp = source_.begin(smrf_operand_address(flight, i), data, *place_.wires->values);
    gp.extension.fields.version = version;
    send(*this, source_out, collector, gp, place_.clock->delay(),
         "the operand cache takes a source at once");
}

void collector_module::part(uint32_t flight, unsigned i, const uint32_t *data)
{
    send(*this, part_out, 0,
         part_.begin(smrf_operand_address(flight, i), data, *place_.wires->values),
         place_.clock->delay(), "the merge unit takes a part at once");
}

void collector_module::dispatch(uint32_t flight)
{
    send(*this, dispatch_out, 0, dispatch_.begin(place_.flights->record[flight].unit, &flight),
         place_.clock->delay(), "a free latch takes an instruction at once");
}

} // namespace smrf
