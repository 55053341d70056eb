/* SPDX-License-Identifier: Apache-2.0 */
/* Register file cache that is filled interval by interval: the compiler parts a program into regions
 * with one entry and few registers; a warp on the scheduler's active list that comes to another one
 * first brings its registers from the banks, by operations of its own, and then finds every source in
 * the cache. Results go there, and to a bank when another interval or the pending list takes the warp.
 *
 * Source: Sadrosadati et al., LTRF, ASPLOS 2018: intervals, prefetch at their beginning, two-level
 * scheduler. The intervals come with the program (facts of instructions).
 * Assumptions: a prefetch operation takes a collector unit as any instruction does, and no execution
 * unit that vector instructions use; registers that nobody needs any more, or whose results are under
 * way, are not brought; a warp whose next instruction waits for memory is brought nothing before that
 * has answered; without a program, and in an interval that is larger than the cache, everything is in
 * the banks. What leaves the cache, and sources of which some lanes are elsewhere, as in rfc's: by the
 * ports of the banks, dead values not. */
#ifndef SMRF_LTRF_H
#define SMRF_LTRF_H

#include "ltrf_params.h"

#include "models/common/smrf_program.h"
#include "models/seam/held.h"
#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, unit, "meaning") */
#define SMRF_LTRF_STATS(X)                                                                         \
    X(sources, "operands", "distinct source registers of collected instructions and prefetches")   \
    X(hits, "operands", "of instructions, read from the cache")                                    \
    X(misses, "operands", "of instructions, read from the banks")                                  \
    X(fetched, "operands", "of prefetches, read from the banks")                                   \
    X(returned, "operands", "of prefetches, found on their way to the banks")                      \
    X(operations, "operations", "prefetches")                                                      \
    X(intervals, "times", "a warp began an interval")                                              \
    X(uncovered, "operands", "of instructions, that their interval does not name")                 \
    X(kept, "results", "that went to the cache")                                                   \
    X(direct, "results", "that went to their banks at once")                                       \
    X(overwritten, "results", "over which a newer one of their register was written")              \
    X(evicted, "results", "written back to their banks")                                           \
    X(dead, "results", "that nobody needed when they had to go: not written back")                 \
    X(outdated, "results", "whose bank had newer values by the time they got to it")               \
    X(ended, "results", "that were there when their warp ended")                                   \
    X(resident, "results", "in the cache now and in no bank")                                      \
    X(flushes, "times", "a warp with values was to leave the active list")                         \
    X(split, "times", "a source lay partly in the cache and partly in its bank")                   \
    X(by_program, "instructions", "of which the program told the interval")                        \
    X(by_nobody, "instructions", "of which nothing is known: all in the banks")                    \
    X(faults_resident, "times", "a warp came to the active list with values")

#define SMRF_LTRF_FIELD(name, unit, meaning) uint64_t name;
struct smrf_ltrf_stats {
    SMRF_LTRF_STATS(SMRF_LTRF_FIELD)
};
#undef SMRF_LTRF_FIELD

struct smrf_ltrf_warp {
    struct smrf_held held;
    const struct smrf_program_set *interval; /* that it is in, NULL: none with a place in the cache */
    bool begun;                              /* .. since it came to the active list */
    struct smrf_program_set todo;            /* registers to be brought */
    uint8_t left;                            /* registers that are being brought */
    uint8_t next_op;                         /* of op */
    uint16_t readers;                        /* instructions that have still to read their sources */
    struct smrf_program_set live;            /* after its last instruction */
    bool known;                              /* .. if anything is known of it */
    uint16_t base;                           /* physical register of its R0 */
    uint32_t registers;                      /* that it has */
    uint8_t pending[SMRF_REG_ZERO];          /* results under way, by register .. */
    uint8_t pending_long[SMRF_REG_ZERO];     /* .. of these, from memory */
    struct smrf_program_set arriving;        /* .. of these, that their banks are getting */
    struct smrf_static_inst op[16];          /* prefetches under way */
};

struct smrf_ltrf {
    struct smrf_mechanism_setup setup;
    const struct smrf_ltrf_params *options;
    struct smrf_services services;
    struct smrf_ltrf_stats stats;
    uint64_t active;  /* bit w: warp w is on the active list .. */
    uint64_t leaving; /* .. and about to leave it */
    uint64_t waits;   /* its next instruction waits for registers to come or go */
    uint32_t tokens;
    struct smrf_ltrf_warp warp[SMRF_MAX_WARPS];
};

extern const struct smrf_mechanism smrf_ltrf_mechanism;
extern const struct smrf_family smrf_ltrf_family;

#ifdef __cplusplus
}
#endif

#endif
