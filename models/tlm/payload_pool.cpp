// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/payload_pool.h"

#include "models/common/smrf_assert.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace smrf
{

namespace
{

struct bit_table {
    uint32_t bit[32] = {};
    constexpr bit_table()
    {
        for (uint32_t b = 0; b < 32; b++) {
            bit[b] = uint32_t{1} << b;
        }
    }
};
constexpr bit_table bits;

// Eight byte enables of eight bits, the lowest bit's first in memory: each byte gets a copy of all
// bits, keeps its own, and becomes 0xff if that is set.
uint64_t eight_enables(uint32_t eight)
{
    const uint8_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint64_t own;
    std::memcpy(&own, bit, sizeof own);
    own &= eight * UINT64_C(0x0101010101010101);
    const uint64_t top = (own + UINT64_C(0x7f7f7f7f7f7f7f7f)) & UINT64_C(0x8080808080808080);
    return (top >> 7) * TLM_BYTE_ENABLED;
}

} // namespace

void pooled_payload_base::reset_attributes()
{
    set_gp_option(tlm::TLM_MIN_PAYLOAD);
    set_command(tlm::TLM_IGNORE_COMMAND);
    set_address(0);
    set_data_ptr(bytes_->data);
    set_data_length(0);
    set_streaming_width(0);
    set_byte_enable_ptr(nullptr);
    set_byte_enable_length(0);
    set_dmi_allowed(false);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    owner_state = 0;
}

void pooled_payload_base::enable_lanes(uint32_t lanes)
{
    if (lanes == UINT32_MAX) {
        set_byte_enable_ptr(nullptr);
        set_byte_enable_length(0);
        return;
    }
    lanes_ = lanes;
    by_lanes_ = true;
    // Compared with a bit a lane, not shifted: compilers do this four or eight lanes at a time.
    uint32_t words[SMRF_LANES];
    for (uint32_t lane = 0; lane < SMRF_LANES; lane++) {
        words[lane] = (lanes & bits.bit[lane]) != 0 ? UINT32_MAX : 0;
    }
    std::memcpy(bytes_->enables, words, sizeof words);
    set_byte_enable_ptr(bytes_->enables);
    set_byte_enable_length(SMRF_WARP_REG_BYTES);
}

void pooled_payload_base::enable_bytes(uint32_t mask, uint32_t bytes, uint32_t first)
{
    SMRF_ASSERT(bytes >= 1 && bytes <= SMRF_WARP_REG_BYTES);
    const uint32_t all = bytes < 32 ? (UINT32_C(1) << bytes) - 1 : UINT32_MAX;
    if (bytes <= SMRF_SECTOR_BYTES && (mask & all) == all) {
        set_byte_enable_ptr(nullptr);
        set_byte_enable_length(0);
        return;
    }
    by_lanes_ = false;
    uint8_t sector[SMRF_SECTOR_BYTES];
    for (uint32_t b = 0; b < SMRF_SECTOR_BYTES; b += 8) {
        const uint64_t enables = eight_enables(mask >> b & 0xff);
        std::memcpy(sector + b, &enables, sizeof enables);
    }
    std::memset(bytes_->enables, TLM_BYTE_DISABLED, bytes);
    if (first < bytes) {
        std::memcpy(bytes_->enables + first, sector,
                    std::min(bytes - first, uint32_t{SMRF_SECTOR_BYTES}));
    }
    set_byte_enable_ptr(bytes_->enables);
    set_byte_enable_length(bytes);
}

bool whole_lanes(const tlm::tlm_generic_payload &payload, uint32_t &lanes)
{
    if (typeid(payload) == typeid(rf_payload) &&
        static_cast<const rf_payload &>(payload).lane_enables(lanes)) {
        return true;
    }
    const uint8_t *enables = payload.get_byte_enable_ptr();
    const uint32_t length = payload.get_byte_enable_length();
    lanes = UINT32_MAX;
    if (enables == nullptr || length == 0) {
        return true;
    }
    lanes = 0;
    for (uint32_t byte = 0; byte < SMRF_WARP_REG_BYTES; byte++) {
        const bool enabled = enables[byte % length] == TLM_BYTE_ENABLED;
        const uint32_t bit = uint32_t{1} << byte / 4;
        if (byte % 4 == 0) {
            lanes |= enabled ? bit : 0;
        } else if (enabled != ((lanes & bit) != 0)) {
            return false;
        }
    }
    return true;
}

void report_leak(const char *name, uint64_t in_use)
{
    std::ostringstream text;
    text << name << ": " << in_use << " payloads were never released";
    SC_REPORT_ERROR("/smrf/tlm/leak", text.str().c_str());
}

} // namespace smrf
