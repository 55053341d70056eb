/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

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
static bool commit_(struct smrf_entry *e, unsigned sub, unsigned unit)
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

static bool move_latch_(struct smrf_entry *e, unsigned sub, unsigned unit)
{
    struct smrf_issue *issue = e->sub[sub].issue;
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
    e->entered |= UINT32_C(1) << sub;
    e->wires->allocate(e->wires->ctx, sub, (unsigned)collector, smrf_issue_unlatch(issue, unit));
    e->moved = true;
    return true;
}

/* Entry i of a unit's queue has left its latch. */
static void leave_(struct smrf_entry *e, unsigned unit, unsigned i)
{
    struct smrf_entry_queue *q = &e->queue[unit];
    q->count--;
    for (; i < q->count; i++) {
        q->sub[i] = q->sub[i + 1];
    }
    if (q->count == 0) {
        e->latched &= ~(UINT32_C(1) << unit);
    }
}

/* Offers the latches of a unit in the order of their age, until one is free. Returns whether one is. */
static bool offer_(struct smrf_entry *e, unsigned unit)
{
    const struct smrf_entry_queue *q = &e->queue[unit];
    const unsigned offered = e->oldest_first ? 1 : q->count;
    for (unsigned i = 0; i < offered; i++) {
        if (move_latch_(e, q->sub[i], unit)) {
            leave_(e, unit, i);
            return true;
        }
    }
    return false;
}

/* Offers the latches of these units once. Returns the units of which one is free. */
static inline uint32_t pass_(struct smrf_entry *e, uint32_t units)
{
    uint32_t emptied = 0;
    for (uint32_t m = units; m; m &= m - 1) {
        const unsigned unit = (unsigned)__builtin_ctz(m);
        emptied |= (uint32_t)offer_(e, unit) << unit;
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
