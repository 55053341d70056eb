/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include "models/common/smrf_apart.h"

#include <string.h>

void smrf_entry_reset(struct smrf_entry *e)
{
    e->latched = e->open = 0;
    memset(e->first, 0, sizeof e->first);
    memset(e->queue, 0, sizeof e->queue);
}

int smrf_entry_pick(struct smrf_entry *e, unsigned sub, unsigned warp)
{
    struct smrf_collectors *c = e->sub[sub].collectors;
    if (e->sub[sub].reading.free) {
        return *e->sub[sub].reading.free ? 0 : SMRF_PICK_NEXT;
    }
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

/* Entry i of a unit's queue, of sub-core `sub`, has left its latch. */
static inline void leave_(struct smrf_entry *e, unsigned unit, unsigned i, unsigned sub)
{
    struct smrf_entry_queue *q = &e->queue[unit];
    const uint32_t bit = UINT32_C(1) << unit, before = (UINT32_C(1) << 8 * i) - 1;
    q->subs = (q->subs & before) | (q->subs >> 8 & ~before);
    q->bits -= 8;
    const uint32_t left = q->bits ? bit : 0;
    e->latched = (e->latched & ~bit) | left;
    if (!e->room_decides) {
        e->open &= e->latched;
        return;
    }
    const unsigned next = q->subs & 0xff; /* only the first leaves */
    e->first[sub] &= ~bit;
    e->open &= ~(bit | e->first[sub]);
    e->open |= smrf_entry_room(e, sub, e->first[sub]) | smrf_entry_room(e, next, left);
    e->first[next] |= left;
}

/* Offers the latches of a unit in the order of their age, until one is free. Returns whether one
 * is. */
static inline bool offer_(struct smrf_entry *e, unsigned unit)
{
    const struct smrf_entry_queue *q = &e->queue[unit];
    const unsigned offered = e->oldest_first ? 1 : q->bits / 8;
    for (unsigned i = 0; i < offered; i++) {
        const unsigned sub = q->subs >> 8 * i & 0xff;
        if (move_latch_(e, sub, unit)) {
            leave_(e, unit, i, sub);
            return true;
        }
    }
    return false;
}

bool smrf_entry_step(struct smrf_entry *e)
{
    uint32_t units = e->open;
    e->moved = false;
    for (unsigned pass = 0; units && pass < e->in_ports; pass++) {
        uint32_t emptied = 0;
        for (uint32_t m = units; m; m &= m - 1) {
            const unsigned unit = (unsigned)__builtin_ctz(m);
            emptied |= e->open >> unit & 1 ? (uint32_t)offer_(e, unit) << unit : 0;
        }
        if (!emptied) {
            break;
        }
        units = e->open & (e->allocation ? UINT32_MAX : emptied); /* a mechanism may have more */
    }
    if (!e->room_decides) { /* the next step finds the same, unless a mechanism decides otherwise */
        e->open = e->moved || e->allocation ? e->latched : 0;
    }
    return e->moved;
}
