/* SPDX-License-Identifier: Apache-2.0 */
/* SIMT stack of one warp, fed by a replayed trace. A trace lists (pc, mask) with mask = active and
 * predicate, one side of a divergent branch after the other; this core reconstructs which lanes
 * were active, where they diverged and met again, and which function calls are open, and checks
 * every traced line against what it predicted. The trace is the truth: after a disagreement the
 * state follows it, and the disagreement is counted by kind.
 * Source: CARS sec. III-C and IV-B (a call bit an entry; a frame is released when all threads have
 * returned); convergence barriers (BSSY, BSYNC, BREAK) as in Volta and later, a reconvergence stack
 * (SSY, SYNC, PBK, BRK) before.
 *
 * State: splits {pc, lanes, waits for}: disjoint lane sets that run apart, at most 32; entries:
 * open barriers, oldest first; frames: open calls, oldest first (entries with the call bit). For a
 * line (p, m): 1. The running split is at p and holds m: it executes (the inline fast path). 2.
 * Another runnable split at p holds m: a switch. 3. A split whose pc is not known yet (branch
 * without a target, by register, or with a condition
 *     that the mask does not show) holds m: p is its pc from now on. Of a branch that may send each
 *     lane elsewhere only the lanes m move. 4. Nothing shows who executes a line with mask 0: the
 *  running split if it is there. Where a split
 *     came to its pc only over such lines and another could have executed them, the two exchange
 *     places if that makes (p, m) fit.
 *  5. Lanes wait at a WARPSYNC whose mask is not known, just before p: they are released.
 *  6. Anything else is a mismatch: DEAD (lanes that had exited), BARRIER (lanes that should wait),
 *     CONVERGE (lanes of several splits run as one), PC (lanes at another place). The lanes m move
 *     to p, with the whole split where it stands at p or runs alone; barriers proven open are
 * dropped. Then the instruction acts, on the active lanes A of the split that was found: branch
 * lanes m go to the target, A minus m fall through: two splits if neither is empty.
 *           Where a condition operand stands beside the guard, lanes m go to either place.
 *  call     as a branch, plus a frame with lanes m. A call to the next instruction or the one after
 *           is the compiler's jump idiom, not a call. Where the line does not name the target, the
 *           warp's next line does if it is of lanes of the call; else the first line of such lanes.
 *  return   each lane leaves its newest frame to the instruction after the call; a frame without
 *           lanes has returned, and is released once no newer frame is open.
 *  BSSY     opens a barrier with lanes m. SSY, PBK and PCNT the same, each its own kind.
 *  BSYNC    lanes m wait at the newest barrier of this call whose target is p, else at the newest
 *           that holds them; they leave barriers inside it. When every lane of a barrier waits,
 *           splits
 *           with equal pc become one: reconvergence. SYNC, BRK and CONT go on at the barrier's
 *  target. WARPSYNC waits for the lanes of its immediate, or for all live lanes until the trace
 *  shows less. BREAK    lanes m leave their newest barrier. EXIT: lanes m leave everything. YIELD:
 *  no effect.
 * Assumption A1: Volta and later never merge splits at equal pcs except at a barrier.
 * Assumption A2: before Volta a return is a reconvergence point (the hardware stack's call
 * entry). */
#ifndef SMRF_SIMT_STACK_H
#define SMRF_SIMT_STACK_H

#include "models/common/smrf_aligned.h"
#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"
#include "models/simt_stack/simt_line.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_SIMT_DEPTH 512        /* open barriers, and open calls, of a warp */
#define SMRF_SIMT_NEAR 2           /* splits that lie with the stack itself */
#define SMRF_SIMT_REPORTS 8        /* disagreements kept in full */
#define SMRF_SIMT_NO_PC UINT32_MAX /* "not known", and "no split runs" */

/* Every kernel has one. */
struct smrf_simt_config {
    uint32_t binary_version; /* 20 (Fermi) and up; decides instruction size and control words */
    bool has_targets;        /* tracer version >= 5: immediates carry branch and barrier targets */
};

