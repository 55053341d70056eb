// SPDX-License-Identifier: Apache-2.0
// A module of the C API, and what C may know of it.
#ifndef SMRF_IP_MODULES_INTERNAL_H
#define SMRF_IP_MODULES_INTERNAL_H

#include "modules.h"

#include "platform/config/config.h"

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

using tlm_target = tlm::tlm_base_target_socket_b<>;
using smrf_bit = sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS>;

struct smrf_module {
    struct socket {
        std::string name;
        tlm_target *target = nullptr;           // or ..
        std::function<void(tlm_target &)> bind; // or an initiator
        bool bound = false;
    };
    struct bit { // a port of one bit
        std::string name;
        std::function<void(smrf_bit &)> bind;
        bool bound = false;
    };
    std::string error = "no error";
    std::vector<socket> sockets;
    std::vector<bit> bits;
    smrf_config cfg{}; // the mechanism's options point into it
    std::unique_ptr<sc_core::sc_module> module;
    std::function<void()> reset;
    std::function<int(const char *)> trace;
    std::function<int(const std::function<int(smrf_trace_writer *)> &)> source;
    smrf_platform *platform = nullptr;
};

#endif
