// SPDX-License-Identifier: Apache-2.0
#include "bank_module.h"

#include "models/tlm/payload_pool.h"

#include <algorithm>
#include <cstring>

namespace smrf
{

bank_module::bank_module(const sc_core::sc_module_name &name, uint32_t rows,
                         const sc_core::sc_time &access, smrf_bank *core)
    : sc_core::sc_module(name), core_(core), access_(access)
{
    if (!core_.is_own()) {
        return;
    }
    rows_ = make_zeroed_array<smrf_bank_row>(rows);
    tags_ = make_zeroed_array<smrf_bank_tag>(rows);
    if (smrf_bank_init(core_.get(), rows_.get(), tags_.get(), rows) != SMRF_OK) {
        SC_REPORT_ERROR("/smrf/bank/config", "a bank has 1 to 65534 rows");
    }
}

namespace
{

// Copies the enabled bytes of a word.
void copy_enabled(uint8_t *to, const uint8_t *from, const tlm::tlm_generic_payload &gp)
{
    const uint8_t *enables = gp.get_byte_enable_ptr();
    const unsigned length = gp.get_byte_enable_length();
    for (unsigned i = 0; i < SMRF_WARP_REG_BYTES; i++) {
        if (enables[i % length] == TLM_BYTE_ENABLED) {
            to[i] = from[i];
        }
    }
}

} // namespace

void bank_module::read(tlm::tlm_generic_payload &gp, uint32_t row)
{
    uint32_t version = 0;
    if (gp.get_byte_enable_ptr() == nullptr || gp.get_byte_enable_length() == 0) {
        version = smrf_bank_read(core_.get(), row, reinterpret_cast<uint32_t *>(gp.get_data_ptr()));
    } else {
        uint32_t word[SMRF_LANES];
        version = smrf_bank_read(core_.get(), row, word);
        copy_enabled(gp.get_data_ptr(), reinterpret_cast<const uint8_t *>(word), gp);
    }
    if (rf_fields *fields = register_fields(gp)) {
        fields->version = version;
    }
}

void bank_module::write(tlm::tlm_generic_payload &gp, uint32_t row)
{
    const rf_fields *fields = register_fields(gp);
    const uint32_t version = fields != nullptr ? fields->version : 0;
    const auto *data = reinterpret_cast<const uint32_t *>(gp.get_data_ptr());
    uint32_t lanes = 0;
    if (whole_lanes(gp, lanes)) {
        smrf_bank_write(core_.get(), row, data, lanes, version);
        return;
    }
    // Enables that part a lane: merge the word, then write it.
    uint32_t word[SMRF_LANES] = {};
    smrf_bank_row scratch;
    if (const smrf_bank_row *now = smrf_bank_probe(core_.get(), row, &scratch)) {
        std::memcpy(word, now->lane, sizeof word);
    }
    copy_enabled(reinterpret_cast<uint8_t *>(word), gp.get_data_ptr(), gp);
    smrf_bank_write(core_.get(), row, word, UINT32_MAX, version);
}

template <class Count>
inline tlm::tlm_sync_enum bank_module::serve(tlm::tlm_generic_payload &gp,
                                             const tlm::tlm_phase &phase, sc_core::sc_time &delay,
                                             Count count)
{
    if (phase != tlm::BEGIN_REQ) {
        return protocol_error(*this, "only BEGIN_REQ is expected", gp);
    }
    const uint64_t address = gp.get_address(), word = address / SMRF_WARP_REG_BYTES;
    if (gp.get_data_length() != SMRF_WARP_REG_BYTES || address % SMRF_WARP_REG_BYTES != 0) {
        gp.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    if (word > core_->num_rows) { // behind the last row: registers without one
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    delay += access_;
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    if (gp.get_command() != tlm::TLM_IGNORE_COMMAND) {
        return move(gp, word < core_->num_rows ? static_cast<uint32_t>(word) : SMRF_ROW_NONE);
    }
    count(core_.get());
    return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum bank_module::take_read(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                          sc_core::sc_time &delay)
{
    return serve(gp, phase, delay, [](smrf_bank *core) { smrf_bank_pass(core, 1); });
}

tlm::tlm_sync_enum bank_module::take_write(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                           sc_core::sc_time &delay)
{
    return serve(gp, phase, delay, smrf_bank_count_write);
}

tlm::tlm_sync_enum bank_module::move(tlm::tlm_generic_payload &gp, uint32_t row)
{
    gp.is_read() ? read(gp, row) : write(gp, row);
    return tlm::TLM_COMPLETED;
}

unsigned bank_module::look(tlm::tlm_generic_payload &gp)
{
    const uint64_t offset = gp.get_address() % SMRF_WARP_REG_BYTES;
    const uint64_t row = gp.get_address() / SMRF_WARP_REG_BYTES;
    if (row >= core_->num_rows || gp.get_byte_enable_ptr() != nullptr) {
        return 0;
    }
    const uint64_t bytes = std::min<uint64_t>(gp.get_data_length(), SMRF_WARP_REG_BYTES - offset);
    auto *lanes =
        reinterpret_cast<uint8_t *>(smrf_bank_poke(core_.get(), static_cast<uint32_t>(row))->lane) +
        offset;
    if (gp.is_read()) {
        std::memcpy(gp.get_data_ptr(), lanes, bytes);
    } else if (gp.is_write()) {
        std::memcpy(lanes, gp.get_data_ptr(), bytes);
    }
    gp.set_response_status(tlm::TLM_OK_RESPONSE);
    return static_cast<unsigned>(bytes);
}

} // namespace smrf
