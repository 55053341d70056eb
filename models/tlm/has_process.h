// SPDX-License-Identifier: Apache-2.0
// SystemC 2.3 wants SC_HAS_PROCESS of a module with processes; SystemC 3.0 deprecates it.
#ifndef SMRF_TLM_HAS_PROCESS_H
#define SMRF_TLM_HAS_PROCESS_H

#include <systemc>

#if SC_VERSION_MAJOR >= 3
#define SMRF_HAS_PROCESS(module) static_assert(sizeof(module *) != 0)
#else
#define SMRF_HAS_PROCESS(module) SC_HAS_PROCESS(module)
#endif

#endif
