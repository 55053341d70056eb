/* SPDX-License-Identifier: Apache-2.0 */
/* From the issue latches, one for every unit type of a sub-core, to the collectors.
 * Source: Accel-Sim opndcoll_rfu_t::allocate_cu, ID_OC registers. */
#include "sm_state.h"

/* A free collector for a warp's instruction, or enum smrf_pick_none. */
int smrf_sm_pick_collector(struct smrf_sm *sm, unsigned sub, unsigned warp)
{
    struct smrf_collectors *c = sm->sub[sub].blocks.collectors;
    const struct smrf_mechanism *mech = sm->links.mechanism;
    if (!c->free_mask) {
        return SMRF_PICK_NEXT;
    }
    if (mech->allocation && mech->allocation->pick) {
        return mech->allocation->pick(sm->links.mechanism_state, sub, warp, c->free_mask, &sm->rng,
                                      sm->cycle);
    }
    return (int)smrf_collectors_pick(c, &sm->rng);
}

static uint64_t latched_uid_(const struct smrf_sm *sm, unsigned sub, unsigned unit)
{
    return sm->links.flights->record[sm->sub[sub].blocks.issue->latch[unit]].uid;
}

/* Sub-core whose issue latch of `unit` holds the oldest instruction, among `subs`. */
static unsigned oldest_latch_(const struct smrf_sm *sm, unsigned unit, uint32_t subs)
{
    unsigned best = (unsigned)__builtin_ctz(subs);
    for (uint32_t m = subs & (subs - 1); m; m &= m - 1) {
        unsigned s = (unsigned)__builtin_ctz(m);
        if (latched_uid_(sm, s, unit) < latched_uid_(sm, best, unit)) {
            best = s;
        }
    }
    return best;
}

static bool move_latch_(struct smrf_sm *sm, unsigned sub, unsigned unit)
{
    struct smrf_issue *issue = sm->sub[sub].blocks.issue;
    int collector =
        smrf_sm_pick_collector(sm, sub, sm->links.flights->record[issue->latch[unit]].warp);
    if (collector < 0) {
        sm->progress |= collector <= SMRF_PICK_NEXT_WAIT;
        return false;
    }
    sm->links.wires->allocate(sm->links.wires->ctx, sub, (unsigned)collector,
                              smrf_issue_unlatch(issue, unit));
    sm->progress = true;
    return true;
}

/* Units with an occupied issue latch, and for each the sub-cores that have one. Those without a free
 * collector count only where they hold up the others. */
static uint32_t latched_(const struct smrf_sm *sm, uint32_t *subs)
{
    uint32_t units = 0;
    for (unsigned s = 0; s < sm->subs; s++) {
        const struct smrf_subcore_blocks *b = &sm->sub[s].blocks;
        const uint32_t full = b->issue->latch_full;
        if (!full || (!b->collectors->free_mask && !sm->cfg.rf.oldest_first)) {
            continue;
        }
        for (uint32_t m = full; m; m &= m - 1) {
            const unsigned unit = (unsigned)__builtin_ctz(m);
            subs[unit] = units >> unit & 1 ? subs[unit] : 0;
            subs[unit] |= UINT32_C(1) << s;
            units |= UINT32_C(1) << unit;
        }
    }
    return units;
}

/* Offers the latches of a unit: its instructions go in the order of their age, until one does. Returns
 * the sub-core whose latch is free now, -1: none. */
static int offer_(struct smrf_sm *sm, unsigned unit, uint32_t subs)
{
    while (subs) {
        const unsigned s = oldest_latch_(sm, unit, subs);
        if (move_latch_(sm, s, unit)) {
            return (int)s;
        }
        subs &= sm->cfg.rf.oldest_first ? 0 : ~(UINT32_C(1) << s);
    }
    return -1;
}

/* Fill collectors from the issue latches: in passes (Accel-Sim's in-ports), each of which offers
 * every unit's latches once. With rf.oldest_first only the oldest instruction of a unit over all
 * sub-cores is offered, and a full sub-core holds up the others. */
void smrf_sm_empty_latches(struct smrf_sm *sm)
{
    uint32_t subs_of[SMRF_UNIT_COUNT];
    uint32_t units = latched_(sm, subs_of);
    for (unsigned pass = 0; units && pass < sm->cfg.rf.in_ports; pass++) {
        bool moved = false;
        for (uint32_t m = units; m; m &= m - 1) {
            const unsigned unit = (unsigned)__builtin_ctz(m);
            const int s = offer_(sm, unit, subs_of[unit]);
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
}
