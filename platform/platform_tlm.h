// SPDX-License-Identifier: Apache-2.0
// The part of the C API that cannot be C: any TLM-2.0 target as the memory behind the SMs. Engine
// "systemc" only.
#ifndef SMRF_PLATFORM_TLM_H
#define SMRF_PLATFORM_TLM_H

#include "models/tlm/width_bridge.h"
#include "platform/outside/memory_binder.h"
#include "platform/platform.h"

#include <memory>
#include <vector>

namespace smrf
{

// Use what `binder` binds instead of the in-tree memory. Call before smrf_platform_build.
// Returns 0 or SMRF_ERR_STATE. Throws nothing but std::bad_alloc's translation SMRF_ERR_NOMEM.
int bind_memory(struct smrf_platform *p, memory_binder binder);

// The same with sockets of another width in bits, for example 64, 128 or 256.
template <unsigned Width>
int bind_memory(struct smrf_platform *p,
                std::function<void(unsigned sm, tlm::tlm_initiator_socket<Width> &socket)> binder)
{
    const auto bridges = std::make_shared<std::vector<std::unique_ptr<width_bridge<Width>>>>();
    return bind_memory(
        p, memory_binder([binder, bridges](unsigned sm, tlm::tlm_initiator_socket<> &from) {
            bridges->push_back(
                std::make_unique<width_bridge<Width>>(sc_core::sc_gen_unique_name("memory_width")));
            from.bind(bridges->back()->in);
            binder(sm, bridges->back()->out);
        }));
}

} // namespace smrf

#endif
