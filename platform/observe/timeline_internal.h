/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder of a timeline. */
#ifndef SMRF_TIMELINE_INTERNAL_H
#define SMRF_TIMELINE_INTERNAL_H

#include "timeline.h"

#include "models/sm/sm.h"

#define NO_EVENT SIZE_MAX
#define NO_PC UINT32_MAX

#define MOST_IDS (UINT32_C(1) << 22) /* of requests; those of the load/store unit are dense */

/* A request under way, by its number. */
struct pending {
    uint64_t start, end, address;
    uint8_t kind;
    bool requested, answered;
};

struct smrf_timeline_state {
    struct smrf_listener listener;
    const struct smrf_machine *machine;
    const struct smrf_sm *sm; /* that it listens to */
    size_t room, text_room;
    size_t warp[SMRF_MAX_WARPS]; /* open event of the slot */
    size_t collector[SMRF_MAX_SUBCORES][SMRF_MAX_COLLECTING];
    uint32_t held[SMRF_MAX_SUBCORES][SMRF_MAX_COLLECTING]; /* flight of that event */
    uint64_t issued[SMRF_MAX_WARPS / 64];                  /* slots, in the present cycle */
    struct pending *pending;
    size_t num_pending;
    const char *last_text; /* found last, and its index */
    uint32_t last_index;
    size_t kernel;
    uint32_t windows; /* its sub-cores, if they have read stages; otherwise 0 */
    uint64_t seen;    /* the SM has been looked at up to here */
    int err;
};

static inline const struct smrf_flight *smrf_timeline_record(const struct smrf_timeline *t,
                                                             uint32_t flight)
{
    return &smrf_sm_flights(t->state->sm)->record[flight];
}

static inline uint64_t smrf_timeline_now(const struct smrf_timeline *t)
{
    return *smrf_sm_clock(t->state->sm);
}

/* --- timeline.c --- */

/* Does a cycle lie in the window? */
bool smrf_timeline_inside(const struct smrf_timeline *t, uint64_t cycle);
/* Returns its index, NO_EVENT: out of memory. */
size_t smrf_timeline_add(struct smrf_timeline *t, const struct smrf_timeline_event *e);
/* Of an instruction in flight, for one cycle. */
struct smrf_timeline_event smrf_timeline_event_of(struct smrf_timeline *t,
                                                  enum smrf_timeline_kind kind,
                                                  const struct smrf_flight *f, uint64_t cycle);

/* --- timeline_banks.c --- */

/* A listener's `arbitrated`. */
void smrf_timeline_arbitrated(void *ctx, unsigned sub, const struct smrf_arbitration *before);
/* What read stages read in the cycle after this one. */
void smrf_timeline_look_at_reads(struct smrf_timeline *t, uint64_t cycle);

/* Record what happens in this SM from now on. */
void smrf_timeline_listen(struct smrf_timeline *t, uint32_t sm);

#endif
