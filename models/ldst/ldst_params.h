/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the load/store unit and its L1D. */
#ifndef SMRF_LDST_PARAMS_H
#define SMRF_LDST_PARAMS_H

#include "models/common/smrf_param.h"

/* Generic accesses to local memory: the word that LDL and STL would access, or as Accel-Sim. */
enum smrf_generic_local { SMRF_GENERIC_LOCAL_WINDOW, SMRF_GENERIC_LOCAL_ACCELSIM };
/* Order of the threads in local memory: by SM, or by block. */
enum smrf_local_order { SMRF_LOCAL_ORDER_SM, SMRF_LOCAL_ORDER_BLOCK };

/* What decides which loads and stores go past the L1D. */
enum smrf_bypass { SMRF_BYPASS_BY_OPCODE, SMRF_BYPASS_BY_ACCELSIM };

#define SMRF_LDST_VALUES(E)                                                                        \
    E(GENERIC_LOCAL, SMRF_GENERIC_LOCAL_WINDOW, "window")                                          \
    E(GENERIC_LOCAL, SMRF_GENERIC_LOCAL_ACCELSIM, "accelsim")                                      \
    E(LOCAL_ORDER, SMRF_LOCAL_ORDER_SM, "sm")                                                      \
    E(LOCAL_ORDER, SMRF_LOCAL_ORDER_BLOCK, "block")                                                \
    E(BYPASS, SMRF_BYPASS_BY_OPCODE, "opcode")                                                     \
    E(BYPASS, SMRF_BYPASS_BY_ACCELSIM, "accelsim")

#define SMRF_LDST_PARAMS(X)                                                                        \
    X(ldst, shared_latency, NUM, 30, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "shared memory, without conflicts")                                                          \
    X(ldst, shared_banks, NUM, 32, 1, 64, "banks of 4 bytes", "Accel-Sim SM75_RTX2060",            \
      "shared memory banks")                                                                       \
    X(ldst, shared_atomic, NUM, 0, 0, 64, "cycles/lane",                                           \
      "fitted to an RTX 2060: 2, docs/hardware.md",                                                \
      "atomics of shared memory: cycles of a bank for each lane that accesses it; 0 = as a load")  \
    X(ldst, generic_local, GENERIC_LOCAL, SMRF_GENERIC_LOCAL_WINDOW, 0, 1, "",                     \
      "Accel-Sim checkExecutionStatusAndUpdate",                                                   \
      "address of a generic access to local memory: window = that of LDL and STL; accelsim = "     \
      "another one, since the window's base is not subtracted")                                    \
    X(ldst, local_order, LOCAL_ORDER, SMRF_LOCAL_ORDER_SM, 0, 1, "",                               \
      "proposed; Accel-Sim translate_local_memaddr: block",                                        \
      "order of threads' words in local memory: sm = by warp slot of an SM; block = by resident "  \
      "block, SMs in turn")

struct smrf_ldst_params {
    SMRF_LDST_PARAMS(SMRF_PARAM_FIELD)
};

