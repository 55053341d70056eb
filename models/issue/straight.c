/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of a stage where there is nothing to ask: an instruction a cycle, chosen in one order of
 * all warps, goes to the latch of its unit. So it is in the machines that most runs simulate. */
#include "head.h"
#include "record.h"

/* The places of its destinations: mostly there is one, or none, and the first is written in any
 * case. */
static inline void place_destinations_(const struct smrf_issue *s, const struct smrf_issue_warp *w,
                                       struct smrf_flight *f, const struct smrf_reg_set *set)
{
    const unsigned shift = s->banks_shift, base = w->base;
    const unsigned first = w->turned >> (6 - shift); /* bank of its register 0 */
    f->dst[0] = smrf_issue_even_place(shift, base, first, set->dst[0]);
    for (unsigned i = 1; i < set->num_dst; i++) {
        f->dst[i] = smrf_issue_even_place(shift, base, first, set->dst[i]);
    }
}

/* The record of the head of warp k: a flight. Mostly nobody looks at it. */
static inline uint32_t record_(struct smrf_issue *s, unsigned k, const struct smrf_inst *inst,
                               const struct smrf_reg_set *set)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    if (!s->unseen || &inst->op->set != set || set->highest >= w->backed) {
        return smrf_issue_record(s, k);
    }
    const uint32_t flight = smrf_flights_take(s->links.flights);
    struct smrf_flight *f = &s->links.flights->record[flight];
    smrf_issue_begin(s, k, f, inst, set);
    f->reads = smrf_issue_turned_reads(set->reads, w->turned);
    place_destinations_(s, w, f, set);
    smrf_issue_count(&s->stats, inst, set->num_src, set->num_dst);
    if (set->needs & SMRF_NEED_MEMORY) {
        smrf_issue_keep_addresses(s, k, flight, inst);
    }
    return flight;
}

/* The next instruction of warp k issues. */
static inline void pass_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_links *l = &s->links;
    const struct smrf_inst *inst = s->warp[k].head;
    const struct smrf_reg_set *set = s->warp[k].set;
    const unsigned unit = s->warp[k].head_unit;
    const bool fence = set->needs & SMRF_NEED_FENCE, barrier = fence && smrf_issue_is_barrier(inst);
    const uint32_t flight = record_(s, k, inst, set);
    smrf_scoreboard_issued(&s->own_scoreboard, k, &l->flights->record[flight], set);
    smrf_scheduler_issued(&s->own_scheduler, k);
    smrf_issue_latch(s, unit, flight);
    if (fence) {
        smrf_issue_fence(s, k, flight, inst);
    }
    smrf_issue_go_on(s, k, l->passed(l->ctx, flight, inst), cycle);
    if (barrier) {
        l->reach_barrier(l->ctx, smrf_issue_warp_of(s, k));
    }
}

/* Warps that results alone may hold back: nothing but results and fences hinders a head here. */
static inline uint64_t able_(const struct smrf_issue *s)
{
    return s->has_inst & ~(s->stands | s->membar);
}

/* The same as rest_(), whatever the cause; seldom it is none of two, or ends by time. */
static SMRF_APART void rest_otherwise_(struct smrf_issue *s, uint64_t ready, uint64_t open)
{
    if (!open) {
        s->stall = (uint8_t)smrf_issue_stall_cause(s, ready, ready);
        smrf_issue_sleep(s);
    }
}

/* It sleeps if it finds nothing more, and says why: as often as not, so that nothing branches. */
static inline void rest_(struct smrf_issue *s)
{
    const uint64_t able = able_(s), ready = able & ~s->data, open = ready & ~s->obstructed;
    /* All bits if there is none. Spelled out: of a comparison the compiler would make a branch. */
    const uint64_t none = ((open | (0 - open)) >> 63) - 1;
    if (!able || smrf_issue_probe_timed(s)) {
        rest_otherwise_(s, ready, open);
        return;
    }
    const uint64_t stall = smrf_select(ready != 0, SMRF_STALL_unit, SMRF_STALL_data);
    s->stall = (uint8_t)((s->stall & ~none) | (stall & none));
    s->asleep_until |= none;
    *s->stirred &= ~(s->sub_bit & (uint32_t)none);
}

bool smrf_issue_straight(struct smrf_issue *s, uint64_t cycle)
{
    const uint64_t open = able_(s) & ~(s->data | s->obstructed);
    s->issued = open && s->links.flights->free_count;
    if (s->issued) {
        pass_(s, smrf_scheduler_select(&s->own_scheduler, open), cycle);
    } else if (open) { /* as many are in flight as can be */
        s->stall = SMRF_STALL_unit;
        return false;
    }
    rest_(s);
    return s->issued;
}
