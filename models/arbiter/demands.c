/* SPDX-License-Identifier: Apache-2.0 */
#include "demands.h"

#include <string.h>

bool smrf_demands_init(struct smrf_demands *d, unsigned banks, uint32_t operands)
{
    d->bits = 64;
    while (d->bits * banks > 64) {
        d->bits /= 2;
    }
    d->shift = d->bits - 1;
    d->field = UINT64_MAX >> (64 - d->bits);
    d->ones = d->below = 0;
    memset(d->one, 0, sizeof d->one);
    for (unsigned b = 0; b < banks; b++) {
        d->one[b] = UINT64_C(1) << b * d->bits;
        d->ones |= d->one[b];
        d->below |= (d->field >> 1) << b * d->bits;
    }
    const uint64_t steps = operands ? d->field / operands : 0;
    d->most_steps = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
    smrf_demands_reset(d);
    return operands <= d->field >> 1 && steps > 0;
}

void smrf_demands_reset(struct smrf_demands *d)
{
    d->steps = 0;
    d->granted = d->waited = d->displaced = 0;
    d->written = d->total = 0;
    d->last = SMRF_NO_DEMAND;
    for (unsigned slot = 0; slot <= SMRF_NO_DEMAND; slot++) {
        d->slot[slot].reads = 0;
        d->slot[slot].next = SMRF_NO_DEMAND;
    }
}

/* Every bank of `left` serves the first instruction that waits for it. Returns the slots of which
 * nothing waits any more, which are taken out. */
static inline uint32_t serve_(struct smrf_demands *d, uint64_t left)
{
    const uint64_t below = d->below;
    const uint32_t shift = d->shift;
    uint32_t served = 0;
    unsigned before = SMRF_NO_DEMAND;
    do {
        const unsigned slot = d->slot[before].next;
        struct smrf_demand *demand = &d->slot[slot];
        const uint64_t taken = (demand->reads + below) >> shift & left;
        left ^= taken;
        demand->reads -= taken;
        if (demand->reads) {
            before = slot;
        } else {
            served |= UINT32_C(1) << slot;
            d->slot[before].next = demand->next;
            d->last = d->last == slot ? before : d->last;
        }
    } while (left);
    return served;
}

uint32_t smrf_demands_step(struct smrf_demands *d)
{
    const uint64_t written = d->written;
    const uint64_t granted = smrf_demands_banks(d, d->total) & ~written;
    const uint64_t total = d->total - granted;
    d->total = total;
    d->granted += granted;
    d->waited += total;
    d->displaced += total & written * d->field;
    d->written = 0;
    d->steps++;
    return granted ? serve_(d, granted) : 0;
}

uint32_t smrf_demands_probe_left(const struct smrf_demands *d, unsigned slot)
{
    const struct smrf_demand *demand = &d->slot[slot];
    uint32_t left = 0;
    uint64_t reads = 0;
    for (unsigned i = SMRF_MAX_SRC; i-- > 0;) {
        if (demand->sources >> i & 1) {
            const unsigned bank = demand->at[i].bank;
            if (smrf_demands_of(d, reads, bank) < smrf_demands_of(d, demand->reads, bank)) {
                reads += d->one[bank];
                left |= UINT32_C(1) << i;
            }
        }
    }
    return left;
}
