/* SPDX-License-Identifier: Apache-2.0 */
/* A thread block on its way: shared by the files that run blocks and launches. */
#ifndef SMRF_EXEC_RUNNER_H
#define SMRF_EXEC_RUNNER_H

#include "firmware/exec/flow.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_exec_runner;
typedef int smrf_exec_turn(struct smrf_exec_runner *r, struct smrf_exec_flow *f);

struct smrf_exec_runner {
    struct smrf_exec_block block;
    struct smrf_exec_totals totals;
    struct smrf_exec_flow *flow; /* [block.num_warps] */
    smrf_exec_turn *take_turn;   /* runs a warp until it waits, ends or its turn is over */
    uint64_t max_insts;
    uint32_t turn; /* instructions after which a warp that spins gives way */
    uint32_t idle; /* rounds in which all warps have only yielded, weighed */
    const struct smrf_exec_listener *listener; /* NULL = none */
    const struct smrf_exec_op *entry;
    const struct smrf_exec_op *current; /* for messages */
};

/* A launch on its way (grid.c). */
struct smrf_exec_grid {
    const struct smrf_exec_launch *launch;
    struct smrf_exec_runner **open; /* blocks that have begun and not ended, in order */
    struct smrf_exec_runner *spare; /* of a block that has ended */
    uint64_t count, most;           /* open blocks: now, at a time */
    uint64_t next, blocks;          /* index of the next block to begin; how many there are */
    uint64_t clock;                 /* warp instructions so far */
    struct smrf_exec_totals totals; /* of the blocks that have ended */
    unsigned threads;               /* that may run blocks from now on */
    char *error;
};

/* Index of a block in its grid, and back: x is the fastest. */
struct smrf_exec_dim smrf_exec_block_id_(const struct smrf_exec_launch *l, uint64_t index);
/* How the only open block goes on after a round: to its end; or others take turns with it from now
 * on, since it may be waiting for them. Others: there are blocks that have not begun. */
bool smrf_exec_waits_(struct smrf_exec_runner *r, int round, bool others);
int smrf_exec_widen_(struct smrf_exec_grid *g, struct smrf_exec_runner *r);
bool smrf_exec_is_enough_(const struct smrf_exec_grid *g);

/* parallel.c: runs blocks on g->threads threads, with the results of one after the other, to the
 * launch's end or until the rest needs one thread: then g->threads is 1. */
int smrf_exec_parallel_(struct smrf_exec_grid *g);
/* Whether it is worth while. */
bool smrf_exec_may_parallel_(const struct smrf_exec_grid *g);

/* launch.c: a block's memory and registers, for any block of a launch that is in order; undone by
 * smrf_exec_free_ (NULL: nothing). All report what is wrong in `error`. */
int smrf_exec_check_launch_(const struct smrf_exec_launch *l, char *error);
int smrf_exec_prepare_(struct smrf_exec_runner *r, const struct smrf_exec_launch *l, char *error);
void smrf_exec_free_(struct smrf_exec_runner *r);
/* Where a failure happened: the instruction that ran last. */
void smrf_exec_describe_(struct smrf_exec_runner *r, int code, char *error);
int smrf_exec_launch_fails_(char *error, int code, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* run.c: how warps take their turns, with a listener or without. */
smrf_exec_turn *smrf_exec_turn_(bool heard);
/* The block is to be undone, whatever else it reports. */
bool smrf_exec_is_undone_(const struct smrf_exec_runner *r);
/* What a round was: warps that only yielded, of which some wrote, or at least one that moved. */
enum smrf_exec_round { SMRF_EXEC_IDLE, SMRF_EXEC_WRITES, SMRF_EXEC_MOVES };
/* A block begins; every warp has a turn (returns an enum smrf_exec_round, or an error), until
 * live_threads is 0; it ends. */
int smrf_exec_begin_(struct smrf_exec_runner *r, struct smrf_exec_dim id);
int smrf_exec_round_(struct smrf_exec_runner *r);
int smrf_exec_end_(struct smrf_exec_runner *r);
/* Behind a round of this block and of those that it may wait for, the most that one of them was:
 * whether nothing has moved for long. */
bool smrf_exec_impatient_(struct smrf_exec_runner *r, int round);
/* Lanes that yield go on before what they are to meet in BSYNC. */
void smrf_exec_overtake_(struct smrf_exec_runner *r);

#ifdef __cplusplus
}
#endif

#endif
