/* SPDX-License-Identifier: Apache-2.0 */
/* State of the load/store unit; only models/ldst/ and nothing else looks inside.
 *
 * The shared-memory pipe and the L1D's pipes are shift registers whose stages move forward where
 * the next one is empty, so that bubbles close up behind a blocked front. They are kept as rings:
 * an item that entered a pipe of n stages at cycle e can leave it from e + n on, one item a cycle
 * and in order, and the entry stage is taken in the cycle of an entry and while the pipe holds n
 * items. Nothing moves in between. */
#ifndef SMRF_LDST_INTERNAL_H
#define SMRF_LDST_INTERNAL_H

#include "models/cache/cache.h"
#include "models/cache/mshr.h"
#include "models/ldst/coalesce.h"
#include "models/ldst/ldst.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_LDST_NONE UINT32_MAX
#define SMRF_LDST_MAX_PIPES 256 /* l1d.banks x l1d.ports */

enum smrf_ldst_inst_flag {
    SMRF_LDST_HAS_DST = 1u << 0, /* its result goes to the register banks */
    SMRF_LDST_WAITS = 1u << 1,   /* ends when its data are there: all but shared loads for nobody */
    SMRF_LDST_MISSED = 1u << 2,  /* a sector missed L1 */
    SMRF_LDST_ATOMIC = 1u << 3   /* its warp is told when it is answered */
};

/* A load or atomic from accept to its last sector. */
struct smrf_ldst_entry {
    uint32_t slot;
    uint32_t next;    /* free list or queue of hits */
    uint16_t pending; /* sectors not yet there */
    uint8_t flags;    /* enum smrf_ldst_inst_flag */
};

enum smrf_ldst_request_kind {
    SMRF_LDST_REQ_FILL,   /* read for L1D */
    SMRF_LDST_REQ_DIRECT, /* read or atomic past L1D */
    SMRF_LDST_REQ_WRITE
};

/* A request from its sending to its answer; after the answer was announced, in the response list.
 */
struct smrf_ldst_request {
    uint64_t address;
    uint64_t arrival; /* cycle of the answer */
    uint32_t next;    /* free list or response list */
    uint16_t entry;   /* REQ_DIRECT */
    uint8_t warp;
    uint8_t kind;        /* enum smrf_ldst_request_kind */
    uint32_t line, mshr; /* REQ_FILL: that wait for it */
};

/* A sector on its way to the tags. */
struct smrf_ldst_access {
    uint64_t address;
    uint64_t entered; /* cycle */
    uint32_t bytes;
    uint16_t entry; /* loads */
    uint8_t warp;
    uint8_t is_store, is_local, is_spill;
};

/* One L1D bank port: a shift register of l1d.latency stages. */
struct smrf_ldst_pipe {
    struct smrf_ldst_access *item; /* ring of l1d.latency */
    uint32_t head, count;
    uint64_t entered;        /* cycle of the last entry */
    uint64_t ready;          /* the front can use the tags from this cycle on */
    uint64_t failed_at;      /* cycle of its last failure; count as stall from here */
    uint64_t failed_version; /* tags, MSHRs and miss queue then; 0 = has not failed */
    uint64_t *failed_stat;
};

struct smrf_ldst_miss {
    uint64_t address;
    uint32_t bytes;
    uint8_t warp;
    uint8_t is_write;
    uint32_t line, mshr; /* of a read */
};

struct smrf_ldst_shared_item {
    uint64_t entered;
    uint32_t entry;
};

enum smrf_ldst_route {
    SMRF_LDST_ROUTE_DONE, /* nothing to access */
    SMRF_LDST_ROUTE_SHARED,
    SMRF_LDST_ROUTE_L1D,
    SMRF_LDST_ROUTE_PORT /* past the L1D */
};

struct smrf_ldst_dispatch {
    bool busy;
    uint8_t route; /* enum smrf_ldst_route */
    uint8_t space; /* enum smrf_space */
    uint8_t warp;
    bool is_store, is_atomic, is_local, is_spill;
    bool holds; /* an atomic, of whatever memory, with active lanes */
    uint32_t slot;
    uint32_t entry;       /* SMRF_LDST_NONE: store or DONE */
    uint32_t left;        /* sectors */
    uint32_t passes;      /* SHARED: through the banks */
    uint64_t ready;       /* SHARED: cycle in which its last pass is made */
    uint64_t stalled_at;  /* count a stall from this cycle on */
    uint64_t *stall_stat; /* NULL: not stalled */
    struct smrf_sector sector[SMRF_MAX_SECTORS];
};

