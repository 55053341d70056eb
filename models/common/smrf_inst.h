/* SPDX-License-Identifier: Apache-2.0 */
/* A SASS instruction as the replayer sees it: the static part (decoded once per text line of a
 * kernel) and the dynamic part (one execution by one warp). Plain data, no functions. */
#ifndef SMRF_INST_H
#define SMRF_INST_H

#include "models/common/smrf_bits.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_LANES 32     /* lanes (threads) of a warp */
#define SMRF_REG_ZERO 255 /* RZ: reads as zero, writes are discarded */
#define SMRF_UREG_ZERO 63 /* URZ */
#define SMRF_MAX_BASE 8   /* register names that a trace line can list, a side */
#define SMRF_MAX_SRC 24   /* 32-bit source registers after expansion */
#define SMRF_MAX_DST 16   /* 32-bit destination registers after expansion */
#define SMRF_MAX_USRC 4   /* uniform source registers */
#define SMRF_MAX_UDST 4   /* uniform destination registers */

/* Execution classes: Accel-Sim's trace-driven opcode classes. */
enum smrf_class {
    SMRF_CLASS_INT,     /* integer pipe: IADD3, IMAD, LOP3, ... */
    SMRF_CLASS_ALU,     /* integer pipe, "ALU" class: MOV, SEL, S2R, SHFL, conversions, NOP */
    SMRF_CLASS_SP,      /* single precision: FADD, FMUL, FFMA, ... */
    SMRF_CLASS_HALF,    /* packed half: HADD2, HFMA2, ... (single-precision pipe) */
    SMRF_CLASS_DP,      /* double precision */
    SMRF_CLASS_SFU,     /* special functions: MUFU */
    SMRF_CLASS_TENSOR,  /* HMMA, IMMA, BMMA */
    SMRF_CLASS_BRANCH,  /* control flow: BRA, BSSY, BSYNC, CALL, RET, ... */
    SMRF_CLASS_TEX,     /* texture */
    SMRF_CLASS_UNIFORM, /* uniform datapath: UMOV, ULDC, R2UR, ... */
    SMRF_CLASS_LOAD,
    SMRF_CLASS_STORE,
    SMRF_CLASS_ATOMIC,  /* ATOM, ATOMG, ATOMS (return a value) and RED (do not) */
    SMRF_CLASS_BARRIER, /* BAR */
    SMRF_CLASS_MEMBAR,
    SMRF_CLASS_EXIT,
    SMRF_CLASS_COUNT
};

enum smrf_space {
    SMRF_SPACE_NONE,
    SMRF_SPACE_GLOBAL,
    SMRF_SPACE_SHARED,
    SMRF_SPACE_LOCAL,
    SMRF_SPACE_CONST,
    SMRF_SPACE_GENERIC, /* LD/ST/ATOM: decided per address by the kernel's windows */
    SMRF_SPACE_TEXTURE,
    SMRF_SPACE_COUNT
};

/* What a control-flow instruction does to the SIMT stack. */
enum smrf_flow {
    SMRF_FLOW_NONE,
    SMRF_FLOW_BRANCH, /* BRA, BRX, JMP, JMX, BRXU, JMXU */
    SMRF_FLOW_CALL,
    SMRF_FLOW_RET,
    SMRF_FLOW_BSSY,
    SMRF_FLOW_BSYNC,
    SMRF_FLOW_BREAK,
    SMRF_FLOW_WARPSYNC,
    SMRF_FLOW_YIELD,
    SMRF_FLOW_SSY,  /* before Volta: push a reconvergence point */
    SMRF_FLOW_SYNC, /* before Volta: pop it */
    SMRF_FLOW_EXIT
};

