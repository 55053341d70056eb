/* SPDX-License-Identifier: Apache-2.0 */
#include "arbiter.h"

int smrf_arbiter_init(struct smrf_arbiter *a, const struct smrf_arbiter_config *cfg, unsigned sub,
                      const struct smrf_wires *wires)
{
    if (cfg->banks == 0 || cfg->banks > SMRF_MAX_BANKS || cfg->operands > SMRF_ARBITER_DEPTH ||
        cfg->collectors == 0 || cfg->collectors > SMRF_MAX_COLLECTORS || cfg->slots == 0) {
        return SMRF_ERR_INVAL;
    }
    a->wires = wires;
    a->sub = sub;
    a->num_banks = cfg->banks;
    a->ports = cfg->ports;
    a->perfect = cfg->perfect;
    a->slots = cfg->slots;
    a->depth = 1;
    while (a->depth < cfg->operands) {
        a->depth *= 2;
    }
    smrf_arbiter_reset(a);
    return SMRF_OK;
}

void smrf_arbiter_reset(struct smrf_arbiter *a)
{
    a->waiting = 0;
    a->write_mask = 0;
    a->next_age = 0;
    a->stats = (struct smrf_arbiter_stats){0};
    for (unsigned b = 0; b < SMRF_MAX_BANKS; b++) {
        a->head[b] = 0;
        a->count[b] = 0;
        a->waited[b] = 0;
    }
}

/* Banks of `mask` in the order of their heads' age. Returns their number. */
static unsigned order_by_age_(struct smrf_arbiter *a, uint32_t mask, uint8_t *order)
{
    unsigned n = 0;
    for (; mask; mask &= mask - 1) {
        unsigned b = (unsigned)__builtin_ctz(mask);
        const uint64_t age = smrf_arbiter_entry(a, b, 0)->age;
        unsigned i = n++;
        for (; i > 0 && smrf_arbiter_entry(a, order[i - 1], 0)->age > age; i--) {
            order[i] = order[i - 1];
        }
        order[i] = (uint8_t)b;
    }
    return n;
}

/* Every request of every bank. */
static unsigned grant_all_(struct smrf_arbiter *a)
{
    unsigned granted = 0;
    for (; a->waiting; a->waiting &= a->waiting - 1) {
        const unsigned b = (unsigned)__builtin_ctz(a->waiting);
        for (; a->count[b]; a->count[b]--) {
            const struct smrf_read read = *smrf_arbiter_entry(a, b, 0);
            a->head[b] = (uint16_t)((a->head[b] + 1) & (a->depth - 1));
            a->wires->grant(a->wires->ctx, a->sub, &read);
            granted++;
        }
    }
    a->write_mask = 0;
    return granted;
}

/* What waits, by what its bank did in this step. read: banks that granted a request. */
static void count_waits_(struct smrf_arbiter *a, uint32_t read)
{
    for (uint32_t m = a->waiting; m; m &= m - 1) {
        const unsigned b = (unsigned)__builtin_ctz(m);
        const uint32_t count = a->count[b];
        a->waited[b] += count;
        a->stats.bank_conflict_cycles += count;
        a->stats.waits_read += read >> b & 1 ? count : 0;
        a->stats.waits_write += a->write_mask >> b & 1 ? count : 0;
        a->stats.waits_port += (read | a->write_mask) >> b & 1 ? 0 : count;
    }
}

unsigned smrf_arbiter_step(struct smrf_arbiter *a)
{
    uint8_t order[SMRF_MAX_BANKS];
    uint8_t taken[SMRF_MAX_COLLECTORS] = {0}; /* operands that a collector takes in this step */
    struct smrf_read grants[SMRF_MAX_BANKS];
    unsigned granted = 0;
    uint32_t read = 0;
    if (a->perfect) {
        return grant_all_(a);
    }
    const unsigned n = order_by_age_(a, a->waiting & ~a->write_mask, order);

    for (unsigned i = 0; i < n; i++) {
        const unsigned b = order[i];
        const struct smrf_read *head = smrf_arbiter_entry(a, b, 0);
        const unsigned slot = smrf_read_collector(head);
        const unsigned collector = a->slots == 1 ? slot : slot / a->slots;
        if (a->ports && taken[collector] >= a->ports) {
            continue;
        }
        taken[collector]++;
        grants[granted++] = *head;
        read |= UINT32_C(1) << b;
        a->head[b] = (uint16_t)((a->head[b] + 1) & (a->depth - 1));
        if (--a->count[b] == 0) {
            a->waiting &= ~(UINT32_C(1) << b);
        }
    }
    count_waits_(a, read);
    a->write_mask = 0;
    for (unsigned i = 0; i < granted; i++) {
        a->wires->grant(a->wires->ctx, a->sub, &grants[i]);
    }
    return granted;
}
