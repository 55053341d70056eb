/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of an issue stage. */
#ifndef SMRF_ISSUE_STATS_H
#define SMRF_ISSUE_STATS_H

#include "models/common/smrf_types.h"

/* Why a scheduler did not issue in a cycle, the first that applies to any of its warps.
 * X(name, unit, "meaning") */
#define SMRF_STALLS(X)                                                                             \
    X(unit, "cycles", "a warp was ready, its unit's latch was occupied")                           \
    X(collector, "cycles", "a warp was ready, no collector unit was free")                         \
    X(port, "cycles", "a warp was ready, read stages were held by an instruction without ports")   \
    X(queue, "cycles", "a warp was ready, read stages were held before the full queue of a unit")  \
    X(withheld, "cycles", "a warp was ready, the mechanism gave it none of the free collectors")   \
    X(inactive, "cycles", "a warp was ready, the scheduling policy left it out")                   \
    X(data, "cycles", "waiting for a result (RAW, WAW)")                                           \
    X(count, "cycles", "waiting for the end of a stall count in the control bits")                 \
    X(counter, "cycles", "waiting for a counter of the control bits")                              \
    X(war, "cycles", "waiting for readers of the destination (WAR)")                               \
    X(rename, "cycles", "waiting for a physical register")                                         \
    X(blocked, "cycles",                                                                           \
      "held back by the mechanism (a trap, for instance) or by an instruction-cache refill")       \
    X(membar, "cycles", "waiting at a memory barrier, for an atomic or asynchronous copies")       \
    X(barrier, "cycles", "waiting at a thread-block barrier")                                      \
    X(fetch, "cycles", "instruction buffers empty")                                                \
    X(constant, "cycles", "waiting for a constant that its cache does not hold")                   \
    X(drain, "cycles", "all warps have issued their last instruction")                             \
    X(idle, "cycles", "no warp resident")

#define SMRF_STALL_ENUM(name, unit, meaning) SMRF_STALL_##name,
enum smrf_stall { SMRF_STALLS(SMRF_STALL_ENUM) SMRF_STALL_COUNT };
#undef SMRF_STALL_ENUM

/* Meanings: SMRF_SM_STATS, which publishes their sums. */
#define SMRF_ISSUE_STATS(X)                                                                        \
    X(warp_insts)                                                                                  \
    X(thread_insts)                                                                                \
    X(further_steps)                                                                               \
    X(completed)                                                                                   \
    X(cycles_issued)                                                                               \
    X(scheduler_cycles)                                                                            \
    X(warp_cycles)                                                                                 \
    X(operand_reads)                                                                               \
    X(operand_writes)                                                                              \
    X(merge_reads)                                                                                 \
    X(unbacked_registers)

/* Instructions of a class. */
struct smrf_issue_class {
    uint64_t warp_insts, thread_insts;
};

struct smrf_issue_stats {
#define SMRF_ISSUE_FIELD(name) uint64_t name;
    SMRF_ISSUE_STATS(SMRF_ISSUE_FIELD)
#undef SMRF_ISSUE_FIELD
    uint64_t stall[SMRF_STALL_COUNT];
    struct smrf_issue_class by_class[SMRF_CLASS_COUNT];
};

#endif
