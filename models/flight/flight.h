/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions in flight in an SM: from issue to the last write-back. Every block and every
 * mechanism sees the same record, by its number; each field names its only writer. */
#ifndef SMRF_FLIGHT_H
#define SMRF_FLIGHT_H

#include "models/common/smrf_aligned.h"
#include "models/common/smrf_types.h"
#include "models/register_file/geometry.h"

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
    SMRF_UNIT_MERGE, /* puts a load's register together from two others (seam `memory`) */
    SMRF_UNIT_COUNT
};

#define SMRF_FLIGHTS 2048 /* most instructions in flight */
#define SMRF_NO_FLIGHT UINT32_MAX

/* Hot: what every block needs of an instruction stands in its first line of a data cache. */
struct SMRF_LINE_ALIGNED smrf_flight {
    const struct smrf_static_inst *op; /* issue */
    uint64_t uid;                      /* issue: order of issue in the SM */
    uint32_t mask;                     /* issue: lanes that execute */
    /* its numbers */
    uint8_t warp;      /* issue: warp slot of the SM */
    uint8_t sub;       /* issue: sub-core */
    uint8_t unit;      /* issue: enum smrf_unit; load/store unit: MERGE */
    uint8_t collector; /* collectors: collector unit of the sub-core */
    /* issue, from struct smrf_reg_set, in its order: */
    uint8_t needs;     /* enum smrf_inst_need */
    uint8_t num_src;   /* distinct source registers */
    uint8_t num_read;  /* of them, those that the instruction names; the rest are carried */
    uint8_t num_dst;   /* destination registers */
    uint16_t dst_left; /* write-back: bit i: dst i has no bank yet this round */
    uint16_t carries;  /* renaming: bit i: lanes that dst i leaves alone come from carry[i] */
    bool shared;       /* load/store unit: its destinations hold it already */
    bool micro;        /* issue: a mechanism's own operation */
    /* its result */
    uint64_t due;     /* units: cycle in which it is due */
    uint32_t next;    /* units: next of the same turn of the wheel */
    uint32_t version; /* issue: of it: the instruction's number in the SM, from 1 */
    /* its registers */
    uint8_t dst_reg[SMRF_MAX_DST]; /* issue: architectural registers */
    uint8_t src_reg[SMRF_MAX_SRC]; /* issue */
    /* what its program says */
    uint32_t number;                     /* issue: its number in its warp, from 1 */
    uint32_t near_src;                   /* issue: bit i: source i is reused soon */
    uint16_t near_dst;                   /* issue: bit i: destination i is reused soon */
    const struct smrf_inst_facts *facts; /* issue: NULL: nothing is known */
    /* where its registers lie */
    struct smrf_register_place src[SMRF_MAX_SRC]; /* renaming */
    struct smrf_register_place dst[SMRF_MAX_DST]; /* renaming */
    uint8_t carry[SMRF_MAX_DST];                  /* renaming: number of the source */
};

/* Lanes of source i that the instruction needs. */
static inline uint32_t smrf_flight_lanes(const struct smrf_flight *f, unsigned i)
{
    uint32_t lanes = i < f->num_read ? f->mask : 0;
    for (uint32_t m = f->carries; m; m &= m - 1) {
        lanes |= f->carry[__builtin_ctz(m)] == i ? ~f->mask : 0;
    }
    return lanes;
}

/* Where the parts of a merge are carried, behind what is carried into its destinations. */
#define SMRF_MERGED_ROW 4

/* Addresses of a memory instruction: what stands before imm in its execution, and a list of
 * them. */
struct SMRF_LINE_ALIGNED smrf_flight_addresses {
    struct smrf_inst inst;
};

struct smrf_flights {
    uint64_t issued; /* instructions so far */
    uint32_t free_count;
    uint16_t free[SMRF_FLIGHTS]; /* what was given back last is taken first */
    struct smrf_flight record[SMRF_FLIGHTS];
    struct smrf_flight_addresses memory[SMRF_FLIGHTS]; /* issue: of memory instructions */
    uint32_t copy_group[SMRF_FLIGHTS];                 /* issue: of an asynchronous copy */
    /* collectors: [SMRF_FLIGHTS], what is carried into destinations, where values are looked at */
    uint32_t (*carried)[SMRF_MAX_DST][SMRF_LANES];
};

/* Nothing in flight. */
static inline void smrf_flights_reset(struct smrf_flights *f)
{
    f->issued = 0;
    f->free_count = SMRF_FLIGHTS;
    for (uint32_t i = 0; i < SMRF_FLIGHTS; i++) {
        f->free[i] = (uint16_t)(SMRF_FLIGHTS - 1 - i);
    }
}

/* A free number. Precondition: free_count is not 0. */
static inline uint32_t smrf_flights_take(struct smrf_flights *f)
{
    return f->free[--f->free_count];
}

/* used: bit i of them all: number i is not free. */
static inline void smrf_flights_used(const struct smrf_flights *f, uint64_t used[SMRF_FLIGHTS / 64])
{
    for (uint32_t i = 0; i < SMRF_FLIGHTS / 64; i++) {
        used[i] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < f->free_count; i++) {
        used[f->free[i] / 64] &= ~(UINT64_C(1) << (f->free[i] % 64));
    }
}

static inline void smrf_flights_give(struct smrf_flights *f, uint32_t flight)
{
    f->free[f->free_count++] = (uint16_t)flight;
}

#ifdef __cplusplus
}
#endif

#endif
