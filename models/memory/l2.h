/* SPDX-License-Identifier: Apache-2.0 */
/* L2 slices (memory sub-partitions). A request reaches its slice noc.latency + l2.latency after it
 * left the request network and waits in order. A slice makes one access in a cycle. Sectored,
 * write-back, allocate on write without a fetch: only the read of a sector that was written in part
 * fetches it (Accel-Sim: lazy fetch on read). What hits is answered in the next cycle; a read that
 * misses takes an MSHR and a sector from DRAM, further reads of the sector merge. A slice takes one
 * sector from DRAM in a cycle, and from the next one on answers those that wait for it, one in a
 * cycle. A write that replaces a dirty line occupies the slice for a cycle a dirty sector. An
 * access that finds no MSHR, no mergeable place, no replaceable line or no room in the queue to
 * DRAM holds the slice until there is. Replies queue, too: one goes to the network in a cycle, and
 * while SMRF_L2_REPLIES wait the slice neither answers nor makes an access. A slice whose requests
 * queue before its tags lets no further ones in, and what enters later comes up to the tags later.
 * Source: Accel-Sim memory_sub_partition::cache_cycle, baseline_cache. */
#ifndef SMRF_MEMORY_L2_H
#define SMRF_MEMORY_L2_H

#include "models/cache/cache.h"
#include "models/cache/mshr.h"
#include "models/common/smrf_aligned.h"
#include "models/memory/dram.h"
#include "models/memory/memory.h"
#include "models/memory/noc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Replies of a slice that wait for the network: Accel-Sim's gpgpu_dram_partition_queues. */
#define SMRF_L2_REPLIES 64u

/* Most requests of a slice that may wait at the tags while it lets further ones in: Accel-Sim's
 * gpgpu_dram_partition_queues, less room for the four sectors of a line. */
#define SMRF_L2_DOOR 61u

/* Limit of requests that have left the network and wait to enter a slice: Accel-Sim's
 * icnt_out_buffer_limit. At the limit the network delivers no further request for the slice.
 * Requests behind it in an SM's queue wait too, whichever slice they go to. */
#define SMRF_L2_OUTSIDE 512u

/* Where requests enter a slice (l2_door.c). */
struct smrf_l2_door {
    uint64_t next;     /* first cycle in which the next one may */
    uint64_t accessed; /* first cycle behind the last access */
    uint64_t known;    /* cycles before this one have their bit in */
    uint64_t *shut;    /* bit of a cycle: the entry was closed */
    uint64_t
        *entered; /* bit of a cycle, up to `next`: a request entered; this ring is twice as long */
    uint32_t outside; /* first request that has not entered, SMRF_NOC_NONE: none */
    uint32_t waiting; /* from that one on */
    uint32_t inside;  /* those that have, and were not accessed */
    uint32_t gate;    /* of these the one SMRF_L2_DOOR behind the oldest, SMRF_NOC_NONE: fewer */
};

/* A line that words are added to, and the first cycle in which the next ones may be. */
struct smrf_l2_adding {
    uint64_t line, until;
};

#define SMRF_L2_ADDING 16 /* of them in a slice, placed by the lowest bits of a line's number */

/* Why a slice makes no access although a request has arrived. */
enum smrf_l2_hold {
    SMRF_L2_HOLD_NONE,
    SMRF_L2_HOLD_MSHR,
    SMRF_L2_HOLD_MERGE,
    SMRF_L2_HOLD_SET,
    SMRF_L2_HOLD_WRITES,
    SMRF_L2_HOLDS
};

struct SMRF_LINE_ALIGNED smrf_l2_slice {
    uint64_t line;       /* whose set is known, a number */
    uint32_t set;        /* its set */
    uint32_t hold;       /* enum smrf_l2_hold */
    uint64_t held_since; /* cycle since when it is held */
    uint64_t free;       /* first cycle for the next access */
    uint64_t filled;     /* first cycle for the next sector from DRAM */
    uint64_t answer;     /* first cycle for the next answer of the MSHRs, if one is ready */
    uint64_t replied;    /* when the last of the replies goes to the network */
    uint32_t leaving;    /* replies that the network has not switched yet */
    uint32_t head, tail; /* requests, in order of arrival */
    uint32_t atomics;    /* that wait in MSHRs */
    struct smrf_cache cache;
    struct smrf_mshr mshr;
    struct smrf_l2_adding adding[SMRF_L2_ADDING];
};

struct smrf_l2_stats {
    uint64_t accesses[3], hits[3], merges[3]; /* by enum smrf_mem_kind; the rest are misses */
    uint64_t evictions, write_backs, fills, warm_lines;
    uint64_t held_cycles[SMRF_L2_HOLDS], reply_full_cycles, door_cycles;
};

struct smrf_l2 {
    const struct smrf_memory_config *cfg;
    const struct smrf_map *map;
    struct smrf_packet *packet;
    struct smrf_noc *reply;
    struct smrf_dram *dram;
    struct smrf_l2_slice *slice;
    struct smrf_l2_door *door; /* [l2.slices] */
    uint32_t door_words;       /* of a door's ring, a power of two */
    uint32_t within;           /* cycles from the door to the tags */
    uint64_t until;            /* slices and channels are simulated up to here */
    uint64_t *access; /* [l2.slices] when a slice tries its next access, SMRF_NEVER: it has none, or
                         is held */
    uint64_t *next;   /* [dram.channels] first cycle in which a channel or one of its slices does
                         something */
    uint32_t *held;   /* slices of a channel that are held */
    uint64_t last;    /* the last cycle in which one did something */
    struct smrf_l2_stats stats;
};

size_t smrf_l2_bytes(const struct smrf_memory_config *cfg);

/* Lay out `storage` (smrf_l2_bytes, kept); the others are where requests and replies wait. */
void smrf_l2_init(struct smrf_l2 *l, void *storage, const struct smrf_memory_config *cfg,
                  const struct smrf_map *map, struct smrf_noc *reply, struct smrf_dram *dram);
void smrf_l2_reset(struct smrf_l2 *l);

/* Packet p has set out for its slice: it arrives in the cycle in which it is ready, not before its
 * predecessor there. */
void smrf_l2_push(struct smrf_l2 *l, uint32_t p);

/* Requests that wait outside a slice in `cycle`, after the one that may enter in it. Slices are
 * simulated up to there. */
uint32_t smrf_l2_outside(const struct smrf_l2 *l, uint32_t s, uint64_t cycle);

/* First cycle in which a slice or a DRAM channel has something to do. */
uint64_t smrf_l2_next(const struct smrf_l2 *l);

/* Where the network's input has noc.input_queue replies of a slice, none joins them in `cycle`,
 * which is the next one to be carried out. */
void smrf_l2_hold_back(struct smrf_l2 *l, uint64_t cycle);

/* Carry out what slices and DRAM channels do before `end`: all that arrives before that has been
 * pushed. A channel and its slices share nothing with the others, and go the whole way in one go.
 */
void smrf_l2_run(struct smrf_l2 *l, uint64_t end);

/* Leave the sector at `local` readable in a slice, as after a copy from the host. */
void smrf_l2_warm(struct smrf_l2 *l, uint32_t slice, uint64_t local);

#ifdef __cplusplus
}
#endif

#endif
