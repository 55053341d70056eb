// SPDX-License-Identifier: Apache-2.0
#include "merge_module.h"

#include "models/wires/words.h"

#include <cstring>

namespace smrf
{

merge_module::merge_module(const sc_core::sc_module_name &name, const place &p)
    : sc_core::sc_module(name), merge_out("merge_out", *this, p.subcores),
      part_in("part_in", *this, p.mapped ? p.subcores : 0), place_(p),
      vacant_(*p.pool, SMRF_PORT_KIND_vacant, tlm::TLM_READ_COMMAND, sizeof(uint32_t)),
      merge_(*p.pool, SMRF_PORT_KIND_merge, tlm::TLM_WRITE_COMMAND, sizeof(uint32_t)), core_(p.core)
{
    if (core_.is_own()) {
        smrf_merges_init(core_.get(), p.flights, p.wires);
    }
}

bool merge_module::vacant(unsigned sub, unsigned collector)
{
    uint32_t vacant = SMRF_WORD_NO;
    vacant_.begin(collector, &vacant);
    send(*this, merge_out, sub, vacant_, place_.clock->delay(),
         "a collector says at once whether it is free");
    return vacant != SMRF_WORD_NO;
}

void merge_module::merge(unsigned sub, unsigned collector, uint32_t flight)
{
    merge_.begin(collector, &flight);
    send(*this, merge_out, sub, merge_, place_.clock->delay(),
         "a free collector takes a merge at once");
}

// The merge whose operand an access of 128 bytes names; nullptr: there is no such one.
const smrf_flight *merge_module::merge_of(const tlm::tlm_generic_payload &gp) const
{
    const uint64_t flight = smrf_flight_of_address(gp.get_address());
    if (flight >= SMRF_FLIGHTS || gp.get_address() % SMRF_WARP_REG_BYTES != 0 ||
        gp.get_data_length() != SMRF_WARP_REG_BYTES || gp.get_byte_enable_ptr() != nullptr ||
        place_.flights->record[flight].unit != SMRF_UNIT_MERGE) {
        return nullptr;
    }
    return &place_.flights->record[flight];
}

tlm::tlm_sync_enum merge_module::fw(unsigned sub, tlm::tlm_generic_payload &gp,
                                    tlm::tlm_phase &phase, sc_core::sc_time &)
{
    const smrf_flight *f = merge_of(gp);
    const unsigned i = smrf_operand_of_address(gp.get_address());
    if (phase != tlm::BEGIN_REQ || f == nullptr || gp.is_read() || f->sub != sub ||
        i >= f->num_src) {
        return protocol_error(*this, "128 bytes of a merge's part are expected", gp);
    }
    if (gp.is_write()) { /* ignored: values are not moved */
        smrf_merges_take(core_.get(),
                         static_cast<uint32_t>(smrf_flight_of_address(gp.get_address())), i,
                         reinterpret_cast<const uint32_t *>(gp.get_data_ptr()));
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

unsigned merge_module::look(tlm::tlm_generic_payload &gp) const
{
    const smrf_flight *f = merge_of(gp);
    const unsigned i = smrf_operand_of_address(gp.get_address());
    if (f == nullptr || !gp.is_read() || i >= f->num_dst) {
        return 0;
    }
    uint32_t row[SMRF_LANES];
    smrf_merges_value(core_.get(), static_cast<uint32_t>(smrf_flight_of_address(gp.get_address())),
                      i, row);
    std::memcpy(gp.get_data_ptr(), row, sizeof row);
    return sizeof row;
}

tlm::tlm_sync_enum merge_module::result(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                        sc_core::sc_time &)
{
    if (phase != tlm::BEGIN_REQ || look(gp) == 0) {
        return protocol_error(*this, "a destination of a merge is read, 128 bytes", gp);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace smrf
