/* SPDX-License-Identifier: Apache-2.0 */
/* What a mechanism needs to know of a kernel's program before it runs: control-flow graph,
 * dominators, calls, which register values are still needed where, which stores and loads are saves
 * and restores of the calling convention, strands and intervals. Made from the sidecar of a trace
 * (docs/operands.md, version 2), which is also what a disassembly becomes. Pure: no input, no
 * output, the same program gives the same answers. */
#ifndef SMRF_FLOW_H
#define SMRF_FLOW_H

#include "firmware/flow/regset.h"
#include "models/common/smrf_inst.h"
#include "traces/operands.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_FLOW_NOWHERE UINT32_MAX
#define SMRF_FLOW_LAST_RESULT 15 /* a place; those below it are entries of the operand file */
#define SMRF_FLOW_ALSO_BANK 16
#define SMRF_FLOW_FROM_BANK 16

/* What an instruction does to the flow of control. */
enum smrf_flow_role {
    SMRF_FLOW_STEP,     /* goes on behind it */
    SMRF_FLOW_JUMP,     /* BRA, BRX */
    SMRF_FLOW_TAIL,     /* a jump into another function, which returns to this one's caller */
    SMRF_FLOW_CALLS,    /* and comes back behind it */
    SMRF_FLOW_RETURNS,  /* RET */
    SMRF_FLOW_ENDS,     /* EXIT, KILL */
    SMRF_FLOW_MEETS,    /* BSYNC: lanes wait for each other */
    SMRF_FLOW_GIVES_WAY /* BAR, WARPSYNC, YIELD: other lanes may run before it goes on */
};

struct smrf_flow_inst {
    /* As the trace reader decodes it; with listed_only, src and dst hold only the registers that a
     * trace line lists, from the liveness step on. */
    struct smrf_static_inst op;
    struct smrf_regset reads, writes;         /* registers in op.src, op.dst */
    struct smrf_regset all_reads, all_writes; /* every register of its operands */
    /* Registers whose present value a thread that has executed this still reads before it writes
     * them, on some path; in a call: at the callee's entry. */
    struct smrf_regset live_out;
    uint32_t target; /* index of the instruction; NOWHERE: there is none, or a register tells */
    uint32_t block;
    uint32_t strand, interval; /* numbers in the program, from 0 */
    bool ends_strand;          /* whatever comes next is another strand's; known with places */
    /* Where op.src[i] is read from, op.dst[i] is written to: 0 = the register file, 1.. = an entry
     * of the operand file, SMRF_FLOW_LAST_RESULT; dst: ALSO_BANK = and the register file; src:
     * FROM_BANK = from the register file, and to the entry. */
    uint8_t src_place[SMRF_MAX_SRC], dst_place[SMRF_MAX_DST];
    uint16_t
        unmerged_dst;   /* bit i: lanes that its guard leaves out do not need what op.dst[i] held */
    uint32_t final_src; /* bit i: op.src[i] is read for the last time by the lanes that run */
    uint32_t release_src; /* bit i: .. and no other lane of the warp will read it */
    uint8_t role;         /* enum smrf_flow_role */
    bool conditional;     /* not every lane that comes here does it: guard, or a second predicate */
    uint32_t condition; /* conditional steps with the same number in a block have the same lanes; 0:
                           it is like no other */
    bool tests_zero;    /* dst predicate = op.src[0] is not 0 */
    uint8_t saves_pred; /* a register gets this predicate alone (bit p), else 0 */
    bool indirect;      /* jump or call to where a register says */
    bool divergent;     /* lanes that run together may part here */
    uint8_t barrier;    /* BSSY, BSYNC, BREAK, BMOV to a barrier: its number; 255 = none */
    bool uniform_source; /* a special register that all lanes of a warp see alike */
    bool local;          /* local access at a constant distance from R1 */
    bool moves_stack;    /* R1 += offset */
    int32_t offset;      /* of either */
};

/* Straight code: entered at its first, left at its last instruction. Calls, meeting points and
 * instructions that give way end one. */
struct smrf_flow_block {
    uint32_t function, first, count; /* instructions */
    uint32_t num_succ, num_pred;
    const uint32_t *succ,
        *pred;      /* blocks of the same function; behind a call: where it comes back */
    uint32_t order; /* in reverse postorder of its function; NOWHERE: cannot be reached */
    uint32_t idom;  /* immediate dominator, NOWHERE: entry or out of reach */
    struct smrf_regset live_in;
    /* What lanes may still need that wait elsewhere while this block runs: on the other side of a
     * divergent branch, at a meeting point, in a caller or a callee. */
    struct smrf_regset held;
};

