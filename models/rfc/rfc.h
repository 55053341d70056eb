/* SPDX-License-Identifier: Apache-2.0 */
/* Register file cache: results of a warp on the scheduler's active list go to a few entries of its
 * own and to a bank only when they are displaced, or when the warp leaves the list. What is read
 * and not there is read from the banks, and takes no entry.
 *
 * Source: Gebhart et al., Energy-efficient Mechanisms for Managing Thread Context in Throughput
 * Processors, ISCA 2011: two-level scheduler, entries a thread, allocation by writes, first in
 * first out, write-back of what is displaced and of everything when the warp is descheduled, dead
 * values by static liveness not written back.
 * Assumptions: a result of a register that has an entry goes into it and leaves the order as it
 * was; a result of some lanes takes an entry with these; a source whose lanes lie partly in an
 * entry and partly in its bank waits until the entry has been written back; a value that waits for
 * its bank's port is read from where it waits; a warp leaves the list when its last entry has been
 * written; what comes back to a warp that is not on the list, or is about to leave it, goes to the
 * banks. Entries take any number of results and reads in a cycle. */
#ifndef SMRF_RFC_H
#define SMRF_RFC_H

#include "rfc_params.h"

#include "models/register_cache/register_cache.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, unit, "meaning") */
#define SMRF_RFC_STATS(X)                                                                          \
    SMRF_REGISTER_CACHE_STATS(X)                                                                   \
    X(dead, "results", "dead results that were evicted without a write-back")                      \
    X(flushes, "times", "times that a warp with entries had to leave the active list")             \
    X(flushed, "results",                                                                          \
      "results that were written back because their warp left the active list")                    \
    X(split, "times", "times that a source was partly in an entry and partly in its bank")         \
    X(by_lookahead, "instructions",                                                                \
      "instructions whose dead registers come from an exact look ahead in the trace")

struct smrf_rfc_stats {
    SMRF_RFC_STATS(SMRF_REGISTER_CACHE_FIELD)
};

struct smrf_rfc {
    struct smrf_register_cache cache;
    const struct smrf_rfc_params *options;
    struct smrf_rfc_stats stats;
};

extern const struct smrf_mechanism smrf_rfc_mechanism;
extern const struct smrf_family smrf_rfc_family;

#ifdef __cplusplus
}
#endif

#endif
