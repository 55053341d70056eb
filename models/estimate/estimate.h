/* SPDX-License-Identifier: Apache-2.0 */
/* The sub-cores of an SM without a loop over cycles: the view `scoreboard`. A warp goes piece by
 * piece (piece.h): the time of a piece by itself is found once and kept. A piece starts when the
 * registers that it needs are there; each resource of the sub-core serves pieces in the order of
 * their starts, and a piece that finds one busy for longer than it has slack is held up by the
 * rest. So cycles without a start cost nothing, and instructions little more than being read.
 *
 * Thread blocks, their limits and barriers are the front end's. Memory instructions go through the
 * load/store unit, whose times are found when they enter (ldst_estimate.h); hits and requests are
 * those of the other views, and so is a bound memory, while the in-tree one has no cycles either
 * (memory_estimate.h). What is left out: the order in which instructions of different warps
 * alternate within a piece, fetch but for the instruction cache, the result buses, and a write that
 * waits for reads of another piece.
 *
 * The caller owns the state; all of it follows from the order of events in time, not from how far
 * the SM is run at a time. */
#ifndef SMRF_ESTIMATE_H
#define SMRF_ESTIMATE_H

#include "piece.h"

#include "models/common/smrf_rng.h"
#include "models/counters/sm_stats.h"
#include "models/frontend/frontend.h"
#include "models/issue/copies.h"
#include "models/issue/scheduler.h"
#include "models/ldst/ldst_estimate.h"
#include "models/units/units.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_ESTIMATE_ACCESSES 4096 /* memory instructions of an SM that are not complete */
#define SMRF_ESTIMATE_QUEUE 64      /* those of a sub-core that have not left for the unit */
/* Memory instructions are late by fewer cycles than this, at random. In a real SM, waits for banks
 * make warps and SMs drift apart. Without the delay, all of them would request one L2 slice at the
 * same time. */
#define SMRF_ESTIMATE_APART 2

struct smrf_estimate_config {
    struct smrf_sm_params sm;
    struct smrf_rf_params rf;
    struct smrf_issue_params issue;
    struct smrf_scoreboard_params scoreboard;
    struct smrf_frontend_params frontend;
};

struct smrf_estimate_links {
    struct smrf_frontend *front;    /* its wires are smrf_estimate_wires() */
    struct smrf_ldst *ldst;         /* its events are smrf_estimate_events() */
    const struct smrf_units *units; /* latencies and intervals; never stepped */
    uint64_t seed;                  /* seed of the run */
    uint32_t id;                    /* number of the SM */
};

struct smrf_estimate_warp {
    const struct smrf_inst *head; /* next instruction; NULL: none */
    struct smrf_piece *piece;     /* the piece that begins with it */
    uint32_t mask;                /* its active lanes */
    uint64_t held;                /* it does not issue before */
    uint64_t last;                /* latest end of an instruction, as far as known */
    uint64_t exit;                /* it exits in this cycle; SMRF_NEVER: not known yet */
    uint32_t accesses;            /* memory instructions that are not complete */
    uint32_t atomics;             /* of them, atomics that hold it */
    int32_t stores;               /* sectors whose answers are outstanding */
    bool ended;                   /* its last instruction has issued */
    bool fenced;                  /* behind a memory barrier */
    bool at_barrier;
    struct smrf_copies copies;
    /* Of a register: usable from this cycle on; SMRF_NEVER: a load brings it. */
    uint64_t ready[SMRF_PIECE_REGISTERS];
    uint64_t read[SMRF_PIECE_REGISTERS]; /* may be written from this cycle on */
};

/* A memory instruction until it is complete. */
struct smrf_estimate_access {
    const struct smrf_static_inst *op;
    uint32_t copy_group;
    uint8_t num_dst;
    uint8_t warp;
    uint8_t dst[SMRF_MAX_DST];
};

struct smrf_estimate_sub {
    uint64_t memory; /* bit k: the head of warp k is for the load/store unit */
    uint64_t due;    /* bit k: its registers let warp k start, since this cycle or an earlier one */
    uint64_t timed;  /* bit k: they let it start from the cycle at[k] on */
    uint64_t later;  /* the first of these cycles, or an earlier one */
    uint64_t open;   /* no piece starts before */
    uint64_t at[SMRF_MAX_SUB_WARPS];
    uint64_t latch;                /* before the load/store unit: free from */
    uint64_t busy[SMRF_RESOURCES]; /* parts of a cycle up to which each has been taken */
    struct smrf_scheduler scheduler;
    /* Ring: cycles in which the last memory instructions leave the latch, one for each place up to
     * there. */
    uint32_t next_left; /* the oldest */
    uint64_t left[SMRF_ESTIMATE_QUEUE];
};

