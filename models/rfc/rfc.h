/* SPDX-License-Identifier: Apache-2.0 */
/* Register file cache: results of a warp on the scheduler's active list go to a few entries of its own
 * and to a bank only when they are displaced, or when the warp leaves the list. What is read and not
 * there is read from the banks, and takes no entry.
 *
 * Source: Gebhart et al., Energy-efficient Mechanisms for Managing Thread Context in Throughput
 * Processors, ISCA 2011: two-level scheduler, entries a thread, allocation by writes, first in first
 * out, write-back of what is displaced and of everything when the warp is descheduled, dead values by
 * static liveness not written back.
 * Assumptions: a result of a register that has an entry goes into it and leaves the order as it was; a
 * result of some lanes takes an entry with these; a source whose lanes lie partly in an entry and partly
 * in its bank waits until the entry has been written back; a value that waits for its bank's port is
 * read from where it waits; a warp leaves the list when its last entry has been written; what comes back
 * to a warp that is not on the list, or is about to leave it, goes to the banks. Entries take any number
 * of results and reads in a cycle. */
#ifndef SMRF_RFC_H
#define SMRF_RFC_H

#include "rfc_params.h"

#include "models/common/smrf_program.h"
#include "models/seam/held.h"
#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, unit, "meaning") */
#define SMRF_RFC_STATS(X)                                                                          \
    X(sources, "operands", "distinct source registers of collected instructions")                  \
    X(hits, "operands", "read from entries")                                                       \
    X(misses, "operands", "read from the banks")                                                   \
    X(kept, "results", "that went to entries")                                                     \
    X(direct, "results", "that went to their banks at once")                                       \
    X(overwritten, "results", "over which a newer one of their register was written")              \
    X(evicted, "results", "written back to their banks")                                           \
    X(dead, "results", "that nobody needed when they were displaced: not written back")            \
    X(outdated, "results", "whose bank had newer values by the time they got to it")               \
    X(ended, "results", "that were there when their warp ended")                                   \
    X(resident, "results", "in entries now")                                                       \
    X(flushes, "times", "a warp with entries was to leave the active list")                         \
    X(flushed, "results", "that had to leave with it")                                             \
    X(split, "times", "a source lay partly in an entry and partly in its bank")                    \
    X(by_program, "instructions", "whose dead registers the analysis of the program told")         \
    X(by_lookahead, "instructions", "whose dead registers an exact look ahead in the trace told")  \
    X(by_nobody, "instructions", "of whose dead registers nothing is known")                       \
    X(faults_resident, "times", "a warp came to the active list with entries")

#define SMRF_RFC_FIELD(name, unit, meaning) uint64_t name;
struct smrf_rfc_stats {
    SMRF_RFC_STATS(SMRF_RFC_FIELD)
};
#undef SMRF_RFC_FIELD

struct smrf_rfc_warp {
    struct smrf_held entries;
    struct smrf_program_set live; /* after its last instruction */
    bool known;                   /* .. if anything is known of it */
    uint16_t base;                /* physical register of its R0 */
    uint32_t registers;           /* that it has */
};

struct smrf_rfc {
    struct smrf_mechanism_setup setup;
    const struct smrf_rfc_params *options;
    struct smrf_services services;
    struct smrf_rfc_stats stats;
    uint64_t active;  /* bit w: warp w is on the active list .. */
    uint64_t leaving; /* .. and about to leave it */
    uint64_t split;   /* its next instruction waits for an entry to be written back */
    uint32_t tokens;
    struct smrf_rfc_warp warp[SMRF_MAX_WARPS];
};

extern const struct smrf_mechanism smrf_rfc_mechanism;
extern const struct smrf_family smrf_rfc_family;

#ifdef __cplusplus
}
#endif

#endif
