/* SPDX-License-Identifier: Apache-2.0 */
/* Front end of an SM: which thread blocks and warps are resident and what they hold, the fetch of
 * their instructions into instruction buffers, thread-block barriers, and the end of warps.
 * Source: Accel-Sim shader_core_ctx::fetch, decode, issue_block2core, barrier_set_t.
 *
 * Files: allotment (registers), residency (blocks and warps), fetch (instruction buffers), barrier,
 * icache. Warps are warp slots of the SM; masks have bit w for slot w. */
#ifndef SMRF_FRONTEND_H
#define SMRF_FRONTEND_H

#include "allotment.h"
#include "block_seam.h"
#include "fetch_policy.h"
#include "frontend_params.h"

#include "models/common/gpu_params.h"
#include "models/common/smrf_aligned.h"
#include "models/common/smrf_assert.h"
#include "models/register_file/rf_params.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_IBUFFER 4 /* instructions of a warp's buffer, at most */

struct smrf_frontend_config {
    struct smrf_gpu_params gpu;
    struct smrf_sm_params sm;
    struct smrf_frontend_params frontend;
    struct smrf_rf_params rf;
};

/* Where a warp's instructions come from. length: how many it has, called once when it starts; next:
 * how many of its next, 1 to `most`, with inst[i] pointing to them, in room[i] or where they stand
 * as long as the kernel runs, the last alone with values, or an error (the SM stops and reports
 * it), called for no more than those all together; behind as many as were requested, *run, which is
 * empty before, may take further ones that stand so; number: of a block in its grid, x fastest.
 * block: the handle of smrf_sm_launch_block. */
struct smrf_inst_source {
    void *ctx;
    uint64_t (*length)(void *ctx, void *block, uint32_t warp);
    int (*next)(void *ctx, void *block, uint32_t warp, unsigned most, struct smrf_inst *room,
                const struct smrf_inst **inst, struct smrf_inst_run *run);
    void (*block_done)(void *ctx, void *block, uint64_t cycle);
    uint64_t (*number)(void *ctx, void *block);
};

/* A warp as it starts. */
struct smrf_warp_start {
    uint64_t age;       /* order of launch in the SM */
    uint64_t block;     /* number of its block in the grid */
    uint32_t index;     /* its number within the block */
    uint32_t lanes;     /* its threads */
    uint16_t base;      /* first physical register of the sub-core */
    uint16_t registers; /* physical registers */
};

/* Reports of the front end to the issue stages. */
struct smrf_frontend_wires {
    void *ctx;
    void (*start)(void *ctx, unsigned warp, const struct smrf_warp_start *start);
    /* A warp that had no next instruction has one, which stays until it is taken. */
    void (*head)(void *ctx, unsigned warp, const struct smrf_inst *head);
    /* It cannot issue before a cycle: its instructions are on their way to the icache. */
    void (*hold)(void *ctx, unsigned warp, uint64_t cycle);
    /* The same, until a sub-core's instruction cache has its next instruction. */
    void (*refill)(void *ctx, unsigned warp, uint64_t cycle);
    /* It has been given physical registers after its start. */
    void (*allotted)(void *ctx, unsigned warp, uint16_t base, uint16_t registers);
    /* Its last instruction has been taken. */
    void (*ended)(void *ctx, unsigned warp);
    /* It waits at a barrier, or does not any more. */
    void (*barrier)(void *ctx, unsigned warp, bool waits);
    void (*exit)(void *ctx, unsigned warp);
};

/* Where its instructions come through: the wire `fetch`. Not used where no cache has a size. */
struct smrf_code_port {
    void *ctx;
    uint64_t (*fetch)(void *ctx, unsigned sub, uint32_t pc, uint64_t cycle);
};

struct smrf_frontend_links {
    struct smrf_frontend_wires wires;
    struct smrf_code_port code;
    struct smrf_inst_source source;
    /* What takes the place of the round robin; ops NULL: nothing. State is the caller's. */
    const struct smrf_fetch_ops *fetch_ops;
    void *fetch;
    const struct smrf_allotment_seam *allotment; /* NULL: every warp gets the kernel's registers */
    const struct smrf_block_seam *block;         /* NULL: the mechanism needs no blocks */
    const struct smrf_warp_seam *warp;           /* NULL: .. nor warps */
    void *mechanism_state;
};

