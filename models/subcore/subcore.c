/* SPDX-License-Identifier: Apache-2.0 */
#include "subcore_internal.h"

#include "models/common/smrf_apart.h"

#include <string.h>

/* All issue stages are awake. */
static void wake_all_(struct smrf_subcores *s)
{
    s->last_issue = 0;
    s->active = 0;
    s->turns = 0;
    s->wake_at = SMRF_NEVER;
    s->awake = (UINT32_C(1) << s->count) - 1;
    memset(s->counted, 0, sizeof s->counted);
}

static void connect_entry_(struct smrf_subcores *s, const struct smrf_rf_params *rf)
{
    struct smrf_entry *e = &s->entry;
    e->wires = s->links.wires;
    e->flights = s->links.flights;
    e->allocation = s->links.mechanism->allocation;
    e->mechanism_state = s->links.mechanism_state;
    e->in_ports = rf->in_ports;
    e->oldest_first = rf->oldest_first;
    e->room_decides = rf->oldest_first && !e->allocation && !s->reading;
    for (unsigned sub = 0; sub < s->count; sub++) {
        const struct smrf_subcore_blocks *b = &s->sub[sub];
        e->sub[sub] = (struct smrf_entry_sub){b->issue, b->collectors, b->reading};
    }
}

/* Status that blocks write and the sub-cores' steps go by. */
static void connect_status_(struct smrf_subcores *s)
{
    for (unsigned sub = 0; sub < s->count; sub++) {
        const struct smrf_subcore_blocks *b = &s->sub[sub];
        b->collectors->status = &s->collecting;
        b->collectors->latches_full = &s->links.units->full;
        b->collectors->first_latch = (uint8_t)smrf_units_latch_of(sub, 0);
        b->arbiter->requested = &s->requested;
    }
}

int smrf_subcores_init(struct smrf_subcores *s, const struct smrf_sm_params *sm,
                       const struct smrf_issue_params *issue, const struct smrf_rf_params *rf,
                       const struct smrf_subcore_blocks *blocks,
                       const struct smrf_subcores_links *links)
{
    const uint32_t count = sm->subcores;
    if (count == 0 || count & (count - 1)) {
        return SMRF_ERR_INVAL;
    }
    s->links = *links;
    s->count = count;
    s->shift = (uint32_t)__builtin_ctz(count);
    s->steps = rf->steps;
    s->reading = 0;
    for (unsigned sub = 0; sub < count; sub++) {
        const bool reads = blocks[sub].reading.ops != NULL;
        s->sub[sub] = blocks[sub];
        if (reads && (issue->latches == (blocks[sub].reading.free != NULL) || rf->steps != 1)) {
            return SMRF_ERR_INVAL; /* what it reads waits in the latches or with it, once a cycle */
        }
        if (blocks[sub].reading.free && smrf_mechanism_needs_collectors(links->mechanism)) {
            return SMRF_ERR_INVAL;
        }
        if (reads && links->mechanism->memory && !blocks[sub].reading.ops->merge) {
            return SMRF_ERR_INVAL;
        }
        s->reading |= (uint32_t)reads << sub;
    }
    connect_entry_(s, rf);
    connect_status_(s);
    smrf_subcores_connect_issue(s, smrf_readers_size(sm, rf));
    wake_all_(s);
    return SMRF_OK;
}

static void reset_sub_(const struct smrf_subcore_blocks *b)
{
    smrf_issue_reset(b->issue);
    smrf_collectors_reset(b->collectors);
    smrf_arbiter_reset(b->arbiter);
    smrf_xbar_reset(b->xbar);
    if (b->reading.ops) {
        b->reading.ops->reset(b->reading.state);
    }
    for (unsigned bank = 0; bank < b->xbar->banks; bank++) {
        smrf_bank_reset(b->bank[bank]);
    }
}

void smrf_subcores_reset(struct smrf_subcores *s)
{
    for (unsigned sub = 0; sub < s->count; sub++) {
        reset_sub_(&s->sub[sub]);
    }
    smrf_entry_reset(&s->entry);
    wake_all_(s);
}

/* --- operand collection ----------------------------------------------------------------------- */