enum smrf_inst_flag {
    SMRF_INST_ATOMIC_RETURN = 1u << 0,     /* atomic that writes a register */
    SMRF_INST_BYPASS_L1 = 1u << 1,         /* .CG, .STRONG.GPU, .STRONG.SYS, ...: goes to L2 */
    SMRF_INST_UNKNOWN = 1u << 2,           /* opcode not in the table: default class */
    SMRF_INST_SHARED_AND_GLOBAL = 1u << 3, /* LDGSTS: the listed addresses are global */
    SMRF_INST_SPILL = 1u << 4, /* saves or restores registers for a caller, and nothing else; known
                                  from the program alone (smrf_program.h) */
    SMRF_INST_BYPASS_ACCELSIM = 1u << 5, /* a load that Accel-Sim sends past the L1: .STRONG.GPU
                                            only (its trace_driven.cc) */
    SMRF_INST_COPIES_CLOSE = 1u << 6,    /* LDGDEPBAR: ends a group of asynchronous copies */
    SMRF_INST_COPIES_WAIT = 1u << 7,     /* DEPBAR: waits for groups of them */
    SMRF_INST_HMUL2 = 1u << 8,           /* HMUL2: of packed halves, with an interval of its own */
    SMRF_INST_COUNTS_LANES = 1u << 9, /* ATOMS.POPC.INC: adds the number of lanes of an address */
    SMRF_INST_COPIES = SMRF_INST_SHARED_AND_GLOBAL | SMRF_INST_COPIES_CLOSE | SMRF_INST_COPIES_WAIT
};

/* What an instruction of the tensor class adds up in. */
enum smrf_accumulators {
    SMRF_ACCUMULATORS_INT, /* IMMA, BMMA */
    SMRF_ACCUMULATORS_F16, /* HMMA */
    SMRF_ACCUMULATORS_F32
};

/* Where a core without collectors executes an instruction, if not where its class says. */
enum smrf_pipe {
    SMRF_PIPE_CLASS,
    SMRF_PIPE_MOVE, /* by its class, but read sooner than others of the uniform datapath */
    SMRF_PIPE_VOTE, /* the same, and sooner still */
    SMRF_PIPE_ALU,  /* selects, comparisons and extremes of single precision */
    SMRF_PIPE_FMA,  /* integer multiply-add, in the pipe of single precision */
    SMRF_PIPE_SLOW, /* variable latency: conversions, bit counts, special registers, shuffles */
    SMRF_PIPE_WIDE  /* the same: conversions from and to types of 64 bits */
};

/* What of a static instruction asks for more than its registers. */
enum smrf_inst_need {
    SMRF_NEED_ISSUE = 1u << 0, /* issue: addresses, control flow, a fence, uniform registers, .. */
    SMRF_NEED_END = 1u << 1,   /* its end: uniform results, an asynchronous copy */
    /* What the first is about: */
    SMRF_NEED_UNIFORM = 1u << 2, /* uniform registers */
    SMRF_NEED_FENCE = 1u << 3,   /* others of its warp may wait: a barrier, a fence, copies */
    SMRF_NEED_MEMORY = 1u << 4,  /* the load/store unit: its addresses are kept */
    SMRF_NEED_LONG = 1u << 5     /* its result comes from memory or a texture */
};

/* What a static instruction's register lists come to, so that its executions need not go through
 * them (smrf_reg_set.h). What every execution looks at stands first. */
struct smrf_reg_set {
    uint64_t reads; /* distinct sources by bank, a field of 64 / banks bits each, if register 0 lies
                          in bank 0; 0 where the banks are not known, or no power of two */
    /* From here to no_carries as struct smrf_flight has them, in its order: they are copied at a
     * stroke. */
    uint8_t needs; /* enum smrf_inst_need */
    uint8_t num_src, num_read, num_dst;
    uint16_t dst_left;   /* bit i: there is a destination i */
    uint16_t no_carries; /* 0 */
    uint16_t made_for; /* smrf_reg_set_kind(); 0: not made, and then none of this means anything */
    uint8_t highest;   /* register that is named; 0 if none is */
    uint8_t dst[SMRF_MAX_DST];     /* the destinations */
    uint64_t written[4], named[4]; /* bit r: register r is a destination; any operand */
    uint64_t read[4];              /* bit r: register r is a source */
    uint8_t src[SMRF_MAX_SRC];     /* every source once, in operand order */
};

