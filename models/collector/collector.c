/* SPDX-License-Identifier: Apache-2.0 */
#include "collector.h"

#include "models/common/smrf_assert.h"

int smrf_collectors_init(struct smrf_collectors *c, const struct smrf_rf_params *rf)
{
    if (rf->collectors == 0 || rf->collectors > SMRF_MAX_COLLECTORS) {
        return SMRF_ERR_INVAL;
    }
    c->count = rf->collectors;
    c->pick = (uint8_t)rf->collector_pick;
    c->order = (uint8_t)rf->dispatch_order;
    c->free_mask = smrf_collectors_all(c);
    c->ready_mask = 0;
    for (unsigned u = 0; u < c->count; u++) {
        c->unit[u].slot = UINT32_MAX;
        c->unit[u].missing = 0;
    }
    return SMRF_OK;
}

/* Position of the n-th set bit (n from 0). */
static unsigned nth_bit_(uint32_t mask, unsigned n)
{
    while (n--) {
        mask &= mask - 1;
    }
    return (unsigned)__builtin_ctz(mask);
}

unsigned smrf_collectors_choose(uint32_t free_mask, uint32_t pick, struct smrf_rng *rng)
{
    SMRF_ASSERT(free_mask != 0);
    if (pick == SMRF_PICK_FIRST) {
        return (unsigned)__builtin_ctz(free_mask);
    }
    return nth_bit_(free_mask, smrf_rng_below(rng, (uint32_t)__builtin_popcount(free_mask)));
}

unsigned smrf_collectors_pick(const struct smrf_collectors *c, struct smrf_rng *rng)
{
    return smrf_collectors_choose(c->free_mask, c->pick, rng);
}

void smrf_collectors_occupy(struct smrf_collectors *c, unsigned unit, uint32_t slot, uint64_t uid,
                            uint32_t missing, uint64_t ready_at)
{
    struct smrf_collector_unit *u = &c->unit[unit];
    SMRF_ASSERT(c->free_mask >> unit & 1);
    c->free_mask &= ~(UINT32_C(1) << unit);
    u->slot = slot;
    u->uid = uid;
    u->missing = missing;
    u->ready_at = ready_at;
    if (missing == 0) {
        c->ready_mask |= UINT32_C(1) << unit;
    }
}

unsigned smrf_collectors_next(const struct smrf_collectors *c, uint32_t candidates)
{
    unsigned best = (unsigned)__builtin_ctz(candidates);
    if (c->order == SMRF_ORDER_INDEX) {
        return best;
    }
    for (uint32_t m = candidates & (candidates - 1); m; m &= m - 1) {
        unsigned u = (unsigned)__builtin_ctz(m);
        if (c->unit[u].uid < c->unit[best].uid) {
            best = u;
        }
    }
    return best;
}