/* A step of an arbiter that has a listener. */
static SMRF_APART void arbitrate_observed_(const struct smrf_subcores *s, unsigned sub)
{
    struct smrf_arbiter *a = s->sub[sub].arbiter;
    struct smrf_arbitration before;
    before.write_mask = a->write_mask;
    for (unsigned b = 0; b < a->num_banks; b++) {
        before.count[b] = (uint16_t)smrf_arbiter_probe_count(a, b);
        before.head[b] = a->bank[b].head;
    }
    smrf_arbiter_step(a);
    SMRF_CALL_LISTENERS(s->links.hooks, arbitrated, sub, &before);
}

/* A step of a sub-core's collectors. Returns whether anything moved. */
static inline bool collect_sub_(struct smrf_subcores *s, unsigned sub)
{
    const struct smrf_subcore_blocks *b = &s->sub[sub];
    bool moved = false;
    if (s->collecting.going >> sub & 1 && smrf_collectors_dispatch(b->collectors)) {
        smrf_entry_freed(&s->entry, sub);
        moved = true;
    }
    if (smrf_arbiter_probe_busy(b->arbiter)) {
        if (SMRF_HOOKED(s->links.hooks, arbitrated)) {
            arbitrate_observed_(s, sub);
        } else {
            smrf_arbiter_step(b->arbiter);
        }
        moved = true;
    }
    return moved;
}

/* An issue stage that slept counts its cycles, the active ones before `until`, before it is
 * stepped. */
static inline void settle_(struct smrf_subcores *s, unsigned sub, uint64_t until)
{
    if (s->counted[sub] < until) {
        smrf_issue_skip(s->sub[sub].issue, until - s->counted[sub]);
        s->counted[sub] = until;
    }
}

/* The same of what reads operands in their place. */
static SMRF_APART bool read_sub_(struct smrf_subcores *s, unsigned sub, uint64_t cycle)
{
    const struct smrf_reading *r = &s->sub[sub].reading;
    const bool moved = r->ops->step(r->state, cycle);
    struct smrf_issue *issue = s->sub[sub].issue;
    if (r->free && *r->free) {
        smrf_issue_collector_freed(issue);
    } else if (r->free && smrf_issue_probe_no_way(issue)) {
        const uint8_t cause = *r->queued & 1 ? SMRF_STALL_queue : SMRF_STALL_port;
        if (issue->stall != cause) { /* as a step of the stage would find it from now on */
            settle_(s, sub, s->active);
            issue->stall = cause;
        }
    }
    return moved;
}

/* Sub-cores with something to read or to dispatch, or with a bank taken by a write. */
static inline uint32_t busy_(struct smrf_subcores *s)
{
    const uint32_t written = s->links.writeback->written;
    s->links.writeback->written = 0;
    return s->collecting.going | s->requested | written | s->reading;
}

bool smrf_subcores_collect(struct smrf_subcores *s, uint64_t cycle)
{
    bool moved = false;
    for (uint32_t step = s->steps; step; step--) {
        for (uint32_t m = busy_(s); m; m &= m - 1) {
            const unsigned sub = (unsigned)__builtin_ctz(m);
            moved |= s->reading >> sub & 1 ? read_sub_(s, sub, cycle) : collect_sub_(s, sub);
        }
        if (smrf_entry_probe(&s->entry)) {
            moved |= smrf_entry_step(&s->entry);
        }
    }
    return moved;
}

/* --- issue ------------------------------------------------------------------------------------ */

void smrf_subcores_settle(struct smrf_subcores *s)
{
    for (unsigned sub = 0; sub < s->count; sub++) {
        settle_(s, sub, s->active);
    }
}

bool smrf_subcores_settle_lists(struct smrf_subcores *s, unsigned warp)
{
    const unsigned sub = smrf_subcores_of(s, warp);
    const unsigned turn = (sub - (unsigned)s->active) & (s->count - 1);
    const uint64_t until = s->active + (turn < s->turns); /* it has slept through this one */
    settle_(s, sub, until);
    smrf_issue_settle_lists(s->sub[sub].issue);
    return s->awake >> sub & 1;
}

