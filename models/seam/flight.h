/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction in flight in an SM: from issue to its last write-back. Every block and every
 * mechanism sees this one record; each field names its only writer. */
#ifndef SMRF_FLIGHT_H
#define SMRF_FLIGHT_H

#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Execution units of a sub-core (the load/store unit is shared by the SM). */
enum smrf_unit {
    SMRF_UNIT_SP,
    SMRF_UNIT_SFU,
    SMRF_UNIT_MEM,
    SMRF_UNIT_DP,
    SMRF_UNIT_INT,
    SMRF_UNIT_BRANCH,
    SMRF_UNIT_TEX,
    SMRF_UNIT_TENSOR,
    SMRF_UNIT_UNIFORM,
    SMRF_UNIT_COUNT
};

#define SMRF_NO_SLOT UINT32_MAX

struct smrf_flight {
    const struct smrf_static_inst *op; /* issue */
    uint64_t uid;                      /* issue: order of issue in the SM */
    uint32_t mask;                     /* issue: lanes that execute */
    uint32_t version;                  /* issue: its number in the SM, from 1: of its results */
    uint32_t number;                   /* issue: its number in its warp, from 1 */
    uint32_t next;                     /* exec: next of the same completion cycle */
    uint16_t latency, interval;        /* issue: cycles in the unit */
    uint8_t warp;                      /* issue: warp slot of the SM */
    uint8_t sub;                       /* issue: sub-core */
    uint8_t unit;                      /* issue: enum smrf_unit */
    uint8_t collector;                 /* collection: collector unit of the sub-core */
    uint8_t num_src;                   /* issue: distinct source registers */
    uint8_t num_dst;                   /* issue: destination registers */
    uint16_t dst_left;                 /* write-back: bit i: dst i has no bank yet this round */
    uint32_t near_src;                 /* issue: bit i: source i is reused soon */
    uint16_t near_dst;                 /* issue: bit i: destination i is reused soon */
    uint8_t src_reg[SMRF_MAX_SRC];     /* issue: architectural registers */
    uint8_t dst_reg[SMRF_MAX_DST];
    uint16_t src_phys[SMRF_MAX_SRC]; /* renaming: physical registers of the sub-core */
    uint16_t dst_phys[SMRF_MAX_DST];
};

#ifdef __cplusplus
}
#endif

#endif
