// SPDX-License-Identifier: Apache-2.0
// How to put a TLM-2.0 memory of your own behind the SMs: a pipelined one, that takes a request at
// once and answers it after a fixed time.
//
//     own_memory TRACE [LATENCY_NS]
#include "platform/platform_tlm.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

class my_memory : public sc_core::sc_module
{
  public:
    tlm_utils::simple_target_socket<my_memory> in{"in"};
    unsigned long reads = 0, writes = 0;

    my_memory(const sc_core::sc_module_name &name, double latency_ns)
        : sc_module(name), latency_(latency_ns, sc_core::SC_NS)
    {
        in.register_nb_transport_fw(this, &my_memory::nb_transport_fw);
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload &gp, tlm::tlm_phase &phase,
                                       sc_core::sc_time &delay)
    {
        if (phase == tlm::BEGIN_REQ) {
            ++(gp.is_read() ? reads : writes); // sectors of 32 bytes; their contents are not used
            gp.acquire();
            answers_.notify(gp, tlm::BEGIN_RESP, delay + latency_);
            phase = tlm::END_REQ; // the next request may come
            return tlm::TLM_UPDATED;
        }
        return tlm::TLM_COMPLETED; // END_RESP
    }

    void answer(tlm::tlm_generic_payload &gp, const tlm::tlm_phase &phase)
    {
        tlm::tlm_phase to = phase;
        sc_core::sc_time delay;
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        in->nb_transport_bw(gp, to, delay); // the SM's port ends an answer at once
        gp.release();
    }

    const sc_core::sc_time latency_;
    tlm_utils::peq_with_cb_and_phase<my_memory> answers_{this, &my_memory::answer};
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
