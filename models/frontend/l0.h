/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction caches of the sub-cores (L0) before the SM's instruction cache (L1), each with a
 * stream buffer: a miss asks for its line and for those behind it, and each line that is taken out
 * of the buffer for one more. The L1 gives a line to one sub-core at a time. Lines that are asked
 * for ahead go round the sub-cores and delay none that an instruction waits for.
 * Source: Huerta MICRO 2025 5.2: a stream buffer of 8 lines fits best; 39 cycles to the L1 and 39
 * back in its simulator. One line every 2 cycles: first clocks of a block's warps on an A100. */
#ifndef SMRF_L0_H
#define SMRF_L0_H

#include "icache.h"

#include "models/common/smrf_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_L0_LINES 512 /* of a sub-core: 64 KiB */
#define SMRF_L0_AHEAD 16  /* of a stream buffer */

/* The lines behind the last one that missed: `first` and so on, in order. */
struct smrf_l0_stream {
    uint32_t first, count;
    uint64_t ready[SMRF_L0_AHEAD]; /* cycle from which a line is there */
};

struct smrf_l0 {
    uint32_t subcores, sets, ways, ahead, latency, interval;
    uint64_t port;                 /* cycle from which the L1 gives another line */
    struct smrf_icache *l1;        /* NULL: it has everything */
    struct smrf_icache_line *line; /* [subcores x SMRF_L0_LINES]; sub-core s, set t: see set_of_ */
    uint64_t accesses, misses, streamed;
    struct smrf_l0_stream stream[SMRF_MAX_SUBCORES];
};

/* line: [subcores x SMRF_L0_LINES], its own. l1: NULL: an ideal one. Returns 0 or SMRF_ERR_INVAL:
 * more lines than these, sets not a power of two. */
int smrf_l0_init(struct smrf_l0 *c, struct smrf_icache_line *line,
                 const struct smrf_frontend_params *params, uint32_t subcores,
                 struct smrf_icache *l1);

/* Empty: another kernel's code lies at the same addresses. Counters stay. */
void smrf_l0_reset(struct smrf_l0 *c);

/* Fetch the instruction at pc for a warp of a sub-core. Returns the cycle from which it is there:
 * `cycle` on a hit. */
uint64_t smrf_l0_fetch(struct smrf_l0 *c, unsigned sub, uint32_t pc, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
