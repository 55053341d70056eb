/* SPDX-License-Identifier: Apache-2.0 */
/* Reuse distances of register operands in a warp's stream of instructions, and the one bit that a
 * compiler would attach to each operand: near (reused soon) or far.
 *
 * The distance from an access (source read or destination write) to the next read of the register
 * is counted in instructions of the warp: 1 for the very next one. A register that is written
 * before it is read again, or never read again, has no reuse. near = distance <= rthld; all else is
 * far. Source: Malekeh, long version, III-A (rthld 12); equality and "no reuse is far" are
 * assumptions. */
#ifndef SMRF_REUSE_H
#define SMRF_REUSE_H

#include "models/common/smrf_err.h"
#include "traces/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_REUSE_MAX_RTHLD 255
#define SMRF_REUSE_BINS 4096 /* distance d counts in [d]; [0]: distances of 4096 and above */

/* Exact distribution of the reuse distances, every reuse counted once. */
struct smrf_reuse_distances {
    uint64_t bin[SMRF_REUSE_BINS];
    uint64_t reuses, accesses; /* accesses without a reuse: accesses - reuses */
};

/* An instruction that has left the window, with its bits. */
struct smrf_reuse_marked {
    const struct smrf_static_inst *op;
    uint32_t near_src; /* bit i: op->src[i] is near */
    uint32_t near_dst; /* bit i: op->dst[i] is near */
};

/* A warp's stream, seen through a window of rthld instructions. */
struct smrf_reuse_warp {
    uint32_t rthld, room; /* room: entries of the ring, a power of two above rthld */
    uint32_t fed, taken;  /* instructions */
    uint32_t last[256];   /* number, from 1, of the latest access to a register; 0 = none */
    struct smrf_reuse_marked *ring; /* behind the struct */
};

/* Bytes of a stream with this threshold (1 .. SMRF_REUSE_MAX_RTHLD), to be obtained by the caller.
 */
size_t smrf_reuse_warp_bytes(uint32_t rthld);
void smrf_reuse_warp_start(struct smrf_reuse_warp *w, uint32_t rthld);
/* The next instruction of the warp. At most rthld + 1 may wait to be taken. distances: NULL = not
 * wanted. */
void smrf_reuse_feed(struct smrf_reuse_warp *w, const struct smrf_static_inst *op,
                     struct smrf_reuse_distances *distances);
/* May the oldest waiting instruction be taken: is its future known as far as it matters? */
bool smrf_reuse_ready(const struct smrf_reuse_warp *w);
/* Take it; at the end of the stream also without being ready. NULL if none waits. Valid until the
 * next feed. */
const struct smrf_reuse_marked *smrf_reuse_take(struct smrf_reuse_warp *w);

/* --- what a compiler can know: one bit for each operand of a static instruction --------------- */

/* How often a static instruction ran and how often each of its operands was near. */
struct smrf_reuse_counts {
    const struct smrf_static_inst *op;
    uint64_t runs;
    uint32_t near_src[SMRF_MAX_SRC];
    uint32_t near_dst[SMRF_MAX_DST];
};

/* Counts of a launch, by the dense index of the static instructions. */
struct smrf_reuse_profile {
    struct smrf_reuse_counts *counts;
    uint32_t num, room;
};

/* Returns 0 or SMRF_ERR_NOMEM. */
int smrf_reuse_count(struct smrf_reuse_profile *p, const struct smrf_reuse_marked *m);
void smrf_reuse_profile_clear(struct smrf_reuse_profile *p); /* keeps the memory */
void smrf_reuse_profile_free(struct smrf_reuse_profile *p);
/* Majority: near if near more often than not; a tie and what never ran are far. */
void smrf_reuse_majority(const struct smrf_reuse_counts *c, uint32_t *near_src, uint32_t *near_dst);

/* --- a whole launch --------------------------------------------------------------------------- */

struct smrf_reuse_options {
    uint32_t rthld;
    uint32_t profile_ppm; /* warps that are profiled, the launch's first, in millionths; at least
                             one warp */
};

struct smrf_reuse_launch {
    struct smrf_reuse_distances distances;
    struct smrf_reuse_profile profile; /* over the first warps */
    struct smrf_reuse_profile all;     /* over all */
    uint64_t warps, profiled_warps;
    uint64_t operands, near_operands; /* dynamic operands; of them near */
    uint64_t profile_wrong,
        all_wrong;       /* dynamic operands whose static bit differs from their own */
    uint64_t unprofiled; /* dynamic operands of instructions never profiled */
};

/* Measure the open launch of a trace to its end. each: called for every instruction, block by
 * block, warp by warp, in program order, and once with m NULL when a block begins; NULL = none; a
 * negative return stops. Memory: bounded by
 * the static instructions. Returns 0, an error of the trace, or SMRF_ERR_NOMEM. */
int smrf_reuse_measure(struct smrf_reuse_launch *launch, struct smrf_trace *trace,
                       const struct smrf_kernel_info *info,
                       const struct smrf_reuse_options *options,
                       int (*each)(void *ctx, struct smrf_trace_block *block, uint32_t warp,
                                   const struct smrf_reuse_marked *m),
                       void *ctx);
/* Only the profile, reading no further than it needs. */
int smrf_reuse_profile_launch(struct smrf_reuse_profile *profile, struct smrf_trace *trace,
                              const struct smrf_kernel_info *info,
                              const struct smrf_reuse_options *options);
void smrf_reuse_launch_free(struct smrf_reuse_launch *launch);
/* Add the numbers (not the profiles) of one launch to a sum. */
void smrf_reuse_add(struct smrf_reuse_launch *sum, const struct smrf_reuse_launch *l);

#ifdef __cplusplus
}
#endif

#endif
