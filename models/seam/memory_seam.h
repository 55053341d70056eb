/* SPDX-License-Identifier: Apache-2.0 */
/* Seam of the load/store unit: loads whose registers come from other registers instead of memory,
 * and everything that may make such a register out of date. */
#ifndef SMRF_MEMORY_SEAM_H
#define SMRF_MEMORY_SEAM_H

#include "models/flight/flight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A memory instruction with its addresses. */
struct smrf_memory_request {
    const struct smrf_flight *f;
    const struct smrf_inst *inst; /* its lanes' addresses */
    uint64_t cycle;
    uint32_t flight; /* number of f */
    uint8_t space;   /* enum smrf_space; generic addresses are resolved */
};

enum smrf_memory_verdict {
    SMRF_MEMORY_ISSUE, /* it goes its way */
    SMRF_MEMORY_SHARE, /* registers already hold what it would load: no access, no bank write */
    SMRF_MEMORY_MERGE  /* two registers hold it together: they are read, shifted, and written */
};

#define SMRF_MEMORY_WAIT UINT32_MAX    /* delay: until the service `finish` */
#define SMRF_MERGE_DST SMRF_MERGED_ROW /* most destinations of a merge: no load has more */

/* What one of two registers gives to a merged one: lane l of it, for every l in lanes, is its lane
 * l + shift. */
struct smrf_merge_part {
    struct smrf_register_place from;
    uint32_t lanes;
    int8_t shift;
};

struct smrf_memory_answer {
    /* SHARE: cycles from now until the destinations are usable, or MEMORY_WAIT. MERGE: 0, or
     * MEMORY_WAIT: its parts are collected after `finish`. */
    uint32_t delay;
    /* MERGE: the collector unit of the sub-core that reads the registers. Whoever wants it free for
     * this keeps instructions away from it (allocation seam). */
    uint8_t collector;
    /* Where the destinations lie: on entry what renaming said, on return what is so. */
    struct smrf_register_place at[SMRF_MAX_DST];
    struct smrf_merge_part part[SMRF_MERGE_DST][2]; /* MERGE, of each destination */
};

struct smrf_memory_seam {
    /* A load has its addresses. Asked in the cycle in which it leaves the latch before the
     * load/store unit; loads without an active lane or a destination, fences, atomics and the
     * mechanism's own operations are not asked about. */
    enum smrf_memory_verdict (*address)(void *m, const struct smrf_memory_request *r,
                                        struct smrf_memory_answer *answer);
    /* The same again of one that was issued and goes to the L1, with the L1's answer, or past it.
     * readable: all of it can be read there. It is given in the same cycle, but l1d.latency cycles
     * pass before another verdict than ISSUE takes effect, unless it goes past the L1 (l1d.bypass,
     * or its opcode). NULL: not asked. */
    enum smrf_memory_verdict (*l1)(void *m, const struct smrf_memory_request *r, bool readable,
                                   struct smrf_memory_answer *answer);
    /* A store or an atomic leaves for the memory: what lies at its lanes' addresses changes. The
     * mechanism has no say in it. NULL: not told. */
    void (*store)(void *m, const struct smrf_memory_request *r);
    /* A load has ended, whatever the verdict: its destinations are usable. NULL: not told. */
    void (*loaded)(void *m, const struct smrf_flight *f, uint32_t flight);
    uint32_t merge_cycles; /* from a merge's operands to its result at write-back, at least 1 */
    /* The mechanism itself finds uses of bytes that a store has changed: values of a trace that
     * differ only because its warps race are no error then. */
    bool logs;
    /* A memory fence leaves the latch before the load/store unit. NULL: not told. */
    void (*fence)(void *m, const struct smrf_flight *f);
};

#ifdef __cplusplus
}
#endif

#endif