struct SMRF_LINE_ALIGNED smrf_frontend_warp {
    const struct smrf_inst *buffer[SMRF_IBUFFER];
    uint8_t head, count; /* instruction buffer, a ring */
    uint8_t block_slot;
    bool resident;
    uint32_t index;             /* warp number within its block */
    void *block;                /* source's handle */
    uint64_t left;              /* instructions not fetched yet */
    uint16_t base;              /* first physical register of the sub-core */
    uint16_t registers;         /* physical registers held */
    uint16_t later;             /* registers a thread given after its start */
    struct smrf_inst_run ahead; /* fetched from its source, without room in the buffer */
    /* Cycles from which instructions of the buffer are there; 0: they were as they came. */
    uint64_t ready[SMRF_IBUFFER];
};

struct smrf_frontend_block {
    void *handle;
    uint64_t warps;   /* of its warp slots, those that have not exited */
    uint64_t running; /* warps with instructions left to issue */
    uint64_t waiting; /* warps at the barrier */
    struct smrf_block_record record;
};

/* Untouched by kernels without values. */
struct smrf_frontend_store {
    struct smrf_values values[SMRF_MAX_WARPS][SMRF_IBUFFER];
};

#define SMRF_FRONTEND_STATS(X) X(blocks) X(warps) X(barriers)

struct smrf_frontend_stats {
#define SMRF_FRONTEND_FIELD(name) uint64_t name;
    SMRF_FRONTEND_STATS(SMRF_FRONTEND_FIELD)
#undef SMRF_FRONTEND_FIELD
};

/* What every cycle looks at stands first, in one line of a data cache. */
struct smrf_frontend {
    uint64_t fetch_need; /* warps that want instructions */
    uint64_t over;       /* warps that have drained, and have not exited */
    uint64_t fetched;    /* a warp fetched but not decoded yet; 0: none */
    int error;
    uint32_t placed; /* blocks placed in the present cycle */
    uint32_t resident_blocks;
    struct smrf_fetch_round own_fetch;
    bool asks;  /* warps may want instructions before they have none */
    bool more;  /* blocks wait to be placed */
    bool wants; /* there is room for one of them */
    bool full;  /* there is none until a warp exits: no mechanism decides otherwise */
    uint32_t resident_threads, shared_used;
    uint64_t free_warps;
    struct smrf_frontend_links links;
    struct smrf_frontend_config cfg;
    struct smrf_frontend_stats stats;
    struct smrf_sm_kernel kernel;
    struct smrf_allotment allotment;
    uint64_t launches;       /* warps started: their age */
    uint64_t free_blocks;    /* bit b: block slot b is free */
    uint32_t next_registers; /* a thread, for the next block */
    uint32_t kernel_blocks;  /* most that fit with the kernel's own registers */
    struct smrf_frontend_warp warp[SMRF_MAX_WARPS];
    struct smrf_frontend_block block[SMRF_MAX_BLOCKS];
    struct smrf_inst room[SMRF_MAX_WARPS][SMRF_IBUFFER]; /* of instructions in the buffers */
    struct smrf_values (*values)[SMRF_IBUFFER];          /* [SMRF_MAX_WARPS], of its store */
};

/* store: its own, for as long as it is in use. Returns 0, SMRF_ERR_INVAL or SMRF_ERR_LIMIT: a
 * configuration that the arrays do not hold. */
int smrf_frontend_init(struct smrf_frontend *fe, struct smrf_frontend_store *store,
                       const struct smrf_frontend_config *cfg,
                       const struct smrf_frontend_links *links);
/* As after init: nothing resident, nothing counted. */
void smrf_frontend_reset(struct smrf_frontend *fe);

/* --- blocks ----------------------------------------------------------------------------------- */

/* Most blocks of a kernel that fit the SM with its mechanism; 0: it does not fit at all. limit (may
 * be NULL) is set to the key of the parameter that limits. */
unsigned smrf_frontend_fit(const struct smrf_frontend *fe, const struct smrf_sm_kernel *kernel,
                           const char **limit);
/* Most blocks of the present kernel that are resident at once: no more than its launch has for an
 * SM. */
unsigned smrf_frontend_most_blocks(const struct smrf_frontend *fe);

