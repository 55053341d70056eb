/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of an SM's instructions: which of its collectors and arbiters are stepped in a
 * cycle, in which order, and whether anybody looks at what passes between them. */
#include "sm_state.h"

#include "models/common/smrf_apart.h"

#include <string.h>

/* --- anybody may look ------------------------------------------------------------------------- */

/* A step of an arbiter into which somebody looks. */
static SMRF_APART void arbitrate_watched_(const struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_watch *w = sm->watch;
    struct smrf_arbiter *a = sm->sub[sub].blocks.arbiter;
    struct smrf_arbitration before;
    before.write_mask = a->write_mask;
    for (unsigned b = 0; b < a->num_banks; b++) {
        before.count[b] = (uint16_t)smrf_arbiter_probe_count(a, b);
        before.head[b] = a->fifo[b].head;
    }
    smrf_arbiter_step(a);
    w->arbitrated(w->ctx, sm, sub, &before);
}

/* A step of a sub-core's arbiter that counts. */
static inline void arbitrate_counted_(const struct smrf_subcore_blocks *b, uint64_t now)
{
    smrf_collectors_served(b->collectors, smrf_arbiter_step_counted(b->arbiter), now);
}

/* A step of a sub-core's arbiter. */
static void arbitrate_(const struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_subcore_blocks *b = &sm->sub[sub].blocks;
    if (!b->arbiter->counted) {
        if (sm->watch && sm->watch->arbitrated) {
            arbitrate_watched_(sm, sub);
        } else {
            smrf_arbiter_step(b->arbiter);
        }
    } else if (smrf_arbiter_probe_waits(b->arbiter)) {
        arbitrate_counted_(b, sm->cycle);
    } else {
        smrf_arbiter_free_banks(b->arbiter);
    }
}

/* A step of a sub-core's collectors. Returns whether anything moved. */
static bool collect_sub_(struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_subcore_blocks *b = &sm->sub[sub].blocks;
    bool moved = false;
    if (sm->collecting.going >> sub & 1 && smrf_collectors_dispatch(b->collectors)) {
        smrf_entry_freed(&sm->entry, sub);
        moved = true;
    }
    if (smrf_arbiter_probe_busy(b->arbiter)) {
        arbitrate_(sm, sub);
        moved = true;
    }
    return moved;
}

/* A cycle of what reads operands in the collectors' place. Returns whether anything moved. */
static bool read_sub_(struct smrf_sm *sm, unsigned sub)
{
    const struct smrf_reading *r = &sm->sub[sub].blocks.reading;
    return r->ops->step(r->state, sm->cycle);
}

/* Sub-cores with something to read or to dispatch, or with a bank's port taken. */
static uint32_t busy_(struct smrf_sm *sm)
{
    const uint32_t written = sm->links.writeback->written;
    sm->links.writeback->written = 0;
    return sm->collecting.going | sm->asked | written | sm->reading;
}

/* The steps of a cycle. */
static SMRF_APART void collect_any_(struct smrf_sm *sm)
{
    for (uint32_t step = sm->steps; step; step--) {
        for (uint32_t m = busy_(sm); m; m &= m - 1) {
            const unsigned sub = (unsigned)__builtin_ctz(m);
            sm->progress |= sm->reading >> sub & 1 ? read_sub_(sm, sub) : collect_sub_(sm, sub);
        }
        if (smrf_entry_probe(&sm->entry)) {
            sm->progress |= smrf_entry_step(&sm->entry);
        }
    }
}

/* --- nobody looks: what passes between the blocks passes here, straight ----------------------- */

/* Collectors of a sub-core dispatch, as many as a step may. Returns whether more is free to go. */
static inline bool dispatch_(struct smrf_sm *sm, unsigned sub)
{
    struct smrf_collectors *c = sm->sub[sub].blocks.collectors;
    struct smrf_collectors_leaving leaving = smrf_collectors_begin(c);
    const uint64_t now = sm->cycle;
    uint32_t left = c->dispatches, unit;
    while (left && (unit = smrf_collectors_pop(c, &leaving, now)) != SMRF_NO_COLLECTOR) {
        smrf_units_latch(sm->links.units, sub, c->wanted[unit], c->unit[unit].flight, now);
        left--;
    }
    if (left < c->dispatches) {
        smrf_entry_freed(&sm->entry, sub);
        sm->progress = true;
    }
    sm->collecting.held |= (uint32_t)(c->ready_mask != 0) << sub;
    return smrf_collectors_probe_more(c, &leaving);
}

/* .. of all that have something that may be free to go. */
static inline void dispatch_all_(struct smrf_sm *sm)
{
    const uint32_t going = sm->collecting.going;
    uint32_t more = 0;
    sm->collecting.held &= ~going;
    for (uint32_t m = going; m; m &= m - 1) {
        const unsigned sub = (unsigned)__builtin_ctz(m);
        more |= (uint32_t)dispatch_(sm, sub) << sub;
    }
    sm->collecting.going = more;
}

/* Arbiters of which reads wait make a step, those of the cycle's first with the ports that
 * write-back has taken: others have no use for them. */
static inline void arbitrate_all_(struct smrf_sm *sm)
{
    struct smrf_writeback *w = sm->links.writeback;
    for (uint32_t m = sm->asked; m; m &= m - 1) {
        const unsigned sub = (unsigned)__builtin_ctz(m);
        const struct smrf_subcore_blocks *b = &sm->sub[sub].blocks;
        smrf_arbiter_set_written(b->arbiter, w->taken[sub]);
        arbitrate_counted_(b, sm->cycle);
    }
    memset(w->taken, 0, sizeof w->taken);
}

