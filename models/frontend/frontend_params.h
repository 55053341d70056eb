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
      "refill of an instruction-cache line")                                                       \
    X(frontend, l0_bytes, NUM, 0, 0, 65536, "bytes",                                               \
      "Huerta MICRO 2025's simulator: 16 KB, 32 KB",                                               \
      "instruction cache of a sub-core, before that of the SM; 0 = none")                          \
    X(frontend, l0_ways, NUM, 8, 1, 64, "ways", "proposed", "associativity")                       \
    X(frontend, l0_ahead, NUM, 8, 0, 16, "lines", "Huerta MICRO 2025",                             \
      "stream buffer: lines fetched ahead of a miss")                                              \
    X(frontend, l0_latency, NUM, 78, 0, 1000, "cycles", "Huerta MICRO 2025's simulator: 39 + 39",  \
      "a line from the SM's instruction cache")                                                    \
    X(frontend, l0_interval, NUM, 2, 1, 64, "cycles/line", "an A100's clock windows",              \
      "between two lines that the SM's instruction cache gives to sub-cores")                      \
    X(frontend, constant_bytes, NUM, 0, 0, 4096, "bytes", "Huerta MICRO 2025's simulator: 512",    \
      "with rf.read=window: constants of a sub-core's instructions of fixed latency; 0 = all are " \
      "there")                                                                                     \
    X(frontend, constant_ways, NUM, 8, 1, 64, "ways", "proposed", "associativity")                 \
    X(frontend, constant_latency, NUM, 79, 1, 1000, "cycles", "Huerta MICRO 2025",                 \
      "a miss of it, at issue")                                                                    \
    X(frontend, constant_switch, NUM, 4, 0, 1000, "cycles", "Huerta MICRO 2025",                   \
      "in which no warp issues while the constant of the one that issued last is on its way")

struct smrf_frontend_params {
    SMRF_FRONTEND_PARAMS(SMRF_PARAM_FIELD)
};

#endif