struct smrf_inst_facts; /* smrf_program.h */

/* One static instruction. Full register lists exclude RZ, and name every 32-bit register of a
 * wide operand; a duplicate source appears as often as the operands name it. Base lists hold what
 * the trace lists, RZ included, after repair of the destination order (SHFL, ATOM, RET, BMOV). */
struct smrf_static_inst {
    uint32_t pc;          /* byte offset in the function */
    uint32_t index;       /* dense number within the kernel, from 0 */
    uint16_t opcode;      /* row of the opcode table */
    uint8_t op_class;     /* enum smrf_class */
    uint8_t space;        /* enum smrf_space */
    uint8_t flow;         /* enum smrf_flow */
    uint8_t access_bytes; /* bytes a lane accesses; 0 = no memory */
    uint8_t accumulators; /* tensor class: enum smrf_accumulators */
    uint8_t step;         /* 0: an instruction; n: step n of the one before it, which has too many
                             registers for one: it issues, and counts as no instruction */
    uint16_t flags;       /* enum smrf_inst_flag */
    /* Known before it runs. The reader leaves these empty for the callee of
     * smrf_trace_on_instruction. */
    uint16_t near_dst;                   /* bit i: dst[i] is reused soon */
    uint32_t near_src;                   /* bit i: src[i] is reused soon */
    const struct smrf_inst_facts *facts; /* of its program; NULL = nothing is known */
    uint8_t num_src, num_dst;
    uint8_t num_src_base, num_dst_base;
    uint8_t num_usrc, num_udst;
    struct smrf_reg_set set; /* sums of the register lists, if the reader was asked for them */
    uint8_t src[SMRF_MAX_SRC];
    uint8_t dst[SMRF_MAX_DST];
    uint8_t src_slot[SMRF_MAX_SRC]; /* operand position (0 = A, 1 = B, ...) of src[i] */
    uint8_t src_base[SMRF_MAX_BASE];
    uint8_t dst_base[SMRF_MAX_BASE];
    uint8_t usrc[SMRF_MAX_USRC];
    uint8_t udst[SMRF_MAX_UDST];
    /* Vector registers exactly as the line lists them, nothing repaired, RZ included: what
     * Accel-Sim reads (RET's return address is a destination, SHFL's destination a source). */
    uint8_t num_src_listed, num_dst_listed;
    uint8_t src_listed[SMRF_MAX_BASE];
    uint8_t dst_listed[SMRF_MAX_BASE];
    /* What only the sidecar of a trace knows (docs/operands.md); zero where there is none, and
     * src_slot is then a guess wherever a constant or an immediate stands between registers. With
     * it, src also holds a constant's index register, after the others. */
    uint8_t has_operands;
    uint8_t guard;                         /* predicate before the instruction: 0..6, 7 = none */
    uint8_t guard_inverted, guard_uniform; /* @!P0; @UP0 */
    uint8_t pred_src, pred_dst;            /* bit p: reads (the guard not counted), writes Pp */
    uint8_t upred_src, upred_dst;          /* the same of UPp */
    uint16_t const_slots;                  /* bit s: operand position s is a constant-bank word */
    uint16_t imm_slots;                    /* bit s: ... an immediate */
    uint32_t constant; /* 1 + address of the last constant-bank word, its bank x 64 KiB + offset; 0:
                          there is none, or a register is part of its address */
    uint32_t src_reuse; /* bit i: src[i] carries the compiler's .reuse mark */
    uint8_t has_control;
    uint8_t pipe;        /* enum smrf_pipe; from the opcode alone */
    uint8_t depbar;      /* DEPBAR: 1 + its counter, from bit 3 on what it may be; 0: none */
    uint8_t depbar_list; /* further counters (bit i) that must be 0 */
    uint32_t control;    /* with has_control: bits 105 to 125 of the encoding (docs/operands.md) */
    const char *source;  /* file that it was compiled from; NULL = not known; lives as text does */
    uint32_t source_line;
    const char *text; /* opcode with modifiers, NUL-terminated, lives as long as the kernel */
};

