/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of an SM: one list makes the struct, the sums and the results.
 * X(name, unit, "meaning") */
#ifndef SMRF_SM_STATS_H
#define SMRF_SM_STATS_H

#include "models/arbiter/arbiter.h"
#include "models/collector/collector.h"
#include "models/issue/control_bits.h"
#include "models/issue/issue_stats.h"
#include "models/ldst/inlet.h"
#include "models/oracle/oracle_stats.h"
#include "models/units/units.h"
#include "models/units/writeback.h"
#include "models/xbar/xbar.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_SM_STATS(X)                                                                           \
    X(warp_insts, "instructions", "warp instructions issued")                                      \
    X(thread_insts, "instructions",                                                                \
      "thread instructions issued: active lanes of each warp instruction")                         \
    X(further_steps, "steps",                                                                      \
      "steps after the first one, of warp instructions with too many registers for one step")      \
    X(completed, "instructions", "warp instructions that left the SM, further steps included")     \
    X(blocks, "blocks", "thread blocks finished")                                                  \
    X(warps, "warps", "warps finished")                                                            \
    X(active_cycles, "cycles", "cycles with a resident warp")                                      \
    X(stepped_cycles, "cycles", "cycles that were simulated, not skipped")                         \
    X(cycles_issued, "cycles", "scheduler cycles that issued")                                     \
    X(scheduler_cycles, "cycles", "scheduler cycles with the SM active")                           \
    X(warp_cycles, "warp cycles", "warps resident, summed over cycles")                            \
    X(operand_reads, "operands", "distinct source registers of issued instructions")               \
    X(operand_writes, "operands", "destination registers written")                                 \
    X(merge_reads, "operands",                                                                     \
      "old registers read, for the lanes that a renamed result does not write")                    \
    SMRF_COLLECTOR_STATS(X)                                                                        \
    SMRF_ARBITER_STATS(X)                                                                          \
    SMRF_XBAR_STATS(X)                                                                             \
    SMRF_UNITS_STATS(X)                                                                            \
    SMRF_WRITEBACK_STATS(X)                                                                        \
    SMRF_INLET_STATS(X)                                                                            \
    X(unbacked_registers, "operands", "registers beyond the launch's allocation: no storage")      \
    SMRF_CONTROL_STATS(X)                                                                          \
    X(barriers, "barriers", "thread-block barriers passed")                                        \
    X(icache_misses, "misses", "instruction-cache lines fetched")                                  \
    X(l0_misses, "misses", "lines that no sub-core's instruction cache or stream buffer had")      \
    X(l0_streamed, "lines", "lines taken out of stream buffers")                                   \
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
