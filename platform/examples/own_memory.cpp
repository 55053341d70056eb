// SPDX-License-Identifier: Apache-2.0
// How to put a TLM-2.0 memory of your own behind the SMs. This one knows b_transport only; the
// standard's convenience socket translates.
//
//     own_memory TRACE [LATENCY_NS]
#include "platform/platform_tlm.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

struct my_memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<my_memory> in{"in"};
    const sc_core::sc_time latency;
    unsigned long reads = 0, writes = 0;

    my_memory(const sc_core::sc_module_name &name, double latency_ns)
        : sc_module(name), latency(latency_ns, sc_core::SC_NS)
    {
        in.register_b_transport(this, &my_memory::b_transport);
    }

    void b_transport(tlm::tlm_generic_payload &gp, sc_core::sc_time &delay)
    {
        ++(gp.is_read() ? reads : writes); // sectors of 32 bytes; their contents do not matter here
        delay += latency;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

extern "C" int sc_main(int argc, char *argv[])
{
    smrf_platform *p = nullptr;
    if (argc < 2 || smrf_platform_create(&p) != 0) {
        std::fprintf(stderr, "usage: own_memory TRACE [LATENCY_NS]\n");
        return 2;
    }
    double latency_ns = argc > 2 ? std::atof(argv[2]) : 200;
    std::vector<std::unique_ptr<my_memory>> memories;
    smrf::bind_memory(p, [&](unsigned sm, tlm::tlm_initiator_socket<> &socket) {
        std::string name = "my_memory_" + std::to_string(sm);
        memories.push_back(std::make_unique<my_memory>(name.c_str(), latency_ns));
        socket.bind(memories.back()->in);
    });

    double cycles = 0;
    if (smrf_platform_set(p, "gpu.sms=2") != 0 || smrf_platform_add_trace(p, argv[1]) != 0 ||
        smrf_platform_run(p, SMRF_NO_LIMIT) != SMRF_RUN_DONE ||
        smrf_platform_stat(p, "cycles", &cycles) != 0) {
        std::fprintf(stderr, "own_memory: %s\n", smrf_platform_error(p));
        smrf_platform_destroy(p);
        return 1;
    }
    std::printf("%.0f cycles\n", cycles);
    for (const auto &m : memories) {
        std::printf("%s: %lu sectors read, %lu written\n", m->name(), m->reads, m->writes);
    }
    smrf_platform_destroy(p);
    return 0;
}
