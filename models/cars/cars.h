/* SPDX-License-Identifier: Apache-2.0 */
/* CARS in an SM: a register stack for every warp (stack.h), registers for as many warps as get
 * some, and what moves frames and warps between registers and memory.
 * Source: CARS III, IV. Its units and where they are here: issue               free registers of
 *  each stack, the list of stalled warps, the trigger of traps
 *                      (control.c); PUSH, POP and the trap handler's operations (tasks.c)
 *  operand collector   renaming (control.c)
 *  SIMT stack          its entries of calls say whose frames are open; a frame is released by its
 *                      last lane (stack.c)
 *  warp status check   an exit gives its registers to a stalled warp (residency.c)
 *
 * Thread blocks are placed as if CARS were not there; a warp that finds no registers is stalled. A
 * warp that waits at a barrier gives its registers up, through memory, where a stalled one could
 * run (residency.c says why no two warps can wait for each other).
 *
 * What a spilled register or a switched-out warp holds is kept here, for the SM's memory moves no
 * data; the operations that move it take their time in the load/store unit. */
#ifndef SMRF_CARS_H
#define SMRF_CARS_H

#include "cars_params.h"
#include "stack.h"

#include "models/seam/mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CARS_LEVELS 16                         /* most levels of a kernel */
#define SMRF_CARS_REGISTERS 512                     /* most of a warp */
#define SMRF_CARS_TASKS (2 * SMRF_CARS_FRAMES + 32) /* of a warp, waiting */
#define SMRF_CARS_MOVES 4096 /* values on their way from register to register */

#define SMRF_CARS_STATS(X)                                                                         \
    X(traps, "traps", "calls that found no room, and returns to a spilled frame")                  \
    X(calls, "frames", "calls, with or without frame slots")                                       \
    X(frames, "frames", "frames that were kept in registers")                                      \
    X(released, "frames", "frames released when their last lane returned or exited")               \
    X(pushes, "registers", "registers renamed at the entry of functions")                          \
    X(pops, "registers", "registers that got their old mapping back at returns")                   \
    X(dropped, "registers", "registers of frames that ended with EXIT")                            \
    X(push_operations, "instructions", "PUSH and POP, and pushes of frame pointers")               \
    X(copies, "registers", "registers pushed together with their value")                           \
    X(frame_moves, "registers", "registers that traps moved between slots and base registers")     \
    X(frames_spilled, "frames", "frames that traps spilled")                                       \
    X(frames_filled, "frames", "frames that traps filled")                                         \
    X(bytes_spilled, "bytes", "bytes of registers that traps and switches of warps stored")        \
    X(bytes_filled, "bytes", "bytes of registers loaded again")                                    \
    X(bytes_dropped, "bytes", "stored bytes of lanes that exited")                                 \
    X(spills_traced, "instructions", "saves and restores that the trace has")                      \
    X(spills_removed, "instructions", "saves and restores that were not issued")                   \
    X(spills_left, "instructions", "saves and restores that were issued")                          \
    X(memory_frames, "frames", "frames without room for a trap; their saves stay in memory")       \
    X(stalled, "warps", "warps that found no registers when they started")                         \
    X(switches, "warps", "warps switched out at a barrier")                                        \
    X(switched_in, "warps", "warps switched in again")                                             \
    X(rows_taken, "registers", "registers of the sub-cores given to warps")                        \
    X(rows_given, "registers", "registers freed again")                                            \
    X(peak_frames, "frames", "most frames open at once in a warp")                                 \
    X(storage_pointers, "bytes/SM",                                                                \
      "storage of RFP, RSP, free registers and the list of stalled warps")                         \
    X(storage_frames, "bits/SM and open frame",                                                    \
      "storage for the search by lanes (cars.saved=mask)")                                         \
    X(faults_bounds, "faults", "stacks found outside of 0 <= RSP - RFP <= size")                   \
    X(faults_rows, "faults", "sub-cores found with more registers given than they have")           \
    X(faults_stalled, "faults", "instructions issued by warps without registers")                  \
    X(faults_frames, "faults", "frames of the stack that are not those of the SIMT stack")         \
    X(faults_free, "faults", "calls let in by a count of free registers that was wrong")

struct smrf_cars_stats {
#define X(name, unit, meaning) uint64_t name;
    SMRF_CARS_STATS(X)
#undef X
};

enum smrf_cars_state {
    SMRF_CARS_OFF,     /* no warp */
    SMRF_CARS_STALLED, /* has never had registers */
    SMRF_CARS_RUNS,
    SMRF_CARS_LEAVES, /* is being switched out */
    SMRF_CARS_OUT     /* switched out */
};

