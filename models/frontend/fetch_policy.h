/* SPDX-License-Identifier: Apache-2.0 */
/* Fetch policy of an SM: which instruction buffers are filled, and when. The front end reaches it
 * through a table of functions only, so that another can take its place. */
#ifndef SMRF_FETCH_POLICY_H
#define SMRF_FETCH_POLICY_H

#include "models/common/smrf_turn.h"
#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_fetch_ops {
    /* As before the first fetch. */
    void (*reset)(void *p);
    /* Does a warp that has instructions to come ask for them, now that an instruction has left
     * `filled` in its buffer? A warp with an empty buffer always does. NULL: no other. */
    bool (*wants)(const void *p, unsigned warp, unsigned filled);
    /* The next warp whose buffer is filled, or that is over and exits: one of `need` (bit w: warp
     * slot w; not empty). */
    unsigned (*next)(void *p, uint64_t need);
};

/* Round robin over the warps whose buffer is empty. Source: Accel-Sim shader_core_ctx::fetch. */
struct smrf_fetch_round {
    uint32_t last;
};
extern const struct smrf_fetch_ops smrf_fetch_round_ops;
/* The same over the warps whose buffer has room. */
extern const struct smrf_fetch_ops smrf_fetch_early_ops;

/* Its next: the first warp behind the last, and round. */
static inline unsigned smrf_fetch_round_next(struct smrf_fetch_round *r, uint64_t need)
{
    r->last = smrf_turn_first(need, r->last + 1);
    return r->last;
}

#ifdef __cplusplus
}
#endif

#endif
