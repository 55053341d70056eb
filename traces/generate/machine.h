/* SPDX-License-Identifier: Apache-2.0 */
/* A small SASS interpreter that runs one warp and records the trace lines an instrumented GPU would
 * give: 32 lanes of 32-bit registers, predicates, convergence barriers, calls. Integer results are
 * exact, so that addresses, masks and branches are computed; floating point moves made-up bits. A
 * load returns a hash of its address: no lane depends on another's stores. */
#ifndef SMRF_GENERATE_MACHINE_H
#define SMRF_GENERATE_MACHINE_H

#include "traces/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MACHINE_PREDICATES 4
#define MACHINE_BARRIERS 4
#define MACHINE_PC_STEP 16 /* bytes of an instruction, Volta and later */

enum machine_semantics {
    DO_MOV,       /* D = A */
    DO_MAD,       /* D = A * B + C */
    DO_WIDE,      /* D pair = A * B + C pair, unsigned */
    DO_ADD,       /* D = A + B + C */
    DO_ADD_CARRY, /* as DO_ADD, keeps the lanes' carries for the next DO_ADD_X */
    DO_ADD_X,     /* D = A + B + carry */
    DO_SHL_ADD,   /* D = (A << C) + B */
    DO_AND,
    DO_SHR,
    DO_XOR,
    DO_LESS,    /* predicate = A < B, signed */
    DO_NONZERO, /* predicate = B & C is not 0; A is the discarded destination, listed first */
    DO_LOAD,    /* D = memory[A + offset] */
    DO_STORE,   /* memory[A + offset] = B */
    DO_BRANCH,
    DO_BSSY,
    DO_BSYNC,
    DO_CALL,
    DO_RETURN, /* to the address in register A */
    DO_EXIT,
    DO_NOTHING
};

/* Operand kinds. REG: value = register number. IMM: not listed, goes to the line's immediate.
 * CONST: a constant-bank operand, not listed. SPECIAL: a special register, not listed.
 * HIDDEN_REG: a register that is read but not listed as a source. */
enum machine_operand_kind {
    OPERAND_NONE,
    OPERAND_REG,
    OPERAND_HIDDEN_REG,
    OPERAND_IMM,
    OPERAND_CONST,
    OPERAND_SPECIAL
};
enum machine_special { TID_X, TID_Y, CTAID_X, CTAID_Y };

struct machine_operand {
    uint8_t kind;
    uint64_t value;
};

struct machine_op {
    const char *text; /* opcode with modifiers */
    uint8_t semantics;
    uint8_t dst;    /* register; 255 = RZ; for predicates: index */
    bool lists_dst; /* the trace shows dst */
    struct machine_operand src[3];
    int8_t guard;      /* 0 = always, +n = if predicate n-1, -n = if not */
    uint8_t mem_width; /* bytes a lane; 0 = no memory */
    bool wide_address; /* A is a pair */
    int32_t offset;    /* bytes, memory only */
    uint32_t target;   /* index of an instruction: branches, calls, BSSY */
    uint8_t barrier;   /* BSSY, BSYNC */
    bool lists_target; /* the tracer shows a branch target as immediate */
};

struct machine_program {
    const char *name; /* of the kernel, mangled */
    const struct machine_op *op;
    uint32_t count, num_regs, shared_bytes;
    struct smrf_dim3 grid, block;
};

/* Run one warp. Lines are handed to `line` in order; a negative return of it ends the run and is
 * passed on. Returns the number of instructions or an error: SMRF_ERR_LIMIT where the program does
 * not end. */
int64_t smrf_machine_run_warp(const struct machine_program *program, struct smrf_dim3 block,
                              uint32_t warp,
                              int (*line)(void *context, const struct smrf_trace_line *line),
                              void *context);

#ifdef __cplusplus
}
#endif

#endif
