/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the execution units, one of each class in a sub-core. */
#ifndef SMRF_EXEC_PARAMS_H
#define SMRF_EXEC_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_EXEC_PARAMS(X)                                                                        \
    X(exec, int_latency, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                      \
      "integer, from unit to result")                                                              \
    X(exec, int_interval, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "integer, between two of a unit")                                                            \
    X(exec, sp_latency, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                       \
      "single precision, from unit to result")                                                     \
    X(exec, sp_interval, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                      \
      "single precision, between two of a unit")                                                   \
    X(exec, half_latency, NUM, 2, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "packed half, from unit to result")                                                          \
    X(exec, half_interval, NUM, 1, 1, 1000, "cycles", "Accel-Sim: half of sp",                     \
      "packed half, between two of a unit")                                                        \
    X(exec, hmul2_interval, NUM, 0, 0, 1000, "cycles",                                             \
      "Accel-Sim trace_driven.cc, whose list of packed halves lacks HMUL2: sp_interval",           \
      "HMUL2, between two of a unit; 0 = exec.half_interval")                                      \
    X(exec, dp_latency, NUM, 64, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                      \
      "double precision, from unit to result")                                                     \
    X(exec, dp_interval, NUM, 64, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "double precision, between two of a unit")                                                   \
    X(exec, dp_shared, FLAG, 0, 0, 1, "", "Huerta MICRO 2025; Turing, GA10x: 2 FMA/cycle/SM",      \
      "double precision: 1 = one unit an SM, the oldest instruction first; 0 = one a sub-core")    \
    X(exec, sfu_latency, NUM, 21, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "special function, from unit to result")                                                     \
    X(exec, sfu_interval, NUM, 8, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "special function, between two of a unit")                                                   \
    X(exec, tensor_latency, NUM, 16, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "tensor, from unit to result")                                                               \
    X(exec, tensor_interval, NUM, 16, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                 \
      "tensor, between two of a unit")                                                             \
    X(exec, hmma_f16_latency, NUM, 0, 0, 1000, "cycles",                                           \
      "Turing has 8: NAK's tables, 14 to a dependent one",                                         \
      "HMMA with half accumulators, from unit to result; 0 = exec.tensor_latency")                 \
    X(exec, hmma_f16_interval, NUM, 0, 0, 1000, "cycles", "Turing has 8: Yan et al., IPDPS 2020",  \
      "HMMA with half accumulators, between two of a unit; 0 = exec.tensor_interval")              \
    X(exec, hmma_f32_latency, NUM, 0, 0, 1000, "cycles", "Turing has 8, at half rate 16",          \
      "HMMA with single accumulators, from unit to result; 0 = exec.tensor_latency")               \
    X(exec, hmma_f32_interval, NUM, 0, 0, 1000, "cycles", "Turing has 16 on GeForce, 8 elsewhere", \
      "HMMA with single accumulators, between two of a unit; 0 = exec.tensor_interval")            \
    X(exec, imma_latency, NUM, 0, 0, 1000, "cycles",                                               \
      "Turing has 8: NAK's tables, 14 to a dependent one",                                         \
      "IMMA and BMMA, from unit to result; 0 = exec.tensor_latency")                               \
    X(exec, imma_interval, NUM, 0, 0, 1000, "cycles", "Turing has 4: least in compiled code",      \
      "IMMA and BMMA, between two of a unit; 0 = exec.tensor_interval")                            \
    X(exec, branch_latency, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                   \
      "branch, from unit to result")                                                               \
    X(exec, branch_interval, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "branch, between two of a unit")                                                             \
    X(exec, tex_latency, NUM, 200, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                    \
      "texture, from unit to result")                                                              \
    X(exec, tex_interval, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                     \
      "texture, between two of a unit")                                                            \
    X(exec, uniform_latency, NUM, 4, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                  \
      "uniform, from unit to result")                                                              \
    X(exec, uniform_interval, NUM, 1, 1, 1000, "cycles", "Accel-Sim SM75_RTX2060",                 \
      "uniform, between two of a unit")                                                            \
    X(exec, result_buses, NUM, 8, 1, 64, "results/cycle/SM", "Accel-Sim EX_WB width",              \
      "results of execution units that may end in one cycle")                                      \
    X(exec, buses_by_kind, FLAG, 0, 0, 1, "", "Accel-Sim shader_core_ctx::execute: on",            \
      "priority for result buses: 1 = by kind of unit (single precision, double precision, "       \
      "integer, special function, others); 0 = by sub-core")                                       \
    X(exec, mem_interval, NUM, 1, 1, 16, "cycles", "Accel-Sim; Huerta MICRO 2025: 2",              \
      "between two instructions that enter the load/store unit, from all sub-cores")               \
    X(exec, address_interval, NUM, 4, 1, 64, "cycles", "Huerta MICRO 2025: Ampere",                \
      "with rf.read=window: between two memory instructions of a sub-core")                        \
    X(exec, address_delay, NUM, 11, 8, 64, "cycles", "Huerta MICRO 2025, Table 1",                 \
      "with rf.read=window: from a memory instruction's issue to the load/store unit, at least")

struct smrf_exec_params {
    SMRF_EXEC_PARAMS(SMRF_PARAM_FIELD)
};

#endif
