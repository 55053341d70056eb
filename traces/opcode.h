/* SPDX-License-Identifier: Apache-2.0 */
/* From the names on a trace line to what the instruction does to registers and memory. The
 * knowledge is data: opcode_table.def (classes, shapes) and mma_shapes.def (tensor operands). */
#ifndef SMRF_OPCODE_H
#define SMRF_OPCODE_H

#include "models/common/smrf_inst.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMRF_LISTED_UREG 256 /* listed register number of UR0 */

/* The static part of a trace line. */
struct smrf_listed_inst {
    uint32_t pc;
    const char *opcode; /* with modifiers, NUL-terminated */
    uint8_t num_dst, num_src;
    uint16_t dst[SMRF_MAX_BASE]; /* 0..255 = R, SMRF_LISTED_UREG + n = UR n */
    uint16_t src[SMRF_MAX_BASE];
    uint32_t mem_width; /* as listed; only a fallback, the tracer reports it unreliably */
    uint64_t imm;       /* first immediate, 0 = none or unknown */
    uint32_t binary_version;
    /* Operand positions (0 = A, ..) where they are known from a sidecar, else guessed. */
    bool has_slots;
    uint8_t dst_slot[SMRF_MAX_BASE]; /* of one that turns out to be a source */
    uint8_t src_slot[SMRF_MAX_BASE];
};

/* Where the values of a listed operand belong. */
struct smrf_operand_place {
    bool vector, is_dst; /* vector: a register of the R file other than RZ */
    uint16_t first;      /* index in the full list of that side */
    uint8_t regs;        /* 32-bit registers it covers there */
    uint8_t width;       /* 32-bit registers of the operand, RZ included */
};

struct smrf_operand_map {
    struct smrf_operand_place dst[SMRF_MAX_BASE]; /* by position on the line */
    struct smrf_operand_place src[SMRF_MAX_BASE];
    uint8_t steps;     /* that it issues in; 1: most */
    const char *doubt; /* what is not known of the instruction, behind its opcode; NULL: nothing */
};

/* Decode one line. Fills *out but for index and text, and *map (may be NULL). Returns true, or
 * false where something is not known, and SMRF_INST_UNKNOWN is set; map->doubt says what. An opcode
 * that is not in the table has the class INT and operands of one register. A matrix multiply of a
 * shape or type without a row has operands of one register. One with more registers than an
 * instruction can have issues in steps (steps.h), of which this is the first; one with an address
 * can not, and its first registers count. */
bool smrf_opcode_decode(const struct smrf_listed_inst *in, struct smrf_static_inst *out,
                        struct smrf_operand_map *map);
/* A further step, 1 to map->steps - 1: an instruction of its registers, with nothing listed. */
void smrf_opcode_step(const struct smrf_listed_inst *in, unsigned step,
                      struct smrf_static_inst *out);

/* Rows of the table, and a row's root; NULL past the last (the row of unknown opcodes). */
size_t smrf_opcode_count(void);
const char *smrf_opcode_root(size_t row);

/* True where a decoded instruction's addresses are those of a bulk copy (address modes 3 and 4). */
bool smrf_opcode_is_tma(const struct smrf_static_inst *inst);
/* True for warp-group matrix multiplies, whose lines may carry a commit flag after the sources. */
bool smrf_opcode_is_gmma(const char *opcode);

#ifdef __cplusplus
}
#endif

#endif