enum smrf_simt_mismatch {
    SMRF_SIMT_MATCH = 0,
    SMRF_SIMT_MISMATCH_PC,       /* lanes at another pc than predicted */
    SMRF_SIMT_MISMATCH_CONVERGE, /* lanes that were predicted apart run together */
    SMRF_SIMT_MISMATCH_BARRIER,  /* lanes run that were predicted to wait */
    SMRF_SIMT_MISMATCH_DEAD,     /* lanes run that had exited */
    SMRF_SIMT_MISMATCH_CONDITION /* lanes stayed behind a branch that should have moved them: it had
                                    a condition that the trace does not list */
};

enum smrf_simt_event {
    SMRF_SIMT_DIVERGE = 1u << 0,      /* the active lanes split in two or more */
    SMRF_SIMT_RECONVERGE = 1u << 1,   /* lanes that had been apart are one split again */
    SMRF_SIMT_SWITCH = 1u << 2,       /* another split than in the line before executes */
    SMRF_SIMT_CALL = 1u << 3,         /* the line's lanes entered a frame */
    SMRF_SIMT_CALLED = 1u << 4,       /* lanes of an earlier call, whose target was not known there,
                                         entered a frame before the line acted: it is their first */
    SMRF_SIMT_RETURN = 1u << 5,       /* lanes returned (call_pc: where their frame was called) */
    SMRF_SIMT_ALL_RETURNED = 1u << 6, /* a frame has no lanes left: all returned or exited */
    SMRF_SIMT_FRAME_SWITCH = 1u << 7, /* the line is of another frame than where the line before
                                         left off, and CALLED does not say so */
    SMRF_SIMT_EXIT = 1u << 8,         /* lanes exited */
    SMRF_SIMT_LEARNED = 1u << 9,  /* the trace showed an unknown pc or an unknown WARPSYNC mask */
    SMRF_SIMT_OVERFLOW = 1u << 10 /* a barrier or a call was not recorded: SMRF_SIMT_DEPTH */
};

/* What one line meant. Frames are numbered from 1, the oldest, in the order in which they were
 * entered; 0 is the kernel's own. A frame keeps its number until it is released. */
struct smrf_simt_out {
    uint32_t active;        /* lanes active at this line, as predicted (mask or more) */
    uint32_t expected_pc;   /* mismatch only: where the lanes were predicted; SMRF_SIMT_NO_PC =
                               nowhere */
    uint32_t lanes;         /* lanes that branched, called, returned, arrived or exited */
    uint32_t call_pc;       /* CALL, RETURN, ALL_RETURNED: pc of the call */
    uint32_t target;        /* CALL: the callee's first instruction */
    uint32_t call_lanes;    /* CALL: lanes in the frame entered; fewer than the call's where the
                               trace has not shown the others' callee */
    uint32_t called_pc;     /* CALLED: pc of the call */
    uint32_t called_target; /* CALLED: the callee's first instruction */
    uint32_t called_lanes;  /* CALLED: lanes in the frame entered */
    uint16_t events;        /* enum smrf_simt_event */
    uint8_t mismatch;       /* enum smrf_simt_mismatch */
    uint8_t splits;         /* lane sets that run apart after the line */
    uint16_t depth;         /* open barriers of the warp after the line */
    uint16_t call_depth;    /* open calls around the split that runs on after the line */
    uint16_t frames;        /* open frames of the warp, released ones excluded */
    uint16_t released;      /* frames released by this line, newest first */
    uint16_t call_frame;    /* CALL: frame entered */
    uint16_t called_frame;  /* CALLED: frame entered */
    uint16_t own_frame;     /* frame of the line itself, entered by CALLED at the latest */
    uint16_t frame;         /* where the warp goes on: frame of the split that runs, or
                               of the line's lanes where they wait and none does */
};

