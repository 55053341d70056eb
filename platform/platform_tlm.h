// SPDX-License-Identifier: Apache-2.0
// The part of the C API that cannot be C: any TLM-2.0 target as the memory behind the SMs. Engine
// "systemc" only.
#ifndef SMRF_PLATFORM_TLM_H
#define SMRF_PLATFORM_TLM_H

#include "platform/platform.h"

#include <functional>
#include <tlm>

namespace smrf
{

// Called once an SM, while the platform is built: bind the SM's initiator socket (base protocol,
// sectors of 32 bytes, 32 bits of bus width) to a target, for example socket.bind(bus.target[sm]).
using memory_binder = std::function<void(unsigned sm, tlm::tlm_initiator_socket<> &socket)>;

// Use what `binder` binds instead of the in-tree memory. Call before smrf_platform_build.
// Returns 0 or SMRF_ERR_STATE. Throws nothing but std::bad_alloc's translation SMRF_ERR_NOMEM.
int bind_memory(struct smrf_platform *p, memory_binder binder);

} // namespace smrf

#endif
