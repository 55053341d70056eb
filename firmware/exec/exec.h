/* SPDX-License-Identifier: Apache-2.0 */
/* Functional execution of sm_75 machine code, a warp instruction at a time: decoded instructions,
 * the state of warps and blocks, and the seam at which a capture listens. Thread blocks run one
 * after the other, or take turns where they may wait for one another; the warps of a block take
 * turns at barriers. Divergence is Volta's: every lane
 * has a program counter, convergence barriers (B registers) bring lanes together. */
#ifndef SMRF_EXEC_H
#define SMRF_EXEC_H

#include "firmware/sass/sass.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_EXEC_LANES 32
#define SMRF_EXEC_ROWS 257 /* R0..R254, RZ (always zero), and one row that takes writes to RZ */
#define SMRF_EXEC_RZ 255
#define SMRF_EXEC_BIN 256
#define SMRF_EXEC_ALL UINT32_C(0xffffffff)

/* Generic-address windows: an address within is shared or local memory of the running block. */
#define SMRF_EXEC_SHARED_WINDOW UINT64_C(0x00007f0c00000000)
#define SMRF_EXEC_LOCAL_WINDOW UINT64_C(0x00007f0e00000000)
#define SMRF_EXEC_WINDOW_BYTES UINT64_C(0x1000000) /* 16 MiB each */
/* Where a grid's barrier lies. */
#define SMRF_EXEC_GRID UINT64_C(0x00007f0f00000000)
#define SMRF_EXEC_GRID_BYTES 512

struct smrf_exec_block;
struct smrf_exec_op;
struct smrf_exec_texture; /* texture.h */

/* What a GPU would report of a launch that fails. */
enum smrf_exec_fault {
    SMRF_FAULT_NONE,       /* none, or not a fault of the program's (a limit, out of memory) */
    SMRF_FAULT_ADDRESS,    /* an access outside of what is allocated */
    SMRF_FAULT_MISALIGNED, /* an address that is not a multiple of the access's size */
    SMRF_FAULT_ASSERT,     /* assert() */
    SMRF_FAULT_TRAP,       /* BPT.TRAP, a stack overflow, a wrong free() */
    SMRF_FAULT_TIMEOUT     /* a warp that runs away, or waits for ever */
};

/* A warp. Predicates are lane masks; P7 and UP7 are always true. */
struct smrf_exec_warp {
    uint32_t r[SMRF_EXEC_ROWS][SMRF_EXEC_LANES];
    uint32_t p[8];
    uint32_t ur[64]; /* UR63 = URZ: kept zero by the writers */
    uint8_t up[8];
    /* B registers are seen a lane at a time, so that lanes that wait in a caller keep their view
     * while others use the same register in a callee. */
    uint32_t barrier[16][SMRF_EXEC_LANES];
    uint64_t pc[SMRF_EXEC_LANES]; /* of every lane that is not part of the running split */
    uint32_t live;                /* lanes that have not exited */
    uint32_t index;               /* in the block */
    struct smrf_exec_block *block;
    const char *error; /* set by a handler that fails: what and why, without position */
    int error_lane;    /* lane that failed, -1 = the whole warp */
    uint8_t fault;     /* enum smrf_exec_fault of the failure */
};

/* Executes op for the lanes of mask: active and guard. Never called with mask 0, except where
 * op->control is SMRF_EXEC_CONTROL. Returns 0 or a negative enum smrf_err with warp->error set. */
typedef int smrf_exec_fn(struct smrf_exec_warp *warp, const struct smrf_exec_op *op, uint32_t mask);

/* A decoded source operand. */
struct smrf_exec_src {
    uint8_t kind; /* enum smrf_sass_kind: REG, UREG, PRED, UPRED, INT (bits in `imm`), CONST */
    uint8_t reg, ureg, part, bank;
    bool negated, absolute, inverted;
    bool plain;   /* a whole vector register without modifiers */
    uint64_t imm; /* immediate bits of the operation's type; offset of CONST */
};

/* Vectors of the host. */
enum smrf_exec_width { SMRF_EXEC_ANY_WIDTH, SMRF_EXEC_256_BITS, SMRF_EXEC_NO_WIDTH };

