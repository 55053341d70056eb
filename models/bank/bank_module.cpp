// SPDX-License-Identifier: Apache-2.0
#include "bank_module.h"

#include "models/tlm/payload_pool.h"

#include <cstring>

namespace smrf
{

bank_module::bank_module(const sc_core::sc_module_name &name, const shape &s)
    : sc_core::sc_module(name), shape_(s),
      shift_((s.banks & (s.banks - 1)) == 0 ? __builtin_ctz(s.banks) : -1), rows_(s.rows),
      versions_(s.rows)
{
    smrf_bank_init(&core_, rows_.data(), versions_.data(), s.rows);
}

uint32_t bank_module::row_of(uint64_t address) const
{
    // Division by the number of banks is a shift for all but odd configurations.
    const uint64_t index = address / SMRF_WARP_REG_BYTES - shape_.first;
    const uint64_t row = shift_ >= 0 ? index >> shift_ : index / shape_.banks;
    return row < shape_.rows ? static_cast<uint32_t>(row) : SMRF_PHYS_NONE;
}

tlm::tlm_sync_enum bank_module::fw(unsigned, tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                   sc_core::sc_time &delay)
{
    rf_fields *f = register_fields(gp);
    if (phase != tlm::BEGIN_REQ) {
        return protocol_error(*this, "only BEGIN_REQ is expected", gp);
    }
    if (f == nullptr || gp.get_data_length() != SMRF_WARP_REG_BYTES ||
        gp.get_address() % SMRF_WARP_REG_BYTES != 0) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    auto *data = reinterpret_cast<uint32_t *>(gp.get_data_ptr());
    uint32_t row = row_of(gp.get_address());
    if (gp.is_read()) {
        f->version = smrf_bank_read(&core_, row, data);
    } else if (gp.is_write()) {
        smrf_bank_write(&core_, row, data, f->lanes, f->version);
    }
    delay += shape_.access;
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return tlm::TLM_COMPLETED;
}

unsigned bank_module::debug(unsigned, tlm::tlm_generic_payload &gp)
{
    uint32_t row = row_of(gp.get_address());
    uint64_t offset = gp.get_address() % SMRF_WARP_REG_BYTES;
    if (row == SMRF_PHYS_NONE || gp.get_byte_enable_ptr() != nullptr) {
        return 0;
    }
    uint64_t bytes = std::min<uint64_t>(gp.get_data_length(), SMRF_WARP_REG_BYTES - offset);
    auto *lanes = reinterpret_cast<unsigned char *>(rows_[row].lane) + offset;
    if (gp.is_read()) {
        std::memcpy(gp.get_data_ptr(), lanes, bytes);
    } else if (gp.is_write()) {
        std::memcpy(lanes, gp.get_data_ptr(), bytes);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return static_cast<unsigned>(bytes);
}

} // namespace smrf
