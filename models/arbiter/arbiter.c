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
    a->own_requested = 0;
    a->requested = &a->own_requested;
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
    a->waiting = a->write_mask = 0;
    *a->requested &= ~(UINT32_C(1) << a->sub);
    a->next_age = a->steps = 0;
    a->waits_write = a->waits_port = 0;
    memset(a->bank, 0, sizeof a->bank);
}

struct smrf_arbiter_stats smrf_arbiter_statistics(const struct smrf_arbiter *a)
{
    struct smrf_arbiter_stats stats = {.waits_write = a->waits_write, .waits_port = a->waits_port};
    for (unsigned b = 0; b < a->num_banks; b++) {
        stats.bank_conflict_cycles += smrf_arbiter_probe_waited(a, b);
    }
    /* A bank that neither writes nor waits for a port reads. */
    stats.waits_read = stats.bank_conflict_cycles - stats.waits_write - stats.waits_port;
    return stats;
}

/* --- requests --------------------------------------------------------------------------------- */

/* Queue a read of a given age. Returns its bank as a bit. A read that is granted by the next step
 * has waited for none: its bank's sum falls by the steps made now and rises by those made then. */
static inline uint32_t queue_(struct smrf_arbiter *a, struct smrf_read read, uint64_t age)
{
    const unsigned bank = smrf_read_bank(&read);
    struct smrf_arbiter_bank *b = &a->bank[bank];
    const unsigned place = b->tail++;
    a->entry[(place & (a->depth - 1)) * a->num_banks + bank] =
        (struct smrf_waiting_read){read, age};
    b->waited -= a->steps;
    return UINT32_C(1) << bank;
}

void smrf_arbiter_push(struct smrf_arbiter *a, struct smrf_read read)
{
    a->waiting |= queue_(a, read, a->next_age++);
    *a->requested |= UINT32_C(1) << a->sub;
}

void smrf_arbiter_request(struct smrf_arbiter *a, uint32_t flight, unsigned collector,
                          const struct smrf_register_place *at, uint32_t sources)
{
    uint64_t age = a->next_age;
    uint32_t waiting = a->waiting;
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        waiting |= queue_(a, smrf_read_of(flight, at[i], collector, i), age++);
    }
    a->next_age = age;
    a->waiting = waiting;
    *a->requested |= UINT32_C(1) << a->sub;
}

/* --- a step ----------------------------------------------------------------------------------- */

/* The reads chosen in a step, the oldest first. */
struct chosen_ {
    struct smrf_read read[SMRF_MAX_BANKS];
    uint64_t age[SMRF_MAX_BANKS];
    unsigned count;
};

static inline void insert_(struct chosen_ *c, const struct smrf_waiting_read *w)
{
    unsigned i = c->count++;
    for (; i > 0 && c->age[i - 1] > w->age; i--) {
        c->age[i] = c->age[i - 1];
        c->read[i] = c->read[i - 1];
    }
    c->age[i] = w->age;
    c->read[i] = w->read;
}

/* The first request of every bank of `mask`. */
static inline void choose_heads_(const struct smrf_arbiter *a, uint32_t mask, struct chosen_ *c)
{
    c->count = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const unsigned b = (unsigned)__builtin_ctz(m);
        insert_(c, smrf_arbiter_at(a, b, a->bank[b].head));
    }
}

/* The collector whose port a read takes. */
static inline unsigned port_of_(const struct smrf_arbiter *a, const struct smrf_read *read)
{
    const unsigned slot = smrf_read_collector(read);
    return a->slots == 1 ? slot : slot / a->slots;
}

/* Leaves those of the chosen that find a port of their collector free. Their banks' other reads
 * wait behind the ones that are left out. Returns the banks that grant. */
static inline uint32_t limit_ports_(struct smrf_arbiter *a, struct chosen_ *c)
{
    unsigned granted = 0;
    uint32_t banks = 0;
    for (unsigned i = 0; i < c->count; i++) {
        const unsigned bank = smrf_read_bank(&c->read[i]), port = port_of_(a, &c->read[i]);
        unsigned taken = 0;
        for (unsigned g = 0; g < granted; g++) {
            taken += port_of_(a, &c->read[g]) == port;
        }
        if (taken < a->ports) {
            c->read[granted++] = c->read[i];
            banks |= UINT32_C(1) << bank;
        } else {
            a->waits_port += smrf_arbiter_probe_count(a, bank);
        }
    }
    c->count = granted;
    return banks;
}

/* The first request of a bank leaves its FIFO, in the step after a->steps others. */
static inline void pop_(struct smrf_arbiter *a, unsigned bank)
{
    struct smrf_arbiter_bank *b = &a->bank[bank];
    b->waited += a->steps;
    if (++b->head == b->tail) {
        b->head = b->tail = 0;
        a->waiting &= ~(UINT32_C(1) << bank);
    }
}

static inline void pop_all_(struct smrf_arbiter *a, uint32_t banks)
{
    for (uint32_t m = banks; m; m &= m - 1) {
        pop_(a, (unsigned)__builtin_ctz(m));
    }
}

/* Nothing of the step's choice is open any more: all banks are free for the next. */
static inline void close_(struct smrf_arbiter *a)
{
    *a->requested &= ~((uint32_t)!a->waiting << a->sub);
    a->write_mask = 0;
    a->steps++;
}

/* The bound of what banks and ports are worth: every request of every bank. */
static SMRF_APART unsigned grant_all_(struct smrf_arbiter *a)
{
    unsigned granted = 0;
    while (a->waiting) {
        const unsigned bank = (unsigned)__builtin_ctz(a->waiting);
        const struct smrf_read read = smrf_arbiter_at(a, bank, a->bank[bank].head)->read;
        pop_(a, bank);
        a->wires->grant(a->wires->ctx, a->sub, &read, 1);
        granted++;
    }
    close_(a);
    return granted;
}

unsigned smrf_arbiter_step(struct smrf_arbiter *a)
{
    struct chosen_ chosen;
    if (a->perfect) {
        return grant_all_(a);
    }
    for (uint32_t m = a->waiting & a->write_mask; m; m &= m - 1) {
        a->waits_write += smrf_arbiter_probe_count(a, (unsigned)__builtin_ctz(m));
    }
    uint32_t banks = a->waiting & ~a->write_mask;
    choose_heads_(a, banks, &chosen);
    if (a->ports && chosen.count > a->ports) {
        banks = limit_ports_(a, &chosen);
    }
    pop_all_(a, banks);
    close_(a);
    if (chosen.count) {
        a->wires->grant(a->wires->ctx, a->sub, chosen.read, chosen.count);
    }
    return chosen.count;
}
