/* SPDX-License-Identifier: Apache-2.0 */
#include "warp_state.h"

#include "issue_internal.h"

/* What could issue, and has no way into the read stages. */
static enum smrf_warp_state before_window_(const struct smrf_issue *s, uint64_t bit)
{
    return s->latch_busy & bit    ? SMRF_WARP_unit
           : *s->links.queued & 1 ? SMRF_WARP_queue
                                  : SMRF_WARP_port;
}

static enum smrf_warp_state state_of_(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_issue_warp *w = &s->warp[k];
    const uint64_t bit = UINT64_C(1) << k;
    return !(s->resident & bit)                   ? SMRF_WARP_STATE_COUNT
           : !w->head && s->ended & bit           ? SMRF_WARP_drain
           : !w->head                             ? SMRF_WARP_fetch
           : (s->barrier | s->leaving) & bit      ? SMRF_WARP_barrier
           : w->membar || w->atomics              ? SMRF_WARP_membar
           : s->refill & bit                      ? SMRF_WARP_fetch
           : s->constant & bit                    ? SMRF_WARP_constant
           : s->held & bit                        ? SMRF_WARP_blocked
           : s->count & bit                       ? SMRF_WARP_count
           : s->counter & bit                     ? SMRF_WARP_counter
           : smrf_issue_probe_long(s) & bit       ? SMRF_WARP_memory
           : s->data & bit                        ? SMRF_WARP_data
           : s->war & bit                         ? SMRF_WARP_war
           : s->rename & bit                      ? SMRF_WARP_rename
           : !(smrf_issue_probe_allowed(s) & bit) ? SMRF_WARP_inactive
           : s->issued                            ? SMRF_WARP_unselected
           : s->cfg.issue.latches                 ? SMRF_WARP_unit
           : s->reads_window                      ? before_window_(s, bit)
           : s->stall == SMRF_STALL_withheld      ? SMRF_WARP_withheld
                                                  : SMRF_WARP_collector;
}

struct smrf_warp_look smrf_issue_probe_warp(const struct smrf_issue *s, unsigned k)
{
    const struct smrf_inst *head = s->warp[k].head;
    return (struct smrf_warp_look){state_of_(s, k), head ? head->op : NULL,
                                   head == &s->store->micro[k].inst};
}

const char *smrf_warp_state_name(enum smrf_warp_state state)
{
    static const char *const name[] = {
#define NAME(name, meaning) #name,
        SMRF_WARP_STATES(NAME)
#undef NAME
    };
    return state < SMRF_WARP_STATE_COUNT ? name[state] : "";
}

const struct smrf_control_stats *smrf_issue_control_stats(const struct smrf_issue *s)
{
    return s->parts.dependence == &s->store->control ? &s->store->control.stats : NULL;
}

const struct smrf_early_read *smrf_issue_early_read(const struct smrf_issue *s)
{
    const struct smrf_control_stats *stats = smrf_issue_control_stats(s);
    return stats && stats->early_reads ? &s->store->control.first : NULL;
}

unsigned smrf_issue_probe_culprit(const struct smrf_issue *s, unsigned k, enum smrf_hazard hazard)
{
    const struct smrf_operands next = smrf_issue_next_operands(s, k);
    return s->parts.dependence_ops->culprit(s->parts.dependence, k, &next, hazard);
}
