/* SPDX-License-Identifier: Apache-2.0 */
/* Arbiter of a sub-core's register banks and of the ports through which its collectors take
 * operands: one FIFO of read requests a bank. In a step, every bank that no write has taken grants
 * the head of its FIFO if the destination collector's port is free; where two banks want one port,
 * the older request wins. Source: Malekeh (long) sec. II; Accel-Sim arbiter_t (which reduces to the
 * same with unlimited collector ports); tie: proposed. */
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
    X(bank_conflict_cycles, "operand cycles",                                                      \
      "waits of operands for a bank or a port, summed over operands")                              \
    X(waits_read, "operand cycles", "waits because the bank was read for another operand")         \
    X(waits_write, "operand cycles", "waits because the bank was written")                         \
    X(waits_port, "operand cycles", "waits for a port of the collector, while the bank was idle")

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
    bool perfect;      /* banks and ports serve every request in its step: there are no conflicts */
    uint32_t slots;    /* instructions of a collector: read number n is for collector n / slots */
};

/* A read that waits for its bank. */
struct smrf_waiting_read {
    uint32_t flight; /* of its instruction */
    uint32_t word;   /* models/wires/wires.h */
    uint64_t age;    /* order of arrival */
};

/* Of all FIFOs, bank by bank. Few entries are ever used: a FIFO begins anew when it is empty. */
struct smrf_arbiter_store {
    struct smrf_waiting_read entry[SMRF_ARBITER_DEPTH * SMRF_MAX_BANKS];
};

struct smrf_arbiter_bank {
    struct smrf_waiting_read *entry; /* [depth] of its FIFO */
    uint64_t head_age;               /* of what waits first */
    uint64_t waited; /* steps that its reads have waited, less those of the reads that wait now */
    uint16_t head, tail; /* places in the FIFO: first, behind last */
};

struct smrf_arbiter {
    const struct smrf_wires *wires;
    uint32_t
        *requested; /* status for the caller of step: bit s while a request of sub-core s waits */
    uint32_t own_requested; /* used if no other status was set */
    uint32_t sub;           /* sub-core */
    uint32_t num_banks;
    uint32_t ports;
    uint32_t slots;
    uint32_t depth; /* entries of each FIFO, a power of two */
    bool perfect;
    uint32_t waiting;    /* bit b: bank b has a request */
    uint32_t write_mask; /* bit b: a write has taken bank b in this step */
    uint64_t next_age;
    uint64_t steps; /* steps made */
    uint64_t waits_write, waits_port;
    struct smrf_arbiter_bank bank[SMRF_MAX_BANKS];
};

/* store: its own, for as long as it is in use. Returns 0 or SMRF_ERR_INVAL. */
int smrf_arbiter_init(struct smrf_arbiter *a, struct smrf_arbiter_store *store,
                      const struct smrf_arbiter_config *cfg, unsigned sub,
                      const struct smrf_wires *wires);

/* Nothing waits; counters zero. */
void smrf_arbiter_reset(struct smrf_arbiter *a);

/* Reads that wait for a bank. */
static inline unsigned smrf_arbiter_probe_count(const struct smrf_arbiter *a, unsigned bank)
{
    return (uint16_t)(a->bank[bank].tail - a->bank[bank].head);
}

/* Operand cycles that reads of a bank have waited. */
static inline uint64_t smrf_arbiter_probe_waited(const struct smrf_arbiter *a, unsigned bank)
{
    return a->bank[bank].waited + smrf_arbiter_probe_count(a, bank) * a->steps;
}

struct smrf_arbiter_stats smrf_arbiter_statistics(const struct smrf_arbiter *a);

/* The entry at a place of a bank's FIFO. A granted read stays there until newer requests overwrite
 * it. */
static inline const struct smrf_waiting_read *smrf_arbiter_at(const struct smrf_arbiter *a,
                                                              unsigned bank, unsigned place)
{
    return &a->bank[bank].entry[place & (a->depth - 1)];
}

/* The i-th of the reads that wait for a bank. */
static inline const struct smrf_waiting_read *smrf_arbiter_entry(const struct smrf_arbiter *a,
                                                                 unsigned bank, unsigned i)
{
    return smrf_arbiter_at(a, bank, a->bank[bank].head + i);
}

/* Queue reads of an instruction, a word each. */
void smrf_arbiter_request(struct smrf_arbiter *a, uint32_t flight, const uint32_t *words,
                          unsigned count);

/* Take a bank for a write in the coming step. Returns false if a write has it already. */
static inline bool smrf_arbiter_take_write(struct smrf_arbiter *a, unsigned bank)
{
    const uint32_t bit = UINT32_C(1) << bank, before = a->write_mask;
    a->write_mask = before | bit;
    return !(before & bit) || a->perfect;
}

/* Is a step needed (a request waits or a write holds a bank)? */
static inline bool smrf_arbiter_probe_busy(const struct smrf_arbiter *a)
{
    return (a->waiting | a->write_mask) != 0;
}

/* One step: choose this step's reads, free all banks, and grant them, the oldest first. Returns
 * their number. */
unsigned smrf_arbiter_step(struct smrf_arbiter *a);

#ifdef __cplusplus
}
#endif

#endif
