/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the view `scoreboard`: the map, the L2's tags, the parameters and the counters are
 * those of memory.h, but it has no cycles. Each packet is followed once, from an SM's input over
 * the link of its slice, the slice and a DRAM channel (dram_estimate.h) back to the link of its SM:
 * all have a time from which they are free. Links of slices take the SMs that ask in turn, as
 * noc.h; everything else serves what comes in the order of its arrival. So the view shows
 * contention, packets that wait behind others of their SM or slice, and a full slice that holds up
 * its SMs. A slice waits, whatever comes next, while it has too much under way to DRAM, or one more
 * request for a sector than an MSHR merges. Left out: other limits of queues, and turns between
 * slices at an SM's link. A request by itself takes as long as in memory.h, but for a cycle or two
 * of each clock. */
#ifndef SMRF_MEMORY_ESTIMATE_H
#define SMRF_MEMORY_ESTIMATE_H

#include "models/memory/calendar.h"
#include "models/memory/dram_estimate.h"
#include "models/memory/l2.h"
#include "models/memory/under_way.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_memory;

/* Sectors of a slice that have been asked for last, by the lowest bits of their numbers. */
#define SMRF_MEMORY_RECENT 128

/* Requests that wait at a slice, at which its link takes no further one (l2.h). */
#define SMRF_MEMORY_WAITING (SMRF_L2_OUTSIDE + SMRF_L2_DOOR)

struct smrf_recent_sector {
    uint64_t sector, there; /* from this cycle on */
    uint32_t merged;        /* requests that wait for it */
};

struct SMRF_LINE_ALIGNED smrf_slice_times {
    uint64_t link;                       /* the network takes another request for it from here on */
    uint32_t served;                     /* SM whose request was taken last */
    uint64_t asks[SMRF_WHEEL_MAX_WORDS]; /* bit of an SM: its first request asks for the link */
    uint64_t access;                     /* it makes another access */
    uint64_t reply;                      /* it answers from what it has */
    uint64_t leaves;                     /* another reply leaves it */
    uint32_t waiting;            /* requests that the link has taken, and that wait for an access */
    struct smrf_packets taken;   /* these */
    struct smrf_packets replies; /* that wait to leave */
    uint64_t latest;             /* the last of the sectors on their way is there */
    struct smrf_under_way under_way; /* sectors and lines from and to DRAM */
    struct smrf_recent_sector recent[SMRF_MEMORY_RECENT];
};

struct smrf_sm_times {
    uint64_t sends;               /* its next request enters the network from here on */
    uint64_t receives;            /* its link takes another reply */
    struct smrf_packets requests; /* that have not entered */
};

/* Replies by the cycle in which they are ready, and in which they have left for their SMs. */
struct smrf_reply_calendars {
    struct smrf_calendar ready, left;
};

struct smrf_memory_estimate {
    uint32_t words;            /* of 64 SMs */
    uint32_t slice_words;      /* of 64 slices */
    uint32_t most;             /* that a slice has under way to DRAM */
    struct smrf_wheel entries; /* SMs whose first request enters */
    struct smrf_wheel links;   /* slices whose link takes a request that waits */
    struct smrf_wheel exits;   /* slices whose first reply leaves */
    struct smrf_sm_times *sm;
    struct smrf_slice_times *slice;
    struct smrf_reply_calendars *calendar;
    uint64_t until; /* replies have been carried out up to here */
    struct smrf_dram_estimate dram;
};

size_t smrf_memory_estimate_bytes(const struct smrf_memory_config *cfg);
/* Lay out `storage`; m's L2 and DRAM have been initialised, and a reset follows. */
void smrf_memory_estimate_init(struct smrf_memory *m, void *storage);
void smrf_memory_estimate_reset(struct smrf_memory *m);

/* An SM's requests, linked: they enter the network behind its earlier ones. */
void smrf_memory_estimate_append(struct smrf_memory *m, uint32_t sm, struct smrf_packets more);
/* Requests that enter before `now`, and replies up to then and m->delay further. */
void smrf_memory_estimate_advance(struct smrf_memory *m, uint64_t now);
/* slice_estimate.c: first cycle, not before `cycle`, in which a slice makes another access, and has
 * room for what a miss has under way. */
uint64_t smrf_slice_estimate_free(struct smrf_memory *m, uint32_t s, uint64_t cycle);
/* Packet p uses its slice, which is free in `cycle`, and is answered when its reply is ready. */
void smrf_slice_estimate_use(struct smrf_memory *m, uint32_t p, uint64_t cycle);
/* First cycle with a request that enters, and with a reply; SMRF_NEVER. */
uint64_t smrf_memory_estimate_enters(const struct smrf_memory *m);
uint64_t smrf_memory_estimate_replies(const struct smrf_memory *m);

#ifdef __cplusplus
}
#endif

#endif
