/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the register file caches beside a two-level scheduler. */
#ifndef SMRF_RFC_PARAMS_H
#define SMRF_RFC_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_RFC_PARAMS(X)                                                                         \
    X(rfc, entries, NUM, 6, 1, 16, "registers/warp", "Gebhart ISCA 2011: 6 a thread",              \
      "registers of an active warp that the cache holds")                                          \
    X(rfc, dead, FLAG, 1, 0, 1, "", "Gebhart ISCA 2011: static liveness",                          \
      "1 = do not write back a value that is not read again")

struct smrf_rfc_params {
    SMRF_RFC_PARAMS(SMRF_PARAM_FIELD)
};

#endif
