// SPDX-License-Identifier: Apache-2.0
// Another initiator on a bus: it reads a sector at regular intervals and ignores the answers.
#ifndef SMRF_TRAFFIC_H
#define SMRF_TRAFFIC_H

#include "models/common/sim_params.h"
#include "models/tlm/has_process.h"
#include "models/tlm/memory_port.h"

#include <tlm_utils/tlm_quantumkeeper.h>

namespace smrf
{

struct traffic_options {
    uint32_t per_1000 = 0; // accesses in 1000 cycles, 0: none; in bursts of ..
    uint32_t burst = 8;    // accesses of a burst, one a cycle
    uint64_t period_ps = 1000;
    uint32_t quantum = 1; // cycles that it runs ahead, where loosely timed
    smrf_bus_params bus = default_bus();
    uint32_t view = SMRF_VIEW_AT;
};

class traffic : public sc_core::sc_module
{
  public:
    memory_port port;

    SMRF_HAS_PROCESS(traffic);
    traffic(const sc_core::sc_module_name &name, const traffic_options &options)
        : sc_module(name), port("port", port_options(options), {}), options_(options)
    {
        if (options_.per_1000 != 0) {
            SC_THREAD(run);
        }
    }

  private:
    static memory_port_options port_options(const traffic_options &o)
    {
        memory_port_options p;
        p.sm = UINT16_MAX;
        p.period_ps = o.period_ps;
        p.bus = o.bus;
        p.view = o.view;
        return p;
    }

    // With its own local time, within the quantum.
    void run()
    {
        const sc_core::sc_time period = sc_core::sc_time::from_value(
            time_of_ps(options_.period_ps, "/smrf/traffic/resolution").value());
        tlm_utils::tlm_quantumkeeper keeper;
        keeper.set_global_quantum(period * (options_.view == SMRF_VIEW_LT ? options_.quantum : 1));
        keeper.reset();
        for (uint64_t n = 0;; n++) {
            smrf_mem_request r = {};
            r.cycle = n / options_.burst * (1000 * options_.burst / options_.per_1000) +
                      n % options_.burst;
            r.address = (UINT64_C(1) << 40) + n % 65536 * SMRF_SECTOR_BYTES;
            r.id = static_cast<uint32_t>(n);
            r.byte_mask = UINT32_MAX;
            r.kind = SMRF_MEM_READ;
            keeper.set(period * static_cast<double>(r.cycle) - sc_core::sc_time_stamp());
            if (keeper.need_sync()) {
                keeper.sync();
            }
            port.set_open_cycle(0);
            (void)port.send(r);
        }
    }

    const traffic_options options_;
};

} // namespace smrf

#endif
