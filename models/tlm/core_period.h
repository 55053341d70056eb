// SPDX-License-Identifier: Apache-2.0
// How long a core cycle is in simulated time.
#ifndef SMRF_TLM_CORE_PERIOD_H
#define SMRF_TLM_CORE_PERIOD_H

#include <cstdint>
#include <systemc>

namespace smrf
{

// Length of a core cycle (ps): 10^9 / core_khz, rounded to the nearest even integer, because a
// half period must be whole too. 1365000 kHz: 732.6 -> 732 ps, that is 0.08 % fast. Results are in
// cycles, so that rounding shows only beside foreign components with clocks of their own.
uint64_t period_ps(uint32_t core_khz);
// The same as a time, which must be a whole number of steps of the time resolution; else an error
// is reported under that id.
sc_core::sc_time time_of_ps(uint64_t ps, const char *id);

} // namespace smrf

#endif
