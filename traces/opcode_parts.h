/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction on its way through the decoder: its row, its operands as they are listed, and how
 * they grow into 32-bit registers. */
#ifndef SMRF_OPCODE_PARTS_H
#define SMRF_OPCODE_PARTS_H

#include "matrix.h"
#include "opcode.h"
#include "steps.h"

enum smrf_opcode_shape {
    SMRF_SHAPE_ONE,      /* every operand one register (two with .64) */
    SMRF_SHAPE_PAIRS,    /* every operand two */
    SMRF_SHAPE_DSET,     /* sources pairs, destination one */
    SMRF_SHAPE_IMAD,     /* .WIDE: D and C pairs; .HI: C pair */
    SMRF_SHAPE_F2F,      /* .<destination type>.<source type> */
    SMRF_SHAPE_F2I,      /* a 64-bit integer makes D a pair, F64 the source */
    SMRF_SHAPE_I2F,      /* F64 makes D a pair, a 64-bit integer the source */
    SMRF_SHAPE_FRND,     /* F64: both pairs */
    SMRF_SHAPE_MATCH,    /* .U64: source pair */
    SMRF_SHAPE_CS2R,     /* from Volta on a pair unless .32 */
    SMRF_SHAPE_DST_PAIR, /* a program counter or address from Volta on */
    SMRF_SHAPE_TARGET,   /* the same as a source */
    SMRF_SHAPE_ADDRESS,  /* one address operand */
    SMRF_SHAPE_LDC,      /* D as wide as the access, index one */
    SMRF_SHAPE_LOAD,     /* D as wide as the access, address */
    SMRF_SHAPE_STORE,    /* address, data as wide as the access */
    SMRF_SHAPE_ATOM,     /* D, address, data (and comparand) */
    SMRF_SHAPE_LDSM,     /* D by the number of 8x8 matrices */
    SMRF_SHAPE_STSM,
    SMRF_SHAPE_SYNCS,  /* D a pair; .EXCH: also its data */
    SMRF_SHAPE_SULD,   /* D as wide as the access, coordinates */
    SMRF_SHAPE_SUST,   /* coordinates, data as wide as the access */
    SMRF_SHAPE_LDGSTS, /* shared address, global address */
    SMRF_SHAPE_MMA,
    SMRF_SHAPE_GMMA, /* accumulator, A if it is in registers */
    SMRF_SHAPE_LDTM, /* D by shape and count */
    SMRF_SHAPE_STTM
};

struct smrf_opcode_row {
    char root[16]; /* in place: a search goes through all of them */
    uint8_t op_class, space, flow, shape;
    uint32_t flags;
};

/* What the shapes need to know about the instruction at hand. */
struct smrf_opcode_parts {
    const struct smrf_listed_inst *in;
    const struct smrf_opcode_row *row;
    struct smrf_matrix matrix; /* of a matrix multiply */
    bool cut;                  /* operands have more registers than are counted */
    struct smrf_wide all;      /* its vector registers */
    uint8_t num_dst, num_src;  /* after repair */
    uint16_t dst[SMRF_MAX_BASE];
    uint16_t src[SMRF_MAX_BASE];
    struct smrf_operand_place *dst_place[SMRF_MAX_BASE]; /* of each repaired operand */
    struct smrf_operand_place *src_place[SMRF_MAX_BASE];
    uint8_t src_slot[SMRF_MAX_BASE]; /* known operand positions, if in->has_slots */
    uint8_t data_regs;               /* registers of the data of a memory access */
};

/* 32-bit registers of the k-th listed operand of a side; of a source in a known position, k is
 * that. */
uint8_t smrf_opcode_width(const struct smrf_opcode_parts *d, bool dst, unsigned k);
/* Operand position of the k-th listed source: A = 0, B = 1, C = 2. */
uint8_t smrf_opcode_slot(const struct smrf_opcode_parts *d, unsigned k);
/* What a load or store of matrices or of a surface moves, and where, is known of its modifiers. */
bool smrf_opcode_access_is_known(const struct smrf_opcode_row *row, const char *opcode);

#endif
