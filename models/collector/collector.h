/* SPDX-License-Identifier: Apache-2.0 */
/* Operand collector units of a sub-core: each holds one instruction while its source operands
 * arrive from the operand cache and the banks, and dispatches it to the latch before its unit when
 * none is missing. Source: Malekeh (long) sec. II; Accel-Sim collector_unit_t,
 * opndcoll_rfu_t::allocate_cu, dispatch_ready_cu. */
#ifndef SMRF_COLLECTOR_H
#define SMRF_COLLECTOR_H

#include "models/common/smrf_assert.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_rng.h"
#include "models/flight/flight.h"
#include "models/register_file/rf_params.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_COLLECTOR_STATS(X)                                                                    \
    X(bank_reads, "accesses", "operands read from the banks")                                      \
    X(part_reads, "accesses", "bank reads for merged loads, which are not operands")               \
    X(cache_hits, "operands", "operands that a collector held already, read from no bank")         \
    X(collector_busy, "collector cycles", "collector units in use, added when they dispatch")      \
    X(collector_reading, "collector cycles", "collector units that waited for operands")           \
    X(collector_ready, "collector cycles",                                                         \
      "collector units that had all operands, and waited for the unit or their turn")              \
    X(allocate_held, "sub-core cycles",                                                            \
      "with rf.read=window: cycles in which the Allocate stage held an instruction")               \
    X(port_held, "sub-core cycles", "those in which the banks' read ports had no room for it")

#define SMRF_COLLECTOR_FIELD(name, unit, meaning) uint64_t name;
struct smrf_collector_stats {
    SMRF_COLLECTOR_STATS(SMRF_COLLECTOR_FIELD)
};
#undef SMRF_COLLECTOR_FIELD

struct smrf_collector_unit {
    uint64_t uid;      /* age of the instruction it holds */
    uint64_t entered;  /* cycle in which it came */
    uint64_t ready_at; /* cycle from which it may be dispatched: its last operand is there */
    uint32_t flight;   /* the instruction, SMRF_NO_FLIGHT: none */
    uint32_t missing;  /* bit i: source i has not arrived */
};

/* Its operand latches. Used if values are checked. */
struct smrf_operand_latches {
    uint32_t version[SMRF_MAX_SRC];
    uint32_t data[SMRF_MAX_SRC][SMRF_LANES];
};

struct smrf_collectors_store {
    struct smrf_operand_latches latches[SMRF_MAX_COLLECTING];
};

/* Cycles of what instructions have gone through, added up: differences of these are cycles spent.
 */
struct smrf_collector_sums {
    uint64_t entered; /* they came */
    uint64_t there;   /* their last operand was there */
    uint64_t left;    /* they were dispatched */
};

/* Sub-cores (bit s) whose collectors hold something that has all its operands. */
struct smrf_collectors_status {
    uint32_t going;   /* it may be free to go */
    uint32_t blocked; /* it has found the latch before its execution unit occupied */
};

struct smrf_collectors {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    /* Status for the caller of step, and of the latches before the execution units: bit first_latch
     * + u: the latch of unit u is occupied. The collectors' own, until others are set. */
    struct smrf_collectors_status *status;
    const uint64_t *latches_full;
    uint32_t sub;        /* sub-core */
    uint32_t free_mask;  /* bit c: unit c holds nothing */
    uint32_t ready_mask; /* bit c: unit c holds an instruction with all operands */
    uint32_t dispatches; /* most instructions dispatched in a step */
    bool reports_reads;  /* the issue stage has a use for `collected` */
    uint8_t pick, order; /* enum smrf_pick, enum smrf_order */
    uint8_t first_latch;
    uint8_t wanted[SMRF_MAX_COLLECTING]; /* execution unit that an instruction goes to */
    uint32_t going_to[SMRF_UNIT_COUNT];  /* the same the other way: units (bit c) of each */
    struct smrf_collector_sums sums;
    struct smrf_collector_stats stats; /* those of `sums`: when asked */
    uint32_t count;
    struct smrf_collectors_status own_status; /* used if no other status was set */
    uint64_t units_full;
    struct smrf_collector_unit
        unit[SMRF_MAX_COLLECTING + 1];    /* one for each slot, and a spare one */
    struct smrf_operand_latches *latches; /* of their store */
};