#define SMRF_SIMT_STATS(X)                                                                         \
    X(insts, "lines", "trace lines checked")                                                       \
    X(exact, "lines", "lines whose mask is the predicted active mask")                             \
    X(subset, "lines", "lines whose mask is a non-empty part of it (predicated)")                  \
    X(empty, "lines", "lines with mask 0")                                                         \
    X(mismatch_pc, "lines", "lanes at another pc than predicted")                                  \
    X(mismatch_converge, "lines", "lanes run together that were predicted apart")                  \
    X(mismatch_barrier, "lines", "lanes run that were predicted to wait at a barrier")             \
    X(mismatch_dead, "lines", "lanes run that had exited")                                         \
    X(mismatch_condition, "lines", "lanes waited at a branch whose condition is not in the trace") \
    X(mismatches, "lines", "all mismatches")                                                       \
    X(divergences, "events", "active masks that split")                                            \
    X(reconvergences, "events", "barriers where two or more splits became one")                    \
    X(switches, "events", "lines executed by another split than the line before")                  \
    X(yields, "lines", "YIELD instructions")                                                       \
    X(learned, "events", "unknown pcs shown by the trace")                                         \
    X(inferred, "events", "WARPSYNCs of unknown mask released because the trace went on")          \
    X(exchanged, "events",                                                                         \
      "runs of lines with mask 0 that were assigned to another split afterwards")                  \
    X(barriers, "events", "barriers opened (BSSY, SSY, PBK, PCNT)")                                \
    X(arrivals, "events", "subsets that arrived at a barrier")                                     \
    X(strays, "events", "subsets at a BSYNC or SYNC without an open barrier")                      \
    X(breaks, "events", "BREAKs with lanes")                                                       \
    X(calls, "events", "frames pushed")                                                            \
    X(jump_calls, "events", "CALLs that are the compiler's jump idiom")                            \
    X(returns, "events", "subsets that returned")                                                  \
    X(orphans, "events", "subsets that returned without a recorded call")                          \
    X(all_returned, "events", "frames whose last lane returned or exited")                         \
    X(exits, "lanes", "lanes that exited")                                                         \
    X(lost_barriers, "events", "barriers forgotten because too many were open")                    \
    X(lost_calls, "events", "calls not recorded because too many were open")                       \
    X(max_depth, "barriers", "most barriers open at once")                                         \
    X(max_frames, "frames", "most frames open at once")                                            \
    X(max_splits, "splits", "most splits at once")

struct smrf_simt_stats {
#define X(name, unit, meaning) uint64_t name;
    SMRF_SIMT_STATS(X)
#undef X
};

/* One disagreement, for the report. */
struct smrf_simt_report {
    uint64_t line; /* trace lines that this log had seen before */
    uint32_t warp;
    uint32_t pc, mask;                   /* got */
    uint32_t expected_pc, expected_mask; /* where and what the lanes were predicted to be */
    uint32_t kind;                       /* enum smrf_simt_mismatch */
};

/* Statistics, shared by as many warps as the owner likes (one an SM). Zero = empty. */
struct smrf_simt_log {
    struct smrf_simt_stats stats;
    struct smrf_simt_report first[SMRF_SIMT_REPORTS];
    uint32_t num_first;
};

struct smrf_simt_split {
    uint32_t pc;   /* next instruction; SMRF_SIMT_NO_PC = the next line of these lanes tells */
    uint32_t mask; /* never 0 */
    uint32_t wait; /* number of the barrier that it waits at, 0 = runnable */
    uint32_t
        call_pc; /* call whose target no line with lanes has shown yet; SMRF_SIMT_NO_PC = none */
    uint32_t sure_pc;  /* where a line with lanes last proved it to be; differs from pc only after
                          mask-0 lines that were taken for its own */
    uint32_t blind_pc; /* first of these lines, where sure_pc is unknown or they were given away */
    uint32_t given_pc; /* end of mask-0 lines that may be its own and were given to a split of
                          unknown pc; SMRF_SIMT_NO_PC = none */
    bool many;         /* branch that sends lanes apart, not seen since: each may be elsewhere */
    /* After a branch, until its next instruction of control flow (SMRF_SIMT_NO_PC = not): the
       instruction behind the branch, the branch's target. With `many` the branch had a condition:
       its lanes are at either, or straight ahead of it with others of the same branch. */
    uint32_t stay_pc, jump_pc;
    uint32_t from_pc, branch; /* where it went from a branch with a condition; the branch's number,
                                 0 = none */
};

