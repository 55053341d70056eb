/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

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

/* Age of the instruction in an issue latch. */
static uint64_t age_(const struct smrf_entry *e, unsigned sub, unsigned unit)
{
    return e->sub[sub].issue->latch_age[unit];
}

/* Sub-core whose issue latch of `unit` holds the oldest instruction, among `subs`. */
static unsigned oldest_(const struct smrf_entry *e, unsigned unit, uint32_t subs)
{
    unsigned best = (unsigned)__builtin_ctz(subs);
    uint32_t others = subs & (subs - 1);
    uint64_t age = others ? age_(e, best, unit) : 0;
    for (; others; others &= others - 1) {
        const unsigned s = (unsigned)__builtin_ctz(others);
        const uint64_t its = age_(e, s, unit);
        best = its < age ? s : best;
        age = its < age ? its : age;
    }
    return best;
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
    const int collector = smrf_entry_pick(e, sub, e->flights->record[issue->latch[unit]].warp);
    if (collector < 0) {
        e->moved |= collector <= SMRF_PICK_NEXT_WAIT;
        return false;
    }
    e->entered |= UINT32_C(1) << sub;
    e->moved = true;
    const uint32_t flight = smrf_issue_unlatch(issue, unit);
    if (!issue->latch_full) {
        e->occupied &= ~(UINT32_C(1) << sub);
    }
    e->wires->allocate(e->wires->ctx, sub, (unsigned)collector, flight);
    return true;
}

/* Units with an occupied issue latch, and the sub-cores of each, added to subs. Those without a free
 * collector count only where they hold up the others. 0: none can move. */
static uint32_t latched_(struct smrf_entry *e, uint32_t *subs)
{
    uint32_t units = 0;
    bool free = false;
    for (uint32_t o = e->occupied; o; o &= o - 1) {
        const unsigned s = (unsigned)__builtin_ctz(o);
        const struct smrf_entry_sub *b = &e->sub[s];
        const uint32_t full = b->issue->latch_full;
        const bool room = b->collectors->free_mask || b->reading.ops;
        if (!full) {
            e->occupied &= ~(UINT32_C(1) << s);
            continue;
        }
        if (!room && !e->oldest_first) {
            continue;
        }
        free |= room;
        for (uint32_t m = full; m; m &= m - 1) {
            const unsigned unit = (unsigned)__builtin_ctz(m);
            subs[unit] |= UINT32_C(1) << s;
        }
        units |= full;
    }
    return free ? units : 0;
}

/* Offers the latches of a unit: its instructions go in the order of their age, until one does. Returns
 * the sub-core whose latch is free now, -1: none. */
static int offer_(struct smrf_entry *e, unsigned unit, uint32_t subs)
{
    while (subs) {
        const unsigned s = oldest_(e, unit, subs);
        if (move_latch_(e, s, unit)) {
            return (int)s;
        }
        subs &= e->oldest_first ? 0 : ~(UINT32_C(1) << s);
    }
    return -1;
}

bool smrf_entry_step(struct smrf_entry *e)
{
    uint32_t subs_of[SMRF_UNIT_COUNT] = {0};
    uint32_t units = latched_(e, subs_of);
    e->moved = false;
    for (unsigned pass = 0; units && pass < e->in_ports; pass++) {
        bool moved = false;
        for (uint32_t m = units; m; m &= m - 1) {
            const unsigned unit = (unsigned)__builtin_ctz(m);
            const int s = offer_(e, unit, subs_of[unit]);
            if (s >= 0) {
                subs_of[unit] &= ~(UINT32_C(1) << s);
                units &= subs_of[unit] ? UINT32_MAX : ~(UINT32_C(1) << unit);
                moved = true;
            }
        }
        if (!moved) {
            break;
        }
    }
    return e->moved;
}
