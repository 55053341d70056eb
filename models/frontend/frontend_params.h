/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the front end. */
#ifndef SMRF_FRONTEND_PARAMS_H
#define SMRF_FRONTEND_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_FRONTEND_PARAMS(X)                                                                    \
    X(frontend, ibuffer, NUM, 2, 1, 4, "instructions/warp", "Accel-Sim; Huerta MICRO 2025: 3",     \
      "instruction buffer")                                                                        \
    X(frontend, fetch_warps, NUM, 4, 1, 32, "warps/cycle", "Accel-Sim inst_fetch_throughput",      \
      "warps whose empty instruction buffer is refilled in one cycle")                             \
    X(frontend, refill, FLAG, 0, 0, 1, "", "Huerta MICRO 2025",                                    \
      "1 = refill a buffer as soon as it has room; 0 = only when it is empty")                     \
    X(frontend, exit_at_fetch, FLAG, 0, 0, 1, "", "Accel-Sim shader_core_ctx::fetch",              \
      "1 = a finished warp leaves when the fetch stage's search reaches it; 0 = at once")          \
    X(frontend, icache_bytes, NUM, 0, 0, 1048576, "bytes", "Accel-Sim perfect_inst_const_cache",   \
      "instruction cache of an SM; 0 = ideal")                                                     \
    X(frontend, icache_ways, NUM, 16, 1, 64, "ways", "Accel-Sim il1", "associativity")             \
    X(frontend, icache_miss_latency, NUM, 100, 1, 10000, "cycles", "proposed",                     \
      "refill of an instruction-cache line")

struct smrf_frontend_params {
    SMRF_FRONTEND_PARAMS(SMRF_PARAM_FIELD)
};

#endif
