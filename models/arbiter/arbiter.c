/* SPDX-License-Identifier: Apache-2.0 */
#include "arbiter.h"

#include "models/common/smrf_apart.h"

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

/* What waits first for a bank. Precondition: something does. */
static inline const struct smrf_waiting_read *first_(const struct smrf_arbiter *a, unsigned b)
{
    return &a->fifo[a->head[b]][b];
}

/* The first requests of the banks of `mask` (not empty), the oldest first. Returns their number. */
static inline unsigned heads_by_age_(const struct smrf_arbiter *a, uint32_t mask,
                                     const struct smrf_waiting_read **head)
{
    unsigned n = 1;
    head[0] = first_(a, (unsigned)__builtin_ctz(mask));
    while (mask &= mask - 1) {
        const struct smrf_waiting_read *read = first_(a, (unsigned)__builtin_ctz(mask));
        unsigned i = n++;
        for (; i > 0 && head[i - 1]->age > read->age; i--) {
            head[i] = head[i - 1];
        }
        head[i] = read;
    }
    return n;
}

/* The collector whose port a read takes. */
static unsigned port_of_(const struct smrf_arbiter *a, const struct smrf_waiting_read *waiting)
{
    const unsigned slot = smrf_read_collector(&waiting->read);
    return a->slots == 1 ? slot : slot / a->slots;
}

/* Of n reads in the order of their age, those that find a port of their collector free, in the same
 * order. Returns their number. */
static unsigned limit_ports_(const struct smrf_arbiter *a, const struct smrf_waiting_read **reads,
                             unsigned n)
{
    unsigned granted = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned taken = 0;
        for (unsigned g = 0; g < granted; g++) {
            taken += port_of_(a, reads[g]) == port_of_(a, reads[i]);
        }
        if (taken < a->ports) {
            reads[granted++] = reads[i];
        }
    }
    return granted;
}

/* Every request of every bank. */
static SMRF_APART unsigned grant_all_(struct smrf_arbiter *a)
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
        if (read >> b & 1) {
            a->stats.waits_read += count;
        } else if (a->write_mask >> b & 1) {
            a->stats.waits_write += count;
        } else {
            a->stats.waits_port += count;
        }
    }
}

/* The first request of a bank leaves its FIFO. It stays where it is until it is granted. */
static inline const struct smrf_read *pop_(struct smrf_arbiter *a, unsigned b)
{
    const struct smrf_read *read = &first_(a, b)->read;
    a->head[b] = (uint16_t)((a->head[b] + 1) & (a->depth - 1));
    if (--a->count[b] == 0) {
        a->waiting &= ~(UINT32_C(1) << b);
    }
    return read;
}

/* The step's choice is made: what is left waits, and all banks are free. read: as above. */
static inline void close_(struct smrf_arbiter *a, uint32_t read)
{
    if (a->waiting) {
        count_waits_(a, read);
    }
    a->write_mask = 0;
}

/* Of the requests at the head of more than one bank, those that find a port. */
static SMRF_APART unsigned grant_several_(struct smrf_arbiter *a, uint32_t mask)
{
    const struct smrf_waiting_read *reads[SMRF_MAX_BANKS];
    unsigned granted = heads_by_age_(a, mask, reads);
    uint32_t banks = 0;
    if (a->ports) {
        granted = limit_ports_(a, reads, granted);
    }
    for (unsigned i = 0; i < granted; i++) {
        const unsigned b = smrf_read_bank(&reads[i]->read);
        banks |= UINT32_C(1) << b;
        (void)pop_(a, b);
    }
    close_(a, banks);
    for (unsigned i = 0; i < granted; i++) {
        a->wires->grant(a->wires->ctx, a->sub, &reads[i]->read);
    }
    return granted;
}

unsigned smrf_arbiter_step(struct smrf_arbiter *a)
{
    const uint32_t mask = a->waiting & ~a->write_mask;
    if (a->perfect) {
        return grant_all_(a);
    }
    if (mask & (mask - 1)) {
        return grant_several_(a, mask);
    }
    if (!mask) {
        close_(a, 0);
        return 0;
    }
    const struct smrf_read *read = pop_(a, (unsigned)__builtin_ctz(mask));
    close_(a, mask);
    a->wires->grant(a->wires->ctx, a->sub, read);
    return 1;
}