enum smrf_addr_kind {
    SMRF_ADDR_NONE,
    SMRF_ADDR_STRIDE, /* the k-th active lane accesses base + k x stride */
    SMRF_ADDR_LIST    /* one for every active lane */
};

/* Values that a trace carries for one execution (tracer version 6, "Val"). */
struct smrf_values {
    uint8_t num_dst, num_src;               /* registers with values */
    uint32_t dst[SMRF_MAX_DST][SMRF_LANES]; /* [full destination register][lane] */
    uint32_t src[SMRF_MAX_SRC][SMRF_LANES];
};

/* One execution of a static instruction by a warp. What every execution looks at stands in the
 * first line of a data cache, up to imm. */
struct smrf_inst {
    const struct smrf_static_inst *op; /* valid while the kernel is open */
    const struct smrf_values *values; /* NULL = the trace carries none; valid until the next read */
    /* Those of op, or of this execution alone, which are valid until the third read after it. */
    const struct smrf_inst_facts *facts;
    union {
        uint64_t base;                 /* SMRF_ADDR_STRIDE: address of the first active lane */
        const struct smrf_inst *after; /* in a smrf_inst_run: the one behind it */
    };
    union {
        int64_t stride; /* SMRF_ADDR_STRIDE: bytes */
        /* SMRF_ADDR_LIST: lane l accesses base + list[l]; valid while the kernel is open. NULL:
         * lane[l]. */
        const uint64_t *list;
    };
    uint32_t mask;               /* lanes that execute (active and predicate) */
    uint32_t near_src;           /* bit i: op->src[i] is reused soon; reader: as op's */
    uint16_t near_dst;           /* bit i: op->dst[i] is reused soon; reader: as op's */
    uint8_t addr_kind;           /* enum smrf_addr_kind */
    uint32_t next_pc, next_mask; /* of the warp's next line; both 0 where there is none */
    uint32_t line;               /* source line number, 0 = unknown */
    uint64_t imm;                /* first immediate, 0 where the format has none */
    uint64_t lane[SMRF_LANES];   /* SMRF_ADDR_LIST without list: written only for active lanes */
};

/* A warp's next instructions, in order. They stay where they are while the kernel is open. */
struct smrf_inst_run {
    const struct smrf_inst *next;
    uint16_t left; /* how many; 0: next says nothing */
    uint32_t mask; /* of them all */
};

static inline const struct smrf_inst *smrf_inst_run_take(struct smrf_inst_run *run)
{
    const struct smrf_inst *inst = run->next;
    run->next = inst->after;
    run->left--;
    return inst;
}

/* Address of an active lane. */
static inline uint64_t smrf_inst_address(const struct smrf_inst *inst, unsigned lane)
{
    if (inst->addr_kind == SMRF_ADDR_LIST) {
        return inst->list ? inst->base + inst->list[lane] : inst->lane[lane];
    }
    const uint32_t before = inst->mask & ((UINT32_C(1) << lane) - 1);
    return inst->base + smrf_count_bits(before) * (uint64_t)inst->stride;
}

/* SMRF_ADDR_LIST: addresses of all lanes, those that are not active any: its own, or in room. */
static inline const uint64_t *smrf_inst_list(const struct smrf_inst *inst,
                                             uint64_t room[SMRF_LANES])
{
    if (!inst->list) {
        return inst->lane;
    }
    for (unsigned l = 0; l < SMRF_LANES; l++) {
        room[l] = inst->base + inst->list[l];
    }
    return room;
}

#ifdef __cplusplus
}
#endif

#endif
