/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the view `scoreboard`: the map, the L2's tags, the parameters and the counters are
 * those of memory.h, but it has no cycles. Each packet is followed once: an SM's input, the links,
 * slices and DRAM channels (dram_estimate.h) have a time from which they are free, and serve what
 * comes in the order of its arrival. So the view shows contention, and requests that wait behind
 * others of their SM. A request by itself takes as long as in memory.h, but for a cycle or two of
 * each clock. Left out: limits of MSHRs and of queues behind the network's inputs. */
#ifndef SMRF_MEMORY_ESTIMATE_H
#define SMRF_MEMORY_ESTIMATE_H

#include "models/memory/calendar.h"
#include "models/memory/dram_estimate.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_memory;

/* Sectors of a slice that have been asked for last, by the lowest bits of their numbers. */
#define SMRF_MEMORY_RECENT 128

struct smrf_recent_sector {
    uint64_t sector, there; /* from this cycle on */
};

struct SMRF_LINE_ALIGNED smrf_slice_times {
    uint64_t link;   /* the network takes another request for it from here on */
    uint64_t access; /* it makes another access */
    uint64_t reply;  /* it sends another reply of what it has */
    uint64_t latest; /* the last of the sectors on their way is there */
    struct smrf_recent_sector recent[SMRF_MEMORY_RECENT];
};

struct smrf_sm_times {
    uint64_t sends;               /* its next request enters the network from here on */
    uint64_t receives;            /* it takes its next reply */
    struct smrf_packets requests; /* that have not entered */
    struct smrf_packets replies;  /* that wait for it */
};

struct smrf_memory_estimate {
    uint32_t words;            /* of 64 SMs */
    struct smrf_wheel entries; /* SMs whose first request enters */
    struct smrf_sm_times *sm;
    struct smrf_slice_times *slice;
    struct smrf_calendar *replies;
    uint64_t waiting[SMRF_WHEEL_MAX_WORDS]; /* SMs with a reply that waits */
    uint64_t until;                         /* replies have been carried out up to here */
    struct smrf_dram_estimate dram;
};

size_t smrf_memory_estimate_bytes(const struct smrf_memory_config *cfg);
/* Lay out `storage`; m's L2 and DRAM have been initialised. */
void smrf_memory_estimate_init(struct smrf_memory *m, void *storage);
void smrf_memory_estimate_reset(struct smrf_memory *m);

/* An SM's requests, linked: they enter the network behind its earlier ones. */
void smrf_memory_estimate_append(struct smrf_memory *m, uint32_t sm, struct smrf_packets more);
/* Requests that enter before `now`, and replies up to then and m->delay further. */
void smrf_memory_estimate_advance(struct smrf_memory *m, uint64_t now);
/* First cycle with a request that enters, and with a reply; SMRF_NEVER. */
uint64_t smrf_memory_estimate_enters(const struct smrf_memory *m);
uint64_t smrf_memory_estimate_replies(const struct smrf_memory *m);

#ifdef __cplusplus
}
#endif

#endif