enum smrf_cars_task_kind {
    SMRF_CARS_SPILL,
    SMRF_CARS_FILL,
    SMRF_CARS_RESTORE, /* the caller's values of a spilled frame, before lanes return from it */
    SMRF_CARS_PUSH,
    SMRF_CARS_POP,
    SMRF_CARS_SWITCH_OUT,
    SMRF_CARS_SWITCH_IN
};

struct smrf_cars_task {
    uint8_t kind; /* enum smrf_cars_task_kind */
    int16_t frame;
    uint16_t next; /* operation */
    uint32_t lanes;
};

/* Operations; each has a static instruction for every register. */
enum smrf_cars_op {
    SMRF_CARS_OP_STORE,      /* of a frame's register to memory */
    SMRF_CARS_OP_LOAD,       /* the other way: from memory to a frame's register */
    SMRF_CARS_OP_STORE_WARP, /* of a warp's register that is switched out */
    SMRF_CARS_OP_LOAD_WARP,
    SMRF_CARS_OP_MOVE, /* from one place of the register to another */
    SMRF_CARS_OPS_EACH,
    SMRF_CARS_OP_COUNT = SMRF_CARS_OPS_EACH * 256 + 2 /* and PUSH, POP */
};

struct smrf_cars_value {
    uint32_t version;
    uint32_t lane[SMRF_LANES];
};

struct smrf_cars_warp {
    uint8_t state; /* enum smrf_cars_state */
    bool waits_at_barrier;
    bool popped;        /* its return has had its POP */
    bool blocked;       /* an operation waits for readers */
    bool exits;         /* frames of exited lanes may have writes under way */
    int16_t call_frame; /* frame of the last call's own registers */
    int16_t running;    /* frame in which the warp goes on */
    uint8_t slot;       /* of its block */
    uint16_t base;      /* first physical register of its sub-core */
    uint16_t registers; /* that it needs or has */
    uint16_t kernel;    /* of them, the kernel's */
    uint16_t under_way; /* operations that have not left the SM */
    uint64_t age;
    uint64_t block; /* warps of its block */
    uint16_t num_tasks, first_task;
    struct smrf_cars_task task[SMRF_CARS_TASKS]; /* a ring */
    uint64_t written[SMRF_CARS_SLOTS / 64];      /* bit: the slot holds something */
    uint8_t holds[SMRF_CARS_REGISTERS]; /* register that a register of the circle last held; 255:
                                           none */
    uint64_t loading[4];                /* bit r: a frame's register r is being loaded */
    uint16_t stored_to[256], loaded_from[256]; /* slots of the operations of a register under way */
    struct smrf_cars_stack stack;
};

/* What a level gives to a warp. */
struct smrf_cars_level {
    uint32_t wanted;    /* registers, from the call graph */
    uint32_t warps;     /* of a sub-core, that then have registers */
    uint32_t registers; /* registers of each; the rest is shared */
};

/* Blocks that ended at each level, since the GPU has last looked. */
struct smrf_cars_samples {
    uint64_t sum[SMRF_CARS_LEVELS], count[SMRF_CARS_LEVELS];
};

struct smrf_cars {
    struct smrf_cars_stats stats; /* first: the published counters */
    struct smrf_mechanism_setup setup;
    const struct smrf_cars_params *options;
    const struct smrf_services *services;
    uint32_t rows; /* registers of a sub-core */
    uint32_t subs;
    uint64_t banks_reciprocal; /* for smrf_place_turned() */
    uint64_t warps_of_first;   /* warps of sub-core 0; << sub: of the others */
    /* Warps for which a last read may matter: they wait for one, or are being switched out. Others
     * may be among them. */
    uint64_t follow_reads;
    uint32_t taken[SMRF_MAX_SUBCORES]; /* registers given to warps */
    uint32_t moves;
    uint64_t ages;
    bool failed;
    /* the launch */
    const struct smrf_program *program;
    struct smrf_sm_kernel kernel;
    struct smrf_cars_level levels[SMRF_CARS_LEVELS];
    uint32_t num_levels;
    uint32_t level; /* of the next block */
    uint64_t work;  /* instructions of the trace that it has issued */
    uint64_t placed_block;
    uint8_t placed_slot;
    struct smrf_cars_samples samples;
    bool settled; /* only blocks that ran beside others of the level count */
    uint32_t blocks, most_blocks, others; /* resident: now, most of the launch, of other levels */
    uint64_t alone_since, short_since;    /* cycle: others 0, fewer than most */
    uint8_t block_level[SMRF_MAX_BLOCKS]; /* of the last of its warps that got registers */
    uint64_t block_work[SMRF_MAX_BLOCKS]; /* `work` when it came */
    struct smrf_cars_warp warp[SMRF_MAX_WARPS];
    struct smrf_static_inst op[SMRF_CARS_OP_COUNT];
    /* large, and touched only where something is spilled: last */
    struct smrf_cars_value move[SMRF_CARS_MOVES];
    struct smrf_cars_value frames[SMRF_MAX_WARPS][SMRF_CARS_SLOTS];
    struct smrf_cars_value warps[SMRF_MAX_WARPS][SMRF_CARS_REGISTERS];
};