/* The slots of the collector units of sub-core sub, all free. store: their own, for as long as they
 * are in use. Returns 0 or SMRF_ERR_INVAL. */
int smrf_collectors_init(struct smrf_collectors *c, struct smrf_collectors_store *store,
                         const struct smrf_rf_params *rf, unsigned sub,
                         struct smrf_flights *flights, const struct smrf_wires *wires);

/* All free; counters zero. */
void smrf_collectors_reset(struct smrf_collectors *c);

struct smrf_collector_stats smrf_collectors_statistics(const struct smrf_collectors *c);

/* --- the steps ------------------------------------------------------------------------------- */

/* An instruction enters a free unit: the operand cache gives what it holds, the rest is requested
 * from the arbiter. */
void smrf_collectors_enter(struct smrf_collectors *c, unsigned unit, uint32_t flight);

/* The arbiter lets a unit read operands of its instruction, a word each: they are read through the
 * crossbar into the latches, and there after the cycles that their banks need. Returns false, and
 * does nothing, if the words name no one unit that holds the instruction and misses them all. */
bool smrf_collectors_granted(struct smrf_collectors *c, uint32_t flight, const uint32_t *words,
                             unsigned count);

/* Is the latch free to which a unit's instruction goes? */
static inline bool smrf_collectors_probe_way(const struct smrf_collectors *c, unsigned unit)
{
    return !(*c->latches_full >> (c->first_latch + c->wanted[unit]) & 1);
}

/* Units with an instruction that has all its operands, and finds the latch before its execution
 * unit free. */
static inline uint32_t smrf_collectors_probe_free_to_go(const struct smrf_collectors *c)
{
    const uint64_t all = (UINT64_C(1) << SMRF_UNIT_COUNT) - 1;
    uint32_t blocked = 0;
    for (uint64_t m = *c->latches_full >> c->first_latch & all; m; m &= m - 1) {
        blocked |= c->going_to[__builtin_ctzll(m)];
    }
    return c->ready_mask & ~blocked;
}

/* Dispatch what is ready to free latches, as many as a step may. Returns whether any was. */
bool smrf_collectors_dispatch(struct smrf_collectors *c);

/* What found its latch occupied may be free to go now. */
static inline void smrf_collectors_look(const struct smrf_collectors *c)
{
    c->status->going |= c->status->blocked & UINT32_C(1) << c->sub;
}

/* The latch before an execution unit is free again. */
static inline void smrf_collectors_drained(struct smrf_collectors *c, unsigned execution_unit)
{
    c->units_full &= ~(UINT64_C(1) << execution_unit);
    smrf_collectors_look(c);
}

/* First cycle from `cycle` on in which an operand completes an instruction; SMRF_NEVER: none. */
uint64_t smrf_collectors_probe_next(const struct smrf_collectors *c, uint64_t cycle);

/* --- their parts ----------------------------------------------------------------------------- */

/* A unit of the mask (not empty) by enum smrf_pick. */
unsigned smrf_collectors_choose(uint32_t free_mask, uint32_t pick, struct smrf_rng *rng);

/* A free unit by the configured choice. Precondition: one is free. */
static inline unsigned smrf_collectors_pick(const struct smrf_collectors *c, struct smrf_rng *rng)
{
    return c->pick == SMRF_PICK_FIRST ? (unsigned)__builtin_ctz(c->free_mask)
                                      : smrf_collectors_choose(c->free_mask, c->pick, rng);
}

/* All sources of an instruction, bit by bit. */
static inline uint32_t smrf_collectors_sources(const struct smrf_flight *f)
{
    return (uint32_t)((UINT64_C(1) << f->num_src) - 1);
}

/* An instruction has all its operands, from the cycle on that its unit knows. */
static inline void smrf_collectors_ready(struct smrf_collectors *c, unsigned unit)
{
    c->sums.there += c->unit[unit].ready_at;
    c->ready_mask |= UINT32_C(1) << unit;
    c->status->going |= UINT32_C(1) << c->sub;
}

/* Put an instruction into a free unit. missing: operands that will arrive. cycle: now. */
static inline void smrf_collectors_occupy(struct smrf_collectors *c, unsigned unit, uint32_t flight,
                                          uint64_t uid, uint32_t missing, uint64_t cycle)
{
    const struct smrf_collector_unit entering = {uid, cycle, cycle, flight, missing};
    SMRF_ASSERT(c->free_mask >> unit & 1);
    c->free_mask &= ~(UINT32_C(1) << unit);
    c->unit[unit] = entering;
    c->sums.entered += cycle;
    if (missing == 0) {
        smrf_collectors_ready(c, unit);
    }
}

