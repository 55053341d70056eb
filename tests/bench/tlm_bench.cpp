// SPDX-License-Identifier: Apache-2.0
// What the TLM layer costs: a payload's life, and a sector's way from a memory port to the memory
// and back, with the monitor switched off or on. Usage: bench-tlm [monitor]
// (one simulation a process: with an argument the monitor is on).
#include "models/memory/memory_module.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/protocol_monitor.h"
#include "platform/config/smrf_config.h"
#include "tests/support/sm_traffic.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>

using namespace smrf;

namespace
{

// Processor time of this process: other programs do not count.
double seconds(std::clock_t since)
{
    return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

void pool_life(uint32_t held, uint32_t lanes)
{
    constexpr uint64_t rounds = 20000000;
    rf_pool pool;
    std::vector<rf_payload *> ring(held, nullptr);
    const auto start = std::clock();
    for (uint64_t i = 0; i < rounds; i++) {
        rf_payload *&p = ring[i % held];
        if (p != nullptr) {
            p->release();
        }
        p = pool.allocate();
        p->extension.fields.version = static_cast<uint32_t>(i);
        p->enable_lanes(lanes);
    }
    const double s = seconds(start);
    for (rf_payload *p : ring) {
        p->release();
    }
    std::printf("payload, %3u held, lanes %08x: %.1f ns\n", held, lanes,
                s * 1e9 / static_cast<double>(rounds));
}

// One SM reads sectors that hit L2, one a cycle; the core's own time is part of the figure.
void memory_round_trip(bool checked)
{
    constexpr uint32_t requests = 1000000;
    smrf_config config{};
    smrf_config_default_sections(&config);
    config.gpu.sms = 1;
    const smrf_memory_config behind = smrf_config_memory(&config);
    const uint32_t window = std::min(config.sim.quantum, smrf_memory_lookahead(&behind));
    memory_module memory("memory", behind, 1000);
    smrf_test::sm_traffic sm("sm", 0, 1000, smrf_test::sm_traffic::by_hand);
    protocol_monitor monitor("monitor");
    monitor.set_enabled(checked);
    sm.record = false;
    sm.port.socket.bind(monitor.in);
    monitor.out.bind(memory.in[0]);
    for (uint32_t i = 0; i < requests; i++) {
        smrf_mem_request r = {};
        r.id = i % 4096;
        r.address = 32 * (i % 8192);
        r.cycle = i;
        r.byte_mask = UINT32_MAX;
        sm.wishes.push_back(r);
    }
    const auto start = std::clock();
    for (uint64_t cycle = window; !sm.done(); cycle += window) {
        sm.run_cycles(window);
        memory.advance(cycle);
        sc_core::sc_start(sc_core::sc_time(1000.0 * window, sc_core::SC_PS));
    }
    std::printf("sector read and answer, monitor %s: %.0f ns\n", checked ? "on" : "off",
                seconds(start) * 1e9 / requests);
}

} // namespace

extern "C" int sc_main(int argc, char *[])
{
    pool_life(1, UINT32_MAX);
    pool_life(64, UINT32_MAX);
    pool_life(64, 0x0000ffff);
    memory_round_trip(argc > 1);
    return 0;
}