struct smrf_simt_entry {
    uint32_t lanes;  /* participants */
    uint32_t number; /* identity, never 0 */
    uint32_t pc;     /* of the instruction that opened it */
    uint32_t target; /* of BSSY, SSY, ..; SMRF_SIMT_NO_PC = not known */
    uint32_t frame;  /* number of the frame that opened it, 0 = kernel */
    uint8_t kind;
    bool soft; /* WARPSYNC of unknown mask */
};

struct smrf_simt_frame {
    uint32_t lanes; /* not yet returned; 0 = waits for newer frames */
    uint32_t number;
    uint32_t call_pc, return_pc;
};

/* What a warp has open; one that goes straight looks at none of it. */
struct smrf_simt_store {
    struct smrf_simt_entry entries[SMRF_SIMT_DEPTH];
    struct smrf_simt_frame frames[SMRF_SIMT_DEPTH];
};

/* State of a warp. The running split lives in pc and steady.active; its place in splits[] is only
 * up to date inside the core. */
struct SMRF_LINE_ALIGNED smrf_simt {
    uint32_t pc;      /* of the running split; SMRF_SIMT_NO_PC = none runs, or see its split */
    uint32_t sure_pc; /* as in its split */
    uint16_t step, pad, group; /* instruction bytes; control word bytes; bit mask of a group */
    uint8_t num_splits;
    int8_t cur; /* running split, -1 = none */
    struct smrf_simt_log *log;
    struct smrf_simt_out steady; /* result of a line without event or mismatch */
    uint16_t num_entries, num_frames;
    uint32_t live, warp, next_number;
    uint32_t on_frame; /* number of the frame where the last line left off, 0 = the kernel's */
    bool any_lost;     /* some lost[] is not 0 */
    bool volta;        /* convergence barriers instead of a reconvergence stack */
    const struct smrf_simt_config *cfg;
    struct smrf_simt_split *splits;  /* near, or far from the first time that there were more */
    struct smrf_simt_entry *entries; /* of the warp's store */
    struct smrf_simt_frame *frames;
    uint16_t lost[SMRF_LANES];                         /* unrecorded calls that a lane is in */
    struct smrf_simt_split near[SMRF_SIMT_NEAR], *far; /* [SMRF_LANES] */
};

/* Returns 0 or SMRF_ERR_INVAL (binary_version below 20). */
int smrf_simt_config_check(const struct smrf_simt_config *cfg);

/* Check cfg (kept by pointer), then reset without lanes. splits, store: the warp's own, as long as
 * the stack is in use, touched where it diverges. warp: any number, for reports. log is kept and
 * counted into. */
int smrf_simt_init(struct smrf_simt *s, struct smrf_simt_split splits[SMRF_LANES],
                   struct smrf_simt_store *store, const struct smrf_simt_config *cfg, uint32_t warp,
                   struct smrf_simt_log *log);

/* The stacks of an SM's warps, zeroed at first. Each is set up when its warp starts, so that those
 * of warps that never come stay untouched. */
struct smrf_simt_stacks {
    const struct smrf_simt_config *cfg; /* of the running kernel */
    struct smrf_simt_log *log;
    uint32_t first_warp; /* number of the first, for reports */
    /* What warps mostly need, on few pages. */
    struct smrf_simt stack[SMRF_MAX_WARPS];
    struct smrf_simt_split splits[SMRF_MAX_WARPS][SMRF_LANES];
    struct smrf_simt_store store[SMRF_MAX_WARPS];
};

