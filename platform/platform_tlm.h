// SPDX-License-Identifier: Apache-2.0
// The part of the C API that cannot be C: any TLM-2.0 target as the memory behind the SMs. Engine
// "systemc" only.
#ifndef SMRF_PLATFORM_TLM_H
#define SMRF_PLATFORM_TLM_H

#include "platform/outside/memory_binder.h"
#include "platform/platform.h"

namespace smrf
{

// Use what `binder` binds instead of the in-tree memory. Call before smrf_platform_build.
// Returns 0 or SMRF_ERR_STATE. Throws nothing but std::bad_alloc's translation SMRF_ERR_NOMEM.
int bind_memory(struct smrf_platform *p, memory_binder binder);

} // namespace smrf

#endif
