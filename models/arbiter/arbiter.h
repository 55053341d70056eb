/* SPDX-License-Identifier: Apache-2.0 */
/* Arbiter of a sub-core's register banks: one FIFO of read requests a bank. In a step, every bank
 * that no write has taken grants the head of its FIFO if the destination collector's port is free;
 * where two banks want one port, the older request wins.
 * Source: Malekeh (long) sec. II; Accel-Sim arbiter_t (which reduces to the same with unlimited
 * collector ports); tie: proposed. */
#ifndef SMRF_ARBITER_H
#define SMRF_ARBITER_H

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"
#include "models/xbar/xbar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most requests of one bank that can wait: every operand of every collector of a sub-core. */
#define SMRF_ARBITER_DEPTH 512

/* One operand to read. */
struct smrf_read {
    uint32_t slot; /* instruction in flight */
    uint32_t age;  /* order of arrival at the arbiter, wraps */
    uint16_t phys; /* physical register of the sub-core, SMRF_PHYS_NONE for RZ */
    uint8_t bank;
    uint8_t collector;
    uint8_t operand; /* slot of the collector */
    uint8_t reg;     /* architectural register */
    uint8_t warp;    /* warp slot of the SM */
};

struct smrf_arbiter {
    uint32_t num_banks;
    uint32_t waiting;    /* bit b: bank b has a request */
    uint32_t write_mask; /* bit b: a write has taken bank b in this step */
    uint32_t next_age;
    uint32_t depth; /* entries of each FIFO, a power of two */
    uint16_t head[SMRF_MAX_BANKS], count[SMRF_MAX_BANKS];
    uint64_t conflicts; /* requests that waited, summed over steps */
    struct smrf_read fifo[SMRF_MAX_BANKS * SMRF_ARBITER_DEPTH]; /* bank b: from b x depth */
};

/* operands: most requests of one bank that wait at a time (collectors x slots). */
int smrf_arbiter_init(struct smrf_arbiter *a, uint32_t num_banks, uint32_t operands);

static inline struct smrf_read *smrf_arbiter_entry(struct smrf_arbiter *a, unsigned bank,
                                                   unsigned position)
{
    return &a->fifo[bank * a->depth + ((a->head[bank] + position) & (a->depth - 1))];
}

/* Queue a read. Its age is set here. */
static inline void smrf_arbiter_push(struct smrf_arbiter *a, const struct smrf_read *read)
{
    struct smrf_read *entry = smrf_arbiter_entry(a, read->bank, a->count[read->bank]);
    *entry = *read;
    entry->age = a->next_age++;
    a->count[read->bank]++;
    a->waiting |= UINT32_C(1) << read->bank;
}

/* Take a bank for a write in the coming step. Returns false if a write has it already. */
static inline bool smrf_arbiter_take_write(struct smrf_arbiter *a, unsigned bank)
{
    uint32_t bit = UINT32_C(1) << bank;
    if (a->write_mask & bit) {
        return false;
    }
    a->write_mask |= bit;
    return true;
}

/* Is a step needed (a request waits or a write holds a bank)? */
static inline bool smrf_arbiter_probe_busy(const struct smrf_arbiter *a)
{
    return (a->waiting | a->write_mask) != 0;
}

/* One step: choose this step's reads, reserve their crossbar ports, free all banks.
 * grants: [num_banks], filled with the chosen reads, oldest first. Returns their number. */
unsigned smrf_arbiter_step(struct smrf_arbiter *a, struct smrf_xbar *xbar,
                           struct smrf_read *grants);

#ifdef __cplusplus
}
#endif

#endif
