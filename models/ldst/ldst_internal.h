/* SPDX-License-Identifier: Apache-2.0 */
/* State of the load/store unit; only models/ldst/ and nothing else looks inside.
 *
 * The shared-memory pipe and the L1D's pipes are shift registers whose stages move forward where
 * the next one is empty, so that bubbles close up behind a blocked front: an item that entered a
 * pipe of n stages at cycle e can leave it from e + n on, one item a cycle and in order, and the
 * entry stage is taken in the cycle of an entry and while the pipe holds n items. Nothing moves in
 * between, so that they are kept as rings, and the L1D's pipes as one ring of what entered all of
 * them in a cycle; only what cannot leave a pipe in its cycle is put in a ring of that pipe. */
#ifndef SMRF_LDST_INTERNAL_H
#define SMRF_LDST_INTERNAL_H

#include "models/cache/cache.h"
#include "models/cache/mshr.h"
#include "models/common/smrf_bits.h"
#include "models/ldst/coalesce.h"
#include "models/ldst/ldst.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_LDST_NONE UINT16_MAX
#define SMRF_LDST_MAX_PIPES 256 /* l1d.banks x l1d.ports */

enum smrf_ldst_inst_flag {
    SMRF_LDST_HAS_DST = 1u << 0, /* its result goes to the register banks */
    SMRF_LDST_WAITS =
        1u << 1, /* ends when its data are there: all but shared loads without a destination */
    SMRF_LDST_MISSED = 1u << 2, /* a sector missed L1 */
    SMRF_LDST_ATOMIC = 1u << 3  /* its warp waits for the answer */
};

/* A load or atomic from accept to its last sector. */
struct smrf_ldst_entry {
    uint32_t slot;
    uint16_t next;    /* free list or queue of hits */
    uint16_t pending; /* sectors not yet there */
    uint8_t flags;    /* enum smrf_ldst_inst_flag */
};

enum smrf_ldst_request_kind {
    SMRF_LDST_REQ_FILL,   /* read for L1D */
    SMRF_LDST_REQ_DIRECT, /* read or atomic past L1D */
    SMRF_LDST_REQ_WRITE
};

/* A request from its sending until its answer has arrived. Hundreds are under way: eight to a line
 * of the host's cache. */
struct smrf_ldst_request {
    uint32_t what;  /* its kind, and the sector that waits for it: see below */
    uint16_t owner; /* FILL, DIRECT: entry; WRITE: warp */
    uint16_t next;  /* free list */
};

/* An answer that has been reported and not yet taken. */
struct smrf_ldst_answer {
    uint64_t arrival; /* cycle */
    uint32_t id;      /* of its request */
};

/* What a request is, in a word: its kind (enum smrf_ldst_request_kind), and of a FILL the sector
 * and the line. */
static inline uint32_t smrf_ldst_fill_of(uint32_t line, uint32_t sector)
{
    return line << 4 | sector << 2 | SMRF_LDST_REQ_FILL;
}

static inline uint32_t smrf_ldst_kind_of(uint32_t what)
{
    return what & 3u;
}

static inline uint32_t smrf_ldst_line_of(uint32_t what)
{
    return what >> 4;
}

static inline uint32_t smrf_ldst_sector_of(uint32_t what)
{
    return what >> 2 & 3u;
}

/* Of an access; the first two say whose counters it moves. */
enum smrf_ldst_access_kind {
    SMRF_LDST_STORE = 1u << 0,
    SMRF_LDST_LOCAL = 1u << 1,
    SMRF_LDST_SPILL = 1u << 2,
    SMRF_LDST_ALWAYS_HITS = 1u << 3 /* without a look at the tags */
};

/* The sectors that have entered the L1D in one cycle, each into another pipe: they are of one
 * instruction, and reach the tags together. */
struct smrf_ldst_lot {
    uint64_t entered; /* cycle */
    uint64_t line;    /* number of their line; SMRF_NEVER: they are of several */
    uint64_t pipes[SMRF_LDST_MAX_PIPES / 64]; /* bit: a sector entered the pipe */
    uint16_t owner;                           /* loads: entry; stores: warp */
    uint8_t kind;                             /* enum smrf_ldst_access_kind */
    uint8_t of_line;                          /* of one line: bit: the sector is among them */
    bool plain; /* a load's, of one line, a bank each: that says all, they are not written out */
    uint16_t sectors; /* their number */
};

/* A sector that has reached the tags, and waits there. */
struct smrf_ldst_access {
    struct smrf_sector sector;
    uint16_t owner;
    uint8_t kind;
};

