// SPDX-License-Identifier: Apache-2.0
#include "operand_cache_module.h"

#include "models/wires/words.h"

#include <cstring>

namespace smrf
{

operand_cache_module::operand_cache_module(const sc_core::sc_module_name &name, const place &p)
    : sc_core::sc_module(name), core_(p.core), port_h("port_h", h_, p.units),
      port_s("port_s", s_, p.units), port_d("port_d", d_, 1), port_r("port_r", r_, 1)
{
    if (core_.is_own()) {
        smrf_operand_cache_init(core_.get(), p.mechanism, p.state, p.sub, p.flights, p.wires);
    }
}

namespace
{

// The instruction that an operand's address names; nullptr if there is no such one.
const smrf_flight *flight_of(const smrf_operand_cache &c, const tlm::tlm_generic_payload &gp)
{
    const uint64_t flight = smrf_flight_of_address(gp.get_address());
    const bool good = flight < SMRF_FLIGHTS && gp.get_address() % SMRF_WARP_REG_BYTES == 0;
    return good ? &c.flights->record[flight] : nullptr;
}

uint32_t number_of(const tlm::tlm_generic_payload &gp)
{
    return static_cast<uint32_t>(smrf_flight_of_address(gp.get_address()));
}

bool is_register_write(const tlm::tlm_generic_payload &gp)
{
    return !gp.is_read() && gp.get_data_length() == SMRF_WARP_REG_BYTES &&
           gp.get_byte_enable_ptr() == nullptr;
}

// An ignored write carries no value.
const uint32_t *lanes_of(const tlm::tlm_generic_payload &gp)
{
    return gp.is_write() ? reinterpret_cast<const uint32_t *>(gp.get_data_ptr()) : nullptr;
}

tlm::tlm_sync_enum done(tlm::tlm_generic_payload &gp)
{
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

} // namespace

tlm::tlm_sync_enum operand_cache_module::hit(unsigned unit, tlm::tlm_generic_payload &gp)
{
    const smrf_flight *f = flight_of(*core_, gp);
    const unsigned i = smrf_operand_of_address(gp.get_address());
    if (f != nullptr && gp.is_write() && i == SMRF_OPERAND_MASK &&
        gp.get_data_length() == sizeof(uint32_t)) {
        smrf_operand_cache_leave(core_.get(), unit, number_of(gp));
        return done(gp);
    }
    if (f != nullptr && gp.is_read() && i == SMRF_OPERAND_MASK &&
        gp.get_data_length() == sizeof(uint32_t)) {
        const bool values = *core_->wires->values;
        entered_ = number_of(gp);
        const uint32_t missing = smrf_operand_cache_enter(core_.get(), unit, entered_,
                                                          values ? data_ : nullptr, version_);
        hits_ = ~missing & static_cast<uint32_t>((UINT64_C(1) << f->num_src) - 1);
        std::memcpy(gp.get_data_ptr(), &missing, sizeof missing);
        return done(gp);
    }
    if (f == nullptr || gp.is_write() || gp.get_data_length() != SMRF_WARP_REG_BYTES ||
        entered_ != number_of(gp) || !(hits_ >> i & 1)) {
        return protocol_error(*this, "port H is read: what is missing, then what is not", gp);
    }
    if (gp.is_read()) {
        std::memcpy(gp.get_data_ptr(), data_[i], SMRF_WARP_REG_BYTES);
        if (rf_fields *fields = register_fields(gp)) {
            fields->version = version_[i];
        }
    }
    return done(gp);
}

tlm::tlm_sync_enum operand_cache_module::source(unsigned unit, tlm::tlm_generic_payload &gp)
{
    const smrf_flight *f = flight_of(*core_, gp);
    const unsigned i = smrf_operand_of_address(gp.get_address());
    if (f == nullptr || !is_register_write(gp) || i >= f->num_src) {
        return protocol_error(*this, "port S takes 128 bytes of a source in flight", gp);
    }
    const rf_fields *fields = gp.is_write() ? register_fields(gp) : nullptr;
    smrf_operand_cache_source(core_.get(), unit, number_of(gp), i, lanes_of(gp),
                              fields != nullptr ? fields->version : 0);
    return done(gp);
}

// Does a result go to no bank?
tlm::tlm_sync_enum operand_cache_module::is_alone(tlm::tlm_generic_payload &gp)
{
    const smrf_flight *f = flight_of(*core_, gp);
    const unsigned i = smrf_operand_of_address(gp.get_address());
    if (f == nullptr || i < SMRF_OPERAND_ALONE || i - SMRF_OPERAND_ALONE >= f->num_dst) {
        return protocol_error(*this, "port D is asked about a result in flight", gp);
    }
    const uint32_t word =
        smrf_operand_cache_alone(core_.get(), number_of(gp), i - SMRF_OPERAND_ALONE) ? SMRF_WORD_YES
                                                                                     : SMRF_WORD_NO;
    std::memcpy(gp.get_data_ptr(), &word, sizeof word);
    return done(gp);
}

// A result that no bank takes; the lanes are its byte enables.
tlm::tlm_sync_enum operand_cache_module::alone(tlm::tlm_generic_payload &gp, unsigned i)
{
    uint32_t lanes;
    if (core_->write == nullptr || i >= flight_of(*core_, gp)->num_dst || !whole_lanes(gp, lanes)) {
        return protocol_error(*this, "port D takes whole lanes of what no bank takes", gp);
    }
    const rf_fields *fields = register_fields(gp);
    smrf_operand_cache_keep(core_.get(), number_of(gp), i, lanes_of(gp), lanes,
                            fields != nullptr ? fields->version : 0);
    return done(gp);
}

tlm::tlm_sync_enum operand_cache_module::eviction(tlm::tlm_generic_payload &gp)
{
    uint32_t word[SMRF_EVICTION_WORDS] = {};
    if (core_->write == nullptr || gp.get_data_length() != sizeof word ||
        gp.get_address() > UINT32_MAX) {
        return protocol_error(*this, "an eviction is read whole, at its token", gp);
    }
    word[SMRF_LANES] =
        smrf_operand_cache_evict(core_.get(), static_cast<uint32_t>(gp.get_address()),
                                 *core_->wires->values ? word : nullptr, &word[SMRF_LANES + 1]);
    std::memcpy(gp.get_data_ptr(), word, sizeof word);
    return done(gp);
}

tlm::tlm_sync_enum operand_cache_module::result(unsigned, tlm::tlm_generic_payload &gp)
{
    if (gp.is_read()) {
        return gp.get_data_length() == sizeof(uint32_t) ? is_alone(gp) : eviction(gp);
    }
    const smrf_flight *f = flight_of(*core_, gp);
    const unsigned i = smrf_operand_of_address(gp.get_address());
    if (f != nullptr && gp.get_data_length() == SMRF_WARP_REG_BYTES && i >= SMRF_OPERAND_ALONE) {
        return alone(gp, i - SMRF_OPERAND_ALONE);
    }
    if (f == nullptr || !is_register_write(gp) || i >= f->num_dst) {
        return protocol_error(*this, "port D takes 128 bytes of a result in flight", gp);
    }
    const bool kept = smrf_operand_cache_result(core_.get(), number_of(gp), i, lanes_of(gp));
    if (rf_fields *fields = register_fields(gp)) {
        fields->kept = kept;
    }
    return done(gp);
}

tlm::tlm_sync_enum operand_cache_module::status(unsigned, tlm::tlm_generic_payload &gp)
{
    const uint64_t warps = smrf_operand_cache_status(core_.get());
    if (!gp.is_read() || gp.get_data_length() != sizeof warps) {
        return protocol_error(*this, "port R is read, 8 bytes at a time", gp);
    }
    std::memcpy(gp.get_data_ptr(), &warps, sizeof warps);
    return done(gp);
}

unsigned operand_cache_module::debug(tlm::tlm_generic_payload &gp, bool is_status)
{
    const uint64_t warps = smrf_operand_cache_status(core_.get());
    if (!is_status || !gp.is_read() || gp.get_data_length() < sizeof warps) {
        return 0;
    }
    std::memcpy(gp.get_data_ptr(), &warps, sizeof warps);
    return sizeof warps;
}

} // namespace smrf
