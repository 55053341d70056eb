/* SPDX-License-Identifier: Apache-2.0 */
#include "collector.h"

#include "models/common/smrf_apart.h"
#include "models/common/smrf_assert.h"
#include "models/common/smrf_bits.h"

#include <string.h>

int smrf_collectors_init(struct smrf_collectors *c, const struct smrf_rf_params *rf, unsigned sub,
                         struct smrf_flights *flights, const struct smrf_wires *wires)
{
    if (rf->collectors == 0 || smrf_collector_slots(rf) > SMRF_MAX_COLLECTING) {
        return SMRF_ERR_INVAL;
    }
    c->wires = wires;
    c->flights = flights;
    c->sub = sub;
    c->count = smrf_collector_slots(rf);
    c->dispatches = rf->dispatch;
    c->pick = (uint8_t)rf->collector_pick;
    c->order = (uint8_t)rf->dispatch_order;
    c->unheard = false;
    smrf_collectors_reset(c);
    return SMRF_OK;
}

void smrf_collectors_reset(struct smrf_collectors *c)
{
    c->free_mask = smrf_collectors_all(c);
    c->ready_mask = 0;
    c->units_full = 0;
    c->held_back = 0;
    memset(c->bound_for, 0, sizeof c->bound_for);
    c->stats = (struct smrf_collector_stats){0};
    for (unsigned u = 0; u < c->count; u++) {
        c->unit[u].flight = SMRF_NO_FLIGHT;
        c->unit[u].missing = 0;
        c->unit[u].wanted = 0;
    }
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

/* Source i of an instruction, which is in the latch of its unit. */
static void take_operand_(const struct smrf_collectors *c, unsigned unit, uint32_t flight,
                          unsigned i, bool cached)
{
    if (*c->wires->values) {
        const struct smrf_operand_latches *l = &c->latches[unit];
        c->wires->check(c->wires->ctx, flight, i, l->data[i], l->version[i], cached);
        carry_(c, flight, i, l->data[i]);
    }
    if (!c->unheard) {
        c->wires->collected(c->wires->ctx, flight, i);
    }
}

/* Those of the sources in `all` that the operand cache does not have. */
static uint32_t look_up_(struct smrf_collectors *c, unsigned unit, uint32_t flight)
{
    struct smrf_operand_latches *l = &c->latches[unit];
    return c->wires->enter(c->wires->ctx, c->sub, unit, flight, l->data, l->version);
}

static SMRF_APART void take_hits_(struct smrf_collectors *c, unsigned unit, uint32_t flight,
                                  uint32_t hits)
{
    for (uint32_t m = hits; m; m &= m - 1) {
        c->stats.cache_hits++;
        take_operand_(c, unit, flight, (unsigned)__builtin_ctz(m), true);
    }
}

void smrf_collectors_enter(struct smrf_collectors *c, unsigned unit, uint32_t flight)
{
    struct smrf_flight *f = &c->flights->record[flight];
    const uint32_t all = (uint32_t)((UINT64_C(1) << f->num_src) - 1);
    struct smrf_read reads[SMRF_MAX_SRC];
    unsigned count = 0;

    f->collector = (uint8_t)unit;
    const bool cached = c->wires->cached && f->unit != SMRF_UNIT_MERGE;
    const uint32_t missing = cached ? look_up_(c, unit, flight) : all;
    smrf_collectors_occupy(c, unit, flight, f->uid, missing, *c->wires->cycle);
    c->unit[unit].wanted = f->unit;
    c->bound_for[f->unit] |= UINT32_C(1) << unit;
    c->held_back |= (c->units_full >> f->unit & 1) << unit;
    if (missing != all) {
        take_hits_(c, unit, flight, all & ~missing);
    }
    for (uint32_t m = missing; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        reads[count++] = smrf_read_of(flight, f->src[i], unit, i);
    }
    if (count) {
        c->wires->request(c->wires->ctx, c->sub, unit, reads, count);
    }
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

unsigned smrf_collectors_pick(const struct smrf_collectors *c, struct smrf_rng *rng)
{
    return smrf_collectors_choose(c->free_mask, c->pick, rng);
}

void smrf_collectors_occupy(struct smrf_collectors *c, unsigned unit, uint32_t flight, uint64_t uid,
                            uint32_t missing, uint64_t cycle)
{
    struct smrf_collector_unit *u = &c->unit[unit];
    SMRF_ASSERT(c->free_mask >> unit & 1);
    c->free_mask &= ~(UINT32_C(1) << unit);
    u->flight = flight;
    u->uid = uid;
    u->missing = missing;
    u->entered = cycle;
    u->ready_at = cycle;
    if (missing == 0) {
        c->ready_mask |= UINT32_C(1) << unit;
    }
}

/* --- arrival --------------------------------------------------------------------------------- */

bool smrf_collectors_probe_waits(const struct smrf_collectors *c, const struct smrf_read *read)
{
    const unsigned unit = smrf_read_collector(read);
    return unit < c->count && c->unit[unit].flight == read->flight &&
           c->unit[unit].missing >> smrf_read_source(read) & 1;
}

/* Those who have a use for it hear of source i, which has come from its bank. */
static SMRF_APART void tell_read_(struct smrf_collectors *c, unsigned unit, unsigned i)
{
    const struct smrf_collector_unit *u = &c->unit[unit];
    const struct smrf_operand_latches *l = &c->latches[unit];
    if (u->wanted == SMRF_UNIT_MERGE) { /* what comes of it is checked when it is read */
        c->stats.part_reads++;
        c->wires->part(c->wires->ctx, c->sub, u->flight, i, l->data[i]);
    } else {
        if (c->wires->cached) {
            c->wires->source(c->wires->ctx, c->sub, unit, u->flight, i, l->data[i], l->version[i]);
        }
        take_operand_(c, unit, u->flight, i, false);
    }
}

void smrf_collectors_granted(struct smrf_collectors *c, const struct smrf_read *read)
{
    const unsigned unit = smrf_read_collector(read), i = smrf_read_source(read);
    struct smrf_collector_unit *u = &c->unit[unit];
    struct smrf_operand_latches *l = &c->latches[unit];
    SMRF_ASSERT(smrf_collectors_probe_waits(c, read));
    const uint32_t delay =
        c->wires->read(c->wires->ctx, c->sub, read, l->data[i], &l->version[i]);
    const uint64_t there = *c->wires->cycle + delay;
    u->ready_at = there > u->ready_at ? there : u->ready_at;
    c->stats.bank_reads++;
    if (c->wires->cached || *c->wires->values || !c->unheard || u->wanted == SMRF_UNIT_MERGE) {
        tell_read_(c, unit, i);
    }
    smrf_collectors_arrive(c, unit, i);
}

/* --- dispatch -------------------------------------------------------------------------------- */

unsigned smrf_collectors_next(const struct smrf_collectors *c, uint32_t candidates)
{
    unsigned best = (unsigned)__builtin_ctz(candidates);
    if (c->order == SMRF_ORDER_INDEX) {
        return best;
    }
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
    uint32_t candidates = smrf_collectors_probe_free_to_go(c);
    unsigned dispatched = 0;
    while (candidates && dispatched < c->dispatches) {
        const unsigned unit = smrf_collectors_next(c, candidates);
        const struct smrf_collector_unit *u = &c->unit[unit];
        const unsigned execution_unit = u->wanted;
        candidates &= ~(UINT32_C(1) << unit);
        if (u->ready_at > now) {
            continue;
        }
        c->stats.collector_busy += now - u->entered;
        c->stats.collector_reading += u->ready_at - u->entered;
        c->stats.collector_ready += now - u->ready_at;
        c->units_full |= UINT32_C(1) << execution_unit;
        c->held_back |= c->bound_for[execution_unit];
        candidates &= ~c->bound_for[execution_unit];
        c->wires->dispatch(c->wires->ctx, c->sub, u->flight);
        if (c->wires->cached && execution_unit != SMRF_UNIT_MERGE) {
            c->wires->leave(c->wires->ctx, c->sub, unit, u->flight);
        }
        smrf_collectors_release(c, unit);
        dispatched++;
    }
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