/* A decoded instruction. Handlers read what they bound at decode time and nothing else. */
struct smrf_exec_op {
    smrf_exec_fn *fn;
    const struct smrf_sass_inst *inst;
    uint8_t guard; /* as in the instruction */
    bool guard_inverted, guard_uniform;
    uint8_t control;     /* enum smrf_exec_control: what the warp loop does with it */
    uint8_t width;       /* enum smrf_exec_width: bind for hosts with no more than this */
    uint16_t dst;        /* row: R number, RZ already turned into SMRF_EXEC_BIN */
    uint16_t udst;       /* uniform destination, 63 = none */
    uint8_t pdst, pdst2; /* predicate destinations, 7 = none */
    uint8_t num_src;
    uint8_t bytes; /* memory: bytes a lane */
    uint32_t sub;  /* the handler's own: rounding, comparison, LUT, flags */
    uint32_t sub2;
    struct smrf_exec_src src[5];  /* vector sources in operand order (A, B, C, ..) */
    struct smrf_exec_src psrc[3]; /* predicate sources in operand order */
    uint64_t target;              /* control flow: absolute address */
};

enum smrf_exec_control {
    SMRF_EXEC_PLAIN,  /* falls through */
    SMRF_EXEC_MEMORY, /* falls through; has per-lane addresses for the capture */
    SMRF_EXEC_CONTROL /* handled by the warp loop */
};

/* Bind an instruction's handler: each family looks at inst and either fills *op (returns 1), does
 * not know the opcode (returns 0), or knows it but not in this form (negative; error says what).
 * op arrives zeroed with inst and guard set. */