/* One L1D bank port. */
struct smrf_ldst_pipe {
    uint32_t count;          /* sectors in it, l1d.latency at most; known while anything waits */
    uint32_t head, waiting;  /* of them, those that have reached the tags and wait there */
    uint64_t failed_at;      /* cycle of the front's last failure; count as stall from here */
    uint64_t failed_version; /* tags, MSHRs and miss queue then; 0 = has not failed */
    uint64_t *failed_stat;
};

struct smrf_ldst_miss {
    uint64_t address;
    uint32_t bytes;
    uint32_t what; /* its note in the cache */
    uint16_t owner;
    uint8_t kind; /* enum smrf_mem_kind */
};

struct smrf_ldst_shared_item {
    uint64_t entered;
    uint16_t entry;
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
    uint8_t access; /* enum smrf_ldst_access_kind */
    bool is_store, is_atomic;
    bool holds;     /* an atomic on any memory, with active lanes */
    uint16_t entry; /* SMRF_LDST_NONE: store or DONE */
    uint32_t slot;
    uint32_t left;        /* sectors */
    uint32_t sectors;     /* at first */
    uint32_t lanes;       /* that execute */
    uint32_t passes;      /* SHARED: through the banks */
    uint64_t ready;       /* SHARED: cycle in which its last pass is made */
    uint64_t stalled_at;  /* count a stall from this cycle on */
    uint64_t *stall_stat; /* &no_stall: not stalled */
    uint64_t no_stall;    /* a counter that is not published */
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
#define SMRF_LDST_HELD                                                                             \
    (1u << SMRF_LDST_CLIENTS) /* a bit beside theirs: the holding register is full */

struct smrf_ldst {
    uint64_t due; /* first cycle with something to do, as of the last cycle, accept or response */

    /* write-back */
    uint8_t
        offers; /* bit: a client that has a result; but for SHARED, which has one in time; HELD */
    uint8_t next_wb_client;
    uint8_t first_client;
    uint16_t next_wb;     /* entry in the holding register, where there is one */
    uint16_t next_global; /* entry */
    uint16_t hit_head, hit_tail;

    /* shared-memory pipe */
    struct smrf_ldst_shared_item *shared;
    uint32_t shared_head, shared_count;
    uint64_t shared_ready; /* the front can be taken from this cycle on */

    /* L1D. What has reached the tags and failed, or came behind such, waits in its pipe. */
    uint32_t pipes;             /* l1d.banks x l1d.ports */
    uint32_t bank_mask;         /* l1d.banks - 1; UINT32_MAX: they are no power of two */
    bool line_wide;             /* the sectors of a line are in pipes that follow each other */
    uint32_t accesses;          /* in all pipes */
    struct smrf_ldst_lot *lot;  /* ring of l1d.latency, in order of entry */
    struct smrf_sector *sector; /* [lot][pipe], where the lot is not plain */
    uint32_t lot_head, lots;
    uint64_t lot_due;            /* when the first reaches the tags; SMRF_NEVER: there is none */
    uint32_t blocked;            /* pipes in which accesses wait */
    struct smrf_ldst_pipe *pipe; /* [pipes] */
    struct smrf_ldst_access *waiting;              /* [pipe][l1d.latency] rings */
    uint64_t pipe_waits[SMRF_LDST_MAX_PIPES / 64]; /* bit: accesses wait in the pipe */
    uint64_t pipes_failed; /* lowest version at which a front failed, 0: one is to be tried first */
    uint64_t version;      /* changes with the state of tags, MSHRs or miss queue */
    struct smrf_ldst_miss *miss; /* ring of l1d.miss_queue */
    uint32_t miss_head, miss_count;

    /* tables */
    uint16_t entry_free, request_free;
    struct smrf_ldst_entry *entry;
    struct smrf_ldst_request *request;
    struct smrf_ldst_answer *answer;      /* ring of SMRF_LDST_REQUESTS, in order of arrival */
    uint32_t answer_head, answers;        /* index of the first one, and their number */
    uint64_t answer_due;                  /* arrival of the first; SMRF_NEVER: there is none */
    uint32_t entries_used, entries_known; /* known: entries of the table that have ever been used */
    uint32_t requests_used, requests_known;
    struct smrf_mshr mshr;
    struct smrf_cache tags;
    uint32_t block_warps, blocks; /* order of local memory; block_warps 0: by SM */

