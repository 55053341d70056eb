/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of an SM: one list makes the struct, the sums and the results.
 * X(name, unit, "meaning") */
#ifndef SMRF_SM_STATS_H
#define SMRF_SM_STATS_H

#include "models/common/smrf_types.h"
#include "models/oracle/oracle_stats.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a scheduler did not issue in a cycle, the first that applies to any of its warps. */
#define SMRF_STALLS(X)                                                                             \
    X(unit, "cycles", "a warp was ready, its unit's latch was occupied")                           \
    X(collector, "cycles", "a warp was ready, no collector unit could take it")                    \
    X(inactive, "cycles", "a warp was ready, the policy did not consider it")                      \
    X(data, "cycles", "waiting for a result (RAW, WAW)")                                           \
    X(war, "cycles", "waiting for readers of the destination (WAR)")                               \
    X(rename, "cycles", "waiting for a physical register")                                         \
    X(blocked, "cycles",                                                                           \
      "held back by the mechanism (a trap, for instance) or by an instruction-cache refill")       \
    X(membar, "cycles", "waiting at a memory barrier or for an atomic")                            \
    X(barrier, "cycles", "waiting at a thread-block barrier")                                      \
    X(fetch, "cycles", "instruction buffers empty")                                                \
    X(drain, "cycles", "all warps have issued their last instruction")                             \
    X(idle, "cycles", "no warp resident")

#define SMRF_STALL_ENUM(name, unit, meaning) SMRF_STALL_##name,
enum smrf_stall { SMRF_STALLS(SMRF_STALL_ENUM) SMRF_STALL_COUNT };
#undef SMRF_STALL_ENUM

#define SMRF_SM_STATS(X)                                                                           \
    X(warp_insts, "instructions", "warp instructions issued")                                      \
    X(thread_insts, "instructions", "thread instructions issued (lanes of the masks)")             \
    X(completed, "instructions", "warp instructions that left the SM")                             \
    X(blocks, "blocks", "thread blocks finished")                                                  \
    X(warps, "warps", "warps finished")                                                            \
    X(active_cycles, "cycles", "cycles with a resident warp")                                      \
    X(stepped_cycles, "cycles", "cycles that were simulated, not skipped")                         \
    X(cycles_issued, "cycles", "scheduler cycles that issued")                                     \
    X(scheduler_cycles, "cycles", "scheduler cycles with the SM active")                           \
    X(operand_reads, "operands", "distinct source registers of issued instructions")               \
    X(bank_reads, "accesses", "operands read from the banks")                                      \
    X(cache_hits, "operands", "operands that a collector held already")                            \
    X(operand_writes, "operands", "destination registers written")                                 \
    X(bank_writes, "accesses", "writes of the banks")                                              \
    X(cache_writes, "operands", "results that a collector kept")                                   \
    X(portless_writes, "accesses", "writes that took no bank port (options of Accel-Sim)")         \
    X(bank_conflict_cycles, "operand cycles", "operands that waited for a bank or a port")         \
    X(write_conflicts, "accesses", "writes that found their bank taken")                           \
    X(crossbar_transfers, "operands", "operands that crossed to a collector")                      \
    X(collector_busy, "collector cycles", "collector units occupied, summed at dispatch")          \
    X(result_bus_stalls, "instructions", "unit issues held by the result buses")                   \
    X(unbacked_registers, "operands", "registers beyond the launch's allocation: no storage")      \
    X(barriers, "barriers", "thread-block barriers passed")                                        \
    X(icache_misses, "misses", "instruction-cache lines fetched")                                  \
    SMRF_ORACLE_STATS(X)

#define SMRF_STAT_FIELD(name, unit, meaning) uint64_t name;
struct smrf_sm_stats {
    SMRF_SM_STATS(SMRF_STAT_FIELD)
    uint64_t stall[SMRF_STALL_COUNT];
    uint64_t warp_insts_by_class[SMRF_CLASS_COUNT];
    uint64_t thread_insts_by_class[SMRF_CLASS_COUNT];
};
#undef SMRF_STAT_FIELD

#ifdef __cplusplus
}
#endif

#endif
