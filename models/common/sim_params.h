/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the simulation itself. */
#ifndef SMRF_SIM_PARAMS_H
#define SMRF_SIM_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_SIM_PARAMS(X)                                                                         \
    X(sim, seed, NUM, 1, 0, 0xffffffff, "", "", "seed of every random choice")                     \
    X(sim, check, FLAG, 1, 0, 1, "", "", "value oracle; never changes timing")                     \
    X(sim, monitor, FLAG, 0, 0, 1, "", "",                                                         \
      "1 = a monitor of the TLM base protocol on every connection in an SM and out of it")         \
    X(sim, watchdog, NUM, 200000, 1000, 0xffffffff, "cycles", "",                                  \
      "without any event, with no request in the memory, before the run is given up")                                   \
    X(sim, quantum, NUM, 1024, 1, 1024, "cycles", "",                                              \
      "most cycles an SM runs ahead of the memory, within what that allows; never changes "        \
      "results")

struct smrf_sim_params {
    SMRF_SIM_PARAMS(SMRF_PARAM_FIELD)
};

#endif
