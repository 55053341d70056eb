// SPDX-License-Identifier: Apache-2.0
// How a user's TLM-2.0 target comes into the place of the in-tree memory.
#ifndef SMRF_MEMORY_BINDER_H
#define SMRF_MEMORY_BINDER_H

#include <functional>
#include <tlm>

namespace smrf
{

// Called once an SM, while the platform is built: bind the SM's initiator socket (base protocol,
// sectors of 32 bytes, 32 bits of bus width) to a target, for example socket.bind(bus.target[sm]).
using memory_binder = std::function<void(unsigned sm, tlm::tlm_initiator_socket<> &socket)>;

} // namespace smrf

#endif
