/* SPDX-License-Identifier: Apache-2.0 */
/* Loads whose registers are put together from others: they wait until these are there, and for a
 * collector unit that reads the two parts of each destination, and for the unit that shifts and
 * joins them.
 * Source: LARF 3 (w-merge slot, mapping controller). */
#ifndef SMRF_MERGE_H
#define SMRF_MERGE_H

#include "models/common/smrf_err.h"
#include "models/flight/flight.h"
#include "models/seam/memory_seam.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_MERGES 64 /* most merges of an SM from their verdict to their collector */

/* A merge that has not been collected. waits: a part of it is still being loaded. */
struct smrf_waiting_merge {
    uint32_t flight;
    uint8_t collector;
    bool waits;
    uint64_t from; /* cycle from which it may be */
};

struct smrf_merges {
    const struct smrf_wires *wires;
    struct smrf_flights *flights;
    uint32_t count;
    struct smrf_waiting_merge queue[SMRF_MERGES];      /* the oldest first */
    struct smrf_merge_part (*part)[SMRF_MERGE_DST][2]; /* [SMRF_FLIGHTS], the SM's */
};

void smrf_merges_init(struct smrf_merges *m, struct smrf_flights *flights,
                      const struct smrf_wires *wires);
void smrf_merges_reset(struct smrf_merges *m);

static inline bool smrf_merges_room(const struct smrf_merges *m)
{
    return m->count < SMRF_MERGES;
}

/* The flight is a merge from here on: its sources are the parts. It may be collected in cycle
 * `from`, or later if it must wait. Precondition: room. */
void smrf_merges_add(struct smrf_merges *m, uint32_t flight,
                     const struct smrf_memory_answer *answer, uint64_t from);

/* What a merge waited for has arrived: it may be collected in this cycle. */
void smrf_merges_release(struct smrf_merges *m, uint32_t flight, uint64_t from);

/* Merges that need not wait enter their collectors, the oldest first, while collectors are free.
 * Returns whether any has. */
bool smrf_merges_step(struct smrf_merges *m, uint64_t cycle);

/* First cycle from this one on in which one may that could not before; SMRF_NEVER: those that there
 * are wait for their parts, or for a collector. */
uint64_t smrf_merges_next(const struct smrf_merges *m, uint64_t cycle);

/* Source i of a merge arrives: [32]. */
void smrf_merges_take(struct smrf_merges *m, uint32_t flight, unsigned i, const uint32_t *data);

/* Destination i of a merge whose parts have been collected: to[32]. Lanes that no part gives are
 * 0. */
void smrf_merges_value(const struct smrf_merges *m, uint32_t flight, unsigned i, uint32_t *to);

#ifdef __cplusplus
}
#endif

#endif
