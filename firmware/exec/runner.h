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
    const struct smrf_exec_op *entry;
    const struct smrf_exec_op *current; /* for messages */
};

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
