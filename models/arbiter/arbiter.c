/* SPDX-License-Identifier: Apache-2.0 */
#include "arbiter.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"

#include <string.h>

int smrf_arbiter_init(struct smrf_arbiter *a, struct smrf_arbiter_store *store,
                      const struct smrf_arbiter_config *cfg, unsigned sub,
                      const struct smrf_wires *wires)
{
    if (cfg->banks == 0 || cfg->banks > SMRF_MAX_BANKS || cfg->operands > SMRF_ARBITER_DEPTH ||
        cfg->collectors == 0 || cfg->collectors > SMRF_MAX_COLLECTORS || cfg->slots == 0) {
        return SMRF_ERR_INVAL;
    }
    a->entry = store->entry;
    a->wires = wires;
    a->sub = sub;
    a->own_asked = 0;
    a->asked = &a->own_asked;
    a->num_banks = cfg->banks;
    a->ports = cfg->ports;
    a->perfect = cfg->perfect;
    a->countable =
        smrf_demands_init(&a->demands, cfg->banks, cfg->collectors * cfg->slots, cfg->operands) &&
        !cfg->ports && !cfg->perfect;
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
    *a->asked &= ~(UINT32_C(1) << a->sub);
    a->write_mask = 0;
    a->unseen = a->counted = false;
    smrf_demands_reset(&a->demands);
    memset(a->reads, 0, sizeof a->reads);
    a->next_age = 0;
    a->stats = (struct smrf_arbiter_stats){0};
    for (unsigned b = 0; b < SMRF_MAX_BANKS; b++) {
        a->fifo[b] = (struct smrf_arbiter_fifo){0, 0};
        a->waited[b] = 0;
    }
}

/* What waits first for a bank. Precondition: something does. */
static inline const struct smrf_waiting_read *first_(const struct smrf_arbiter *a, unsigned b)
{
    return smrf_arbiter_at(a, b, a->fifo[b].head);
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

/* The first request of a bank leaves its FIFO. */
static inline struct smrf_read pop_(struct smrf_arbiter *a, unsigned b)
{
    struct smrf_arbiter_fifo *f = &a->fifo[b];
    const struct smrf_read read = first_(a, b)->read;
    if (++f->head == f->tail) {
        f->head = f->tail = 0;
        a->waiting &= ~(UINT32_C(1) << b);
        *a->asked &= a->waiting ? UINT32_MAX : ~(UINT32_C(1) << a->sub);
    }
    a->reads[b] += a->unseen;
    return read;
}

/* Every request of every bank. */
static SMRF_APART unsigned grant_all_(struct smrf_arbiter *a)
{
    unsigned granted = 0;
    while (a->waiting) {
        const struct smrf_read read = pop_(a, (unsigned)__builtin_ctz(a->waiting));
        a->wires->grant(a->wires->ctx, a->sub, &read, 1);
        granted++;
    }
    a->write_mask = 0;
    return granted;
}

/* What waits, by what its bank did in this step. read: banks that granted a request. */
static void count_waits_(struct smrf_arbiter *a, uint32_t read)
{
    for (uint32_t m = a->waiting; m; m &= m - 1) {
        const unsigned b = (unsigned)__builtin_ctz(m);
        const uint32_t count = smrf_arbiter_probe_count(a, b);
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

/* The step's choice is made: what is left waits, and all banks are free. read: as above. */
static inline void close_(struct smrf_arbiter *a, uint32_t read)
{
    if (a->waiting) {
        count_waits_(a, read);
    }
    a->write_mask = 0;
}

/* Of the requests at the head of the banks of `mask`, those that find a port, the oldest first. */
static SMRF_APART unsigned grant_oldest_(struct smrf_arbiter *a, uint32_t mask)
{
    const struct smrf_waiting_read *head[SMRF_MAX_BANKS];
    struct smrf_read reads[SMRF_MAX_BANKS];
    unsigned granted = heads_by_age_(a, mask, head);
    uint32_t banks = 0;
    if (a->ports) {
        granted = limit_ports_(a, head, granted);
    }
    for (unsigned i = 0; i < granted; i++) {
        const unsigned b = smrf_read_bank(&head[i]->read);
        banks |= UINT32_C(1) << b;
        reads[i] = pop_(a, b);
    }
    close_(a, banks);
    a->wires->grant(a->wires->ctx, a->sub, reads, granted);
    return granted;
}

unsigned smrf_arbiter_step(struct smrf_arbiter *a)
{
    const uint32_t mask = a->waiting & ~a->write_mask;
    struct smrf_read reads[SMRF_MAX_BANKS];
    unsigned granted = 0;
    if (a->perfect) {
        return grant_all_(a);
    }
    if (mask & (mask - 1) && (a->ports || !a->unseen)) {
        return grant_oldest_(a, mask);
    }
    for (uint32_t m = mask; m; m &= m - 1) {
        reads[granted++] = pop_(a, (unsigned)__builtin_ctz(m));
    }
    close_(a, mask);
    if (granted) {
        a->wires->grant(a->wires->ctx, a->sub, reads, granted);
    }
    return granted;
}

/* --- is anything seen? ------------------------------------------------------------------------ */

void smrf_arbiter_look_away(struct smrf_arbiter *a)
{
    if (a->unseen) {
        return;
    }
    a->unseen = true;
    a->counted = a->countable && !a->waiting; /* what waits singly is served singly */
    if (a->counted) {
        for (; a->write_mask; a->write_mask &= a->write_mask - 1) {
            smrf_demands_write(&a->demands, (unsigned)__builtin_ctz(a->write_mask));
        }
    }
}

void smrf_arbiter_look(struct smrf_arbiter *a, const struct smrf_flights *flights)
{
    if (!a->unseen) {
        return;
    }
    smrf_arbiter_settle(a);
    a->unseen = a->counted = false;
    const struct smrf_demands *d = &a->demands;
    for (uint64_t m = d->order; m; m >>= 8) {
        const unsigned slot = (unsigned)(m & 0xff) - 1;
        const uint32_t flight = d->flight[slot + 1];
        const struct smrf_flight *f = &flights->record[flight];
        smrf_arbiter_request(a, flight, slot, f->src, smrf_demands_probe_left(d, slot, f));
    }
    for (unsigned b = 0; b < a->num_banks; b++) {
        a->write_mask |= (uint32_t)((d->written & d->one[b]) != 0) << b;
    }
    smrf_demands_reset(&a->demands);
}

void smrf_arbiter_settle(struct smrf_arbiter *a)
{
    struct smrf_demands *d = &a->demands;
    for (unsigned b = 0; b < a->num_banks; b++) {
        const uint64_t waited = smrf_demands_of(d, d->waited, b);
        const uint64_t displaced = smrf_demands_of(d, d->displaced, b);
        a->reads[b] += (uint32_t)smrf_demands_of(d, d->granted, b);
        a->waited[b] += waited;
        a->stats.bank_conflict_cycles += waited;
        a->stats.waits_write += displaced;
        a->stats.waits_read += waited - displaced; /* a bank that is not written reads */
    }
    smrf_demands_restart(d);
    if (a->unseen) {
        a->wires->passed(a->wires->ctx, a->sub, a->reads);
        memset(a->reads, 0, sizeof a->reads);
    }
}
