/* SPDX-License-Identifier: Apache-2.0 */
#include "demands.h"

#include <string.h>

bool smrf_demands_init(struct smrf_demands *d, unsigned banks, unsigned slots, uint32_t operands)
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
    return slots <= SMRF_MAX_DEMANDS && operands <= d->field >> 1 && steps > 0;
}

void smrf_demands_reset(struct smrf_demands *d)
{
    smrf_demands_restart(d);
    d->written = d->total = d->order = 0;
    d->ordered = 0;
    memset(d->reads, 0, sizeof d->reads);
}

uint32_t smrf_demands_serve_all(struct smrf_demands *d, uint64_t granted)
{
    uint64_t left = granted, order = 0;
    uint32_t served = 0, ordered = 0;
    for (uint64_t m = d->order; m; m >>= 8) {
        const unsigned who = m & 0xff;
        const uint64_t taken = smrf_demands_banks(d, d->reads[who]) & left;
        left ^= taken;
        d->reads[who] -= taken;
        if (d->reads[who]) {
            order |= (uint64_t)who << ordered;
            ordered += 8;
        } else {
            served |= UINT32_C(1) << who >> 1;
        }
    }
    d->order = order;
    d->ordered = ordered;
    return served;
}

uint32_t smrf_demands_probe_left(const struct smrf_demands *d, unsigned slot,
                                 const struct smrf_flight *f)
{
    const uint64_t waits = d->reads[slot + 1];
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
