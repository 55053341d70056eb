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
    SMRF_SCHED_OLDEST,    /* the oldest, whoever issued last */
    SMRF_SCHED_TWO_LEVEL, /* small active list, the rest pending */
    SMRF_SCHED_SWL        /* GTO over a limited number of warps */
};
enum smrf_inner { SMRF_INNER_LRR, SMRF_INNER_GTO };
enum smrf_pick { SMRF_PICK_FIRST, SMRF_PICK_RANDOM };
enum smrf_order { SMRF_ORDER_OLDEST, SMRF_ORDER_INDEX };
enum smrf_hash { SMRF_HASH_LINEAR, SMRF_HASH_IPOLY };

/* Whose reuse decides an operand's near/far bit (firmware/annotate). */
enum smrf_reuse_bits_of {
    SMRF_REUSE_BITS_PROFILE,  /* the static operand's, over the first warps */
    SMRF_REUSE_BITS_MAJORITY, /* the static operand's, over all warps */
    SMRF_REUSE_BITS_DYNAMIC   /* each execution's own */
};

/* Malekeh. Each names a choice that the papers leave open or disagree on. */
enum smrf_ccu_replacement {
    SMRF_CCU_FAR_RANDOM, /* a random far entry; if there is none, the least recently used */
    SMRF_CCU_FAR_LRU,    /* the least recently used far entry; if there is none, of all */
    SMRF_CCU_LRU         /* the least recently used, near or far */
};
enum smrf_ccu_write_policy {
    SMRF_CCU_WRITE_NEAR,   /* results that are reused soon */
    SMRF_CCU_WRITE_ALL,    /* every result */
    SMRF_CCU_WRITE_PRESENT /* results that are reused soon, of registers that are present */
};
enum smrf_ccu_far_write { SMRF_CCU_FAR_INVALIDATE, SMRF_CCU_FAR_UPDATE };
enum smrf_malekeh_priority {
    SMRF_MALEKEH_LAST_FIRST,     /* last issued, then those with data in a CCU, then the others */
    SMRF_MALEKEH_RESIDENT_FIRST, /* those with data (last issued, then oldest), then the others */
    SMRF_MALEKEH_GTO             /* the scheduler's own order */
};
enum smrf_malekeh_allocation {
    SMRF_MALEKEH_NEAR_FAR, /* the warp's own CCU; else one without near values; else wait */
    SMRF_MALEKEH_OWN,      /* the warp's own CCU; else any free one, without waiting */
    SMRF_MALEKEH_PRIVATE,  /* CCU k belongs to warp k of the sub-core */
    SMRF_MALEKEH_ANY       /* any free one, as in the baseline */
};
enum smrf_malekeh_choice {
    SMRF_MALEKEH_CHOICE_RANDOM,
    SMRF_MALEKEH_CHOICE_FIRST, /* lowest number */
    SMRF_MALEKEH_CHOICE_FEWEST /* fewest near, then fewest values; then lowest number */
};
enum smrf_malekeh_counter { SMRF_MALEKEH_PER_SUBCORE, SMRF_MALEKEH_PER_SM };
enum smrf_malekeh_clear { SMRF_MALEKEH_CLEAR_FORCED, SMRF_MALEKEH_CLEAR_ANY };
enum smrf_malekeh_sthld { SMRF_MALEKEH_ADAPTIVE, SMRF_MALEKEH_FIXED };

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
