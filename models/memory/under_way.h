/* SPDX-License-Identifier: Apache-2.0 */
/* What a place has under way that holds a number of things, each up to a cycle that is known when
 * it comes. They end in any order. */
#ifndef SMRF_MEMORY_UNDER_WAY_H
#define SMRF_MEMORY_UNDER_WAY_H

#include "models/common/smrf_types.h"

#define SMRF_UNDER_WAY_MOST 192u

struct smrf_under_way {
    uint32_t next;                       /* of the ring below, that is used next */
    uint64_t until[SMRF_UNDER_WAY_MOST]; /* its first `most` */
};

/* Of `most` things. Returns the first cycle, not before `cycle`, with room for another one. */
static inline uint64_t smrf_under_way_room(struct smrf_under_way *u, uint32_t most, uint64_t cycle)
{
    uint64_t *first = &u->until[u->next];
    const uint64_t last = *first;

    if (last <= cycle) {
        return cycle;
    }
    for (uint32_t i = 0; i < most; i++) { /* the one that ends first comes to the place */
        first = u->until[i] < *first ? &u->until[i] : first;
    }
    u->until[u->next] = *first;
    *first = last;
    return u->until[u->next] > cycle ? u->until[u->next] : cycle;
}

/* Another one from `cycle` on, up to `until`. There is room. */
static inline void smrf_under_way_note(struct smrf_under_way *u, uint32_t most, uint64_t cycle,
                                       uint64_t until)
{
    (void)smrf_under_way_room(u, most, cycle);
    u->until[u->next] = until;
    u->next = u->next + 1 < most ? u->next + 1 : 0;
}

#endif
