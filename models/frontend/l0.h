/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction cache of a sub-core (L0) before the SM's instruction cache (L1), with a stream
 * buffer: a miss asks for its line and for those behind it, and each line that is taken out of the
 * buffer for one more. Lines that are asked for ahead go round the sub-cores and delay none that an
 * instruction waits for.
 * Source: Huerta MICRO 2025 5.2: a stream buffer of 8 lines fits best; 39 cycles to the L1 and 39
 * back in its simulator. */
#ifndef SMRF_L0_H
#define SMRF_L0_H

#include "icache.h"

#include "models/common/smrf_types.h"
#include "models/wires/wires.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_L0_LINES 512 /* 64 KiB */
#define SMRF_L0_AHEAD 16  /* of a stream buffer */

/* The lines behind the last one that missed: `first` and so on, in order. */
struct smrf_l0_stream {
    uint32_t first, count;
    uint64_t ready[SMRF_L0_AHEAD]; /* cycle from which a line is there */
};

struct smrf_l0 {
    uint32_t sub, sets, ways, ahead, latency;
    uint32_t turn; /* cycles between two lines that are asked for ahead */
    const struct smrf_wires *wires;
    struct smrf_icache_line *line; /* [SMRF_L0_LINES]; set s: from s x ways */
    uint64_t accesses, misses, streamed;
    struct smrf_l0_stream stream;
};

/* line: [SMRF_L0_LINES], its own. sub: its number among `subcores`. Lines come over the wire
 * `code_line`. Returns 0 or SMRF_ERR_INVAL: more lines than these, sets not a power of two. */
int smrf_l0_init(struct smrf_l0 *c, struct smrf_icache_line *line,
                 const struct smrf_frontend_params *params, uint32_t sub, uint32_t subcores,
                 const struct smrf_wires *wires);

/* Empty: another kernel's code lies at the same addresses. Counters stay. */
void smrf_l0_reset(struct smrf_l0 *c);

/* Fetch the instruction at pc. Returns the cycle from which it is there: `cycle` on a hit. */
uint64_t smrf_l0_fetch(struct smrf_l0 *c, uint32_t pc, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
