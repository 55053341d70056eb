/* SPDX-License-Identifier: Apache-2.0 */
/* Operand collector units of a sub-core: each holds one instruction while its source operands
 * arrive from the banks, and offers it for dispatch when none is missing.
 * Source: Malekeh (long) sec. II; Accel-Sim collector_unit_t. */
#ifndef SMRF_COLLECTOR_H
#define SMRF_COLLECTOR_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_rng.h"
#include "models/common/smrf_types.h"
#include "models/register_file/rf_params.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_collector_unit {
    uint64_t uid;      /* age of the instruction it holds */
    uint64_t ready_at; /* cycle in which it came; it may be dispatched from then on */
    uint32_t slot;     /* instruction in flight */
    uint32_t missing;  /* bit i: source i has not arrived */
    uint32_t version[SMRF_MAX_SRC];
    uint32_t data[SMRF_MAX_SRC][SMRF_LANES]; /* operand latches */
};

struct smrf_collectors {
    uint32_t count;
    uint32_t free_mask;  /* bit c: unit c holds nothing */
    uint32_t ready_mask; /* bit c: unit c holds an instruction with all operands */
    uint8_t pick, order; /* enum smrf_pick, enum smrf_order */
    struct smrf_collector_unit unit[SMRF_MAX_COLLECTORS];
};

/* count units, all free. Returns 0 or SMRF_ERR_INVAL. */
int smrf_collectors_init(struct smrf_collectors *c, const struct smrf_rf_params *rf);

/* A unit of the mask (not empty) by enum smrf_pick. */
unsigned smrf_collectors_choose(uint32_t free_mask, uint32_t pick, struct smrf_rng *rng);

/* A free unit by the configured choice. Precondition: one is free. */
unsigned smrf_collectors_pick(const struct smrf_collectors *c, struct smrf_rng *rng);

/* Put instruction slot into a free unit. missing: operands that will arrive. ready_at: earliest
 * dispatch. */
void smrf_collectors_occupy(struct smrf_collectors *c, unsigned unit, uint32_t slot, uint64_t uid,
                            uint32_t missing, uint64_t ready_at);

/* Operand i of a unit has arrived (its data is in the latch). */
static inline void smrf_collectors_arrive(struct smrf_collectors *c, unsigned unit, unsigned i)
{
    c->unit[unit].missing &= ~(UINT32_C(1) << i);
    if (c->unit[unit].missing == 0) {
        c->ready_mask |= UINT32_C(1) << unit;
    }
}

/* Which of the units in `candidates` (a subset of ready_mask, not empty) is dispatched first. */
unsigned smrf_collectors_next(const struct smrf_collectors *c, uint32_t candidates);

/* The unit's instruction has left. */
static inline void smrf_collectors_release(struct smrf_collectors *c, unsigned unit)
{
    c->ready_mask &= ~(UINT32_C(1) << unit);
    c->free_mask |= UINT32_C(1) << unit;
    c->unit[unit].slot = UINT32_MAX;
}

static inline uint32_t smrf_collectors_all(const struct smrf_collectors *c)
{
    return (uint32_t)((UINT64_C(1) << c->count) - 1);
}

#ifdef __cplusplus
}
#endif

#endif
