/* SPDX-License-Identifier: Apache-2.0 */
/* Arbiter of a sub-core's register banks and of the ports through which its collectors take
 * operands: one FIFO of read requests a bank. In a step, every bank that no write has taken grants the
 * head of its FIFO if the destination collector's port is free; where two banks want one port, the
 * older request wins.
 * Source: Malekeh (long) sec. II; Accel-Sim arbiter_t (which reduces to the same with unlimited
 * collector ports); tie: proposed. */
#ifndef SMRF_ARBITER_H
#define SMRF_ARBITER_H

#include "models/common/smrf_err.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Most requests of one bank that can wait: every operand of every collector of a sub-core. */
#define SMRF_ARBITER_DEPTH 1024

#define SMRF_ARBITER_STATS(X)                                                                      \
    X(bank_conflict_cycles, "operand cycles", "operands that waited for a bank or a port")         \
    X(waits_read, "operand cycles", "of them, while their bank was read for another")              \
    X(waits_write, "operand cycles", "of them, while their bank was written")                      \
    X(waits_port, "operand cycles", "of them, while their bank was idle: for a port of a collector")

#define SMRF_ARBITER_FIELD(name, unit, meaning) uint64_t name;
struct smrf_arbiter_stats {
    SMRF_ARBITER_STATS(SMRF_ARBITER_FIELD)
};
#undef SMRF_ARBITER_FIELD

struct smrf_arbiter_config {
    uint32_t banks;
    uint32_t collectors;
    uint32_t ports;    /* operands that a collector takes in a step; 0 = no limit */
    uint32_t operands; /* most requests of one bank that wait at a time (collectors x sources) */
    bool perfect;      /* banks and ports serve every request in its step, whatever else there is */
    uint32_t slots;    /* instructions of a collector: read number n is for collector n / slots */
};

/* A read that waits for its bank. */
struct smrf_waiting_read {
    struct smrf_read read;
    uint64_t age; /* order of arrival */
};

struct smrf_arbiter {
    const struct smrf_wires *wires;
    uint32_t sub; /* sub-core */
    uint32_t num_banks;
    uint32_t ports;
    bool perfect;
    uint32_t slots;
    uint32_t waiting;    /* bit b: bank b has a request */
    uint32_t write_mask; /* bit b: a write has taken bank b in this step */
    uint32_t depth;      /* entries of each FIFO, a power of two */
    uint64_t next_age;
    uint16_t head[SMRF_MAX_BANKS], count[SMRF_MAX_BANKS];
    struct smrf_arbiter_stats stats;
    uint64_t waited[SMRF_MAX_BANKS]; /* of its bank_conflict_cycles: those of a bank */
    /* Few of them are ever used, and they lie near to each other. */
    struct smrf_waiting_read fifo[SMRF_ARBITER_DEPTH][SMRF_MAX_BANKS];
};

/* Returns 0 or SMRF_ERR_INVAL. */
int smrf_arbiter_init(struct smrf_arbiter *a, const struct smrf_arbiter_config *cfg, unsigned sub,
                      const struct smrf_wires *wires);

/* Nothing waits; counters zero. */
void smrf_arbiter_reset(struct smrf_arbiter *a);

static inline struct smrf_read *smrf_arbiter_entry(struct smrf_arbiter *a, unsigned bank,
                                                   unsigned position)
{
    return &a->fifo[(a->head[bank] + position) & (a->depth - 1)][bank].read;
}

/* After a step: the i-th of the n reads that a bank granted in it. */
static inline const struct smrf_read *smrf_arbiter_granted(const struct smrf_arbiter *a,
                                                           unsigned bank, unsigned i, unsigned n)
{
    return &a->fifo[(a->head[bank] + i - n) & (a->depth - 1)][bank].read;
}

/* Queue reads, the oldest first. Their ages are set here. */
static inline void smrf_arbiter_push(struct smrf_arbiter *a, const struct smrf_read *reads,
                                     unsigned count)
{
    const unsigned wrap = a->depth - 1;
    const uint64_t age = a->next_age;
    uint32_t waiting = a->waiting;
    for (unsigned i = 0; i < count; i++) {
        const unsigned bank = smrf_read_bank(&reads[i]), before = a->count[bank]++;
        if (before == 0) {
            a->head[bank] = 0;
        }
        const struct smrf_waiting_read entry = {reads[i], age + i};
        a->fifo[(a->head[bank] + before) & wrap][bank] = entry;
        waiting |= UINT32_C(1) << bank;
    }
    a->next_age = age + count;
    a->waiting = waiting;
}

/* Take a bank for a write in the coming step. Returns false if a write has it already. */
static inline bool smrf_arbiter_take_write(struct smrf_arbiter *a, unsigned bank)
{
    uint32_t bit = UINT32_C(1) << bank;
    if (a->write_mask & bit && !a->perfect) {
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

/* One step: choose this step's reads, oldest first, free all banks, and grant them. Returns their
 * number. */
unsigned smrf_arbiter_step(struct smrf_arbiter *a);

#ifdef __cplusplus
}
#endif

#endif
