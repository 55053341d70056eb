// SPDX-License-Identifier: Apache-2.0
// The monitor between two sockets that smrf knows nothing of: a target that does not answer is
// told.
#include <smrf/protocol_monitor.h>

#include <iostream>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace
{

struct silent : sc_core::sc_module {
    tlm_utils::simple_target_socket<silent> in{"in"};
    explicit silent(const sc_core::sc_module_name &name) : sc_module(name)
    {
        in.register_b_transport(this, &silent::answer);
    }
    void answer(tlm::tlm_generic_payload &, sc_core::sc_time &) {} // leaves the status as it was
};

struct asker : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<asker> out{"out"};
    SC_HAS_PROCESS(asker);
    explicit asker(const sc_core::sc_module_name &name) : sc_module(name)
    {
        SC_THREAD(ask);
    }
    void ask()
    {
        unsigned char data[4] = {};
        tlm::tlm_generic_payload gp;
        sc_core::sc_time delay;
        gp.set_read();
        gp.set_data_ptr(data);
        gp.set_data_length(sizeof data);
        gp.set_streaming_width(sizeof data);
        out->b_transport(gp, delay);
    }
};

} // namespace

int sc_main(int, char *[])
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    asker a("asker");
    silent s("silent");
    smrf::protocol_monitor monitor("monitor");
    a.out.bind(monitor.in);
    monitor.out.bind(s.in);
    sc_core::sc_start();
    std::cout << monitor.transactions() << " transaction, " << monitor.violations()
              << " violation\n";
    return monitor.violations() == 0;
}
