/* SPDX-License-Identifier: Apache-2.0 */
#include "collector.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"

#include <string.h>

int smrf_collectors_init(struct smrf_collectors *c, struct smrf_collectors_store *store,
                         const struct smrf_rf_params *rf, unsigned sub,
                         struct smrf_flights *flights, const struct smrf_wires *wires)
{
    if (rf->collectors == 0 || smrf_collector_slots(rf) > SMRF_MAX_COLLECTING) {
        return SMRF_ERR_INVAL;
    }
    c->latches = store->latches;
    c->wires = wires;
    c->flights = flights;
    c->sub = sub;
    c->own_status = (struct smrf_collectors_status){0};
    c->status = &c->own_status;
    c->latches_full = &c->units_full;
    c->first_latch = 0;
    c->count = smrf_collector_slots(rf);
    c->dispatches = rf->dispatch;
    c->pick = (uint8_t)rf->collector_pick;
    c->order = (uint8_t)rf->dispatch_order;
    c->reports_reads = true;
    smrf_collectors_reset(c);
    return SMRF_OK;
}

void smrf_collectors_reset(struct smrf_collectors *c)
{
    c->free_mask = smrf_collectors_all(c);
    c->ready_mask = 0;
    c->units_full = 0;
    c->status->going &= ~(UINT32_C(1) << c->sub);
    c->status->blocked &= ~(UINT32_C(1) << c->sub);
    c->sums = (struct smrf_collector_sums){0};
    c->stats = (struct smrf_collector_stats){0};
    for (unsigned u = 0; u < c->count; u++) {
        c->unit[u].flight = SMRF_NO_FLIGHT;
        c->unit[u].missing = 0;
        c->wanted[u] = 0;
    }
    memset(c->going_to, 0, sizeof c->going_to);
    c->going_to[0] = smrf_collectors_all(c);
}

struct smrf_collector_stats smrf_collectors_statistics(const struct smrf_collectors *c)
{
    struct smrf_collector_stats stats = c->stats;
    uint64_t entered = c->sums.entered, there = c->sums.there; /* of those that have left */
    for (uint32_t m = smrf_collectors_all(c) & ~c->free_mask; m; m &= m - 1) {
        entered -= c->unit[__builtin_ctz(m)].entered;
    }
    for (uint32_t m = c->ready_mask; m; m &= m - 1) {
        there -= c->unit[__builtin_ctz(m)].ready_at;
    }
    stats.collector_busy = c->sums.left - entered;
    stats.collector_reading = there - entered;
    stats.collector_ready = c->sums.left - there;
    return stats;
}

/* --- entry ----------------------------------------------------------------------------------- */

/* A source whose lanes go on into destinations leaves with its instruction. */
static void carry_(const struct smrf_collectors *c, uint32_t flight, unsigned i,
                   const uint32_t *data)
{
    const struct smrf_flight *f = &c->flights->record[flight];
    for (uint32_t m = f->carries; m; m &= m - 1) {
        const unsigned d = (unsigned)__builtin_ctz(m);
        if (f->carry[d] == i) {
            memcpy(c->flights->carried[flight][d], data, SMRF_WARP_REG_BYTES);
        }
    }
}

/* Does anything outside of the collectors take the values of an instruction's operands? */
static inline bool takes_values_(const struct smrf_collectors *c, uint32_t flight)
{
    return *c->wires->values || (c->wires->operations && c->flights->record[flight].micro);
}

/* Sources of an instruction are in the latches of its unit. */
static void take_operands_(const struct smrf_collectors *c, unsigned unit, uint32_t sources,
                           bool cached)
{
    const uint32_t flight = c->unit[unit].flight;
    const struct smrf_operand_latches *l = &c->latches[unit];
    c->wires->operands(c->wires->ctx, flight, sources, l, cached);
    if (!*c->wires->values || !c->flights->record[flight].carries) {
        return;
    }
    for (uint32_t m = sources; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        carry_(c, flight, i, l->data[i]);
    }
}

/* Sources of an instruction have been read, or need not be: their registers may be overwritten. */
static inline void report_(const struct smrf_collectors *c, unsigned unit, uint32_t sources)
{
    if (c->reports_reads && c->wanted[unit] != SMRF_UNIT_MERGE) {
        c->wires->collected(c->wires->ctx, c->unit[unit].flight, sources);
    }
}

/* An instruction is in its unit, and requests the sources that are missing. */
static inline void request_(struct smrf_collectors *c, unsigned unit, uint32_t flight,
                            uint32_t missing)
{
    const struct smrf_register_place *at = c->flights->record[flight].src;
    uint32_t words[SMRF_MAX_SRC];
    unsigned count = 0;
    for (uint32_t m = missing; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        words[count++] = smrf_read_word(at[i], unit, i);
    }
    if (count) {
        c->wires->request(c->wires->ctx, c->sub, unit, flight, words, count);
    }
}

/* It takes a free unit, once the operand cache has said which of `all` sources it does not have. */
static SMRF_APART void enter_cached_(struct smrf_collectors *c, unsigned unit, uint32_t flight,
                                     uint32_t all)
{
    struct smrf_operand_latches *l = &c->latches[unit];
    struct smrf_flight *f = &c->flights->record[flight];
    f->collector = (uint8_t)unit;
    const uint32_t missing =
        c->wires->enter(c->wires->ctx, c->sub, unit, flight, l->data, l->version);
    smrf_collectors_take(c, unit, flight, f, missing);
    if (missing != all) {
        c->stats.cache_hits += smrf_count_bits(all & ~missing);
        if (takes_values_(c, flight)) {
            take_operands_(c, unit, all & ~missing, true);
        }
        report_(c, unit, all & ~missing);
    }
    request_(c, unit, flight, missing);
}

