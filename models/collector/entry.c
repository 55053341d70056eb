/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include "models/common/smrf_apart.h"

#include <string.h>

void smrf_entry_reset(struct smrf_entry *e)
{
    e->latched = e->open = 0;
    e->counted = false;
    memset(e->first, 0, sizeof e->first);
    memset(e->queue, 0, sizeof e->queue);
}

int smrf_entry_pick(struct smrf_entry *e, unsigned sub, unsigned warp)
{
    struct smrf_collectors *c = e->sub[sub].collectors;
    if (!c->free_mask) {
        return SMRF_PICK_NEXT;
    }
    if (e->allocation && e->allocation->pick) {
        return e->allocation->pick(e->mechanism_state, sub, warp, c->free_mask, &e->rng,
                                   *e->wires->cycle);
    }
    return (int)smrf_collectors_pick(c, &e->rng);
}

/* An instruction leaves its latch for what reads operands in the collectors' place. */
static SMRF_APART bool commit_(struct smrf_entry *e, unsigned sub, unsigned unit)
{
    struct smrf_issue *issue = e->sub[sub].issue;
    const struct smrf_reading *r = &e->sub[sub].reading;
    const uint64_t cycle = *e->wires->cycle;
    e->moved = true; /* where it does not get in, it asks again in the next cycle */
    if (!r->ops->probe(r->state, &e->flights->record[issue->latch[unit]], cycle)) {
        return false;
    }
    r->ops->commit(r->state, smrf_issue_unlatch(issue, unit), cycle);
    return true;
}

/* An instruction leaves its latch for a collector. */
static SMRF_APART void allocate_(struct smrf_entry *e, unsigned sub, unsigned unit,
                                 unsigned collector)
{
    e->moved = true;
    e->wires->allocate(e->wires->ctx, sub, collector, smrf_issue_unlatch(e->sub[sub].issue, unit));
}

/* The same where nobody looks. */
static inline void allocate_counted_(struct smrf_entry *e, unsigned sub, unsigned unit,
                                     unsigned collector)
{
    const struct smrf_entry_sub *s = &e->sub[sub];
    const uint32_t flight = smrf_issue_unlatch(s->issue, unit);
    const struct smrf_flight *f = &e->flights->record[flight];
    e->moved = true;
    if (smrf_collectors_take_unseen(s->collectors, collector, flight, f, unit, e->now)) {
        smrf_arbiter_count(s->arbiter, flight, collector, f);
    }
}

/* .. if there is one. Returns whether it has left. */
static bool move_latch_(struct smrf_entry *e, unsigned sub, unsigned unit)
{
    const struct smrf_issue *issue = e->sub[sub].issue;
    if (e->sub[sub].reading.ops) {
        return commit_(e, sub, unit);
    }
    /* A mechanism alone wants to know of which warp it is: the record is not near. */
    const unsigned warp = e->allocation ? e->flights->record[issue->latch[unit]].warp : 0;
    const int collector = smrf_entry_pick(e, sub, warp);
    if (collector < 0) {
        e->moved |= collector <= SMRF_PICK_NEXT_WAIT;
        return false;
    }
    allocate_(e, sub, unit, (unsigned)collector);
    return true;
}

/* Entry i of a unit's queue has left its latch. */
static void leave_(struct smrf_entry *e, unsigned unit, unsigned i)
{
    struct smrf_entry_queue *q = &e->queue[unit];
    const uint32_t before = (UINT32_C(1) << 8 * i) - 1;
    q->subs = (q->subs & before) | (q->subs >> 8 & ~before);
    q->bits -= 8;
    e->latched &= ~((uint32_t)!q->bits << unit);
    e->open &= e->latched;
}

/* Offers the latches of a unit in the order of their age, until one is free. Returns whether one
 * is. */
static bool offer_(struct smrf_entry *e, unsigned unit)
{
    const struct smrf_entry_queue *q = &e->queue[unit];
    const unsigned offered = e->oldest_first ? 1 : q->bits / 8;
    for (unsigned i = 0; i < offered; i++) {
        if (move_latch_(e, q->subs >> 8 * i & 0xff, unit)) {
            leave_(e, unit, i);
            return true;
        }
    }
    return false;
}

/* The first of a unit's queue leaves its latch for a collector, where only the number of free ones
 * counts: there is one. */
static inline void take_first_(struct smrf_entry *e, unsigned unit)
{
    struct smrf_entry_queue *q = &e->queue[unit];
    const uint32_t bit = UINT32_C(1) << unit;
    const unsigned sub = q->subs & 0xff, next = q->subs >> 8 & 0xff;
    const struct smrf_collectors *c = e->sub[sub].collectors;
    if (e->counted) {
        allocate_counted_(e, sub, unit, smrf_collectors_pick(c, &e->rng));
    } else {
        allocate_(e, sub, unit, smrf_collectors_pick(c, &e->rng));
    }
    q->subs >>= 8;
    q->bits -= 8;
    const uint32_t waits = (uint32_t)(q->bits != 0) << unit;
    e->latched = (e->latched & ~bit) | waits;
    e->first[sub] &= ~bit;
    const uint32_t others = e->first[sub];
    e->open &= ~(bit | others) | smrf_entry_room(e, sub, others);
    e->first[next] |= waits;
    e->open |= smrf_entry_room(e, next, waits);
}

/* A step in which only the number of free collectors counts, and something gets one. A pass ends
 * and the next begins without a branch. */
static inline void step_usual_(struct smrf_entry *e)
{
    uint32_t units = e->open, emptied = 0, pass = 0;
    do {
        const uint32_t bit = units & -units;
        take_first_(e, (unsigned)__builtin_ctz(units));
        emptied |= bit;
        units &= ~bit & e->open;
        const uint32_t ends = -(uint32_t)(units == 0);
        units |= e->open & emptied & ends;
        emptied &= ~ends;
        pass -= ends;
    } while (units && pass < e->in_ports);
}

/* Any other. */
static SMRF_APART void step_(struct smrf_entry *e)
{
    uint32_t units = e->latched;
    for (unsigned pass = 0; units && pass < e->in_ports; pass++) {
        uint32_t emptied = 0;
        for (uint32_t m = units; m; m &= m - 1) {
            const unsigned unit = (unsigned)__builtin_ctz(m);
            emptied |= (uint32_t)offer_(e, unit) << unit;
        }
        if (!emptied) {
            break;
        }
        units = e->latched & (e->allocation ? UINT32_MAX : emptied); /* a mechanism may have more */
    }
    /* Another finds the same, unless a mechanism thinks otherwise by itself. */
    e->open = e->moved || e->allocation ? e->latched : 0;
}

bool smrf_entry_step(struct smrf_entry *e)
{
    e->moved = false;
    e->now = *e->wires->cycle;
    if (e->usual) {
        step_usual_(e);
    } else {
        step_(e);
    }
    return e->moved;
}
