// SPDX-License-Identifier: Apache-2.0
// Reserved cycles of a resource that serves one request at a time. Requests may reserve cycles
// ahead of time and in any order. A request takes the first cycles that no other request has
// reserved.
#ifndef SMRF_RESERVATIONS_H
#define SMRF_RESERVATIONS_H

#include <cstdint>
#include <iterator>
#include <map>

namespace smrf
{

class reservations
{
  public:
    // Reserves the first `length` free cycles in a row, from `cycle` on, and returns the first of
    // them. Reservations that end before `now` are dropped.
    uint64_t take(uint64_t cycle, uint64_t length, uint64_t now)
    {
        while (!taken_.empty() && taken_.begin()->second < now) {
            taken_.erase(taken_.begin());
        }
        auto next = taken_.upper_bound(cycle);
        if (next != taken_.begin() && std::prev(next)->second > cycle) {
            cycle = std::prev(next)->second;
        }
        for (; next != taken_.end() && next->first < cycle + length; ++next) {
            cycle = next->second;
        }
        uint64_t first = cycle, end = cycle + length;
        if (next != taken_.end() && next->first == end) {
            end = next->second;
            next = taken_.erase(next);
        }
        if (next != taken_.begin() && std::prev(next)->second == first) {
            first = std::prev(next)->first;
        }
        taken_[first] = end;
        return cycle;
    }

  private:
    std::map<uint64_t, uint64_t> taken_; // first cycle to that behind the last
};

} // namespace smrf

#endif