    uint16_t sm;
    struct smrf_ldst_config cfg;
    struct smrf_ldst_events events;
    struct smrf_mem_port port;
    struct smrf_ldst_stats stats;
    /* counters of a kind of access (bits STORE and LOCAL): all, hits, pending hits, misses */
    uint64_t *l1d_stat[4][4];
    uint64_t *sent_stat[3];                    /* of requests of a kind (enum smrf_mem_kind) */
    uint64_t awaited[SMRF_LDST_REQUESTS / 64]; /* bit: the answer of the request is outstanding */
    struct smrf_known_passes passes;
    uint64_t tags_free; /* l1d.line_interval: first cycle in which further sectors may enter */
    struct smrf_ldst_dispatch dispatch;
};

/* For how many cycles n sectors that enter the L1D at once occupy the tags; lines: theirs. */
static inline uint64_t smrf_ldst_tag_cycles(const struct smrf_ldst *l, uint32_t lines, uint32_t n)
{
    const struct smrf_ldst_dispatch *d = &l->dispatch;
    const uint64_t by_line = (uint64_t)lines * l->cfg.l1d.line_interval;
    const uint64_t by_lane = (uint64_t)n * d->lanes * l->cfg.l1d.lane_interval;

    if (by_lane == 0) {
        return by_line;
    }
    const uint64_t most = (by_lane + d->sectors - 1) / d->sectors;
    return by_line < most ? by_line : most;
}

/* Entry i is free again, if it is released; without a branch. */
static inline void smrf_ldst_entry_release_if(struct smrf_ldst *l, uint16_t i, bool released)
{
    struct smrf_ldst_entry *e = &l->entry[i];

    e->next = (uint16_t)smrf_select(released, l->entry_free, e->next);
    l->entry_free = (uint16_t)smrf_select(released, i, l->entry_free);
    l->entries_used -= released;
}

static inline void smrf_ldst_entry_release(struct smrf_ldst *l, uint16_t i)
{
    smrf_ldst_entry_release_if(l, i, true);
}

/* What stands in a place of the ring of answers, counted on behind its end. */
static inline struct smrf_ldst_answer *smrf_ldst_answer(const struct smrf_ldst *l, uint32_t at)
{
    return &l->answer[at % SMRF_LDST_REQUESTS];
}

static inline void smrf_ldst_request_release(struct smrf_ldst *l, uint16_t i)
{
    l->request[i].next = l->request_free;
    l->request_free = i;
    l->requests_used--;
}

/* ldst_accept.c: of the instruction last generated. */
/* It is counted. */
void smrf_ldst_count(struct smrf_ldst *l, const struct smrf_inst *inst);

/* The flags of its entry (enum smrf_ldst_inst_flag). Instructions without a destination end with
 * the last answer, too. With a prefetch, its block and perhaps its kernel end then; with a
 * reduction, its warp's wait. */
uint8_t smrf_ldst_entry_flags(const struct smrf_ldst *l, const struct smrf_inst *inst);

/* ldst.c: tables. */
/* Take a free one; there is one. */
uint16_t smrf_ldst_entry_take(struct smrf_ldst *l);

/* Send a request and note its kind and which entry or warp waits for its answer. Returns false if
 * the table is full or the port refused. Fills in r's id and SM. */
bool smrf_ldst_send(struct smrf_ldst *l, struct smrf_mem_request *r, uint32_t what, uint16_t owner);

/* ldst_l1d.c: the L1D's steps of a cycle: where a request waits for the port, and where a front can
 * use the tags. */
void smrf_ldst_l1d_send_miss(struct smrf_ldst *l, uint64_t cycle);
void smrf_ldst_l1d_access(struct smrf_ldst *l, uint64_t cycle);

/* The oldest lot has been at the tags for a while: it waits in its pipes, behind others. */
void smrf_ldst_l1d_take_late(struct smrf_ldst *l);

/* First cycle in which an access can use the tags where some wait; 0: at once. */
uint64_t smrf_ldst_l1d_next_blocked(const struct smrf_ldst *l);

/* The same, whether or not some wait. */
static inline uint64_t smrf_ldst_l1d_next(const struct smrf_ldst *l)
{
    if (l->blocked) {
        return smrf_ldst_l1d_next_blocked(l);
    }
    return l->lot_due;
}

/* ldst_lot.c */
/* Sectors of the instruction in the dispatch register enter their banks' pipes, the last one first,
 * while the pipes take them. Returns how many. */
uint32_t smrf_ldst_l1d_enter(struct smrf_ldst *l, uint64_t cycle);

/* Are all pipes of the bank full, so that nothing can enter before one of them has moved? */
bool smrf_ldst_l1d_full(const struct smrf_ldst *l, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
