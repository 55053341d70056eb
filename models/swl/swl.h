/* SPDX-License-Identifier: Apache-2.0 */
/* Static warp limiting (SWL): only the oldest warps issue, up to a limit for an SM or for each
 * scheduler. A warp that waits at a barrier does not count, because the other warps of its block
 * must reach the barrier. Source: CARS V-D (Best-SWL: the best of several limits); Rogers et al.,
 * MICRO 2012. The scheduler policy of the same name (issue.scheduler=swl) is Accel-Sim's; it counts
 * the warps of one scheduler. */
#ifndef SMRF_SWL_H
#define SMRF_SWL_H

#include "swl_params.h"

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_SWL_STATS(X)                                                                          \
    X(started, "warps", "warps that started")                                                      \
    X(admitted, "warps",                                                                           \
      "warps that were admitted: at their start, after the exit of an older warp, or from a "      \
      "barrier")                                                                                   \
    X(most, "warps", "most warps of an SM that were admitted at once, summed over the SMs")

struct smrf_swl_stats {
#define X(name, unit, meaning) uint64_t name;
    SMRF_SWL_STATS(X)
#undef X
};

struct smrf_swl {
    struct smrf_swl_stats stats; /* first: the published counters */
    struct smrf_mechanism_setup setup;
    const struct smrf_swl_params *options;
    const struct smrf_services *services;
    uint64_t live, waits, admitted; /* bit: warp */
    uint64_t ages;
    uint64_t age[SMRF_MAX_WARPS]; /* of each warp: how many came before it */
};

extern const struct smrf_family smrf_swl_family;

#ifdef __cplusplus
}
#endif

#endif
