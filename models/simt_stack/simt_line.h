/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a warp's trace as the SIMT stack sees it: all that passes from issue to the stack. */
#ifndef SMRF_SIMT_LINE_H
#define SMRF_SIMT_LINE_H

#include "models/common/smrf_inst.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an instruction does to the stack: enum smrf_flow by mnemonic and operands. */
enum smrf_simt_flow {
    SMRF_SIMT_FLOW_NONE,
    SMRF_SIMT_FLOW_BRANCH,    /* to the target that the immediate names */
    SMRF_SIMT_FLOW_BRANCH_IF, /* the same, with a condition beside the guard: lanes of the mask
                                       may stay */
    SMRF_SIMT_FLOW_BRANCH_REGISTER, /* each lane's register names its target */
    SMRF_SIMT_FLOW_CALL,
    SMRF_SIMT_FLOW_CALL_REGISTER,
    SMRF_SIMT_FLOW_RET,
    SMRF_SIMT_FLOW_BSSY,
    SMRF_SIMT_FLOW_BSYNC,
    SMRF_SIMT_FLOW_BREAK,
    SMRF_SIMT_FLOW_WARPSYNC,     /* of the lanes that the immediate names */
    SMRF_SIMT_FLOW_WARPSYNC_ALL, /* of every live lane */
    SMRF_SIMT_FLOW_WARPSYNC_ANY, /* of lanes that the trace does not name */
    SMRF_SIMT_FLOW_YIELD,
    SMRF_SIMT_FLOW_SSY, /* before Volta: SSY, PBK and PCNT are met by SYNC, BRK and CONT */
    SMRF_SIMT_FLOW_PBK,
    SMRF_SIMT_FLOW_PCNT,
    SMRF_SIMT_FLOW_SYNC,
    SMRF_SIMT_FLOW_BRK,
    SMRF_SIMT_FLOW_CONT,
    SMRF_SIMT_FLOW_EXIT,
    SMRF_SIMT_FLOW_COUNT
};

struct smrf_simt_line {
    uint32_t pc, mask; /* of the line: lanes active and with their guard set */
    uint64_t imm;      /* first immediate, 0 where the format has none */
    /* The warp's next line; both 0 where there is none. */
    uint32_t next_pc, next_mask;
    uint8_t flow; /* enum smrf_simt_flow */
};

/* What the instruction does to the stack. */
enum smrf_simt_flow smrf_simt_flow_of(const struct smrf_static_inst *op);

static inline struct smrf_simt_line smrf_simt_line_of(const struct smrf_inst *inst)
{
    const struct smrf_static_inst *op = inst->op;
    struct smrf_simt_line line;
    line.pc = op->pc;
    line.mask = inst->mask;
    line.imm = inst->imm;
    line.next_pc = inst->next_pc;
    line.next_mask = inst->next_mask;
    line.flow = SMRF_SIMT_FLOW_NONE;
    if (op->flow != SMRF_FLOW_NONE) {
        line.flow = (uint8_t)smrf_simt_flow_of(op);
    }
    return line;
}

#ifdef __cplusplus
}
#endif

#endif
