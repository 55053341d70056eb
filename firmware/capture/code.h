/* SPDX-License-Identifier: Apache-2.0 */
/* The static side of a capture: what every instruction of a kernel looks like on a trace line and
 * in the sidecar, made once a kernel. */
#ifndef SMRF_CAPTURE_CODE_H
#define SMRF_CAPTURE_CODE_H

#include "firmware/exec/exec.h"
#include "traces/operands.h"
#include "traces/trace.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_CAPTURE_TEXT_MAX 512 /* a line of the sidecar */
#define SMRF_CAPTURE_OPCODE_MAX 100

/* One instruction. */
struct smrf_capture_op {
    struct smrf_trace_line line;    /* all but mask, addresses and values */
    uint8_t apart[SMRF_EXEC_APART]; /* one thread writes lines while others run blocks */
    uint8_t op_class;               /* enum smrf_class */
    bool memory;                    /* the line has addresses */
    bool ends;                      /* EXIT, KILL: a second condition may keep lanes alive */
    uint8_t num_dst, num_src;       /* full registers, for the values */
    uint8_t dst[SMRF_MAX_DST], src[SMRF_MAX_SRC];
    struct smrf_operand_map map;
    struct smrf_listed_text listed;
    char opcode[SMRF_CAPTURE_OPCODE_MAX + 1];
};

/* An instruction's executions in the present launch, by warps and by threads. */
struct smrf_capture_tally {
    uint64_t count, threads;
};

struct smrf_capture_code {
    struct smrf_capture_code *next;
    const struct smrf_exec_code *code;
    const struct smrf_sass_function *entry;
    struct smrf_capture_op **op; /* [module->num_insts]; NULL: not of this kernel */
    struct smrf_capture_op *store;
    struct smrf_capture_tally *tally; /* [module->num_insts] */
    uint32_t num;
    uint32_t *function_pc; /* [num_functions]: where it begins, UINT32_MAX = left out */
    bool *reached;         /* [num_functions]: the kernel, and what it may call */
    uint32_t registers;    /* a thread: the most of the kernel and what it calls */
};

/* version: of the lines. exact: as NVIDIA's tracer lists them, else so that Accel-Sim finishes
 * (docs/accel-sim.md). Returns 0, SMRF_ERR_NOMEM, or SMRF_ERR_LIMIT with error set. */
int smrf_capture_code_make(struct smrf_capture_code **out, const struct smrf_exec_code *code,
                           const struct smrf_sass_function *entry, uint32_t version, bool exact,
                           char error[SMRF_SASS_ERROR_BYTES]);
void smrf_capture_code_free(struct smrf_capture_code *code);
/* The sidecar's text: the kernel, every function that it may call, and whatever else was executed.
 * To be freed. Returns 0 or SMRF_ERR_NOMEM. */
int smrf_capture_code_text(const struct smrf_capture_code *code, char **text, size_t *bytes);
/* The same as a table, for analysis. Returns 0 or an error. */
int smrf_capture_code_table(const struct smrf_capture_code *code, struct smrf_operand_table *table,
                            struct smrf_trace_error_text *error);

/* PC of a code address: the kernel from 0 on, the other functions behind it. */
uint32_t smrf_capture_pc(const struct smrf_capture_code *code, uint64_t address);
/* The sidecar's line of one instruction, without a newline. False: it is too long. */
bool smrf_capture_text(const struct smrf_capture_code *code, const struct smrf_sass_inst *inst,
                       char text[SMRF_CAPTURE_TEXT_MAX]);

#ifdef __cplusplus
}
#endif

#endif