#define SMRF_L1D_PARAMS(X)                                                                         \
    X(l1d, unified_bytes, NUM, 98304, 0, 1048576, "bytes", "Accel-Sim SM75_RTX2060",               \
      "L1D and shared memory together; 0 = L1D has l1d.ways fixed")                                \
    X(l1d, carveouts, KBSET, (1u << 8) | (1u << 16), 0, 0xffffffff, "KiB",                         \
      "Accel-Sim shmem_option", "sizes that shared memory may have within unified_bytes")          \
    X(l1d, large_carveouts, KBSET_128, 0, 0, 0xffffffff, "KiB", "Accel-Sim shmem_option",          \
      "the sizes of 128 KiB and more; set together with l1d.carveouts")                            \
    X(l1d, sets, NUM, 4, 1, 4096, "sets", "Accel-Sim SM75_RTX2060", "sets, a power of two")        \
    X(l1d, ways, NUM, 64, 1, 65536, "ways", "Accel-Sim SM75_RTX2060",                              \
      "ways; used if unified_bytes is 0")                                                          \
    X(l1d, banks, NUM, 4, 1, 16, "banks", "Accel-Sim SM75_RTX2060",                                \
      "banks, each serves one sector a cycle")                                                     \
    X(l1d, ports, NUM, 1, 1, 16, "sectors/bank/cycle", "CARS VI-E", "hit bandwidth scaling")       \
    X(l1d, line_interval, NUM, 0, 0, 16, "cycles/line",                                            \
      "fitted to an RTX 2060 (2) and an RTX 3060 (1), docs/hardware.md",                           \
      "cycles that each line of an instruction occupies the tags; 0 = only banks limit it")        \
    X(l1d, lane_interval, NUM, 0, 0, 16, "cycles/lane",                                            \
      "fitted to an RTX 2060 (1), docs/hardware.md",                                               \
      "the lines of an instruction occupy the tags no longer than this for each of its lanes; "    \
      "0 = for as long as l1d.line_interval says")                                                 \
    X(l1d, latency, NUM, 32, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060", "hit latency")           \
    X(l1d, mshrs, NUM, 256, 1, 4096, "entries", "Accel-Sim SM75_RTX2060", "sectors in flight")     \
    X(l1d, mshr_merge, NUM, 32, 1, 256, "requests/entry", "Accel-Sim SM75_RTX2060",                \
      "requests merged into one MSHR")                                                             \
    X(l1d, joins_filled, FLAG, 0, 0, 1, "", "Accel-Sim send_read_request: on",                     \
      "1 = a load that misses a sector that has just returned joins the MSHR, if loads still "     \
      "wait there; no second request is sent and the line stays")                                  \
    X(l1d, miss_queue, NUM, 16, 1, 256, "requests", "Accel-Sim SM75_RTX2060",                      \
      "misses that wait for the memory port")                                                      \
    X(l1d, bypass, FLAG, 0, 0, 1, "", "Accel-Sim gmem_skip_L1D", "1 = global loads bypass L1D")    \
    X(l1d, bypass_by, BYPASS, SMRF_BYPASS_BY_OPCODE, 0, 1, "",                                     \
      "PTX ISA cache operators; Accel-Sim parse_from_trace_struct",                                \
      "which accesses bypass L1D: opcode = .CG, .CV, .BYPASS, .MMIO, .STRONG with GPU or system "  \
      "scope; accelsim = only loads with .STRONG.GPU")                                             \
    X(l1d, flush, FLAG, 1, 0, 1, "", "Accel-Sim flush_l1_cache",                                   \
      "1 = empty the cache at each kernel's start, and when a memory barrier is over")             \
    X(l1d, write_ratio, NUM, 0, 0, 100, "% of lines", "Accel-Sim gpgpu_l1_cache_write_ratio",      \
      "dirty lines are not replaced while they are less than this share; 0 = plain LRU")           \
    X(l1d, age_by_cycle, FLAG, 0, 0, 1, "", "Accel-Sim tag_array::probe: on",                      \
      "1 = lines that were used in one cycle are equally old, and the one of the highest way is "  \
      "replaced first; 0 = the order within the cycle counts")                                     \
    X(l1d, always_hit_local, FLAG, 0, 0, 1, "", "CARS ALL-HIT",                                    \
      "1 = local-memory accesses always hit")                                                      \
    X(l1d, always_hit_spills, FLAG, 0, 0, 1, "", "CARS VI-A2, ALL-HIT",                            \
      "1 = register spills and fills around calls always hit (needs a sidecar of version 2); "     \
      "other local accesses as usual")

struct smrf_l1d_params {
    SMRF_L1D_PARAMS(SMRF_PARAM_FIELD)
};

/* Sizes that shared memory can take: bit k stands for 4 x k KiB. */
static inline uint64_t smrf_l1d_carveouts(const struct smrf_l1d_params *l1d)
{
    return l1d->carveouts | (uint64_t)l1d->large_carveouts << 32;
}

#endif