/* Clients of the write-back port, in the order of their round robin. Texture and constant results
 * do not exist (both are ideal), so their places are left out: an empty client never changes the
 * order of the others. */
enum smrf_ldst_client {
    SMRF_LDST_CLIENT_SHARED,
    SMRF_LDST_CLIENT_GLOBAL, /* an answer past L1D */
    SMRF_LDST_CLIENT_MISS,   /* L1D: a sector that had missed */
    SMRF_LDST_CLIENT_HIT,    /* L1D: a load whose last sector was a hit */
    SMRF_LDST_CLIENTS
};

struct smrf_ldst {
    struct smrf_ldst_config cfg;
    struct smrf_ldst_events events;
    struct smrf_mem_port port;
    struct smrf_ldst_stats stats;
    /* counters of a kind of access (is_store + 2 x is_local): all, hits, pending hits, misses */
    uint64_t *l1d_stat[4][4];
    uint16_t sm;
    uint32_t pipes; /* l1d.banks x l1d.ports */
    uint64_t due;   /* first cycle with something to do, as of the last cycle, accept or response */

    /* write-back */
    uint32_t next_wb; /* entry in the holding register, NONE = empty */
    uint8_t next_wb_client;
    uint8_t first_client;
    uint32_t next_global; /* entry, NONE = empty */
    uint32_t hit_head, hit_tail;

    struct smrf_ldst_dispatch dispatch;

    /* shared-memory pipe */
    struct smrf_ldst_shared_item *shared;
    uint32_t shared_head, shared_count;
    uint64_t shared_ready; /* the front can be taken from this cycle on */

    /* L1D */
    struct smrf_ldst_pipe *pipe;
    uint64_t pipe_used[SMRF_LDST_MAX_PIPES / 64]; /* bit: the pipe holds an access */
    uint32_t accesses;                            /* in all pipes */
    uint64_t pipes_due;    /* first cycle in which a front that has not failed can use the tags */
    uint64_t pipes_failed; /* version at which the first of the others failed, SMRF_NEVER: none has */
    uint64_t version; /* changes with the state of tags, MSHRs or miss queue */
    struct smrf_cache tags;
    struct smrf_mshr mshr;
    struct smrf_ldst_miss *miss; /* ring of l1d.miss_queue */
    uint32_t miss_head, miss_count;

    /* tables */
    struct smrf_ldst_entry *entry;
    uint32_t entry_free, entries_used, entries_known; /* known: of the table's, so many have been used */
    uint32_t block_warps, blocks; /* order of local memory; block_warps 0: by SM */
    struct smrf_ldst_request *request;
    uint32_t request_free, requests_used, requests_known;
    uint32_t response_head, response_tail; /* in order of arrival */
};

/* Local accesses that are taken for hits without a look at the tags. */
static inline bool smrf_ldst_always_hits(const struct smrf_ldst *l, bool is_local, bool is_spill)
{
    return (is_local && l->cfg.l1d.always_hit_local) || (is_spill && l->cfg.l1d.always_hit_spills);
}

/* ldst.c: tables. */
/* Take a free one; there is one. */
uint32_t smrf_ldst_entry_take(struct smrf_ldst *l);
void smrf_ldst_entry_release(struct smrf_ldst *l, uint32_t i);
void smrf_ldst_request_release(struct smrf_ldst *l, uint32_t i);

/* Send a request and note `record` for its answer. Returns false if the table is full or the port
 * refused. Fills in r's id and SM. */
bool smrf_ldst_send(struct smrf_ldst *l, const struct smrf_mem_request *r,
                    const struct smrf_ldst_request *record);

/* ldst_l1d.c: the L1D's steps of a cycle. */
void smrf_ldst_l1d_send_miss(struct smrf_ldst *l, uint64_t cycle);
void smrf_ldst_l1d_access(struct smrf_ldst *l, uint64_t cycle);

/* The sector of the instruction in the dispatch register enters its bank's pipe, or not: taken. */
bool smrf_ldst_l1d_enter(struct smrf_ldst *l, const struct smrf_sector *s, uint64_t cycle);

/* Are all pipes of the bank full, so that nothing can enter before one of them has moved? */
bool smrf_ldst_l1d_full(const struct smrf_ldst *l, uint64_t address);

/* First cycle in which a pipe's front can use the tags; 0: at once. */
uint64_t smrf_ldst_l1d_next(const struct smrf_ldst *l);

#ifdef __cplusplus
}
#endif

#endif
