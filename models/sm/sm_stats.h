/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of an SM: one list makes the struct, the sums and the results.
 * X(name, unit, "meaning") */
#ifndef SMRF_SM_STATS_H
#define SMRF_SM_STATS_H

#include "models/issue/issue_stats.h"
#include "models/oracle/oracle_stats.h"

#ifdef __cplusplus
extern "C" {
#endif

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
