/* SPDX-License-Identifier: Apache-2.0 */
/* Warp scheduler of a sub-core: which of the warps that could issue goes first.
 * Warps are numbered k = 0.. within the scheduler; masks have bit k for warp k.
 * Source: Accel-Sim scheduler_unit (gto, lrr, two_level_active, warp_limiting). */
#ifndef SMRF_ISSUE_H
#define SMRF_ISSUE_H

#include "issue_params.h"

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_issue {
    uint8_t policy;       /* enum smrf_scheduler */
    uint8_t inner;        /* enum smrf_inner */
    uint8_t warps;        /* warps of this scheduler */
    uint8_t active_limit; /* two_level: size of the active list */
    uint8_t limit;        /* swl: warps that may issue */
    uint8_t last;         /* warp that issued last */
    bool any_issued;      /* false until the first issue */
    uint8_t active_count, pending_count;
    bool restart;                        /* swl: a warp has started since the last rotation */
    uint64_t waiting;                    /* swl: of the last rotation */
    uint64_t allowed;                    /* swl: warps that may issue at all */
    uint64_t active_mask;                /* two_level: warps on the active list */
    uint8_t active[SMRF_MAX_SUB_WARPS];  /* two_level: active list, first = next */
    uint8_t pending[SMRF_MAX_SUB_WARPS]; /* two_level: pending FIFO (ring from pending_head) */
    uint8_t pending_head;
    uint64_t age[SMRF_MAX_SUB_WARPS]; /* order of launch; smaller = older */
};

/* Returns 0 or SMRF_ERR_INVAL. warps: warp slots of this scheduler. */
int smrf_issue_init(struct smrf_issue *s, const struct smrf_issue_params *params, unsigned warps);

/* A warp starts in slot k; age: its order of launch in the SM. */
void smrf_issue_start(struct smrf_issue *s, unsigned k, uint64_t age);

/* two_level: demote waiting warps, promote from the head of the pending list, as far as the active
 * list has room. waiting: warps that cannot continue soon (barrier, end, operand of a long
 * operation). swl: allow the oldest warps that do not wait (barrier, fence, end), as many as the
 * limit says. Called once a cycle before the selection. Returns whether the lists changed.
 * Other policies: does nothing. Source: Accel-Sim two_level_active_scheduler and swl_scheduler,
 * order_warps. */
bool smrf_issue_rotate(struct smrf_issue *s, uint64_t waiting);

/* The same over n >= 1 cycles in which `waiting` stays and every pending warp waits (as after a
 * rotation without a warp to run). */
void smrf_issue_rotate_many(struct smrf_issue *s, uint64_t waiting, uint64_t n);

/* May a rotation bring a warp that does not wait? */
static inline bool smrf_issue_probe_restless(const struct smrf_issue *s, uint64_t waiting)
{
    uint64_t all = s->warps == 64 ? UINT64_MAX : (UINT64_C(1) << s->warps) - 1;
    return s->policy == SMRF_SCHED_TWO_LEVEL && (all & ~s->active_mask & ~waiting) != 0;
}

/* Warps that the policy lets issue at all in this cycle. */
static inline uint64_t smrf_issue_probe_allowed(const struct smrf_issue *s)
{
    if (s->policy == SMRF_SCHED_TWO_LEVEL) {
        return s->active_mask;
    }
    return s->any_issued ? s->allowed | UINT64_C(1) << s->last : s->allowed;
}

/* First warp of `ready` (not empty, allowed only) in priority order. preferred: warps that go
 * before the others, after the last issued one (0: no preference). */
unsigned smrf_issue_select(const struct smrf_issue *s, uint64_t ready, uint64_t preferred);

/* Warp k has issued. */
void smrf_issue_issued(struct smrf_issue *s, unsigned k);

#ifdef __cplusplus
}
#endif

#endif
