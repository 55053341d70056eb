/* SPDX-License-Identifier: Apache-2.0 */
#include "arbiter.h"

int smrf_arbiter_init(struct smrf_arbiter *a, uint32_t num_banks, uint32_t operands)
{
    if (num_banks == 0 || num_banks > SMRF_MAX_BANKS || operands > SMRF_ARBITER_DEPTH) {
        return SMRF_ERR_INVAL;
    }
    a->depth = 1;
    while (a->depth < operands) {
        a->depth *= 2;
    }
    a->num_banks = num_banks;
    a->waiting = 0;
    a->write_mask = 0;
    a->next_age = 0;
    a->conflicts = 0;
    for (unsigned b = 0; b < SMRF_MAX_BANKS; b++) {
        a->head[b] = 0;
        a->count[b] = 0;
    }
    return SMRF_OK;
}

/* Banks of `mask` in the order of their heads' age. Returns their number. */
static unsigned order_by_age_(struct smrf_arbiter *a, uint32_t mask, uint8_t *order)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1) {
        unsigned b = (unsigned)__builtin_ctz(mask);
        uint32_t age = smrf_arbiter_entry(a, b, 0)->age;
        unsigned i = n++;
        /* Ages wrap, so they are compared by difference. */
        for (; i > 0 && (int32_t)(smrf_arbiter_entry(a, order[i - 1], 0)->age - age) > 0; i--) {
            order[i] = order[i - 1];
        }
        order[i] = (uint8_t)b;
    }
    return n;
}

unsigned smrf_arbiter_step(struct smrf_arbiter *a, struct smrf_xbar *xbar, struct smrf_read *grants)
{
    uint8_t order[SMRF_MAX_BANKS];
    unsigned granted = 0;
    unsigned n = order_by_age_(a, a->waiting & ~a->write_mask, order);

    for (unsigned i = 0; i < n; i++) {
        unsigned b = order[i];
        const struct smrf_read *head = smrf_arbiter_entry(a, b, 0);
        if (!(smrf_xbar_probe_free(xbar) >> head->collector & 1)) {
            continue;
        }
        smrf_xbar_reserve(xbar, head->collector);
        grants[granted++] = *head;
        a->head[b] = (uint16_t)((a->head[b] + 1) & (a->depth - 1));
        if (--a->count[b] == 0) {
            a->waiting &= ~(UINT32_C(1) << b);
        }
    }
    for (uint32_t m = a->waiting; m; m &= m - 1) {
        a->conflicts += a->count[__builtin_ctz(m)];
    }
    a->write_mask = 0;
    return granted;
}
