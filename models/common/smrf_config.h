/* SPDX-License-Identifier: Apache-2.0 */
/* The effective configuration: one uint32_t a parameter, grouped by section. Made from the list in
 * smrf_params.h, where units, ranges, defaults and sources stand. */
#ifndef SMRF_CONFIG_H
#define SMRF_CONFIG_H

#include "smrf_params.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum smrf_scheduler {
    SMRF_SCHED_GTO,       /* greedy (last issued), then oldest */
    SMRF_SCHED_LRR,       /* rotate from the last issued */
    SMRF_SCHED_TWO_LEVEL, /* small active list, the rest pending */
    SMRF_SCHED_SWL        /* GTO over a limited number of warps */
};
enum smrf_inner { SMRF_INNER_LRR, SMRF_INNER_GTO };
enum smrf_pick { SMRF_PICK_FIRST, SMRF_PICK_RANDOM };
enum smrf_order { SMRF_ORDER_OLDEST, SMRF_ORDER_INDEX };
enum smrf_hash { SMRF_HASH_LINEAR, SMRF_HASH_IPOLY };

/* Index of every parameter, in the order of the list. */
#define SMRF_PARAM_INDEX(section, name, ...) SMRF_P_##section##_##name,
enum smrf_param { SMRF_PARAMS(SMRF_PARAM_INDEX) SMRF_PARAM_COUNT };
#undef SMRF_PARAM_INDEX

/* One field a parameter: cfg->sm_warps, cfg->rf_banks, ... The struct is exactly an array of
 * uint32_t in the order of enum smrf_param. */
#define SMRF_PARAM_FIELD(section, name, ...) uint32_t section##_##name;
struct smrf_config {
    SMRF_PARAMS(SMRF_PARAM_FIELD)
};
#undef SMRF_PARAM_FIELD

#ifdef __cplusplus
}
#endif

#endif