/* The same for an instruction whose record holds everything else. */
static inline void smrf_collectors_take(struct smrf_collectors *c, unsigned unit, uint32_t flight,
                                        struct smrf_flight *f, uint32_t missing)
{
    f->collector = (uint8_t)unit;
    c->going_to[c->wanted[unit]] &= ~(UINT32_C(1) << unit);
    c->going_to[f->unit] |= UINT32_C(1) << unit;
    c->wanted[unit] = f->unit;
    smrf_collectors_occupy(c, unit, flight, f->uid, missing, *c->wires->cycle);
}

/* Operands (bit i) of a unit are in its latches. */
static inline void smrf_collectors_arrive(struct smrf_collectors *c, unsigned unit,
                                          uint32_t sources)
{
    c->unit[unit].missing &= ~sources;
    if (c->unit[unit].missing == 0) {
        smrf_collectors_ready(c, unit);
    }
}

/* Of the units in `candidates` (not empty), the one with the oldest instruction; */
unsigned smrf_collectors_oldest(const struct smrf_collectors *c, uint32_t candidates);

/* The instruction that is dispatched first. */
static inline unsigned smrf_collectors_next(const struct smrf_collectors *c, uint32_t candidates)
{
    return c->order == SMRF_ORDER_INDEX ? (unsigned)__builtin_ctz(candidates)
                                        : smrf_collectors_oldest(c, candidates);
}

/* The unit's instruction has left. */
static inline void smrf_collectors_release(struct smrf_collectors *c, unsigned unit)
{
    const uint32_t bit = UINT32_C(1) << unit;
    c->ready_mask &= ~bit;
    c->free_mask |= bit;
}

#define SMRF_NO_COLLECTOR SMRF_MAX_COLLECTING

/* A step's dispatches. */
struct smrf_collectors_leaving {
    uint32_t asked; /* bit u: unit u may be asked yet */
    bool later;     /* one of those that have been would be free to go but for the cycle */
};

static inline struct smrf_collectors_leaving smrf_collectors_begin(const struct smrf_collectors *c)
{
    const struct smrf_collectors_leaving leaving = {smrf_collectors_probe_free_to_go(c), false};
    return leaving;
}

/* The next instruction that may leave in this cycle leaves for the latch of its execution unit; the
 * caller fills the latch. Returns its collector unit, whose record is still valid;
 * SMRF_NO_COLLECTOR: there is none. */
static inline unsigned smrf_collectors_pop(struct smrf_collectors *c,
                                           struct smrf_collectors_leaving *l, uint64_t now)
{
    while (l->asked) {
        const unsigned unit = smrf_collectors_next(c, l->asked);
        l->asked &= ~(UINT32_C(1) << unit);
        if (!smrf_collectors_probe_way(c, unit)) {
            continue; /* another has just taken its latch */
        }
        if (c->unit[unit].ready_at <= now) {
            c->sums.left += now;
            smrf_collectors_release(c, unit);
            return unit;
        }
        l->later = true;
    }
    return SMRF_NO_COLLECTOR;
}

/* They are over. Is something else free to go, if not in this step? */
static inline bool smrf_collectors_probe_more(const struct smrf_collectors *c,
                                              const struct smrf_collectors_leaving *l)
{
    return (l->asked || l->later) && smrf_collectors_probe_free_to_go(c);
}

/* They are over: status is as it should be. */
static inline void smrf_collectors_end(const struct smrf_collectors *c,
                                       const struct smrf_collectors_leaving *l)
{
    const uint32_t bit = UINT32_C(1) << c->sub;
    c->status->going &= ~(smrf_collectors_probe_more(c, l) ? 0 : bit);
    c->status->blocked = (c->status->blocked & ~bit) | (c->ready_mask ? bit : 0);
}

static inline uint32_t smrf_collectors_all(const struct smrf_collectors *c)
{
    return (uint32_t)((UINT64_C(1) << c->count) - 1);
}

#ifdef __cplusplus
}
#endif

#endif
