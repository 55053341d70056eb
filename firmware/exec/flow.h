/* SPDX-License-Identifier: Apache-2.0 */
/* A warp's flow of control. Live lanes are divided into splits: sets of lanes that run together.
 * One split runs; others are ready, or their lanes wait (BSYNC, WARPSYNC, BAR). Splits join where
 * waiting lanes are let go, and nowhere else: lanes at the same address may be in different
 * calls. */
#ifndef SMRF_EXEC_FLOW_H
#define SMRF_EXEC_FLOW_H

#include "firmware/exec/block.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The uniform registers that a split works with. They are the warp's in hardware; keeping them with
 * the split makes the result independent of where splits take turns. */
struct smrf_exec_uniform {
    uint32_t ur[64];
    uint8_t up[8];
};

struct smrf_exec_flow {
    struct smrf_exec_warp warp; /* first: handlers get a pointer to it */
    const struct smrf_exec_code *code;
    const struct smrf_exec_op *ip;   /* next instruction of the running split */
    uint32_t active;                 /* lanes of the running split, 0 = none */
    uint32_t ready;                  /* splits that can run, by their lowest lane */
    uint32_t split[SMRF_EXEC_LANES]; /* lanes of a ready split, by its lowest lane */
    uint8_t keeper[SMRF_EXEC_LANES]; /* of a waiting lane: index into kept */
    uint32_t last;                   /* lowest lane of the split that ran last */
    uint32_t at_sync, at_warpsync, at_bar;
    uint8_t sync_register[SMRF_EXEC_LANES];
    uint32_t warpsync_mask[SMRF_EXEC_LANES];
    uint8_t bar_number[SMRF_EXEC_LANES];
    uint32_t bar_count; /* result of the last BAR.RED */
    bool bar_all, bar_any;
    uint8_t bar_mode;    /* enum smrf_exec_bar of it */
    bool preempt;        /* let another warp run after this instruction */
    uint64_t insts;      /* of this warp */
    uint64_t turn_ends;  /* value of insts at which the split gives way on a backward branch */
    uint64_t turn_limit; /* the same limit, independent of function calls in between */
    uint16_t depth[SMRF_EXEC_LANES]; /* nesting of calls */
    /* Last: what comes before is cleared when a block begins. */
    struct smrf_exec_uniform kept[SMRF_EXEC_LANES]; /* of what does not run, by lowest lane */
};

enum smrf_exec_bar {
    SMRF_EXEC_BAR_SYNC,
    SMRF_EXEC_BAR_ARV,
    SMRF_EXEC_BAR_POPC,
    SMRF_EXEC_BAR_AND,
    SMRF_EXEC_BAR_OR
};

static inline struct smrf_exec_flow *smrf_exec_flow_of(struct smrf_exec_warp *warp)
{
    return (struct smrf_exec_flow *)(void *)warp;
}

/* Instructions after which a split that branches backward lets others run: it may wait for them.
 * One that calls functions is likely to get on, and calls of lanes that take turns pile up; it has
 * longer. */
#define SMRF_EXEC_TURN 2048
#define SMRF_EXEC_LONG_TURN (256 * SMRF_EXEC_TURN)

/* All lanes of `live` at the entry point. */
void smrf_exec_flow_start(struct smrf_exec_flow *f, const struct smrf_exec_op *entry,
                          uint32_t live);
/* Decoded instruction at an address; NULL if there is none. */
const struct smrf_exec_op *smrf_exec_op_at(const struct smrf_exec_code *code, uint64_t address);

/* The running split goes on at op, or gives way to another after a long turn of a loop. */
int smrf_exec_flow_branch(struct smrf_exec_flow *f, const struct smrf_exec_op *from,
                          const struct smrf_exec_op *to);
/* Lanes of the running split become a ready split at pc. */
void smrf_exec_flow_defer(struct smrf_exec_flow *f, uint32_t lanes, uint64_t pc);
/* Lanes of the running split stop (the caller says what they wait for) and will go on at pc. */
void smrf_exec_flow_park(struct smrf_exec_flow *f, uint32_t lanes, uint64_t pc);
/* Lanes that waited go on, those with the same address together. */
void smrf_exec_flow_wake(struct smrf_exec_flow *f, uint32_t lanes);
/* Lanes end. */
void smrf_exec_flow_exit(struct smrf_exec_flow *f, uint32_t lanes);
/* YIELD: let another split run if there is one. */
int smrf_exec_flow_yield(struct smrf_exec_flow *f, const struct smrf_exec_op *op);
/* Let go whatever BSYNC and WARPSYNC waits are over. */
void smrf_exec_flow_settle(struct smrf_exec_flow *f);
/* Give up one convergence wait; false if there is none. */
bool smrf_exec_flow_force(struct smrf_exec_flow *f);
/* Let go the lanes whose BSYNC waits only for lanes that can run; false if there are none. */
bool smrf_exec_flow_overtake(struct smrf_exec_flow *f);
/* Make the next ready split the running one; false if none is ready. */
bool smrf_exec_flow_switch(struct smrf_exec_flow *f);
/* Jump lanes of the running split to addresses of their own; may go through built-in callees. */
int smrf_exec_flow_jump(struct smrf_exec_flow *f, const struct smrf_exec_op *op, uint32_t lanes,
                        const uint64_t target[SMRF_EXEC_LANES]);

/* Functions outside the module that device code may call: malloc, free, ... Run for the lanes of
 * mask. 0, a negative error, or SMRF_ERR_UNKNOWN if there is no such function. */
int smrf_exec_builtin(struct smrf_exec_warp *w, const char *name, uint32_t mask);
bool smrf_exec_builtin_known(const char *name);

/* A block's barriers (run.c): flows of the block's warps. */
struct smrf_exec_flow *smrf_exec_flows(struct smrf_exec_block *block);
/* Let go the lanes that wait at barriers which are complete. */
void smrf_exec_barrier_settle(struct smrf_exec_block *block);

#ifdef __cplusplus
}
#endif

#endif
