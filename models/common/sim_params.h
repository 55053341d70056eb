/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the simulation itself. */
#ifndef SMRF_SIM_PARAMS_H
#define SMRF_SIM_PARAMS_H

#include "models/common/smrf_param.h"

/* How SMs and what they talk to take their time. */
enum smrf_view { SMRF_VIEW_LT, SMRF_VIEW_AT, SMRF_VIEW_CYCLE, SMRF_VIEW_SCOREBOARD };

#define SMRF_SIM_VALUES(E)                                                                         \
    E(VIEW, SMRF_VIEW_LT, "lt")                                                                    \
    E(VIEW, SMRF_VIEW_AT, "at")                                                                    \
    E(VIEW, SMRF_VIEW_CYCLE, "cycle")                                                              \
    E(VIEW, SMRF_VIEW_SCOREBOARD, "scoreboard")

#define SMRF_SIM_PARAMS(X)                                                                         \
    X(sim, seed, NUM, 1, 0, 0xffffffff, "", "", "seed of every random choice")                     \
    X(sim, check, FLAG, 1, 0, 1, "", "",                                                           \
      "compare every operand with its right value; never changes timing")                          \
    X(sim, monitor, FLAG, 0, 0, 1, "", "",                                                         \
      "1 = check the TLM base protocol on every connection inside and outside the SMs")            \
    X(sim, watchdog, NUM, 200000, 1000, 0xffffffff, "cycles", "",                                  \
      "cycles without any event, and without outstanding requests, after which a run ends as "     \
      "stuck")                                                                                     \
    X(sim, view, VIEW, SMRF_VIEW_AT, 0, 3, "", "",                                                 \
      "lt: b_transport, SMs run ahead by the quantum, and cycles depend on it; at: "               \
      "annotated whole-cycle delays; cycle: every phase at its cycle. These: engine systemc. "     \
      "scoreboard: no loop over cycles in an SM or the memory; cycles are an estimate, baseline "  \
      "only")                                                                                      \
    X(sim, granularity, NUM, 1, 1, 1000000, "cycles", "",                                          \
      "SMs see answers at multiples of this many cycles")                                          \
    X(sim, quantum, NUM, 1024, 1, 1000000000, "cycles", "",                                        \
      "most cycles that an SM runs ahead of the memory; changes results only in the view lt")

struct smrf_sim_params {
    SMRF_SIM_PARAMS(SMRF_PARAM_FIELD)
};

#endif
