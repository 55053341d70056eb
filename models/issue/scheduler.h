/* SPDX-License-Identifier: Apache-2.0 */
/* Warp scheduler of a sub-core: which of the warps that could issue goes first.
 * Warps are numbered k = 0.. within the scheduler; masks have bit k for warp k. The issue stage
 * reaches its scheduler through a table of functions only, so that another can take its place.
 * Source: Accel-Sim scheduler_unit (gto, lrr, two_level_active, warp_limiting); Huerta MICRO 2025
 * (cggty). */
#ifndef SMRF_SCHEDULER_H
#define SMRF_SCHEDULER_H

#include "issue_params.h"

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the issue stage knows of its warps when it asks for an order. */
struct smrf_scheduler_view {
    uint64_t waiting; /* at a barrier or a fence, or without an instruction to come */
    uint64_t long_op; /* an operand of the next instruction comes from memory */
};

/* Listeners to the moves between a scheduler's lists. */
struct smrf_scheduler_events {
    void *ctx;
    bool (*demote)(void *ctx, unsigned k);  /* may warp k leave the active list? */
    void (*promote)(void *ctx, unsigned k); /* warp k has joined it */
    /* Do moves of these warps change nothing but their places? Then those of cycles that the stage
     * sleeps through are made at once, when the stage wakes or `settle` is called. */
    bool (*move_freely)(void *ctx, uint64_t warps);
};

struct smrf_scheduler_ops {
    /* As after init. */
    void (*reset)(void *s);
    /* A warp starts in slot k; age: its order of launch in the SM. */
    void (*start)(void *s, unsigned k, uint64_t age);
    /* Once a cycle before the selection. Returns whether the next cycle may order differently
     * though nothing else happens. NULL: nothing to do. */
    bool (*order)(void *s, const struct smrf_scheduler_view *view);
    /* What order does in n >= 1 cycles in which the view stays and order has returned false. NULL:
     * nothing. */
    void (*skip)(void *s, const struct smrf_scheduler_view *view, uint64_t n);
    /* Warps that may issue at all in this cycle. NULL: all. */
    uint64_t (*allowed)(const void *s);
    /* First warp of `ready` (not empty, allowed only) in priority order. preferred: warps that go
     * before the others, after the last issued one (0: no preference). */
    unsigned (*select)(const void *s, uint64_t ready, uint64_t preferred);
    /* Warp k has issued. */
    void (*issued)(void *s, unsigned k);
    /* Sets the listener to changes of the lists. NULL: there are no lists. */
    void (*listen)(void *s, const struct smrf_scheduler_events *events);
    /* Makes the moves of the cycles that `skip` has counted. Returns whether the lists turn: then
     * the listener may depend on them from now on, and the stage must not sleep on. NULL: there are
     * no lists. */
    bool (*settle)(void *s);
};

/* State of the policies of enum smrf_sched. */
struct smrf_scheduler {
    const struct smrf_issue_params *params;
    uint8_t warps; /* warps of this scheduler */
    /* the order of ready warps: */
    bool greedy;        /* the warp that issued last goes first */
    bool by_age;        /* then the oldest; otherwise the one behind the last that issued */
    bool in_list_order; /* the order of the active list instead */
    uint8_t last;       /* warp that issued last */
    bool any_issued;    /* false until the first issue */
    /* order of launch; smaller = older; cggty: counted down, so that the youngest is smallest */
    uint64_t age[SMRF_MAX_SUB_WARPS];
    uint64_t waiting; /* swl: of the last order; two_level: in the cycles that are owed */
    /* swl: */
    uint8_t limit;    /* warps that may issue */
    bool restart;     /* a warp has started since the last order */
    uint64_t allowed; /* warps that may issue at all */
    /* two_level: */
    struct smrf_scheduler_events events; /* functions NULL: no listener */
    uint64_t owed;                       /* rotations of skipped cycles, not yet made */
    bool turning;                        /* waiting warps change places, and nothing else happens */
    uint64_t active_mask;                /* warps on the active list */
    uint8_t active_limit;                /* size of the active list */
    uint8_t active_count, pending_count;
    uint8_t pending_head;
    uint8_t first;                       /* position in `active` where the list begins */
    uint8_t active[SMRF_MAX_SUB_WARPS];  /* active list, a ring of active_count */
    uint8_t pending[SMRF_MAX_SUB_WARPS]; /* pending FIFO (ring from pending_head) */
};

/* The table of the configured policy; its functions take a struct smrf_scheduler. */
const struct smrf_scheduler_ops *smrf_scheduler_policy(const struct smrf_issue_params *params);

/* Returns 0 or SMRF_ERR_INVAL. params is kept; warps: warp slots of this scheduler. */
int smrf_scheduler_init(struct smrf_scheduler *s, const struct smrf_issue_params *params,
                        unsigned warps);
/* As after init; the listener stays. */
void smrf_scheduler_reset(struct smrf_scheduler *s);

/* --- what its tables offer, for the stage whose own it is ------------------------------------- */

/* two_level, inner lrr: the first warp of `ready` on the active list, whose order is round robin:
 * it begins behind the warp that issued last. */
unsigned smrf_scheduler_first_active(const struct smrf_scheduler *s, uint64_t ready);
/* The active list begins after warp k from now on. */
void smrf_scheduler_begin_behind(struct smrf_scheduler *s, unsigned k);

/* Oldest warp of a mask that is not empty. */
static inline unsigned smrf_scheduler_oldest(const struct smrf_scheduler *s, uint64_t mask)
{
    unsigned best = (unsigned)__builtin_ctzll(mask);
    for (uint64_t m = mask & (mask - 1); m; m &= m - 1) {
        const unsigned k = (unsigned)__builtin_ctzll(m);
        best = s->age[k] < s->age[best] ? k : best;
    }
    return best;
}

/* The first warp of a mask that is not empty, from the one behind the last that issued on. */
static inline unsigned smrf_scheduler_next(const struct smrf_scheduler *s, uint64_t mask)
{
    const uint64_t behind = mask & (UINT64_MAX << s->last) << 1;
    return (unsigned)__builtin_ctzll(behind ? behind : mask);
}

/* As `select` of the tables. */
static inline unsigned smrf_scheduler_select(const struct smrf_scheduler *s, uint64_t ready,
                                             uint64_t preferred)
{
    if (s->in_list_order) {
        return smrf_scheduler_first_active(s, ready);
    }
    if (s->greedy && s->any_issued && ready >> s->last & 1) {
        return s->last;
    }
    const uint64_t among = ready & preferred ? ready & preferred : ready;
    return s->by_age ? smrf_scheduler_oldest(s, among) : smrf_scheduler_next(s, among);
}

/* As their `issued`. */
static inline void smrf_scheduler_issued(struct smrf_scheduler *s, unsigned k)
{
    s->last = (uint8_t)k;
    s->any_issued = true;
    if (s->in_list_order) {
        smrf_scheduler_begin_behind(s, k);
    }
}

#ifdef __cplusplus
}
#endif

#endif
