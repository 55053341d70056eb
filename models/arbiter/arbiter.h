/* SPDX-License-Identifier: Apache-2.0 */
/* Arbiter of a sub-core's register banks and of the ports through which its collectors take
 * operands: one FIFO of read requests a bank. In a step, every bank that no write has taken grants
 * the head of its FIFO if the destination collector's port is free; where two banks want one port,
 * the older request wins.
 *
 * Where nobody looks at operands on their way, nobody asks banks for a read that is granted: the
 * arbiter counts them and tells the banks how many they were. Where nobody can tell those of one
 * instruction apart either, because there are as many ports as there are banks, and no more than
 * SMRF_MAX_DEMANDS collectors' slots, it does not keep single requests at all, but counts
 * (demands.h).
 * Source: Malekeh (long) sec. II; Accel-Sim arbiter_t (which reduces to the same with unlimited
 * collector ports); tie: proposed. */
#ifndef SMRF_ARBITER_H
#define SMRF_ARBITER_H

#include "demands.h"

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

/* Of all FIFOs, place by place: few are ever used, and they lie near to each other. */
struct smrf_arbiter_store {
    struct smrf_waiting_read entry[SMRF_ARBITER_DEPTH * SMRF_MAX_BANKS];
};

/* Places of a bank's FIFO, counted from 0 in every time in which something waits for the bank. */
struct smrf_arbiter_fifo {
    uint16_t head, tail; /* of what waits first; of what comes next */
};

struct smrf_arbiter {
    struct smrf_demands demands;
    const struct smrf_wires *wires;
    uint32_t *asked;    /* status, for whoever steps the arbiter: bit sub while a request waits */
    uint32_t own_asked; /* .. where nobody has set it */
    uint32_t sub;       /* sub-core */
    uint32_t num_banks;
    uint32_t ports;
    bool perfect;
    bool unseen;    /* nobody looks at operands on their way, in whatever order they go */
    bool countable; /* then instructions' reads can be counted .. */
    bool counted;   /* .. and are */
    uint32_t slots;
    uint32_t waiting;    /* bit b: bank b has a request */
    uint32_t write_mask; /* bit b: a write has taken bank b in this step */
    uint32_t depth;      /* entries of each FIFO, a power of two */
    uint64_t next_age;
    struct smrf_arbiter_fifo fifo[SMRF_MAX_BANKS];
    uint32_t reads[SMRF_MAX_BANKS]; /* granted unseen, which the banks have not been told */
    struct smrf_arbiter_stats stats;
    uint64_t waited[SMRF_MAX_BANKS]; /* of its bank_conflict_cycles: those of a bank */
    struct smrf_waiting_read *entry; /* of its store */
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
    return (uint16_t)(a->fifo[bank].tail - a->fifo[bank].head);
}

/* What is, or was, at a place of a bank's FIFO: a read stays there when it is granted, until others
 * have come. */
static inline const struct smrf_waiting_read *smrf_arbiter_at(const struct smrf_arbiter *a,
                                                              unsigned bank, unsigned place)
{
    return &a->entry[(place & (a->depth - 1)) * a->num_banks + bank];
}

/* The i-th of the reads that wait for a bank. */
static inline const struct smrf_read *smrf_arbiter_entry(const struct smrf_arbiter *a,
                                                         unsigned bank, unsigned i)
{
    return &smrf_arbiter_at(a, bank, a->fifo[bank].head + i)->read;
}

/* Queue a read of a given age. Returns its bank as a bit. */
static inline uint32_t smrf_arbiter_queue(struct smrf_arbiter *a, struct smrf_read read,
                                          uint64_t age)
{
    const unsigned bank = smrf_read_bank(&read), place = a->fifo[bank].tail++;
    const struct smrf_waiting_read entry = {read, age};
    a->entry[(place & (a->depth - 1)) * a->num_banks + bank] = entry;
    return UINT32_C(1) << bank;
}