/* A place that calls, and whom. */
struct smrf_flow_site {
    uint32_t inst, caller;
    uint32_t num_callees;
    const uint32_t *callee; /* functions */
    bool unknown;           /* through a pointer, and the program does not say where to */
};

/* One register that the calling convention has a function keep for its caller. */
struct smrf_flow_save {
    uint32_t inst;
    uint32_t function;
    uint8_t reg;
    bool restore;   /* LDL; else STL */
    int32_t offset; /* of its slot from R1 at the function's entry */
};

struct smrf_flow_function {
    const char *name;
    uint32_t pc, first, count; /* instructions */
    uint32_t first_block, num_blocks;
    uint8_t kind;       /* enum smrf_operand_function_kind */
    bool unknown_jump;  /* the targets of an indexed branch are unknown: everything stays live */
    bool recursive;     /* can be reached from itself */
    bool parts;         /* may return some lanes while others are still in it */
    uint32_t registers; /* a thread, as the compiler states it */
    uint32_t depth;     /* calls below it on the longest path, recursion counted once */
    uint32_t stack_registers; /* most that it and what it calls save at once, likewise */
    uint32_t num_callees, num_callers;
    const uint32_t *callee, *caller; /* functions, ascending */
    struct smrf_regset used;         /* named by its own instructions */
    struct smrf_regset live_in;      /* read before written, callees included */
    struct smrf_regset preserved;    /* has the same value at every return as at entry */
    struct smrf_regset saved;        /* stored and loaded again for the caller */
    struct smrf_regset unrestored;   /* of these: not loaded again before some return */
};

/* A region entered at one place only, with few registers (LTRF). */
struct smrf_flow_interval {
    uint32_t header; /* first instruction */
    struct smrf_regset registers;
};

struct smrf_flow_options {
    uint32_t binary_version;     /* of the machine; 0 = 75 */
    uint32_t interval_registers; /* most in an interval; 0 = 16 */
    uint32_t operand_entries;    /* of the operand file, a thread, to 14; 0 = there is none */
    bool last_result;            /* there is a last-result file */
    bool read_operands;          /* the operand file takes what is read several times, too */
    /* The machine has of each operand only the registers that a trace line lists
     * (rf.base_registers_only): live registers, places and intervals are of these. */
    bool listed_only;
};

struct smrf_flow_program {
    uint32_t num_insts, num_functions, num_blocks, num_sites, num_saves;
    uint32_t num_strands, num_intervals;
    struct smrf_flow_inst *inst;         /* by PC */
    struct smrf_flow_function *function; /* by PC; the kernel is the first */
    struct smrf_flow_block *block;       /* by PC */
    struct smrf_flow_site *site;         /* by PC */
    struct smrf_flow_save *save;         /* by PC */
    struct smrf_flow_interval *interval;
    struct smrf_flow_chunk *chunk; /* everything above lives here */
};

/* table: of version 2 (else SMRF_ERR_INVAL), may be closed afterwards. options: NULL = defaults.
 * Returns 0, SMRF_ERR_NOMEM, or SMRF_ERR_FORMAT with *reason saying what does not fit. */
int smrf_flow_build(struct smrf_flow_program **program, const struct smrf_operand_table *table,
                    const struct smrf_flow_options *options, const char **reason);
void smrf_flow_free(struct smrf_flow_program *program);

/* Index of the instruction at a PC, NOWHERE if there is none. */
uint32_t smrf_flow_at(const struct smrf_flow_program *program, uint32_t pc);
/* The site of a call, NULL if the instruction is none. */
const struct smrf_flow_site *smrf_flow_site_at(const struct smrf_flow_program *program,
                                               uint32_t inst);
/* Does block a lie on every path from its function's entry to b? */
bool smrf_flow_dominates(const struct smrf_flow_program *program, uint32_t a, uint32_t b);
/* Registers that some lane of the warp may still need after the instruction. */
struct smrf_regset smrf_flow_warp_live(const struct smrf_flow_program *program, uint32_t inst);
/* Does a lane that does not execute it, as it waits elsewhere or its guard leaves it out, need what
 * op.dst[i] held before? */
bool smrf_flow_others_need(const struct smrf_flow_program *program, uint32_t inst, unsigned i);

#ifdef __cplusplus
}
#endif

#endif