struct smrf_estimate {
    uint64_t now;
    uint64_t first[SMRF_MAX_SUBCORES]; /* a piece starts in sub-core i; SMRF_NEVER: none */
    uint64_t start_next;               /* in any of them */
    uint64_t ldst_next;                /* an answer of the memory arrives */
    uint64_t exit_next;                /* a warp exits */
    uint64_t fetch_next; /* the front end fetches, or may place a block at the end of the cycle */
    uint64_t exiting;    /* bit w: its exit is known */
    uint64_t shared_window, local_window;
    bool full;     /* no memory instruction can issue: too many are not complete */
    uint8_t turn;  /* sub-core behind the one that last gave the load/store unit an instruction */
    uint8_t shift; /* log2 of the sub-cores */
    uint32_t sub_mask;
    uint16_t free_count;
    uint16_t made_for;    /* smrf_reg_set_kind() */
    uint32_t blocked;     /* bit i: sub-core i, whose collectors hold loads that cannot leave */
    uint32_t most_queued; /* in a sub-core: all its collectors, and the latch */
    uint32_t write_parts; /* of a bank, that a write takes; 0: it holds up nothing */
    uint32_t swizzle;     /* all bits: a warp's number moves its registers' banks; 0: it does not */
    uint32_t bank_mask;   /* banks - 1, where that is a mask; else 0 */
    struct smrf_estimate_config cfg;
    struct smrf_piece_machine machine;
    struct smrf_rng rng; /* sets memory instructions apart */
    struct smrf_estimate_links links;
    struct smrf_sm_stats stats; /* less what smrf_estimate_stats() makes of them */
    struct smrf_estimate_sub sub[SMRF_MAX_SUBCORES];
    uint16_t free[SMRF_ESTIMATE_ACCESSES];
    struct smrf_estimate_access access[SMRF_ESTIMATE_ACCESSES];
    struct smrf_estimate_warp *warp; /* [cfg.sm.warps] */
    struct smrf_pieces *pieces;      /* the kernel's */
    struct smrf_ldst_estimate unit;
    struct smrf_piece_room own[SMRF_MAX_WARPS]; /* of a warp's head, where no other is kept */
};

/* Why the view cannot do without a loop over cycles, with the option's name; NULL: it can. */
const char *smrf_estimate_refusal(const struct smrf_estimate_config *cfg);

/* Bytes of its warps. */
size_t smrf_estimate_store_bytes(const struct smrf_estimate_config *cfg);

/* store: its own, 64-byte aligned. Returns 0 or SMRF_ERR_INVAL: a refusal. The front end and the
 * load/store unit may be initialised afterwards. */
int smrf_estimate_init(struct smrf_estimate *e, void *store, const struct smrf_estimate_config *cfg,
                       const struct smrf_estimate_links *links);
void smrf_estimate_reset(struct smrf_estimate *e);

/* What the front end and the load/store unit report to. */
struct smrf_frontend_wires smrf_estimate_wires(struct smrf_estimate *e);
struct smrf_ldst_events smrf_estimate_events(struct smrf_estimate *e);

/* A kernel begins. Nothing is resident. */
void smrf_estimate_begin_kernel(struct smrf_estimate *e, const struct smrf_sm_kernel *kernel);
/* The front end has placed a block, which is fetched from `cycle` on. */
void smrf_estimate_launched(struct smrf_estimate *e, uint64_t cycle);
/* The load/store unit has been given an answer. */
void smrf_estimate_answered(struct smrf_estimate *e);

/* First cycle with something to do; SMRF_NEVER: none. */
uint64_t smrf_estimate_next(const struct smrf_estimate *e);
/* Do all that is to be done in cycles before `until`, or up to the one in which the front end wants
 * a block or has an error. Returns the first cycle that has not been simulated. */
uint64_t smrf_estimate_run(struct smrf_estimate *e, uint64_t until);

/* The counters of its SM that the view has; others are 0. */
void smrf_estimate_stats(const struct smrf_estimate *e, struct smrf_sm_stats *to);
/* Which counters of an SM the view has: 1, else 0. */
void smrf_estimate_kept(struct smrf_sm_stats *kept);

/* --- between its files ------------------------------------------------------------------------ */

/* Warp w has a new head. Returns the first cycle in which its registers let it start, as
 * smrf_estimate_update() finds it; SMRF_NEVER: not known. */
uint64_t smrf_estimate_look(struct smrf_estimate *e, unsigned w);
/* Warp w's first possible start has changed. */
void smrf_estimate_update(struct smrf_estimate *e, unsigned w);
/* The next start of sub-core i; e->start_next is left to the caller. */
void smrf_estimate_find_first(struct smrf_estimate *e, unsigned i);
/* Warp w has come to its end. */
void smrf_estimate_drained(struct smrf_estimate *e, unsigned w);
/* A result from memory takes its bank in this cycle. */
void smrf_estimate_write(struct smrf_estimate *e, unsigned w, unsigned reg);
/* A piece starts in sub-core i in the cycle e->now. */
void smrf_estimate_start(struct smrf_estimate *e, unsigned i);
/* Answers of the memory that have arrived. */
void smrf_estimate_take_answers(struct smrf_estimate *e);
/* The memory instruction at the head of warp w has issued. */
void smrf_estimate_enter(struct smrf_estimate *e, struct smrf_estimate_sub *s, unsigned w,
                         uint64_t issued);

static inline unsigned smrf_estimate_k(const struct smrf_estimate *e, unsigned w)
{
    return w >> e->shift;
}

static inline struct smrf_estimate_sub *smrf_estimate_sub_of(struct smrf_estimate *e, unsigned w)
{
    return &e->sub[w & e->sub_mask];
}

static inline uint64_t smrf_estimate_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline void smrf_estimate_find_start_next(struct smrf_estimate *e)
{
    e->start_next = e->first[0];
    for (unsigned i = 1; i < SMRF_MAX_SUBCORES; i++) {
        e->start_next = smrf_estimate_earlier(e->start_next, e->first[i]);
    }
}

/* Does warp w exit? */
static inline void smrf_estimate_check_drained(struct smrf_estimate *e, unsigned w)
{
    const struct smrf_estimate_warp *warp = &e->warp[w];
    if (warp->ended && !warp->accesses && !warp->stores) {
        smrf_estimate_drained(e, w);
    }
}

#ifdef __cplusplus
}
#endif

#endif
