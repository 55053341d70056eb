/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks on several threads with the results of blocks one after the other. Each block claims the
 * parts of global memory that it reads and writes before it does so. The block that would run
 * first, the oldest, has priority: a younger block that has used what the oldest wants to write, or
 * has written what it wants to read, is undone and begins again; a younger block that meets a claim
 * of an older one waits until that has ended. What cannot be undone (output, the device heap)
 * waits until the block is the oldest. */
#ifndef SMRF_EXEC_CLAIMS_H
#define SMRF_EXEC_CLAIMS_H

#include "firmware/exec/block.h"

#include <stdatomic.h>

/* What the threads of a launch share. Positions number its blocks in order. */
struct smrf_exec_order {
    uint8_t apart[SMRF_EXEC_APART];                    /* from what its owner changes */
    _Atomic uint64_t oldest;                           /* every block before it has ended */
    _Atomic uint64_t clock;                            /* warp instructions of those */
    _Atomic bool closing;                              /* the oldest goes on alone, or has failed */
    _Atomic uint32_t active;                           /* threads that run blocks */
    _Atomic uint64_t position[SMRF_EXEC_MOST_THREADS]; /* of the block that a thread runs */
    _Atomic uint64_t undo[SMRF_EXEC_MOST_THREADS];     /* position of a block to undo */
    uint8_t apart_too[SMRF_EXEC_APART];
};
#define SMRF_EXEC_NO_POSITION UINT64_MAX

struct smrf_exec_claimed; /* words of claims that have bits of a block */
struct smrf_exec_saved;   /* bytes as they were before a block wrote */

/* A thread's, for the block that it runs. */
struct smrf_exec_claims {
    struct smrf_exec_order *order;
    unsigned slot;
    uint64_t position;
    bool undone; /* the block is to be undone */
    struct smrf_exec_claimed *claimed;
    size_t num_claimed, claimed_room;
    struct smrf_exec_saved *saved;
    size_t num_saved, saved_room;
};

/* Room for claims on everything that is allocated in space; false: no memory, or the space's memory
 * is not all there. */
bool smrf_claims_prepare(struct smrf_memory_space *space);
/* The space as a thread sees it. While views exist, nothing may be allocated or freed. */
struct smrf_memory_space *smrf_claims_view(struct smrf_memory_space *space,
                                           struct smrf_exec_claims *claims);
void smrf_claims_view_free(struct smrf_memory_space *view);

/* A block begins. */
void smrf_claims_begin(struct smrf_exec_claims *c, uint64_t position);
/* The block is to be undone: an older one needs it, or goes on alone. */
bool smrf_claims_undone(struct smrf_exec_claims *c);
/* Waits until the block is the oldest. False: it is to be undone. */
bool smrf_claims_wait(struct smrf_exec_claims *c);
/* Memory is as before the block, which has no claims any more. */
void smrf_claims_undo(struct smrf_exec_claims *c);
/* The block has ended: what it wrote stays. */
void smrf_claims_release(struct smrf_exec_claims *c);
void smrf_claims_free(struct smrf_exec_claims *c);

/* Passes time until another thread has got on. */
void smrf_claims_pause(unsigned *rounds);

#endif