/* Wakes stages whose time is up and notes the earliest time of the others. */
static SMRF_APART void wake_(struct smrf_subcores *s, uint64_t cycle)
{
    s->wake_at = SMRF_NEVER;
    for (unsigned sub = 0; sub < s->count; sub++) {
        const uint64_t until = s->sub[sub].issue->asleep_until;
        if (until <= cycle) {
            s->awake |= UINT32_C(1) << sub;
        } else if (!(s->awake >> sub & 1) && until < s->wake_at) {
            s->wake_at = until;
        }
    }
}

/* Returns whether anything moved. */
static inline bool issue_sub_(struct smrf_subcores *s, unsigned sub, uint64_t cycle)
{
    struct smrf_issue *issue = s->sub[sub].issue;
    settle_(s, sub, s->active);
    s->counted[sub] = s->active + 1;
    const uint32_t before = issue->latch_full;
    const bool moved = smrf_issue_step(issue, cycle);
    if (issue->issued) {
        s->last_issue = cycle;
        for (uint32_t m = issue->latch_full & ~(before | issue->reserved); m; m &= m - 1) {
            smrf_entry_latched(&s->entry, sub, (unsigned)__builtin_ctz(m));
        }
    }
    if (smrf_issue_probe_timed(issue) && !(s->awake >> sub & 1) &&
        issue->asleep_until < s->wake_at) {
        s->wake_at = issue->asleep_until;
    }
    return moved;
}

/* The sub-cores take turns at being the first. A stage may wake others, which then have a turn,
 * too. */
bool smrf_subcores_issue(struct smrf_subcores *s, uint64_t cycle)
{
    const unsigned last = s->count - 1, first = (unsigned)s->active & last;
    uint32_t left =
        UINT32_MAX >> (31 - last); /* bit n: the n-th from the first, its turn may come */
    bool moved = false;
    if (s->wake_at <= cycle) {
        wake_(s, cycle);
    }
    for (;;) {
        const uint64_t go = s->awake; /* twice, so that it can be rotated */
        const uint32_t turns = (uint32_t)((go | go << s->count) >> first) & left;
        if (!turns) {
            s->turns = 0;
            return moved;
        }
        const unsigned turn = (unsigned)__builtin_ctz(turns);
        s->turns = turn + 1;
        left &= UINT32_MAX << turn << 1;
        moved |= issue_sub_(s, (first + turn) & last, cycle);
    }
}

/* --- what is next ----------------------------------------------------------------------------- */

static inline uint64_t earlier_(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t smrf_subcores_next(struct smrf_subcores *s, uint64_t cycle)
{
    uint64_t next = SMRF_NEVER;
    for (uint32_t m = s->collecting.going | s->requested | s->reading; m; m &= m - 1) {
        const struct smrf_subcore_blocks *b = &s->sub[__builtin_ctz(m)];
        next = earlier_(next, b->reading.ops ? b->reading.ops->next(b->reading.state, cycle)
                                             : smrf_collectors_probe_next(b->collectors, cycle));
    }
    if (s->wake_at != SMRF_NEVER) {
        wake_(s, cycle);
        next = earlier_(next, s->wake_at);
    }
    for (uint32_t m = s->awake; m; m &= m - 1) {
        next = earlier_(next, smrf_issue_next(s->sub[__builtin_ctz(m)].issue));
    }
    return next;
}

/* --- questions -------------------------------------------------------------------------------- */

int smrf_subcores_read_register(const struct smrf_subcores *s, unsigned warp, unsigned reg,
                                uint32_t *data)
{
    const struct smrf_subcore_blocks *b = &s->sub[smrf_subcores_of(s, warp)];
    const struct smrf_register_place at =
        smrf_issue_probe_place(b->issue, smrf_subcores_k_of(s, warp), reg);
    struct smrf_bank_row scratch;
    const struct smrf_bank_row *row = smrf_bank_probe(b->bank[at.bank], at.row, &scratch);
    if (!row) {
        return SMRF_ERR_UNKNOWN;
    }
    memcpy(data, row->lane, SMRF_WARP_REG_BYTES);
    return SMRF_OK;
}
