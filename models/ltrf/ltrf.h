/* SPDX-License-Identifier: Apache-2.0 */
/* Register file cache that is filled interval by interval: the compiler parts a program into
 * regions with one entry and few registers; a warp on the scheduler's active list that comes to
 * another one first brings its registers from the banks, by operations of its own, and then finds
 * every source in the cache. Results go there, and to a bank when another interval or the pending
 * list takes the warp.
 *
 * Source: Sadrosadati et al., LTRF, ASPLOS 2018: intervals, prefetch at their beginning, two-level
 * scheduler. The intervals come with the program (facts of instructions).
 * Assumptions: a prefetch operation takes a collector unit as any instruction does, and no
 * execution unit that vector instructions use; registers that nobody needs any more, or whose
 * results are under way, are not brought; a warp that waits at a barrier, or whose next instruction
 * waits for memory, is brought nothing before that has let it go; without a program, and in an
 * interval that is larger than the cache, everything is in the banks. What leaves the cache, and
 * sources of which some lanes are elsewhere, as in rfc's: by the ports of the banks, dead values
 * not. */
#ifndef SMRF_LTRF_H
#define SMRF_LTRF_H

#include "ltrf_params.h"

#include "models/register_cache/register_cache.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, unit, "meaning") */
#define SMRF_LTRF_STATS(X)                                                                         \
    SMRF_REGISTER_CACHE_STATS(X)                                                                   \
    X(fetched, "operands", "of prefetches, read from the banks")                                   \
    X(returned, "operands", "of prefetches, found on their way to the banks")                      \
    X(operations, "operations", "prefetches")                                                      \
    X(intervals, "times", "a warp began an interval")                                              \
    X(uncovered, "operands", "of instructions, that their interval does not name")                 \
    X(dead, "results", "dead results that were evicted without a write-back")                      \
    X(flushes, "times", "a warp with values was to leave the active list")                         \
    X(split, "times", "a source lay partly in the cache and partly in its bank")

struct smrf_ltrf_stats {
    SMRF_LTRF_STATS(SMRF_REGISTER_CACHE_FIELD)
};

struct smrf_ltrf_warp {
    const struct smrf_program_set
        *interval;                       /* that it is in, NULL: none with a place in the cache */
    bool begun;                          /* .. since it came to the active list */
    struct smrf_program_set todo;        /* registers to be brought */
    uint8_t left;                        /* registers that are being brought */
    uint8_t next_op;                     /* of op */
    uint16_t readers;                    /* instructions that have still to read their sources */
    uint8_t pending[SMRF_REG_ZERO];      /* results under way, by register .. */
    uint8_t pending_long[SMRF_REG_ZERO]; /* .. of these, from memory */
    struct smrf_program_set arriving;    /* .. of these, that their banks are getting */
    struct smrf_static_inst op[16];      /* prefetches under way */
};

struct smrf_ltrf {
    struct smrf_register_cache cache;
    const struct smrf_ltrf_params *options;
    struct smrf_ltrf_stats stats;
    uint64_t at_barrier; /* bit w: warp w waits there */
    struct smrf_ltrf_warp warp[SMRF_MAX_WARPS];
};

extern const struct smrf_mechanism smrf_ltrf_mechanism;
extern const struct smrf_family smrf_ltrf_family;

#ifdef __cplusplus
}
#endif

#endif
