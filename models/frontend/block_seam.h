/* SPDX-License-Identifier: Apache-2.0 */
/* Seam: thread blocks of an SM, as they come and go. */
#ifndef SMRF_BLOCK_SEAM_H
#define SMRF_BLOCK_SEAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A thread block and what it has done so far. */
struct smrf_block_record {
    uint64_t number;      /* in its grid, x fastest */
    uint64_t first, last; /* cycles: its warps are fetched from first on and have drained in last */
    uint64_t warp_insts;  /* of the trace, issued by its warps; not those removed */
    uint64_t thread_insts; /* .. their active lanes */
    uint64_t micro_insts;  /* operations of the mechanism's own, issued; in neither of the two */
    uint64_t warps;        /* bit w: warp slot w of the SM is its own */
    uint32_t registers;    /* a thread, given when it was placed */
    uint32_t slot;         /* block slot, which another block has after it */
};

/* m: the SM's own part of the mechanism, told while the SM runs. What an SM does follows from what
 * it was told and from nothing of other SMs, which may be ahead of it or behind: those are compared
 * at the edges of struct smrf_gpu_seam. */
struct smrf_block_seam {
    /* A block is placed: before its warps start; nothing issued, last 0. NULL: not told. */
    void (*placed)(void *m, const struct smrf_block_record *block);
    /* Its last warp has exited; its registers are free, and whether the next block finds room is
     * asked at the end of this cycle. NULL: not told. */
    void (*finished)(void *m, const struct smrf_block_record *block);
};

#ifdef __cplusplus
}
#endif

#endif
