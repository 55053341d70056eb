/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU around the SMs, without a simulation kernel: reads launches and thread blocks from a
 * trace, hands blocks to SMs, and knows when a launch has ended. A driver (SystemC, or a plain
 * loop) owns the SMs, runs them window by window, and asks here between.
 *
 * A window [t, until): every SM runs to `until` or stops for a block. Among the stopped SMs the
 * earliest is served first and runs on, so the outcome does not depend on the window's length. */
#ifndef SMRF_GPU_H
#define SMRF_GPU_H

#include "models/sm/sm.h"
#include "platform/config/smrf_config.h"
#include "platform/gpu/program.h"
#include "traces/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One launch: what it was and where it ran. */
struct smrf_gpu_kernel {
    struct smrf_kernel_info info; /* strings are copies that live as long as the gpu */
    uint64_t start, end;          /* first and last cycle of its blocks; end 0 = still running */
    unsigned occupancy;           /* blocks that fit an SM */
    const char *limit;            /* parameter that limits them */
};

/* Fills in, between the trace reader and the SMs, what struct smrf_inst says beyond the trace:
 * which operands are reused soon, and facts of the program. Functions may be NULL. A negative
 * return stops the run; error() has the text. inst() may be called from different threads for
 * different blocks.
 */
struct smrf_annotator {
    void *ctx;
    int (*kernel)(void *ctx, const struct smrf_kernel_info *info); /* a launch begins */
    /* An instruction of the launch is met for the first time. Called by the thread that reads. */
    void (*met)(void *ctx, struct smrf_static_inst *inst);
    int (*block)(void *ctx, struct smrf_trace_block *block); /* read, before its instructions */
    int (*inst)(void *ctx, struct smrf_trace_block *block, uint32_t warp, struct smrf_inst *inst);
    void (*block_done)(void *ctx, struct smrf_trace_block *block); /* before it is given back */
    const char *(*error)(void *ctx);
    bool unknown_only; /* asked only about launches whose program is not known */
};

/* What an SM brings about in a window that concerns others: it alone touches it then, for SMs may
 * run on different threads; smrf_gpu_settle() does afterwards. */
struct smrf_gpu_feed {
    struct smrf_gpu *gpu;
    void *done[SMRF_MAX_BLOCKS]; /* thread blocks that have ended */
    uint32_t num_done;
    bool annotator; /* the SM's error is the annotator's */
    uint64_t last_done;
} __attribute__((aligned(64)));

/* SMs that have had no thread block yet are all alike. So one of them represents all that follow,
 * and it is built before a block goes to the one before it. Most small launches never need more. */
struct smrf_gpu_reserve {
    uint32_t built;    /* SMs 0 to built - 1 are there, the last for all behind it, too */
    uint32_t launches; /* that have begun since the SMs were reset */
    /* The engine's: build an SM, its SIMT stacks as in the present launch, and put it into the
     * machine, for those behind it, too. Returns 0 or an error; NULL: all are there. */
    int (*build)(void *ctx, uint32_t sm);
    void *ctx;
};

/* Does the mechanism make an SM without a first block different from the others? */
static inline bool smrf_gpu_alike(const struct smrf_mechanism *mechanism)
{
    return !mechanism->gpu && !mechanism->allotment;
}

struct smrf_gpu {
    const struct smrf_config *cfg;
    struct smrf_trace *trace;
    struct smrf_sm **sm;                    /* [cfg->gpu.sms], owned by the driver */
    struct smrf_gpu_feed *feed;             /* [cfg->gpu.sms], owned by the driver */
    struct smrf_gpu_reserve *reserve;       /* NULL = all SMs are there; set after smrf_gpu_init */
    const struct smrf_annotator *annotator; /* NULL = none; set after smrf_gpu_init */
    const struct smrf_mechanism *mechanism; /* NULL = none; says what it needs of programs */
    struct smrf_pieces *pieces;             /* the view scoreboard: set after smrf_gpu_init */
    struct smrf_crew *crew; /* threads; one of them reads the trace ahead (ahead.h); NULL = none */
    bool reading;           /* it reads, or has ended by itself */
    bool beside;            /* another thread decompresses the file's next bytes */
    struct smrf_gpu_program program; /* of the present launch */
    struct smrf_simt_config simt;    /* of the present launch; the SIMT stacks point at it */
    struct smrf_sm_kernel launch;
    struct smrf_gpu_kernel kernel; /* the present one */
    uint64_t last_done;            /* cycle of the latest block's end */
    uint32_t last_served;          /* SM that took the latest block */
    uint64_t blocks_running;
    bool more_blocks, running;
    int error;
    char text[768]; /* of the error */
};

/* trace: open, at its start or between launches. Returns 0 or an error with a text. */
int smrf_gpu_init(struct smrf_gpu *gpu, const struct smrf_config *cfg, struct smrf_trace *trace,
                  struct smrf_sm **sm, struct smrf_gpu_feed *feed);
/* Give back what the last launch holds. The trace may be closed by now. */
void smrf_gpu_close(struct smrf_gpu *gpu);

/* The instruction source to link into an SM. */
struct smrf_inst_source smrf_gpu_source(struct smrf_gpu_feed *feed);

/* SMs have run: what they have brought about becomes known. Returns 0, or the error of the first SM
 * that has one. */
int smrf_gpu_settle(struct smrf_gpu *gpu);

/* The next launch is handed out at the given cycle, and starts the launch latency later. The SMs
 * must be idle. Returns 1, then smrf_gpu_begin_kernel() begins it; 0 at the trace's end, or an
 * error. */
int smrf_gpu_next_kernel(struct smrf_gpu *gpu, uint64_t cycle);
void smrf_gpu_begin_kernel(struct smrf_gpu *gpu);

/* Between two windows: the mechanism may have changed how many registers an SM's next block
 * gets. */
void smrf_gpu_look_for_room(struct smrf_gpu *gpu);

/* Cycle in which the SM that stopped first waits for a block; SMRF_NEVER: no SM waits. */
uint64_t smrf_gpu_waiting(const struct smrf_gpu *gpu);

/* Serve the SM that stopped for a block first. Returns its index (let it run on), -1 if none waits,
 * or SMRF_GPU_ERROR. Call after every SM has run to that cycle or stopped; after -1, run once more
 * those that have not reached the window's end: the blocks may just have run out. */
#define SMRF_GPU_ERROR (-2)
int smrf_gpu_serve(struct smrf_gpu *gpu);

/* First cycle in which an SM has something to do or wants a block; SMRF_NEVER: none. */
uint64_t smrf_gpu_next_event(const struct smrf_gpu *gpu);

/* Has the present launch ended (all blocks handed out and finished)? Sets kernel.end. */
bool smrf_gpu_kernel_done(struct smrf_gpu *gpu);

/* Cycle from which the next launch may be handed out. */
uint64_t smrf_gpu_next_start(const struct smrf_gpu *gpu);

/* Have the SMs that sleep past `cycle` count the time up to it, so that a run cut off there has
 * complete counters. Changes nothing that happens later. */
int smrf_gpu_catch_up(struct smrf_gpu *gpu, uint64_t cycle);

/* Give the blocks that SMs still hold back to the trace: for the end of a run that was cut off. The
 * SMs may not run on. The trace must be open. */
void smrf_gpu_drop_blocks(struct smrf_gpu *gpu);

const char *smrf_gpu_error(const struct smrf_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif
