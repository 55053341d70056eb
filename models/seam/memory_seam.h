/* SPDX-License-Identifier: Apache-2.0 */
/* Seam of the load/store unit: loads that get their data from other registers instead of memory,
 * and everything that can make such a register out of date. */
#ifndef SMRF_MEMORY_SEAM_H
#define SMRF_MEMORY_SEAM_H

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A memory instruction with its addresses. */
struct smrf_memory_request {
    const struct smrf_flight *f;
    const struct smrf_inst *inst; /* addresses of its lanes */
    uint64_t cycle;
    uint32_t flight; /* number of the flight f */
    uint8_t space;   /* enum smrf_space; generic addresses are resolved */
};

enum smrf_memory_verdict {
    SMRF_MEMORY_ISSUE, /* the load goes to memory */
    SMRF_MEMORY_SHARE, /* its registers already hold the data: no access, no bank write */
    SMRF_MEMORY_MERGE /* two registers hold the data together: they are read, shifted and written */
};

#define SMRF_MEMORY_WAIT UINT32_MAX    /* delay: until the service `finish` */
#define SMRF_MERGE_DST SMRF_MERGED_ROW /* most destinations of a merge */

/* The part of one register in a merged one: lane l of the result, for every l in lanes, is lane l +
 * shift of this register. */
struct smrf_merge_part {
    struct smrf_register_place from;
    uint32_t lanes;
    int8_t shift;
};

struct smrf_memory_answer {
    /* SHARE: cycles from now until the destinations are usable, or MEMORY_WAIT. MERGE: 0, or
     * MEMORY_WAIT: its parts are collected after `finish`. */
    uint32_t delay;
    /* MERGE: the collector unit of the sub-core that reads the registers. A mechanism that wants it
     * free for this keeps instructions away from it (allocation seam). */
    uint8_t collector;
    /* The places of the destinations: on entry those of the rename seam, on return the present
     * ones. */
    struct smrf_register_place at[SMRF_MAX_DST];
    struct smrf_merge_part part[SMRF_MERGE_DST][2]; /* MERGE: for each destination */
};

struct smrf_memory_seam {
    /* A load has its addresses. Called in the cycle in which it leaves the latch before the
     * load/store unit. Not called for loads without an active lane or a destination, for fences,
     * atomics and the mechanism's own operations. */
    enum smrf_memory_verdict (*address)(void *m, const struct smrf_memory_request *r,
                                        struct smrf_memory_answer *answer);
    /* Called again for a load that was issued, with the L1's answer, or when it bypasses the L1.
     * readable: all of its data can be read there. The call is in the same cycle, but a verdict
     * other than ISSUE takes effect l1d.latency cycles later, unless the load bypasses the L1
     * (l1d.bypass, or its opcode). NULL: not called. */
    enum smrf_memory_verdict (*l1)(void *m, const struct smrf_memory_request *r, bool readable,
                                   struct smrf_memory_answer *answer);
    /* A store or an atomic leaves for the memory and changes the bytes at its lanes' addresses. The
     * mechanism cannot stop it. NULL: not called. */
    void (*store)(void *m, const struct smrf_memory_request *r);
    /* A load has ended, with any verdict: its destinations are usable. NULL: not called. */
    void (*loaded)(void *m, const struct smrf_flight *f, uint32_t flight);
    uint32_t
        merge_cycles; /* cycles from a merge's operands to its result at write-back, at least 1 */
    /* The mechanism itself finds uses of bytes that a store has changed. Values that differ from
     * the trace only because its warps race are no error then. */
    bool logs;
    /* A memory fence leaves the latch before the load/store unit. NULL: not called. */
    void (*fence)(void *m, const struct smrf_flight *f);
};

#ifdef __cplusplus
}
#endif

#endif