/* control.c */
uint32_t smrf_cars_line(void *m, unsigned warp, const struct smrf_inst *inst,
                        const struct smrf_simt_out *out);
struct smrf_register_place smrf_cars_source(void *m, const struct smrf_flight *f, unsigned i);
struct smrf_register_place smrf_cars_destination(void *m, const struct smrf_flight *f, unsigned i,
                                                 struct smrf_register_place *carry);
bool smrf_cars_ready(void *m, unsigned warp, const struct smrf_inst *inst);
struct smrf_register_place smrf_cars_probe(const void *m, unsigned warp, unsigned reg);
bool smrf_cars_remove(void *m, unsigned warp, const struct smrf_inst *inst);
/* What becomes necessary before the instruction: fills and restores of frames, POP. */
void smrf_cars_prepare_(struct smrf_cars *m, unsigned warp, const struct smrf_inst *before);
/* Place of physical register `phys` of a warp's sub-core that holds reg. */
struct smrf_register_place smrf_cars_place_(const struct smrf_cars *m, unsigned warp, unsigned reg,
                                            unsigned phys);
unsigned smrf_cars_slot_phys_(const struct smrf_cars_warp *w, uint32_t slot);

/* tasks.c */
void smrf_cars_ops_init_(struct smrf_cars *m);
void smrf_cars_task_(struct smrf_cars *m, unsigned warp, enum smrf_cars_task_kind kind, int frame,
                     uint32_t lanes);
bool smrf_cars_next(void *m, unsigned warp, const struct smrf_inst *before,
                    struct smrf_micro *micro);
void smrf_cars_read(void *m, const struct smrf_flight *f, unsigned i, const uint32_t *data,
                    uint32_t version);
void smrf_cars_write(void *m, const struct smrf_flight *f, unsigned i, uint32_t *data,
                     uint32_t *version);
void smrf_cars_done(void *m, const struct smrf_flight *f);
void smrf_cars_last_read(void *m, unsigned sub, struct smrf_register_place at);

/* residency.c */
void smrf_cars_start(void *m, unsigned warp, uint16_t base, uint32_t registers);
void smrf_cars_exit(void *m, unsigned warp);
void smrf_cars_barrier(void *m, unsigned warp, bool waits);
void smrf_cars_placed(void *m, const struct smrf_block_record *block);
void smrf_cars_finished(void *m, const struct smrf_block_record *block);
void smrf_cars_issued(void *m, const struct smrf_flight *f, const struct smrf_inst *inst);
/* All operations of a warp that is switched out have been offered: has it let go of its
 * registers? */
void smrf_cars_try_out_(struct smrf_cars *m, unsigned warp);

/* launch.c */
uint32_t smrf_cars_registers(void *m, const struct smrf_sm_kernel *kernel);
void smrf_cars_launch_(struct smrf_cars *m, const struct smrf_sm_kernel *kernel);
const char *smrf_cars_program_check(const struct smrf_mechanism_setup *setup,
                                    const struct smrf_sm_kernel *kernel);
/* Stop the run: why. */
void smrf_cars_fail_(struct smrf_cars *m, unsigned warp, const char *why);

extern const struct smrf_gpu_seam smrf_cars_gpu_seam;
extern const struct smrf_family smrf_cars_family;

/* Registers of a sub-core. Warps, and so stalled ones and switches, belong to one, also where the
 * register file is counted as a whole (sm.registers_pooled). */
static inline uint32_t smrf_cars_rows(const struct smrf_mechanism_setup *setup)
{
    return setup->sm.registers / SMRF_LANES / setup->sm.subcores;
}

static inline uint64_t smrf_cars_bytes_(uint32_t lanes)
{
    return 4 * (uint64_t)(unsigned)__builtin_popcount(lanes);
}

#ifdef __cplusplus
}
#endif

#endif
