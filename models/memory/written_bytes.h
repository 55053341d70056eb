// SPDX-License-Identifier: Apache-2.0
// The bytes of a sector that a transaction writes.
#ifndef SMRF_MEMORY_WRITTEN_BYTES_H
#define SMRF_MEMORY_WRITTEN_BYTES_H

#include "models/tlm/payload_pool.h"

namespace smrf
{

// Bytes of the sector at `sector` (address) that a write changes, one bit each.
inline uint32_t written_bytes(const tlm::tlm_generic_payload &gp, uint64_t sector)
{
    const uint8_t *enables = gp.get_byte_enable_ptr();
    const unsigned enable_count = gp.get_byte_enable_length();
    const uint64_t start = gp.get_address(), length = gp.get_data_length();
    if (start == sector && length == SMRF_SECTOR_BYTES && enables == nullptr) {
        return UINT32_MAX;
    }
    uint32_t mask = 0;
    for (uint32_t b = 0; b < SMRF_SECTOR_BYTES; b++) {
        const uint64_t offset = sector + b - start; // wraps below the start: beyond the length
        const bool on = offset < length && (enables == nullptr || enable_count == 0 ||
                                            enables[offset % enable_count] != TLM_BYTE_DISABLED);
        mask |= static_cast<uint32_t>(on) << b;
    }
    return mask;
}

// The same for a write or an atomic; its extension says it, if there is one.
inline uint32_t changed_bytes(const tlm::tlm_generic_payload &gp, const mem_fields *fields,
                              uint64_t sector)
{
    return fields && gp.get_data_length() == SMRF_SECTOR_BYTES ? fields->bytes
                                                               : written_bytes(gp, sector);
}

} // namespace smrf

#endif