/* A kernel begins; cfg and log are kept. Returns 0, or SMRF_ERR_INVAL with everything as it was. */
int smrf_simt_begin_kernel(struct smrf_simt_stacks *s, const struct smrf_simt_config *cfg,
                           uint32_t first_warp, struct smrf_simt_log *log);
/* A warp of the kernel starts: smrf_simt_init and smrf_simt_reset of its stack. */
void smrf_simt_start(struct smrf_simt_stacks *s, uint32_t warp, uint32_t initial_lanes);
/* No warp has lanes; the kernel's rules stay. */
void smrf_simt_stacks_reset(struct smrf_simt_stacks *s);

/* Start of a warp: initial_lanes run as one split from wherever the first line is. */
void smrf_simt_reset(struct smrf_simt *s, uint32_t initial_lanes);

/* Everything that the fast path does not handle. */
int smrf_simt_step_slow(struct smrf_simt *s, const struct smrf_simt_line *line,
                        struct smrf_simt_out *out);

/* Address of the instruction after pc: control words lie between (sm_3x: one in 8 words of 8 bytes,
 * sm_5x and sm_6x: one in 4). */
static inline uint32_t smrf_simt_next_pc(const struct smrf_simt *s, uint32_t pc)
{
    const uint32_t next = pc + s->step, full = (next & s->group) == 0;
    return next + (s->pad & (0 - full)); /* as often as not: nothing branches */
}

/* Does the running split continue in sequence with a line of this pc and mask that is no control
 * flow: no event, no mismatch, no search? */
static inline bool smrf_simt_probe_sequential(const struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    return pc == s->pc && (mask & ~s->steady.active) == 0;
}

/* Take a line that is no control flow, if the running split continues in sequence with it. Returns
 * whether it does. Cost: a few ns. */
static inline bool smrf_simt_step_sequential(struct smrf_simt *s, uint32_t pc, uint32_t mask)
{
    if (!smrf_simt_probe_sequential(s, pc, mask)) {
        return false;
    }
    struct smrf_simt_stats *stats = &s->log->stats;
    const bool exact = mask == s->steady.active, some = mask != 0;
    s->pc = smrf_simt_next_pc(s, pc);
    s->sure_pc = some ? s->pc : s->sure_pc;
    stats->insts++;
    stats->exact += exact;
    if (!(exact & some)) { /* seldom */
        stats->subset += some;
        stats->empty += !some;
    }
    return true;
}

/* Take the warp's next trace line. Fills *out; returns out->mismatch. */
static inline int smrf_simt_step(struct smrf_simt *s, const struct smrf_simt_line *line,
                                 struct smrf_simt_out *out)
{
    if (line->flow != SMRF_SIMT_FLOW_NONE || !smrf_simt_step_sequential(s, line->pc, line->mask)) {
        return smrf_simt_step_slow(s, line, out);
    }
    *out = s->steady;
    return SMRF_SIMT_MATCH;
}

/* Would a line (pc, mask) come without a mismatch now? */
bool smrf_simt_probe_possible(const struct smrf_simt *s, uint32_t pc, uint32_t mask);
/* Lanes of the running split, 0 = none runs. */
uint32_t smrf_simt_probe_active(const struct smrf_simt *s);
/* Lanes that have not exited. */
uint32_t smrf_simt_probe_live(const struct smrf_simt *s);
/* Open barriers. */
uint32_t smrf_simt_probe_depth(const struct smrf_simt *s);
/* Open calls around the running split. */
uint32_t smrf_simt_probe_call_depth(const struct smrf_simt *s);
/* Lane sets that run apart. */
uint32_t smrf_simt_probe_splits(const struct smrf_simt *s);
/* Where a lane is: its next pc (SMRF_SIMT_NO_PC = unknown or exited), and whether it waits. */
uint32_t smrf_simt_probe_lane_pc(const struct smrf_simt *s, uint32_t lane);
bool smrf_simt_probe_lane_waits(const struct smrf_simt *s, uint32_t lane);

#ifdef __cplusplus
}
#endif

#endif
