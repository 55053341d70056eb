// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/core_period.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace smrf
{

uint64_t period_ps(uint32_t core_khz)
{
    // Nearest even integer of 10^9 / khz = twice the nearest integer of 5 x 10^8 / khz.
    return 2 * ((UINT64_C(500000000) + core_khz / 2) / core_khz);
}

sc_core::sc_time time_of_ps(uint64_t ps, const char *id)
{
    const sc_core::sc_time time(static_cast<double>(ps), sc_core::SC_PS);
    const double step = sc_core::sc_get_time_resolution().to_seconds() * 1e12;
    const double steps = static_cast<double>(ps) / step;
    if (steps >= 1 && std::abs(steps - std::round(steps)) < 1e-6) {
        return time;
    }
    std::ostringstream text;
    text << "a core cycle of " << ps << " ps is no whole number of time steps of "
         << sc_core::sc_get_time_resolution()
         << ": choose another gpu.core_khz, or call sc_set_time_resolution(1, SC_PS) before "
            "elaboration";
    SC_REPORT_ERROR(id, text.str().c_str());
    return std::max(time, sc_core::sc_get_time_resolution());
}

} // namespace smrf
