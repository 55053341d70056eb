// SPDX-License-Identifier: Apache-2.0
#include "mechanism_module.h"

#include <cstring>

namespace smrf
{

mechanism_module::mechanism_module(const sc_core::sc_module_name &name, const place &p)
    : sc_core::sc_module(name), place_(p), port_s("port_s", s_, p.units), port_d("port_d", d_, 1),
      port_r("port_r", r_, 1)
{
}

namespace
{

// The instruction that a 128-byte write speaks of, nullptr if it is not one.
const smrf_flight *flight_of(const smrf_sm *sm, const tlm::tlm_generic_payload &gp,
                             const rf_fields *f)
{
    const bool good = f != nullptr && gp.is_write() && gp.get_data_length() == SMRF_WARP_REG_BYTES;
    return good ? smrf_sm_flight(sm, f->flight) : nullptr;
}

const uint32_t *lanes_of(const tlm::tlm_generic_payload &gp)
{
    return reinterpret_cast<const uint32_t *>(gp.get_data_ptr());
}

} // namespace

tlm::tlm_sync_enum mechanism_module::source(unsigned unit, tlm::tlm_generic_payload &gp)
{
    const rf_fields *f = register_fields(gp);
    const smrf_flight *flight = flight_of(place_.sm, gp, f);
    if (flight == nullptr || f->slot >= flight->num_src) {
        return protocol_error(*this, "port S takes 128 bytes of a source in flight", gp);
    }
    place_.mechanism->collector->arrive(place_.state, place_.sub, unit, flight, f->slot,
                                        lanes_of(gp), f->version);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum mechanism_module::result(unsigned, tlm::tlm_generic_payload &gp)
{
    rf_fields *f = register_fields(gp);
    const smrf_flight *flight = flight_of(place_.sm, gp, f);
    if (flight == nullptr || f->slot >= flight->num_dst) {
        return protocol_error(*this, "port D takes 128 bytes of a result in flight", gp);
    }
    f->kept = place_.mechanism->collector->write(place_.state, place_.sub, flight, f->slot,
                                                 lanes_of(gp), f->lanes, smrf_sm_cycle(place_.sm));
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

uint64_t mechanism_module::preferred() const
{
    const smrf_allocation_seam *seam = place_.mechanism->allocation;
    return seam && seam->preferred ? seam->preferred(place_.state, place_.sub) : 0;
}

tlm::tlm_sync_enum mechanism_module::status(unsigned, tlm::tlm_generic_payload &gp)
{
    const uint64_t warps = preferred();
    if (!gp.is_read() || gp.get_data_length() != sizeof warps) {
        return protocol_error(*this, "port R is read, 8 bytes at a time", gp);
    }
    std::memcpy(gp.get_data_ptr(), &warps, sizeof warps);
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

unsigned mechanism_module::debug(tlm::tlm_generic_payload &gp, bool is_status)
{
    const uint64_t warps = preferred();
    if (!is_status || !gp.is_read() || gp.get_data_length() < sizeof warps) {
        return 0;
    }
    std::memcpy(gp.get_data_ptr(), &warps, sizeof warps);
    return sizeof warps;
}

} // namespace smrf
