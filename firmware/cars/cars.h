/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's part of register stacks: which registers each function pushes, how many registers
 * the stack of a warp needs, and the program with its saves and restores turned into lists of PUSH
 * and POP. Source: CARS III-A, III-B, IV-A; what the code of a present compiler demands beyond
 * them: - the saved registers are any set, not a range from R16 on (the range is there as well); -
 * restores are interleaved with uses of registers that are still renamed, so that all of a
 *    function's are popped at once before its return;
 *  - the kernel's registers as the linker states them are already those of every function below it,
 *    so that they are the kernel's FRU;
 *  - a save or restore moves one to four registers: all of them are pushed, or none is;
 *  - functions that are entered or left by a jump keep their saves in memory. */
#ifndef SMRF_CARS_COMPILER_H
#define SMRF_CARS_COMPILER_H

#include "firmware/flow/flow.h"
#include "models/common/smrf_program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct smrf_cars_code {
    struct smrf_program program;
    uint8_t *spill; /* [instructions of the flow's program]: 1: a save or restore that is pushed */
    uint32_t num_insts;
    uint32_t *pc; /* [num_insts] */
    void *parts;  /* what program points at; names are copies */
};

/* Returns 0 or SMRF_ERR_NOMEM. */
int smrf_cars_compile(struct smrf_cars_code *code, const struct smrf_flow_program *flow);
void smrf_cars_free(struct smrf_cars_code *code);

/* Is the instruction at a PC one that a register stack removes? */
bool smrf_cars_is_spill(const struct smrf_cars_code *code, uint32_t pc);

/* Registers of a warp, per thread. registers: those of the kernel itself. slot: registers of a
 * frame that hold the caller's frame pointer, 0 or 1. */
struct smrf_cars_levels {
    uint32_t kernel;  /* its FRU */
    uint32_t largest; /* of the frames */
    uint32_t low, high;
};
struct smrf_cars_levels smrf_cars_levels_of(const struct smrf_program *program, uint32_t registers,
                                            enum smrf_program_frames frames, unsigned slot);

/* An instruction of the rewritten program. */
enum smrf_cars_kind {
    SMRF_CARS_KEEP,   /* instruction `inst` of the flow's program, unchanged */
    SMRF_CARS_FRAME,  /* before a call: push of the caller's frame pointer */
    SMRF_CARS_PUSHES, /* at a function's entry: its list of registers */
    SMRF_CARS_POPS    /* before a return */
};

struct smrf_cars_line {
    uint32_t inst; /* of the flow's program; the one that it stands before */
    uint32_t function;
    uint8_t kind; /* enum smrf_cars_kind */
};

/* The rewritten program, line[*count], from malloc. Returns 0 or SMRF_ERR_NOMEM. */
int smrf_cars_rewrite(const struct smrf_cars_code *code, const struct smrf_flow_program *flow,
                      struct smrf_cars_line **line, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
