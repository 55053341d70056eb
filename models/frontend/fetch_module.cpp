// SPDX-License-Identifier: Apache-2.0
#include "fetch_module.h"

namespace smrf
{

fetch_module::fetch_module(const sc_core::sc_module_name &name, unsigned subcores,
                           window_clock *clock, rf_pool *pool)
    : sc_core::sc_module(name), fetch_out("fetch_out", *this, subcores), clock_(*clock),
      fetch_(*pool, SMRF_PORT_KIND_fetch, tlm::TLM_READ_COMMAND, instruction_bytes)
{
}

uint64_t fetch_module::fetch(unsigned sub, uint32_t pc, uint64_t cycle)
{
    fetch_.begin_read(pc, nullptr, false);
    return clock_.cycle_at(send(*this, fetch_out, sub, fetch_, clock_.delay_to(cycle),
                                "an instruction cache answers at once"));
}

} // namespace smrf
