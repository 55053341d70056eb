/* SPDX-License-Identifier: Apache-2.0 */
/* Constant cache of a sub-core, which instructions of fixed latency read as they issue: 64-byte
 * lines, the least recently used of a set replaced, one latency for every miss, any number of them
 * at a time. LDC reads elsewhere. The cache behind it has everything.
 * Source: Huerta MICRO 2025: a miss at issue takes 79 cycles; 512 bytes in its simulator. */
#ifndef SMRF_CONSTANT_L0_H
#define SMRF_CONSTANT_L0_H

#include "icache.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CONSTANT_LINE_BYTES 64
#define SMRF_CONSTANT_LINES 64 /* 4 KiB */

/* A cache of constants. Its addresses are bank x 64 KiB + offset. line: [SMRF_CONSTANT_LINES], its
 * own. Returns 0 or SMRF_ERR_INVAL: more lines than these, sets not a power of two. */
int smrf_constant_l0_init(struct smrf_icache *c, struct smrf_icache_line *line,
                          const struct smrf_frontend_params *params);

#ifdef __cplusplus
}
#endif

#endif
