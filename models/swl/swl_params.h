/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SMRF_SWL_PARAMS_H
#define SMRF_SWL_PARAMS_H

#include "models/common/smrf_param.h"

enum smrf_swl_scope { SMRF_SWL_SM, SMRF_SWL_SCHEDULER };

#define SMRF_SWL_VALUES(E)                                                                         \
    E(SWL_SCOPE, SMRF_SWL_SM, "sm")                                                                \
    E(SWL_SCOPE, SMRF_SWL_SCHEDULER, "scheduler")

#define SMRF_SWL_PARAMS(X)                                                                         \
    X(swl, warps, NUM, 16, 1, 64, "warps", "CARS V-D tries 1, 2, 3, 4, 8 and 16",                  \
      "number of warps that may issue: the oldest ones that do not wait at a barrier")             \
    X(swl, scope, SWL_SCOPE, SMRF_SWL_SM, 0, 1, "",                                                \
      "CARS V-D: each SM core; Accel-Sim: scheduler",                                              \
      "the limit applies to: sm = the whole SM; scheduler = each scheduler")

struct smrf_swl_params {
    SMRF_SWL_PARAMS(SMRF_PARAM_FIELD)
};

#endif
