/* SPDX-License-Identifier: Apache-2.0 */
/* Seams: thread blocks and warps of an SM, as they come and go. */
#ifndef SMRF_BLOCK_SEAM_H
#define SMRF_BLOCK_SEAM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A thread block and what it has done so far. */
struct smrf_block_record {
    uint64_t number;      /* in its grid, x fastest */
    uint64_t first, last; /* cycles: its warps are fetched from first on and have drained in last */
    uint64_t warp_insts;  /* of the trace, issued by its warps; not those removed */
    uint64_t thread_insts; /* active lanes of these instructions */
    uint64_t micro_insts;  /* operations of the mechanism's own, issued; in neither of the two */
    uint64_t warps;        /* bit w: warp slot w of the SM is its own */
    uint32_t registers;    /* a thread, given when it was placed */
    uint32_t slot;         /* block slot, which another block has after it */
};

/* m: the mechanism's state of this SM; called while the SM runs. An SM does not depend on the
 * state of other SMs, which may be ahead of it or behind: states of several SMs are compared at
 * the edges of struct smrf_gpu_seam. */
struct smrf_block_seam {
    /* A block is placed: before its warps start; nothing issued, last 0. NULL: not called. */
    void (*placed)(void *m, const struct smrf_block_record *block);
    /* Its last warp has exited; its registers are free, and room for
     * the next block is looked for at the end of this cycle. NULL: not called. */
    void (*finished)(void *m, const struct smrf_block_record *block);
    /* Does the record count instructions? Else warp_insts, thread_insts and micro_insts are 0. */
    bool counted;
};

/* Seam: the life of a warp. Called after the issue stage knows. */
struct smrf_warp_seam {
    /* The warp starts, with its physical registers of its sub-core from base on. */
    void (*start)(void *m, unsigned warp, uint16_t base, uint32_t registers);
    /* It has exited; its registers are free. */
    void (*exit)(void *m, unsigned warp);
    /* It waits at its block's barrier, or no longer. NULL: not called. */
    void (*barrier)(void *m, unsigned warp, bool waits);
};

#ifdef __cplusplus
}
#endif

#endif
