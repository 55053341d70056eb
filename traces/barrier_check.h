/* SPDX-License-Identifier: Apache-2.0 */
/* Do the warps of a block meet at their barriers? BAR has a number, and may have a count of
 * threads, which a trace line does not say. So a barrier is taken to be complete as early as any
 * count allows: what is refused here no count lets pass. */
#ifndef SMRF_BARRIER_CHECK_H
#define SMRF_BARRIER_CHECK_H

#include "packed.h"

/* Two warps that wait alone, each at a barrier of its own. */
struct smrf_barrier_conflict {
    uint32_t warp[2];
    uint64_t barrier[2];
};

/* Replay the barriers of a block that has not been read from yet. Reads every instruction once.
 * Returns 1 with *found set, 0, or an error of the temporary file. */
int smrf_barrier_check(const struct smrf_packed_block *b, struct smrf_barrier_conflict *found);

#endif
