// SPDX-License-Identifier: Apache-2.0
// What the trace says that an SM's stores write, from their issue until their sectors have left.
#ifndef SMRF_VALUES_STORED_VALUES_H
#define SMRF_VALUES_STORED_VALUES_H

#include "models/hooks/hooks.h"

#include <unordered_map>

namespace smrf
{

class stored_values
{
  public:
    stored_values();
    stored_values(const stored_values &) = delete;
    stored_values &operator=(const stored_values &) = delete;

    // To the hooks of its SM.
    const smrf_listener *listener() const
    {
        return &listener_;
    }
    // Generic addresses within these windows are no global memory.
    void begin_kernel(uint64_t shared_window, uint64_t local_window)
    {
        window_[0] = shared_window;
        window_[1] = local_window;
    }
    // An instruction has issued. Stores to global memory whose values the trace carries are noted;
    // their data are their last source registers.
    void issued(const smrf_inst &inst);
    // Its sector leaves: puts the bytes that are known in their places and returns which they are,
    // one bit each. Where stores of a sector are under way together, all carry what the last one
    // writes.
    uint32_t take(const smrf_mem_request &request, uint8_t *data);
    void reset()
    {
        sectors_.clear();
    }

  private:
    struct sector {
        uint8_t byte[SMRF_SECTOR_BYTES];
        uint32_t known = 0, under_way = 0;
    };
    bool to_global(const smrf_inst &inst) const;

    uint64_t window_[2] = {};
    smrf_listener listener_{};
    std::unordered_map<uint64_t, sector> sectors_;
};

} // namespace smrf

#endif
