/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include "models/common/smrf_apart.h"

#include <string.h>

void smrf_entry_reset(struct smrf_entry *e)
{
    e->latched = e->entered = 0;
    e->stuck = false;
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
static inline void allocate_(struct smrf_entry *e, unsigned sub, unsigned unit, unsigned collector)
{
    e->entered |= UINT32_C(1) << sub;
    e->moved = true;
    e->wires->allocate(e->wires->ctx, sub, collector, smrf_issue_unlatch(e->sub[sub].issue, unit));
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
static inline void leave_(struct smrf_entry *e, unsigned unit, unsigned i)
{
    struct smrf_entry_queue *q = &e->queue[unit];
    const uint32_t before = (UINT32_C(1) << 8 * i) - 1;
    q->subs = (q->subs & before) | (q->subs >> 8 & ~before);
    if (--q->count == 0) {
        e->latched &= ~(UINT32_C(1) << unit);
    }
}

/* Offers the latches of a unit in the order of their age, until one is free. Returns whether one is. */
static SMRF_APART bool offer_(struct smrf_entry *e, unsigned unit)
{
    const struct smrf_entry_queue *q = &e->queue[unit];
    const unsigned offered = e->oldest_first ? 1 : q->count;
    for (unsigned i = 0; i < offered; i++) {
        if (move_latch_(e, q->subs >> 8 * i & 0xff, unit)) {
            leave_(e, unit, i);
            return true;
        }
    }
    return false;
}

/* The same of the oldest alone, where only the number of free collectors counts. */
static inline bool offer_oldest_(struct smrf_entry *e, unsigned unit)
{
    const unsigned sub = e->queue[unit].subs & 0xff;
    const struct smrf_collectors *c = e->sub[sub].collectors;
    if (!c->free_mask) {
        return false;
    }
    allocate_(e, sub, unit, smrf_collectors_pick(c, &e->rng));
    leave_(e, unit, 0);
    return true;
}

/* Offers the latches of these units once. Returns the units of which one is free. */
static inline uint32_t pass_(struct smrf_entry *e, uint32_t units)
{
    uint32_t emptied = 0;
    for (uint32_t m = units; m; m &= m - 1) {
        const unsigned unit = (unsigned)__builtin_ctz(m);
        const bool free = e->usual ? offer_oldest_(e, unit) : offer_(e, unit);
        emptied |= (uint32_t)free << unit;
    }
    return emptied;
}

bool smrf_entry_step(struct smrf_entry *e)
{
    uint32_t units = e->latched;
    e->moved = e->stuck = false;
    for (unsigned pass = 0; units && pass < e->in_ports; pass++) {
        const uint32_t emptied = pass_(e, units);
        if (!emptied) {
            e->stuck = !e->moved && !e->allocation; /* a mechanism may think otherwise by itself */
            break;
        }
        /* Collectors fill only: what none had room for is not offered again, but to a mechanism. */
        units = e->latched & (e->allocation ? UINT32_MAX : emptied);
    }
    return e->moved;
}
