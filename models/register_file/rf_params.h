/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the register file: banks, collectors, and what passes between them. */
#ifndef SMRF_RF_PARAMS_H
#define SMRF_RF_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_pick { SMRF_PICK_FIRST, SMRF_PICK_RANDOM };

enum smrf_order { SMRF_ORDER_OLDEST, SMRF_ORDER_INDEX };

/* How operands come from the banks. */
enum smrf_operand_read { SMRF_READ_COLLECTORS, SMRF_READ_WINDOW };

/* Which cycles of its window an instruction reads a bank in. */
enum smrf_window_order { SMRF_WINDOW_LATE, SMRF_WINDOW_EARLY };

#define SMRF_RF_VALUES(E)                                                                          \
    E(PICK, SMRF_PICK_FIRST, "first")                                                              \
    E(PICK, SMRF_PICK_RANDOM, "random")                                                            \
    E(ORDER, SMRF_ORDER_OLDEST, "oldest")                                                          \
    E(ORDER, SMRF_ORDER_INDEX, "index")                                                            \
    E(READ, SMRF_READ_COLLECTORS, "collectors")                                                    \
    E(READ, SMRF_READ_WINDOW, "window")                                                            \
    E(WINDOW, SMRF_WINDOW_LATE, "late")                                                            \
    E(WINDOW, SMRF_WINDOW_EARLY, "early")

#define SMRF_RF_PARAMS(X)                                                                          \
    X(rf, banks, NUM, 2, 1, 16, "banks/sub-core", "Malekeh II", "single-ported register banks")    \
    X(rf, swizzle, FLAG, 1, 0, 1, "", "Accel-Sim register_bank",                                   \
      "1 = bank is (register + warp) mod banks; 0 = register mod banks")                           \
    X(rf, collectors, NUM, 2, 1, 16, "collector units/sub-core", "Malekeh II", "collector units")  \
    X(rf, collector_slots, NUM, 1, 1, 8, "instructions/collector unit", "Malekeh II; BOW: 3",      \
      "instructions that a collector unit holds at once; they share its ports")                    \
    X(rf, steps, NUM, 1, 1, 4, "steps/cycle", "Malekeh II; Accel-Sim uses 2",                      \
      "passes of arbitration, collection and dispatch in a core cycle")                            \
    X(rf, collector_ports, NUM, 1, 0, 16, "operands/collector/step", "Malekeh II",                 \
      "operands a collector accepts in one step; 0 = no limit, as Accel-Sim")                      \
    X(rf, perfect, FLAG, 0, 0, 1, "", "proposed",                                                  \
      "1 = a perfect register file (upper bound): banks serve every read and write at once, "      \
      "collectors accept every operand at once")                                                   \
    X(rf, in_ports, NUM, 8, 1, 64, "passes/step", "Accel-Sim in_ports_gen",                        \
      "with issue.latches: instructions of one unit type that can enter collectors in a step")     \
    X(rf, oldest_first, FLAG, 0, 0, 1, "", "Accel-Sim get_ready_reg_id",                           \
      "with issue.latches: 1 = only the oldest instruction of a unit type in the SM may enter a "  \
      "collector, so one full sub-core blocks the others")                                         \
    X(rf, collector_pick, PICK, SMRF_PICK_RANDOM, 0, 1, "", "Malekeh II",                          \
      "which free collector takes an instruction")                                                 \
    X(rf, dispatch, NUM, 1, 1, 16, "instructions/sub-core/step", "proposed; Accel-Sim uses 8",     \
      "instructions dispatched from the collectors in one step")                                   \
    X(rf, dispatch_order, ORDER, SMRF_ORDER_OLDEST, 0, 1, "", "proposed; Accel-Sim uses index",    \
      "which ready collector dispatches first")                                                    \
    X(rf, write_queue, NUM, 8, 0, 64, "results/bank", "Huerta MICRO 2025: result queue",           \
      "results that may wait for a busy bank; when the queue is full, units stall")                \
    X(rf, extra_latency, NUM, 0, 0, 16, "cycles", "CARS IV-C",                                     \
      "added pipeline cycles in the operand collector")                                            \
    X(rf, base_registers_only, FLAG, 0, 0, 1, "", "Accel-Sim trace parser",                        \
      "1 = count only the registers that the trace lists: of a wide operand its first register")   \
    X(rf, rz_is_register, FLAG, 0, 0, 1, "", "Accel-Sim trace_driven",                             \
      "1 = treat RZ as a register: it is read, written and tracked by the scoreboard")             \
    X(rf, drop_conflicting_writes, FLAG, 0, 0, 1, "", "Accel-Sim writeback",                       \
      "1 = a second result for a bank in the same cycle is written for free")                      \
    X(rf, l1_hit_writes, FLAG, 1, 0, 1, "", "Accel-Sim L1_latency_queue_cycle",                    \
      "1 = a load that hits L1 writes its bank; 0 = that write is free")                           \
    X(rf, write_per_sector, FLAG, 0, 0, 1, "", "Accel-Sim ldst_unit::writeback",                   \
      "1 = a load that misses writes its registers once per returned sector; 0 = once")            \
    X(rf, read, READ, SMRF_READ_COLLECTORS, 0, 1, "", "Huerta MICRO 2025: no collectors",          \
      "collectors = operand collectors; window = read stages that reserve the banks' read ports "  \
      "within a window of cycles, with a bypass, in the order of issue")                           \
    X(rf, window, NUM, 3, 1, 6, "cycles", "Huerta MICRO 2025",                                     \
      "with window: cycles in which all operands of an instruction are read")                      \
    X(rf, read_ports, NUM, 1, 1, 8, "ports/bank", "Huerta MICRO 2025: 1",                          \
      "with window: registers of a bank that an instruction reads in a cycle; more than 1 needs "  \
      "rf.window_order=late")                                                                      \
    X(rf, window_order, WINDOW, SMRF_WINDOW_LATE, 0, 1, "",                                        \
      "late: clock windows of an A100; early: Huerta MICRO 2025",                                  \
      "with window: late = a bank is read in the last cycles of the window, behind all earlier "   \
      "reads; early = in the first free ones")                                                     \
    X(rf, reuse_cache, FLAG, 1, 0, 1, "", "Huerta MICRO 2025",                                     \
      "with window: 1 = operands marked .reuse are kept, one for each bank and operand position")  \
    X(rf, unit_queue, NUM, 4, 1, 8, "instructions/unit",                                           \
      "Huerta MICRO 2025: memory; HS: 3 on "                                                       \
      "Turing",                                                                                    \
      "with window: instructions of variable latency that wait before their unit")

struct smrf_rf_params {
    SMRF_RF_PARAMS(SMRF_PARAM_FIELD)
};

/* Instructions that the collector units of a sub-core hold: slot s is unit s / collector_slots. */
static inline uint32_t smrf_collector_slots(const struct smrf_rf_params *rf)
{
    return rf->collectors * rf->collector_slots;
}

/* Cycles from a grant to the operand: with one step a cycle it is usable in the next; several steps
 * share a cycle. */
static inline uint32_t smrf_bank_delay(const struct smrf_rf_params *rf)
{
    return rf->steps == 1 ? 1 : 0;
}

#endif
