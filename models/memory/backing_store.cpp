// SPDX-License-Identifier: Apache-2.0
#include "models/memory/backing_store.h"

#include <algorithm>
#include <cstring>

namespace smrf
{

void backing_store::read(uint64_t address, uint8_t *bytes, uint64_t count) const
{
    while (count > 0) {
        const uint64_t offset = address % page_bytes;
        const uint64_t part = std::min(count, page_bytes - offset);
        const auto it = pages_.empty() ? pages_.end() : pages_.find(address / page_bytes);
        if (it == pages_.end()) {
            std::memset(bytes, 0, part);
        } else {
            std::memcpy(bytes, it->second->data() + offset, part);
        }
        address += part;
        bytes += part;
        count -= part;
    }
}

uint8_t *backing_store::direct(uint64_t address)
{
    std::unique_ptr<page> &p = pages_[address / page_bytes];
    if (!p) {
        p = std::make_unique<page>();
    }
    return p->data();
}

void backing_store::write(uint64_t address, const uint8_t *bytes, uint64_t count,
                          const uint8_t *enables, uint64_t enable_count)
{
    for (uint64_t done = 0; done < count;) {
        const uint64_t offset = (address + done) % page_bytes;
        const uint64_t part = std::min(count - done, page_bytes - offset);
        const uint8_t *from = bytes + done;
        auto it = pages_.find((address + done) / page_bytes);
        const bool zero = std::all_of(from, from + part, [](uint8_t b) { return b == 0; });
        if (it == pages_.end() && !zero) {
            it = pages_.emplace((address + done) / page_bytes, std::make_unique<page>()).first;
        }
        if (it != pages_.end() && enables == nullptr) {
            std::memcpy(it->second->data() + offset, from, part);
        } else if (it != pages_.end()) {
            for (uint64_t i = 0; i < part; i++) {
                if (enables[(done + i) % enable_count] != TLM_BYTE_DISABLED) {
                    (*it->second)[offset + i] = from[i];
                }
            }
        }
        done += part;
    }
}

tlm::tlm_response_status backing_store::access(tlm::tlm_generic_payload &gp)
{
    const unsigned length = gp.get_data_length();
    const uint8_t *enables = gp.get_byte_enable_ptr();
    const unsigned enable_count = gp.get_byte_enable_length();
    if (gp.get_command() == tlm::TLM_IGNORE_COMMAND) {
        return tlm::TLM_OK_RESPONSE;
    }
    if (length == 0 || gp.get_data_ptr() == nullptr) {
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    if (gp.get_streaming_width() < length) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (enables != nullptr && enable_count == 0) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    if (gp.is_write()) {
        write(gp.get_address(), gp.get_data_ptr(), length, enables, enable_count);
    } else if (enables == nullptr) {
        read(gp.get_address(), gp.get_data_ptr(), length);
    } else {
        for (unsigned i = 0; i < length; i++) {
            if (enables[i % enable_count] != TLM_BYTE_DISABLED) {
                read(gp.get_address() + i, gp.get_data_ptr() + i, 1);
            }
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

unsigned backing_store::debug(tlm::tlm_generic_payload &gp)
{
    if (gp.is_write()) {
        write(gp.get_address(), gp.get_data_ptr(), gp.get_data_length());
    } else if (gp.is_read()) {
        read(gp.get_address(), gp.get_data_ptr(), gp.get_data_length());
    } else {
        return 0;
    }
    return gp.get_data_length();
}

} // namespace smrf
