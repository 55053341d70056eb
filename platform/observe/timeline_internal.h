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
    uint64_t seen; /* the SM has been looked at up to here */
    int err;
};

/* Record what happens in this SM from now on. */
void smrf_timeline_listen(struct smrf_timeline *t, uint32_t sm);

#endif
