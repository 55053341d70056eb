/* SPDX-License-Identifier: Apache-2.0 */
#include "arbiter.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"

int smrf_arbiter_init(struct smrf_arbiter *a, struct smrf_arbiter_store *store,
                      const struct smrf_arbiter_config *cfg, unsigned sub,
                      const struct smrf_wires *wires)
{
    if (cfg->banks == 0 || cfg->banks > SMRF_MAX_BANKS || cfg->operands > SMRF_ARBITER_DEPTH ||
        cfg->collectors == 0 || cfg->collectors > SMRF_MAX_COLLECTORS || cfg->slots == 0) {
        return SMRF_ERR_INVAL;
    }
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
    for (unsigned b = 0; b < a->num_banks; b++) {
        a->bank[b].entry = &store->entry[b * a->depth];
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
    for (unsigned b = 0; b < a->num_banks; b++) {
        a->bank[b].head = a->bank[b].tail = 0;
        a->bank[b].waited = 0;
    }
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
static inline uint32_t queue_(struct smrf_arbiter *a, uint32_t flight, uint32_t word, uint64_t age)
{
    const unsigned bank = smrf_read_bank(word);
    struct smrf_arbiter_bank *b = &a->bank[bank];
    const unsigned place = b->tail++;
    b->entry[place & (a->depth - 1)] = (struct smrf_waiting_read){flight, word, age};
    b->head_age = place == b->head ? age : b->head_age;
    b->waited -= a->steps;
    return UINT32_C(1) << bank;
}

void smrf_arbiter_request(struct smrf_arbiter *a, uint32_t flight, const uint32_t *words,
                          unsigned count)
{
    uint64_t age = a->next_age;
    uint32_t waiting = a->waiting;
    for (unsigned i = 0; i < count; i++) {
        waiting |= queue_(a, flight, words[i], age++);
    }
    a->next_age = age;
    a->waiting = waiting;
    *a->requested |= UINT32_C(1) << a->sub;
}

/* --- a step ----------------------------------------------------------------------------------- */

/* The bank of `mask` (not empty) whose first request is the oldest. */
static inline unsigned oldest_(const struct smrf_arbiter *a, uint32_t mask)
{
    unsigned oldest = (unsigned)__builtin_ctz(mask);
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
        const unsigned b = (unsigned)__builtin_ctz(m);
        oldest = a->bank[b].head_age < a->bank[oldest].head_age ? b : oldest;
    }
    return oldest;
}

/* The collector whose port a read takes. */
static inline unsigned port_of_(const struct smrf_arbiter *a, uint32_t word)
{
    const unsigned slot = smrf_read_collector(word);
    return a->slots == 1 ? slot : slot / a->slots;
}

/* The first request of a bank leaves its FIFO, in the step after a->steps others. */
static inline void pop_(struct smrf_arbiter *a, unsigned bank)
{
    struct smrf_arbiter_bank *b = &a->bank[bank];
    b->waited += a->steps;
    b->head++;
    b->head_age = b->entry[b->head & (a->depth - 1)].age;
    if (b->head == b->tail) {
        b->head = b->tail = 0;
        a->waiting &= ~(UINT32_C(1) << bank);
    }
}

/* The step's choice is made: all banks are free for the next. */
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
        const struct smrf_waiting_read read = *smrf_arbiter_entry(a, bank, 0);
        pop_(a, bank);
        a->wires->grant(a->wires->ctx, a->sub, read.flight, &read.word, 1);
        granted++;
    }
    close_(a);
    return granted;
}

/* The step's choice, the oldest first. Reads of one instruction stand side by side where it was the
 * next in each of their banks. */
static inline void grant_(struct smrf_arbiter *a, const uint32_t *flights, const uint32_t *words,
                          unsigned granted)
{
    for (unsigned i = 0, n; i < granted; i += n) {
        for (n = 1; i + n < granted && flights[i + n] == flights[i]; n++) {
        }
        a->wires->grant(a->wires->ctx, a->sub, flights[i], &words[i], n);
    }
}

unsigned smrf_arbiter_step(struct smrf_arbiter *a)
{
    uint32_t flights[SMRF_MAX_BANKS], words[SMRF_MAX_BANKS];
    uint8_t taken[SMRF_MAX_COLLECTORS] = {0}; /* ports of each collector */
    unsigned granted = 0;
    if (a->perfect) {
        return grant_all_(a);
    }
    for (uint32_t m = a->waiting & a->write_mask; m; m &= m - 1) {
        a->waits_write += smrf_arbiter_probe_count(a, (unsigned)__builtin_ctz(m));
    }
    for (uint32_t m = a->waiting & ~a->write_mask; m;) {
        const unsigned bank = oldest_(a, m);
        const struct smrf_waiting_read *read = smrf_arbiter_entry(a, bank, 0);
        const unsigned port = port_of_(a, read->word);
        m &= ~(UINT32_C(1) << bank);
        if (a->ports && taken[port]++ >= a->ports) { /* the bank's others wait behind it */
            a->waits_port += smrf_arbiter_probe_count(a, bank);
            continue;
        }
        flights[granted] = read->flight;
        words[granted++] = read->word;
        pop_(a, bank);
    }
    close_(a);
    grant_(a, flights, words, granted);
    return granted;
}