int smrf_exec_bind_integer(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_float(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_half(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_double(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_convert(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_uniform(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_tensor(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_warp(struct smrf_exec_op *op,
                        char error[SMRF_SASS_ERROR_BYTES]); /* VOTE SHFL MATCH */
int smrf_exec_bind_texture(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_surface(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_mbarrier(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_memory(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]);
int smrf_exec_bind_control(struct smrf_exec_op *op, char error[SMRF_SASS_ERROR_BYTES]); /* + S2R */

/* A module ready to run. */
struct smrf_exec_code {
    const struct smrf_sass_module *module;
    struct smrf_exec_op *op; /* [module->num_insts] */
    uint32_t rows;           /* registers that its instructions can reach: R0 to R(rows - 1) */
};

/* Decode the functions that `entry` can reach (all of the module if NULL). An unsupported
 * instruction is an error that names file, line and instruction: SMRF_ERR_UNKNOWN. */
int smrf_exec_decode(struct smrf_exec_code *code, const struct smrf_sass_module *module,
                     const struct smrf_sass_function *entry, char error[SMRF_SASS_ERROR_BYTES]);
void smrf_exec_code_free(struct smrf_exec_code *code);

/* Device memory: allocations in a 64-bit address space, and constant banks. Every access is
 * checked; the address space is sparse and reproducible. */
struct smrf_memory_space;
int smrf_space_create(struct smrf_memory_space **space);
void smrf_space_destroy(struct smrf_memory_space *space);
/* 512-byte aligned, as the driver's allocator does. 0 on exhaustion. */
uint64_t smrf_space_alloc(struct smrf_memory_space *space, uint64_t bytes);
/* Place a range at a fixed address (a module's data). */
int smrf_space_place(struct smrf_memory_space *space, uint64_t address, uint64_t bytes);
int smrf_space_free(struct smrf_memory_space *space, uint64_t address);
/* Host pointer of [address, address + bytes), NULL if not all of it is allocated. */
void *smrf_space_at(struct smrf_memory_space *space, uint64_t address, uint64_t bytes);

struct smrf_exec_dim {
    uint32_t x, y, z;
};

/* What a capture sees: called for every warp instruction, also with mask 0 (all lanes predicated
 * off), in each warp's program order. Any pointer may be NULL. A negative return stops the launch.
 */
struct smrf_exec_listener {
    void *ctx;
    int (*block_begin)(void *ctx, struct smrf_exec_dim id, uint32_t warps);
    /* What follows is of this block, which has begun: others have run since. */
    void (*block_resume)(void *ctx, struct smrf_exec_dim id);
    /* Before execution: sources still have their values. active: lanes of the split; mask: of
     * them, those whose guard holds. */
    int (*before)(void *ctx, const struct smrf_exec_warp *warp, const struct smrf_exec_op *op,
                  uint32_t active, uint32_t mask);
    /* After: destinations written. address: per-lane addresses of a memory instruction (generic
     * ones included, as computed), else NULL. */
    int (*after)(void *ctx, const struct smrf_exec_warp *warp, const struct smrf_exec_op *op,
                 uint32_t active, uint32_t mask, const uint64_t *address);
    int (*block_end)(void *ctx);
    /* For blocks on several threads; NULL: they run on one. The listener of thread number `thread`,
     * which is called from there; a block's block_end comes when those of all earlier blocks are
     * over. NULL: there is no memory for it. */
    const struct smrf_exec_listener *(*on_thread)(void *ctx, unsigned thread);
    /* Nothing since block_begin has happened; the block will begin again. */
    void (*block_undone)(void *ctx);
};

/* Limits in bytes: shared memory of a block on any architecture, local memory of a lane,
 * parameters.
 */
#define SMRF_EXEC_MAX_SHARED (228U << 10)
#define SMRF_EXEC_MAX_STACK (1U << 19)
#define SMRF_EXEC_MAX_PARAMS 4096U

/* Threads that can run blocks of a launch. */
#define SMRF_EXEC_MOST_THREADS 8U
/* Bytes between what two threads write: processors fetch cache lines in pairs. */
#define SMRF_EXEC_APART 128

struct smrf_exec_launch {
    const struct smrf_exec_code *code;
    const struct smrf_sass_function *entry;
    struct smrf_memory_space *space;
    struct smrf_exec_dim grid, block;
    uint32_t dynamic_shared; /* bytes */
    const uint8_t *params;   /* bytes from param_base on */
    uint32_t param_bytes;
    const uint8_t
        *const_data[SMRF_SASS_CONST_BANKS]; /* module-wide banks as the host last set them */
    uint32_t const_bytes[SMRF_SASS_CONST_BANKS];
    /* Textures and surfaces by the number in their handles; NULL: no such number. */
    const struct smrf_exec_texture *const *texture;
    uint32_t num_textures;
    /* Words of constant bank 0 that are filled in: handles of texture and surface references. */
    const struct smrf_exec_word {
        uint32_t offset, value;
    } * word;
    uint32_t num_words;
    uint64_t const_address;      /* where generic addresses find bank 3: __constant__ variables */
    uint32_t stack_bytes;        /* local memory a lane; 0 = what the kernel states, else 16 KiB */
    uint64_t heap_bytes;         /* device malloc; 0 = 8 MiB */
    uint64_t max_insts_per_warp; /* 0 = 2^28: a runaway loop is an error */
    uint64_t stop_after_insts;   /* warp instructions of the launch, 0 = no limit; checked at a
                                    block's end: blocks are whole */
    /* Not 0: a signal has come, and the launch fails with SMRF_ERR_STATE after a warp's turn. NULL
     * = nothing stops it. */
    const volatile sig_atomic_t *stop;
    /* Blocks may run on this many threads, at most SMRF_EXEC_MOST_THREADS; 0 and 1: one after the
     * other. It changes nothing else. They start once blocks that have ended tell that at least
     * threads_from warp instructions are left; 0 = 2^18. */
    unsigned threads;
    uint64_t threads_from;
    /* All blocks are there from the beginning and take turns, so that they may wait for one
     * another; stop_after_insts is then not looked at. */
    bool together;
    /* What grid.sync() counts in: SMRF_EXEC_GRID_BYTES zeros in global memory; 0 = none. */
    uint64_t grid_barrier;
    /* Blocks to run: NULL = all. Others are left out (their results are missing). */
    bool (*wants_block)(void *ctx, struct smrf_exec_dim id);
    void *wants_ctx;
    /* What printf (is_error false) and a failed assert (true) write; NULL = nothing is written. */
    void (*print)(void *ctx, bool is_error, const char *text, size_t bytes);
    void *print_ctx;
    const struct smrf_exec_listener *listener; /* NULL = none */
};

struct smrf_exec_totals {
    uint64_t blocks, warps, warp_insts, thread_insts;
    uint64_t calls;      /* CALL executions by warps */
    uint32_t call_depth; /* deepest nesting of calls met by any lane */
    uint64_t divergent_branches;
    uint64_t forced_syncs; /* convergence waits given up because no lane could ever arrive */
    uint8_t fault;         /* enum smrf_exec_fault of a launch that failed */
};

/* Adds a part to a sum: the deepest call and the last fault of either. */
void smrf_exec_add_totals(struct smrf_exec_totals *sum, const struct smrf_exec_totals *part);

/* Bytes of shared memory that a block of sm_<arch> may have at most, opted in for. */
uint32_t smrf_exec_max_shared(unsigned arch);
/* Bytes at the start of a block's shared memory that the system has for itself: a kernel's static
 * ones include them, the limit does not. */
uint32_t smrf_exec_reserved_shared(unsigned arch);

/* Run a launch to its end. On failure error names kernel, block, warp, lane, PC, instruction with
 * its line, and the reason. totals may be NULL. */
int smrf_exec_run(const struct smrf_exec_launch *launch, struct smrf_exec_totals *totals,
                  char error[SMRF_SASS_ERROR_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