/* A kernel begins. Precondition: no block is resident. */
void smrf_frontend_begin_kernel(struct smrf_frontend *fe, const struct smrf_sm_kernel *kernel);
/* Whether blocks wait to be placed. */
void smrf_frontend_set_more(struct smrf_frontend *fe, bool more);
/* Place a block, which is fetched from `cycle` on. Precondition: fe->wants. */
void smrf_frontend_launch(struct smrf_frontend *fe, void *handle, uint64_t cycle);
/* Is there room for a block, now that the mechanism may decide otherwise? Sets fe->wants. */
void smrf_frontend_look_for_room(struct smrf_frontend *fe);
/* The end of a cycle: as many blocks as a cycle takes may come again. */
static inline void smrf_frontend_end_cycle(struct smrf_frontend *fe)
{
    fe->placed = 0;
    if (fe->more && !fe->full) {
        smrf_frontend_look_for_room(fe);
    }
}

/* Gives a resident warp without registers its registers. Returns the first physical register of its
 * sub-core, or -1: there is no room. */
int smrf_frontend_allot(struct smrf_frontend *fe, unsigned warp, uint32_t registers);
/* Take them back. */
void smrf_frontend_release(struct smrf_frontend *fe, unsigned warp);

/* --- a cycle ---------------------------------------------------------------------------------- */

/* Fetch and decode. Returns whether anything moved. */
bool smrf_frontend_fetch(struct smrf_frontend *fe, uint64_t cycle);
/* Is a fetch under way or due, or an exit? */
static inline bool smrf_frontend_probe_fetching(const struct smrf_frontend *fe)
{
    return (fe->fetch_need | fe->over | fe->fetched) != 0;
}

/* --- reports of the issue stage -------------------------------------------------------------- */

/* An instruction of a warp has left its buffer, which has room, and may want others. Returns its
 * next. */
const struct smrf_inst *smrf_frontend_run_low(struct smrf_frontend *fe, unsigned warp);
/* The next instruction of a warp has been taken. Returns the one after it, as `head`
 * would report it. */
static inline const struct smrf_inst *smrf_frontend_take(struct smrf_frontend *fe, unsigned warp)
{
    struct smrf_frontend_warp *w = &fe->warp[warp];
    SMRF_ASSERT(w->count > 0);
    w->head = (uint8_t)((w->head + 1) % SMRF_IBUFFER);
    w->count--;
    if (w->count && !fe->asks) {
        return w->buffer[w->head];
    }
    if (w->left && !w->count) {
        fe->fetch_need |= UINT64_C(1) << warp;
        return NULL;
    }
    return smrf_frontend_run_low(fe, warp);
}
/* For an issue stage that does not go cycle by cycle. The warp's next instruction, in its buffer,
 * and n - 1 more of its run, up to `behind`, have been taken. The instruction after them is there
 * at once, without the fetch stage. Returns it and its mask, NULL: none. Precondition: n = 1, or
 * smrf_frontend_run has them. */
const struct smrf_inst *smrf_frontend_pass(struct smrf_frontend *fe, unsigned warp, unsigned n,
                                           const struct smrf_inst *behind, uint64_t cycle,
                                           uint32_t *mask);
/* The known instructions after a warp's next one. */
static inline struct smrf_inst_run smrf_frontend_run(const struct smrf_frontend *fe, unsigned warp)
{
    const struct smrf_frontend_warp *w = &fe->warp[warp];
    struct smrf_inst_run run = w->ahead;
    const bool ideal = !(fe->cfg.frontend.icache_bytes | fe->cfg.frontend.l0_bytes);
    run.left = w->count == 1 && ideal ? run.left : 0;
    return run;
}
/* An instruction of a warp has issued, with this number of lanes. micro: it is a mechanism's own
 * operation. */
void smrf_frontend_issued(struct smrf_frontend *fe, unsigned warp, unsigned lanes, bool micro);
/* The instruction taken last was a barrier. */
void smrf_frontend_reach_barrier(struct smrf_frontend *fe, unsigned warp);
/* Nothing of the warp is in flight, and its stores are answered: if its trace has ended, it exits
 * (with frontend.exit_at_fetch: when the fetch stage comes by). */
void smrf_frontend_drained(struct smrf_frontend *fe, unsigned warp, uint64_t cycle);

#ifdef __cplusplus
}
#endif

#endif