void smrf_collectors_enter(struct smrf_collectors *c, unsigned unit, uint32_t flight)
{
    struct smrf_flight *f = &c->flights->record[flight];
    const uint32_t all = smrf_collectors_sources(f);
    if (c->wires->cached && f->unit != SMRF_UNIT_MERGE) {
        enter_cached_(c, unit, flight, all);
        return;
    }
    smrf_collectors_take(c, unit, flight, f, all);
    request_(c, unit, flight, all);
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
    return nth_bit_(free_mask, smrf_rng_below(rng, smrf_count_bits(free_mask)));
}

/* --- arrival --------------------------------------------------------------------------------- */

/* Sources arrive from their banks: the merge unit, the operand cache and the checker take them. */
static SMRF_APART void deliver_(struct smrf_collectors *c, unsigned unit, uint32_t sources)
{
    const struct smrf_operand_latches *l = &c->latches[unit];
    const struct smrf_wires *w = c->wires;
    const uint32_t flight = c->unit[unit].flight;
    const bool merge = c->wanted[unit] == SMRF_UNIT_MERGE;
    if (merge) { /* its result is checked when it is read */
        c->stats.part_reads += smrf_count_bits(sources);
    }
    for (uint32_t m = merge || w->cached ? sources : 0; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        if (merge) {
            w->part(w->ctx, c->sub, flight, i, l->data[i]);
        } else {
            w->source(w->ctx, c->sub, unit, flight, i, l->data[i], l->version[i]);
        }
    }
    if (!merge && takes_values_(c, flight)) {
        take_operands_(c, unit, sources, false);
    }
}

/* delivers: something besides the unit itself takes its operands. */
static inline bool granted_(struct smrf_collectors *c, uint32_t flight, const uint32_t *words,
                            unsigned count, const bool delivers)
{
    const unsigned unit = smrf_read_collector(words[0]);
    struct smrf_collector_unit *u = &c->unit[unit];
    uint32_t sources = 0, others = 0;
    for (unsigned i = 0; i < count; i++) {
        sources |= UINT32_C(1) << smrf_read_source(words[i]);
        others |= smrf_read_collector(words[i]) ^ unit;
    }
    if (others || unit >= c->count || u->flight != flight || sources & ~u->missing) {
        return false;
    }
    const uint32_t delay = c->wires->read(c->wires->ctx, c->sub, unit, words, count,
                                          delivers && *c->wires->values ? &c->latches[unit] : NULL);
    c->stats.bank_reads += count;
    const bool merge = c->wires->mapped && c->wanted[unit] == SMRF_UNIT_MERGE;
    if (delivers && (c->wires->cached || merge || takes_values_(c, flight))) {
        deliver_(c, unit, sources);
    }
    report_(c, unit, sources);
    const uint64_t there = *c->wires->cycle + delay;
    u->ready_at = there > u->ready_at ? there : u->ready_at;
    smrf_collectors_arrive(c, unit, sources);
    return true;
}

bool smrf_collectors_granted(struct smrf_collectors *c, uint32_t flight, const uint32_t *words,
                             unsigned count)
{
    const struct smrf_wires *w = c->wires;
    const bool delivers = w->cached | w->mapped | w->operations | *w->values;
    return delivers ? granted_(c, flight, words, count, true)
                    : granted_(c, flight, words, count, false);
}

/* --- dispatch -------------------------------------------------------------------------------- */

unsigned smrf_collectors_oldest(const struct smrf_collectors *c, uint32_t candidates)
{
    unsigned best = (unsigned)__builtin_ctz(candidates);
    for (uint32_t m = candidates & (candidates - 1); m; m &= m - 1) {
        unsigned u = (unsigned)__builtin_ctz(m);
        if (c->unit[u].uid < c->unit[best].uid) {
            best = u;
        }
    }
    return best;
}

bool smrf_collectors_dispatch(struct smrf_collectors *c)
{
    const uint64_t now = *c->wires->cycle;
    struct smrf_collectors_leaving leaving = smrf_collectors_begin(c);
    uint32_t dispatched = 0, unit;
    while (dispatched < c->dispatches &&
           (unit = smrf_collectors_pop(c, &leaving, now)) != SMRF_NO_COLLECTOR) {
        const uint32_t flight = c->unit[unit].flight;
        c->units_full |= UINT64_C(1) << c->wanted[unit];
        c->wires->dispatch(c->wires->ctx, c->sub, flight);
        if (c->wires->cached && c->wanted[unit] != SMRF_UNIT_MERGE) {
            c->wires->leave(c->wires->ctx, c->sub, unit, flight);
        }
        dispatched++;
    }
    smrf_collectors_end(c, &leaving);
    return dispatched != 0;
}

uint64_t smrf_collectors_probe_next(const struct smrf_collectors *c, uint64_t cycle)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t m = c->ready_mask; m; m &= m - 1) {
        const uint64_t at = c->unit[__builtin_ctz(m)].ready_at;
        /* What was ready before waits for its latch, which something else must free. */
        next = at >= cycle && at < next ? at : next;
    }
    return next;
}
