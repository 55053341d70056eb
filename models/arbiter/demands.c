/* SPDX-License-Identifier: Apache-2.0 */
#include "demands.h"

#include <string.h>

bool smrf_demands_init(struct smrf_demands *d, unsigned banks, uint32_t operands)
{
    d->bits = 64;
    while (d->bits * banks > 64) {
        d->bits /= 2;
    }
    d->shift = (uint8_t)(d->bits - 1);
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
    smrf_demands_restart(d);
    d->written = d->total = 0;
    d->first = d->last = 0;
    for (unsigned slot = 0; slot < SMRF_MAX_COLLECTING; slot++) {
        d->slot[slot].reads = 0;
        d->slot[slot].next = SMRF_NO_DEMAND;
    }
}

uint32_t smrf_demands_serve(struct smrf_demands *d, uint64_t granted)
{
    uint64_t left = granted;
    uint32_t served = 0;
    unsigned slot = d->first, before = SMRF_NO_DEMAND;
    do {
        struct smrf_demand *demand = &d->slot[slot];
        const uint64_t taken = smrf_demands_banks(d, demand->reads) & left;
        const unsigned next = demand->next;
        left ^= taken;
        demand->reads -= taken;
        if (demand->reads) {
            before = slot;
        } else {
            served |= UINT32_C(1) << slot;
            if (before == SMRF_NO_DEMAND) {
                d->first = (uint8_t)next;
            } else {
                d->slot[before].next = next;
                d->last = d->last == slot ? (uint8_t)before : d->last;
            }
        }
        slot = next;
    } while (left);
    return served;
}

uint32_t smrf_demands_probe_left(const struct smrf_demands *d, unsigned slot,
                                 const struct smrf_flight *f)
{
    const uint64_t waits = d->slot[slot].reads;
    uint32_t left = 0;
    uint64_t reads = 0;
    for (unsigned i = f->num_src; i-- > 0;) {
        const unsigned bank = f->src[i].bank;
        if (smrf_demands_of(d, reads, bank) < smrf_demands_of(d, waits, bank)) {
            reads += d->one[bank];
            left |= UINT32_C(1) << i;
        }
    }
    return left;
}