/* Something waits. */
static inline void smrf_arbiter_ask(const struct smrf_arbiter *a)
{
    *a->asked |= UINT32_C(1) << a->sub;
}

/* Queue a read behind all others. */
static inline void smrf_arbiter_push(struct smrf_arbiter *a, struct smrf_read read)
{
    a->waiting |= smrf_arbiter_queue(a, read, a->next_age++);
    smrf_arbiter_ask(a);
}

/* The reads of an instruction, all its sources (not none), are counted. */
static inline void smrf_arbiter_count(struct smrf_arbiter *a, uint32_t flight, unsigned collector,
                                      const struct smrf_flight *f)
{
    smrf_demands_add(&a->demands, flight, collector, f);
    smrf_arbiter_ask(a);
}

/* Queue the reads of an instruction: those of its sources (bit i, not none) that lie in banks,
 * at[i]. Precondition: !counted. */
static inline void smrf_arbiter_request(struct smrf_arbiter *a, uint32_t flight, unsigned collector,
                                        const struct smrf_register_place *at, uint32_t sources)
{
    uint64_t age = a->next_age;
    uint32_t waiting = a->waiting;
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        waiting |= smrf_arbiter_queue(a, smrf_read_of(flight, at[i], collector, i), age++);
    }
    a->next_age = age;
    a->waiting = waiting;
    smrf_arbiter_ask(a);
}

/* Take a bank for a write in the coming step. Returns false if a write has it already. */
static inline bool smrf_arbiter_take_write(struct smrf_arbiter *a, unsigned bank)
{
    if (a->counted) {
        return smrf_demands_write(&a->demands, bank);
    }
    uint32_t bit = UINT32_C(1) << bank;
    if (a->write_mask & bit && !a->perfect) {
        return false;
    }
    a->write_mask |= bit;
    return true;
}

/* Where reads are counted: writes have taken these banks for the coming step, as smrf_demands_write
 * notes them. */
static inline void smrf_arbiter_set_written(struct smrf_arbiter *a, uint64_t written)
{
    a->demands.written = written;
}

/* Does a request wait? */
static inline bool smrf_arbiter_probe_waits(const struct smrf_arbiter *a)
{
    return a->counted ? a->demands.total != 0 : a->waiting != 0;
}

/* Is a step needed (a request waits or a write holds a bank)? */
static inline bool smrf_arbiter_probe_busy(const struct smrf_arbiter *a)
{
    return a->counted ? (a->demands.total | a->demands.written) != 0
                      : (a->waiting | a->write_mask) != 0;
}

/* The banks are told what was granted unseen, and all counters are as they should be. */
void smrf_arbiter_settle(struct smrf_arbiter *a);

/* One step: choose this step's reads, free all banks, and grant them, the oldest first (unseen: in
 * any order). Returns their number. Precondition: !counted. */
unsigned smrf_arbiter_step(struct smrf_arbiter *a);

/* The same where reads are counted, and some wait. Returns the collectors' slots (bit u) of which
 * all have been granted. */
static inline uint32_t smrf_arbiter_step_counted(struct smrf_arbiter *a)
{
    const uint32_t served = smrf_demands_step(&a->demands);
    *a->asked &= ~((uint32_t)!a->demands.total << a->sub);
    if (!a->demands.steps_left) {
        smrf_arbiter_settle(a);
    }
    return served;
}

/* .. and none wait. */
static inline void smrf_arbiter_free_banks(struct smrf_arbiter *a)
{
    a->demands.written = 0;
}

/* --- is anything seen? ------------------------------------------------------------------------ */

/* Nobody looks at operands from now on, .. */
void smrf_arbiter_look_away(struct smrf_arbiter *a);

/* .. or somebody may. */
void smrf_arbiter_look(struct smrf_arbiter *a, const struct smrf_flights *flights);

#ifdef __cplusplus
}
#endif

#endif
