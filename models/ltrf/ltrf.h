/* SPDX-License-Identifier: Apache-2.0 */
/* Register file cache that is filled interval by interval. The compiler divides a program into
 * intervals with one entry and few registers. An active warp that enters an interval first brings
 * the interval's registers from the banks, by prefetch operations, and then finds every source in
 * the cache. Results go to the cache. They go to their bank when the warp leaves the interval or
 * the active list.
 *
 * Source: Sadrosadati et al., LTRF, ASPLOS 2018: intervals, prefetch at their beginning, two-level
 * scheduler. The intervals come with the program (facts of instructions).
 * Assumptions: a prefetch operation takes a collector unit, as any instruction does, but no
 * execution unit of vector instructions. It leaves out dead registers and registers whose results
 * are in flight. A warp that waits at a barrier or for memory prefetches nothing until it can go
 * on. Without a program, and in an interval that is larger than the cache, all registers are in the
 * banks. Values leave the cache as in rfc: through the ports of the banks, dead values not. Sources
 * that are partly in the cache and partly in their bank are handled as in rfc, too. */
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
    X(fetched, "operands", "operands of prefetches, read from the banks")                          \
    X(returned, "operands", "operands of prefetches, found on their way to the banks")             \
    X(operations, "operations", "prefetches")                                                      \
    X(intervals, "times", "times that a warp began an interval")                                   \
    X(uncovered, "operands", "operands of instructions that their interval does not name")         \
    X(dead, "results", "dead results that were evicted without a write-back")                      \
    X(flushes, "times", "times that a warp with values had to leave the active list")              \
    X(split, "times", "times that a source was partly in the cache and partly in its bank")

struct smrf_ltrf_stats {
    SMRF_LTRF_STATS(SMRF_REGISTER_CACHE_FIELD)
};

struct smrf_ltrf_warp {
    const struct smrf_program_set
        *interval;                       /* that it is in, NULL: none with a place in the cache */
    struct smrf_program_set todo;        /* registers to be brought */
    uint8_t left;                        /* registers that are being brought */
    uint8_t next_op;                     /* of op */
    uint16_t readers;                    /* instructions that have still to read their sources */
    uint8_t pending[SMRF_REG_ZERO];      /* results under way, by register */
    uint8_t pending_long[SMRF_REG_ZERO]; /* the same for results from memory */
    struct smrf_program_set arriving;    /* registers whose results are on their way to the banks */
    struct smrf_static_inst op[16];      /* prefetches under way */
};

struct smrf_ltrf {
    struct smrf_register_cache cache;
    const struct smrf_ltrf_params *options;
    struct smrf_ltrf_stats stats;
    uint64_t at_barrier; /* bit w: warp w waits there */
    uint64_t begun;      /* its interval began after it joined the active list */
    uint64_t brings;     /* registers of it are being brought */
    uint64_t stuck;      /* its interval could not begin, and nothing has happened to it since */
    uint64_t ended;      /* no instruction has come since its last one */
    struct smrf_ltrf_warp warp[SMRF_MAX_WARPS];
};

extern const struct smrf_mechanism smrf_ltrf_mechanism;
extern const struct smrf_family smrf_ltrf_family;

#ifdef __cplusplus
}
#endif

#endif