/* Is there anything to read, to dispatch or to let in? */
static inline bool collects_(const struct smrf_sm *sm)
{
    return (sm->asked | sm->collecting.going | sm->entry.open) != 0;
}

/* The steps of a cycle. Results have taken their ports before them. */
static inline void collect_counted_(struct smrf_sm *sm)
{
    uint32_t step = sm->steps;
    sm->progress |= (sm->asked | sm->links.writeback->written) != 0;
    sm->links.writeback->written = 0;
    do {
        if (sm->collecting.going) {
            dispatch_all_(sm);
        }
        arbitrate_all_(sm);
        if (smrf_entry_probe(&sm->entry)) {
            sm->progress |= smrf_entry_step(&sm->entry);
        }
    } while (--step && collects_(sm));
}

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Each step dispatches what was ready before it, then reads, then fills free collectors from the
 * issue latches. Source: Accel-Sim opndcoll_rfu_t::step; Malekeh (long) II. */
void smrf_sm_collect(struct smrf_sm *sm)
{
    if (sm->entry.counted) {
        collect_counted_(sm);
    } else {
        collect_any_(sm);
    }
}

uint64_t smrf_sm_operands_next(const struct smrf_sm *sm)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t m = sm->collecting.going | sm->asked | sm->reading; m; m &= m - 1) {
        const struct smrf_subcore_blocks *b = &sm->sub[__builtin_ctz(m)].blocks;
        const uint64_t at = b->reading.ops ? b->reading.ops->next(b->reading.state, sm->cycle)
                                           : smrf_collectors_probe_next(b->collectors, sm->cycle);
        next = at < next ? at : next;
    }
    return next;
}

/* --- is anything seen? ------------------------------------------------------------------------ */

void smrf_sm_settle_reads(const struct smrf_sm *sm)
{
    for (unsigned s = 0; s < sm->subs; s++) {
        if (sm->sub[s].blocks.arbiter->unseen) {
            smrf_arbiter_settle(sm->sub[s].blocks.arbiter);
        }
    }
}

/* The records of what is in flight, and of what issues from now on, are whole. */
void smrf_sm_look_at_sources(const struct smrf_sm *sm)
{
    struct smrf_flights *flights = sm->links.flights;
    const bool any = flights->free_count < SMRF_FLIGHTS;
    uint64_t used[SMRF_FLIGHTS / 64];
    if (any) {
        smrf_flights_used(flights, used);
    }
    for (uint32_t flight = 0; any && flight < SMRF_FLIGHTS; flight++) {
        struct smrf_flight *f = &flights->record[flight];
        if (used[flight / 64] >> (flight % 64) & 1) {
            smrf_issue_fill_in(sm->sub[f->sub].blocks.issue, f);
        }
    }
    for (unsigned s = 0; s < sm->subs; s++) {
        smrf_issue_look_away(sm->sub[s].blocks.issue, false);
    }
}

/* What the collectors of a sub-core hold. */
static void show_held_(const struct smrf_subcore_blocks *b)
{
    struct smrf_collectors *c = b->collectors;
    for (uint32_t m = smrf_collectors_all(c) & ~c->free_mask; m; m &= m - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(m);
        const struct smrf_flight *f = &c->flights->record[c->unit[slot].flight];
        smrf_collectors_show(c, slot, smrf_demands_probe_left(&b->arbiter->demands, slot, f));
    }
}

void smrf_sm_look(struct smrf_sm *sm)
{
    smrf_sm_look_at_sources(sm);
    sm->entry.counted = sm->links.units->unheard = false;
    smrf_writeback_look(sm->links.writeback);
    for (unsigned s = 0; s < sm->subs; s++) {
        const struct smrf_subcore_blocks *b = &sm->sub[s].blocks;
        if (b->arbiter->counted) {
            show_held_(b);
        }
        b->collectors->unseen = false;
        smrf_arbiter_look(b->arbiter, sm->links.flights);
    }
}

static void look_away_from_writes_(const struct smrf_sm *sm)
{
    struct smrf_write_ports ports[SMRF_MAX_SUBCORES] = {0};
    for (unsigned s = 0; s < sm->subs; s++) {
        const struct smrf_subcore_blocks *b = &sm->sub[s].blocks;
        ports[s] = (struct smrf_write_ports){b->arbiter->demands.one, b->bank};
    }
    smrf_writeback_look_away(sm->links.writeback, ports);
}

void smrf_sm_look_away(struct smrf_sm *sm)
{
    smrf_sm_look(sm);
    sm->entry.counted = !sm->reading;
    for (unsigned s = 0; s < sm->subs; s++) {
        const struct smrf_subcore_blocks *b = &sm->sub[s].blocks;
        if (smrf_collectors_probe_unseen(b->collectors) && !(sm->watch && sm->watch->arbitrated)) {
            b->collectors->unseen = true;
            smrf_arbiter_look_away(b->arbiter);
        }
        sm->entry.counted &= b->arbiter->counted;
    }
    sm->links.units->unheard = sm->entry.counted;
    if (sm->entry.counted) {
        look_away_from_writes_(sm);
    }
    for (unsigned s = 0; s < sm->subs; s++) {
        smrf_issue_look_away(sm->sub[s].blocks.issue, sm->entry.counted && !sm->heard_end);
    }
}
