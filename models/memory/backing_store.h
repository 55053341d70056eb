// SPDX-License-Identifier: Apache-2.0
// The bytes of a memory: 4 KiB pages that come into being when something other than zero is
// written to them, so that traffic without values (traces) costs no memory.
#ifndef SMRF_MEMORY_BACKING_STORE_H
#define SMRF_MEMORY_BACKING_STORE_H

#include <array>
#include <cstdint>
#include <memory>
#include <tlm>
#include <unordered_map>

namespace smrf
{

class backing_store
{
  public:
    void read(uint64_t address, uint8_t *bytes, uint64_t count) const;
    // enables: one byte a byte, repeated every enable_count; nullptr = all.
    void write(uint64_t address, const uint8_t *bytes, uint64_t count,
               const uint8_t *enables = nullptr, uint64_t enable_count = 0);

    // Carries out a generic payload and returns the status to set: reads copy enabled bytes only,
    // ignored commands do nothing, a streaming width below the length is a burst error.
    tlm::tlm_response_status access(tlm::tlm_generic_payload &gp);
    // The same for transport_dbg: bytes done, without touching the response status.
    unsigned debug(tlm::tlm_generic_payload &gp);

    static constexpr uint64_t page_bytes = 4096;
    // The bytes of the page at this address, which stay where they are until clear().
    uint8_t *direct(uint64_t address);
    size_t pages() const
    {
        return pages_.size();
    }
    void clear()
    {
        pages_.clear();
    }

  private:
    using page = std::array<uint8_t, page_bytes>;

    std::unordered_map<uint64_t, std::unique_ptr<page>> pages_;
};

} // namespace smrf

#endif
