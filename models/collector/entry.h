/* SPDX-License-Identifier: Apache-2.0 */
/* The way into the collectors: which free one takes an instruction, and how the issue latches, one
 * for every unit type of a sub-core, are emptied into them. Over all sub-cores, because the oldest
 * instruction of a unit type may have to go first (rf.oldest_first).
 * Source: Accel-Sim opndcoll_rfu_t::allocate_cu, ID_OC registers. */
#ifndef SMRF_ENTRY_H
#define SMRF_ENTRY_H

#include "collector.h"
#include "reading.h"

#include "models/issue/issue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The blocks of a sub-core that it lies between. */
struct smrf_entry_sub {
    struct smrf_issue *issue;
    struct smrf_collectors *collectors;
    struct smrf_reading reading; /* in place of the collectors; ops NULL: none */
};

/* Sub-cores whose issue latch of a unit is occupied, the oldest instruction first. */
struct smrf_entry_queue {
    uint32_t subs; /* a byte each, from the lowest on */
    uint32_t bits; /* of them */
};

struct smrf_entry {
    const struct smrf_wires *wires;
    const struct smrf_flights *flights;
    const struct smrf_allocation_seam *allocation; /* NULL: none */
    void *mechanism_state;
    uint32_t in_ports;
    bool oldest_first;
    /* Only the oldest instruction of a unit may enter, and any free collector takes it: then a unit
     * is open exactly when that one's sub-core has a free collector. */
    bool room_decides;
    bool moved;       /* something changed in the last step */
    uint32_t latched; /* bit u: the queue of unit u is not empty */
    uint32_t open;    /* bit u: a step may find room for an instruction of unit u */
    uint32_t first[SMRF_MAX_SUBCORES]; /* bit u: the first of unit u's queue is of this sub-core */
    struct smrf_entry_queue queue[SMRF_UNIT_COUNT];
    struct smrf_rng rng;
    struct smrf_entry_sub sub[SMRF_MAX_SUBCORES];
};

/* Nothing is latched, nothing has entered. */
void smrf_entry_reset(struct smrf_entry *e);

/* All of these units, whose first instruction is of sub-core `sub`, if a collector of it is free;
 * none otherwise. */
static inline uint32_t smrf_entry_room(const struct smrf_entry *e, unsigned sub, uint32_t units)
{
    return e->sub[sub].collectors->free_mask ? units : 0;
}

/* The issue latch of a unit has been filled; instructions issue in the order of their age. */
static inline void smrf_entry_latched(struct smrf_entry *e, unsigned sub, unsigned unit)
{
    struct smrf_entry_queue *q = &e->queue[unit];
    const uint32_t first = (uint32_t)!q->bits << unit;
    e->latched |= UINT32_C(1) << unit;
    e->first[sub] |= first;
    e->open |= e->room_decides ? smrf_entry_room(e, sub, first) : e->latched;
    q->subs |= (uint32_t)sub << q->bits;
    q->bits += 8;
}

/* A collector of a sub-core is free again. */
static inline void smrf_entry_freed(struct smrf_entry *e, unsigned sub)
{
    e->open |= e->room_decides ? e->first[sub] : e->latched;
    smrf_issue_collector_freed(e->sub[sub].issue);
}

/* Would a step do anything? */
static inline bool smrf_entry_probe(const struct smrf_entry *e)
{
    return e->open != 0;
}

/* A free collector for a warp's instruction, or enum smrf_pick_none. */
int smrf_entry_pick(struct smrf_entry *e, unsigned sub, unsigned warp);

/* Fill collectors from the issue latches: in passes (Accel-Sim's in-ports), each of which offers
 * every unit's latches once. With oldest_first only the oldest instruction of a unit over all
 * sub-cores is offered, and a full sub-core holds up the others. Returns whether the next cycle
 * must be looked at. */
bool smrf_entry_step(struct smrf_entry *e);

#ifdef __cplusplus
}
#endif

#endif
