/* SPDX-License-Identifier: Apache-2.0 */
/* What the warps of a running thread block share. */
#ifndef SMRF_EXEC_BLOCK_H
#define SMRF_EXEC_BLOCK_H

#include "firmware/exec/exec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_EXEC_BARRIERS 16 /* named barriers of a block: BAR 0x0 .. 0xf */
#define SMRF_EXEC_BANK0_BYTES                                                                      \
    (0x210 + SMRF_EXEC_MAX_PARAMS) /* parameters start at 0x160 or, on sm_90, at 0x210 */

/* A named barrier of the block. Threads are counted; a warp all of whose live lanes have arrived
 * counts as 32, as in hardware. */
struct smrf_exec_barrier {
    uint32_t expected; /* threads, 0 = every live one */
    uint32_t waiting;  /* lanes that wait */
    uint32_t arrived;  /* threads that only announced themselves (BAR.ARV) */
    uint32_t count;    /* BAR.RED: lanes whose predicate holds */
    uint32_t voters;   /* BAR.RED: lanes that took part */
};

struct smrf_exec_block {
    /* Constant banks of the launch; NULL and 0 where there is none. A function's own bank (its
     * literals and switch tables) is not here: see smrf_exec_fold_const. */
    const uint8_t *const_data[SMRF_SASS_CONST_BANKS];
    uint32_t const_bytes[SMRF_SASS_CONST_BANKS];

    const struct smrf_exec_launch *launch;
    struct smrf_memory_space *space;
    struct smrf_exec_claims *claims; /* on what the block uses of the space; NULL: it runs alone */
    struct smrf_exec_dim id;
    uint32_t num_warps, num_threads;
    uint8_t *shared;
    uint32_t shared_bytes;
    uint8_t *local; /* [warp][lane][local_stride] */
    uint32_t local_bytes;
    size_t local_stride; /* more than local_bytes, so that lanes do not share a cache's sets */
    uint32_t local_low, local_high;    /* offsets cleared since the block began: [low, high) */
    uint64_t address[SMRF_EXEC_LANES]; /* of the last memory instruction */
    uint64_t clock;                    /* warp instructions of the launch so far, less clock_base */
    uint64_t clock_base;               /* those of earlier blocks, where the block has claims */
    struct {
        uint64_t value;
        uint64_t count; /* of what ran before the last look */
        uint64_t ahead; /* of what ran, where the block waits for it */
        uint32_t reads; /* in quick succession */
    } watch;            /* of the clock */
    uint64_t writes;    /* stores, and atomics that changed shared or global memory */
    uint32_t live_threads;
    uint32_t barriers_in_use; /* bit mask */
    struct smrf_exec_barrier barrier[SMRF_EXEC_BARRIERS];
    struct smrf_exec_totals *totals;
    uint8_t past[SMRF_EXEC_LANES][16]; /* what lanes read past the end of an allocation */
    char text[256]; /* what warp->error points to where a reason has numbers in it */
    uint8_t bank0[SMRF_EXEC_BANK0_BYTES];
};

/* Record a failure of one lane (-1 = of the whole warp); printf-like. Returns code. */
int smrf_exec_fail(struct smrf_exec_warp *warp, int lane, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The reason why an instruction of a block that is to be undone fails: not shown. */
#define SMRF_EXEC_UNDONE "the block begins again"

/* claims.h: for blocks that run beside others. */
/* Claims the bytes at every active lane's address in b->address; they lie in one range, from low to
 * the byte before high + bytes. NULL: not all of them are allocated, or the block is to be undone.
 * Else the host pointer of low. b->claims is set. */
void *smrf_claims_lanes(struct smrf_exec_block *b, uint32_t mask, uint64_t low, uint64_t high,
                        uint32_t bytes, bool write);
/* For what cannot be undone: waits until the block is the oldest, if it has claims. */
bool smrf_claims_settle(struct smrf_exec_block *b);
/* For what no other block may see half done: waits until no other thread runs a block, and gives up
 * the claims. The rest runs as if there were no threads. False: the block is to be undone. */
bool smrf_claims_alone(struct smrf_exec_block *b);

#ifdef __cplusplus
}
#endif

#endif
