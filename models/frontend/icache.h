/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction cache of an SM: 128-byte lines, least recently used line replaced, one latency for
 * every refill, any number of refills at a time. Ideal unless a size is configured. It gives a line
 * that an instruction waits for to one sub-core's cache (l0.h) at a time.
 * Source: Accel-Sim il1 for the geometry; the refill is proposed (frontend.icache_miss_latency);
 * one line every 2 cycles: first clocks of a block's warps on an A100. */
#ifndef SMRF_ICACHE_H
#define SMRF_ICACHE_H

#include "frontend_params.h"

#include "models/common/smrf_err.h"
#include "models/common/smrf_types.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_ICACHE_LINES 8192 /* 1 MiB */

struct smrf_icache_line {
    uint64_t ready; /* cycle from which its instructions are there */
    uint64_t used;  /* number of the access that used it last; 0 = empty */
    uint32_t tag;   /* pc or address / bytes of a line */
};

struct smrf_icache {
    uint32_t sets, ways, latency; /* sets 0: it has everything */
    uint32_t line_bytes;
    uint32_t interval; /* cycles between two lines for sub-cores that wait */
    uint64_t port;     /* cycle from which another one can be given */
    uint64_t accesses, misses;
    struct smrf_icache_line *line; /* set s: from s x ways */
};

/* The line of a set that has the tag; access: the number of this one. NULL: none has, and *victim
 * is the one to replace, an empty one or the least recently used. */
static inline struct smrf_icache_line *smrf_icache_find(struct smrf_icache_line *set, uint32_t ways,
                                                        uint32_t tag, uint64_t access,
                                                        struct smrf_icache_line **victim)
{
    *victim = set;
    for (uint32_t w = 0; w < ways; w++) {
        if (set[w].used && set[w].tag == tag) {
            set[w].used = access;
            return &set[w];
        }
        *victim = set[w].used < (*victim)->used ? &set[w] : *victim;
    }
    return NULL;
}

/* What a cache of lines has. */
struct smrf_icache_shape {
    uint32_t bytes, line_bytes, ways, latency;
    uint32_t most; /* lines there is room for */
};

/* A cache of that shape. line: [most], its own. Returns 0 or SMRF_ERR_INVAL: more lines than these,
 * sets not a power of two. */
int smrf_icache_build(struct smrf_icache *c, struct smrf_icache_line *line,
                      const struct smrf_icache_shape *shape);

/* line: [SMRF_ICACHE_LINES], its own. Returns 0 or SMRF_ERR_INVAL: more lines than these, sets not
 * a power of two. */
int smrf_icache_init(struct smrf_icache *c, struct smrf_icache_line *line,
                     const struct smrf_frontend_params *params);

/* Empty: another kernel's code lies at the same addresses. Counters stay. */
void smrf_icache_reset(struct smrf_icache *c);

/* Fetch the instruction at pc in this cycle. Returns the cycle from which it can be issued: `cycle`
 * on a hit, later while its line is on its way. Cost: one look at each way of a set. */
uint64_t smrf_icache_fetch(struct smrf_icache *c, uint32_t pc, uint64_t cycle);

/* The same for a sub-core's cache in which an instruction waits: in the first cycle in which the
 * cache can give a line. */
uint64_t smrf_icache_give(struct smrf_icache *c, uint32_t pc, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
