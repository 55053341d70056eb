// SPDX-License-Identifier: Apache-2.0
// The cost of the TLM layer: a payload's life, a call through a pair of sockets, and a sector's way
// from a memory port to the memory and back, with the monitor switched off or on.
// Usage: bench-tlm [monitor | sockets]
// (one simulation a process: with the monitor on, or the call through sockets alone).
#include "models/flight/flight.h"
#include "models/memory/memory_module.h"
#include "models/tlm/payload_pool.h"
#include "models/tlm/protocol_monitor.h"
#include "platform/config/smrf_config.h"
#include "tests/support/sm_traffic.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

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

// The least that a transaction between blocks can do: an initiator sets response, address and data,
// a target checks the request, takes a word, and answers at once.
struct word_source : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> out{"out"};
    tlm::tlm_generic_payload gp;
    explicit word_source(const sc_core::sc_module_name &name) : sc_module(name)
    {
        out.bind(*this);
        gp.set_command(tlm::TLM_WRITE_COMMAND);
        gp.set_data_length(sizeof(uint32_t));
        gp.set_streaming_width(sizeof(uint32_t));
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload &, tlm::tlm_phase &,
                                       sc_core::sc_time &) override
    {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    bool send(uint32_t &word, uint64_t address)
    {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        gp.set_address(address);
        gp.set_data_ptr(reinterpret_cast<unsigned char *>(&word));
        return out->nb_transport_fw(gp, phase, delay) == tlm::TLM_COMPLETED && gp.is_response_ok();
    }
};

struct word_sink : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> in{"in"};
    uint64_t sum = 0;
    explicit word_sink(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &) override
    {
        uint32_t word = 0;
        const bool right = phase == tlm::BEGIN_REQ && gp.is_write() &&
                           gp.get_data_length() == sizeof word && gp.get_address() < SMRF_FLIGHTS;
        gp.set_response_status(right ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE);
        if (right) {
            std::memcpy(&word, gp.get_data_ptr(), sizeof word);
            sum += word;
        }
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload &, sc_core::sc_time &) override {}
    bool get_direct_mem_ptr(tlm::tlm_generic_payload &, tlm::tlm_dmi &) override
    {
        return false;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload &) override
    {
        return 0;
    }
};

// As many pairs in turn as an instruction has transactions, all of them in the first cache.
void bare_call()
{
    constexpr unsigned pairs = 12;
    constexpr uint32_t rounds = 5000000;
    std::vector<std::unique_ptr<word_source>> from;
    std::vector<std::unique_ptr<word_sink>> to;
    for (unsigned i = 0; i < pairs; i++) {
        from.push_back(std::make_unique<word_source>(("source" + std::to_string(i)).c_str()));
        to.push_back(std::make_unique<word_sink>(("sink" + std::to_string(i)).c_str()));
        from[i]->out.bind(to[i]->in);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bool all = true;
    const auto start = std::clock();
    for (uint32_t i = 0; i < rounds; i++) {
        for (auto &source : from) {
            all &= source->send(i, i % SMRF_FLIGHTS);
        }
    }
    std::printf("call through a pair of sockets%s: %.1f ns\n", all ? "" : " (refused)",
                seconds(start) * 1e9 / rounds / pairs);
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
    sc_core::sc_start(sc_core::SC_ZERO_TIME); // ports find what they are bound to
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

extern "C" int sc_main(int argc, char *argv[])
{
    if (argc > 1 && std::strcmp(argv[1], "sockets") == 0) {
        bare_call();
        return 0;
    }
    pool_life(1, UINT32_MAX);
    pool_life(64, UINT32_MAX);
    pool_life(64, 0x0000ffff);
    memory_round_trip(argc > 1);
    return 0;
}
