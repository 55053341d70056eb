/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of a stage where there is nothing to ask: an instruction a cycle, chosen in one order of all
 * warps, goes to the latch of its unit. So it is in the machines that most runs simulate. */
#include "head.h"

/* The next instruction of warp k issues. */
static inline void pass_(struct smrf_issue *s, unsigned k, uint64_t cycle)
{
    const struct smrf_issue_links *l = &s->links;
    const struct smrf_inst *inst = s->warp[k].head;
    const uint32_t flight = smrf_issue_record(s, k);
    const struct smrf_flight *f = &l->flights->record[flight];
    const bool needs = f->needs & SMRF_NEED_ISSUE, barrier = needs && smrf_issue_is_barrier(inst);
    smrf_scoreboard_issued(&s->own_scoreboard, k, f, s->warp[k].set);
    if (needs) {
        smrf_issue_fence(s, k, flight, inst);
    }
    smrf_issue_go_on(s, k, l->passed(l->ctx, flight, inst), cycle);
    if (barrier) {
        l->reach_barrier(l->ctx, smrf_issue_warp_of(s, k));
    }
    smrf_scheduler_issued(&s->own_scheduler, k);
    smrf_issue_latch(s, flight);
}

/* Why it finds nothing: mostly for one of two reasons. ready: as smrf_issue_ready(). */
static inline void wait_(struct smrf_issue *s, uint64_t ready)
{
    const uint64_t waits = s->has_inst & s->data & ~(s->barrier | s->membar | s->held);
    s->stall = (uint8_t)(ready   ? SMRF_STALL_unit
                         : waits ? SMRF_STALL_data
                                 : smrf_issue_stall_cause(s, 0, 0));
}

bool smrf_issue_straight(struct smrf_issue *s, uint64_t cycle)
{
    uint64_t ready = smrf_issue_ready(s), open = ready & ~s->obstructed;
    s->issued = open && s->links.flights->free_count;
    if (s->issued) {
        pass_(s, smrf_scheduler_select(&s->own_scheduler, open), cycle);
        ready = smrf_issue_ready(s);
        open = ready & ~s->obstructed;
        if (open) {
            return true;
        }
    }
    wait_(s, ready);
    if (!open) {
        smrf_issue_sleep(s);
    }
    return s->issued;
}
