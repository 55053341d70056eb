/* SPDX-License-Identifier: Apache-2.0 */
/* What read stages are about to do, for profiles and timelines. */
#ifndef SMRF_READ_LOOK_H
#define SMRF_READ_LOOK_H

#include "read_stage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names what banks deliver in a cycle to come whose reads are all reserved, as the next one's are:
 * sources (bit i) of an instruction. */
static inline void smrf_read_stage_look(const struct smrf_read_stage *r, uint64_t cycle, void *ctx,
                                        void (*name)(void *ctx, uint32_t flight, uint32_t sources))
{
    for (uint64_t m = r->reading; m; m &= m - 1) {
        const struct smrf_read_entry *entry = &r->entry[__builtin_ctzll(m)];
        uint32_t sources = 0;
        for (uint32_t s = entry->missing; s; s &= s - 1) {
            sources |= entry->at[__builtin_ctz(s)] == cycle ? s & -s : 0;
        }
        if (sources) {
            name(ctx, entry->flight, sources);
        }
    }
}

#ifdef __cplusplus
}
#endif

#endif
