/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the register file cache that is filled interval by interval. */
#ifndef SMRF_LTRF_PARAMS_H
#define SMRF_LTRF_PARAMS_H

#include "models/common/smrf_param.h"

#define SMRF_LTRF_PARAMS(X)                                                                        \
    X(ltrf, entries, NUM, 16, 4, 16, "registers/warp", "proposed for LTRF, ASPLOS 2018",           \
      "registers of an active warp that the cache holds; an interval names at most this many")     \
    X(ltrf, prefetch, NUM, 6, 1, 16, "registers/operation", "Malekeh II: slots of a collector",    \
      "registers that one prefetch operation loads")

struct smrf_ltrf_params {
    SMRF_LTRF_PARAMS(SMRF_PARAM_FIELD)
};

#endif
