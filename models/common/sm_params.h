/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of an SM. */
#ifndef SMRF_SM_PARAMS_H
#define SMRF_SM_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_SM_PARAMS(X)                                                                          \
    X(sm, threads, NUM, 1024, 32, 2048, "threads", "Malekeh Table I", "resident threads")          \
    X(sm, warps, NUM, 32, 1, 64, "warps", "Malekeh Table I", "warp slots")                         \
    X(sm, blocks, NUM, 16, 1, 64, "blocks", "Accel-Sim SM75_RTX2060", "resident thread blocks")    \
    X(sm, registers, NUM, 65536, 1024, 262144, "32-bit registers", "Malekeh Table I (256 KB)",     \
      "register file")                                                                             \
    X(sm, register_unit, NUM, 4, 1, 256, "registers/thread", "Accel-Sim max_cta",                  \
      "a thread's registers are rounded up to a multiple of this")                                 \
    X(sm, registers_pooled, FLAG, 0, 0, 1, "", "Accel-Sim max_cta",                                \
      "1 = a block fits if the SM has enough free registers; 0 = each sub-core must have enough "  \
      "for its own warps")                                                                         \
    X(sm, shared_bytes, NUM, 65536, 0, 262144, "bytes", "Malekeh Table I", "shared memory")        \
    X(sm, subcores, NUM, 4, 1, 4, "sub-cores", "Malekeh II",                                       \
      "1 = one monolithic scheduler over the whole register file")

struct smrf_sm_params {
    SMRF_SM_PARAMS(SMRF_PARAM_FIELD)
};

#endif
