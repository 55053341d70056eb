/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the reuse annotation, for the mechanisms that ask for it. */
#ifndef SMRF_REUSE_PARAMS_H
#define SMRF_REUSE_PARAMS_H

#include "models/common/smrf_param.h"

/* Whose reuse decides an operand's near/far bit (firmware/annotate). */
enum smrf_reuse_bits_of {
    SMRF_REUSE_BITS_PROFILE,  /* the static operand's, over the first warps */
    SMRF_REUSE_BITS_MAJORITY, /* the static operand's, over all warps */
    SMRF_REUSE_BITS_DYNAMIC   /* each execution's own */
};

#define SMRF_REUSE_VALUES(E)                                                                       \
    E(REUSE, SMRF_REUSE_BITS_PROFILE, "profile")                                                   \
    E(REUSE, SMRF_REUSE_BITS_MAJORITY, "majority")                                                 \
    E(REUSE, SMRF_REUSE_BITS_DYNAMIC, "dynamic")

#define SMRF_REUSE_PARAMS(X)                                                                       \
    X(reuse, mode, REUSE, SMRF_REUSE_BITS_PROFILE, 0, 2, "", "Malekeh III-A",                      \
      "near/far bits: profile = of a static operand, majority over the launch's first warps; "     \
      "majority = over all its warps; dynamic = of each execution (what the trace knows)")         \
    X(reuse, rthld, NUM, 12, 1, 255, "instructions", "Malekeh III-A",                              \
      "an operand is near if its warp reads it again within this number of instructions")          \
    X(reuse, profile_ppm, NUM, 100, 1, 1000000, "warps per million", "Malekeh III-A (0.01 %)",     \
      "profile: warps of a launch that are profiled, at least one")

struct smrf_reuse_params {
    SMRF_REUSE_PARAMS(SMRF_PARAM_FIELD)
};

#endif
