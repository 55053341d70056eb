/* SPDX-License-Identifier: Apache-2.0 */
/* BOW: the bypassing operand collectors of an SM, private to each warp or shared in turns. In the
 * shared form a warp has at most one collector, so that its copies are in one place. As many of a
 * warp's instructions as the window has places may be in collection at once (rf.collector_slots):
 * an instruction enters when that whose place it takes has been dispatched.
 * Source: Malekeh (long) VI-B, (short) 9.2. */
#ifndef SMRF_BOW_H
#define SMRF_BOW_H

#include "boc.h"
#include "bow_params.h"

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, unit, "meaning") */
#define SMRF_BOW_STATS(X)                                                                          \
    X(entered, "instructions", "instructions that entered a collector")                            \
    X(sources, "operands", "distinct source registers of these instructions")                      \
    X(hits, "operands", "operands forwarded from the window")                                      \
    X(misses, "operands", "operands read from the banks")                                          \
    X(unbuffered, "operands",                                                                      \
      "sources that were not kept, because the instruction had no slot left")                      \
    X(results, "operands", "register writes")                                                      \
    X(values, "values", "values that entered the windows: read from a bank, or results kept")      \
    X(kept, "operands", "results that a slot took")                                                \
    X(kept_read, "operands", "kept results that were forwarded before they left the window")       \
    X(slid_out, "operands",                                                                        \
      "results whose instruction had left the window before they came, or that had no slot")       \
    X(homeless, "operands", "results of warps without a collector")                                \
    X(flushes, "events", "windows dropped because another warp took the collector")                \
    X(branch_flushes, "events", "windows dropped at a taken branch")                               \
    X(storage_values, "bytes/SM", "storage of the windows' values")

#define SMRF_BOW_FIELD(name, unit, meaning) uint64_t name;
struct smrf_bow_stats {
    SMRF_BOW_STATS(SMRF_BOW_FIELD)
};
#undef SMRF_BOW_FIELD

struct smrf_bow {
    struct smrf_mechanism_setup setup;
    const struct smrf_bow_params *options;
    struct smrf_boc_config boc_config;
    struct smrf_bow_stats stats;
    uint32_t units, subs, sub_shift;
    uint32_t slots;  /* of a collector; the last `slots` instructions of its window may be in
                        collection */
    uint32_t in_use; /* of them: no more than the window is long */
    uint8_t next[SMRF_MAX_SUBCORES][SMRF_MAX_COLLECTORS]; /* slot that a collector fills next */
    uint32_t next_slots[SMRF_MAX_SUBCORES];               /* the same as bits of all slots */
    uint8_t unit_of_slot[SMRF_MAX_COLLECTING];
    uint64_t owners[SMRF_MAX_SUBCORES];                 /* bit k: warp k has a collector */
    uint8_t unit_of[SMRF_MAX_SUBCORES][SMRF_MAX_WARPS]; /* of an owner */
    struct smrf_boc *boc;                               /* [subs x units], behind this struct */
};

extern const struct smrf_mechanism smrf_bow_long, smrf_bow_short;
extern const struct smrf_family smrf_bow_family;

#ifdef __cplusplus
}
#endif

#endif
