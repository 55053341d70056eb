/* SPDX-License-Identifier: Apache-2.0 */
/* What a slice of the L2 does (l2.c), for the time that it shares with its DRAM channel
 * (l2_channel.c). */
#ifndef SMRF_MEMORY_L2_INTERNAL_H
#define SMRF_MEMORY_L2_INTERNAL_H

#include "models/memory/l2.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t smrf_l2_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The cycle in which a slice takes the next sector from DRAM, as far as it is known. */
static inline uint64_t smrf_l2_next_fill(const struct smrf_l2 *l, uint32_t s)
{
    return smrf_l2_later(smrf_dram_arrival(l->dram, s), l->slice[s].filled);
}

/* .. and in which its MSHRs give their next answer. */
static inline uint64_t smrf_l2_next_answer(const struct smrf_l2_slice *slice)
{
    return smrf_mshr_any_ready(&slice->mshr) ? slice->answer : SMRF_NEVER;
}

/* Sectors from DRAM and answers up to and including `cycle`, in their order: in a cycle one request
 * whose sector came before it is answered, then a sector comes. Returns false if there was none. */
bool smrf_l2_catch_up(struct smrf_l2 *l, uint32_t s, uint64_t cycle);

/* Access of the oldest request, which has arrived. */
void smrf_l2_access(struct smrf_l2 *l, uint32_t s, uint64_t cycle);

/* Where the oldest request reads one more sector of the line that was accessed last, and misses it
 * as nothing stands against that: its access. Returns whether it was made; what else happens in the
 * slice up to its cycle changes nothing here. There is room in the queue to DRAM. */
bool smrf_l2_read_on(struct smrf_l2 *l, uint32_t s, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
